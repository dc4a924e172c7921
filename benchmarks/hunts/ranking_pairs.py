"""`compare_rankings`: pairs of weak orderings of up to six documents."""

from __future__ import annotations

import numpy as np

import irbounds as irb
from hunts import Arguments, Hunt, NoTwinError
from hunts._draws import one_of, whole
from tests.reference import two_rankings as slow

TWINS = "all orders of both rankings"
MOST_ORDERS = 5000
PARTS = "values", "low", "high"
CORRELATIONS = {"Tau": slow.tau, "TauAP": slow.tau_ap, "Spearman": slow.spearman}


def pair(rng: np.random.Generator) -> Arguments:
    """Groups of both, a measure, and which of mean, least and greatest."""
    rankings = []
    for _ in range(2):
        documents = rng.permutation(7)[: whole(rng, 1, 6)].tolist()
        level = np.sort(rng.integers(0, whole(rng, 1, 6), len(documents)))
        rankings.append(
            [[d for d, x in zip(documents, level, strict=True) if x == y] for y in set(level)]
        )
    return {
        "rankings": rankings,
        "measure": one_of(rng, ["Overlap", "RBO", "RBO@", *CORRELATIONS]),
        "k": whole(rng, 1, 8),
        "p": whole(rng, 1, 99) / 100,
        "part": one_of(rng, list(PARTS)),
    }


def value(args: Arguments) -> float:
    runs = (
        {"q": {str(d): -float(i) for i, group in enumerate(groups) for d in group}}
        for groups in args["rankings"]
    )
    names = {
        "Overlap": f"Overlap@{args['k']}",
        "RBO": f"RBO(p={args['p']})",
        "RBO@": f"RBO(p={args['p']})@{args['k']}",
    }
    name = names.get(args["measure"], args["measure"])
    found = irb.rankings.compare_rankings(*runs, name, bounds=True)
    return float(getattr(found, args["part"])[0, 0])


def truth(args: Arguments) -> float:
    """Enumeration of the orders of both."""
    (a, b), k, p = args["rankings"], args["k"], args["p"]
    functions = {
        "Overlap": lambda x, y: slow.overlap(x, y, k),
        "RBO": lambda x, y: slow.rbo(x, y, p),
        "RBO@": lambda x, y: slow.rbo_sum(x, y, p, k),
        **CORRELATIONS,
    }
    if args["measure"] in CORRELATIONS:
        a, b = slow.completed(a, b), slow.completed(b, a)
    if slow.n_orders(a) * slow.n_orders(b) > MOST_ORDERS:
        raise NoTwinError
    return float(slow.over_orders(functions[args["measure"]], a, b)[PARTS.index(args["part"])])


HUNTS = [Hunt("compare_rankings", pair, value, truth, 1e-12)]
