"""How far results are from slow and exact twins: enumeration, fractions, mpmath with 50 digits.

    python benchmarks/accuracy.py            # writes benchmarks/results/accuracy.md
    python benchmarks/accuracy.py --quick    # small, to see that it runs
"""
from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from fractions import Fraction
from math import comb
from pathlib import Path

import mpmath
import numpy as np
from scipy.stats import hypergeom
from timing import publish, table

import irbounds as irb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.reference import counts as slow_counts
from tests.reference import rankings as slow_rankings
from tests.reference import samples as slow_samples

MEASURES = {"AP": ("AP", {}), "nDCG@3": ("nDCG", {"cutoff": 3}), "P@4": ("P", {"cutoff": 4}), "RR": ("RR", {}),
            "ERR(max_rel=3)@5": ("ERR", {"cutoff": 5, "max_rel": 3}), "Bpref": ("Bpref", {}), "RBP": ("RBP", {}),
            "ESL(nr=1)": ("ESL", {"nr": 1}), "EP(nr=2)": ("EP", {"nr": 2})}


def distance(value: float, exact: object) -> float:
    """How far apart; two infinities are not."""
    return 0.0 if value == float(exact) else abs(value - float(exact))


def tied_rankings(n: int) -> Iterator[list[str]]:
    """Expectation and bounds of each measure against all orders of random rankings with ties."""
    rng = np.random.default_rng(1)
    worst = dict.fromkeys(MEASURES, 0.0)
    for _ in range(n):
        ranks = [rng.choice([0, 0, 1, 2, 3], rng.integers(1, 5)).tolist() for _ in range(rng.integers(1, 4))]
        scores = [-i for i, rank in enumerate(ranks) for _ in rank]
        found = irb.rank_measures(scores, [grade for rank in ranks for grade in rank], list(MEASURES), bounds=True)
        for column, (text, (name, options)) in enumerate(MEASURES.items()):
            every = [slow_rankings.measure_of_order(name, order, **options) for order, _ in slow_rankings.orders(ranks)]
            exact = slow_rankings.expected(name, ranks, **options), min(every), max(every)
            values = (array[0, column] for array in (found.values, found.low, found.high))
            worst[text] = max(worst[text], *map(distance, values, exact))
    for text, error in worst.items():
        yield [f"{text}, mean and bounds under ties", "enumeration of all orders, fractions", f"{n} rankings",
               f"{error:.1e}", "absolute"]


def hypergeometric_tails(n: int) -> Iterator[list[str]]:
    """P(X > k), ours and SciPy's, from sums of fractions; k a few standard deviations around and above the mean."""
    rng = np.random.default_rng(2)
    for population in (200, 10**4, 10**6, 10**9):
        ours, scipys = 0.0, 0.0
        for _ in range(n):
            relevant, drawn = (int(10 ** rng.uniform(1, np.log10(population) - 0.3)) for _ in range(2))
            drawn = min(drawn, 2000)
            mean = relevant * drawn / population
            k = int(np.clip(mean + rng.uniform(-2, 8) * (mean ** 0.5 + 1), 0, min(relevant, drawn) - 1))
            terms = range(max(k + 1, drawn + relevant - population), min(relevant, drawn) + 1)
            if not terms:
                continue
            term = Fraction(comb(relevant, terms[0]) * comb(population - relevant, drawn - terms[0]),
                            comb(population, drawn))
            with mpmath.workdps(50):
                total = term = mpmath.mpf(term.numerator) / term.denominator
                for x in terms[:-1]:
                    rest = population - relevant - drawn + x + 1
                    term *= mpmath.mpf((relevant - x) * (drawn - x)) / ((x + 1) * rest)
                    total += term
                if total < 1e-300:
                    continue
                ours = max(ours, float(abs(irb.hypergeometric_sf(k, population, relevant, drawn) / total - 1)))
                scipys = max(scipys, float(abs(hypergeom.sf(k, population, relevant, drawn) / total - 1)))
        yield [f"P(X > k), {population:,} documents", "sums with 50 digits", f"{n} tails",
               f"{ours:.1e}", f"relative; SciPy's {scipys:.1e}"]


def superiority(n: int) -> Iterator[list[str]]:
    """P(F of A > F of B) against quadrature with many digits."""
    rng = np.random.default_rng(3)
    for beta in (1, 2):
        worst = 0.0
        for _ in range(n):
            a = tuple(int(10 ** rng.uniform(0, 3)) for _ in range(3))
            b = tuple(int(count * rng.uniform(0.8, 1.25)) for count in a)
            exact = slow_counts.prob_superior(a, b, "f", beta)
            found = irb.prob_superior(irb.CountsPosterior(*a), irb.CountsPosterior(*b), beta=beta).probability
            worst = max(worst, distance(float(found), exact))
        yield [f"P(F{beta} of A > F{beta} of B)", "quadrature with 50 digits", f"{n} pairs", f"{worst:.1e}", "absolute"]


def recall_ends(n: int) -> Iterator[list[str]]:
    """Ends of 95 % intervals and P(recall <= q) against the whole joint law, in fractions."""
    rng = np.random.default_rng(4)
    worst_cdf = worst_end = 0.0
    for _ in range(n):
        segments = []
        for size in rng.integers(20, 90, 2).tolist():
            sampled = int(rng.integers(5, size // 2))
            segments.append((size, sampled, int(rng.integers(1, sampled))))
        law = slow_samples.law(slow_samples.recall, *(slow_samples.yield_pmf(*segment) for segment in segments))
        posterior, found = irb.recall_posterior(*segments), irb.recall_interval(*segments)
        for q in rng.uniform(0.05, 0.95, 5).tolist():
            worst_cdf = max(worst_cdf, distance(float(posterior.cdf(q)), slow_samples.cdf(law, q)))
        for end, p in ((found.low, 0.025), (found.high, 0.975)):
            worst_end = max(worst_end, distance(float(end), slow_samples.quantile(law, p)))
    for what, worst in (("P(recall <= q), half prior", worst_cdf), ("ends of 95 % recall intervals", worst_end)):
        yield [what, "enumeration of all yields, fractions", f"{n} reviews", f"{worst:.1e}", "absolute"]


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    n = 5 if quick else 200
    rows = [*tied_rankings(n), *hypergeometric_tails(n), *superiority(max(1, n // 40)), *recall_ends(max(2, n // 10))]
    publish(["# Accuracy", "", "The largest error found over random questions. The twins share no code with irbounds: "
             "they enumerate, or compute with fractions or 50 digits. Made by `python benchmarks/accuracy.py`.", "",
             *table(["what", "held against", "questions", "largest error", ""], rows)], "accuracy.md", write=not quick)


if __name__ == "__main__":
    main()
