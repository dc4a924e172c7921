"""Bounds over labels of long rankings: one number of relevant open documents after the other, in
long doubles."""

import numpy as np
import pytest

import irbounds as irb

Long = np.longdouble


def mean_discounts(sizes, limit):
    """The discount of each document, the mean over its rank."""
    ends = np.cumsum(sizes)
    places = np.arange(1, ends[-1] + 1).astype(Long)
    discount = np.where(places <= limit, 1 / np.log2(places + 1), 0)
    through = np.concatenate([[0], np.cumsum(discount)])
    return np.repeat((through[ends] - through[ends - sizes]) / sizes, sizes)


def ends_of_gain(grades, weight, judged, hidden, highest, gain, limit):
    """Least and greatest nDCG of documents of these weights: every number of open documents, at all
    levels the same one (least), or by Dinkelbach's iteration the best one of each (greatest)."""
    most = len(grades) + len(judged) + hidden + 1
    ideal = 1 / np.log2(np.arange(2, most + 2).astype(Long))
    if limit:
        ideal[limit:] = 0
    ideal = np.concatenate([[0], np.cumsum(ideal)])
    levels = sorted({highest, *(grade for grade in judged if grade > 0)}, reverse=True)
    steps = [gain(a) - gain(b) for a, b in zip(levels, [*levels[1:], 0], strict=True)]
    n_judged = [sum(grade >= level for grade in judged) for level in levels]
    known = (gain(np.maximum(grades, 0)) * weight).sum()
    free = weight[grades < 0]
    filled = np.concatenate([np.zeros(hidden + 1), np.cumsum(free[::-1])])
    m = np.arange(len(filled))
    whole = sum(step * ideal[n + m] for step, n in zip(steps, n_judged, strict=True))
    least = ((known + sum(steps) * filled)[whole > 0] / whole[whole > 0]).min()
    filled = np.concatenate([[0], np.cumsum(free)])
    m = np.arange(len(filled))
    greatest, last = Long(0), Long(-1)
    while greatest > last:
        last, top, whole = greatest, known, Long(0)
        for step, n in zip(steps, n_judged, strict=True):
            best = np.argmax(filled - last * ideal[n + m])
            top, whole = top + step * filled[best], whole + step * ideal[n + best]
        greatest = top / whole
    return least, greatest


def draw(rng, most):
    """Grades of a ranking, sizes of its ranks, and the grades of what it lacks."""
    n, highest = int(10 ** rng.uniform(0.3, most)), int(rng.integers(1, 5))
    judged = rng.random(n) < 10 ** rng.uniform(-3.5, 0)
    grades = np.where(judged, rng.integers(0, highest + 1, n) * (rng.random(n) < rng.random()), -1)
    for part in (slice(rng.integers(0, n)), slice(n - rng.integers(0, n), n)):
        if rng.random() < 0.3:
            grades[part] = rng.choice([0, highest])
    sizes = np.ones(n, int)
    if rng.random() < 0.4:
        ends = np.unique(rng.integers(1, n + 1, int(rng.integers(1, n + 1))))
        sizes = np.diff(np.concatenate([[0], ends, [n] if ends[-1] < n else []]).astype(int))
    lacking = rng.integers(0, highest + 1, int(10 ** rng.uniform(0, 3.3))).tolist()
    return grades, sizes, [*lacking, 1], highest


def check_gain(rng, most):
    grades, sizes, lacking, highest = draw(rng, most)
    n, hidden = len(grades), int(rng.choice([0, 0, 1, 7, 300]))
    limit, kind = int(rng.choice([0, 0, 5, 100, n, n + 50])), rng.choice(["log2", "exp-log2"])
    rank = np.repeat(np.arange(len(sizes)), sizes)
    documents = {f"d{i}": int(grade) for i, grade in enumerate(grades) if grade >= 0}
    found = irb.evaluate(
        {"q": documents | {f"u{i}": grade for i, grade in enumerate(lacking)}},
        {"q": {f"d{i}": -float(place) for i, place in enumerate(rank)}},
        f"nDCG(dcg={kind})" + (f"@{limit}" if limit else ""),
        unjudged="bounds",
        unjudged_hidden=hidden,
        max_grade=highest,
    )
    expected = ends_of_gain(
        grades,
        mean_discounts(sizes, limit or n),
        [*documents.values(), *lacking],
        hidden,
        highest,
        (lambda grade: np.asarray(grade, Long))
        if kind == "log2"
        else lambda g: np.exp2(Long(1) * g) - 1,
        limit or None,
    )
    ends = found.unjudged_low[0, 0], found.unjudged_high[0, 0]
    where = n, len(sizes), len(lacking), hidden, limit, kind
    assert ends == pytest.approx(tuple(map(float, expected)), rel=2e-15), where


@pytest.mark.filterwarnings("ignore::irbounds.warnings.RunWarning")
def test_normalised_gain_of_long_rankings():
    rng = np.random.default_rng(4)
    for _ in range(30):
        check_gain(rng, 3)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.filterwarnings("ignore::irbounds.warnings.RunWarning")
def test_bounds_of_bpref_are_the_same_by_either_scan(seed):
    """Two relevant documents next to each other may be tied: no order of theirs changes a number.
    With ties the kernel goes through events, without them through all numbers of relevant ones."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 400))
    grades = rng.choice([-1, -1, 0, 1], n)
    first = int(rng.integers(0, n - 1))
    grades[first : first + 2] = 1
    qrels = {"q": {f"d{i}": int(grade) for i, grade in enumerate(grades) if grade >= 0}}
    qrels["q"] |= {f"missing{i}": i % 2 for i in range(int(rng.integers(1, 6)))}
    scores = np.arange(n, 0, -1.0)
    tied = scores.copy()
    tied[first + 1] = tied[first]
    bounds = [
        irb.evaluate(
            qrels,
            {"q": {f"d{i}": score for i, score in enumerate(ranked.tolist())}},
            "Bpref",
            unjudged="bounds",
            collection_size=n + 40,
        )
        for ranked in (scores, tied)
    ]
    ends = [(one.unjudged_low[0, 0], one.unjudged_high[0, 0]) for one in bounds]
    assert ends[0] == pytest.approx(ends[1], rel=2e-15)
    assert ends[0][0] < ends[0][1]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::irbounds.warnings.RunWarning")
def test_normalised_gain_of_many_long_rankings(seed):
    rng = np.random.default_rng(seed)
    for _ in range(300):
        check_gain(rng, 4.3)
