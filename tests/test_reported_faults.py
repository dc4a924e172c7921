"""Commands that once gave a wrong number or no answer, and have no other test of their own."""

import itertools

import mpmath
import numpy as np
import pytest
from commands import run_cli
from scipy.stats import binom, hypergeom

import irbounds as irb
from tests.reference import counts


def test_the_probability_that_was_off_by_a_thousandth():
    """The expected value is from tests/reference/counts.py, with 18 digits, as is the next one."""
    one, other = irb.CountsPosterior(36391, 21, 0), irb.CountsPosterior(36391, 0, 15)
    found = irb.prob_superior(one, other, "f", 10)
    assert found.probability == pytest.approx(0.99999471212243811, abs=1e-11)


def test_a_margin_with_a_large_beta():
    found = irb.prob_superior(
        irb.CountsPosterior(5, 7, 9), irb.CountsPosterior(4, 3, 9), "f", 1000, margin=1e-6
    )
    assert found.probability == pytest.approx(0.60609683589675450, abs=1e-11)


def test_both_sides_of_f_with_no_counts():
    law = irb.CountsPosterior(0, 0, 0).f(1000.0)
    for x in (1e-300, 1e-12, 1e-6, 0.3, 0.999, 1 - 1e-9, 1 - 1e-15):
        with mpmath.workdps(20):
            expected = float(counts.f_cdf(x, 0, 0, 0, 1000.0))
        assert law.cdf(x) == pytest.approx(expected, abs=1e-11)
        assert law.cdf(x) + law.sf(x) == pytest.approx(1, abs=1e-11)


def test_a_million_trials_of_a_selection():
    assert irb.chance.probability_of_correct_selection(10**6, 5, 1.1) == 1.0
    for trials in (10**4, 10**6):
        wins = binom(trials, 1.001 / 2.001)
        middle = trials // 2
        expected = wins.sf(middle) + wins.pmf(middle) / 2
        pair = irb.chance.probability_of_correct_selection(trials, 2, 1.001)
        assert pair == pytest.approx(expected, abs=1e-9)
        five = irb.chance.probability_of_correct_selection(trials, 5, 1.001)
        assert 0.2 < five < pair


@pytest.mark.long
def test_an_allocation_to_twenty_strata():
    review = irb.AssumedReview.from_strata((12000, 0.72), [(4400, 0.015)] * 20)
    found = irb.planning.allocate(review, 1450)
    unretrieved = found.unretrieved_sample
    assert found.retrieved_sample + sum(unretrieved) == 1450
    assert max(unretrieved) - min(unretrieved) <= 1  # the strata are alike
    assert found.expected_width <= found.neyman_width


def test_all_methods_at_level_one_half():
    result = run_cli(
        *("recall", "--retrieved", "1880/188/54", "--unretrieved", "700/70/0", "--side", "lower"),
        *("--confidence-level", "0.5", "--all-methods"),
    )
    assert result.returncode == 0
    assert "50 % lower bounds" in result.stdout


@pytest.mark.long
def test_the_first_size_of_a_plan():
    """2,500 documents, of which 400 of 500 retrieved and 71 others are relevant: no split of one
    document fewer than the first size reaches the target, and the split found does."""
    review = irb.AssumedReview(2500, 500, recall=0.85, precision=0.8)
    found = irb.sample_size(review, target=0.7, method="betabinom-half")
    relevant = [400, round(400 / 0.85 - 400)]

    def chance(first, second):
        outcomes = []
        for n, size, some in zip((first, second), (500, 2000), relevant, strict=True):
            k = np.arange(n + 1)
            p = hypergeom(size, some, n).pmf(k)
            outcomes.append((k[p > 1e-7], p[p > 1e-7]))
        (r1, p1), (r0, p0) = outcomes
        segments = (500, first, r1[:, None]), (2000, second, r0)
        low = irb.recall_interval(*segments, method="betabinom-half", side="lower").low
        return p1 @ (low >= 0.7) @ p0

    assert chance(found.retrieved_sample, found.unretrieved_sample) >= 0.8 - 1e-5
    assert (found.first_size, found.sample) == (172, 178)
    fewer = found.first_size - 1
    splits = range(max(1, fewer // 12), fewer // 3)
    assert max(chance(n, fewer - n) for n in splits) < 0.8 + 1e-5


def test_one_value_next_to_0_among_zeros():
    """The upper end was 1.5e-7, that of 20 zeros 0.16; 0.049 and 0.051 had 0.006 and 0.097."""
    high = irb.mean_interval([0.0] * 20, limits=(0, 1)).high
    assert 0.12 < high < irb.mean_interval([0.0] * 20, method="gaffke").high
    for x in (1e-12, 1e-6, 1e-3, 0.05):
        with pytest.warns(irb.warnings.FewQueriesWarning, match="upper end of the interval is set"):
            found = irb.mean_interval([0.0] * 19 + [x], limits=(0, 1))
        assert high * (1 - 1e-12) <= found.high < high + x
    with pytest.warns(irb.warnings.FewQueriesWarning):
        one, other = (
            irb.mean_interval([0.0] * 24 + [x], limits=(0, 1)).high for x in (0.049, 0.051)
        )
    assert one == pytest.approx(other, rel=1e-3)


def test_one_deep_hit_in_a_table(tmp_path, monkeypatch):
    """The run that found something had (0, 0.0002), the one that found nothing (0, 0.1612)."""
    monkeypatch.chdir(tmp_path)
    queries = [f"q{i}" for i in range(20)]
    (tmp_path / "qrels").write_text("".join(f"{q} 0 rel 1\n" for q in queries))
    ranked = {q: [f"d{i}" for i in range(1000)] for q in queries}
    for name, hit in (("no.run", "d999"), ("one.run", "rel")):
        ranked["q0"][-1] = hit
        (tmp_path / name).write_text(
            "".join(
                f"{q} Q0 {doc} {i} {-i} t\n"
                for q, docs in ranked.items()
                for i, doc in enumerate(docs)
            )
        )
    said = run_cli("eval", "qrels", "one.run", "no.run", "-m", "RR", "--interval").stdout
    assert "0.0001 (0.0000, 0.1269)" in said
    assert "0.0000 (0.0000, 0.1269)" in said
    assert "upper end of RR: set by the limits" in said


@pytest.mark.nightly
@pytest.mark.long
def test_lower_bounds_of_two_planned_looks_hold_together():
    """Recall 0.952, of 2000 retrieved and 18,000 unretrieved documents: guaranteed bounds hold
    together, exactly by enumeration of both looks' samples; average ones do not."""
    sizes, relevant, samples = (2000, 18_000), (1800, 90), ((100, 500), (200, 1000))
    truth = relevant[0] / sum(relevant)
    held = {}
    for method in ("guaranteed", "betabinom-half"):
        monitor = irb.SampleMonitor(*sizes, looks=2, side="lower", method=method)
        level = monitor.update(retrieved=(100, 90), unretrieved=(500, 2)).confidence_level
        assert level == pytest.approx(0.975)
        low = []
        for n1, n0 in samples:
            tables = [range(n1 + 1), range(min(n0, 90) + 1)]
            r1, r0 = (np.array(some) for some in zip(*itertools.product(*tables), strict=True))
            is_likely = (r1 > 0.7 * n1) & (r0 < 0.02 * n0 + 12)
            ends = np.zeros(r1.size)
            options = {"method": method, "side": "lower", "confidence_level": level}
            ends[is_likely] = irb.recall_interval(
                (sizes[0], n1, r1[is_likely]), (sizes[1], n0, r0[is_likely]), **options
            ).low
            low.append(ends.reshape(n1 + 1, -1) <= truth)
        # the second look has the first one's documents and as many more
        first = [hypergeom(*each).pmf for each in ((2000, 1800, 100), (18_000, 90, 500))]
        total = 0.0
        for a, b in itertools.product(range(101), range(91)):
            weight = first[0](a) * first[1](b)
            if weight > 1e-12 and low[0][a, b]:
                more = hypergeom(1900, 1800 - a, 100).pmf(np.arange(101))
                rest = hypergeom(17_500, 90 - b, 500).pmf(np.arange(91 - b))
                total += weight * (more @ low[1][a : a + 101, b:91] @ rest)
        held[method] = total
    assert held["guaranteed"] >= 0.95
    assert held["betabinom-half"] == pytest.approx(0.929, abs=0.01)
