"""The grades of the first documents of rankings as text, trec_eval's relstring."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.data.equal_scores import EXACT, ScoreRule


def relevance_strings(
    qrels: Qrels,
    run: Run,
    n: int = 10,
    ties: str = "doc_id",
    judged_only: bool = False,
    score_rule: ScoreRule = EXACT,
) -> dict[str, str]:
    """For each judged query of the run, a character for each of its first `n` documents.

    0 to 9 is a grade, > a higher one; - was not judged, . is in the pool and was not judged (its
    grade is below 0), < is a grade between.  Under ``ties="expected"`` tied documents are in
    brackets, higher grades first; those that reach beyond the n-th document are all shown.  With
    `judged_only`, documents without a grade of 0 or more are dropped first.
    """
    found = {}
    for query, judged in qrels.items():
        documents = run.get(query)
        if documents is not None:
            scores = np.array(list(documents.values()), float)
            documents = dict(zip(documents, score_rule.merged(scores).tolist(), strict=True))
            if judged_only:
                documents = {d: score for d, score in documents.items() if judged.get(d, -1) >= 0}
            found[query] = _text(documents, judged, n, ties)
    return found


def _text(documents: dict[str, float], judged: dict[str, float], n: int, ties: str) -> str:
    order = list(documents)
    if ties == "doc_id":
        order.sort(key=lambda doc: doc.encode("utf-8", "surrogateescape"), reverse=True)
    order.sort(key=lambda doc: -documents[doc])
    text, places = "", 0
    for _, group in groupby(order, key=documents.__getitem__):
        grades = [judged.get(doc) for doc in group]
        if ties not in ("doc_id", "given"):
            grades.sort(key=lambda grade: -2 if grade is None else grade, reverse=ties != "worst")
        letters = "".join(map(_letter, grades))
        if ties == "expected" and len(letters) > 1:
            text += f"({letters})"
        else:
            text += letters[: n - places]
        places += len(letters)
        if places >= n:
            break
    return text


def _letter(grade: float | None) -> str:
    if grade is None:
        return "-"
    if grade < 0:
        return "."
    if grade > 9:
        return ">"
    return str(int(grade)) if grade == int(grade) else "<"
