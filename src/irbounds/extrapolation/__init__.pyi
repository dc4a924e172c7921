"""The public names of irbounds.extrapolation: the one place that lists them."""

from .curve import PrecisionCurve as PrecisionCurve
from .curve import Sensitivity as Sensitivity
from .curve import extrapolate_precision as extrapolate_precision
from .intervals import cost_interval as cost_interval
from .intervals import documents_to_review_interval as documents_to_review_interval
from .intervals import extrapolated_precision_interval as extrapolated_precision_interval
from .review import cost as cost
from .review import documents_to_review as documents_to_review
from .review import f_score as f_score
from .run import ExtrapolatedRun as ExtrapolatedRun
from .run import extrapolate_run as extrapolate_run
