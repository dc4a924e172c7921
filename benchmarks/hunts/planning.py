"""Plans for small reviews, and their coverage, against all samples, splits and sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, last_answer
from tests.reference import planning as slow

WIDTH, LEAST = 1e-3, 1e-6  # the docstring's: a part of the width, or so much
NARROWEST = 5e-3  # part of the least width by which an allocation may be wider
MANY_SPLITS = 0.05  # of the designs, beyond the 33 splits to which all are summed: half a second
ROUNDING = 1e-6  # by which a goal may be missed
SIDES = ("two-sided", "lower", "upper")
HALF = "betabinom-half"  # the twins have the half prior; guaranteed bounds have hunts of their own


def review(rng: np.random.Generator, most: int) -> Arguments:
    """Sizes and relevant documents of both segments; few documents are common, and so are few
    relevant ones."""
    sizes = [round(2 + (most - 2) * rng.random() ** 2) for _ in range(2)]
    relevant = [round(size * rng.random() ** rng.choice([0.3, 1, 3])) for size in sizes]
    if sum(relevant) == 0:
        relevant[0] = 1
    return {"segments": [[size, found] for size, found in zip(sizes, relevant, strict=True)]}


def drawn(most: int, goal: str) -> Any:
    """Draws a review and what is asked about it."""

    def draw(rng: np.random.Generator) -> Arguments:
        asked = review(rng, most)
        sizes = [size for size, _ in asked["segments"]]
        asked["side"] = str(rng.choice(SIDES))
        if goal == "samples":
            asked["samples"] = [int(rng.integers(1, size + 1)) for size in sizes]
        elif goal == "sample":
            asked["sample"] = int(rng.integers(2, sum(sizes) + 1))
        elif goal == "width":
            asked["width"] = float(rng.uniform(0.05, 0.9))
        else:
            (_, found), (_, missed) = asked["segments"]
            asked["target"] = float(rng.uniform(0.2, 1.05)) * max(found, 0.5) / (found + missed)
            asked["target"] = min(1.0, asked["target"])
            asked["probability"] = float(rng.choice([0.5, 0.8, 0.95]))
        return asked

    return draw


def mostly_small(goal: str) -> Any:
    """A quarter of the reviews are as large as the twin of all samples can take."""
    small, large = drawn(7, goal), drawn(12, goal)
    return lambda rng: (large if rng.random() < 0.25 else small)(rng)


def assumed(args: Arguments) -> irb.AssumedReview:
    """The review as irbounds takes it; shares are what it takes, so that counts are checked
    here."""
    for size, found in args["segments"]:
        if not 0 <= found <= size or size < 1:
            raise irb.InputError(
                "there must be documents, and no more relevant ones than documents"
            )
    return irb.AssumedReview.from_strata(
        *((size, found / size) for size, found in args["segments"])
    )


def segments(args: Arguments) -> Any:
    """The review as the twin takes it."""
    return tuple(tuple(segment) for segment in args["segments"])


def best_outcome(rng: np.random.Generator) -> Arguments:
    """Sizes of both segments, and a target."""
    sizes = [round(1 + 24 * rng.random() ** 2) for _ in range(2)]
    return {
        "sizes": sizes,
        "target": float(rng.uniform(0.01, 1) ** rng.choice([0.2, 1])),
        "side": str(rng.choice(SIDES[:2])),
    }


def measured(args: Arguments) -> float:
    """Coverage of a design."""
    report = irb.coverage(
        assumed(args),
        "betabinom-half",
        retrieved_sample=args["samples"][0],
        unretrieved_sample=args["samples"][1],
        side=args["side"],
        exact=True,
        workers=1,
        progress=False,
    )
    return float(report.coverage[0, 0])


def size(found: irb.planning.SampleSize, first: bool) -> float:
    """One of both sizes; 0 where the goal is not reached."""
    return float((found.first_size if first else found.sample) or 0) if found.reached else 0.0


def true_size(args: Arguments, first: bool) -> float:
    """The same of the twin."""
    known = segments(args)
    if "width" in args:
        sizes = slow.sizes_that_reach(
            known, lambda n: slow.narrowest(known, n) <= args["width"] + ROUNDING
        )
    else:
        sizes = slow.sizes_that_reach(
            known,
            lambda n: slow.likeliest(known, n, args["target"]) >= args["probability"] - ROUNDING,
        )
    return float(sizes[0 if first else 1] or 0)


true_single_width = last_answer(
    lambda args: slow.single_sample(
        segments(args),
        args["sample"],
        lambda samples: slow.width(segments(args), samples, args["side"]),
    )
)
true_width = last_answer(
    lambda args: slow.width(segments(args), tuple(args["samples"]), args["side"])
)
least_width = last_answer(lambda args: slow.narrowest(segments(args), args["sample"], args["side"]))

HUNTS = [
    Hunt(
        "coverage",
        drawn(30, "samples"),
        measured,
        lambda args: slow.coverage(segments(args), tuple(args["samples"]), args["side"]),
        1e-8,
    ),
    Hunt(
        "least_sample",
        best_outcome,
        lambda args: float(
            irb.planning.least_sample(
                sum(args["sizes"]),
                args["sizes"][0],
                args["target"],
                side=args["side"],
                method="betabinom-half",
            )
            or 0
        ),
        lambda args: float(slow.least_sample(args["sizes"], args["target"], args["side"]) or 0),
        0.0,
    ),
    Hunt(
        "expected_width",
        drawn(60, "samples"),
        lambda args: irb.planning.expected_width(
            assumed(args), *args["samples"], side=args["side"], method=HALF
        ),
        true_width,
        lambda args: WIDTH * abs(true_width(args)) + LEAST,
    ),
    Hunt(
        "expected_width, one sample",
        lambda rng: drawn(90 if rng.random() < MANY_SPLITS else 14, "sample")(rng),
        lambda args: irb.planning.expected_width(
            assumed(args), sample=args["sample"], side=args["side"], method=HALF
        ),
        true_single_width,
        lambda args: WIDTH * abs(true_single_width(args)) + LEAST,
        seconds=2.0,
    ),
    Hunt(
        "allocate",
        drawn(20, "sample"),
        lambda args: (
            irb.planning.allocate(
                assumed(args), args["sample"], side=args["side"], method=HALF
            ).expected_width
        ),
        least_width,
        lambda args: NARROWEST * abs(least_width(args)) + LEAST,
        seconds=2.0,
    ),
    Hunt(
        "sample_size, width",
        mostly_small("width"),
        lambda args: size(irb.sample_size(assumed(args), width=args["width"]), False),
        lambda args: true_size(args, False),
        0.0,
        seconds=5.0,
    ),
    Hunt(
        "sample_size, target",
        mostly_small("target"),
        lambda args: size(
            irb.sample_size(
                assumed(args),
                target=args["target"],
                probability=args["probability"],
                method="betabinom-half",
            ),
            False,
        ),
        lambda args: true_size(args, False),
        0.0,
        seconds=5.0,
    ),
    Hunt(
        "sample_size, first size for a target",
        mostly_small("target"),
        lambda args: size(
            irb.sample_size(
                assumed(args),
                target=args["target"],
                probability=args["probability"],
                method="betabinom-half",
            ),
            True,
        ),
        lambda args: true_size(args, True),
        0.0,
        seconds=5.0,
    ),
]
