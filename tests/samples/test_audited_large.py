"""Audited segments beyond 20,000 documents: what is left out for speed changes little."""

import numpy as np
import pytest

import irbounds as irb
from irbounds.samples.model.strata import check_segment
from irbounds.samples.posterior.coded import EXACT, audited_law
from irbounds.samples.posterior.recall_posterior import YieldPair
from tests.reference.audited import audited_masses


def law_of(question, prior=0.5):
    size, judged, called, m1, x1, m0, x0 = question
    segment = irb.Audited(size, judged, called, (m1, x1), (m0, x0))
    (counts,) = check_segment("retrieved", segment, True)
    return audited_law(type(counts)(*map(float, counts)), (prior, prior))


@pytest.mark.parametrize(
    ("question", "error"),
    [
        # waves fall like a power of the frequency: below 1e-8 after 3 s, below 1e-6 after 8 ms
        ((1_000_000, 63, 14, 7, 3, 3, 0), 1e-7),
        ((1_000_000_000, 507, 18, 18, 5, 279, 2), 1e-8),
        ((100_000, 100_000, 7224, 133, 43, 446, 14), 1e-9),  # two strata
    ],
)
def test_waves_that_are_left_out_change_little(question, error, monkeypatch):
    quick = law_of(question)
    monkeypatch.setattr("irbounds.samples.posterior.coded.LARGE", EXACT._replace(negligible=1e-9))
    monkeypatch.setattr("irbounds.samples.posterior.coded.QUICK_STEPS", np.inf)
    if question[0] == question[1]:
        monkeypatch.setattr("irbounds.samples.posterior.coded.FEW_STEPS", 0.0)
    sure = law_of(question)
    x = np.round([sure.quantile(p) for p in np.linspace(0.0005, 0.9995, 200)])
    assert quick.above_between(x) == pytest.approx(sure.above_between(x), abs=error)


def test_ends_are_those_of_sums_over_single_documents(monkeypatch):
    """The rounding to whole documents as a change of the probability."""
    for segments in (
        (irb.Audited(100_000, 3255, 323, (135, 70), (254, 1)), (600_000, 1000, 4)),
        (irb.Audited(31_298, 5588, 547, (106, 77), (13, 0)), (292_822, 2118, 11)),
    ):
        found = irb.recall_interval(*segments)
        with monkeypatch.context() as patch:
            patch.setattr(
                YieldPair, "_is_audited", property(lambda _: False, lambda *_: None), raising=False
            )
            sure = irb.recall_interval(*segments)
        assert (found.low, found.high) == pytest.approx((sure.low, sure.high), abs=1e-6)


@pytest.mark.parametrize(
    ("question", "prior"),
    [
        ((460, 283, 85, 7, 7, 1, 0), 0.5),
        ((289, 41, 10, 1, 1, 31, 31), 0.01),
        ((346, 138, 59, 1, 1, 0, 0), 1.0),
        ((600, 14, 6, 2, 1, 2, 0), 0.5),  # calls whose tails are powers
    ],
)
def test_tails_of_tiny_audits_equal_enumeration(question, prior):
    law = law_of(question, prior)
    tails = np.cumsum(audited_masses(*question, prior)[::-1])[::-1]
    above = [law.above_at(x) for x in range(question[0] + 1)]
    assert above == pytest.approx(tails, abs=1e-11)


def test_many_waves_take_no_memory():
    # an array of all 5e8 waves took 4 GB where 320 mattered
    law = law_of((999_999_998, 2094, 218, 208, 203, 23, 22))
    # 100,000 draws have a mean of 9.4106e8, with a standard error of 1.4e5
    assert law.mean == pytest.approx(9.4106e8, abs=1.5e6)
