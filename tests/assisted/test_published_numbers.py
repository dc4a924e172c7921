"""Numbers that papers and other tools print, to their digits: formulas of double sampling, of
prediction-powered inference and of uncorrected errors."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t

import irbounds as irb
from irbounds.samples.model.point_estimates import yield_estimate
from irbounds.samples.model.strata import check_segment
from tests.reference.audited import lee_allocation, two_phase_share

STUDIES = Path(__file__).parents[2] / "benchmarks" / "studies"
LABELS, GRADES = "1011011011", "1010011111"  # of people and of the judge; 30 of 50 others are 1


@pytest.fixture
def study(monkeypatch):
    """The module that has the methods of peers."""
    if not STUDIES.exists():
        pytest.skip("the benchmarks are not here")
    monkeypatch.syspath_prepend(str(STUDIES))
    import assisted

    yield assisted
    for name in ("assisted", "study", "pages"):
        sys.modules.pop(name, None)


def test_double_sampling():
    share, error = two_phase_share(1000, 120, 60, 48, 100, 4)
    assert (float(share), round(float(error), 8)) == (0.1312, 0.01991894)


def test_tenenbein():
    both, called, other, neither = 40, 5, 10, 145  # 40 relevant ones of 45 that were called
    share, _ = two_phase_share(1000, 225, 45, 40, 155, 10)
    assert float(share) == pytest.approx(0.25, abs=1e-15)
    coded = irb.Audited(10**6, 1000, 45 + 180, (45, 40), (155, 10))
    estimate, _ = yield_estimate(check_segment("coded", coded, True))
    assert estimate / 10**6 == pytest.approx(0.25, abs=1e-12)
    # his variance takes the table's shares: p by double sampling, K by p and the calls' error rates
    p, call = 0.25, 0.225
    right = both / (both + called)
    k = (call * (right - p)) ** 2 / (call * (1 - call) * p * (1 - p))
    assert k == pytest.approx(0.63201912, abs=5e-9)
    variance = p * (1 - p) * ((1 - k) / 200 + k / 1000)
    assert np.sqrt(variance) == pytest.approx(0.02152872, abs=5e-9)
    assert other + neither == 155


def test_prediction_powered_inference_as_ppi_python_prints_it(study):
    y, f = (np.array([*text], float) for text in (LABELS, GRADES))
    rest = np.repeat([1.0, 0.0], [30, 20])
    assert study.ppi(y, f, rest, 1.0) == pytest.approx((0.6, 0.291345, 0.908655), abs=5e-7)
    assert study.ppi(y, f, rest) == pytest.approx((0.661868, 0.411158, 0.912579), abs=1e-6)
    grades = np.concatenate([f, rest])
    estimate = grades.mean() + (y - f).mean()
    half = t.isf(0.025, 9) * (y - f).std(ddof=1) * np.sqrt((1 - 10 / 60) / 10)
    assert (estimate, estimate - half, estimate + half) == pytest.approx(
        (0.616667, 0.308826, 0.924507), abs=1e-6
    )


def test_audits_in_which_all_is_right_still_widen():
    segments = (
        irb.Audited(500, 50, 40, (40, 40), (10, 0)),
        irb.Audited(2000, 100, 3, (3, 3), (97, 0)),
    )
    found = irb.recall_interval(*segments)
    assert (found.low, found.high) == pytest.approx((0.717352, 0.955189), abs=5e-7)
    right = irb.recall_interval((500, 50, 40), (2000, 100, 3))
    assert (right.low, right.high) == pytest.approx((0.719064, 0.957071), abs=5e-7)


@pytest.mark.parametrize(
    ("finds", "alarms", "recall"),
    [(0.9, 0.0, 0.75), (0.9, 0.001, 0.676176), (0.9, 0.01, 0.359788), (0.5, 0.05, 0.073394)],
)
def test_recall_that_uncorrected_coding_shows(finds, alarms, recall):
    # recall 0.75, precision 0.6, 1,000 of 100,000 relevant, in thousandths of a document
    called = 1000 * np.array([750 * finds + 500 * alarms, 250 * finds + 98_500 * alarms])
    sizes = 1_250_000, 98_750_000
    shown = irb.samples.recall_estimate(
        *((size, size, round(count)) for size, count in zip(sizes, called, strict=True))
    )
    assert shown == pytest.approx(recall, abs=5e-7)


def test_the_allocation_of_calibration_labels_by_lee_et_al():
    """Their example, with a pilot of 10 labels of each kind.  The split that makes the variance of
    Rogan and Gladen's estimate least is another one, and the interval is narrower with it."""
    assert lee_allocation(200, 0.4, 0.7, 0.9, 10) == (136, 64)
    share = (0.4 + 0.7 - 1) / (0.7 + 0.9 - 1)
    spread = np.sqrt([(1 - share) ** 2 * 0.7 * 0.3, share**2 * 0.9 * 0.1])
    best = np.rint(200 * spread / spread.sum())
    assert best.tolist() == [177, 23]
    widths = []
    for m0, m1 in ((136, 64), best):
        found = irb.samples.prevalence_interval(400, 1000, (0.9 * m1, m1), (0.7 * m0, m0))
        widths.append(found.high - found.low)
    assert widths[1] < widths[0]


@pytest.mark.parametrize("name", ["sensitivity", "specificity"])
def test_error_rates_are_no_correction_of_recall(name):
    with pytest.raises(irb.InputError, match="false alarms among unretrieved documents") as error:
        irb.recall_interval((500, 50, 40), (2000, 100, 3), **{name: (178, 179)})
    assert str(error.value).startswith(f"`{name}` must not be given: recall has no correction")
    assert "\n" not in str(error.value)
