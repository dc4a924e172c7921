"""The names at the top of irbounds: those that most users need first, and the public modules.

Each module lists the public names of its subject in its own `__init__.pyi`.
`irbounds/__init__.py` reads this file and imports each name when it is first used.
"""

from . import assisted as assisted
from . import chance as chance
from . import comparison as comparison
from . import counts as counts
from . import distributions as distributions
from . import extrapolation as extrapolation
from . import planning as planning
from . import plot as plot
from . import queries as queries
from . import rankings as rankings
from . import samples as samples
from . import stopping as stopping
from . import testing as testing
from . import warnings as warnings
from .assisted.allocation import allocate_labels as allocate_labels
from .assisted.intervals import assisted_interval as assisted_interval
from .comparison.gates.gate import gate as gate
from .comparison.gates.result import Gate as Gate
from .comparison.label_bounds.next_judgments import next_judgments as next_judgments
from .comparison.runs.compare import compare as compare
from .comparison.runs.comparison import Comparison as Comparison
from .counts.joint import PairedCounts as PairedCounts
from .counts.posterior import CountsPosterior as CountsPosterior
from .counts.superiority import prob_superior as prob_superior
from .foundation.errors import InputError as InputError
from .foundation.errors import InputFileError as InputFileError
from .foundation.interval import Interval as Interval
from .planning.assumptions.review import AssumedReview as AssumedReview
from .planning.coverage_studies.coverage import coverage as coverage
from .planning.design.sample_size import sample_size as sample_size
from .planning.monitoring import SampleMonitor as SampleMonitor
from .queries.means import mean_interval as mean_interval
from .queries.sizes import queries_needed as queries_needed
from .rankings.data.collection import Qrels as Qrels
from .rankings.data.collection import Run as Run
from .rankings.data.evaluation import Evaluation as Evaluation
from .rankings.evaluating.arrays import rank_measures as rank_measures
from .rankings.evaluating.evaluator import Evaluator as Evaluator
from .rankings.evaluating.evaluator import evaluate as evaluate
from .rankings.history.history import History as History
from .rankings.measure_table.listing import measures as measures
from .rankings.measure_table.measure import Measure as Measure
from .rankings.measure_table.own_measures import define_measure as define_measure
from .report.assist import report_assist as report_assist
from .report.history import report_history as report_history
from .report.recall import report_recall as report_recall
from .report.review import report_review as report_review
from .report.runs import report_runs as report_runs
from .samples.intervals.estimators import recall_posterior as recall_posterior
from .samples.intervals.intervals import f_interval as f_interval
from .samples.intervals.intervals import precision_interval as precision_interval
from .samples.intervals.intervals import recall_interval as recall_interval
from .samples.intervals.intervals import yield_interval as yield_interval
from .samples.model.strata import Audited as Audited
from .samples.model.strata import Stratum as Stratum
from .samples.one_proportion.proportions import binomial_interval as binomial_interval
from .samples.other_designs.control_sample import (
    recall_interval_from_sample as recall_interval_from_sample,
)
from .stopping.curves import stopping_curve as stopping_curve
from .stopping.labels import read_labels as read_labels

__version__: str
