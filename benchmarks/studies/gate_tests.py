"""Which tests a gate should ask beside Student's t: how often each errs, and what it still finds.

    python benchmarks/studies/gate_tests.py            # writes the page of results
    python benchmarks/studies/gate_tests.py --quick    # to see that it runs

Every candidate tests the hypothesis that the mean difference is 0 or less.  A loss of exactly the
margin that it rejects is a wrong "pass"; with the signs changed, equal systems that it rejects are
a wrong "fail" of a strict gate.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from query_intervals import DATA, tails
from scipy.special import stdtr

import irbounds as irb
from irbounds.comparison.gates.checks import MOST_FLIPPED, Question, judge
from irbounds.comparison.gates.rare_queries import AGAINST, FEW_UNLIKE, UNLIKE, few_unlike

sys.path.insert(0, str(next(p for p in Path(__file__).parents if p.name == "benchmarks")))
from timing import is_quick, machine, publish, table

SIZES = (5, 8, 10, 14, 20, 25, 30, 50, 100)
EQUAL_SIZES = (5, 8, 10, 14, 20, 25, 30, 50, 100)
ALPHA, MARGIN, SPREAD = 0.05, 0.01, 0.1
SAMPLES, POWER_SAMPLES, GAFFKE_SAMPLES = 10_000, 2000, 300
EQUAL = 1e-12
PAGE = "gate_tests.md"
Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]

# with the mean 0 and the deviation 1
LAWS: dict[str, Draw] = {
    "normal": lambda rng, s: rng.normal(0, 1, s),
    "t with 3": lambda rng, s: rng.standard_t(3, s) / 3**0.5,
    "uniform": lambda rng, s: rng.uniform(-1, 1, s) * 3**0.5,
    "tenths": lambda rng, s: rng.integers(-2, 3, s) / 2**0.5,
    "80 % zeros": lambda rng, s: rng.normal(0, 1, s) * (rng.random(s) < 0.2) / 0.2**0.5,
    "Gamma(1), losses": lambda rng, s: 1 - rng.exponential(1, s),
    "Gamma(1), gains": lambda rng, s: rng.exponential(1, s) - 1,
    "Gamma(0.5), losses": lambda rng, s: (0.5 - rng.gamma(0.5, 1, s)) / 0.5**0.5,
    "Gamma(0.5), gains": lambda rng, s: (rng.gamma(0.5, 1, s) - 0.5) / 0.5**0.5,
    "Gamma(0.25), losses": lambda rng, s: (0.25 - rng.gamma(0.25, 1, s)) / 0.25**0.5,
    "lognormal, losses": lambda rng, s: (
        (np.exp(0.5) - rng.lognormal(0, 1, s)) / ((np.e - 1) * np.e) ** 0.5
    ),
    "Gamma(1), losses, 50 % zeros": lambda rng, s: (
        (0.5 - rng.exponential(1, s) * (rng.random(s) < 0.5)) / 0.75**0.5
    ),
    "Gamma(1), losses, 80 % zeros": lambda rng, s: (
        (0.2 - rng.exponential(1, s) * (rng.random(s) < 0.2)) / 0.6
    ),
    "30 % lose ten times as much": lambda rng, s: mixed(rng, s, 0.3),
    "10 % lose ten times as much": lambda rng, s: mixed(rng, s, 0.1),
    "10 % lose ten times as much, spread 0.5": lambda rng, s: mixed(rng, s, 0.1, 0.5),
    "10 % lose ten times as much, spread 1": lambda rng, s: mixed(rng, s, 0.1, 1.0),
    "5 % lose ten times as much": lambda rng, s: mixed(rng, s, 0.05),
    "10 % lose, two values": lambda rng, s: (0.1 - (rng.random(s) < 0.1)) / 0.3,
    "5 % lose, two values": lambda rng, s: (0.05 - (rng.random(s) < 0.05)) / 0.0475**0.5,
}


def mixed(
    rng: np.random.Generator, shape: tuple[int, ...], share: float, spread: float = 0.3
) -> np.ndarray:
    """Normal differences around a loss of 0.1, or in this share of the queries of 1; the deviation
    of each is its loss times `spread`."""
    is_large = rng.random(shape) < share
    size = np.where(is_large, 1.0, 0.1)
    values = -size + spread * size * rng.normal(0, 1, shape)
    second = (1 + spread**2) * (share + (1 - share) * 0.01)
    mean = -(share + 0.1 * (1 - share))
    return (values - mean) / (second - mean**2) ** 0.5


PAIRS = (("med", "tfidf", "btf"), ("med", "clm", "bti"), ("cisi", "tfidf", "prob"))
MEASURES = ("AP", "RR")


def laws(*, both_ways: bool = True) -> dict[str, Draw]:
    """The made ones and those of real pairs, of which queries are drawn with replacement."""
    found = dict(LAWS)
    for collection, new, old in PAIRS if DATA.is_dir() else ():
        folder = DATA / collection
        evaluator = irb.Evaluator(folder / f"{collection}.qrels", list(MEASURES))
        values = [
            evaluator.evaluate(folder / f"{collection}.{x}.run.xz").values for x in (new, old)
        ]
        for j, measure in enumerate(MEASURES):
            apart = values[0][:, j] - values[1][:, j]
            apart = (apart - apart.mean()) / apart.std()
            ways = (1, f"{new} less {old}"), (-1, f"{old} less {new}")
            for sign, name in ways[: 1 + both_ways]:
                found[f"{collection} {measure}, {name}"] = lambda rng, s, x=sign * apart: (
                    rng.choice(x, s)
                )
    return found


class Sample:
    """Samples, one a row, and what the candidates ask of them."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
        self.n = values.shape[1]
        self.mean, self.spread = values.mean(axis=1), values.std(axis=1, ddof=1)
        self.is_flat = self.spread <= EQUAL
        n = self.n
        with np.errstate(all="ignore"):
            away = (values - self.mean[:, None]) / self.spread[:, None]
            self.skewness = (away**3).sum(axis=1) * n / ((n - 1) * (n - 2))
            self.u = self.mean / self.spread
        self.signs = flips(values)
        self.unlike = n - most_alike(values)
        # none is below 0, but for rounding
        self.agree = values.min(axis=1) >= -EQUAL * np.abs(values).max(axis=1)

    def tail(self, t: np.ndarray) -> np.ndarray:
        """P(T > t)."""
        return 1 - stdtr(self.n - 1, t)

    def hall(self, slack: float | np.ndarray) -> np.ndarray:
        """By Hall's transform at the worst skewness within the slack."""
        n, u = self.n, self.u
        with np.errstate(all="ignore"):
            turn = np.where(u > 0, -(u * u / 3 + 1 / (6 * n)) * 27 / (2 * u**3), -np.inf)
            g = np.clip(turn, self.skewness - slack, self.skewness)
            return self.tail(n**0.5 * (u + g * u * u / 3 + g * g * u**3 / 27 + g / (6 * n)))

    def gamma_slack(self) -> np.ndarray:
        """The standard error of the skewness of Gamma laws, where the tail is of losses."""
        square = np.minimum(self.skewness, 0) ** 2
        return ((6 + 9 * square + 15 / 8 * square * square) / (self.n - 2)) ** 0.5

    def few(self) -> np.ndarray:
        """The chance that so few queries are unlike the others, if one in five is, or that none is
        against the claim, if one in ten is."""
        return np.maximum(self.unlike_ones(), np.where(self.agree, (1 - AGAINST) ** self.n, 0))

    def unlike_ones(self) -> np.ndarray:
        """The chance that so few queries are unlike the others, if one in five is."""
        chances = [few_unlike(self.n, k, 0.0, np.inf).chance for k in range(FEW_UNLIKE + 1)]
        return np.array([*chances, chances[0]])[np.minimum(self.unlike, FEW_UNLIKE + 1)]

    def johnson(self) -> np.ndarray:
        """By Johnson's (1978) modified t."""
        g, u = self.skewness, self.u
        return self.tail(self.n**0.5 * (u + g / (6 * self.n) + g * u * u / 3))

    def bernstein(self, size: float) -> np.ndarray:
        """Whether Maurer & Pontil's (2009) bound for values of a range `size` is above 0."""
        log = np.log(2 / ALPHA)
        reach = self.spread * (2 * log / self.n) ** 0.5 + 7 * size * log / (3 * (self.n - 1))
        return self.mean > reach


def most_alike(values: np.ndarray) -> np.ndarray:
    """How often the commonest value of each sample is there."""
    ordered = np.sort(values, axis=1)
    run = most = np.ones(len(values), int)
    for j in range(1, ordered.shape[1]):
        run = np.where(ordered[:, j] - ordered[:, j - 1] <= EQUAL, run + 1, 1)
        most = np.maximum(most, run)
    return most


def flips(values: np.ndarray) -> np.ndarray:
    """The share of changes of sign with a sum as large, where there are few queries."""
    count, n = values.shape
    if n > MOST_FLIPPED:
        return np.zeros(count)
    is_changed = ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(float)
    shares, step = np.empty(count), max(1, 4_000_000 // 2**n)
    for i in range(0, count, step):
        part = values[i : i + step]
        room = EQUAL * np.abs(part).sum(axis=1)[:, None]
        shares[i : i + step] = ((part @ is_changed.T) <= room).mean(axis=1)
    return shares


def decided(sample: Sample) -> dict[str, np.ndarray]:
    """By candidate, in which samples it says that the mean is above 0."""
    n = sample.n
    with np.errstate(all="ignore"):
        t = sample.tail(n**0.5 * sample.u)
        signs = np.maximum(t, sample.signs)
        hall = np.maximum(signs, sample.hall(0.0))
        p_values = {
            "t": t,
            "t, signs": signs,
            "Johnson, signs": np.maximum(signs, sample.johnson()),
            "Hall, signs": hall,
            "alpha n/(n + 10)": hall * (1 + 10 / n),
            "slack √(6/(n-2))": np.maximum(hall, sample.hall((6 / (n - 2)) ** 0.5)),
            "twice": np.maximum(hall, sample.hall(2 * (6 / (n - 2)) ** 0.5)),
            "slack of Gamma": np.maximum(hall, sample.hall(sample.gamma_slack())),
        }
    flat = (0.5**n < ALPHA) & (sample.mean > 0)
    found = {name: np.where(sample.is_flat, flat, p < ALPHA) for name, p in p_values.items()}
    # until this page was made anew: also where all agree
    found["former"] = found["slack of Gamma"] & (sample.unlike_ones() < ALPHA)
    found["chosen"] = found["slack of Gamma"] & (sample.few() < ALPHA)
    found["all agree"] = (sample.values > 0).all(axis=1) & flat
    found["Bernstein"] = sample.bernstein(2 / SPREAD)
    return found


def gaffke(values: np.ndarray) -> float:
    """The share of samples whose guaranteed bound is above 0, values limited to [-1, 1]."""
    above = 0
    for sample in np.clip(values * SPREAD, -1, 1):
        x, counts = np.unique(np.append(sample, -1.0), return_counts=True)
        above += tails(x, counts.astype(float), 0.0)[0] < ALPHA * (1 - 1e-9)
    return above / len(values)


def agrees_with_the_gate(sample: Sample, chosen: np.ndarray) -> None:
    """The formulas here are those of the gate."""
    asked = Question(0.0, ALPHA, False)
    for values, expected in zip(sample.values[:100], chosen[:100], strict=True):
        if values.any():
            assert judge(np.ascontiguousarray(values), asked).passes == expected


def errors_and_power(count: int) -> tuple[list[list[str]], list[list[str]], list[str]]:
    """Rows of both tables, and the names of their columns."""
    errors, power, names = [], [], []
    few = min(count, GAFFKE_SAMPLES)
    for name, draw in laws().items():
        for n in SIZES:
            rng = np.random.default_rng(n)
            values = draw(rng, (count, n))
            gain = irb.queries.detectable_difference(n, 1.0, alpha=ALPHA, side="one-sided")
            for rows, moved in ((errors, values), (power, values[:POWER_SAMPLES] + gain)):
                sample = Sample(moved)
                found = decided(sample)
                agrees_with_the_gate(sample, found["chosen"])
                names = [*found, "Gaffke"]
                shares = [each.mean() for each in found.values()]
                shares.append(gaffke(moved[:few]))
                rows.append([name, f"{n}", *(f"{share:.3f}" for share in shares)])
            print(*errors[-1], flush=True)
    return errors, power, names


def equal_systems(count: int) -> list[list[str]]:
    """A row for each law and size: wrong fails where the runs of a query are exchanged at random,
    by one measure and by four with Holm's correction."""
    rows = []
    for name, draw in laws(both_ways=False).items():
        if name.endswith("gains"):
            continue  # as that of losses
        for n in EQUAL_SIZES:
            rng = np.random.default_rng(1000 + n)
            sign = rng.choice([-1.0, 1.0], (count, n))
            apart = [draw(rng, (count, n)) for _ in range(4)]
            cells = []
            for allowed in (MARGIN / SPREAD, 0.0):
                p_values = []
                for values in apart:
                    sample = Sample(-(values * sign) - allowed)
                    with np.errstate(all="ignore"):
                        p = np.maximum(sample.signs, sample.hall(sample.gamma_slack()))
                        p = np.maximum(p, sample.tail(n**0.5 * sample.u))
                    p = np.where(sample.is_flat, sample.mean <= 0, p)
                    p_values.append(np.maximum(p, sample.few()))
                least = np.min(p_values, axis=0)
                cells += [p_values[0] < ALPHA, least * 4 < ALPHA]
            rows.append([name, f"{n}", *(f"{cell.mean():.3f}" for cell in cells)])
            print("equal", *rows[-1], flush=True)
    return rows


def page(count: int, tables: tuple[list[list[str]], list[list[str]], list[str]]) -> list[str]:
    """The page, but for the last table."""
    errors, power, names = tables
    return [
        "# Tests of gates with few queries",
        "",
        f"Made by `python benchmarks/studies/gate_tests.py`; {count:,} samples of each law and "
        f"number of queries n ({POWER_SAMPLES:,} for power, {GAFFKE_SAMPLES} for Gaffke), standard "
        f"error {(0.05 * 0.95 / count) ** 0.5:.4f} of 0.05. Laws have the mean 0 and the deviation "
        f"{SPREAD}; those of losses have a long tail of losses.",
        "",
        machine(["numpy", "scipy"]),
        "",
        "## Candidates",
        "",
        "- *t*: Student's alone. *t, signs*: and the exact test by all changes of sign, with up to "
        f"{MOST_FLIPPED} queries. *Johnson*, *Hall*: with their corrections for skewness as well.",
        "- *alpha n/(n + 10)*: Hall and signs, at a smaller level where queries are few.",
        "- *slack*: Hall's transform at the worst skewness from the sample's to the sample's less "
        "√(6/(n - 2)), its standard error where differences are normal; *twice* that; or *of "
        "Gamma* laws, √((6 + 9 γ² + 15 γ⁴/8)/(n - 2)), where the tail is of losses, γ being the "
        "sample's skewness. *former*, which gates used to ask: that of Gamma laws, and so many "
        "queries that the sample does not lack those unlike the others, if "
        f"{UNLIKE:g} of all are: with 14 queries or more there is one with 0.95. Where no more "
        "than two queries differ from the rest, it must be unlikely that so few do, which asks for "
        "22 queries or 30. *chosen*, which they ask now: also, where no query is against the "
        f"claim, so many that there would be one, if {AGAINST:g} of all are: 29.",
        "- *all agree*: every query gains, and 2^-n is below alpha. *Bernstein*: the bound of "
        "Maurer & Pontil for differences in [-1, 1]. *Gaffke*: the guaranteed bound for them.",
        "",
        "## Choice",
        "",
        "A sample of few queries rarely shows the tail that makes the mean. The tests that hold "
        "for every law of differences in [-1, 1] (Gaffke, Bernstein) find almost nothing with 100 "
        "queries. That all queries agree shows little: four queries in five gain where the others "
        "lose more, and 13 of them do with 0.055. So fewer than 14 queries say nothing at 0.05, "
        "unless the mean is so far that one in five could not turn it, as no difference is below "
        "-1 (the laws here have no limit). The slack takes for granted that the skewness is "
        "greater than the sample's by a standard error. That of normal differences holds the level "
        "for Gamma laws, that of Gamma laws also for lognormal ones. It takes power away where a "
        "tail of losses shows, and hardly any where none does. Where one query in ten loses ten "
        "times as much as the others, samples of 14 to 28 queries that lack those are the ones "
        "in which all others agree, and these are not told now. It costs power only where all "
        "agree: gains that are small and alike on all queries need 29 of them. Laws whose other "
        "queries differ more among themselves, or of which fewer queries make the mean, still "
        "err, as any test must that finds usual gains: a sample of n lacks the large losses with "
        "0.9^n or more.",
        "",
        "## Errors",
        "",
        "The share of samples for which the candidate says that the mean is above 0, though it is "
        "0.",
        "",
        *table(["differences", "n", *names], errors),
        "",
        "## Power",
        "",
        "The share where the mean is above 0 by the difference that Student's t finds with 0.8 if "
        "differences are normal.",
        "",
        *table(["differences", "n", *names], power),
    ]


def main() -> None:
    """Simulate and write the tables."""
    quick = is_quick(__doc__)
    start = time.perf_counter()
    count = 50 if quick else SAMPLES
    lines = page(count, errors_and_power(count))
    columns = ["differences", "n", "1 measure", "4 measures", "strict, 1 measure", "4 measures"]
    lines += [
        "",
        "## Equal systems",
        "",
        f"The share of wrong *fail* of the gate, level {ALPHA}, margin {MARGIN}, where the two "
        "values of each query are exchanged at random.",
        "",
        *table(columns, equal_systems(count)),
    ]
    print(f"{time.perf_counter() - start:.0f} s")
    publish(lines, PAGE, write=not quick)


if __name__ == "__main__":
    main()
