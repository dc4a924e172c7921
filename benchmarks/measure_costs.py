"""The time of each measure, as a multiple of nDCG's, on the same rankings in memory.

    python benchmarks/measure_costs.py            # writes benchmarks/results/measure_costs.md
    python benchmarks/measure_costs.py --quick    # small, to see that it runs
    python benchmarks/measure_costs.py --measures "infAP WSS@0.95"    # prints these alone

`rank_measures` of 300 queries of 1,000 documents, all of them judged, half or a tenth; documents
of other ranks or five of one score in the mean.  Measures without a mean over tied orders, and
nDCG beside them, take the order of the input.  Times are those of the processor, the least of
several calls that take turns with nDCG.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from timing import machine, publish, table

import irbounds as irb
from irbounds.rankings.measure_table.table import SPECS

JUDGED = (1.0, 0.5, 0.1)
N_DOCS = 1000
WORDS = {"p=…": "p=0.8", "recall=…": "recall=0.5", "nr=…": "nr=5"}  # else 5


def forms() -> Iterator[str]:
    """Every built-in measure of rankings without subtopics, with the parameters that it needs."""
    for name, spec in SPECS.items():
        if spec.scale:
            continue
        form = spec.form.replace("[@k]", "").replace("[@r]", "").replace("@r", "@0.5")
        for word, value in WORDS.items():
            form = form.replace(word, value)
        form = form.replace("=…", "=5").replace("@k", "@10")
        yield f"{name}@10" if spec.at == "percentage" else form


def seconds(work: Callable[[], Any]) -> float:
    """One call, in seconds of the processor."""
    start = time.process_time()
    work()
    return time.process_time() - start


def multiple(measure: str, data: dict[str, Any], repeat: int) -> float:
    """A measure's time over nDCG's."""
    spec = irb.Measure.parse(measure).spec
    ties = "expected" if spec.has_expectation else "given"

    def call(name: str) -> Callable[[], Any]:
        return lambda: irb.rank_measures(
            data["scores"],
            data["relevance"],
            name,
            groups=data["groups"],
            ties=ties,
            collection_size=100 * N_DOCS,
        )

    works = call(measure), call("nDCG")
    times = [[seconds(work) for work in works] for _ in range(repeat)]
    own, other = (min(column) for column in zip(*times, strict=True))
    return own / other


def inputs(n_queries: int) -> Iterator[dict[str, Any]]:
    """Rankings without and with ties, of which all, half and a tenth of the documents is judged."""
    rng = np.random.default_rng(1)
    n = n_queries * N_DOCS
    scores = rng.random(n)
    for of in (scores, np.round(scores * (N_DOCS / 5))):
        for share in JUDGED:
            relevance = np.where(rng.random(n) < share, rng.integers(0, 3, n), -1)
            groups = np.repeat(np.arange(n_queries), N_DOCS)
            yield {"scores": of, "relevance": relevance, "groups": groups}


def main() -> None:
    """Measure, print and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--measures", help="these alone, which are printed and not written")
    options = parser.parse_args()
    cases = list(inputs(10 if options.quick else 300))
    repeat = 2 if options.quick else 7
    rows = [
        [f"`{form}`", *(f"{multiple(form, data, repeat):.2f}" for data in cases)]
        for form in (options.measures.split() if options.measures else forms())
    ]
    heads = [
        f"{how}, {share:.0%} judged" for how in ("no ties", "ties of five") for share in JUDGED
    ]
    lines = [
        "# Cost of measures",
        "",
        "Time of a measure over that of nDCG, `rank_measures` of 300 queries of 1,000 documents, "
        "the ranking included. Made by `python benchmarks/measure_costs.py`.",
        "",
        *table(("measure", *heads), rows),
        "",
        machine(("numpy",)),
    ]
    publish(lines, "measure_costs.md", write=not (options.quick or options.measures))


if __name__ == "__main__":
    main()
