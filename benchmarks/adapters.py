"""The evaluators of pytrec_eval and ir_measures, and irbounds in their place, on dicts in memory.

    python benchmarks/adapters.py            # writes benchmarks/results/adapters.md
    python benchmarks/adapters.py --quick    # small, to see that it runs

Times are seconds of the processor, the least of several calls, the two tools in one process.  Both
make an evaluator before the clock starts, unless the row says otherwise, and give all values of
all queries; their means must agree.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

from timing import best_seconds, machine, publish, table

PACKAGES = ("numpy", "pytrec-eval-terrier", "ir_measures", "pyndeval")
TREC = {"map", "ndcg_cut_10", "P_10", "recip_rank"}
BEIR = {f"{name}.1,3,5,10,100,1000" for name in ("ndcg_cut", "map_cut", "recall", "P")}
Work = Callable[[], Any]


def seconds(work: Work) -> float:
    """Seconds of the processor."""
    return best_seconds(work, repeat=15, clock=time.process_time)


def make_run(n_queries: int, n_docs: int, n_scores: int) -> dict[str, dict[str, float]]:
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


def pytrec_eval_row(
    n_queries: int,
    n_docs: int,
    n_scores: int,
    all_judged: bool = False,
    measures: set[str] = TREC,
) -> list[str]:
    """Four measures unless others are given, the dict of values included.  A tenth of the documents
    is judged, or all; ids of runs and judgments are objects of their own."""
    import pytrec_eval

    from irbounds.adapters.pytrec_eval import RelevanceEvaluator

    run = make_run(n_queries, n_docs, n_scores)
    rng = random.Random(2)
    qrels = {
        copied(query): {
            copied(doc): rng.randrange(3)
            for doc in rng.sample(sorted(docs), n_docs if all_judged else max(2, n_docs // 10))
        }
        for query, docs in run.items()
    }
    evaluators = [
        made(qrels, measures) for made in (pytrec_eval.RelevanceEvaluator, RelevanceEvaluator)
    ]
    theirs, ours = (evaluator.evaluate(run) for evaluator in evaluators)
    for query, values in theirs.items():
        if any(abs(ours[query][name] - value) > 1e-9 for name, value in values.items()):
            raise SystemExit(f"values differ for query {query}")
    times = [seconds(lambda made=made: made.evaluate(run)) for made in evaluators]
    ties = f"{n_scores} different scores" if n_scores else "no ties"
    judged = ", all judged" if all_judged else ""
    if measures is not TREC:
        judged += f", {len(next(iter(theirs.values())))} measures"
    return _row(f"pytrec_eval, {n_queries:,} x {n_docs:,} documents, {ties}{judged}", *times)


def subtopic_rows(n_queries: int, n_docs: int) -> list[list[str]]:
    """alpha_nDCG@10, with an evaluator and without."""
    import ir_measures

    from irbounds.adapters.ir_measures import calc_aggregate, register, unregister

    run = make_run(n_queries, n_docs, 0)
    rng = random.Random(2)
    qrels = [
        ir_measures.Qrel(query, doc, 1, str(subtopic))
        for query, docs in run.items()
        for doc in rng.sample(sorted(docs), n_docs // 5)
        for subtopic in range(6)
        if rng.random() < 0.4
    ]
    import irbounds as irb

    measure = ir_measures.alpha_nDCG @ 10
    theirs = ir_measures.pyndeval.evaluator([measure], qrels)
    provider = register()
    unregister()
    evaluator = irb.Evaluator(qrels, [str(measure)])
    found = [
        theirs.calc_aggregate(run)[measure],
        provider.calc_aggregate([measure], qrels, run)[measure],
        evaluator.evaluate(run).summary[str(measure)],
    ]
    if max(found) - min(found) > 1e-9:
        raise SystemExit(f"values differ: {found}")
    what = f"ir_measures (pyndeval), alpha_nDCG@10, {n_queries:,} x {n_docs:,} documents"
    with_evaluator = [
        seconds(lambda: theirs.calc_aggregate(run)),
        seconds(lambda: evaluator.evaluate(run)),
    ]
    whole = [
        seconds(lambda: ir_measures.pyndeval.calc_aggregate([measure], qrels, run)),
        seconds(lambda: calc_aggregate([measure], qrels, run)),
    ]
    return [
        _row(what, *with_evaluator),
        _row(f"the same, {len(qrels):,} judgments read each time", *whole),
    ]


def _row(what: str, theirs: float, ours: float) -> list[str]:
    return [what, f"{ours * 1e3:.1f} ms", f"{theirs * 1e3:.1f} ms", f"{theirs / ours:.1f}×"]


def main() -> None:
    """Measure, print and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    small = 20 if options.quick else 1
    rows = [
        pytrec_eval_row(n_queries // small, n_docs, n_scores, all_judged)
        for all_judged in (False, True)
        for n_queries, n_docs in ((50, 1000), (1000, 100), (10_000, 10))
        for n_scores in (0, n_docs // 5)
    ]
    import pytrec_eval

    rows += [
        pytrec_eval_row(n_queries // small, n_docs, n_docs // 5, all_judged, measures)
        for measures in (BEIR, pytrec_eval.supported_measures)
        for all_judged in (False, True)
        for n_queries, n_docs in ((1000, 100), (10_000, 10))
    ]
    rows += subtopic_rows(50 // small, 1000)
    lines = [
        "# Evaluators of other tools",
        "",
        "irbounds in the place of another tool's evaluator, on dicts in memory. Times are those of "
        "the processor, the least of several. Made by `python benchmarks/adapters.py`.",
        "",
        *table(("what", "irbounds", "the other", "times as fast"), rows),
        "",
        machine(PACKAGES),
    ]
    publish(lines, "adapters.md", write=not options.quick)


if __name__ == "__main__":
    main()
