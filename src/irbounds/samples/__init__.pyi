"""The public names of irbounds.samples: the one place that lists them."""

from .clusters.clusters import cluster_proportion_interval as cluster_proportion_interval
from .clusters.recall import cluster_recall_interval as cluster_recall_interval
from .clusters.sample import ClusterSample as ClusterSample
from .intervals.estimators import EstimatorDistribution as EstimatorDistribution
from .intervals.estimators import RecallPosterior as RecallPosterior
from .intervals.estimators import recall_estimate as recall_estimate
from .intervals.estimators import recall_estimator_distribution as recall_estimator_distribution
from .intervals.estimators import recall_posterior as recall_posterior
from .intervals.intervals import elusion_interval as elusion_interval
from .intervals.intervals import f_interval as f_interval
from .intervals.intervals import precision_interval as precision_interval
from .intervals.intervals import recall_interval as recall_interval
from .intervals.intervals import yield_interval as yield_interval
from .intervals.sensitivity import PriorSensitivity as PriorSensitivity
from .intervals.sensitivity import prior_sensitivity as prior_sensitivity
from .intervals.tested_strata import guaranteed_test as guaranteed_test
from .intervals.tested_strata import loose_bound_note as loose_bound_note
from .model.priors import most_conservative_prior as most_conservative_prior
from .model.strata import Audited as Audited
from .model.strata import Stratum as Stratum
from .one_proportion.differences import (
    binomial_difference_interval as binomial_difference_interval,
)
from .one_proportion.prevalence import prevalence_interval as prevalence_interval
from .one_proportion.proportions import binomial_interval as binomial_interval
from .one_proportion.ratios import binomial_ratio_interval as binomial_ratio_interval
from .other_designs.control_sample import ControlSample as ControlSample
from .other_designs.control_sample import recall_interval_from_sample as recall_interval_from_sample
from .other_designs.weighted import weighted_recall_interval as weighted_recall_interval
