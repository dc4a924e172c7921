"""Coverage where people label batch after batch, each drawn after the labels of the earlier ones
were seen, as `allocate_labels(labelled=…)` does.

    python benchmarks/studies/assisted_batches.py    # writes benchmarks/results/assisted_batches.md

The allocation of a later batch depends on earlier labels, so the numbers of labels by grade are
random and go with what the labels say.  The intervals take them as fixed.  The question is P@10 and
DCG@10 of `assisted_coverage.py`, with every third of its 33 judges.
"""

from __future__ import annotations

import numpy as np
from assisted_coverage import ALPHA, RESULTS, THRESHOLDS, first_system, read, strata

from irbounds.assisted.label_strata import LabelGroups
from irbounds.assisted.population import Population
from irbounds.assisted.weighted_sums import both_model_assisted

DRAWS, STEP = 300, 3  # every third judge
ALIKE, BY_GRADE = "alike", "by grade"
# batches: how each is drawn, and its labels
PLANS = (
    ((BY_GRADE, 40),),
    ((BY_GRADE, 20), (BY_GRADE, 20)),
    ((BY_GRADE, 10), (BY_GRADE, 10), (BY_GRADE, 20)),
    ((ALIKE, 20), (BY_GRADE, 20)),
    ((ALIKE, 10), (BY_GRADE, 20), (ALIKE, 10)),
)
Plan = tuple[tuple[str, int], ...]


def drawn(
    plan: Plan,
    grade: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    is_count: bool,
    rng: np.random.Generator,
) -> tuple[np.ndarray, LabelGroups]:
    """The labels of all batches, nan where there are none; and the groups."""
    raw = np.full(y.size, np.nan)

    def groups() -> LabelGroups:
        gain = (lambda g: (np.asarray(g) > 0).astype(float)) if is_count else np.asarray
        return LabelGroups(
            grade, raw, weight[None], gain, 1.0 if is_count else 3.0, False, is_count
        )

    for way, n in plan:
        now = groups()
        free = rng.permutation(np.flatnonzero(np.isnan(raw)))
        if way == ALIKE:
            chosen = free[:n]
        else:
            counts = now.allocated(n)
            of_free = now.group[free]
            chosen = np.concatenate([free[of_free == i][:k] for i, k in enumerate(counts)])
        raw[chosen] = y[chosen]
    return raw, groups()


def count_ends(raw: np.ndarray, groups: LabelGroups) -> tuple[float, float]:
    """The default's ends."""
    n = groups.size.size
    found = np.bincount(groups.group, np.nan_to_num(raw), n).astype(int).tolist()
    return strata(tuple(zip(groups.size.tolist(), groups.labelled.tolist(), found, strict=True)))[1]


def question(
    plan: Plan, grade: np.ndarray, y: np.ndarray, weight: np.ndarray, is_count: bool
) -> tuple[float, float]:
    """Coverage and mean width for one judge."""
    rng, truth, held, width = np.random.default_rng(22), float(weight @ y), 0, 0.0
    for _ in range(DRAWS):
        raw, groups = drawn(plan, grade, y, weight, is_count, rng)
        if is_count:
            low, high = count_ends(raw, groups)
        else:
            p = Population([], weight, grade, grade, raw, 25, 0, 3.0)
            _, low, high = both_model_assisted(p, ALPHA)[1]
        held += low <= truth + 1e-12 and high >= truth - 1e-12
        width += high - low
    return held / DRAWS, width / DRAWS


def main() -> None:
    """Measure all judges, and write the page."""
    truth, judges = read()
    ranking = first_system(judges)
    pool = [(query, doc, i) for query, docs in ranking.items() for i, doc in enumerate(docs[:10])]
    nist = np.array([float(truth[query, doc]) for query, doc, _ in pool])
    alike = np.full(nist.size, 1 / nist.size)
    discount = np.array([1 / np.log2(i + 2) for _, _, i in pool]) / len(ranking)
    questions = [(f"P(rel={r})@10", (nist >= r).astype(float), alike, True) for r in THRESHOLDS]
    questions.append(("DCG@10", nist, discount, False))
    lines = [
        "# Coverage of labels in batches",
        "",
        f"40 labels of 250 pairs in one, two or three batches; {DRAWS} samples for each of "
        f"{len(list(judges)[::STEP])} of the 33 judges (standard error of one judge 0.013, of the "
        "mean 0.004). *By grade*: allocated by "
        "Neyman after the labels of earlier batches were seen. *Alike*: a simple random sample of "
        "what is left. Intervals are the default's, nominal coverage 0.95. Coverage is the mean "
        "over judges (least to greatest), width the median. Made by "
        "`python benchmarks/studies/assisted_batches.py`.",
        "",
        "| measure | batches | coverage | width |",
        "|---|---|---|---|",
    ]
    for name, y, weight, is_count in questions:
        for plan in PLANS:
            rows = []
            for grades in list(judges.values())[::STEP]:
                grade = np.array([float(grades[query, doc]) for query, doc, _ in pool])
                rows.append(question(plan, grade, y, weight, is_count))
            strata.cache_clear()
            coverage, width = np.array(rows).T
            batches = " + ".join(f"{n} {way}" for way, n in plan)
            lines.append(
                f"| {name} | {batches} | {coverage.mean():.3f} ({coverage.min():.3f} to "
                f"{coverage.max():.3f}) | {np.median(width):.3f} |"
            )
            print(lines[-1], flush=True)
    (RESULTS / "assisted_batches.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
