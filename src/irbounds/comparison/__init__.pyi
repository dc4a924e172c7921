"""The public names of irbounds.comparison: the one place that lists them."""

from .data.difference import Difference as Difference
from .gates.gate import gate as gate
from .gates.gate import gate_evaluations as gate_evaluations
from .gates.result import Gate as Gate
from .gates.result import GateCheck as GateCheck
from .label_bounds.next_judgments import NextJudgments as NextJudgments
from .label_bounds.next_judgments import next_judgments as next_judgments
from .ranks.correlation import leaderboard_correlation as leaderboard_correlation
from .ranks.leaderboard import compare_scores as compare_scores
from .ranks.ranks import Ranks as Ranks
from .runs.compare import compare as compare
from .runs.compare import compare_evaluations as compare_evaluations
from .runs.comparison import Comparison as Comparison
from .runs.slices import Interaction as Interaction
from .runs.slices import Slices as Slices
