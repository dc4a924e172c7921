"""Unjudged documents once more: all labels and all orders of one query as the rows of a table.

The definitions are those of `rankings`, written for many rows at once in doubles, so that tens of
thousands of queries can be enumerated; `test_unjudged_reference` compares the two.  A row is one
labelling in one order.  All documents of a row are judged; after the last one, empty places of
grade 0 follow, which no measure counts.
"""

from itertools import combinations_with_replacement, permutations, product

import numpy as np

DEPTH = 16  # more than documents


class Rows:
    """Labellings x orders of one ranking: grades by place, and those of all documents not
    retrieved.

    n: documents retrieved; cuts: 1 .. DEPTH, the last of them beyond all documents.
    """

    def __init__(self, grades, rest, rel):
        self.n = grades.shape[1]
        self.cuts = np.arange(1, DEPTH + 1)
        empty = np.zeros((len(grades), len(self.cuts) - self.n), grades.dtype)
        self.grades = np.hstack([grades, empty])
        self.rest = rest
        self.hits = (self.grades >= rel).astype(float)
        self.found = np.cumsum(self.hits, axis=1)
        self.n_relevant = self.found[:, -1] + (rest >= rel).sum(axis=1)
        self.n_others = self.n + rest.shape[1] - self.n_relevant

    @property
    def relevant(self):
        """The number of relevant documents as a column."""
        return self.n_relevant[:, None]


def over(a, b):
    """a/b, and 0 where b is 0."""
    a, b = np.broadcast_arrays(np.asarray(a, float), np.asarray(b, float))
    return np.divide(a, b, out=np.zeros(a.shape), where=b != 0)


def discounted(gains):
    """The sum of gain/log2(place + 1) down to each place."""
    return np.cumsum(gains / np.log2(np.arange(2, gains.shape[1] + 2)), axis=1)


def gain_of(grades, dcg):
    """The gains of grades."""
    return np.exp2(grades) - 1 if dcg == "exp-log2" else grades.astype(float)


def normalised(rows, dcg="log2"):
    """nDCG at each cut."""
    everything = np.hstack([rows.grades[:, : rows.n], rows.rest])
    ideal = -np.sort(-gain_of(everything, dcg), axis=1)
    ideal = np.hstack([ideal, np.zeros((len(ideal), len(rows.cuts) - ideal.shape[1]))])
    return over(discounted(gain_of(rows.grades, dcg)), discounted(ideal))


def reading(rows, max_rel=4):
    """ERR at each cut."""
    stop = (np.exp2(rows.grades) - 1) / 2**max_rel
    still = np.cumprod(np.hstack([np.ones((len(stop), 1)), 1 - stop[:, :-1]]), axis=1)
    return np.cumsum(still * stop / rows.cuts, axis=1)


def biased(rows, p=0.8, max_rel=None):
    """RBP at each cut."""
    gains = rows.hits if max_rel is None else rows.grades / max_rel
    return np.cumsum((1 - p) * gains * p ** (rows.cuts - 1), axis=1)


def preference(rows):
    """Bpref."""
    others = np.zeros_like(rows.hits)
    others[:, : rows.n] = 1 - rows.hits[:, : rows.n]
    above = np.minimum(np.cumsum(others, axis=1), rows.relevant)
    most = np.minimum(rows.n_others, rows.n_relevant)[:, None]
    return over((rows.hits * (1 - over(above, most))).sum(axis=1), rows.n_relevant)


def at_relevant(rows, mult=1.0):
    """Rprec."""
    depth = (mult * rows.n_relevant + 0.9).astype(int)
    place = np.clip(depth, 1, len(rows.cuts)) - 1
    return over(np.take_along_axis(rows.found, place[:, None], axis=1)[:, 0], depth)


def interpolated(rows, recall, rounding="up"):
    """IPrec."""
    shift = 0.5 if rounding == "nearest" else 0.9
    needed = np.floor(recall * rows.n_relevant + shift)[:, None]
    precision = (rows.found / rows.cuts)[:, : rows.n]
    reached = np.where(rows.found[:, : rows.n] >= needed, precision, 0)
    return reached.max(axis=1, initial=0)


def set_f(rows, beta):
    """SetF."""
    weight = beta**2
    return over((1 + weight) * rows.found[:, -1], rows.n + weight * rows.n_relevant)


AT_CUTS = {
    "AP": lambda q: over(np.cumsum(q.hits * q.found / q.cuts, axis=1), q.relevant),
    "P": lambda q: q.found / q.cuts,
    "R": lambda q: over(q.found, q.relevant),
    "RelP": lambda q: over(q.found, np.minimum(q.cuts, q.relevant)),
    "F(beta=0.5)": lambda q: over(1.25 * q.found, q.cuts + 0.25 * q.relevant),
    "RR": lambda q: np.cumsum(q.hits * (q.found == 1) / q.cuts, axis=1),
    "Success": lambda q: (q.found > 0) * 1.0,
    "RBP(p=0.8)": biased,
    "ERR": reading,
    "DCG": lambda q: discounted(gain_of(q.grades, "log2")),
    "DCG(dcg=exp-log2)": lambda q: discounted(gain_of(q.grades, "exp-log2")),
    "nDCG": normalised,
    "nDCG(dcg=exp-log2)": lambda q: normalised(q, "exp-log2"),
    "RBP(max_rel=3)": lambda q: biased(q, max_rel=3),
}
NEEDS_CUT = ("P", "R", "RelP", "F(beta=0.5)")
WITHOUT_CUT = {
    "Rprec": at_relevant,
    "Rprec(mult=0.4)": lambda q: at_relevant(q, 0.4),
    "Rprec(mult=2.5)": lambda q: at_relevant(q, 2.5),
    "IPrec@0": lambda q: interpolated(q, 0.0),
    "IPrec@0.3": lambda q: interpolated(q, 0.3),
    "IPrec@0.5": lambda q: interpolated(q, 0.5),
    "IPrec(rounding=nearest)@0.3": lambda q: interpolated(q, 0.3, "nearest"),
    "Bpref": preference,
    "SetP": lambda q: over(q.found[:, -1], q.n),
    "SetP(relative=True)": lambda q: over(q.found[:, -1], np.minimum(q.n, q.n_relevant)),
    "SetR": lambda q: over(q.found[:, -1], q.n_relevant),
    "SetF(beta=2)": lambda q: set_f(q, 2),
    "SetAP": lambda q: over(q.found[:, -1], q.n) * over(q.found[:, -1], q.n_relevant),
    "NumRel": lambda q: q.n_relevant,
    "NumRelRet": lambda q: q.found[:, -1],
    "NumRet": lambda q: np.full(len(q.hits), float(q.n)),  # without rel= all count
    "GMAP": lambda q: AT_CUTS["AP"](q)[:, -1],
    "GMBpref": preference,
}
GRADED = ("RBP(max_rel=3)", "ERR", "DCG", "DCG(dcg=exp-log2)", "nDCG", "nDCG(dcg=exp-log2)")


def names(cuts, rel=1):
    """The measures at these cuts, as irbounds writes them: {text: (name, cut or None)}."""
    found = {}
    for name in AT_CUTS:
        if name not in NEEDS_CUT:
            found[with_rel(name, rel)] = name, None
        for k in cuts:
            found[f"{with_rel(name, rel)}@{k}"] = name, k
    for name in WITHOUT_CUT:
        found[with_rel(name, rel)] = name, None
    return found


def with_rel(name, rel):
    """The name with its lowest relevant grade, where it is not 1."""
    if rel == 1 or name in (*GRADED, "NumRet"):
        return name
    name, at, cut = name.partition("@")
    if name.endswith(")"):
        return f"{name[:-1]},rel={rel}){at}{cut}"
    return f"{name}(rel={rel}){at}{cut}"


def column_of(name, cut):
    """The column of `all_values`; without a cut that of the deepest."""
    if name in AT_CUTS:
        return list(AT_CUTS).index(name) * DEPTH + (cut or DEPTH) - 1
    return len(AT_CUTS) * DEPTH + list(WITHOUT_CUT).index(name)


def all_values(rows):
    """One column for each measure at each cut, then the measures without one."""
    at_cuts = [function(rows) for function in AT_CUTS.values()]
    return np.hstack([*at_cuts, *(function(rows)[:, None] for function in WITHOUT_CUT.values())])


# All labels, all orders
# ---------------------------------------------------------------------------------------------


def orders(sizes, rule):
    """Every order of the places of ranks of these sizes: one row each.  "given": as they are;
    "doc_id": each rank turned round."""
    start, ranks = 0, []
    for size in sizes:
        places = list(range(start, start + size))
        start += size
        if rule == "given":
            ranks.append([tuple(places)])
        elif rule == "doc_id":
            ranks.append([tuple(reversed(places))])
        else:
            ranks.append(list(permutations(places)))
    return as_rows(tuple(place for rank in choice for place in rank) for choice in product(*ranks))


def as_rows(tuples):
    """One row for each, also where they are empty."""
    rows = list(tuples)
    return np.array(rows, int).reshape(len(rows), -1 if rows[0] else 0)


def labelled(grades, hidden, labels):
    """All labellings of these grades, negative ones of open documents, with those of hidden ones in
    columns at the end; hidden ones are alike."""
    grades = np.asarray(grades, int)
    is_open = np.flatnonzero(grades < 0)
    chosen = as_rows(product(labels, repeat=len(is_open)))
    unseen = as_rows(combinations_with_replacement(labels, hidden))
    rows = np.repeat(grades[None], len(chosen), axis=0)
    rows[:, is_open] = chosen
    return np.hstack([np.repeat(rows, len(unseen), axis=0), np.tile(unseen, (len(chosen), 1))])


def values_by_label(table, places, sizes, rule, rel):
    """Labellings x orders x columns of `all_values`, of the run that has these columns of the table
    in its ranks."""
    rest = np.setdiff1d(np.arange(table.shape[1]), places)
    order = np.asarray(places, int)[orders(sizes, rule)]
    grades = table[:, order].reshape(len(table) * len(order), len(places))
    values = all_values(Rows(grades, np.repeat(table[:, rest], len(order), axis=0), rel))
    return values.reshape(len(table), len(order), -1)


def bounds(ranks, unretrieved, hidden, *, labels=(0, 1), rel=1):
    """{rule: (low, high)}, each by columns of `all_values`, of a list of ranks of grades."""
    sizes = [len(rank) for rank in ranks]
    known = [*(grade for rank in ranks for grade in rank), *unretrieved]
    table = labelled(known, hidden, labels)
    values = values_by_label(table, range(sum(sizes)), sizes, "any", rel)
    best, worst = values.max(axis=1), values.min(axis=1)
    found = {
        rule: (by_label.min(axis=0), by_label.max(axis=0))
        for rule, by_label in (("expected", values.mean(axis=1)), ("best", best), ("worst", worst))
    }
    found["any"] = worst.min(axis=0), best.max(axis=0)
    for rule in ("given", "doc_id"):
        ordered = values_by_label(table, range(sum(sizes)), sizes, rule, rel)[:, 0]
        found[rule] = ordered.min(axis=0), ordered.max(axis=0)
    return found


def difference_bounds(runs, judged, hidden, *, labels=(0, 1), rel=1):
    """Low and high by columns of `all_values` of the difference of two runs, which are lists of
    ranks of document numbers; judged: the grade of each number, negative where it has none.
    Documents that nobody judged or retrieved are left out."""
    retrieved = {doc for run in runs for rank in run for doc in rank}
    kept = [doc for doc, grade in enumerate(judged) if grade >= 0 or doc in retrieved]
    column = {doc: i for i, doc in enumerate(kept)}
    table = labelled([judged[doc] for doc in kept], hidden, labels)
    means = [
        values_by_label(
            table,
            [column[doc] for rank in run for doc in rank],
            [len(rank) for rank in run],
            "any",
            rel,
        ).mean(axis=1)
        for run in runs
    ]
    difference = means[0] - means[1]
    return difference.min(axis=0), difference.max(axis=0)
