"""The public names of irbounds.chance: the one place that lists them."""

from .hypergeometric import hypergeometric_cdf as hypergeometric_cdf
from .hypergeometric import hypergeometric_curve as hypergeometric_curve
from .hypergeometric import hypergeometric_logcdf as hypergeometric_logcdf
from .hypergeometric import hypergeometric_logpmf as hypergeometric_logpmf
from .hypergeometric import hypergeometric_logsf as hypergeometric_logsf
from .hypergeometric import hypergeometric_logtail as hypergeometric_logtail
from .hypergeometric import hypergeometric_pmf as hypergeometric_pmf
from .hypergeometric import hypergeometric_sf as hypergeometric_sf
from .hypergeometric import hypergeometric_tail as hypergeometric_tail
from .selection import Competition as Competition
from .selection import competition as competition
from .selection import probability_of_correct_selection as probability_of_correct_selection
