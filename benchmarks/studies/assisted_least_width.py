"""The least mean width that any interval with a coverage of 95 or 93 % can have, from 20 labels of
the judges' pairs.

    python benchmarks/studies/assisted_least_width.py  # writes results/assisted_least_width.md

The mean number of values in an interval is the sum over values t of the probability that it holds t
(Pratt 1961).  An interval with coverage 1 - α leaves out t, where t is true, with a probability of
at most α, so it is a test of level α; where something else is true it holds t at least as often as
the most powerful test does not reject it.  The most powerful test of one population against the
true one is Neyman and Pearson's, and any population with the sum t gives a lower bound.

Such an interval knows the truth: it is narrow there and wide elsewhere.  The second table has the
interval, of people alone, whose width is least in the mean over all shares from 0 to 1: for each t
it holds those samples whose probability is largest beside their mean probability over all t.

The third table has the like for samples that are drawn by grade, and for somebody who knows how the
judge's grades differ: the true log odds of two grades differ by what they do on these pairs, and
only the level is unknown.  So there is one population for each t, and the interval of least mean
width holds t where its probability is largest beside the mean one.  The mean is by weights of
Beta(a, a) over the shares; the less a is, the more the shares near 0 and 1 count.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from assisted_coverage import Grades, read
from judged_pairs import Pairs, first_pairs, grades_of, groups_of, widths_of_ppi
from scipy.optimize import brentq
from scipy.stats import beta, hypergeom

RESULTS = Path(__file__).resolve().parents[1] / "results" / "assisted_least_width.md"
LABELS, LEVELS, THRESHOLDS = 20, (0.95, 0.93), (1, 2)
WEIGHTS = (0.25, 0.5, 0.75, 1.0, 2.0)


def sample_law(size: np.ndarray, relevant: np.ndarray, plan: np.ndarray) -> np.ndarray:
    """The probabilities of all outcomes of samples of strata."""
    law = np.ones(1)
    for total, right, n in zip(size.tolist(), relevant.tolist(), plan.tolist(), strict=True):
        law = np.multiply.outer(law, one_law(int(total), int(right), int(n))).ravel()
    return law


@cache
def one_law(size: int, relevant: int, n: int) -> np.ndarray:
    """Hypergeometric."""
    return hypergeom(size, relevant, n).pmf(np.arange(n + 1))


def least_error(null: np.ndarray, true: np.ndarray, alpha: float) -> float:
    """The least probability, under `true`, that a test of level alpha accepts `null`."""
    ratio = np.divide(true, null, out=np.where(true > 0, np.inf, 0.0), where=null > 0)
    order = np.argsort(-ratio)
    level, power = (np.concatenate([[0.0], np.cumsum(law[order])]) for law in (null, true))
    return 1 - float(np.interp(alpha, level, power))


def near(size: np.ndarray, relevant: np.ndarray, plan: np.ndarray, total: int) -> np.ndarray:
    """A population with another sum that samples tell badly from this one: differences go to strata
    in proportion to their parts of the variance."""
    share = np.clip(relevant / size, 0.02, 0.98)
    variance = size**2 * share * (1 - share) / np.maximum(plan, 1)
    found = relevant + variance / variance.sum() * (total - relevant.sum())
    found = np.clip(np.rint(found), 0, size)
    while found.sum() != total:
        step = np.sign(total - found.sum())
        open_to = np.flatnonzero((found + step >= 0) & (found + step <= size))
        found[open_to[np.argmax(variance[open_to])]] += step
    return found


def least_width(size: np.ndarray, relevant: np.ndarray, plan: np.ndarray, alpha: float) -> float:
    """As a share of the pairs, between the ends."""
    true, total = sample_law(size, relevant, plan), int(size.sum())
    held = sum(
        least_error(sample_law(size, near(size, relevant, plan, t), plan), true, alpha)
        for t in range(total + 1)
        if t != relevant.sum()
    )
    return (held - alpha) / total


def even_width(relevant: int, size: int, n: int, level: float) -> float:
    """The mean width, for one number of relevant documents, of the interval from a simple random
    sample that is narrowest in the mean over all these numbers."""
    laws = np.array([one_law(size, t, n) for t in range(size + 1)])
    return mean_width(laws, np.full(size + 1, 1 / (size + 1)), relevant, level)


def mean_width(laws: np.ndarray, weights: np.ndarray, relevant: int, level: float) -> float:
    """The mean width where law `relevant` is true, of the interval that holds each t with a
    probability of `level` and is narrowest in the weighted mean over all t."""
    ratio = laws / np.maximum(weights @ laws, 1e-300)
    held = 0.0
    for t, law in enumerate(laws):
        order = np.argsort(-ratio[t], kind="stable")
        before = np.cumsum(law[order]) - law[order]
        part = np.clip((level - before) / np.maximum(law[order], 1e-300), 0, 1)
        if t != relevant:
            held += float(part @ laws[relevant][order])
    return (held - (1 - level)) / (len(laws) - 1)


def known_grades(size: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """Relevant pairs of each grade, a row for each sum t: log odds differ as they do in truth."""
    share = np.clip((relevant + 0.5) / (size + 1), 0.02, 0.98)
    odds, total = np.log(share / (1 - share)), int(size.sum())
    rows = [np.zeros(size.size, int)]
    for t in range(1, total):
        level = brentq(lambda x, t=t: float((size / (1 + np.exp(-odds - x))).sum()) - t, -60, 60)
        exact = size / (1 + np.exp(-odds - level))
        row = np.floor(exact).astype(int)
        row[np.argsort(row - exact)[: t - row.sum()]] += 1
        rows.append(row if t != relevant.sum() else relevant.astype(int))
    return np.array([*rows, size])


def known_widths(
    size: np.ndarray, relevant: np.ndarray, plan: np.ndarray
) -> dict[tuple[float, float], float]:
    """The mean width by weights and level."""
    laws = np.array([sample_law(size, row, plan) for row in known_grades(size, relevant)])
    laws, ends = laws[:, laws.max(axis=0) > 1e-9], np.arange(len(laws) + 1) / len(laws)
    return {
        (a, level): mean_width(laws, np.diff(beta.cdf(ends, a, a)), int(relevant.sum()), level)
        for a in WEIGHTS
        for level in LEVELS
    }


def design(judge: Grades, pool: Pairs, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sizes, relevant pairs and labels of the judge's grades."""
    groups = groups_of(grades_of(judge, pool))
    return groups.size, np.bincount(groups.group, y), groups.allocated(LABELS)


def main() -> None:
    """Measure all judges, and write the tables."""
    truth, judges = read()
    pool = first_pairs(judges)
    peers = widths_of_ppi()
    lines = [
        "# The least width that is possible",
        "",
        f"Mean widths of intervals from {LABELS} labels, drawn by grade, of 250 pairs. No interval "
        "that covers so often wherever the truth is can be narrower on average than this (Pratt's "
        "bound), even if it were made for these very judges and this very truth: median (least to "
        "greatest) of 33. *To PPI++* is the median ratio to the width of PPI++. Made by "
        "`python benchmarks/studies/assisted_least_width.py`.",
        "",
        "| measure | coverage | least mean width | to PPI++ |",
        "|---|---|---|---|",
    ]
    others = [
        "",
        "The interval of people alone that has the least width in the mean over all shares, and so "
        "is not made for one truth:",
        "",
        "| measure | coverage | mean width | to PPI++ |",
        "|---|---|---|---|",
    ]
    known: dict[tuple[float, float], dict[int, list[float]]] = {}
    for rel in THRESHOLDS:
        y = np.array([float(truth[pair] >= rel) for pair in pool])
        peer = np.array([peers[name, rel, LABELS] for name in judges])
        designs = [design(judge, pool, y) for judge in judges.values()]
        for each, width in zip(designs, peer.tolist(), strict=True):
            for key, ours in known_widths(*each).items():
                known.setdefault(key, {}).setdefault(rel, []).append(ours / width)
        for level in LEVELS:
            found = [least_width(*each, 1 - level) for each in designs]
            lines.append(
                f"| P(rel={rel})@10 | {level} | {np.median(found):.3f} ({min(found):.3f} to "
                f"{max(found):.3f}) | {np.median(np.array(found) / peer):.2f} |"
            )
            width = even_width(int(y.sum()), y.size, LABELS, level)
            others.append(
                f"| P(rel={rel})@10 | {level} | {width:.3f} | {np.median(width / peer):.2f} |"
            )
            print(lines[-1], others[-1], flush=True)
    others += [
        "",
        "The interval from labels drawn by grade that has the least width in the mean over all "
        "shares by weights of Beta(a, a), for somebody who knows how the judge's grades differ and "
        "not the level; medians (least to greatest) of the ratios to PPI++ of 33 judges:",
        "",
        "| a | coverage | P(rel=1)@10 | P(rel=2)@10 |",
        "|---|---|---|---|",
    ]
    for (a, level), by_rel in sorted(known.items(), key=lambda item: (-item[0][1], item[0][0])):
        cells = [f"{np.median(x):.2f} ({min(x):.2f} to {max(x):.2f})" for x in by_rel.values()]
        others.append(f"| {a:g} | {level} | {' | '.join(cells)} |")
    RESULTS.write_text("\n".join(lines + others) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
