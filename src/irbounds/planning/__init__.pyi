"""The public names of irbounds.planning: the one place that lists them."""

from .assumptions.review import AssumedReview as AssumedReview
from .coverage_studies.coverage import coverage as coverage
from .coverage_studies.report import CoverageReport as CoverageReport
from .coverage_studies.scenarios import LEGAL as LEGAL
from .coverage_studies.scenarios import NEUTRAL as NEUTRAL
from .coverage_studies.scenarios import SMALL as SMALL
from .coverage_studies.scenarios import Realisations as Realisations
from .coverage_studies.scenarios import Scenario as Scenario
from .coverage_studies.stopped_reviews import StoppingReport as StoppingReport
from .coverage_studies.stopped_reviews import simulate_stopping as simulate_stopping
from .design.expected_width import Allocation as Allocation
from .design.expected_width import allocate as allocate
from .design.expected_width import expected_width as expected_width
from .design.least_sample import least_sample as least_sample
from .design.sample_size import SampleSize as SampleSize
from .design.sample_size import sample_size as sample_size
from .monitoring import SampleMonitor as SampleMonitor
from .one_proportion import AcceptanceSample as AcceptanceSample
from .one_proportion import AcceptanceStages as AcceptanceStages
from .one_proportion import acceptance_samples as acceptance_samples
from .one_proportion import proportion_sample_size as proportion_sample_size
