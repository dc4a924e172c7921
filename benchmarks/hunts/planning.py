"""Plans for small reviews, and their coverage, against all samples, splits and sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, Relative
from tests.reference import planning as slow

COVERAGE = 1e-8
WIDTH = Relative(1e-3, 1e-6)  # the docstring's: a part of the width, or so much
NARROWEST = Relative(5e-3, 1e-6)  # part of the least width by which an allocation may be wider
ROUNDING = 1e-6  # by which a goal may be missed
SIDES = ("two-sided", "lower", "upper")
METHOD = {"method": "betabinom-half"}  # guaranteed bounds have tests of their own
TWINS = "all samples and splits, posteriors enumerated"
MOST = 100  # documents of a segment


def review(most: int, goal: str) -> Callable[[np.random.Generator], Arguments]:
    """Sizes and relevant documents of both segments, and what is asked about them; few documents
    are common, and so are few relevant ones."""

    def draw(rng: np.random.Generator) -> Arguments:
        sizes = [round(2 + (most - 2) * rng.random() ** 2) for _ in range(2)]
        relevant = [round(size * rng.random() ** rng.choice([0.3, 1, 3])) for size in sizes]
        relevant[0] += sum(relevant) == 0
        args: Arguments = {"segments": list(map(list, zip(sizes, relevant, strict=True)))}
        args["side"] = str(rng.choice(SIDES))
        if goal == "samples":
            args["samples"] = [int(rng.integers(1, size + 1)) for size in sizes]
        elif goal == "sample":
            args["sample"] = int(rng.integers(2, sum(sizes) + 1))
        elif goal == "width":
            args["width"] = float(rng.uniform(0.05, 0.9))
        else:
            most_likely = max(relevant[0], 0.5) / sum(relevant)
            args["target"] = min(1.0, float(rng.uniform(0.2, 1.05)) * most_likely)
            args["probability"] = float(rng.choice([0.5, 0.8, 0.95]))
        return args

    return draw


def assumed(args: Arguments) -> irb.AssumedReview:
    """The review as irbounds takes it; shares are what it takes, so counts are checked here."""
    for size, found in args["segments"]:
        if not 0 <= found <= size <= MOST or size < 1:
            raise irb.InputError("not a small review")
    return irb.AssumedReview.from_strata(
        *((size, found / size) for size, found in args["segments"])
    )


def segments(args: Arguments) -> Any:
    """The review as the twin takes it."""
    return tuple(map(tuple, args["segments"]))


def measured(args: Arguments) -> float:
    """Coverage of a design."""
    samples = dict(zip(("retrieved_sample", "unretrieved_sample"), args["samples"], strict=True))
    options = {"side": args["side"], "exact": True, "workers": 1, "progress": False}
    report = irb.coverage(assumed(args), "betabinom-half", **samples, **options)
    return float(report.coverage[0, 0])


def size_of(args: Arguments) -> float:
    """Documents to sample; 0 where the goal is not reached."""
    names = ("width",) if "width" in args else ("target", "probability")
    found = irb.sample_size(assumed(args), **{name: args[name] for name in names}, **METHOD)
    return float(found.sample or 0) if found.reached else 0.0


def true_size(args: Arguments) -> float:
    """The same of the twin."""
    known = segments(args)

    def reached(n: int) -> bool:
        if "width" in args:
            return bool(slow.narrowest(known, n) <= args["width"] + ROUNDING)
        likeliest = slow.likeliest(known, n, args["target"])
        return bool(likeliest >= args["probability"] - ROUNDING)

    return float(slow.sizes_that_reach(known, reached)[1] or 0)


def best_outcome(rng: np.random.Generator) -> Arguments:
    """Sizes of both segments, and a target."""
    sizes = [round(1 + 24 * rng.random() ** 2) for _ in range(2)]
    target = float(rng.uniform(0.01, 1) ** rng.choice([0.2, 1]))
    return {"sizes": sizes, "target": target, "side": str(rng.choice(SIDES[:2]))}


def least_sample(args: Arguments) -> float:
    total, first = sum(args["sizes"]), args["sizes"][0]
    if total > MOST:
        raise irb.InputError("not a small review")
    return float(
        irb.planning.least_sample(total, first, args["target"], side=args["side"], **METHOD) or 0
    )


HUNTS = [
    Hunt(
        "coverage",
        review(30, "samples"),
        measured,
        lambda args: slow.coverage(segments(args), tuple(args["samples"]), args["side"]),
        COVERAGE,
    ),
    Hunt(
        "least_sample",
        best_outcome,
        least_sample,
        lambda args: float(slow.least_sample(args["sizes"], args["target"], args["side"]) or 0),
        0.0,
    ),
    Hunt(
        "expected_width",
        review(60, "samples"),
        lambda args: irb.planning.expected_width(
            assumed(args), *args["samples"], side=args["side"], **METHOD
        ),
        lambda args: slow.width(segments(args), tuple(args["samples"]), args["side"]),
        WIDTH,
    ),
    Hunt(
        "allocate",
        review(20, "sample"),
        lambda args: (
            irb.planning.allocate(
                assumed(args), args["sample"], side=args["side"], **METHOD
            ).expected_width
        ),
        lambda args: slow.narrowest(segments(args), args["sample"], args["side"]),
        NARROWEST,
    ),
    Hunt("sample_size, width", review(9, "width"), size_of, true_size, 0.0),
    Hunt("sample_size, target", review(9, "target"), size_of, true_size, 0.0),
]
