"""The public names of irbounds.queries: the one place that lists them."""

from .means import mean_interval as mean_interval
from .sizes import comparison_power as comparison_power
from .sizes import detectable_difference as detectable_difference
from .sizes import queries_needed as queries_needed
