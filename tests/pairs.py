"""Tables of two systems on the same objects."""

import numpy as np

SMALL = [[[9, 1], [2, 0]], [[3, 2], [1, 0]]]
USUAL = [[[100, 4], [7, 26]], [[20, 5], [9, 71]]]
EMPTY = np.zeros((2, 2, 2))
# The fault that brought this class: b is a, but for nine relevant objects that it also misses.
FAULT = [[[500, 0], [0, 20]], [[20, 0], [9, 171]]]
MEASURES = ("f", "precision", "recall", "accuracy", "specificity", "negative_predictive_value")


def draws(table, n, seed=1, prior=0.5):
    """Differences of F1, precision and F2 by draws of all eight cells, written out."""
    rng = np.random.default_rng(seed)
    _, y01, y10, y11, x00, x01, x10, x11 = (
        rng.standard_gamma(c, n) for c in np.ravel(table) + prior
    )
    tp = x11 + x10, x11 + x01
    fp, fn = (y11 + y10, y11 + y01), (x01 + x00, x10 + x00)
    of_a, of_b = (
        {"f": 2 * t / (2 * t + p + m), "precision": t / (t + p), "f2": 5 * t / (5 * t + 4 * m + p)}
        for t, p, m in zip(tp, fp, fn, strict=True)
    )
    return {name: of_a[name] - of_b[name] for name in of_a}
