"""Tables I-XII of Raghavan, Bollmann & Jung (1989), rerun on runs of three of their four
collections.

    python benchmarks/papers/raghavan_bollmann_jung.py --data ../shared/data
    # writes benchmarks/papers/results/raghavan_bollmann_jung.md

The runs were made by other programs than theirs: what is compared is which method wins, and where
two measures disagree about that, not digits.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
from page import data_folder, filled, printed, publish, table

import irbounds as irb

METHODS = {"clm": "simple matching", "btf": "cosine", "prob": "probabilistic", "tfidf": "tf×idf"}
PAIRS = list(combinations(METHODS, 2))
TABLES = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
COLLECTIONS = {"adi": 82, "crn4": 424, "cisi": 1460, "med": 1033}  # documents
RERUN = ["adi", "cisi", "med"]
# they had 35 queries of CISI
N_QUERIES = 35
MEASURE = {
    "PRR": "PRR(recall={})",
    "PRR ceiling": "PRR(recall={},interpolation=ceiling)",
    "PRECALL": "PRECALL(recall={})",
    "ER": "ER@{}",
    "EP": "EP(nd={})",
}

Column = dict[str, dict[str, float]]  # stop, or "average" -> method -> value
Tables = dict[tuple[str, str], Column]  # table, measure -> its values


def collection_of(name: str) -> str:
    """The collection that a table is about."""
    return list(COLLECTIONS)[TABLES.index(name) % 4]


def printed_tables() -> Tables:
    """The twelve tables as printed."""
    tables: Tables = {}
    for row in printed("raghavan_bollmann_jung"):
        values = {method: float(row[method]) for method in METHODS}
        tables.setdefault((row["table"], row["measure"]), {})[row["stop"]] = values
    return tables


def rerun_tables(data: Path, theirs: Tables) -> Tables:
    """The same tables from the runs in `data`; documents that a run leaves out are its last
    rank."""
    ours: Tables = {}
    for collection in RERUN:
        wanted = {
            (name, kind): {stop: MEASURE[kind].format(stop) for stop in column if stop != "average"}
            for (name, kind), column in theirs.items()
            if collection_of(name) == collection
        }
        names = sorted({measure for stops in wanted.values() for measure in stops.values()})
        evaluator = irb.Evaluator(
            data / collection / f"{collection}.qrels",
            names,
            collection_size=COLLECTIONS[collection],
        )
        for method in METHODS:
            evaluation = evaluator.evaluate(data / collection / f"{collection}.{method}.run.xz")
            first = [int(query) <= N_QUERIES for query in evaluation.query_ids]
            means = {name: float(evaluation[name][first].mean()) for name in names}
            for key, stops in wanted.items():
                column = ours.setdefault(key, {})
                for stop, name in stops.items():
                    column.setdefault(stop, {})[method] = means[name]
                column.setdefault("average", {})[method] = float(
                    np.mean([means[name] for name in stops.values()])
                )
    return ours


def winner(values: dict[str, float]) -> str | None:
    """The best method to four digits; None when all are equal."""
    rounded = {method: round(value, 4) for method, value in values.items()}
    best = [method for method, value in rounded.items() if value == max(rounded.values())]
    return None if len(best) == len(rounded) else "/".join(best)


def order(values: dict[str, float], pair: tuple[str, str]) -> int:
    """1 if the first of the pair is better to four digits, -1 if the second is, 0 if they are
    equal."""
    return int(np.sign(round(values[pair[0]], 4) - round(values[pair[1]], 4)))


def reversals(one: Column, other: Column) -> set[tuple[str, str]]:
    """Pairs of methods that two measures order differently, on average."""
    return {
        pair for pair in PAIRS if order(one["average"], pair) * order(other["average"], pair) < 0
    }


def comparisons() -> list[tuple[str, str, tuple[str, str], tuple[str, str]]]:
    """The paper's comparisons: a title, a collection, and the two columns."""
    kinds = [
        ("ceiling and intuitive PRR", 0, "PRR ceiling", 0, "PRR"),
        ("PRECALL and PRR", 4, "PRECALL", 4, "PRR"),
        ("ER and EP over ND", 8, "ER", 8, "EP"),
        ("EP over ND and PRECALL over NR", 8, "EP", 4, "PRECALL"),
        ("EP over ND and PRR over NR", 8, "EP", 4, "PRR"),
    ]
    return [
        (title, collection, (TABLES[i + at], one), (TABLES[j + at], other))
        for title, i, one, j, other in kinds
        for at, collection in enumerate(COLLECTIONS)
    ]


def agreement(theirs: Tables, ours: Tables) -> list[tuple[str, str, int, int, int, int]]:
    """For each column: winners that agree, rows with a winner, pairs in the same order, pairs in an
    order."""
    rows = []
    for (name, kind), column in theirs.items():
        if (name, kind) not in ours:
            continue
        mine = ours[name, kind]
        decided = [stop for stop in column if winner(column[stop])]
        same = sum(winner(column[stop]) == winner(mine[stop]) for stop in decided)
        orders = [
            (order(column[stop], pair), order(mine[stop], pair))
            for stop in column
            for pair in PAIRS
        ]
        clear = [(a, b) for a, b in orders if a]
        rows.append((name, kind, same, len(decided), sum(a == b for a, b in clear), len(clear)))
    return rows


def reversal_rows(
    theirs: Tables, ours: Tables
) -> list[tuple[str, str, set[tuple[str, str]], set[tuple[str, str]]]]:
    """The pairs that the paper's averages reverse, and those that ours reverse."""
    return [
        (
            title,
            collection,
            reversals(theirs[one], theirs[other]),
            reversals(ours[one], ours[other]),
        )
        for title, collection, one, other in comparisons()
        if collection in RERUN
    ]


def slips(theirs: Tables) -> list[str]:
    """Where the printed tables disagree with themselves by more than rounding."""
    found = []
    for (name, kind), column in theirs.items():
        for method, title in METHODS.items():
            mean = np.mean([column[stop][method] for stop in column if stop != "average"])
            if abs(mean - column["average"][method]) > 1.01e-4:
                found.append(
                    f"Table {name}, {kind}, {title}: the average is printed "
                    f"{column['average'][method]:.4f}; that of the rows is {mean:.4f}."
                )
    for name in TABLES[8:]:
        recall, precision = theirs[name, "ER"], theirs[name, "EP"]
        relevant = {
            stop: int(stop) * precision[stop]["clm"] / recall[stop]["clm"]
            for stop in recall
            if stop != "average"
        }
        usual = float(np.median(list(relevant.values())))
        found += [
            f"Table {name} at ND = {stop}: ND × EP / ER is {count:.1f} relevant documents a query, "
            f"elsewhere near {usual:.1f}; the row fits an ND near {int(stop) * usual / count:.0f}."
            for stop, count in relevant.items()
            if not 2 / 3 < count / usual < 1.5
        ]
    for first, second in zip(TABLES[:4], TABLES[4:8], strict=True):
        for stop, values in theirs[first, "PRR"].items():
            found += [
                f"PRR of {title} at {stop} is {values[method]:.4f} in table {first} and "
                f"{theirs[second, 'PRR'][stop][method]:.4f} in table {second}."
                for method, title in METHODS.items()
                if abs(values[method] - theirs[second, "PRR"][stop][method]) > 1.01e-4
            ]
    return found


def names(pairs: set[tuple[str, str]]) -> str:
    """Pairs of methods as text."""
    return (
        ", ".join(f"{METHODS[a]} and {METHODS[b]}" for a, b in PAIRS if (a, b) in pairs) or "none"
    )


def disagreements(theirs: Tables, ours: Tables) -> list[list[str]]:
    """Every row of every table in which another method wins."""
    rows = []
    for key, column in theirs.items():
        for stop in column if key in ours else []:
            said, found = winner(column[stop]), winner(ours[key][stop])
            if said and said != found:
                rows.append(
                    [
                        f"{key[0]}, {key[1]}",
                        stop,
                        *(
                            f"{title(name)} ({', '.join(f'{values[m]:.4f}' for m in METHODS)})"
                            for name, values in ((said, column[stop]), (found, ours[key][stop]))
                        ),
                    ]
                )
    return rows


def title(name: str | None) -> str:
    """A winner, or winners, as text."""
    return " and ".join(METHODS[method] for method in name.split("/")) if name else "all equal"


def report(data: Path) -> list[str]:
    """The page."""
    theirs = printed_tables()
    ours = rerun_tables(data, theirs)
    rows, turned = agreement(theirs, ours), reversal_rows(theirs, ours)
    total = tuple(sum(row[i] for row in rows) for i in range(2, 6))
    n_theirs, n_ours, n_both = (
        sum(len(pick(a, b)) for *_, a, b in turned)
        for pick in (lambda a, _: a, lambda _, b: b, lambda a, b: a & b)
    )
    winners = [
        [f"{name} ({collection_of(name).upper()}), {kind}", f"{a} of {b}", f"{c} of {d}"]
        for name, kind, a, b, c, d in rows
    ]
    reversed_ = [[what, of.upper(), names(a), names(b)] for what, of, a, b in turned]
    tables = []
    for (name, kind), column in theirs.items():
        if (name, kind) in ours:
            mine = ours[name, kind]
            heading = f"Table {name} ({collection_of(name).upper()}), {kind}"
            cells = [
                [stop, *(f"{values[m]:.4f}, {mine[stop][m]:.4f}" for m in METHODS)]
                for stop, values in column.items()
            ]
            tables += [f"### {heading}: printed, then ours", ""]
            tables += table(["at", *METHODS.values()], cells)
    return filled(
        "raghavan_bollmann_jung",
        total=total,
        printed=n_theirs,
        ours=n_ours,
        pairs=6 * len(turned),
        both=n_both,
        winners=table(["table, measure", "same best method", "pairs in the same order"], winners),
        reversed=table(["measures", "collection", "printed", "ours"], reversed_),
        others=table(["table", "at", "printed", "ours"], disagreements(theirs, ours)),
        slips=[f"- {slip}" for slip in slips(theirs)],
        tables=tables,
    )


if __name__ == "__main__":
    folder = data_folder(
        __doc__,
        *(f"{c}/{c}.qrels" for c in RERUN),
        *(f"{c}/{c}.{method}.run.xz" for c in RERUN for method in METHODS),
    )
    publish(report(folder), "raghavan_bollmann_jung")
