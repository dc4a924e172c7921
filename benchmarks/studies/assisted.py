"""Coverage of intervals from a language model's grades and a few people's labels.

    python benchmarks/studies/assisted.py [--data ../shared/data] [--quick]

It needs the LLMJudge benchmark: 33 judges, 25 queries of TREC DL 2023.  The labels of real judges
are resampled.  A system is the mean grade of some judges; truth is what NIST's assessors say.  PPI
and PPI++ are computed by their formulas, as ppi-python 0.2.3 has them.  Agreement: random designs
of 500 to 20,000 pairs, 60 to 1,000 labels; agreement.py has the rest.
"""

from __future__ import annotations

import lzma
import sys
import tarfile
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import agreement
import numpy as np
from scipy.stats import hypergeom, norm
from study import DATA, Row, about, coverage_row, holds, parser_of, publish, store, table

import irbounds as irb
from irbounds.assisted.estimators import Cells, both_by_strata, count_ends, human_alone
from irbounds.assisted.label_strata import LabelGroups
from irbounds.assisted.population import Population
from irbounds.assisted.weighted_sums import both_model_assisted, by_draws
from irbounds.assisted.whole_queries import regression

ALPHA, ENUMERATED = 0.025, 20
Z = norm.isf(ALPHA)
FIRST = ("h2oloo-", "RMITIR-GPT4o", "Olz-gpt4o")
TEAMS = ("h2oloo-", "TREMA-", "RMITIR-", "Olz-", "NISTRetrieval-", "prophet-", "willia-")
OTHERS = (("TREMA-",), ("NISTRetrieval-",), ("prophet",), FIRST)
RANK = np.arange(1, 11)
# name, weights of ranks, least relevant grade (None: graded)
WEIGHTED = (
    ("P(rel=2)@10", np.full(10, 0.1), 2),
    ("DCG@10", 1 / np.log2(RANK + 1), None),
    ("RBP(p=0.8,rel=2)@10", 0.2 * 0.8 ** (RANK - 1), 2),
    ("RBP(p=0.5,rel=1)@10", 0.5 * 0.5 ** (RANK - 1), 1),
)
MEASURES = ("nDCG@10", "AP(rel=2)", "R(rel=2)@50", "RR(rel=2)")  # of queries as units
SHARES, PEOPLE, PPI = "P@k by a judge and people", "people alone", "PPI++"
HEAVY = "DCG and RBP by a judge and people"
UNITS = ("default", PEOPLE, PPI)  # methods for queries
Pair = tuple[str, str]
Grades = dict[Pair, int]
Ranking = dict[str, list[str]]
Found = dict[str, list[tuple[float, float]]]  # coverage and width by method


def rows_of(lines: Iterator[bytes]) -> Grades:
    """{(query, document): grade}, grades above NIST's scale of 3 taken as 3."""
    found = {}
    for line in lines:
        query, _, doc, grade = line.decode().split()
        found[query, doc] = min(int(float(grade)), 3)
    return found


def read(folder: Path) -> tuple[Grades, dict[str, Grades]]:
    """NIST's grades, and those of the judges by name."""
    with lzma.open(folder / "llmjudge_test_qrel_idx.txt.xz") as file:
        truth = rows_of(iter(file))
    judges = {}
    with tarfile.open(folder / "llmjudge_scores.tar.xz") as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                judges[Path(member.name).stem] = rows_of(iter(file))
    return truth, dict(sorted(judges.items()))


def system(judges: dict[str, Grades], prefixes: tuple[str, ...]) -> Ranking:
    """Rankings by the mean grade of judges, equal ones in the order of ids."""
    names = [name for name in judges if name.startswith(prefixes)]
    by_query = defaultdict(list)
    for pair in sorted(judges[names[0]]):
        mean = np.mean([judges[name][pair] for name in names])
        by_query[pair[0]].append((-mean, len(by_query[pair[0]]), pair[1]))
    return {query: [doc for _, _, doc in sorted(rows)] for query, rows in by_query.items()}


def weights_of(runs: list[Ranking], ranks: np.ndarray) -> dict[Pair, float]:
    """Weights of a measure of one run, or of the difference between two, but for those of 0."""
    found: dict[Pair, float] = defaultdict(float)
    for sign, run in zip((1, -1), runs, strict=False):
        for query, docs in run.items():
            for doc, weight in zip(docs, ranks / len(run), strict=False):
                found[query, doc] += sign * weight
    return {pair: w for pair, w in sorted(found.items()) if abs(w) > 1e-12}


def ppi(y: np.ndarray, f: np.ndarray, rest: np.ndarray, power: float | None = None) -> Any:
    """ppi-python's interval on a mean, for λ = 1 or, without `power`, its best λ: PPI++."""
    n, m = y.size, rest.size
    if power is None:
        variance = np.concatenate([f, rest]).var(ddof=1)
        covariance = ((y - y.mean()) * (f - f.mean())).mean()
        power = covariance / ((1 + n / m) * variance) if variance else 0.0
        power = min(1.0, max(0.0, power))
    estimate = power * rest.mean() + (y - power * f).mean()
    half = Z * np.sqrt(power**2 * rest.var() / m + (y - power * f).var() / n)
    return estimate, estimate - half, estimate + half


@cache
def strata(cells: tuple[tuple[int, int, int], ...]) -> tuple[tuple[float, float], ...]:
    """The ends of the strata method, and those of the default, which are moved outward."""
    size, sampled, relevant = np.array(cells, float).T
    found = count_ends(Cells(np.ones(size.size), size, sampled, relevant), ALPHA)
    return tuple((low / size.sum(), high / size.sum()) for low, high in found)


def samples_of(
    groups: LabelGroups, y: np.ndarray, n: int, draws: int, rng: np.random.Generator | None = None
) -> Iterator[Any]:
    """Samples of n labels by grade, with their shares of the draws; without draws all samples, with
    their probabilities, but for those below 10^-10."""
    size, plan = groups.size, groups.allocated(n)
    relevant = np.bincount(groups.group, y).astype(int)
    if draws:
        found = rng.hypergeometric(relevant, size - relevant, plan, (draws, size.size))
        rows, counts = np.unique(found, axis=0, return_counts=True)
        weights = counts / draws
    else:
        laws = [
            hypergeom(*x).pmf(np.arange(x[-1] + 1)) for x in zip(size, relevant, plan, strict=True)
        ]
        rows = np.array([*product(*(range(k + 1) for k in plan))])
        weights = np.prod([law[k] for law, k in zip(laws, rows.T, strict=True)], axis=0)
        rows, weights = rows[weights > 1e-10], weights[weights > 1e-10]
    for row, weight in zip(rows.tolist(), weights.tolist(), strict=True):
        yield weight, tuple(zip(size.tolist(), plan.tolist(), row, strict=True))


def measured(samples: Iterator[Any], truth: float) -> np.ndarray:
    """Coverage and mean width of the posterior and of the default."""
    found = np.zeros((2, 2))
    for weight, cells in samples:
        for row, (low, high) in zip(found, strata(cells), strict=True):
            row += weight * bool(holds(low, high, truth)), weight * (high - low)
    strata.cache_clear()
    return found


def is_counted(weight: np.ndarray) -> bool:
    """Whether all pairs count alike, so that labels are counts."""
    return bool(np.ptp(np.abs(weight)) < 1e-12)


def groups_of(grade: np.ndarray, weight: np.ndarray, rel: int | None, most: float) -> LabelGroups:
    """The strata of a judge's grades."""
    values = np.asarray if rel is None else (lambda g: (g >= rel).astype(float))
    nobody = np.full(grade.size, np.nan)
    return LabelGroups(grade, nobody, weight[None], values, most, False, is_counted(weight))


class Question:
    """A measure or a difference, a judge, and how many pairs are labelled."""

    def __init__(self, weights: dict[Pair, float], grades: Grades, truth: Grades, rel: int | None):
        self.weight = np.array([*weights.values()])
        self.grade = np.array([float(grades[pair]) for pair in weights])
        y = np.array([float(truth[pair]) for pair in weights])
        self.y = y if rel is None else (y >= rel).astype(float)
        self.judged = self.grade if rel is None else (self.grade >= rel).astype(float)
        self.most = 3.0 if rel is None else 1.0
        self.groups = groups_of(self.grade, self.weight, rel, self.most)
        self.truth = float(self.weight @ self.y)

    def sample(self, n: int, by_grade: bool, rng: np.random.Generator) -> np.ndarray:
        """Places of the labelled pairs."""
        if not by_grade:
            return rng.permutation(self.y.size)[:n]
        plan = self.groups.allocated(n)
        members = [np.flatnonzero(self.groups.group == i) for i in range(plan.size)]
        drawn = [rng.permutation(m)[:k] for m, k in zip(members, plan, strict=True)]
        return np.concatenate(drawn)

    def population(self, chosen: np.ndarray) -> Population:
        """With these labels."""
        label = np.full(self.y.size, np.nan)
        label[chosen] = self.y[chosen]
        return Population([], self.weight, self.grade, self.judged, label, 25, 0, self.most)

    def row(self, ends: Any) -> tuple[float, float]:
        """Whether an interval holds the truth, and its width."""
        low, high = ends
        return float(holds(low, high, self.truth)), high - low


def pairs(truth: Grades, judges: dict[str, Grades], quick: bool) -> dict[Any, Found]:
    """P@10 of the first system: 250 pairs, every judge, two thresholds."""
    weights, draws = weights_of([system(judges, FIRST)], np.full(10, 0.1)), 20 if quick else 4000
    found: dict[Any, Found] = {}
    for grades in [*judges.values()][:: 8 if quick else 1]:
        for rel, n in product((1, 2), (ENUMERATED, 40, 80)):
            of_rel = found.setdefault((f"P(rel={rel})@10", n), defaultdict(list))
            rng, asked = np.random.default_rng([22, rel, n]), Question(weights, grades, truth, rel)
            some = 0 if n == ENUMERATED and not quick else draws
            both = measured(samples_of(asked.groups, asked.y, n, some, rng), asked.truth)
            for method, row in zip(("posterior", "default"), both, strict=True):
                of_rel[method].append(tuple(row))
            each = []
            for chosen in (asked.sample(n, False, rng) for _ in range(draws // 4)):
                rest = np.delete(asked.judged, chosen)
                each.append(asked.row(ppi(asked.y[chosen], asked.judged[chosen], rest)[1:]))
            of_rel[PPI].append(tuple(np.mean(each, axis=0)))
    return found


def other_systems(truth: Grades, judges: dict[str, Grades], quick: bool) -> list[np.ndarray]:
    """Coverage of the default for each judge: 20 labels by grade, other systems and thresholds."""
    found = []
    for prefix, rel in product(OTHERS[: 1 if quick else None], (1, 2, 3)):
        weights, shares = weights_of([system(judges, prefix)], np.full(10, 0.1)), []
        for grades in [*judges.values()][:: 8 if quick else 1]:
            asked = Question(weights, grades, truth, rel)
            samples = samples_of(asked.groups, asked.y, ENUMERATED, 0)
            shares.append(measured(samples, asked.truth)[1, 0])
        found.append(np.array(shares))
    return found


def weighted(truth: Grades, judges: dict[str, Grades], quick: bool) -> dict[Any, Found]:
    """Weighted measures and differences: a third of the judges, the mean over 200 samples."""
    runs, found = [system(judges, FIRST), system(judges, ("TREMA-",))], {}
    some, draws = [*judges.values()][:: 20 if quick else 3], 5 if quick else 200
    for (name, ranks, rel), n_runs, n in product(WEIGHTED, (1, 2), (40, 100)):
        if name.startswith("P(") and n_runs == 1:
            continue  # in `pairs`
        of_judges: Found = defaultdict(list)
        weights = weights_of(runs[:n_runs], ranks)
        for grades in some:
            asked, rng = Question(weights, grades, truth, rel), np.random.default_rng(22)
            each: Found = defaultdict(list)
            for sample in range(draws):
                one_sample(asked, n, rng, each, sample % 5 == 0)
            for method, rows in each.items():
                of_judges[method].append(tuple(np.mean(rows, axis=0)))
        found[f"{name}, difference" if n_runs == 2 else name, n] = of_judges
    return found


def one_sample(
    asked: Question, n: int, rng: np.random.Generator, each: Found, with_posterior: bool
) -> None:
    """Add all methods on one sample; peers have a simple random one."""
    chosen = asked.sample(n, False, rng)
    each[PEOPLE].append(asked.row(human_alone(asked.population(chosen), ALPHA)[1:]))
    z, g = (asked.y.size * asked.weight * x for x in (asked.y, asked.judged))
    each[PPI].append(asked.row(ppi(z[chosen], g[chosen], np.delete(g, chosen))[1:]))
    p = asked.population(asked.sample(n, True, rng))
    if is_counted(asked.weight):
        each["default"].append(asked.row(both_by_strata(p, ALPHA)[1][1:]))
        return
    plain, moved = both_model_assisted(p, ALPHA)
    each["default"].append(asked.row(moved[1:]))
    each["model-assisted"].append(asked.row(plain[1:]))
    if with_posterior:
        each["posterior"].append(asked.row(by_draws(p, ALPHA, 500, rng)[0][1:]))


def random_designs(
    truth: Grades, judges: dict[str, Grades], n_runs: int, quick: bool
) -> np.ndarray:
    """Coverage of the posterior and of the default, ratio of their widths: 300 designs of P@k."""
    systems = [system(judges, (team,)) for team in TEAMS]
    rng, graded, found = np.random.default_rng(22), [*judges.values()], []
    designs, draws = (3, 5) if quick else (300, 400)
    while len(found) < designs:
        runs = [systems[i] for i in rng.choice(len(systems), n_runs, replace=False)]
        cuts, labels = (5, 10, 20), (20, 40, 60, 100, 150)
        k, rel, n = (int(rng.choice(each)) for each in (cuts, (1, 2, 3), labels))
        weights, grades = weights_of(runs, np.full(k, 1 / k)), graded[rng.integers(len(graded))]
        by_grade = bool(rng.random() < 0.5)
        if n >= len(weights):
            continue
        asked = Question(weights, grades, truth, rel)
        rows = []
        for _ in range(draws):
            both = both_by_strata(asked.population(asked.sample(n, by_grade, rng)), ALPHA)
            rows.append([*asked.row(both[0][1:]), *asked.row(both[1][1:])])
        plain, width, moved, wider = np.mean(rows, axis=0)
        found.append((plain, moved, wider / width))
    return np.array(found)


def queries(truth: Grades, judges: dict[str, Grades], quick: bool) -> dict[Any, Found]:
    """Whole queries as units: n of 25 are judged by people."""
    runs = [
        {query: {doc: -i for i, doc in enumerate(docs)} for query, docs in ranking.items()}
        for ranking in (system(judges, FIRST), system(judges, ("TREMA-",)))
    ]

    def values(grades: Grades) -> list[np.ndarray]:
        nested: dict[str, dict[str, int]] = defaultdict(dict)
        for (query, doc), grade in grades.items():
            nested[query][doc] = grade
        one, two = (irb.evaluate(dict(nested), run, list(MEASURES)).values for run in runs)
        return [*one.T, *(one - two).T]

    names = [*MEASURES, *(f"{name}, difference" for name in MEASURES)]
    of_people, of_judges = values(truth), [values(each) for each in judges.values()]
    found: dict[Any, Found] = {}
    for (place, name), n in product(enumerate(names), (5, 8, 15, 20)):
        y, of_name = of_people[place], found.setdefault((name, n), defaultdict(list))
        for x in (each[place] for each in of_judges[:: 20 if quick else 1]):
            rng, rows = np.random.default_rng(n), []
            for _ in range(5 if quick else 400):
                sampled = np.zeros(y.size, bool)
                sampled[rng.permutation(y.size)[:n]] = True
                rows.append(by_queries(y, x, sampled))
            for method, row in zip(UNITS, np.mean(rows, axis=0), strict=True):
                of_name[method].append(tuple(row))
    return found


def by_queries(y: np.ndarray, x: np.ndarray, sampled: np.ndarray) -> list[tuple[float, float]]:
    """Whether each method holds the mean, and the width."""
    least = -1.0 if y.min() < 0 else 0.0
    ends = [
        np.clip(regression(y, x, sampled, ALPHA, 1.0)[1:], least, 1.0),
        np.clip(regression(y, np.zeros(y.size), sampled, ALPHA, 1.0)[1:], least, 1.0),
        ppi(y[sampled], x[sampled], x[~sampled])[1:],
    ]
    return [(float(holds(low, high, y.mean())), high - low) for low, high in ends]


def shown(found: dict[Any, Found]) -> list[list[str]]:
    """A row for each question: mean coverage over judges (least), and width beside PPI++."""
    rows = []
    for (name, n), of_judges in found.items():
        peer_width, cells = np.median(of_judges[PPI], axis=0)[1], []
        for method, each in of_judges.items():
            coverage, width = np.array(each).T
            ratio = np.median(width) / peer_width
            cells.append(f"{method} {coverage.mean():.3f} ({coverage.min():.3f}) {ratio:.2f}")
        rows.append([name, f"{n}", "; ".join(cells)])
    return rows


def row_of(ask: str, method: str, designs: str, found: dict[Any, Found], key: str) -> Row:
    """The row of coverage.toml of a method over questions and judges."""
    shares = [np.array(each[key])[:, 0] for each in found.values() if key in each]
    return coverage_row(ask, method, designs, map(min, shares), map(np.mean, shares))


def main() -> None:
    """Measure all judges, and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="where llm_judges is")
    given = parser.parse_args()
    folder, quick = given.data / "llm_judges", given.quick
    if not folder.is_dir():
        sys.exit(f"needs the research data: {folder}")
    warnings.simplefilter("ignore", irb.warnings.SampleWarning)
    truth, judges = read(folder)
    share, other = pairs(truth, judges, quick), other_systems(truth, judges, quick)
    difference, units = weighted(truth, judges, quick), queries(truth, judges, quick)
    one, two = (random_designs(truth, judges, n_runs, quick) for n_runs in (1, 2))
    heavy = {key: each for key, each in difference.items() if not key[0].startswith("P(")}
    rbp = {key: each for key, each in heavy.items() if "p=0.5" in key[0]}
    many, own = f"{len(judges)} judges", "strata-adjusted"
    of_units = f"{many}, 8 measures, 5 to 20 of 25 queries"
    of_others = f"{many}, {len(other)} shares of other systems, 20 labels"
    rows = [
        row_of(SHARES, own, f"{many}, 2 shares, 20 to 80 labels", share, "default"),
        coverage_row(SHARES, own, of_others, map(min, other), map(np.mean, other)),
        coverage_row(SHARES, own, f"{len(one)} random designs of P@k", one[:, 1]),
        coverage_row(SHARES, own, f"{len(two)} random designs of differences", two[:, 1]),
        row_of(HEAVY, "model-assisted-adjusted", "40 and 100 labels", heavy, "default"),
        row_of("other methods with a judge", "model-assisted", "RBP(p=0.5)", rbp, "model-assisted"),
        row_of("a judge, queries as units", "regression", of_units, units, "default"),
        *agreement.rows(quick),
    ]
    lines = [
        *about(__doc__),
        "",
        *store("assisted", rows, given),
        "Mean coverage over judges, in brackets the least, and the width beside that of PPI++:",
        "",
        *table(["measure", "labels or queries", "methods"], shown(share | difference | units)),
        f"Random designs: the posterior alone covers {one[:, 0].min():.3f} (P@k) and",
        f"{two[:, 0].min():.3f} (differences) in the worst one; the default is wider by factors of",
        f"{one[:, 2].mean():.2f} and {two[:, 2].mean():.2f}.",
    ]
    publish("Coverage with a judge and people's labels", lines, "assisted.md", given)


if __name__ == "__main__":
    main()
