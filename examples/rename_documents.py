"""Rename documents, and see the better of two real runs become the worse one.

python examples/rename_documents.py         # the runs that irbounds ships
"""

from __future__ import annotations

from importlib.resources import as_file, files

import irbounds as irb

Scores = dict[str, dict[str, float]]


def load(name: str) -> Scores:
    """Judgments or a run of the demo: images of digits, ranked for 20 of them."""
    with as_file(files("irbounds") / "demo" / f"{name}.xz") as path:
        source = irb.Qrels(path) if "qrels" in name else irb.Run(path)
    return {query: dict(documents) for query, documents in source.items()}


def renamed(table: Scores) -> Scores:
    """The same documents, renamed in reverse order."""
    return {
        query: {f"digit-{9999 - int(doc[6:]):04}": value for doc, value in documents.items()}
        for query, documents in table.items()
    }


def load_runs() -> tuple[Scores, Scores, Scores]:
    """Judgments, a run, and the images that another stage found, re-ranked by the same score."""
    pixels = load("equal-pixels.run")
    reranked = {
        query: {doc: pixels[query].get(doc, 0.0) for doc in documents}
        for query, documents in load("cosine.run").items()
    }
    return load("digits.qrels"), pixels, reranked


def show(row: str, *cells: str) -> None:
    """A row of the table."""
    print(f"{row:29}" + "".join(f"{cell:>19}" for cell in cells))


def main() -> None:
    """Reciprocal rank by trec_eval's tie rule under both namings, and over all orders of ties."""
    qrels, pixels, reranked = load_runs()
    runs = {"equal pixels": pixels, "re-ranked": reranked}

    show("mean reciprocal rank", *runs, "difference")
    for rule, name in (("ties by document id", dict), ("the same, documents renamed", renamed)):
        one, other = (
            irb.evaluate(name(qrels), name(run), "RR", ties="doc_id").mean["RR"]
            for run in runs.values()
        )
        show(rule, f"{one:.4f}", f"{other:.4f}", f"{other - one:+.4f}")

    comparison = irb.compare(qrels, runs, "RR")
    found = comparison.between("re-ranked", "equal pixels")
    means = [irb.evaluate(qrels, run, "RR", bounds=True) for run in runs.values()]
    show(
        "irbounds: mean of all orders",
        *(f"{evaluation.mean['RR']:.4f}" for evaluation in means),
        f"{found.difference:+.4f}",
    )
    show(
        "irbounds: range",
        *("[{:.4f}, {:.4f}]".format(*evaluation.mean_bounds["RR"]) for evaluation in means),
        "[{:+.4f}, {:+.4f}]".format(*found.tie_bounds),
    )


if __name__ == "__main__":
    main()
