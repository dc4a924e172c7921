"""Information-retrieval evaluation whose every number comes with its bounds.

Names are loaded when first used; importing the package loads NumPy alone.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irbounds.chance import hypergeometric_cdf as hypergeometric_cdf
    from irbounds.chance import hypergeometric_curve as hypergeometric_curve
    from irbounds.chance import hypergeometric_logcdf as hypergeometric_logcdf
    from irbounds.chance import hypergeometric_logpmf as hypergeometric_logpmf
    from irbounds.chance import hypergeometric_logsf as hypergeometric_logsf
    from irbounds.chance import hypergeometric_logtail as hypergeometric_logtail
    from irbounds.chance import hypergeometric_pmf as hypergeometric_pmf
    from irbounds.chance import hypergeometric_sf as hypergeometric_sf
    from irbounds.chance import hypergeometric_tail as hypergeometric_tail
    from irbounds.collection import Qrels as Qrels
    from irbounds.collection import Run as Run
    from irbounds.counts import CountsPosterior as CountsPosterior
    from irbounds.counts import macro_average as macro_average
    from irbounds.counts import micro_average as micro_average
    from irbounds.errors import InputError as InputError
    from irbounds.errors import InputFileError as InputFileError
    from irbounds.estimators import EstimatorDistribution as EstimatorDistribution
    from irbounds.estimators import RecallPosterior as RecallPosterior
    from irbounds.estimators import recall_estimate as recall_estimate
    from irbounds.estimators import recall_estimator_distribution as recall_estimator_distribution
    from irbounds.estimators import recall_posterior as recall_posterior
    from irbounds.evaluation import Evaluation as Evaluation
    from irbounds.laws import BetaLaw as BetaLaw
    from irbounds.laws import Bounds as Bounds
    from irbounds.laws import Draws as Draws
    from irbounds.laws import FLaw as FLaw
    from irbounds.laws import Law as Law
    from irbounds.measure import Measure as Measure
    from irbounds.measure import measures as measures
    from irbounds.paired import PairedComparison as PairedComparison
    from irbounds.paired import paired_comparison as paired_comparison
    from irbounds.paired import paired_comparison_from_labels as paired_comparison_from_labels
    from irbounds.priors import most_conservative_prior as most_conservative_prior
    from irbounds.proportions import Interval as Interval
    from irbounds.proportions import binomial_interval as binomial_interval
    from irbounds.proportions import binomial_ratio_interval as binomial_ratio_interval
    from irbounds.rankings import Evaluator as Evaluator
    from irbounds.rankings import evaluate as evaluate
    from irbounds.rankings import rank_measures as rank_measures
    from irbounds.samples import elusion_interval as elusion_interval
    from irbounds.samples import f_interval as f_interval
    from irbounds.samples import precision_interval as precision_interval
    from irbounds.samples import recall_interval as recall_interval
    from irbounds.samples import yield_interval as yield_interval
    from irbounds.sampling import random_beta as random_beta
    from irbounds.selection import Competition as Competition
    from irbounds.selection import competition as competition
    from irbounds.selection import probability_of_correct_selection as probability_of_correct_selection
    from irbounds.strata import Stratum as Stratum
    from irbounds.superiority import Superiority as Superiority
    from irbounds.superiority import prob_superior as prob_superior
    from irbounds.weak_ordering import RecallPrecisionGraph as RecallPrecisionGraph
    from irbounds.weak_ordering import WeakOrdering as WeakOrdering
    from irbounds.weak_ordering import mean_graph as mean_graph

__version__ = "0.1.0"

_HOMES = {
    "chance": [
        "hypergeometric_cdf", "hypergeometric_curve", "hypergeometric_logcdf", "hypergeometric_logpmf",
        "hypergeometric_logsf", "hypergeometric_logtail", "hypergeometric_pmf", "hypergeometric_sf",
        "hypergeometric_tail",
    ],
    "counts": ["CountsPosterior", "macro_average", "micro_average"],
    "laws": ["BetaLaw", "Bounds", "Draws", "FLaw", "Law"],
    "paired": ["PairedComparison", "paired_comparison", "paired_comparison_from_labels"],
    "superiority": ["Superiority", "prob_superior"],
    "collection": ["Qrels", "Run"],
    "priors": ["most_conservative_prior"],
    "proportions": ["Interval", "binomial_interval", "binomial_ratio_interval"],
    "estimators": [
        "EstimatorDistribution", "RecallPosterior", "recall_estimate", "recall_estimator_distribution",
        "recall_posterior",
    ],
    "samples": ["elusion_interval", "f_interval", "precision_interval", "recall_interval", "yield_interval"],
    "strata": ["Stratum"],
    "sampling": ["random_beta"],
    "selection": ["Competition", "competition", "probability_of_correct_selection"],
    "errors": ["InputError", "InputFileError"],
    "evaluation": ["Evaluation"],
    "measure": ["Measure", "measures"],
    "rankings": ["Evaluator", "evaluate", "rank_measures"],
    "weak_ordering": ["RecallPrecisionGraph", "WeakOrdering", "mean_graph"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*sorted(_HOME_OF), "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'irbounds' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"irbounds.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
