"""Information-retrieval evaluation whose every number comes with its bounds.

Names are loaded when first used; importing the package loads NumPy alone.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irbounds import plot as plot
    from irbounds.chance.hypergeometric import hypergeometric_cdf as hypergeometric_cdf
    from irbounds.chance.hypergeometric import hypergeometric_curve as hypergeometric_curve
    from irbounds.chance.hypergeometric import hypergeometric_logcdf as hypergeometric_logcdf
    from irbounds.chance.hypergeometric import hypergeometric_logpmf as hypergeometric_logpmf
    from irbounds.chance.hypergeometric import hypergeometric_logsf as hypergeometric_logsf
    from irbounds.chance.hypergeometric import hypergeometric_logtail as hypergeometric_logtail
    from irbounds.chance.hypergeometric import hypergeometric_pmf as hypergeometric_pmf
    from irbounds.chance.hypergeometric import hypergeometric_sf as hypergeometric_sf
    from irbounds.chance.hypergeometric import hypergeometric_tail as hypergeometric_tail
    from irbounds.chance.selection import Competition as Competition
    from irbounds.chance.selection import competition as competition
    from irbounds.chance.selection import (
        probability_of_correct_selection as probability_of_correct_selection,
    )
    from irbounds.comparison.cautions import FewQueriesWarning as FewQueriesWarning
    from irbounds.comparison.cautions import NoVarianceWarning as NoVarianceWarning
    from irbounds.comparison.comparison import Comparison as Comparison
    from irbounds.comparison.difference import Difference as Difference
    from irbounds.comparison.systems import compare as compare
    from irbounds.comparison.systems import compare_evaluations as compare_evaluations
    from irbounds.counts.joint import PairedCounts as PairedCounts
    from irbounds.counts.paired import PairedComparison as PairedComparison
    from irbounds.counts.paired import paired_comparison as paired_comparison
    from irbounds.counts.paired import (
        paired_comparison_from_labels as paired_comparison_from_labels,
    )
    from irbounds.counts.posterior import CountsPosterior as CountsPosterior
    from irbounds.counts.posterior import macro_average as macro_average
    from irbounds.counts.posterior import micro_average as micro_average
    from irbounds.counts.superiority import Superiority as Superiority
    from irbounds.counts.superiority import prob_superior as prob_superior
    from irbounds.extrapolation.curve import ExtrapolationWarning as ExtrapolationWarning
    from irbounds.extrapolation.curve import PrecisionCurve as PrecisionCurve
    from irbounds.extrapolation.curve import Sensitivity as Sensitivity
    from irbounds.extrapolation.curve import extrapolate_precision as extrapolate_precision
    from irbounds.extrapolation.intervals import cost_interval as cost_interval
    from irbounds.extrapolation.intervals import (
        documents_to_review_interval as documents_to_review_interval,
    )
    from irbounds.extrapolation.intervals import (
        extrapolated_precision_interval as extrapolated_precision_interval,
    )
    from irbounds.extrapolation.review import cost as cost
    from irbounds.extrapolation.review import documents_to_review as documents_to_review
    from irbounds.extrapolation.review import f_score as f_score
    from irbounds.extrapolation.run import ExtrapolatedRun as ExtrapolatedRun
    from irbounds.extrapolation.run import extrapolate_run as extrapolate_run
    from irbounds.foundation.errors import InputError as InputError
    from irbounds.foundation.errors import InputFileError as InputFileError
    from irbounds.foundation.f_law import FLaw as FLaw
    from irbounds.foundation.laws import BetaLaw as BetaLaw
    from irbounds.foundation.laws import Bounds as Bounds
    from irbounds.foundation.laws import Draws as Draws
    from irbounds.foundation.laws import Law as Law
    from irbounds.foundation.sampling import random_beta as random_beta
    from irbounds.planning.assumptions import AssumedReview as AssumedReview
    from irbounds.planning.design import Allocation as Allocation
    from irbounds.planning.design import allocate as allocate
    from irbounds.planning.design import expected_width as expected_width
    from irbounds.planning.floor import least_sample as least_sample
    from irbounds.planning.laboratory import coverage as coverage
    from irbounds.planning.monitoring import OptionalStoppingWarning as OptionalStoppingWarning
    from irbounds.planning.monitoring import SampleMonitor as SampleMonitor
    from irbounds.planning.monitoring import StoppingReport as StoppingReport
    from irbounds.planning.monitoring import simulate_stopping as simulate_stopping
    from irbounds.planning.report import CoverageReport as CoverageReport
    from irbounds.planning.requirements import SampleSize as SampleSize
    from irbounds.planning.requirements import sample_size as sample_size
    from irbounds.planning.scenarios import LEGAL as LEGAL
    from irbounds.planning.scenarios import NEUTRAL as NEUTRAL
    from irbounds.planning.scenarios import SMALL as SMALL
    from irbounds.planning.scenarios import Realisations as Realisations
    from irbounds.planning.scenarios import Scenario as Scenario
    from irbounds.rankings.arrays import rank_measures as rank_measures
    from irbounds.rankings.collection import Qrels as Qrels
    from irbounds.rankings.collection import Run as Run
    from irbounds.rankings.evaluation import Evaluation as Evaluation
    from irbounds.rankings.evaluator import Evaluator as Evaluator
    from irbounds.rankings.evaluator import evaluate as evaluate
    from irbounds.rankings.graphs import recall_precision_graph as recall_precision_graph
    from irbounds.rankings.many import EvaluatedRuns as EvaluatedRuns
    from irbounds.rankings.measure import Measure as Measure
    from irbounds.rankings.measure import measures as measures
    from irbounds.rankings.weak_ordering import RecallPrecisionGraph as RecallPrecisionGraph
    from irbounds.rankings.weak_ordering import WeakOrdering as WeakOrdering
    from irbounds.rankings.weak_ordering import mean_graph as mean_graph
    from irbounds.report.recall import report_recall as report_recall
    from irbounds.report.runs import report_runs as report_runs
    from irbounds.samples.cautions import SampleWarning as SampleWarning
    from irbounds.samples.control_sample import ControlSample as ControlSample
    from irbounds.samples.control_sample import (
        recall_interval_from_sample as recall_interval_from_sample,
    )
    from irbounds.samples.estimators import EstimatorDistribution as EstimatorDistribution
    from irbounds.samples.estimators import RecallPosterior as RecallPosterior
    from irbounds.samples.estimators import recall_estimate as recall_estimate
    from irbounds.samples.estimators import (
        recall_estimator_distribution as recall_estimator_distribution,
    )
    from irbounds.samples.estimators import recall_posterior as recall_posterior
    from irbounds.samples.intervals import elusion_interval as elusion_interval
    from irbounds.samples.intervals import f_interval as f_interval
    from irbounds.samples.intervals import precision_interval as precision_interval
    from irbounds.samples.intervals import recall_interval as recall_interval
    from irbounds.samples.intervals import yield_interval as yield_interval
    from irbounds.samples.priors import most_conservative_prior as most_conservative_prior
    from irbounds.samples.proportions import Interval as Interval
    from irbounds.samples.proportions import binomial_interval as binomial_interval
    from irbounds.samples.ratios import binomial_ratio_interval as binomial_ratio_interval
    from irbounds.samples.sensitivity import PriorSensitivity as PriorSensitivity
    from irbounds.samples.sensitivity import prior_sensitivity as prior_sensitivity
    from irbounds.samples.strata import Stratum as Stratum

__version__ = "0.1.0"

_HOMES = {
    "foundation.errors": ["InputError", "InputFileError"],
    "foundation.sampling": ["random_beta"],
    "foundation.f_law": ["FLaw"],
    "foundation.laws": ["BetaLaw", "Bounds", "Draws", "Law"],
    "chance.hypergeometric": [
        "hypergeometric_cdf",
        "hypergeometric_curve",
        "hypergeometric_logcdf",
        "hypergeometric_logpmf",
        "hypergeometric_logsf",
        "hypergeometric_logtail",
        "hypergeometric_pmf",
        "hypergeometric_sf",
        "hypergeometric_tail",
    ],
    "chance.selection": ["Competition", "competition", "probability_of_correct_selection"],
    "counts.posterior": ["CountsPosterior", "macro_average", "micro_average"],
    "counts.superiority": ["Superiority", "prob_superior"],
    "counts.joint": ["PairedCounts"],
    "counts.paired": ["PairedComparison", "paired_comparison", "paired_comparison_from_labels"],
    "samples.strata": ["Stratum"],
    "samples.priors": ["most_conservative_prior"],
    "samples.proportions": ["Interval", "binomial_interval"],
    "samples.cautions": ["SampleWarning"],
    "samples.control_sample": ["ControlSample", "recall_interval_from_sample"],
    "samples.sensitivity": ["PriorSensitivity", "prior_sensitivity"],
    "samples.ratios": ["binomial_ratio_interval"],
    "samples.estimators": [
        "EstimatorDistribution",
        "RecallPosterior",
        "recall_estimate",
        "recall_estimator_distribution",
        "recall_posterior",
    ],
    "samples.intervals": [
        "elusion_interval",
        "f_interval",
        "precision_interval",
        "recall_interval",
        "yield_interval",
    ],
    "planning.scenarios": ["LEGAL", "NEUTRAL", "SMALL", "Realisations", "Scenario"],
    "planning.report": ["CoverageReport"],
    "planning.laboratory": ["coverage"],
    "planning.assumptions": ["AssumedReview"],
    "planning.design": ["Allocation", "allocate", "expected_width"],
    "planning.monitoring": [
        "OptionalStoppingWarning",
        "SampleMonitor",
        "StoppingReport",
        "simulate_stopping",
    ],
    "planning.floor": ["least_sample"],
    "planning.requirements": ["SampleSize", "sample_size"],
    "rankings.measure": ["Measure", "measures"],
    "rankings.evaluation": ["Evaluation"],
    "rankings.collection": ["Qrels", "Run"],
    "rankings.arrays": ["rank_measures"],
    "rankings.evaluator": ["Evaluator", "evaluate"],
    "rankings.many": ["EvaluatedRuns"],
    "rankings.weak_ordering": ["RecallPrecisionGraph", "WeakOrdering", "mean_graph"],
    "rankings.graphs": ["recall_precision_graph"],
    "comparison.cautions": ["FewQueriesWarning", "NoVarianceWarning"],
    "comparison.comparison": ["Comparison"],
    "comparison.difference": ["Difference"],
    "comparison.systems": ["compare", "compare_evaluations"],
    "extrapolation.curve": [
        "ExtrapolationWarning",
        "PrecisionCurve",
        "Sensitivity",
        "extrapolate_precision",
    ],
    "extrapolation.review": ["cost", "documents_to_review", "f_score"],
    "extrapolation.intervals": [
        "cost_interval",
        "documents_to_review_interval",
        "extrapolated_precision_interval",
    ],
    "extrapolation.run": ["ExtrapolatedRun", "extrapolate_run"],
    "report.runs": ["report_runs"],
    "report.recall": ["report_recall"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_PACKAGES = ("plot",)

__all__ = [*sorted([*_HOME_OF, *_PACKAGES]), "__version__"]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"irbounds.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'irbounds' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"irbounds.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
