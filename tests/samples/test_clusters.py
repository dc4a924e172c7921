"""Samples of clusters: the formulas by hand, exact enumeration of guaranteed bounds, and edges."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import t as student

import irbounds as irb

proportion = irb.samples.cluster_proportion_interval
recall = irb.samples.cluster_recall_interval
SIZES = [1, 2, 3, 5, 8] * 8
FOUND = [0, 2, 0, 5, 4] + [0] * 35
pytestmark = pytest.mark.filterwarnings("ignore::irbounds.warnings.SampleWarning")


def effect_by_hand(x, m):
    """CR2 of a ratio over p(1 - p)/(n - 1), one cluster after the other."""
    n, p = sum(m), sum(x) / sum(m)
    variance = sum((y - p * k) ** 2 / (1 - k / n) for y, k in zip(x, m, strict=True)) / n**2
    return variance / (p * (1 - p) / (n - 1))


def freedom_by_hand(m):
    """The geometric mean of those of independent documents and of copies."""
    return math.sqrt(satterthwaite(m, m) * satterthwaite(m, np.square(m)))


def satterthwaite(m, variances):
    """(tr Ω)²/tr Ω² with matrices: residuals of cluster sums with these variances."""
    m = np.array(m, float)
    h = m / m.sum()
    away = np.eye(len(m)) - np.outer(h, np.ones(len(m)))  # a cluster's sum less its share
    omega = away @ np.diag(variances) @ away.T
    scaled = omega / np.sqrt(np.outer(1 - h, 1 - h))
    return np.trace(scaled) ** 2 / np.trace(scaled @ scaled)


def one_more_by_hand(found, m):
    """The share in one more cluster with such documents."""
    drawn = [(y, k) for y, k in zip(found, m, strict=True) if y]
    mean = sum(y * y / k for y, k in drawn) / sum(y for y, _ in drawn)
    return (len(drawn) * mean + 3) / (len(drawn) + 3)


def ends_by_hand(x, m, level=0.95, size=math.inf, is_whole=False):
    """With one more cluster that is as those seen, or that is wholly of the rarer class and for a
    one-sided bound."""
    tail = (1 - level) / (1 if is_whole else 2)
    n, p, typical = sum(m), sum(x) / sum(m), sum(k * k for k in m) / sum(m)
    ratio = student.ppf(1 - tail, n - 1) / student.ppf(1 - tail, freedom_by_hand(m))
    found = []
    for is_upper in (False, True):
        rare = x if is_upper else [k - y for y, k in zip(x, m, strict=True)]
        share = 1 if is_whole else one_more_by_hand(rare, m)
        more = effect_by_hand([*rare, typical * share], [*m, typical])
        effect = max(1, more, effect_by_hand(x, m))
        count = n / effect * ratio**2 * (1 - n / size)
        end = (
            betaincinv(p * count + 1, count - p * count, 1 - tail)
            if is_upper
            else betaincinv(p * count, count - p * count + 1, tail)
        )
        if size < math.inf:
            step = effect / (size - n) / 2 * (1 if is_upper else -1)
            end = n / size * p + (1 - n / size) * min(max(end + step, 0), 1)
        found.append(end)
    return found


@pytest.mark.parametrize("size", [math.inf, 1000, 200])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_formula(level, size):
    found = proportion(
        FOUND, SIZES, size=None if math.isinf(size) else size, confidence_level=level
    )
    assert [*found] == pytest.approx(ends_by_hand(FOUND, SIZES, level, size), rel=1e-9)
    assert found.design_effect == pytest.approx(effect_by_hand(FOUND, SIZES), rel=1e-12)
    assert (found.n_groups, found.estimate) == (40, 11 / 152)
    bounds = [
        proportion(FOUND, SIZES, confidence_level=level, side=side) for side in ("lower", "upper")
    ]
    assert (bounds[0].high, bounds[1].low) == (1, 0)
    lows, highs = zip(*(ends_by_hand(FOUND, SIZES, level, is_whole=x) for x in (0, 1)), strict=True)
    assert [bounds[0].low, bounds[1].high] == pytest.approx([max(lows), min(highs)], rel=1e-9)


def test_relevant_and_other_documents_are_alike():
    one, other = proportion(FOUND, SIZES), proportion(np.subtract(SIZES, FOUND), SIZES)
    assert [*one] == pytest.approx([1 - other.high, 1 - other.low], rel=1e-9)


def test_copies_count_once():
    """Clusters of copies of one document, all of one size, are as many documents."""
    x = [3] * 6 + [0] * 24
    found = proportion(x, [3] * 30)
    assert found.design_effect == pytest.approx(3 * (90 - 1) / 3 / 29, rel=1e-12)
    exact = irb.binomial_interval(6, 30, method="clopper-pearson")
    assert found.low <= exact.low < exact.high <= found.high
    assert found.high - found.low < 1.15 * (exact.high - exact.low)


def test_clusters_of_one_document_are_documents():
    x = [1, 0, 1] + [0] * 47
    exact = irb.binomial_interval(2, 50, method="clopper-pearson")
    assert [*proportion(x, [1] * 50)] == [*exact]
    assert proportion(x, [1] * 50).design_effect == 1
    known = irb.binomial_interval(2, 50, size=300)
    assert [*proportion(x, [1] * 50, size=300)] == pytest.approx([*known], rel=1e-15)


def test_none_all_and_everything():
    none = proportion([0] * 40, SIZES)
    assert none.low == none.estimate == 0
    worth = sum(SIZES) ** 2 / sum(k * k for k in SIZES)  # Kish's number, if clusters are copies
    assert none.high >= irb.binomial_interval(0, int(worth), method="clopper-pearson").high
    assert math.isnan(none.design_effect)
    every = proportion(SIZES, SIZES)
    assert [*every] == pytest.approx([1 - none.high, 1], rel=1e-9)
    census = proportion(FOUND, SIZES, size=sum(SIZES))
    assert [*census] == [census.estimate] * 2
    huge = proportion(FOUND, SIZES, size=10**9)
    assert [*huge] == pytest.approx([*proportion(FOUND, SIZES)], rel=1e-5)


def test_one_cluster_says_nothing_of_others():
    with pytest.warns(
        irb.warnings.SampleWarning, match="1 cluster of these sizes: an effective number of 1"
    ):
        found = proportion([3], [5])
    assert [*found] == [0, 1]
    assert [*proportion([3], [5], size=20)] == [3 / 20, 18 / 20]
    few = proportion([0, 1], [100, 1])
    assert 0 <= few.low <= few.estimate <= few.high <= 1


@pytest.mark.parametrize("sizes", [(1, 1, 2, 3), (2, 2, 2), (1, 3, 3, 1, 2)])
def test_guaranteed_bounds_hold_in_every_population(sizes):
    """All numbers of relevant documents of each cluster, and all samples of so many clusters."""
    clusters, size, largest = len(sizes), sum(sizes), max(sizes)
    known, least = {}, {}
    for drawn, level in itertools.product(range(1, clusters), (0.6, 0.8, 0.95)):
        samples = [[*each] for each in itertools.combinations(range(clusters), drawn)]
        for relevant in itertools.product(*(range(k + 1) for k in sizes)):
            inside = 0
            for some in samples:
                asked = tuple(relevant[i] for i in some), tuple(sizes[i] for i in some), level
                if asked not in known:
                    known[asked] = proportion(
                        *map(list, asked[:2]),
                        size=size,
                        method="guaranteed",
                        clusters=clusters,
                        largest=largest,
                        confidence_level=level,
                    )
                found, truth = known[asked], sum(relevant) / size
                inside += found.low - 1e-12 <= truth <= found.high + 1e-12
            least[level] = min(least.get(level, 1), inside / len(samples))
    assert all(share >= level - 1e-12 for level, share in least.items())


def test_guaranteed_bounds_need_the_population():
    options = {"size": 9000, "method": "guaranteed", "clusters": 4000, "largest": 8}
    upper = proportion([0] * 40, SIZES, **options, side="upper")
    clusters = irb.binomial_interval(0, 40, size=4000, side="upper").high * 4000
    assert upper.high == pytest.approx(8 * clusters / 9000, rel=1e-12)
    for name in ("size", "clusters", "largest"):
        with pytest.raises(irb.InputError, match="needs `size`, `clusters` and `largest`"):
            proportion([0] * 40, SIZES, **options | {name: None})
    with pytest.raises(irb.InputError, match="`size` must leave from 1 to 8 documents"):
        proportion([0] * 40, SIZES, **options | {"size": 90_000})
    with pytest.raises(irb.InputError, match="are for method 'guaranteed'"):
        proportion([0] * 40, SIZES, clusters=50)


def test_recall_by_hand():
    """Recall r is an end where (1 - r) R - r M is as far above 0 as both ends say."""
    missed = [0, 0, 3] + [0] * 37
    found = recall((2000, SIZES, FOUND), (9000, SIZES, missed))
    one, other = proportion(FOUND, SIZES, size=2000), proportion(missed, SIZES, size=9000)
    (r, l1, u1), (m, l2, u2) = (
        [size * value for value in (each.estimate, each.low, each.high)]
        for each, size in ((one, 2000), (other, 9000))
    )
    assert found.estimate == pytest.approx(r / (r + m), rel=1e-12)
    for end, near, far in ((found.low, l1, u2), (found.high, u1, l2)):
        odds = end / (1 - end)
        square = (r - near) ** 2 + odds**2 * (far - m) ** 2
        assert (r - odds * m) ** 2 == pytest.approx(square, rel=1e-6)
    assert found.design_effect == (one.design_effect, other.design_effect)
    assert found.n_groups == 80
    assert found.low < found.estimate < found.high
    lower = recall((2000, SIZES, FOUND), (9000, SIZES, missed), side="lower")
    assert (lower.low > found.low, lower.high) == (True, 1)


def test_edges_of_recall():
    ends = [5, 5], [5, 4]
    assert [*recall((10, *ends), (100, [50, 50], [1, 0]))] == [0.9, 0.9]  # everything was read
    assert [*recall((0, [], []), (100, [50, 4], [1, 0]))] == [0, 0]
    assert [*recall((100, [50, 4], [1, 0]), (0, [], []))] == [1, 1]
    nothing = recall((100, [50, 4], [0, 0]), (100, [50, 4], [0, 0]))
    assert math.isnan(nothing.estimate)
    assert [*nothing] == [0, 1]
    lower = recall((10, [1] * 10, [1] * 5 + [0] * 5), (100, [1] * 20, [0] * 20), side="lower")
    assert 0 < lower.low < 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([2], [1]), "`relevant` must be at most sampled"),
        (([0, 0], [1, 0]), "1 or more for each cluster; found 0 at index 1"),
        (([], []), "at least one"),
        ((1, 3), "a number for each cluster"),
        (([0.5], [1]), "whole number"),
    ],
)
def test_what_is_no_sample(arguments, message):
    with pytest.raises(irb.InputError, match=message):
        proportion(*arguments)


def test_other_mistakes():
    with pytest.raises(irb.InputError, match="`size` must be a whole number, 152 or more"):
        proportion(FOUND, SIZES, size=100)
    with pytest.raises(irb.InputError, match=r"must be 0.5 or more for a bound"):
        proportion(FOUND, SIZES, confidence_level=0.3, side="lower")
    with pytest.raises(irb.InputError, match=r"`retrieved` must be \(size, sampled, relevant\)"):
        recall(5, (100, [50, 4], [1, 0]))
    with pytest.raises(irb.InputError, match="`unretrieved: sampled` must have a number"):
        recall((100, [50, 4], [1, 0]), (100, [], []))
    assert "design_effect" not in irb.binomial_interval(1, 9).to_dict()
    assert proportion(FOUND, SIZES).to_dict()["n_groups"] == 40
