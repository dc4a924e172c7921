"""How often intervals on extrapolated precision hold the truth: reviews drawn from scenarios,
curves of five shapes.

    python benchmarks/extrapolation_coverage.py            # writes
    benchmarks/results/extrapolation_coverage.md python benchmarks/extrapolation_coverage.py --quick
    # to see that it runs

Every true curve goes through the review's true point; they differ in where they are at the target
recall.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri
from timing import is_quick, machine, publish, table

import irbounds as irb

TARGET, LEVEL = 0.75, 0.95
Shape = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def halved(
    rises: Callable[[np.ndarray], np.ndarray], low: float, high: float, wanted: np.ndarray
) -> np.ndarray:
    """Where a falling function of a curve's parameter is as wanted; nan where it is not between."""
    a, b = np.full(wanted.shape, low), np.full(wanted.shape, high)
    possible = (rises(a) > wanted) & (rises(b) < wanted)
    for _ in range(80):
        middle = (a + b) / 2
        above = rises(middle) > wanted
        a, b = np.where(above, middle, a), np.where(above, b, middle)
    return np.where(possible, a, np.nan)


# Each curve is X = R/(R + κ G(R)), κ = (1-ρ)/ρ, where G is the share of the non-relevant documents
# retrieved, G(1) = 1.


def model(R: np.ndarray, g: np.ndarray, rho: np.ndarray) -> np.ndarray:  # noqa: N803
    """Dimm's reference curves."""
    P = R / (R + (1 - rho) / rho * g)
    X = irb.extrapolation.PrecisionCurve.through(R, P, rho).precision(TARGET)
    return TARGET * (1 / X - 1) * rho / (1 - rho)


def half_slope(R: np.ndarray, g: np.ndarray, rho: np.ndarray) -> np.ndarray:  # noqa: N803
    """With half of c_1: the curves that figure 4 calls bad, too flat at low recall."""

    def share(log_beta: np.ndarray, recall: np.ndarray | float) -> np.ndarray:
        b = np.exp(log_beta)
        A, s = np.arctan(b), 1 - recall
        c = np.log1p(b * b) / (2 * b * A)
        angle = np.arctan(b * recall / (1 + b * b * s))
        log = np.log1p(b * b * recall * (1 + s) / (1 + b * b * s * s))
        return ((1 - 0.5 * (1 - c)) * angle + 0.5 * (angle - log / (2 * b))) / A

    return share(halved(lambda t: share(t, R), -6, 25, g), TARGET)


def binormal(R: np.ndarray, g: np.ndarray, rho: np.ndarray) -> np.ndarray:  # noqa: N803
    """Scores of both kinds of documents normal, of one variance."""
    return ndtr(ndtri(TARGET) + ndtri(g) - ndtri(R))


def linear_log_odds(R: np.ndarray, g: np.ndarray, rho: np.ndarray) -> np.ndarray:  # noqa: N803
    """The log odds of relevance fall on a line over recall."""
    k = halved(lambda k: np.exp(k * (R - 1)) * np.expm1(-k * R) / np.expm1(-k), 1e-6, 500, g)
    return np.exp(k * (TARGET - 1)) * np.expm1(-k * TARGET) / np.expm1(-k)


def power(R: np.ndarray, g: np.ndarray, rho: np.ndarray) -> np.ndarray:  # noqa: N803
    """G is a power of recall."""
    return TARGET ** (np.log(g) / np.log(R))


SHAPES: dict[str, Shape] = {
    "the model's": model,
    "half of c_1": half_slope,
    "binormal": binormal,
    "linear log odds": linear_log_odds,
    "power": power,
}


def truths(drawn: irb.planning.Realisations) -> dict[str, np.ndarray]:
    """True precision at the target recall by shape; nan where a shape has no curve through the
    point."""
    R, P, rho = drawn.recall, drawn.precision, drawn.prevalence
    odds = (1 - rho) / rho
    g = R * (1 / P - 1) / odds
    with np.errstate(all="ignore"):
        return {name: TARGET / (TARGET + odds * shape(R, g, rho)) for name, shape in SHAPES.items()}


def simulate(scenario: irb.planning.Scenario, count: int, seed: int) -> list[list[str]]:
    """One row a shape and kind of realisation."""
    rng = np.random.default_rng(seed)
    drawn = scenario.draw(count, rng)
    drawn = drawn[(drawn.precision > drawn.prevalence) & (drawn.precision < 1) & (drawn.recall < 1)]
    found = [
        rng.hypergeometric(
            *(part.astype(np.int64) for part in (relevant, size - relevant, sampled))
        )
        for relevant, size, sampled in (
            (drawn.retrieved_relevant, drawn.retrieved, drawn.retrieved_sample),
            (drawn.unretrieved_relevant, drawn.unretrieved, drawn.unretrieved_sample),
        )
    ]
    segments = (
        (drawn.retrieved, drawn.retrieved_sample, found[0]),
        (drawn.unretrieved, drawn.unretrieved_sample, found[1]),
    )
    precision = irb.extrapolation.extrapolated_precision_interval(
        *segments, TARGET, confidence_level=LEVEL
    )
    documents = irb.extrapolation.documents_to_review_interval(
        *segments, TARGET, confidence_level=LEVEL
    )
    distance = np.abs(drawn.recall - TARGET)
    rows = []
    for name, truth in truths(drawn).items():
        needed = drawn.relevant * TARGET / truth
        for where, chosen in (
            ("all", distance >= 0),
            ("recall within 0.1", distance <= 0.1),
            ("within 0.3", distance <= 0.3),
            ("farther", distance > 0.3),
        ):
            some = chosen & ~np.isnan(truth)
            inside = (precision.low <= truth) & (truth <= precision.high)
            enough = (documents.low <= needed * (1 + 1e-9)) & (
                needed * (1 - 1e-9) <= documents.high
            )
            below, above = truth < precision.low, truth > precision.high
            n = int(some.sum())
            share = inside[some].mean()
            rows.append(
                [
                    name if where == "all" else "",
                    where,
                    f"{n}",
                    f"{share:.3f} ± {np.sqrt(share * (1 - share) / n):.3f}",
                    f"{below[some].mean():.3f}",
                    f"{above[some].mean():.3f}",
                    f"{enough[some].mean():.3f}",
                    f"{(precision.high - precision.low)[some].mean():.2f}",
                ]
            )
    return rows


def main() -> None:
    """Simulate and write the tables."""
    quick = is_quick(__doc__)
    warnings.simplefilter("ignore", irb.warnings.ExtrapolationWarning)
    lines = [
        "# Coverage of intervals on extrapolated precision",
        "",
        f"Target recall {TARGET}, nominal {LEVEL}, half prior, exact engine. Reviews are drawn "
        "from Webber's (2013) "
        "scenarios, one sample each; those with a precision no higher than prevalence, which lie "
        "on no curve, or a "
        "recall of 1 are left out. The true curve goes through the review's true point, and has "
        "at the target recall "
        "what its shape gives there. An interval knows the model's shape only: what other shapes "
        "miss is the model's "
        "error, which grows with the distance of recall from the target. Made by "
        "`python benchmarks/extrapolation_coverage.py`.",
        "",
        machine(["numpy", "scipy"]),
    ]
    for seed, scenario in enumerate((irb.planning.SMALL, irb.planning.LEGAL), 1):
        start = time.perf_counter()
        rows = simulate(scenario, 60 if quick else 2000, seed)
        print(f"{scenario.name}: {time.perf_counter() - start:.0f} s")
        lines += [
            "",
            f"## Scenario {scenario.name}",
            "",
            *table(
                [
                    "true curve",
                    "realisations",
                    "number",
                    "coverage of X",
                    "truth below",
                    "above",
                    "coverage of documents",
                    "mean width of X",
                ],
                rows,
            ),
        ]
    publish(lines, "extrapolation_coverage.md", write=not quick)


if __name__ == "__main__":
    main()
