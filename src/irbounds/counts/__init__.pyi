"""The public names of irbounds.counts: the one place that lists them."""

from .confusion import ConfusionPosterior as ConfusionPosterior
from .confusion_pairs import PairedConfusion as PairedConfusion
from .f_score import FScoreDistribution as FScoreDistribution
from .joint import PairedCounts as PairedCounts
from .paired import PairedComparison as PairedComparison
from .paired import paired_comparison as paired_comparison
from .paired import paired_comparison_from_labels as paired_comparison_from_labels
from .posterior import CountsPosterior as CountsPosterior
from .posterior import macro_average as macro_average
from .posterior import micro_average as micro_average
from .superiority import Superiority as Superiority
from .superiority import prob_superior as prob_superior
