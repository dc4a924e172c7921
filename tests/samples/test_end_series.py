"""Series of both ends of laws of audited segments, against the recurrence over all numbers of
calls."""

import numpy as np
import pytest

import irbounds as irb
from irbounds._core.distributions.end_series import end_waves
from irbounds._core.distributions.two_phase import transform
from irbounds._core.samples.yield_posterior import YieldLaw
from irbounds.samples.model.strata import check_segment
from irbounds.samples.posterior.coded import _Classes, audited_law
from tests.reference.audited import audited_masses

# 2,000 documents of which 1,000 were coded, with 5 audited of each class
RING, CALLED, OTHER = 4096, 495.0, 1495.0
PARAMETERS = (4.5, 1.5, 1.5, 4.5)
CALLS = YieldLaw.beta_binomial(0.0, 1000.0, 500.5, 500.5, True)
FROM, TO = 208, 2049


@pytest.fixture(scope="module")
def known():
    """The transform by the recurrence."""
    calls, no_points = (CALLS.ends[0], 1.0, CALLS.masses), (np.empty(0),) * 4
    return transform(
        CALLED, OTHER, PARAMETERS, calls, no_points, 2 * np.pi / RING, 0, TO, negligible=0.0
    )[0]


def series(begin, last, most_error=1e-13, **options):
    counts = CALLS.ends[0] + np.arange(CALLS.masses.size)
    called, other = CALLED + counts, OTHER - counts
    return end_waves(
        PARAMETERS, called, other, CALLS.masses, RING, begin, TO, last, most_error, 0.0, **options
    )


def test_the_series_equal_the_recurrence(known):
    found = series(FROM, known[FROM - 16 : FROM])
    assert found.size == TO - FROM
    assert found == pytest.approx(known[FROM:], abs=1e-14)


def test_all_instructions_give_the_same_bits(known):
    found = [series(FROM, known[FROM - 16 : FROM], most_instructions=i) for i in range(3)]
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()


def test_the_series_are_refused_where_they_differ(known):
    assert series(64, known[48:64]) is None  # waves that turn with the calls matter here
    assert series(32, known[16:32]) is None  # the series do not converge here
    assert series(FROM, known[FROM - 16 : FROM] + 1e-12) is None


def law_of(question, prior):
    size, judged, called, *audits = question
    segment = irb.Audited(size, judged, called, tuple(audits[:2]), tuple(audits[2:]))
    (counts,) = check_segment("retrieved", segment, True)
    return audited_law(type(counts)(*map(float, counts)), (prior, prior))


@pytest.mark.parametrize(
    ("question", "prior"),
    [
        ((460, 283, 85, 7, 7, 1, 0), 0.5),
        ((289, 41, 10, 1, 1, 31, 31), 0.01),
        ((346, 138, 59, 1, 1, 0, 0), 1.0),
        ((600, 14, 6, 2, 1, 2, 0), 0.5),  # calls whose tails are powers
    ],
)
def test_tails_by_series_equal_enumeration(question, prior, monkeypatch):
    found = []
    monkeypatch.setattr(
        "irbounds.samples.posterior.coded.end_waves",
        lambda *args: found.append(end_waves(*args)) or found[-1],
    )
    law = law_of(question, prior)
    assert found[-1] is not None
    tails = np.cumsum(audited_masses(*question, prior)[::-1])[::-1]
    above = [law.above_at(x) for x in range(question[0] + 1)]
    assert above == pytest.approx(tails, abs=1e-11)


@pytest.mark.parametrize(
    "question",
    [
        (20_000, 1000, 100, 5, 2, 5, 1),
        pytest.param((16_160, 220, 44, 8, 8, 6, 6), marks=pytest.mark.long),
        pytest.param((47_830, 169, 38, 0, 0, 3, 0), marks=pytest.mark.long),
        pytest.param((31_212, 7, 2, 1, 1, 5, 5), marks=pytest.mark.long),
    ],
)
def test_laws_by_series_equal_those_without(question, monkeypatch):
    quick = law_of(question, 0.5)
    monkeypatch.setattr(_Classes, "_end_waves", lambda *_: None)
    for name in ("MOST_STEPS", "MOST_LARGE_STEPS", "QUICK_STEPS", "FITTED"):
        monkeypatch.setattr(f"irbounds.samples.posterior.coded.{name}", np.inf)
    sure = law_of(question, 0.5)
    x = np.unique(np.concatenate([np.arange(400.0), np.linspace(0, question[0], 1500).round()]))
    error = 1e-11 if question[0] <= 20_000 else 1e-9
    assert quick.above_between(x) == pytest.approx(sure.above_between(x), abs=error)


def test_many_waves_take_no_memory():
    # an array of all 5e8 waves took 4 GB where 320 mattered
    law = law_of((999_999_998, 2094, 218, 208, 203, 23, 22), 0.5)
    # 100,000 draws have a mean of 9.4106e8, with a standard error of 1.4e5
    assert law.mean == pytest.approx(9.4106e8, abs=1.5e6)
