"""Plans for small reviews, against all samples, splits and sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, last_answer
from tests.reference import planning as slow

WIDTH, LEAST = 1e-3, 1e-6  # the docstring's: a part of the width, or so much
NARROWEST = 5e-3           # part of the least width by which an allocation may be wider
SIDES = ("two-sided", "lower", "upper")


def review(rng: np.random.Generator, most: int) -> Arguments:
    """Sizes and relevant documents of both segments; few documents are common, and so are few relevant ones."""
    sizes = [int(round(2 + (most - 2) * rng.random() ** 2)) for _ in range(2)]
    relevant = [int(round(size * rng.random() ** rng.choice([0.3, 1, 3]))) for size in sizes]
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


def assumed(args: Arguments) -> irb.AssumedReview:
    """The review as irbounds takes it."""
    return irb.AssumedReview.from_strata(*((size, found / size) for size, found in args["segments"]))


def segments(args: Arguments) -> Any:
    """The review as the twin takes it."""
    return tuple(tuple(segment) for segment in args["segments"])


def size(found: irb.SampleSize, first: bool) -> float:
    """One of both sizes; 0 where the goal is not reached."""
    return float((found.first_size if first else found.sample) or 0) if found.reached else 0.0


def true_size(args: Arguments, first: bool) -> float:
    """The same of the twin."""
    known = segments(args)
    if "width" in args:
        sizes = slow.sizes_that_reach(known, lambda n: slow.narrowest(known, n) <= args["width"])
    else:
        sizes = slow.sizes_that_reach(
            known, lambda n: slow.likeliest(known, n, args["target"]) >= args["probability"])
    return float(sizes[0 if first else 1] or 0)


true_width = last_answer(lambda args: slow.width(segments(args), tuple(args["samples"]), args["side"]))
least_width = last_answer(lambda args: slow.narrowest(segments(args), args["sample"], args["side"]))

HUNTS = [
    Hunt("expected_width", drawn(60, "samples"),
         lambda args: irb.expected_width(assumed(args), *args["samples"], side=args["side"]), true_width,
         lambda args: WIDTH * abs(true_width(args)) + LEAST),
    Hunt("expected_width, one sample", drawn(14, "sample"),
         lambda args: irb.expected_width(assumed(args), sample=args["sample"], side=args["side"]),
         lambda args: slow.single_sample(segments(args), args["sample"], lambda samples: slow.width(
             segments(args), samples, args["side"])), 2e-3, seconds=2.0),
    Hunt("allocate", drawn(20, "sample"),
         lambda args: irb.allocate(assumed(args), args["sample"], side=args["side"]).expected_width, least_width,
         lambda args: NARROWEST * abs(least_width(args)) + LEAST, seconds=2.0),
    Hunt("sample_size, width", drawn(12, "width"),
         lambda args: size(irb.sample_size(assumed(args), width=args["width"]), False),
         lambda args: true_size(args, False), 0.0, seconds=5.0),
    Hunt("sample_size, target", drawn(12, "target"),
         lambda args: size(irb.sample_size(assumed(args), target=args["target"],
                                           probability=args["probability"]), False),
         lambda args: true_size(args, False), 0.0, seconds=5.0),
    Hunt("sample_size, first size for a target", drawn(12, "target"),
         lambda args: size(irb.sample_size(assumed(args), target=args["target"],
                                           probability=args["probability"]), True),
         lambda args: true_size(args, True), 0.0, seconds=5.0),
]
