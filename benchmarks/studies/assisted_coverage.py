"""Coverage and width of intervals from a language model's grades and a few people's labels, by
resampling the labels of real judges.

    python benchmarks/studies/assisted_coverage.py pairs --judges 0:11    # then 11:22, 22:33
    python benchmarks/studies/assisted_coverage.py quick    # without Rogan-Gladen and regression
    python benchmarks/studies/assisted_coverage.py by-grade    # only samples drawn by grade
    python benchmarks/studies/assisted_coverage.py weighted
    python benchmarks/studies/assisted_coverage.py queries
    python benchmarks/studies/assisted_coverage.py page

Each but the last adds rows to benchmarks/results/assisted_coverage.tsv in place of those of
the same questions; that writes benchmarks/results/assisted_coverage.md. It needs the LLMJudge
benchmark (33 judges, 25 queries of TREC DL 2023) in ../shared/data/llm_judges.

The system is the mean grade of five judges, equal ones in the order of ids. Truth is what NIST's
assessors say. Peers are computed by their formulas: PPI and PPI++ as ppi-python 0.2.3 has them,
with which assisted_peers.py compares them.  The file is longer than 400 lines because every method
is beside the others on the same samples.
"""

from __future__ import annotations

import argparse
import csv
import lzma
import sys
import tarfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm, t

import irbounds as irb
from irbounds.assisted.estimators import Cells, count_ends, human_alone
from irbounds.assisted.label_strata import LabelGroups
from irbounds.assisted.population import Population
from irbounds.assisted.weighted_sums import by_draws, model_assisted
from irbounds.assisted.whole_queries import regression

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "llm_judges"
RESULTS = ROOT / "benchmarks" / "results"
TABLE = RESULTS / "assisted_coverage.tsv"
FIELDS = ("part", "judge", "rel", "n", "method", "coverage", "width", "outside")
OURS = "strata", "default"
LEVEL, ALPHA = 0.95, 0.025
SAMPLES, THRESHOLDS, DRAWS = (20, 40, 80), (1, 2), 1000
WEIGHTED_DRAWS = 400
Z = norm.isf(ALPHA)
Pair = tuple[str, str]
Grades = dict[Pair, int]
Row = dict[str, Any]


# Data
# -------------------------------------------------------------------------------------------------


def rows_of(lines: Iterator[bytes]) -> Grades:
    """{(query, document): grade}, grades above NIST's scale of 3 taken as 3."""
    found = {}
    for line in lines:
        query, _, doc, grade = line.decode().split()
        found[query, doc] = min(int(float(grade)), 3)
    return found


def read() -> tuple[Grades, dict[str, Grades]]:
    """NIST's grades, and those of the judges by name."""
    with lzma.open(DATA / "llmjudge_test_qrel_idx.txt.xz") as file:
        truth = rows_of(iter(file))
    judges = {}
    with tarfile.open(DATA / "llmjudge_scores.tar.xz") as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                judges[Path(member.name).stem] = rows_of(iter(file))
    return truth, dict(sorted(judges.items()))


def system(judges: dict[str, Grades], prefixes: tuple[str, ...]) -> dict[str, list[str]]:
    """Rankings by the mean grade of judges."""
    names = [name for name in judges if name.startswith(prefixes)]
    by_query = defaultdict(list)
    for pair in sorted(judges[names[0]]):
        mean = np.mean([judges[name][pair] for name in names])
        by_query[pair[0]].append((-mean, len(by_query[pair[0]]), pair[1]))
    return {query: [doc for _, _, doc in sorted(rows)] for query, rows in by_query.items()}


def first_system(judges: dict[str, Grades]) -> dict[str, list[str]]:
    """The system by five judges."""
    return system(judges, ("h2oloo-", "RMITIR-GPT4o", "Olz-gpt4o"))


# Methods that peers have
# -------------------------------------------------------------------------------------------------


def ppi(y: np.ndarray, f: np.ndarray, rest: np.ndarray, power: float | None = None) -> Any:
    """ppi-python's interval on a mean, for λ = 1 or, without `power`, its best λ: PPI++."""
    n, m = y.size, rest.size
    if power is None:
        both = np.concatenate([f, rest])
        variance = both.var(ddof=1)
        covariance = ((y - y.mean()) * (f - f.mean())).mean()
        power = covariance / ((1 + n / m) * variance) if variance else 0.0
        power = min(1.0, max(0.0, power))
    estimate = power * rest.mean() + (y - power * f).mean()
    half = Z * np.sqrt(power**2 * rest.var() / m + (y - power * f).var() / n)
    return estimate, estimate - half, estimate + half


@cache
def t_quantile(df: int) -> float:
    """Of Student's t."""
    return float(t.isf(ALPHA, df))


def cochran(y: np.ndarray, x: np.ndarray, sampled: np.ndarray) -> tuple[float, float]:
    """Method "cochran" of `assisted_interval`, the textbook's regression without the error of its
    slope; the default for queries is in assisted_queries.py."""
    return regression(y, x, sampled, ALPHA, is_plain=True)[1:]


def student(y: np.ndarray, size: int) -> tuple[float, float]:
    """A simple random sample of a finite population."""
    half = t_quantile(y.size - 1) * np.sqrt(y.var(ddof=1) / y.size * (1 - y.size / size))
    return y.mean() - half, y.mean() + half


@cache
def rogan_gladen(
    called: int, size: int, sensitivity: tuple[int, int], specificity: tuple[int, int]
) -> tuple[float, float]:
    """Lang and Reiczigel's interval from the judge's share, and its error rates in the sample."""
    try:
        found = irb.samples.prevalence_interval(called, size, sensitivity, specificity)
    except irb.InputError:
        return 0.0, 1.0
    return found.low, found.high


@cache
def strata(cells: tuple[tuple[int, int, int], ...]) -> tuple[tuple[float, float], ...]:
    """The ends of the strata method, and those of the default, which are moved outward."""
    size, sampled, relevant = np.array(cells, float).T
    found = count_ends(Cells(np.ones(size.size), size, sampled, relevant), ALPHA)
    return tuple((low / size.sum(), high / size.sum()) for low, high in found)


# Parts
# -------------------------------------------------------------------------------------------------


class Tally:
    """Coverage, width and ends outside of [0, 1]."""

    def __init__(self, truth: float) -> None:
        self.truth = truth
        self.found: dict[str, list[tuple[bool, float, bool]]] = defaultdict(list)

    def add(self, method: str, low: float, high: float) -> None:
        """One interval; ends within rounding of the truth hold it."""
        holds = low <= self.truth + 1e-12 and high >= self.truth - 1e-12
        self.found[method].append((holds, high - low, low < -1e-12 or high > 1 + 1e-12))

    def rows(self, **fields: Any) -> Iterator[Row]:
        """One for each method."""
        for method, found in self.found.items():
            coverage, width, outside = np.mean(np.array(found, float), axis=0).tolist()
            yield {
                **fields,
                "method": method,
                "coverage": f"{coverage:.3f}",
                "width": f"{width:.4f}",
                "outside": f"{outside:.3f}",
            }


def pairs(
    truth: Grades, judges: dict[str, Grades], names: list[str], which: str = "all"
) -> Iterator[Row]:
    """P@10 of the system: 250 pairs, every judge, both thresholds."""
    ranking = first_system(judges)
    pool = [(query, doc) for query, docs in ranking.items() for doc in docs[:10]]
    for name in names:
        grade = np.array([judges[name][pair] for pair in pool])
        for rel in THRESHOLDS:
            y = np.array([float(truth[pair] >= rel) for pair in pool])
            for n in SAMPLES:
                rng = np.random.default_rng([rel, n])
                tally = one_question(y, grade, (grade >= rel).astype(float), n, rng, which)
                yield from tally.rows(part="pairs", judge=name, rel=rel, n=n)


def one_question(
    y: np.ndarray,
    grade: np.ndarray,
    f: np.ndarray,
    n: int,
    rng: np.random.Generator,
    which: str = "all",
) -> Tally:
    """All methods on the same samples, and the strata method on samples drawn by grade; `which` may
    be "quick" or "by grade", for some of them on those samples."""
    tally, size = Tally(float(y.mean())), y.size
    levels, group = np.unique(grade, return_inverse=True)
    sizes = np.bincount(group)
    members = [np.flatnonzero(group == i) for i in range(levels.size)]
    plan = LabelGroups(
        grade.astype(float),
        np.full(size, np.nan),
        np.full((1, size), 1 / size),
        lambda g: g > 0,
        is_count=True,
    ).allocated(n)
    is_in = np.zeros(size, bool)
    for _ in range(DRAWS):
        chosen = rng.permutation(size)[:n]
        is_in[:] = False
        is_in[chosen] = True
        if which != "by grade":
            drawn_alike(tally, y, sizes, group, f, chosen, is_in, which)
        drawn = [
            int(y[rng.permutation(some)[:k]].sum()) for some, k in zip(members, plan, strict=True)
        ]
        cells = tuple(zip(sizes.tolist(), plan.tolist(), drawn, strict=True))
        for method, ends in zip(OURS, strata(cells), strict=True):
            tally.add(f"{method}, drawn by grade", *ends)
    return tally


def drawn_alike(
    tally: Tally,
    y: np.ndarray,
    sizes: np.ndarray,
    group: np.ndarray,
    f: np.ndarray,
    chosen: np.ndarray,
    is_in: np.ndarray,
    which: str,
) -> None:
    """All methods on one simple random sample."""
    n = chosen.size
    ys, fs, rest = y[chosen], f[chosen], f[~is_in]
    tally.add("people, t", *student(ys, y.size))
    tally.add("people, exact", *strata(((y.size, n, int(ys.sum())),))[1])
    tally.add("PPI", *ppi(ys, fs, rest, 1.0)[1:])
    tally.add("PPI++", *ppi(ys, fs, rest)[1:])
    if which == "all":
        tally.add("regression, t", *cochran(y, f, is_in))
        right, called, relevant = int(ys @ fs), int(fs.sum()), int(ys.sum())
        rates = (right, relevant), (n - relevant - called + right, n - relevant)
        tally.add("Rogan-Gladen", *rogan_gladen(int(f.sum()), y.size, *rates))
    counts = np.bincount(group[chosen], minlength=sizes.size).tolist()
    found = np.bincount(group[chosen], ys, minlength=sizes.size).astype(int).tolist()
    cells = tuple(zip(sizes.tolist(), counts, found, strict=True))
    for method, ends in zip(OURS, strata(cells), strict=True):
        tally.add(method, *ends)


def weighted(truth: Grades, judges: dict[str, Grades], names: list[str]) -> Iterator[Row]:
    """DCG@10 of the system and its difference from a second one, graded gains."""
    one, two = first_system(judges), system(judges, ("TREMA-",))
    discount = 1 / np.log2(np.arange(2, 12)) / len(one)
    for is_difference in (False, True):
        weights: dict[Pair, float] = defaultdict(float)
        for sign, ranking in ((1, one), (-1, two))[: 1 + is_difference]:
            for query, docs in ranking.items():
                for doc, weight in zip(docs[:10], discount, strict=True):
                    weights[query, doc] += sign * weight
        pool = sorted(pair for pair, weight in weights.items() if abs(weight) > 1e-15)
        weight = np.array([weights[pair] for pair in pool])
        y = np.array([float(truth[pair]) for pair in pool])
        for name in names:
            grade = np.array([float(judges[name][pair]) for pair in pool])
            for n in (40, 100):
                rng = np.random.default_rng([n, is_difference])
                tally = weighted_question(pool, weight, grade, y, n, rng)
                part = "DCG@10 difference" if is_difference else "DCG@10"
                yield from tally.rows(part=part, judge=name, rel="", n=n)


def weighted_question(
    pool: list[Pair],
    weight: np.ndarray,
    grade: np.ndarray,
    y: np.ndarray,
    n: int,
    rng: np.random.Generator,
) -> Tally:
    """People alone on a simple random sample, ours on one drawn by grade."""
    tally, size = Tally(float(weight @ y)), y.size
    levels, group = np.unique(grade, return_inverse=True)
    members = [np.flatnonzero(group == i) for i in range(levels.size)]
    plan = LabelGroups(grade, np.full(size, np.nan), weight[None], lambda g: g).allocated(n)

    def population(chosen: np.ndarray) -> Population:
        label = np.full(size, np.nan)
        label[chosen] = y[chosen]
        return Population(pool, weight, grade, grade, label, 25, 0, 3.0)

    for _ in range(WEIGHTED_DRAWS):
        chosen = rng.permutation(size)[:n]
        tally.add("people, t", *human_alone(population(chosen), ALPHA)[1:])
        z, g = size * weight * y, size * weight * grade
        rest = np.delete(g, chosen)
        tally.add("PPI++", *ppi(z[chosen], g[chosen], rest)[1:])
        drawn = np.concatenate(
            [rng.permutation(some)[:k] for some, k in zip(members, plan, strict=True)]
        )
        p = population(drawn)
        tally.add("model-assisted", *model_assisted(p, ALPHA)[1:])
        tally.add("posterior", *by_draws(p, ALPHA, 2000, rng)[0][1:])
    return tally


def queries(truth: Grades, judges: dict[str, Grades], names: list[str]) -> Iterator[Row]:
    """nDCG@10 with whole queries as units: 25, of which n are judged by people."""
    ranking = first_system(judges)
    run = {query: {doc: -i for i, doc in enumerate(docs)} for query, docs in ranking.items()}

    def values(grades: Grades) -> np.ndarray:
        nested: dict[str, dict[str, int]] = defaultdict(dict)
        for (query, doc), grade in grades.items():
            nested[query][doc] = grade
        return irb.evaluate(dict(nested), run, "nDCG@10").values[:, 0]

    y = values(truth)
    for name in names:
        f = values(judges[name])
        for n in (8, 15):
            rng, tally = np.random.default_rng(n), Tally(float(y.mean()))
            for _ in range(DRAWS):
                chosen = rng.permutation(y.size)[:n]
                is_in = np.isin(np.arange(y.size), chosen)
                tally.add("people, t", *student(y[chosen], y.size))
                tally.add("PPI++", *ppi(y[chosen], f[chosen], f[~is_in])[1:])
                tally.add("regression, t", *cochran(y, f, is_in))
            yield from tally.rows(part="nDCG@10 queries", judge=name, rel="", n=n)


# Tables
# -------------------------------------------------------------------------------------------------


def read_rows(path: Path = TABLE) -> list[Row]:
    """Rows that were measured before."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def store(rows: list[Row], path: Path = TABLE, fields: tuple[str, ...] = FIELDS) -> None:
    """New rows in place of old ones of the same question and method, the first five fields."""
    known = {tuple(str(row[name]) for name in fields[:5]): row for row in [*read_rows(path), *rows]}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fields, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(known[key] for key in sorted(known))


def page() -> list[str]:
    """Over all judges: mean, least and greatest coverage, median width."""
    groups: dict[tuple[str, ...], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in read_rows():
        groups[row["part"], row["rel"], row["n"]][row["method"]].append(row)
    lines = [
        "# Coverage with a judge and a few people",
        "",
        "Nominal coverage is 0.95. Labels of 33 language models on 25 queries of TREC DL 2023 are "
        "resampled: each row is over judges, of which the coverage is the mean (least to greatest) "
        "and the width the median. *Outside*: intervals that leave [0, 1]. Made by "
        "`python benchmarks/studies/assisted_coverage.py`.",
    ]
    order = sorted(groups, key=lambda key: (key[0] != "pairs", key[0], key[1], int(key[2])))
    for part, rel, n in order:
        what = f"P(rel={rel})@10 of 250 pairs" if part == "pairs" else part
        is_share = part == "pairs"
        lines += [
            "",
            f"## {what}, {n} labelled",
            "",
            f"| method | judges | coverage | width |{' outside |' if is_share else ''}",
            f"|---|---|---|---|{'---|' if is_share else ''}",
        ]
        for method, rows in groups[part, rel, n].items():
            coverage = np.array([float(row["coverage"]) for row in rows])
            width = np.median([float(row["width"]) for row in rows])
            outside = np.mean([float(row["outside"]) for row in rows])
            lines.append(
                f"| {method} | {len(rows)} | {coverage.mean():.3f} ({coverage.min():.3f} to "
                f"{coverage.max():.3f}) | {width:.3f} |" + (f" {outside:.1%} |" if is_share else "")
            )
    return lines


PARTS: dict[str, Callable[..., Iterator[Row]]] = {
    "pairs": pairs,
    "quick": partial(pairs, which="quick"),
    "by-grade": partial(pairs, which="by grade"),
    "weighted": weighted,
    "queries": queries,
}


def main() -> int:
    """Measure one part, or write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=[*PARTS, "page"])
    parser.add_argument("--judges", default="0:33", help="which of the judges, as in 0:11")
    options = parser.parse_args()
    if options.part == "page":
        text = "\n".join(page()) + "\n"
        (RESULTS / "assisted_coverage.md").write_text(text, encoding="utf-8")
        return 0
    warnings.simplefilter("ignore", irb.warnings.SampleWarning)
    truth, judges = read()
    first, last = map(int, options.judges.split(":"))
    store(list(PARTS[options.part](truth, judges, list(judges)[first:last])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
