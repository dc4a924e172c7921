"""The public names of irbounds.plot: the one place that lists them."""

from .chance import hypergeometric_curve as hypergeometric_curve
from .coverage import closest_shares as closest_shares
from .coverage import coverage_boxes as coverage_boxes
from .coverage import coverage_gaps as coverage_gaps
from .curves import extrapolated_run as extrapolated_run
from .curves import reference_band as reference_band
from .curves import reference_curves as reference_curves
from .design import allocation_widths as allocation_widths
from .design import sample_widths as sample_widths
from .histories import history as history
from .judges import judge_calibration as judge_calibration
from .means import difference_intervals as difference_intervals
from .means import mean_intervals as mean_intervals
from .posteriors import recall_posterior as recall_posterior
from .posteriors import superiority as superiority
from .standings import ranks as ranks
from .stops import stopping as stopping
from .systems import differences as differences
from .systems import recall_precision_graph as recall_precision_graph
from .systems import tie_ranges as tie_ranges
from .unjudged import unjudged_differences as unjudged_differences
from .unjudged import unjudged_ranges as unjudged_ranges
