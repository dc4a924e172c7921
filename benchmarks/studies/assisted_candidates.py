"""Other priors, other ends and other allocations for the intervals of strata by a judge's grades:
how narrow is each if its level is chosen so that it just covers?

    python benchmarks/studies/assisted_candidates.py

writes benchmarks/results/assisted_candidates.md.

The question is that of assisted_exact.py: P@10 of 250 pairs, 33 judges, two thresholds, 20 labels
drawn by grade, all samples enumerated.  Each candidate gets the widest tails with which its least
coverage over the 66 questions is still 0.93: a level that nobody could choose who does not know the
answers, and so a lower bound of what a choice in advance has.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from assisted_coverage import RESULTS, THRESHOLDS, read
from judged_pairs import first_pairs, grades_of, groups_of, widths_of_ppi
from scipy.stats import betabinom, hypergeom

from irbounds.assisted.estimators import FORGIVEN

LABELS, LEAST_COVERAGE, SAME = 20, 0.93, 1e-9
ALPHAS = np.arange(
    0.005, 0.0901, 0.0025
)  # the probability beyond each end, or half of that of both
NEGLIGIBLE = 1e-10
# name: the documents of a prior, at which share it lies, whether all strata share one
PRIORS = {
    "½ + ½ in each grade": ("half", 1.0),
    "½ + ½ for all grades": ("shared", 1.0),
    "1 in each grade, at the share of all labels": ("centred", 1.0),
    "2 in each grade, at the share of all labels": ("centred", 2.0),
    "4 in each grade, at the share of all labels": ("centred", 4.0),
    "½ of one in each grade, at the share of all labels": ("centred", 0.5),
}
ENDS = "equal tails", "equal tails, moved outward", "shortest"


class Design:
    """Strata of one judge, and all samples of them."""

    def __init__(self, size: np.ndarray, relevant: np.ndarray, plan: np.ndarray) -> None:
        self.size, self.plan = size.astype(int), plan.astype(int)
        self.total, self.truth = int(size.sum()), int(relevant.sum())
        counts = np.array([*product(*(range(n + 1) for n in self.plan.tolist()))])
        weight = np.ones(len(counts))
        for found, each in zip(
            counts.T, zip(self.size, relevant, self.plan, strict=True), strict=True
        ):
            total, right, n = map(int, each)
            weight *= hypergeom(total, right, n).pmf(np.arange(n + 1))[found]
        likely = weight > NEGLIGIBLE
        self.counts, self.weight = counts[likely], weight[likely]

    def parameters(self, kind: str, documents: float) -> tuple[np.ndarray, np.ndarray]:
        """Those of the beta posteriors, a row for each sample and a column for each stratum."""
        x, n = self.counts, self.plan
        share = np.full(x.shape, 0.5)
        if kind == "centred":
            share = ((x.sum(axis=1) + 0.5) / (n.sum() + 1))[:, None] * np.ones(x.shape)
        if kind == "shared":
            documents /= self.size.size
        return documents * share + x, documents * (1 - share) + n - x

    def laws(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The posterior of the relevant pairs, a row for each sample."""
        points = 1 << int(self.total).bit_length()
        spectrum = np.ones((len(a), points // 2 + 1), complex)
        for i, unseen in enumerate((self.size - self.plan).tolist()):
            rows, inverse = np.unique(
                np.column_stack([a[:, i], b[:, i]]), axis=0, return_inverse=True
            )
            masses = betabinom.pmf(np.arange(unseen + 1), unseen, rows[:, :1], rows[:, 1:])
            spectrum *= np.fft.rfft(masses, points, axis=1)[inverse.ravel()]
        unseen = np.maximum(np.fft.irfft(spectrum, points, axis=1)[:, : self.total + 1], 0)
        seen = self.counts.sum(axis=1)
        return np.array(
            [
                np.concatenate([np.zeros(s), row[: row.size - s]])
                for s, row in zip(seen, unseen, strict=True)
            ]
        )

    def moves(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """What `moved_outward` of assisted/estimators.py adds; below 0 for lower ends."""
        unseen, n = (self.size - self.plan).astype(float), self.plan
        is_seen = n > 0
        share = (self.counts[:, is_seen] / n[is_seen]) @ self.size[is_seen]
        centre = (n.sum() * share / self.size[is_seen].sum() + 0.5) / (n.sum() + 1)
        k = max(1, int((unseen > 0).sum()))
        pulled = ((centre[:, None] - 0.5) * unseen / (a + b)).sum(axis=1) * (1 - 1 / k)
        variance = unseen * a * b * (a + b + unseen) / ((a + b) ** 2 * (a + b + 1))
        least = FORGIVEN * np.sqrt(variance.sum(axis=1))
        return np.sign(pulled) * np.rint(np.maximum(0, abs(pulled) - least))

    def results(self, low: np.ndarray, high: np.ndarray) -> tuple[float, float]:
        """Coverage and mean width."""
        seen = self.counts.sum(axis=1)
        low = np.where(seen == 0, 0, np.maximum(low, seen))
        high = np.where(seen == self.plan.sum(), self.total, high)
        high = np.minimum(high, self.total - (self.plan.sum() - seen))
        holds = (low <= self.truth) & (self.truth <= high)
        return float(self.weight @ holds), float(self.weight @ (high - low)) / self.total


def shortest(law: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """The fewest numbers in a row that have the level, the likeliest of these."""
    below = np.concatenate([np.zeros((len(law), 1)), np.cumsum(law, axis=1)], axis=1)
    low, high = np.empty(len(law), int), np.empty(len(law), int)
    for i, each in enumerate(below):
        ends = np.searchsorted(each, each[:-1] + level - SAME)
        fits = ends < each.size
        begin = np.flatnonzero(fits)
        length = ends[fits] - begin
        best = begin[length == length.min()]
        mass = each[best + length.min()] - each[best]
        low[i] = best[mass.argmax()]
        high[i] = low[i] + length.min() - 1
    return low, high


def candidates(design: Design) -> Iterator[tuple[str, str, float, tuple[float, float]]]:
    """Prior, ends, alpha, and (coverage, width)."""
    for name, (kind, documents) in PRIORS.items():
        a, b = design.parameters(kind, documents)
        law, move = design.laws(a, b), design.moves(a, b)
        below = np.cumsum(law, axis=1)
        for alpha in ALPHAS.tolist():
            low = (below < alpha - SAME).sum(axis=1)
            high = (below < 1 - alpha - SAME).sum(axis=1)
            yield name, ENDS[0], alpha, design.results(low, high)
            if kind != "centred":
                ends = low + np.minimum(move, 0), high + np.maximum(move, 0)
                yield name, ENDS[1], alpha, design.results(*ends)
            yield name, ENDS[2], alpha, design.results(*shortest(law, 1 - 2 * alpha))


def strata(grade: np.ndarray, y: np.ndarray, rel: int) -> Iterator[tuple[str, Design]]:
    """The judge's strata as the default draws them, by true rates, joined to two, and to one."""
    for name, values in (
        ("grades", grade),
        ("two strata", (grade >= rel).astype(float)),
        ("no judge", np.zeros(grade.size)),
    ):
        groups = groups_of(values)
        relevant = np.bincount(groups.group, y, minlength=groups.size.size)
        yield name, Design(groups.size, relevant, groups.allocated(LABELS))
        if name == "grades":
            share = (relevant + 0.5) / (groups.size + 1)
            ideal = groups.size * np.sqrt(share * (1 - share))
            yield (
                "grades, Neyman by true rates",
                Design(groups.size, relevant, whole(ideal, groups.size)),
            )


def whole(ideal: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Numbers of labels in proportion, at least one of each stratum."""
    plan = np.minimum(1, size).astype(int)
    while plan.sum() < LABELS:
        behind = np.where(plan < size, ideal / (plan + 0.5), -1.0)
        plan[behind.argmax()] += 1
    return plan


def main() -> None:
    """Measure all judges, and write the page."""
    truth, judges = read()
    pool = first_pairs(judges)
    peers = widths_of_ppi()
    found: dict[tuple[str, str, str], dict[float, list[tuple[int, float, float]]]] = {}
    for name, grades in judges.items():
        grade = grades_of(grades, pool)
        for rel in THRESHOLDS:
            y = np.array([float(truth[pair] >= rel) for pair in pool])
            for kind, design in strata(grade, y, rel):
                for prior, ends, alpha, (coverage, width) in candidates(design):
                    rows = found.setdefault((kind, prior, ends), {}).setdefault(alpha, [])
                    rows.append((rel, coverage, width / peers[name, rel, LABELS]))
        print(name, flush=True)
    write(found)


def numbers(rows: list[tuple[int, float, float]]) -> str:
    """The least coverage, and the medians of ratios for each threshold and both."""
    rel, coverage, ratio = np.array(rows).T
    medians = [np.median(ratio[rel == each]) for each in THRESHOLDS]
    return " | ".join(
        [f"{coverage.min():.3f}", *(f"{each:.2f}" for each in [*medians, np.median(ratio)])]
    )


def write(found: dict[tuple[str, str, str], dict[float, list[tuple[int, float, float]]]]) -> None:
    """The page."""
    lines = [
        "# Other priors, ends and allocations",
        "",
        f"P@10 of 250 pairs, 33 judges, {LABELS} labels drawn by grade, all samples enumerated. "
        "Coverage is the least of both thresholds and all judges; *rel=1*, *rel=2* and *both* are "
        "medians of the ratio of mean widths to that of PPI++. First at 0.05 beyond both ends, "
        f"then at the largest probability beyond with which {LEAST_COVERAGE} are still covered, "
        "which nobody knows beforehand; none is as small as 0.01. Made by "
        "`python benchmarks/studies/assisted_candidates.py`.",
        "",
        "| strata | prior | ends | coverage | rel=1 | rel=2 | both | beyond | coverage | rel=1 "
        "| rel=2 | both |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    nominal = min(ALPHAS.tolist(), key=lambda x: abs(x - 0.025))
    for (kind, prior, ends), by_alpha in found.items():
        fits = [
            alpha
            for alpha, rows in by_alpha.items()
            if min(coverage for _, coverage, _ in rows) >= LEAST_COVERAGE
        ]
        head = f"| {kind} | {prior} | {ends} | {numbers(by_alpha[nominal])} |"
        widest = f" {2 * max(fits):.3f} | {numbers(by_alpha[max(fits)])} |" if fits else ""
        lines.append(head + (widest or " none | | | | |"))
    (RESULTS / "assisted_candidates.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
