"""PPI and PPI++ of assisted_coverage.py beside those of ppi-python itself, on samples of the same
questions.

    pip install ppi-python==0.2.3
    python benchmarks/studies/assisted_peers.py    # writes benchmarks/results/assisted_peers.md

ppi-python compiles its functions, so the study of coverage has its formulas in NumPy.  This says
how far they differ.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from assisted_coverage import ALPHA, RESULTS, SAMPLES, THRESHOLDS, ppi, read
from judged_pairs import first_pairs

DRAWS = 100
POWERS = {"PPI": 1.0, "PPI++": None}


def ppi_python() -> Callable[..., Any]:
    """`ppi_mean_ci`.  Numba, which it needs, imports a module `coverage`; this folder has another
    one of that name."""
    here, path = Path(__file__).resolve().parent, sys.path.copy()
    sys.path[:] = [each for each in path if Path(each).resolve() != here]
    try:
        from ppi_py import ppi_mean_ci
    finally:
        sys.path[:] = path
    return ppi_mean_ci  # type: ignore[no-any-return]


def main() -> None:
    """Compare, and write the page; a difference beyond rounding is an error."""
    theirs, release = ppi_python(), version("ppi-python")
    truth, judges = read()
    pool = first_pairs(judges)
    samples, lost, most = Counter[str](), Counter[str](), dict.fromkeys(POWERS, 0.0)
    warnings.simplefilter("ignore")  # its divisions by 0
    for judge, rel, n in product(judges.values(), THRESHOLDS, SAMPLES):
        y = np.array([float(truth[pair] >= rel) for pair in pool])
        f = np.array([float(judge[pair] >= rel) for pair in pool])
        rng = np.random.default_rng([rel, n])
        for _ in range(DRAWS):
            chosen = rng.permutation(y.size)[:n]
            rest = np.delete(f, chosen)
            for name, power in POWERS.items():
                more = {} if power is None else {"lam": power}
                ends = np.ravel(theirs(y[chosen], f[chosen], rest, alpha=2 * ALPHA, **more))
                samples[name] += 1
                if np.isnan(ends).any():
                    lost[name] += 1
                    continue
                ours = ppi(y[chosen], f[chosen], rest, power)[1:]
                most[name] = max(most[name], float(np.abs(ends - ours).max()))
    if max(most.values()) > 1e-12:
        sys.exit(f"the formulas are not those of ppi-python: they differ by {most}")
    lines = [
        "# PPI by its formulas and by ppi-python",
        "",
        f"95 % intervals on P@10 of 250 pairs by the {len(judges)} judges, both thresholds, "
        f"{', '.join(map(str, SAMPLES))} labels, {DRAWS} samples each: the largest difference of "
        f"an end between the formulas that the studies use and ppi-python {release}, and samples "
        "for which ppi-python gives nan, as it may where the judge calls all pairs relevant; there "
        "the studies take λ = 0. Made by `python benchmarks/studies/assisted_peers.py`.",
        "",
        "| method | samples | largest difference | nan |",
        "|---|---|---|---|",
        *(f"| {x} | {samples[x]:,} | {most[x]:.1g} | {lost[x]:,} |" for x in POWERS),
    ]
    (RESULTS / "assisted_peers.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
