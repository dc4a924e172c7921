"""Errors of the tests of `compare` and of gates.

    python benchmarks/studies/gates.py [--data ../shared/data] [--quick]

Gates: distributions of the differences have the mean 0 and the deviation 1; those of losses have a
long tail of losses.  An error is a "pass" of a run that loses exactly the margin, by Student's t
alone or by the gate (level 0.05).  Power is the share of "pass" of a run whose mean is better by
the difference that t finds with 0.8.  Equal systems: the share of wrong "fail", where the two
values of each query are exchanged at random; the margin is a tenth of the deviation.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from pathlib import Path

import nulls
import numpy as np
from means import COLLECTIONS, SYSTEMS
from study import ALPHA, DATA, Row, about, error_row, parser_of, publish, store, table

import irbounds as irb
from irbounds.comparison.gates.checks import Question, judge, verdicts

ASK, METHOD = "whether a run is worse", "gate"
SIZES, MARGIN = (14, 25, 50, 100), 0.1
MEASURES = ("AP", "RR", "nDCG@10", "P@10")
SAMPLES, PAIR_SAMPLES = 2000, 500
CLAIM = Question(0.0, ALPHA, False)
Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
LONG = {  # long tails of losses
    "Gamma(1), losses": lambda rng, s: 1 - rng.exponential(1, s),
    "Gamma(0.5), losses": lambda rng, s: (0.5 - rng.gamma(0.5, 1, s)) / 0.5**0.5,
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
}
FEW = {  # few queries lose most, and a sample may lack them
    "10 % lose ten times as much, spread 0.5": lambda rng, s: mixed(rng, s, 0.1, 0.5),
    "10 % lose ten times as much, spread 1": lambda rng, s: mixed(rng, s, 0.1, 1.0),
    "5 % lose ten times as much": lambda rng, s: mixed(rng, s, 0.05),
    "10 % lose, two values": lambda rng, s: (0.1 - (rng.random(s) < 0.1)) / 0.3,
    "5 % lose, two values": lambda rng, s: (0.05 - (rng.random(s) < 0.05)) / 0.0475**0.5,
}
LAWS: dict[str, Draw] = {
    "normal": lambda rng, s: rng.normal(0, 1, s),
    "t with 3": lambda rng, s: rng.standard_t(3, s) / 3**0.5,
    "uniform": lambda rng, s: rng.uniform(-1, 1, s) * 3**0.5,
    "tenths": lambda rng, s: rng.integers(-2, 3, s) / 2**0.5,
    "80 % zeros": lambda rng, s: rng.normal(0, 1, s) * (rng.random(s) < 0.2) / 0.2**0.5,
    "Gamma(1), gains": lambda rng, s: rng.exponential(1, s) - 1,
    "Gamma(0.5), gains": lambda rng, s: (rng.gamma(0.5, 1, s) - 0.5) / 0.5**0.5,
    **LONG,
    **FEW,
}


def mixed(
    rng: np.random.Generator, shape: tuple[int, ...], share: float, spread: float = 0.3
) -> np.ndarray:
    """Normal differences around a loss of 0.1, or in this share of the queries of 1; the deviation
    of each is its loss times `spread`."""
    size = np.where(rng.random(shape) < share, 1.0, 0.1)
    values = -size + spread * size * rng.normal(0, 1, shape)
    second = (1 + spread**2) * (share + (1 - share) * 0.01)
    mean = -(share + 0.1 * (1 - share))
    return (values - mean) / (second - mean**2) ** 0.5


def passed(values: np.ndarray) -> tuple[float, float]:
    """The shares of samples, one a row, that t alone and the gate take for better than 0."""
    found = [judge(row, CLAIM) for row in np.ascontiguousarray(values) if row.any()]
    by_t = [f.low > 0 if f.spread > 0 else f.mean > 0 for f in found]
    return sum(by_t) / len(values), sum(f.passes for f in found) / len(values)


def gain_of(n: int) -> float:
    """The difference that t finds with 0.8."""
    return irb.queries.detectable_difference(n, 1.0, alpha=ALPHA, side="one-sided")


def of_laws(count: int) -> tuple[dict[str, list[float]], list[list[str]]]:
    """The gate's errors by distribution, and a row for each: errors by t and by the gate, power."""
    erred: dict[str, list[float]] = {}
    shown = []
    for name, draw in LAWS.items():
        cells, power = [], []
        for n in SIZES:
            values = draw(np.random.default_rng(n), (count, n))
            by_t, by_gate = passed(values)
            erred.setdefault(name, []).append(by_gate)
            cells.append(f"{by_t:.3f}, {by_gate:.3f}")
            power.append(f"{passed(values + gain_of(n))[1]:.2f}")
        shown.append([name, *cells, ", ".join(power)])
        print(*shown[-1], flush=True)
    return erred, shown


def pairs(data: Path) -> list[np.ndarray]:
    """Differences of two real runs of a collection by a measure, with the mean 0 and the deviation
    1."""
    found = []
    for collection in COLLECTIONS:
        folder = data / collection
        evaluator = irb.Evaluator(folder / f"{collection}.qrels", list(MEASURES))
        runs = {x: evaluator.evaluate(folder / f"{collection}.{x}.run.xz").values for x in SYSTEMS}
        for new, old in itertools.permutations(SYSTEMS, 2):
            found += [*(runs[new] - runs[old]).T]
    return [(each - each.mean()) / each.std() for each in found if each.std() > 0]


def of_pairs(data: Path, count: int, few: int | None) -> tuple[list[float], list[list[str]]]:
    """The gate's errors on pairs, and a row for each number of queries."""
    laws, erred, shown = pairs(data)[:few], [], []
    for n in SIZES if laws else ():
        rng = np.random.default_rng(n)
        samples = [rng.choice(law, (count, n)) for law in laws]
        errors = np.array([passed(each) for each in samples])
        power = np.array([passed(each + gain_of(n)) for each in samples])
        erred += errors[:, 1].tolist()
        for j, name in enumerate(("t", "gate")):
            of_test = errors[:, j]
            numbers = (of_test.mean(), np.quantile(of_test, 0.95), of_test.max())
            cells = [f"{x:.3f}" for x in (*numbers, power[:, j].mean())]
            shown.append([f"{n}", name, *cells])
        print(*shown[-1], flush=True)
    return erred, shown


def of_equals(count: int) -> tuple[list[float], list[list[str]]]:
    """Wrong fails of equal systems, and the largest of all distributions by number of queries."""
    shown, first = [], []
    for n in SIZES:
        worst = np.zeros(4)
        for draw in LAWS.values():
            rng = np.random.default_rng(1000 + n)
            sign = rng.choice([-1.0, 1.0], (count, n, 1))
            values = np.stack([draw(rng, (count, n)) for _ in range(4)], axis=2) * sign
            worst = np.maximum(worst, [failed(values, *each) for each in CASES])
        first.append(worst[0])
        shown.append([f"{n}", *(f"{share:.3f}" for share in worst)])
    return first, shown


CASES = ((1, False), (4, False), (1, True), (4, True))  # measures, and whether the gate is strict


def failed(values: np.ndarray, measures: int, strict: bool) -> float:
    """The share of samples whose gate fails."""
    asked = Question(MARGIN, ALPHA, strict)
    fails = 0
    for sample in values:
        found = [judge(np.ascontiguousarray(column), asked) for column in sample.T[:measures]]
        fails += "fail" in verdicts(found, ALPHA)
    return fails / len(values)


def main() -> None:
    """Simulate and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="where the real runs are")
    given = parser.parse_args()
    warnings.simplefilter("ignore", irb.warnings.NoVarianceWarning)
    quick = given.quick
    erred, of_law = of_laws(20 if quick else SAMPLES)
    equal, of_equal = of_equals(5 if quick else SAMPLES // 4)
    long = [share for name in LONG for share in erred[name]]
    few = [share for name in FEW for share in erred[name]]
    loss, n_laws = "a loss of the margin", len(LAWS)
    rows: list[Row] = [
        error_row(ASK, METHOD, f"equal systems, {n_laws} distributions", equal),
        error_row(ASK, METHOD, f"{loss}, {len(LONG)} distributions with long tails", long),
        error_row(
            f"{ASK}, few queries lose most", METHOD, f"{loss}, {len(FEW)} distributions", few
        ),
    ]
    of_pair: list[list[str]] = []
    if given.data.is_dir():
        count = 10 if quick else PAIR_SAMPLES
        found, of_pair = of_pairs(given.data, count, 5 if quick else None)
        rows.append(error_row(ASK, METHOD, f"{loss}, {len(found) // 4} pairs of real runs", found))
    sizes = [f"n = {n}" for n in SIZES]
    tables = [
        "Errors by t alone and by the gate, by number of queries n; the gate's power for these n:",
        "",
        *table(["differences", *sizes, "power"], of_law),
        "The same over pairs of real runs (three collections, six systems, four measures):",
        "",
        *table(["n", "test", "errors: mean", "95 %", "most", "power: mean"], of_pair),
        "Equal systems, the largest share of a distribution (several measures: Holm's correction):",
        "",
        *table(["n", "1 measure", "4", "strict, 1", "strict, 4"], of_equal),
    ]
    stored = store("gates", rows, given)
    lines = [*about(__doc__), "", *stored, *tables, *nulls.tables(80 if quick else 2000)]
    publish("Errors of tests and gates", lines, "gates.md", given)


if __name__ == "__main__":
    main()
