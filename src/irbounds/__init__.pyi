"""The public names of irbounds: the one place that lists them.

`irbounds/__init__.py` reads this file and imports each name when it is first used.
"""

from . import plot as plot
from . import testing as testing
from .assisted.allocation import allocate_labels as allocate_labels
from .assisted.cautions import AssistedWarning as AssistedWarning
from .assisted.intervals import assisted_interval as assisted_interval
from .assisted.label_plan import LabelPlan as LabelPlan
from .assisted.label_plan import LabelStratum as LabelStratum
from .assisted.result import AssistedInterval as AssistedInterval
from .assisted.result import JudgeStratum as JudgeStratum
from .chance.hypergeometric import hypergeometric_cdf as hypergeometric_cdf
from .chance.hypergeometric import hypergeometric_curve as hypergeometric_curve
from .chance.hypergeometric import hypergeometric_logcdf as hypergeometric_logcdf
from .chance.hypergeometric import hypergeometric_logpmf as hypergeometric_logpmf
from .chance.hypergeometric import hypergeometric_logsf as hypergeometric_logsf
from .chance.hypergeometric import hypergeometric_logtail as hypergeometric_logtail
from .chance.hypergeometric import hypergeometric_pmf as hypergeometric_pmf
from .chance.hypergeometric import hypergeometric_sf as hypergeometric_sf
from .chance.hypergeometric import hypergeometric_tail as hypergeometric_tail
from .chance.selection import Competition as Competition
from .chance.selection import competition as competition
from .chance.selection import probability_of_correct_selection as probability_of_correct_selection
from .comparison.data.difference import Difference as Difference
from .comparison.gates.gate import gate as gate
from .comparison.gates.gate import gate_evaluations as gate_evaluations
from .comparison.gates.result import Gate as Gate
from .comparison.gates.result import GateCheck as GateCheck
from .comparison.label_bounds.next_judgments import NextJudgments as NextJudgments
from .comparison.label_bounds.next_judgments import next_judgments as next_judgments
from .comparison.ranks.leaderboard import compare_scores as compare_scores
from .comparison.ranks.ranks import Ranks as Ranks
from .comparison.runs.compare import compare as compare
from .comparison.runs.compare import compare_evaluations as compare_evaluations
from .comparison.runs.comparison import Comparison as Comparison
from .comparison.significance.warnings import FewQueriesWarning as FewQueriesWarning
from .comparison.significance.warnings import FewUnitsWarning as FewUnitsWarning
from .counts.f_score import FScoreDistribution as FScoreDistribution
from .counts.joint import PairedCounts as PairedCounts
from .counts.paired import PairedComparison as PairedComparison
from .counts.paired import paired_comparison as paired_comparison
from .counts.paired import paired_comparison_from_labels as paired_comparison_from_labels
from .counts.posterior import CountsPosterior as CountsPosterior
from .counts.posterior import macro_average as macro_average
from .counts.posterior import micro_average as micro_average
from .counts.superiority import Superiority as Superiority
from .counts.superiority import prob_superior as prob_superior
from .extrapolation.curve import ExtrapolationWarning as ExtrapolationWarning
from .extrapolation.curve import PrecisionCurve as PrecisionCurve
from .extrapolation.curve import Sensitivity as Sensitivity
from .extrapolation.curve import extrapolate_precision as extrapolate_precision
from .extrapolation.intervals import cost_interval as cost_interval
from .extrapolation.intervals import documents_to_review_interval as documents_to_review_interval
from .extrapolation.intervals import (
    extrapolated_precision_interval as extrapolated_precision_interval,
)
from .extrapolation.review import cost as cost
from .extrapolation.review import documents_to_review as documents_to_review
from .extrapolation.review import f_score as f_score
from .extrapolation.run import ExtrapolatedRun as ExtrapolatedRun
from .extrapolation.run import extrapolate_run as extrapolate_run
from .foundation.distributions import BetaDistribution as BetaDistribution
from .foundation.distributions import Bounds as Bounds
from .foundation.distributions import Distribution as Distribution
from .foundation.distributions import SampledDistribution as SampledDistribution
from .foundation.errors import InputError as InputError
from .foundation.errors import InputFileError as InputFileError
from .foundation.interval import Interval as Interval
from .foundation.variates import random_beta as random_beta
from .planning.assumptions.review import AssumedReview as AssumedReview
from .planning.coverage_studies.coverage import coverage as coverage
from .planning.coverage_studies.report import CoverageReport as CoverageReport
from .planning.coverage_studies.scenarios import LEGAL as LEGAL
from .planning.coverage_studies.scenarios import NEUTRAL as NEUTRAL
from .planning.coverage_studies.scenarios import SMALL as SMALL
from .planning.coverage_studies.scenarios import Realisations as Realisations
from .planning.coverage_studies.scenarios import Scenario as Scenario
from .planning.coverage_studies.stopped_reviews import StoppingReport as StoppingReport
from .planning.coverage_studies.stopped_reviews import simulate_stopping as simulate_stopping
from .planning.design.expected_width import Allocation as Allocation
from .planning.design.expected_width import allocate as allocate
from .planning.design.expected_width import expected_width as expected_width
from .planning.design.least_sample import least_sample as least_sample
from .planning.design.sample_size import SampleSize as SampleSize
from .planning.design.sample_size import sample_size as sample_size
from .planning.monitoring import OptionalStoppingWarning as OptionalStoppingWarning
from .planning.monitoring import SampleMonitor as SampleMonitor
from .queries.cautions import NoVarianceWarning as NoVarianceWarning
from .queries.means import mean_interval as mean_interval
from .queries.sizes import comparison_power as comparison_power
from .queries.sizes import detectable_difference as detectable_difference
from .queries.sizes import queries_needed as queries_needed
from .rankings.data.collection import Qrels as Qrels
from .rankings.data.collection import Run as Run
from .rankings.data.collection import pool as pool
from .rankings.data.evaluated_runs import EvaluatedRuns as EvaluatedRuns
from .rankings.data.evaluation import Evaluation as Evaluation
from .rankings.data.warnings import RunWarning as RunWarning
from .rankings.evaluating.arrays import rank_measures as rank_measures
from .rankings.evaluating.evaluator import Evaluator as Evaluator
from .rankings.evaluating.evaluator import evaluate as evaluate
from .rankings.evaluating.graphs import recall_precision_graph as recall_precision_graph
from .rankings.evaluating.weak_ordering import RecallPrecisionGraph as RecallPrecisionGraph
from .rankings.evaluating.weak_ordering import WeakOrdering as WeakOrdering
from .rankings.evaluating.weak_ordering import mean_graph as mean_graph
from .rankings.history.history import History as History
from .rankings.history.history import HistoryEntry as HistoryEntry
from .rankings.measure_table.listing import measures as measures
from .rankings.measure_table.measure import Measure as Measure
from .rankings.measure_table.own_measures import define_measure as define_measure
from .report.assist import report_assist as report_assist
from .report.history import report_history as report_history
from .report.recall import report_recall as report_recall
from .report.review import report_review as report_review
from .report.runs import report_runs as report_runs
from .samples.intervals.estimators import EstimatorDistribution as EstimatorDistribution
from .samples.intervals.estimators import RecallPosterior as RecallPosterior
from .samples.intervals.estimators import recall_estimate as recall_estimate
from .samples.intervals.estimators import (
    recall_estimator_distribution as recall_estimator_distribution,
)
from .samples.intervals.estimators import recall_posterior as recall_posterior
from .samples.intervals.intervals import elusion_interval as elusion_interval
from .samples.intervals.intervals import f_interval as f_interval
from .samples.intervals.intervals import precision_interval as precision_interval
from .samples.intervals.intervals import recall_interval as recall_interval
from .samples.intervals.intervals import yield_interval as yield_interval
from .samples.intervals.sensitivity import PriorSensitivity as PriorSensitivity
from .samples.intervals.sensitivity import prior_sensitivity as prior_sensitivity
from .samples.model.priors import most_conservative_prior as most_conservative_prior
from .samples.model.strata import Audited as Audited
from .samples.model.strata import Stratum as Stratum
from .samples.model.warnings import SampleWarning as SampleWarning
from .samples.one_proportion.prevalence import prevalence_interval as prevalence_interval
from .samples.one_proportion.proportions import binomial_interval as binomial_interval
from .samples.one_proportion.ratios import binomial_ratio_interval as binomial_ratio_interval
from .samples.other_designs.control_sample import ControlSample as ControlSample
from .samples.other_designs.control_sample import (
    recall_interval_from_sample as recall_interval_from_sample,
)
from .samples.other_designs.weighted import weighted_recall_interval as weighted_recall_interval
from .stopping.certificates import ControlCurve as ControlCurve
from .stopping.certificates import certifying_rank as certifying_rank
from .stopping.certificates import control_curve as control_curve
from .stopping.control_plans import ControlPlan as ControlPlan
from .stopping.control_plans import control_plan as control_plan
from .stopping.curves import StoppingCurve as StoppingCurve
from .stopping.curves import stopping_curve as stopping_curve
from .stopping.labels import ReviewLabels as ReviewLabels
from .stopping.labels import read_labels as read_labels
from .stopping.monitor import ReviewMonitor as ReviewMonitor
from .stopping.simulation import ReviewSimulation as ReviewSimulation
from .stopping.simulation import RuleOutcome as RuleOutcome
from .stopping.simulation import simulate_review as simulate_review

__version__: str
