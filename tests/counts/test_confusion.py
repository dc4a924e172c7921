"""Several classes, one label for each object."""

import numpy as np
import pytest

import irbounds as irb
from irbounds.counts import ConfusionPosterior, PairedConfusion
from irbounds.counts.confusion import cell_prior
from irbounds.counts.confusion_pairs import _influence, observed

TABLE = np.array([[50, 3, 2], [4, 30, 1], [0, 2, 8]])


def test_micro_is_the_accuracy_exactly():
    post = ConfusionPosterior(TABLE)
    law = post.accuracy()
    assert (law.a, law.b) == (88.5, 12.5)
    for other in (post.f("micro"), post.precision("micro"), post.recall("micro")):
        assert (other.a, other.b) == (law.a, law.b)
    assert post.recall("weighted").a == law.a


def test_one_class_is_its_own_table():
    post = ConfusionPosterior(TABLE, ["a", "b", "c"])
    own = irb.CountsPosterior(tp=30, fp=5, fn=5, tn=60)
    assert post.f("b").interval(0.9) == own.f().interval(0.9)
    assert post.precision("b").mean == own.precision.mean
    assert post.recall("b").mean == own.recall.mean
    assert post.of_class("b").tn == 60


def test_labels_are_counted():
    truth, predicted = list("aabbcca"), list("abbbcac")
    post = ConfusionPosterior.from_labels(truth, predicted)
    assert post.labels == ("a", "b", "c")
    assert post.table.tolist() == [[1, 1, 1], [0, 2, 0], [1, 0, 1]]
    wide = ConfusionPosterior.from_labels(truth, predicted, labels=["c", "d", "a", "b"])
    assert wide.table[1].sum() == wide.table[:, 1].sum() == 0
    assert wide.table.sum() == 7
    assert wide.table[2].tolist() == [1, 0, 1, 1]


def gradient(full, i, square):
    """Derivatives of the F of one class by all cells."""
    tp, row, column = full[i, i], full[i].sum(), full[:, i].sum()
    whole = square * row + column
    found = np.zeros_like(full)
    found[i] -= (1 + square) * tp * square / whole**2
    found[:, i] -= (1 + square) * tp / whole**2
    found[i, i] += (1 + square) / whole
    return found


def slow_interval(table, level, beta=1.0):
    """MOVER for macro-averaged F, class by class."""
    k, square = len(table), beta**2
    prior = np.full((k, k), 0.5 / (k - 1))
    np.fill_diagonal(prior, 0.5)
    estimates, lows, highs, sizes = [], [], [], []
    for i in range(k):
        tp = table[i, i]
        fp, fn = table[:, i].sum() - tp, table[i].sum() - tp
        size, whole = tp + (fp + fn) / 2, (1 + square) * tp + square * fn + fp
        low, high = irb.CountsPosterior(tp, fp, fn).f(beta).interval(level)
        estimate = 0.5
        if whole:
            # the second-order bias of (1 + β²) tp/((1 + β²) tp + β² fn + fp), by differences
            def f(tp, fp, fn):
                return (1 + square) * tp / ((1 + square) * tp + square * fn + fp)

            step = 1e-3
            cells = np.array([tp, fp, fn], float)
            bias = sum(
                cells[j]
                * (f(*(cells + step * unit)) - 2 * f(*cells) + f(*(cells - step * unit)))
                / (2 * step**2)
                for j, unit in enumerate(np.eye(3))
            )
            estimate = min(f(*cells) - bias, 1.0)
        factor = np.sqrt(1 + 0.5 / max(size, 0.5))
        estimates.append(estimate)
        lows.append((estimate - min(low, estimate)) * factor)
        highs.append((max(high, estimate) - estimate) * factor)
        sizes.append(size)
    full = table + prior

    gradients = [gradient(full, i, square) for i in range(k)]

    def variance(arms):
        total = 0.0
        for i in range(k):
            for j in range(k):
                both = [
                    (full * gradients[a] * gradients[b]).sum() for a, b in ((i, j), (i, i), (j, j))
                ]
                rho = both[0] / np.sqrt(both[1] * both[2])
                rho = 1.0 if i == j else max(rho, 1 / (1 + sizes[i]) / (1 + sizes[j]))
                total += arms[i] * arms[j] * rho / k**2
        return total

    below, above = variance(lows), variance(highs)
    squares = (np.array(lows) + highs) ** 2
    share = np.sqrt((squares**2).sum()) / squares.sum()
    middle = (below + above) / 2
    mean = float(np.mean(estimates))
    low, high = (
        mean + s * np.sqrt(middle + (own - middle) * share) for s, own in ((-1, below), (1, above))
    )
    return max(low, 0.0), min(high, 1.0)


@pytest.mark.parametrize("beta", [1.0, 0.5, 2.0])
@pytest.mark.parametrize(
    "table",
    [
        TABLE,
        [[5, 1], [2, 9]],
        [[3, 0, 0, 1], [0, 2, 1, 0], [1, 0, 0, 0], [2, 1, 1, 7]],
        np.diag([3, 1, 4, 1, 5]),
    ],
)
def test_the_macro_average_equals_a_slow_twin(table, beta):
    table = np.array(table, float)
    for level in (0.5, 0.95):
        found = ConfusionPosterior(table).f("macro", beta).interval(level)
        assert list(found) == pytest.approx(slow_interval(table, level, beta), abs=1e-6)


def test_laws_of_averages_are_distributions():
    for average in ("macro", "weighted"):
        law = ConfusionPosterior(TABLE).f(average)
        p = np.array([0.001, 0.025, 0.2, 0.6, 0.975])
        assert law.cdf(law.ppf(p)) == pytest.approx(p, abs=1e-9)
        assert (np.diff(law.ppf(np.linspace(0.001, 0.999, 400))) >= 0).all()
        assert law.ppf(0.025) < law.mean < law.ppf(0.975)
        assert law.sf(0.8) == pytest.approx(1 - law.cdf(0.8))
        assert (law.cdf(1.0), law.cdf(-1.0)) == (1.0, 0.0)
        assert law.is_approximate
        with pytest.raises(irb.InputError, match="no `pdf`"):
            law.mode  # noqa: B018


def test_classes_without_objects_widen_the_average():
    narrow = ConfusionPosterior(TABLE).f("macro").interval()
    wide = np.zeros((4, 4))
    wide[:3, :3] = TABLE
    found = ConfusionPosterior(wide).f("macro").interval()
    assert found.high - found.low > 0.2 > narrow.high - narrow.low


def test_what_cannot_be_a_table_is_refused():
    for table, message in (
        ([[1, 2, 3]], "row and a column for each class"),
        ([[5]], "two classes or more"),
        ([[1, -1], [0, 2]], "table"),
    ):
        with pytest.raises(irb.InputError, match=message):
            ConfusionPosterior(table)
    with pytest.raises(irb.InputError, match="each of the 3 classes once"):
        ConfusionPosterior(TABLE, ["a", "a", "b"])
    with pytest.raises(irb.InputError, match="each label that occurs"):
        ConfusionPosterior.from_labels(list("abc"), list("abc"), labels=["a", "b"])
    with pytest.raises(irb.InputError, match="two classes or more"):
        ConfusionPosterior.from_labels(["a", "a"], ["a", "a"])
    with pytest.raises(irb.InputError, match="average"):
        ConfusionPosterior(TABLE).f("samples")


def test_averages_of_independent_tables_refuse_one_labelling():
    truth, predicted = [0, 1, 2, 0, 1, 2], [0, 1, 1, 0, 2, 2]
    post = irb.CountsPosterior.from_labels(truth, predicted, labels=[0, 1, 2])
    again = irb.CountsPosterior(post.tp, post.fp, post.fn, tn=post.tn)
    for found in (post, again, [again[0], again[1], again[2]]):
        for average in (irb.counts.micro_average, irb.counts.macro_average):
            with pytest.raises(irb.InputError, match="ConfusionPosterior"):
                average(found)
    marks = irb.CountsPosterior.from_labels(np.eye(3, dtype=int), np.eye(3, dtype=int)[::-1])
    assert irb.counts.micro_average(irb.CountsPosterior([3, 4], [1, 0], [2, 2])).tp == 7
    assert marks.shape == (3,)


def systems(seed=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, 200)
    a = np.where(rng.random(200) < 0.9, truth, rng.integers(0, 4, 200))
    b = np.where(rng.random(200) < 0.6, truth, rng.integers(0, 4, 200))
    return truth, a, b


def test_superiority_on_the_same_objects():
    truth, a, b = systems()
    pair = PairedConfusion.from_labels(truth, a, b)
    turned = PairedConfusion.from_labels(truth, b, a)
    assert pair.a.table.tolist() == ConfusionPosterior.from_labels(truth, a).table.tolist()
    for average in ("macro", "weighted", "micro", 2):
        found = pair.prob_superior("f", average)
        assert found.probability > 0.98
        assert turned.prob_superior("f", average).probability == pytest.approx(
            1 - found.probability, abs=1e-9
        )
    found, back = pair.difference_interval("recall"), turned.difference_interval("recall")
    assert list(found) == pytest.approx([-back.high, -back.low])
    assert found.low < found.estimate < found.high
    # the probability is the level of the one-sided interval that ends at the margin
    chance = pair.prob_superior("f", margin=0.1).probability
    level = 2 * chance - 1
    assert pair.difference_interval("f", confidence_level=level).low == pytest.approx(0.1)


def test_systems_that_agree_on_all_objects_may_differ_on_others():
    truth, _, b = systems()
    same = PairedConfusion.from_labels(truth, b, b.copy())
    found = same.difference_interval()
    assert found.estimate == 0
    # three in 200 objects are not seen with a chance of 0.05
    assert found.high == pytest.approx(-found.low)
    assert 0.01 < found.high < 0.08
    assert same.prob_superior().probability == pytest.approx(0.5)


def test_accuracy_counts_each_object_once():
    """The interval is that of right and wrong labels; added up tables count each error twice."""
    truth, a, b = systems()
    pair = PairedConfusion.from_labels(truth, a, b)
    found = pair.difference_interval("accuracy")
    right = irb.PairedCounts.from_labels(np.ones(200, int), *(1 * (x == truth) for x in (a, b)))
    assert found.estimate == pytest.approx(right.difference("accuracy"))
    assert list(found) == pytest.approx(list(right.difference_interval("accuracy")), abs=0.005)
    assert list(found) == list(pair.difference_interval("f", "micro"))
    assert repr(pair.prob_superior("accuracy")) == repr(pair.prob_superior("recall", "micro"))
    assert list(pair.difference_interval("f1")) == list(pair.difference_interval("f"))
    with pytest.raises(irb.InputError, match="accuracy, which has none"):
        pair.difference_interval("accuracy", 2)
    with pytest.raises(irb.InputError, match="did you mean 'f'"):
        pair.difference_interval("f1", beta=2)
    other = PairedConfusion.from_labels(["micro", "b"], ["micro", "b"], ["b", "b"])
    with pytest.raises(irb.InputError, match="rename this class"):
        other.difference_interval("accuracy")


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", 1])
@pytest.mark.parametrize("measure", ["f", "recall", "precision"])
def test_linear_terms_are_derivatives(measure, average):
    labels, step, beta = (0, 1, 2), 1e-4, 2.0 if measure == "f" else 1.0
    full, expected = TABLE + cell_prior(3), np.zeros((3, 3))
    for cell in np.ndindex(3, 3):
        ends = []
        for sign in (-1, 1):
            moved = full.copy()
            moved[cell] += sign * step
            ends.append(observed(ConfusionPosterior(moved), measure, average, beta))
        expected[cell] = (ends[1] - ends[0]) / (2 * step)
    found = _influence(TABLE, measure, average, beta**2, labels)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.nightly
@pytest.mark.long
def test_differences_cover_what_they_claim():
    rng, found = np.random.default_rng(4), []
    for k, n, alike in [(2, 60, 0.9), (3, 200, 0), (6, 60, 0.5), (10, 200, 0.9), (20, 100, 0.5)]:
        shares = np.maximum(rng.dirichlet(np.full(k, 1.0)), 0.3 / n)
        shares /= shares.sum()
        rows = []
        for right in ((0.6, 0.95), (0.3, 0.9)):
            wrong = rng.dirichlet(np.full(k, 0.5), k) + 1e-3
            np.fill_diagonal(wrong, 0.0)
            own = rng.uniform(*right, k)
            rows.append(wrong * ((1 - own) / wrong.sum(axis=1))[:, None] + np.diag(own))
        f = []
        for each in rows:
            cells = shares[:, None] * each
            sums = cells.sum(axis=0) + cells.sum(axis=1)
            f.append((2 * np.diag(cells) / sums).mean())
        held = 0
        for _ in range(200):
            truth, first = rng.choice(k, n, p=shares), rng.random(n)
            second = np.where(rng.random(n) < alike, first, rng.random(n))
            a, b = (
                np.minimum((u[:, None] > each.cumsum(axis=1)[truth]).sum(axis=1), k - 1)
                for u, each in zip((first, second), rows, strict=True)
            )
            pair = PairedConfusion.from_labels(truth, a, b, labels=range(k))
            low, high = pair.difference_interval("f", "macro")
            held += low <= f[0] - f[1] <= high
        found.append(held / 200)
    # the standard error of each is 0.016; posteriors of the cells covered 0.3 of such designs
    assert min(found) > 0.89
    assert np.mean(found) > 0.93


@pytest.mark.long
def test_averages_cover_what_they_claim():
    """Mean coverage over designs of 2 to 20 classes, rare and confused ones among them."""
    rng, found = np.random.default_rng(8), []
    for k, n in [(2, 60), (3, 60), (3, 500), (6, 100), (10, 200), (20, 60), (20, 400), (20, 2000)]:
        shares = np.maximum(rng.dirichlet(np.full(k, 3.0)), 0.5 / n)
        shares /= shares.sum()
        right = rng.uniform(0.5, 0.97, k)
        wrong = rng.dirichlet(np.full(k, 0.5), k) + 1e-3
        np.fill_diagonal(wrong, 0.0)
        wrong *= ((1 - right) / wrong.sum(axis=1))[:, None]
        cells = shares[:, None] * (wrong + np.diag(right))
        f = 2 * np.diag(cells) / (cells.sum(axis=0) + cells.sum(axis=1))
        tables = rng.multinomial(n, cells.ravel(), 300).reshape(-1, k, k)
        ends = [ConfusionPosterior(table).f("macro").interval() for table in tables]
        found.append(np.mean([low <= f.mean() <= high for low, high in ends]))
    # the standard error of each is 0.013
    assert min(found) > 0.89
    assert np.mean(found) > 0.94


def test_draws_have_the_law():
    law = ConfusionPosterior(TABLE).f("macro")
    draws = law.rvs(4000, rng=1)
    # three standard errors of a share of 1/2 are 0.024
    assert (draws < law.ppf(0.5)).mean() == pytest.approx(0.5, abs=0.03)


def test_a_law_of_ends_has_no_density():
    law = ConfusionPosterior(TABLE).f("macro")
    for ask in (lambda: law.pdf(0.5), lambda: law.interval(0.9, "hpd")):
        with pytest.raises(irb.InputError, match="no `pdf`"):
            ask()
