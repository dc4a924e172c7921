"""Random variates: Cheng's beta sampler."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.draws import beta_cheng
from irbounds.foundation.arguments import check_numbers, check_rng, check_size
from irbounds.foundation.errors import InputError

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray, RNGLike


def random_beta(
    a: FloatOrArray, b: FloatOrArray, size: FloatOrArray = None, *, rng: RNGLike = None
) -> Any:
    """Beta variates by Cheng's algorithms BB and BC (1978).

    Parameters
    ----------
    a, b : float or array_like, from 1e-300 to 1e100
        Parameters; they broadcast, with each other and with `size`.
    size : int or tuple of int, optional
        Shape of the result; that of a and b broadcast by default.
    rng : None, int or numpy.random.Generator
        The same seed gives the same bits, whichever vector instructions the processor has.

    Returns
    -------
    float or ndarray
        Numbers in [0, 1], also for parameters as far apart as 1e-8 and 1e12.

    Raises
    ------
    InputError
        For parameters outside their range, or that do not broadcast.

    Examples
    --------
    >>> import irbounds as irb
    >>> x = irb.distributions.random_beta([10.5, 0.5], [90.5, 0.5], size=(100_000, 2), rng=1)
    >>> x.shape, x.mean(axis=0).round(2).tolist()
    ((100000, 2), [0.1, 0.5])
    """
    first, second = (
        check_numbers(
            name, value, "must be from 1e-300 to 1e100", lambda x: (x >= 1e-300) & (x <= 1e100)
        )
        for name, value in (("a", a), ("b", b))
    )
    lengths = check_size(size)
    try:
        pairs = np.broadcast_arrays(first, second)
        shape = pairs[0].shape if size is None else lengths
        if np.broadcast_shapes(shape, pairs[0].shape) != shape:
            raise ValueError
    except ValueError:
        raise InputError(
            f"`a`, `b` and `size` must broadcast; found shapes {first.shape}, {second.shape} "
            f"and {size}"
        ) from None
    # Axes over which the parameters do not change are drawn together, one pair of parameters after
    # the other.
    pair_shape = (1,) * (len(shape) - pairs[0].ndim) + pairs[0].shape
    repeated = [axis for axis, length in enumerate(pair_shape) if length == 1]
    kept = [axis for axis, length in enumerate(pair_shape) if length != 1]
    each = math.prod(shape[axis] for axis in repeated)
    flat_a, flat_b = (np.ascontiguousarray(pair, dtype=float).ravel() for pair in pairs)
    drawn = beta_cheng.fill(flat_a, flat_b, each, check_rng(rng).bit_generator)
    drawn = drawn.reshape([shape[axis] for axis in kept + repeated])
    result = np.ascontiguousarray(
        drawn.transpose(np.argsort(kept + repeated)) if shape else drawn
    ).reshape(shape)
    return result if result.ndim else float(result)
