"""Ranking measures in plain Python, as one would write them: trec_eval's tie rule, one query after
the other."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path


def read_qrels(path: str) -> dict[str, dict[str, int]]:
    """{query: {document: grade}} of a qrels file."""
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    with Path(path).open() as file:
        for line in file:
            query, _, document, grade = line.split()
            qrels[query][document] = int(grade)
    return qrels


def read_run(path: str) -> dict[str, dict[str, float]]:
    """{query: {document: score}} of a run file."""
    run: dict[str, dict[str, float]] = defaultdict(dict)
    with Path(path).open() as file:
        for line in file:
            query, _, document, _, score, _ = line.split()
            run[query][document] = float(score)
    return run


def evaluate(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> dict[str, float]:
    """Means of AP, nDCG@10, P@10 and RR over the judged queries."""
    sums = dict.fromkeys(["AP", "nDCG@10", "P@10", "RR"], 0.0)
    for query, judged in qrels.items():
        retrieved = run.get(query, {})
        ranking = sorted(
            retrieved, key=lambda document: (retrieved[document], document), reverse=True
        )
        grades = [judged.get(document, 0) for document in ranking]
        relevant = [i for i, grade in enumerate(grades, 1) if grade > 0]
        n_relevant = sum(grade > 0 for grade in judged.values())
        if n_relevant:
            sums["AP"] += sum(k / place for k, place in enumerate(relevant, 1)) / n_relevant
            ideal = sorted(judged.values(), reverse=True)[:10]
            sums["nDCG@10"] += _dcg(grades[:10]) / _dcg(ideal)
        sums["P@10"] += sum(grade > 0 for grade in grades[:10]) / 10
        sums["RR"] += 1 / relevant[0] if relevant else 0.0
    return {name: total / len(qrels) for name, total in sums.items()}


def _dcg(grades: list[int]) -> float:
    return sum(grade / math.log2(place + 1) for place, grade in enumerate(grades, 1) if grade > 0)
