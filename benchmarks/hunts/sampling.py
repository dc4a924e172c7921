"""Random variates: none outside its range, whatever the parameters. Their law is for the tests."""

from __future__ import annotations

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt
from hunts._draws import positive

DRAWS = 2000


def parameters(rng: np.random.Generator) -> Arguments:
    """Far apart as a rule."""
    low, high = (1e-300, 1e100) if rng.random() < 0.5 else (1e-3, 1e12)
    return {
        "a": positive(rng, low, high),
        "b": positive(rng, low, high),
        "seed": int(rng.integers(2**31)),
    }


def outside(args: Arguments) -> float:
    """How many draws are no number from 0 to 1."""
    drawn = irb.distributions.random_beta(args["a"], args["b"], DRAWS, rng=abs(args["seed"]))
    return float(np.count_nonzero(~((drawn >= 0) & (drawn <= 1))))


HUNTS = [Hunt("random_beta", parameters, outside, lambda args: 0.0, 0.0)]
