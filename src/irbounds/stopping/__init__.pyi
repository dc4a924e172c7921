"""The public names of irbounds.stopping: the one place that lists them."""

from .certificates import ControlCurve as ControlCurve
from .certificates import certifying_rank as certifying_rank
from .certificates import control_curve as control_curve
from .control_plans import ControlPlan as ControlPlan
from .control_plans import control_plan as control_plan
from .curves import StoppingCurve as StoppingCurve
from .curves import stopping_curve as stopping_curve
from .labels import ReviewLabels as ReviewLabels
from .labels import read_labels as read_labels
from .monitor import ReviewMonitor as ReviewMonitor
from .simulation import ReviewSimulation as ReviewSimulation
from .simulation import RuleOutcome as RuleOutcome
from .simulation import simulate_review as simulate_review
