"""The public names of irbounds.assisted: the one place that lists them."""

from .allocation import allocate_labels as allocate_labels
from .intervals import assisted_interval as assisted_interval
from .label_plan import LabelPlan as LabelPlan
from .label_plan import LabelStratum as LabelStratum
from .result import AssistedInterval as AssistedInterval
from .result import JudgeStratum as JudgeStratum
from .two_raters import agreement as agreement
