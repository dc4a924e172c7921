"""Coverage of P@k and its differences, and power of plans, in designs drawn at random: systems,
cut-offs, thresholds, judges and numbers of labels.

    python benchmarks/studies/assisted_designs.py    # writes results/assisted_designs.md

It takes about four minutes.  Systems are the mean grades of the judges of one team; truth is what
NIST's assessors say (`assisted_coverage.py`).
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import NamedTuple

import numpy as np
from assisted_coverage import ALPHA, RESULTS, Grades, Pair, read, system

import irbounds as irb
from irbounds.assisted.estimators import both_by_strata
from irbounds.assisted.label_strata import LabelGroups
from irbounds.assisted.population import Population

TEAMS = ("h2oloo-", "TREMA-", "RMITIR-", "Olz-", "NISTRetrieval-", "prophet-", "willia-")
SEED, DESIGNS, DRAWS = 22, 300, 400
PLANS, PLAN_DRAWS, POWERS = 40, 100, (0.5, 0.8, 0.9)
CUT_OFFS, THRESHOLDS, LABELS = (5, 10, 20), (1, 2, 3), (20, 40, 60, 100, 150)
LEAST, MOST = 0.04, 0.2  # differences for which labels are planned
SAME = 1e-12
Ranking = dict[str, list[str]]


class Covered(NamedTuple):
    """One design: coverage of the posterior and of the default, and the ratio of their widths."""

    posterior: float
    default: float
    wider: float


def weights_of(runs: list[Ranking], k: int) -> dict[Pair, float]:
    """Of P@k of one run, or of the difference between two, without pairs that do not count."""
    found: dict[Pair, float] = defaultdict(float)
    for sign, run in zip((1, -1), runs, strict=False):
        for query, docs in run.items():
            for doc in docs[:k]:
                found[query, doc] += sign / (k * len(run))
    return {pair: w for pair, w in sorted(found.items()) if abs(w) > SAME}


def covered(
    rng: np.random.Generator,
    weights: dict[Pair, float],
    grades: Grades,
    truth: Grades,
    rel: int,
    n: int,
    is_by_grade: bool,
) -> Covered:
    """Resample the labels of one judge."""
    weight = np.array(list(weights.values()))
    grade, y = (
        np.array([float(of[pair] >= least) if least else float(of[pair]) for pair in weights])
        for of, least in ((grades, 0), (truth, rel))
    )
    judged, value = (grade >= rel).astype(float), float(weight @ y)
    groups = LabelGroups(
        grade,
        np.full(y.size, np.nan),
        weight[None],
        lambda g: (g >= rel).astype(float),
        is_count=True,
    )
    plan = groups.allocated(n)
    members = [np.flatnonzero(groups.group == i) for i in range(plan.size)]
    rows = []
    for _ in range(DRAWS):
        if is_by_grade:
            chosen = np.concatenate(
                [rng.permutation(m)[:k] for m, k in zip(members, plan, strict=True)]
            )
        else:
            chosen = rng.permutation(y.size)[:n]
        label = np.full(y.size, np.nan)
        label[chosen] = y[chosen]
        both = both_by_strata(
            Population([], weight, grade, judged, label, 25, 0, 1.0),
            ALPHA,
        )
        rows.extend(
            (each.low <= value + SAME and each.high >= value - SAME, each.high - each.low)
            for each in both
        )
    plain, moved = np.mean(rows[::2], axis=0), np.mean(rows[1::2], axis=0)
    return Covered(float(plain[0]), float(moved[0]), float(moved[1] / plain[1]))


def random_designs(
    truth: Grades, judges: dict[str, Grades], is_difference: bool
) -> dict[bool, list[Covered]]:
    """Designs drawn by grade (True) and drawn alike."""
    systems = [system(judges, (team,)) for team in TEAMS]
    rng, names = np.random.default_rng(SEED), list(judges)
    found: dict[bool, list[Covered]] = {True: [], False: []}
    while sum(map(len, found.values())) < DESIGNS:
        runs = [systems[i] for i in rng.choice(len(systems), 1 + is_difference, replace=False)]
        k, rel, n = (int(rng.choice(each)) for each in (CUT_OFFS, THRESHOLDS, LABELS))
        weights, grades = weights_of(runs, k), judges[names[rng.integers(len(names))]]
        is_by_grade = bool(rng.random() < 0.5)
        if n < len(weights):
            found[is_by_grade].append(covered(rng, weights, grades, truth, rel, n, is_by_grade))
    return found


def nested(pairs: Grades, only: set[Pair] | None = None) -> dict[str, dict[str, int]]:
    """{query: {document: grade}}"""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for query, doc in pairs if only is None else only:
        found[query][doc] = pairs[query, doc]
    return found


def plans(truth: Grades, judges: dict[str, Grades]) -> dict[float, list[tuple[float, float]]]:
    """{planned power: [(share of samples that show the difference, half width / planned one)]}"""
    systems = [system(judges, (team,)) for team in TEAMS]
    rng, names = np.random.default_rng(SEED), list(judges)
    found: dict[float, list[tuple[float, float]]] = {power: [] for power in POWERS}
    while sum(map(len, found.values())) < PLANS * len(POWERS):
        one, two = (systems[i] for i in rng.choice(len(systems), 2, replace=False))
        k, rel = int(rng.choice(CUT_OFFS)), int(rng.choice(THRESHOLDS[:2]))
        judge, power = nested(judges[names[rng.integers(len(names))]]), float(rng.choice(POWERS))
        weights = weights_of([one, two], k)
        value = sum(w * (truth[pair] >= rel) for pair, w in weights.items())
        if not LEAST <= abs(value) <= MOST or len(found[power]) == PLANS:
            continue
        runs = [
            {query: {doc: -i for i, doc in enumerate(docs)} for query, docs in each.items()}
            for each in (one, two)
        ]
        measure = f"P(rel={rel})@{k}"
        plan = irb.allocate_labels(judge, runs, measure, difference=abs(value), power=power, rng=0)
        shown, width = 0, 0.0
        for seed in range(PLAN_DRAWS):
            drawn = irb.allocate_labels(judge, runs, measure, n=len(plan.pairs), rng=seed)
            human = nested(truth, set(drawn.pairs))
            each = irb.assisted_interval(human, judge, runs[0], measure, against=runs[1])
            shown += each.low > 0 if value > 0 else each.high < 0
            width += (each.high - each.low) / 2
        found[power].append((shown / PLAN_DRAWS, width / PLAN_DRAWS / plan.half_width))
    return found


def main() -> None:
    """Measure both, and write the page."""
    truth, judges = read()
    lines = [
        "# P@k in designs drawn at random",
        "",
        f"{DESIGNS} designs a question, {DRAWS} samples each (standard error of one design 0.011; "
        "by chance alone about one of 33 designs that cover 95 % is below 0.93). A design has "
        f"one or two of {len(TEAMS)} systems, P@5, P@10 or P@20, a threshold of 1, 2 or 3, one of "
        "33 judges, and 20 to 150 labels. `strata` is the posterior, `strata-adjusted` the "
        "default. Made by `python benchmarks/studies/assisted_designs.py`.",
        "",
        "| measure | labels drawn | designs | method | mean coverage | least | below 0.93 |",
        "|---|---|---|---|---|---|---|",
    ]
    wider = []
    for is_difference in (False, True):
        for is_by_grade, rows in random_designs(truth, judges, is_difference).items():
            posterior, default, ratio = np.array(rows).T
            what = "P@k, difference" if is_difference else "P@k"
            drawn = "by grade" if is_by_grade else "alike"
            wider.append(f"{what} drawn {drawn} {ratio.mean():.2f}")
            for name, cover in (("strata", posterior), ("strata-adjusted", default)):
                lines.append(
                    f"| {what} | {drawn} | {cover.size} | {name} | {cover.mean():.3f} "
                    f"| {cover.min():.3f} | {(cover < 0.93).sum()} |"
                )
    lines += ["", f"Width of the default to that of the posterior: {', '.join(wider)}.", ""]
    lines += [
        "## Power of plans",
        "",
        f"`allocate_labels(difference=, power=)` for the true difference of two systems, {LEAST} "
        f"to {MOST}: {PLANS} designs for each power, {PLAN_DRAWS} samples each. *Shown* is the "
        "share of samples whose interval excludes 0 on the right side; *width* the mean half width "
        "beside the planned one.",
        "",
        "| planned power | shown, mean | middle 80 % of designs | width |",
        "|---|---|---|---|",
    ]
    for power, found in plans(truth, judges).items():
        shown, width = np.array(found).T
        low, high = np.quantile(shown, [0.1, 0.9])
        lines.append(
            f"| {power} | {shown.mean():.2f} | {low:.2f} to {high:.2f} | {width.mean():.2f} |"
        )
    text = "\n".join(lines) + "\n"
    (RESULTS / "assisted_designs.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    warnings.simplefilter("ignore", irb.warnings.AssistedWarning)
    main()
