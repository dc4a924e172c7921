"""Screening stops against fractions, 40 digits and the published peer's numbers."""

import math
import time
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import irbounds as irb
from irbounds._core.samples import stopping as kernel
from irbounds.stopping import ReviewMonitor
from irbounds.stopping.urns import biased_tails, missing_totals
from irbounds.warnings import OptionalStoppingWarning, SampleWarning
from tests.reference import stopping as slow

TARGETS = [Fraction(x) for x in ("0.95", "0.8", "0.5", "1", "0.55", "0.02", "0.999")]
# irb.stopping_curve warns for BUSCAR with several looks: what that is about is tested once
pytestmark = pytest.mark.filterwarnings("ignore::irbounds.warnings.OptionalStoppingWarning")


def simulated(population, prevalence, odds, seed):
    """buscarpy's generate_dataset: the reading order where relevant documents have such odds."""
    labels = np.zeros(population, np.int8)
    relevant = round(population * prevalence)
    labels[:relevant] = 1
    weights = np.ones(population)
    weights[:relevant] = odds
    rng = np.random.default_rng(seed=seed)
    return rng.choice(labels, population, replace=False, p=weights / weights.sum())


def random_review(rng, most=70):
    """Labels with constant or falling prevalence, and the collection's size."""
    population = int(rng.integers(1, most))
    read = int(rng.integers(1, population + 1))
    rates = rng.random() * (1 if rng.random() < 0.4 else np.linspace(1, 0, read))
    return (rng.random(read) < rates).astype(int).tolist(), population


def buscar(labels, population, target=0.95, **options):
    return irb.stopping_curve(labels, population, target, "buscar", **options)


@pytest.mark.parametrize("reviews", [14, pytest.param(60, marks=pytest.mark.long)])
def test_buscar_is_the_least_of_all_urns_in_fractions(reviews):
    rng = np.random.default_rng(7)
    for trial in range(reviews):
        labels, population = random_review(rng)
        target = TARGETS[trial % len(TARGETS)]
        curve = buscar(labels, population, target)
        for read in range(1, len(labels) + 1):
            exact, _ = slow.buscar(labels[:read], population, target)
            assert curve.values[read - 1] == pytest.approx(float(exact), rel=1e-13, abs=0)
            if exact and read % 7 == 0:
                begin = int(curve.urn_start[read - 1])
                before = sum(labels[:begin])
                missed = slow.least_missing_total(curve.found[read - 1], target) - before
                urn = (int(curve.found[read - 1]) - before, population - begin, missed)
                assert slow.hypergeometric_below(*urn, read - begin) == exact


@pytest.mark.long
def test_buscar_is_the_least_of_all_urns_in_a_thousand_reviews(seed):
    rng = np.random.default_rng(seed)
    for _ in range(1000):
        labels, population = random_review(rng)
        target = TARGETS[int(rng.integers(len(TARGETS)))]
        exact, _ = slow.buscar(labels, population, target)
        for looks in (None, [len(labels)]):
            value = buscar(labels, population, target, looks=looks).values[-1]
            assert value == pytest.approx(float(exact), rel=1e-12, abs=0)


def test_numbers_of_buscarpy():
    curve = buscar([1] * 95 + [0] * 905, 2000)
    assert curve.values[-1] == pytest.approx(0.02077431268984131, rel=1e-13)
    assert curve.urn_start[-1] == 95
    one = kernel.urns_at(2000, 1000, 95, 101, np.array([900.0]), np.array([95.0]))
    assert one[0] == pytest.approx(0.5637020164985524, rel=1e-14)
    curve = buscar(simulated(20_000, 0.01, 10, 7), 20_000)
    # buscarpy's values, which agree with its own to 2e-15, printed to six digits
    known = [0.994491, 0.980006, 0.956095, 0.98389, 0.927675, 0.890001, 0.760181, 0.482339]
    known += [0.185139, 0.0648575, 0.0203405]
    np.testing.assert_allclose(curve.values[999:11_000:1000], known, rtol=5e-6)
    assert curve.first_stop == 10_234


def test_where_buscarpy_is_nan_the_probability_is_zero():
    labels = [1, 0] * 10 + [0] * 60
    curve = buscar(labels, 80, 0.8)
    assert curve.values[69] == pytest.approx(0.0033342595165323703, rel=1e-14)
    assert curve.values[75] == pytest.approx(0.00011114198388441234, rel=1e-14)
    assert curve.values[77:].tolist() == [0, 0, 0]
    assert buscar([0] * 50, 80).values[-1] == pytest.approx(0.375, rel=1e-15)


def test_a_target_is_the_decimal_that_is_written():
    """0.55 of 11 found are 20 exactly, which floor(11/0.55) in doubles is not."""
    assert missing_totals(Fraction("0.55"), 11, 100)[11] == 21
    labels = [1] * 11 + [0] * 60
    values = buscar(labels, 100, 0.55).values
    assert values[-1] == pytest.approx(float(slow.buscar(labels, 100, Fraction(11, 20))[0]))
    for same in (Fraction(11, 20), Decimal("0.55"), np.float64(0.55)):
        assert buscar(labels, 100, same).values.tolist() == values.tolist()


def test_long_curves_keep_their_digits():
    """Every value of the curve against the sums of all urns, down to 1e-250."""
    rng = np.random.default_rng(3)
    for population, relevant, depth in ((30_000, 300, 3), (5_000, 60, 40), (10**9, 40, 1)):
        labels = np.zeros(4000, int)
        labels[np.unique((4000 * rng.random(relevant) ** depth).astype(int))] = 1
        curve = buscar(labels, population, 0.9)
        looks = np.unique(rng.integers(1, 4001, 60))
        direct = buscar(labels, population, 0.9, looks=looks)
        assert len(direct.looks) <= 64  # by sums
        np.testing.assert_allclose(curve.values[looks - 1], direct.values, rtol=1e-11, atol=1e-290)


def test_odds_of_a_biased_urn():
    known = {1: 0.5637020165, 2: 0.318800630328, 5: 0.0587879146849, 10: 0.00373694905573}
    urn = [np.array([float(x)]) for x in (1000, 6, 100, 0)]
    for odds, value in known.items():
        assert biased_tails(*urn, float(odds))[0] == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize("reviews", [7, pytest.param(25, marks=pytest.mark.long)])
def test_odds_against_document_by_document(reviews):
    rng = np.random.default_rng(11)
    for trial in range(reviews):
        labels, population = random_review(rng, most=25)
        odds = float(np.exp(1.5 * rng.normal()))
        target = TARGETS[trial % len(TARGETS)]
        value = buscar(labels, population, target, odds=odds, looks=[len(labels)]).values[-1]
        exact = slow.buscar(labels, population, target, Fraction(odds))[0]
        assert value == pytest.approx(float(exact), rel=1e-9, abs=0)


def test_certified_totals_of_two_other_codes():
    curve = irb.stopping_curve([1] * 20 + [0] * 100, 200)
    at = np.array([20, 30, 40, 50, 60, 80, 100, 120])
    assert curve.total_bound[at - 1].tolist() == [200, 168, 131, 104, 86, 62, 48, 39]
    labels = simulated(20_000, 0.01, 10, 7)
    curve = irb.stopping_curve(labels, 20_000)
    at = np.array([1000, 5000, 8000, 10_000, 14_000])
    assert curve.total_bound[at - 1].tolist() == [2124, 534, 298, 232, 212]
    for target, stop in ((0.8, 9020), (0.9, 11_092), (0.95, 14_582)):
        assert irb.stopping_curve(labels, 20_000, target).first_stop == stop


@pytest.mark.long
def test_how_often_reviews_in_random_order_stop_below_the_target(seed):
    """The shares of docs/stopping_rules.md; another seed fails less than once in 10^5."""
    rng, reviews, population, relevant, target = np.random.default_rng(seed), 2000, 1000, 100, 0.8
    labels = (np.arange(population) < relevant).astype(int)
    missed = {"buscar": 0, "certified": 0}
    for _ in range(reviews):
        order = rng.permutation(labels)
        for rule in missed:
            stop = irb.stopping_curve(order, population, target, rule).first_stop
            missed[rule] += stop is not None and order[:stop].sum() < target * relevant
    assert missed["buscar"] / reviews == pytest.approx(0.25, abs=6 * (0.25 * 0.75 / reviews) ** 0.5)
    assert missed["certified"] / reviews < 0.05


@pytest.mark.parametrize("reviews", [5, pytest.param(15, marks=pytest.mark.long)])
def test_certified_totals_are_those_of_the_twin(reviews):
    rng = np.random.default_rng(5)
    for _ in range(reviews):
        labels, population = random_review(rng, most=50)
        alpha = float(rng.choice([0.05, 0.2, 0.5]))
        curve = irb.stopping_curve(labels, population, confidence_level=1 - alpha)
        for read, bound in enumerate(slow.certified(labels, population, alpha), 1):
            irrelevant = read - sum(labels[:read])
            expected = population - irrelevant if bound < 0 else bound
            assert curve.total_bound[read - 1] == expected


@pytest.mark.long
def test_the_chance_of_ever_refusing_the_truth():
    """Exactly, in random order and in the worst order that the assumption admits: the values of
    the derivation, and less than alpha."""
    known = {
        (12, 3, 0.2): 0.054545,
        (14, 5, 0.2): 0.081419,
        (14, 5, 0.05): 0.013986,
        (16, 4, 0.05): 0.009890,
    }
    for case, value in known.items():
        assert slow.chance_of_refusing(*case) == pytest.approx(value, abs=5e-7)
        worst = slow.chance_of_refusing(*case, worst=True)
        assert worst == pytest.approx(value, abs=5e-7)
        assert worst <= case[2]


@pytest.mark.long
def test_no_truth_is_refused_too_often():
    assert slow.chance_of_refusing(16, 8, 0.1, worst=True) == pytest.approx(0.023310, abs=5e-7)
    for population in range(1, 13):
        for relevant in range(population + 1):
            for alpha in (0.05, 0.2, 0.5):
                chance = slow.chance_of_refusing(population, relevant, alpha, worst=True)
                assert chance <= alpha * (1 + 1e-12)


def test_cells_of_totals_are_near_a_cell_for_each():
    """With 65,535 documents each total has its own cell, with one more document the larger ones
    share them."""
    rng = np.random.default_rng(1)
    labels = (rng.random(10_000) < np.linspace(0.1, 0, 10_000)).astype(int)
    fine = irb.stopping_curve(labels, 65_535).total_bound
    coarse = irb.stopping_curve(labels, 65_536).total_bound
    assert (np.abs(coarse - fine) <= 2 + fine / 256).all()
    assert (coarse != fine).any()


def test_collections_of_all_sizes():
    labels = np.r_[np.ones(50, int), np.zeros(3000, int)]
    for population in (10**6, 10**9, 2**52):
        curve = irb.stopping_curve(labels, population)
        assert (np.diff(curve.total_bound) <= 0).all()
        # 3,000 irrelevant documents: one look would show a prevalence of at most 3/3000
        assert population / 1000 < curve.total_bound[-1] < 10 * population / 1000
        assert buscar(labels, population).values[-1] > 0.9


@pytest.mark.long
def test_wealths_far_below_the_range_of_doubles_come_back():
    """200,000 documents of random order take wealths near the truth to exp(-400); those of the
    bettor that forgets slowly stay above. Then nothing relevant follows."""
    labels = (np.random.default_rng(2).random(60_000) < 0.2).astype(int)
    curve = irb.stopping_curve(np.r_[labels, np.zeros(30_000, int)], 10**6, target=0.05)
    assert curve.contradicted_at is None
    assert curve.found[-1] <= curve.total_bound[-1] < 60_000


def test_a_review_without_relevant_documents():
    curve = irb.stopping_curve([0] * 30, 30)
    assert curve.first_stop == 30
    assert curve.total_bound[-1] == 0
    assert curve.values[-1] == 1
    assert irb.stopping_curve([0] * 29, 30).first_stop is None
    assert buscar([0] * 30, 30).first_stop == 29  # of 1 left unread, 1 of 30 would be: p = 1/30


def test_a_review_of_relevant_documents_alone():
    for method in ("certified", "buscar"):
        curve = irb.stopping_curve([1] * 30, 30, 1.0, method)
        assert curve.first_stop == 30
        assert irb.stopping_curve([1] * 30, 30, 0.5, method).first_stop == 15
    assert len(irb.stopping_curve([], 10)) == 0
    assert irb.stopping_curve([], 10).first_stop is None


def test_an_order_that_breaks_the_assumption_is_told():
    """400 relevant documents hidden at the end: every total is refused, then nothing is claimed."""
    curve = irb.stopping_curve([1] * 20 + [0] * 500 + [1] * 400 + [0] * 80, 1000)
    assert 520 < curve.contradicted_at <= 560
    assert curve.total_bound[curve.contradicted_at - 1] == 1000 - 500
    assert curve.values[-1] == 1  # everything is read


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0, 2], 5), {}, "`labels` must be 0 or 1; found 2 at index 1"),
        (([0, math.nan], 5), {}, "`labels` must be 0 or 1; found nan at index 1"),
        (([0, None], 5), {}, "`labels` must be 0 or 1; found None at index 1"),
        (("01", 5), {}, "`labels` must be a list of 0 and 1; found '01'"),
        (([[0]], 5), {}, "`labels` must be a list of 0 and 1; found [[0]]"),
        (([0] * 6, 5), {}, "`labels` must be at most `population`, 5 documents; found 6"),
        (([0], 0.5), {}, "`population` must be a whole number, 0 or more; found 0.5"),
        (([0], 5, 0), {}, "`target` must be above 0 and at most 1, for example 0.95; found 0"),
        (([0], 5, 0.9, "x"), {}, "`method` must be one of 'certified', 'buscar'; found 'x'"),
        (([0], 5), {"odds": 2}, "`odds` is for method 'buscar' only"),
        (([0], 5, 0.9, "buscar"), {"at_random": [1]}, "`at_random` is for method 'certified' only"),
        (([0], 5), {"at_random": [1, 0]}, "`at_random` must have one element for each of the 1"),
        (([0, 1], 5), {"looks": [2, 1]}, "`looks` must be rising whole numbers from 1 to 2"),
    ],
)
def test_hostile_input_is_one_line(arguments, options, message):
    with pytest.raises(irb.InputError) as error:
        irb.stopping_curve(*arguments, **options)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_buscar_warns_at_several_looks():
    with pytest.warns(OptionalStoppingWarning, match="no p-value"):
        buscar([0, 1, 0], 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        buscar([0, 1, 0], 10, looks=[3])
        irb.stopping_curve([0, 1, 0], 10)


def test_results_are_arrays_and_dictionaries():
    curve = irb.stopping_curve([1, 0, 0], 3, 0.9)
    assert np.asarray(curve).tolist() == curve.values.tolist() == curve[:].tolist()
    assert curve.to_dict()["total_bound"] == [3, 2, 1]
    assert repr(curve).endswith("1 relevant in 3 of 3 documents, first stop after 3)")
    assert curve.recall_low is curve.values
    assert buscar([1, 0, 0], 3).recall_low is None


def test_fewer_looks_have_the_same_bounds():
    labels = simulated(2000, 0.05, 5, 1)
    looks = np.arange(50, 2001, 50)
    for method in ("certified", "buscar"):
        whole = irb.stopping_curve(labels, 2000, method=method)
        some = irb.stopping_curve(labels, 2000, method=method, looks=looks)
        np.testing.assert_allclose(some.values, whole.values[looks - 1], rtol=1e-11)


class TestMonitor:
    def test_pieces_give_the_curve(self):
        labels = simulated(2000, 0.05, 5, 1)
        curve = irb.stopping_curve(labels, 2000, 0.8)
        monitor = ReviewMonitor(2000, target=0.8)
        rng, read, may_stop = np.random.default_rng(1), 0, None
        while read < 2000:
            n = min(int(rng.integers(0, 60)), 2000 - read)
            monitor.update(labels[read : read + n])
            read += n
            if read == 0:
                continue
            assert (monitor.read, monitor.found) == (read, curve.found[read - 1])
            assert monitor.total_bound == curve.total_bound[read - 1]
            assert monitor.recall_low == curve.values[read - 1]
            assert monitor.may_stop == curve.stops[read - 1]
            may_stop = read if monitor.may_stop and may_stop is None else may_stop
        assert curve.first_stop <= may_stop < curve.first_stop + 60

    def test_random_draws_alone_count_once_there_are_any(self):
        labels = simulated(1000, 0.05, 20, 1)
        mask = np.zeros(700, int)
        mask[400:500], mask[500:] = 1, 2  # two batches
        curve = irb.stopping_curve(labels[:700], 1000, 0.5, at_random=mask)
        monitor = ReviewMonitor(1000, 0.5).update(labels[:400])
        assert monitor.total_bound == irb.stopping_curve(labels[:400], 1000).total_bound[-1]
        monitor.update(labels[400:500], at_random=True)
        assert monitor.drawn_at_random == 100
        assert monitor.total_bound == curve.total_bound[499]
        monitor.update(labels[500:700], at_random=mask[500:])
        assert monitor.total_bound == curve.total_bound[699]

    def test_at_the_start_nothing_is_known(self):
        monitor = ReviewMonitor(100)
        assert (monitor.total_bound, monitor.recall_low, monitor.may_stop) == (100, 0, False)
        assert ReviewMonitor(0).may_stop
        assert monitor.update([]).to_dict()["read"] == 0

    def test_refused_batches_add_nothing(self):
        monitor = ReviewMonitor(5).update([0, 1])
        for labels, flag in (([0] * 4, False), ([0, 3], False), ([0, 1], [1]), ([0], "no")):
            with pytest.raises(irb.InputError):
                monitor.update(labels, flag)
        assert (monitor.read, monitor.found) == (2, 1)
        assert "2 of 5 documents" in repr(monitor)

    def test_an_order_that_breaks_the_assumption_is_told(self):
        monitor = ReviewMonitor(1000).update([0] * 900)
        assert monitor.total_bound < 10
        with pytest.warns(SampleWarning, match="every possible total"):
            monitor.update([1] * 50)
        assert monitor.is_contradicted
        assert monitor.total_bound == 100
        assert not monitor.may_stop


@pytest.mark.long
def test_ctrl_c_is_heard():
    import signal

    labels = np.zeros(10**6, np.uint8)
    labels[:20_000:2] = 1
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for method in ("certified", "buscar"):
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            start = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                irb.stopping_curve(labels, 10**7, method=method)
            assert time.monotonic() - start < 10
    finally:
        signal.signal(signal.SIGALRM, before)


def test_hostile_batches_of_a_monitor_are_one_line():
    monitor = ReviewMonitor(10).update(1).update(np.array(0))
    for labels in ([[1], [1, 0]], [0, None], "01", ["1"], [[0]], [0.5]):
        with pytest.raises(irb.InputError, match=r"^`labels` must be (a list of )?0 (and|or) 1; "):
            monitor.update(labels)
    assert (monitor.read, monitor.found) == (2, 1)
