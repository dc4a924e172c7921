"""How often intervals on extrapolated precision hold the truth, for curves of five shapes.

    python benchmarks/studies/extrapolation.py [--quick]

Reviews are drawn from Webber's (2013) scenarios, one sample each; those with a precision no higher
than prevalence, which lie on no curve, or a recall of 1 are left out.  Every true curve goes
through the review's true point and has at the target recall of 0.75 what its shape gives there.  An
interval knows the model's shape only: what other shapes miss is the model's error, which grows with
the distance of recall from the target.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri
from study import LEVEL, about, coverage_row, holds, parser_of, publish, store, table

import irbounds as irb

ASK, METHOD, TARGET = "extrapolated precision", "betabinom-half", 0.75
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


DISTANCES = {"all": (0.0, 1.0), "within 0.1": (0.0, 0.1), "farther than 0.3": (0.3, 1.0)}


def simulate(
    scenario: irb.planning.Scenario, count: int, seed: int
) -> dict[tuple[str, str], list[float]]:
    """Coverage of precision and of documents to review, by shape and distance from the target."""
    rng = np.random.default_rng(seed)
    drawn = scenario.draw(count, rng)
    drawn = drawn[(drawn.precision > drawn.prevalence) & (drawn.precision < 1) & (drawn.recall < 1)]
    segments = []
    for relevant, size, sampled in (
        (drawn.retrieved_relevant, drawn.retrieved, drawn.retrieved_sample),
        (drawn.unretrieved_relevant, drawn.unretrieved, drawn.unretrieved_sample),
    ):
        kinds = (part.astype(np.int64) for part in (relevant, size - relevant, sampled))
        segments.append((size, sampled, rng.hypergeometric(*kinds)))
    precision = irb.extrapolation.extrapolated_precision_interval(
        *segments, TARGET, confidence_level=LEVEL
    )
    documents = irb.extrapolation.documents_to_review_interval(
        *segments, TARGET, confidence_level=LEVEL
    )
    distance, found = np.abs(drawn.recall - TARGET), {}
    for name, truth in truths(drawn).items():
        inside = holds(precision.low, precision.high, truth)
        enough = holds(documents.low, documents.high, drawn.relevant * TARGET / truth)
        for where, (least, most) in DISTANCES.items():
            some = (distance >= least) & (distance <= most) & ~np.isnan(truth)
            found[name, where] = [float(inside[some].mean()), float(enough[some].mean())]
    return found


def main() -> None:
    """Simulate and write the tables."""
    given = parser_of(__doc__).parse_args()
    warnings.simplefilter("ignore", irb.warnings.ExtrapolationWarning)
    scenarios = (irb.planning.SMALL, irb.planning.LEGAL)
    found = [simulate(each, 60 if given.quick else 2000, i) for i, each in enumerate(scenarios, 1)]
    others = [name for name in SHAPES if name != "the model's"]
    many, near = f"2 scenarios, {len(others)} other shapes", "within 0.1"
    own = [each["the model's", "all"][0] for each in found]
    close, far = ([each[x, where][0] for each in found for x in others] for where in (near, "all"))
    rows = [
        coverage_row(ASK, METHOD, "2 scenarios, curves of the model", own, own),
        coverage_row(f"{ASK}, other curves", METHOD, f"{many}, recall {near} of the target", close),
        coverage_row(f"{ASK}, other curves", METHOD, f"{many}, all recalls", far),
    ]
    shown = []
    for name in SHAPES:
        cells = [each[name, where] for where in DISTANCES for each in found]
        shown.append([name, *(f"{inside:.3f}, {enough:.3f}" for inside, enough in cells)])
    columns = [f"{where}, {each.name}" for where in DISTANCES for each in scenarios]
    lines = [
        *about(__doc__),
        "",
        *store("extrapolation", rows, given),
        "Coverage of precision and of the documents to review, by the true curve, the distance of",
        "recall from the target, and the scenario:",
        "",
        *table(["true curve", *columns], shown),
    ]
    publish("Coverage of intervals on extrapolated precision", lines, "extrapolation.md", given)


if __name__ == "__main__":
    main()
