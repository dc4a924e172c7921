"""The public names of irbounds.queries: the one place that lists them."""

from .means import mean_interval as mean_interval
from .repeats import Repeated as Repeated
from .repeats import pass_at_k as pass_at_k
from .repeats import pass_hat_k as pass_hat_k
from .repeats import repeated_interval as repeated_interval
from .sizes import comparison_power as comparison_power
from .sizes import detectable_difference as detectable_difference
from .sizes import queries_needed as queries_needed
