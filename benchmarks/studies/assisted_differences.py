"""Coverage for differences of two systems and for measures that weight ranks, by resampling the
labels of real judges.

    python benchmarks/studies/assisted_differences.py    # writes results/assisted_differences.md

It takes five minutes; the posterior, which takes longest, sees every fifth sample.

Systems, truth and peers are those of `assisted_coverage.py`.  Pairs that count alike for both
systems are not labelled, as the interval does not need them.  RBP is cut off at 10.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from assisted_coverage import ALPHA, RESULTS, Pair, ppi, read, system

from irbounds.assisted.estimators import both_by_strata, human_alone
from irbounds.assisted.label_strata import LabelGroups
from irbounds.assisted.population import Population
from irbounds.assisted.weighted_sums import both_model_assisted, by_draws

DRAWS, STEP, SAMPLES = 200, 3, (40, 100)
POSTERIOR, EVERY = 500, 5  # draws of the posterior; samples from one to the next
RANK = np.arange(1, 11)
# name, weights of ranks, least relevant grade (None: graded)
MEASURES = (
    ("P(rel=2)@10", np.full(10, 0.1), 2),
    ("DCG@10", 1 / np.log2(RANK + 1), None),
    ("RBP(p=0.8,rel=2)@10", 0.2 * 0.8 ** (RANK - 1), 2),
    ("RBP(p=0.5,rel=1)@10", 0.5 * 0.5 ** (RANK - 1), 1),
)
Found = dict[str, list[tuple[bool, float]]]


def question(
    weight: np.ndarray,
    grade: np.ndarray,
    y: np.ndarray,
    n: int,
    rel: int | None,
    is_count: bool,
) -> dict[str, tuple[float, float]]:
    """Coverage and mean width of all methods for one judge."""
    rng, size, truth = np.random.default_rng(22), y.size, float(weight @ y)
    most = 3.0 if rel is None else 1.0
    judged = grade if rel is None else (grade >= rel).astype(float)
    groups = LabelGroups(
        grade,
        np.full(size, np.nan),
        weight[None],
        np.asarray if rel is None else (lambda g: (g >= rel).astype(float)),
        most,
        False,
        is_count,
    )
    plan = groups.allocated(n)
    members = [np.flatnonzero(groups.group == i) for i in range(plan.size)]
    found: Found = defaultdict(list)

    def add(method: str, low: float, high: float) -> None:
        found[method].append((low <= truth + 1e-12 and high >= truth - 1e-12, high - low))

    def population(chosen: np.ndarray) -> Population:
        label = np.full(size, np.nan)
        label[chosen] = y[chosen]
        return Population([], weight, grade, judged, label, 25, 0, most)

    for sample in range(DRAWS):
        chosen = rng.permutation(size)[:n]
        add("people alone", *human_alone(population(chosen), ALPHA)[1:])
        z, g = size * weight * y, size * weight * judged
        add("PPI++", *ppi(z[chosen], g[chosen], np.delete(g, chosen))[1:])
        p = population(
            np.concatenate([rng.permutation(m)[:k] for m, k in zip(members, plan, strict=True)])
        )
        if is_count:
            add("default", *both_by_strata(p, ALPHA)[1][1:])
        else:
            plain, moved = both_model_assisted(p, ALPHA)
            add("default", *moved[1:])
            add("model-assisted", *plain[1:])
            if sample % EVERY == 0:
                add("posterior", *by_draws(p, ALPHA, POSTERIOR, rng)[0][1:])
    return {
        method: tuple(np.mean(np.array(rows, float), axis=0).tolist())
        for method, rows in found.items()
    }


def main() -> None:
    """Measure all judges, and write the page."""
    truth, judges = read()
    one, two = (
        system(judges, prefixes)
        for prefixes in (("h2oloo-", "RMITIR-GPT4o", "Olz-gpt4o"), ("TREMA-",))
    )
    lines = [
        "# Coverage of differences and of weighted measures",
        "",
        f"{len(list(judges)[::STEP])} of the 33 judges, {DRAWS} samples each (standard error of "
        "one judge 0.015, of the mean 0.005; of the posterior 0.034 and 0.010); nominal coverage "
        "0.95. The default is `strata-adjusted` for P and `model-assisted-adjusted` elsewhere, on "
        "labels drawn by grade; people alone and PPI++ have simple random samples of the same "
        "pairs. Coverage is the mean over judges (least to greatest), width the median. Made by "
        "`python benchmarks/studies/assisted_differences.py`.",
        "",
        "| measure | labels | method | coverage | width |",
        "|---|---|---|---|---|",
    ]
    for name, ranks, rel in MEASURES:
        for is_difference in (False, True):
            if rel == 2 and name.startswith("P") and not is_difference:
                continue  # in assisted_coverage.md
            weights: dict[Pair, float] = defaultdict(float)
            for sign, ranking in ((1, one), (-1, two))[: 1 + is_difference]:
                for query, docs in ranking.items():
                    for doc, w in zip(docs[:10], ranks / len(one), strict=True):
                        weights[query, doc] += sign * w
            pool = sorted(pair for pair, w in weights.items() if abs(w) > 1e-15)
            weight = np.array([weights[pair] for pair in pool])
            y = np.array([float(truth[pair]) for pair in pool])
            y = y if rel is None else (y >= rel).astype(float)
            for n in SAMPLES:
                rows = defaultdict(list)
                for grades in list(judges.values())[::STEP]:
                    grade = np.array([float(grades[pair]) for pair in pool])
                    is_count = name.startswith("P(")
                    for method, row in question(weight, grade, y, n, rel, is_count).items():
                        rows[method].append(row)
                for method, found in rows.items():
                    coverage, width = np.array(found).T
                    what = f"{name}, difference" if is_difference else name
                    lines.append(
                        f"| {what} | {n} of {len(pool)} | {method} | {coverage.mean():.3f} "
                        f"({coverage.min():.3f} to {coverage.max():.3f}) "
                        f"| {np.median(width):.3f} |"
                    )
                    print(lines[-1], flush=True)
    (RESULTS / "assisted_differences.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
