"""The public names of irbounds.rankings: the one place that lists them."""

from .data.collection import Qrels as Qrels
from .data.collection import Run as Run
from .data.collection import pool as pool
from .data.concat import concat as concat
from .data.evaluated_runs import EvaluatedRuns as EvaluatedRuns
from .data.evaluation import Evaluation as Evaluation
from .data.scores import Scores as Scores
from .data.scores import read_scores as read_scores
from .evaluating.arrays import rank_measures as rank_measures
from .evaluating.evaluator import Evaluator as Evaluator
from .evaluating.evaluator import evaluate as evaluate
from .evaluating.graphs import recall_precision_graph as recall_precision_graph
from .evaluating.weak_ordering import RecallPrecisionGraph as RecallPrecisionGraph
from .evaluating.weak_ordering import WeakOrdering as WeakOrdering
from .evaluating.weak_ordering import mean_graph as mean_graph
from .history.history import History as History
from .history.history import HistoryEntry as HistoryEntry
from .measure_table.listing import measures as measures
from .measure_table.measure import Measure as Measure
from .measure_table.own_measures import define_measure as define_measure
from .pairs.run_pairs import compare_rankings as compare_rankings
