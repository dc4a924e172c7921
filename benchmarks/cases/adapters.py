"""The evaluators of pytrec_eval and ir_measures, and irbounds in their place, on dicts in memory.

Evaluators are made before, unless the case says otherwise; they give all values of all queries.
"""

from __future__ import annotations

import random
from functools import partial
from typing import Any

from cases import Case, Tools, Work

TREC = {"map", "ndcg_cut_10", "P_10", "recip_rank"}
BEIR = {f"{name}.1,3,5,10,100,1000" for name in ("ndcg_cut", "map_cut", "recall", "P")}
Run = dict[str, dict[str, float]]
SIZES = ((50, 1000), (1000, 100), (10_000, 10))


def make_run(n_queries: int, n_docs: int, n_scores: int) -> Run:
    """Documents of 3 n_docs; n_scores different scores, or as many as documents if it is 0."""
    rng = random.Random(1)
    return {
        f"q{q}": {
            f"doc{d:07}": float(rng.randrange(n_scores) if n_scores else -i)
            for i, d in enumerate(rng.sample(range(3 * n_docs), n_docs))
        }
        for q in range(n_queries)
    }


def copied(name: str) -> str:
    """An equal text that is another object, as ids of two files are."""
    return "".join(list(name))


def trec_eval(quick: bool, n_queries: int, n_docs: int, ties: bool, measures: Any = None) -> Tools:
    """The dict of values; a tenth of the documents is judged."""
    import pytrec_eval

    from irbounds.adapters.pytrec_eval import RelevanceEvaluator

    run = make_run(max(n_queries // (50 if quick else 1), 2), n_docs, n_docs // 5 if ties else 0)
    rng, n_judged = random.Random(2), max(2, n_docs // 10)
    qrels = {
        copied(query): {copied(doc): rng.randrange(3) for doc in rng.sample(sorted(docs), n_judged)}
        for query, docs in run.items()
    }

    def values(kind: Any) -> Work:
        evaluator = kind(qrels, measures or pytrec_eval.supported_measures)
        return lambda: evaluator.evaluate(run)

    theirs = pytrec_eval.RelevanceEvaluator
    return {"irbounds": partial(values, RelevanceEvaluator), "pytrec_eval": partial(values, theirs)}


def subtopics(quick: bool, read_each_time: bool) -> Tools:
    """alpha_nDCG@10, with an evaluator or without."""
    import ir_measures

    run, rng = make_run(5 if quick else 50, 1000, 0), random.Random(2)
    qrels = [
        ir_measures.Qrel(query, doc, 1, str(subtopic))
        for query, docs in run.items()
        for doc in rng.sample(sorted(docs), 200)
        for subtopic in range(6)
        if rng.random() < 0.4
    ]
    measure = ir_measures.alpha_nDCG @ 10

    def ours() -> Work:
        import irbounds as irb
        from irbounds.adapters.ir_measures import calc_aggregate

        if read_each_time:
            return lambda: calc_aggregate([measure], qrels, run)[measure]
        evaluator = irb.Evaluator(qrels, [str(measure)])
        return lambda: evaluator.evaluate(run).summary[str(measure)]

    def theirs() -> Work:
        provider = ir_measures.pyndeval
        if read_each_time:
            return lambda: provider.calc_aggregate([measure], qrels, run)[measure]
        evaluator = provider.evaluator([measure], qrels)
        return lambda: evaluator.calc_aggregate(run)[measure]

    return {"irbounds": ours, "ir_measures (pyndeval)": theirs}


SETS = {"4 measures": TREC, "24 measures": BEIR, "all measures": None}
ROWS = (  # queries, documents, ties, measures
    *((n, docs, ties, "4 measures") for ties in (False, True) for n, docs in SIZES),
    (1000, 100, True, "24 measures"),
    (1000, 100, True, "all measures"),
)
CASES = (
    *(
        Case(
            f"{n:,} × {docs:,} documents, {'ties' if ties else 'no ties'}, {name}",
            partial(trec_eval, n_queries=n, n_docs=docs, ties=ties, measures=SETS[name]),
        )
        for n, docs, ties, name in ROWS
    ),
    Case("alpha_nDCG@10, 50 × 1,000 documents", partial(subtopics, read_each_time=False)),
    Case("the same, judgments read each time", partial(subtopics, read_each_time=True)),
)
