"""One random sample of the whole collection: against enumeration, coverage, edges (issue 15, a
control set)."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from reference import control_sample as slow
from scipy.special import betaincinv
from scipy.stats import hypergeom
from sizes import long

import irbounds as irb
from irbounds.foundation.errors import InputError
from irbounds.samples import ControlSample
from irbounds.warnings import SampleWarning

SMALL = [
    (size1, size0, n, r1, r0)
    for size1, size0, n in [(5, 9, 6), (3, 3, 3), (20, 10, 4), (6, 40, 30)]
    for r1 in (0, 1, 3)
    for r0 in (0, 2)
    if r1 + r0 <= n and r1 <= size1 and r0 <= size0
]


@pytest.mark.parametrize("question", SMALL)
def test_posterior_ends_are_those_of_enumeration(question):
    r1, r0 = question[3:]
    got = irb.recall_interval_from_sample(*question, confidence_level=0.9)
    if r1 + r0 == 0:
        assert (got.low, got.high) == (0, 1)
        return
    law = slow.recall_law(*question)
    low = slow.quantile(law, Fraction(1, 20)) if r1 else 0
    high = slow.quantile(law, Fraction(19, 20)) if r0 else 1
    assert got.low == pytest.approx(float(low), abs=1e-12)
    assert got.high == pytest.approx(float(high), abs=1e-12)


@pytest.mark.parametrize("question", SMALL)
def test_guaranteed_bound_is_that_of_enumeration(question):
    for level in (0.5, 0.8, 0.95) if sum(question[3:]) else ():
        got = irb.recall_interval_from_sample(
            *question, confidence_level=level, side="lower", method="guaranteed"
        )
        expected = slow.guaranteed_low(*question, 1 - Fraction(level).limit_denominator(100))
        assert got.low == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(("size1", "size0", "n"), [(6, 10, 5), (4, 4, 4), (9, 7, 9), (3, 13, 8)])
@pytest.mark.parametrize("side", ["lower", "upper", "two-sided"])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_guaranteed_covers_every_collection(size1, size0, n, side, level):
    samples = [(r1, r0) for r1 in range(min(n, size1) + 1) for r0 in range(min(n - r1, size0) + 1)]
    first, second = np.array(samples).T
    ends = irb.recall_interval_from_sample(
        size1, size0, n, first, second, confidence_level=level, side=side, method="guaranteed"
    )
    size = size1 + size0
    for big1 in range(size1 + 1):
        for big0 in range(size0 + 1):
            if big1 + big0:
                ways = np.array(
                    [
                        comb(big1, a) * comb(big0, b) * comb(size - big1 - big0, n - a - b)
                        for a, b in samples
                    ]
                ) / comb(size, n)
                recall = big1 / (big1 + big0)
                held = (ends.low <= recall + 1e-12) & (ends.high >= recall - 1e-12)
                assert ways[held].sum() >= level - 1e-12


@pytest.mark.parametrize("level", [0.3, 0.8, 0.999])
@pytest.mark.parametrize(("r1", "r0"), [(1, 0), (1, 3), (2, 5), (30, 4)])
def test_guaranteed_bound_of_infinite_collections_holds_in_finite_ones(level, r1, r0):
    limit = irb.recall_interval_from_sample(
        None, None, 1000, r1, r0, confidence_level=level, side="lower"
    )
    for total in range(r1 + r0, 400):
        big1 = max(r1, int(np.ceil(limit.low * total)) - 1)  # below the bound
        if big1 / total < limit.low and big1 <= total - r0:
            assert slow.tail(r1, r1 + r0, total, big1) <= (1 - level) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("size1", "size0", "n", "big1", "big0"),
    [
        (12_000, 88_000, 1500, 8640, 1360),
        (2000, 98_000, 1000, 1500, 1500),
        (300, 1700, 400, 60, 20),
    ],
)
def test_posterior_covers_with_the_level(size1, size0, n, big1, big0):
    rng = np.random.default_rng(15)
    counts = np.unique(
        rng.multivariate_hypergeometric([big1, big0, size1 + size0 - big1 - big0], n, 600)[:, :2],
        axis=0,
        return_counts=True,
    )
    (first, second), times = counts[0].T, counts[1]
    ends = irb.recall_interval_from_sample(None, None, n, first, second)
    recall = big1 / (big1 + big0)
    covered = times[(ends.low <= recall) & (recall <= ends.high)].sum() / times.sum()
    assert 0.92 <= covered <= 0.98  # 600 draws: four standard errors are .036


def test_ends_of_a_large_collection():
    """The posterior of all numbers of relevant documents, by SciPy's beta-binomials, summed in
    full."""
    found = irb.recall_interval_from_sample(12_000, 88_000, 1500, 131, 20)
    assert (found.low, found.high) == pytest.approx((0.80715525076, 0.91416267006), abs=1e-10)


@pytest.mark.parametrize(
    ("question", "level", "low"),
    [
        ((1016, 7, 17, 16, 1), 1 - 0.9390460506305193, 0.9980353634577603),
        ((3500, 10, 30, 28, 0), 0.5, 0.999349593495935),
    ],
)
def test_lower_ends_near_1_are_those_of_enumeration(question, level, low):
    """All pairs of unseen relevant documents, in doubles; the ends were 4e-4 and 7e-5 away."""
    found = irb.recall_interval_from_sample(
        *question, confidence_level=level, side="lower", method="betabinom-half"
    )
    assert found.low == pytest.approx(low, abs=1e-12)


@pytest.mark.parametrize(
    ("question", "method"),
    [
        # of these and others the ends were up to 1.2e-5 away
        ((5292, 267, 81, 47, 11), "betabinom-half"),
        ((3438, 1565, 10, 8, 0), "betabinom-uniform"),
        long(((2385, 5544, 21, 15, 3), "betabinom-half")),
        ((1500, 1500, 1000, 2, 3), "betabinom-uniform"),
        long(((20, 3000, 300, 3, 290), "betabinom-half")),
    ],
)
def test_ends_count_every_number_of_relevant_documents(question, method):
    law = slow.RecallByPaths(*question, 0.5 if method == "betabinom-half" else 1.0)
    assert law.possible > 1e-6
    for level in (0.5, 0.999):
        got = irb.recall_interval_from_sample(*question, confidence_level=level, method=method)
        assert got.low == pytest.approx(law.quantile((1 - level) / 2), abs=1e-9)
        if question[4]:
            assert got.high == pytest.approx(law.quantile((1 + level) / 2), abs=1e-9)


def test_paths_are_enumeration():
    for question in SMALL[::5]:
        if question[3] and sum(question[:2]) > question[2]:
            law = slow.RecallByPaths(*question, 0.5)
            exact, reached = slow.recall_law(*question), 0
            for recall, mass in exact.items():
                reached += mass
                assert law.below(float(recall)) == pytest.approx(float(reached), abs=1e-12)


def test_a_known_split_is_two_samples():
    sample = ControlSample(12_000, 88_000, 1500, 131, 20, sampled_retrieved=180)
    assert tuple(sample.segments) == ((12_000, 180, 131), (88_000, 1320, 20))
    got = irb.recall_interval_from_sample(12_000, 88_000, 1500, 131, 20, sampled_retrieved=180)
    assert got.to_dict() == irb.recall_interval(*sample.segments).to_dict()


def test_edges():
    of = irb.recall_interval_from_sample
    # everything is read
    assert (of(12, 28, 40, 5, 2).low, of(12, 28, 40, 5, 2).high) == (5 / 7, 5 / 7)
    assert of(0, 100, 50, 0, 3).high == 0
    assert of(100, 0, 50, 3, 0).low == 1
    assert np.isnan(of(10, 10, 5, 0, 0).estimate)
    assert of(None, None, 100, 5, 0).high == 1
    assert of(None, None, 100, 0, 5).low == 0
    many = of(10**8, 10**9, 2000, [400, 100], 100)
    assert many.low.shape == (2,)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (
            (10, 10, 30, 1, 1),
            "`sampled` must be at most the documents of both segments, 20; found 30",
        ),
        (
            (10, 10, 5, 4, 3),
            "relevant documents of the sample must be at most `sampled`, 5; found 7",
        ),
        ((2, 10, 5, 3, 1), "`relevant_retrieved` must be at most `retrieved_size`, 2; found 3"),
        (
            (None, 10, 5, 3, 1),
            "give both `retrieved_size` and `unretrieved_size`, or None for both",
        ),
        ((10, 10, 5, 1.5, 1), "`relevant_retrieved` must be a whole number"),
    ],
)
def test_impossible_counts(question, message):
    with pytest.raises(InputError, match=r"must|give") as caught:
        irb.recall_interval_from_sample(*question)
    assert message in str(caught.value)


def test_an_impossible_split():
    with pytest.raises(
        InputError, match="`relevant_retrieved` must be at most `sampled_retrieved`, 3; found 4"
    ):
        irb.recall_interval_from_sample(10, 10, 8, 4, 1, sampled_retrieved=3)


def test_an_endless_collection_at_a_level_next_to_one():
    """The upper end was the quantile of 1 - alpha, which has lost the digits of alpha."""
    alpha = 1 - 0.9999999999997474
    found = irb.recall_interval_from_sample(
        None, None, 30, 0, 28, method="betabinom-half", confidence_level=1 - alpha, side="upper"
    )
    assert found.high == pytest.approx(1 - betaincinv(28.5, 0.5, alpha), abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(
    "question",
    [(360_453, 1_247_535, 23, 17, 2), (440, 1_299_750, 37, 1, 1), (566_153, 153_525, 25, 22, 1)],
)
def test_nodes_of_large_collections(question, monkeypatch):
    """Issue 15: nodes were counts that stood for cells of the posterior, and ends 1.6e-4 wrong."""
    every = irb.recall_interval_from_sample(*question, method="betabinom-half")
    monkeypatch.setattr("irbounds.samples.other_designs.control_posterior.EVERY_COUNT", 0)
    nodes = irb.recall_interval_from_sample(*question, method="betabinom-half")
    assert (nodes.low, nodes.high) == pytest.approx((every.low, every.high), abs=2e-6)


def test_ends_not_asked_for_are_not_searched():
    """Issue 15: a lower bound of 0 took 9.6 s, because the upper one was searched."""
    with pytest.warns(SampleWarning):
        found = irb.recall_interval_from_sample(
            700, 967_810, 2, 0, 1, method="betabinom-uniform", side="lower"
        )
    assert (found.low, found.high) == (0, 1)
    for side, end in (("lower", "low"), ("upper", "high")):
        for method in ("betabinom-half", "guaranteed"):
            both = irb.recall_interval_from_sample(
                90, 910, 40, 7, 2, method=method, confidence_level=0.9
            )
            one = irb.recall_interval_from_sample(90, 910, 40, 7, 2, method=method, side=side)
            assert getattr(one, end) == pytest.approx(getattr(both, end), abs=1e-9)


def test_a_sample_of_relevant_documents_alone_from_milliards():
    """The first tail had been summed over 9 x 10^8 documents: minutes."""
    counts = 999_999_652, 999_986_222, 228_471_446, 125_721_261, 102_749_696
    low = irb.recall_interval_from_sample(*counts, side="lower", method="betabinom-half").low
    found = counts[3] + counts[4]
    share = counts[3] / found
    assert share - 3.3e-5 * 1.8 < low < share


@pytest.mark.parametrize(
    ("question", "level"),
    [
        ((1, 299_630, 1, 1, 0), 0.0369050442),
        ((999_999_998, 999_981_061, 1_840_327, 1_840_327, 0), 0.0391882273),
        ((999_981_061, 999_999_998, 40_327, 40_327, 0), 0.9),
    ],
)
def test_ends_next_to_one(question, level):
    """Steps about a guess of 1 had the length 0 and never ended; probabilities that rise to the
    last count were all summed."""
    low = irb.recall_interval_from_sample(
        *question, confidence_level=level, side="lower", method="betabinom-half"
    ).low
    # of an infinite collection, whose law is less narrow
    assert betaincinv(question[3] + 0.5, 0.5, 1 - level) - 1e-12 <= low <= 1


def test_a_sample_that_contradicts_the_sizes():
    chance = hypergeom.sf(29, 102_000, 2_000, 500)
    said = f"30 or more of the 2000 retrieved ones with probability {chance:.1g}"
    with pytest.warns(SampleWarning, match=said):
        irb.recall_interval_from_sample(2_000, 100_000, 500, 30, 4)
    with pytest.warns(SampleWarning, match=r"in 1 of 2 questions: .* of the 99 unretrieved"):
        irb.recall_interval_from_sample(901, 99, 100, 12, [3, 40], method="guaranteed")
