"""The recall memo for samples of clusters, such as families, that were assessed whole."""

from __future__ import annotations

import itertools
import json
import operator
import shlex
from typing import Any

from irbounds.foundation.arguments import check_level, check_number
from irbounds.foundation.hashes import canonical, text_hash
from irbounds.foundation.interval import Interval
from irbounds.report.memo import LABELS, TITLE, claim_of, claim_side
from irbounds.report.page import Page, file_of, levels
from irbounds.samples.clusters.clusters import LEAST_CLUSTERS
from irbounds.samples.clusters.sample import COUNTS, ClusterSample

FORMATS = {"F": ("", 4), "yield": ("", 0), "recall": ("%", 1)}  # unit and digits
WHAT = {
    "recall": "share of the relevant documents that is retrieved",
    "precision": "share of the retrieved documents that is relevant",
    "F": "harmonic mean of recall and precision",
    "yield": "relevant documents in the collection",
    "elusion": "share of the unretrieved documents that is relevant",
    "richness": "share of the collection that is relevant",
}


def memo(
    sample: ClusterSample,
    page: Page,
    target: float | None,
    level: float,
    source: dict[str, str] | None,
) -> str:
    """The page."""
    if target is not None:
        check_number("target", target, "must be from 0 to 1", lambda x: 0 <= x <= 1)
    check_level(level)
    columns = [getattr(sample, name).astype(int).tolist() for name in COUNTS]
    clusters = sorted(zip(*columns, strict=True), reverse=True)
    inputs: dict[str, Any] = {
        "retrieved_size": int(sample.retrieved_size),
        "unretrieved_size": int(sample.unretrieved_size),
        "clusters": [[len([*same]), *counts] for counts, same in itertools.groupby(clusters)],
        "is_of_each_segment": sample.is_of_each_segment,
        "target": target,
        "confidence_level": level,
    }
    rows = [_row(sample, measure, level) for measure in sample.measures]
    bound, interval = rows[0]["one_sided"], rows[0]["interval"]
    verdict, claim = claim_of(bound, interval, target)
    rows[0]["one_sided"] = claim
    tp, fp, fn, tn = map(sum, columns)
    segments = [
        _segment("Retrieved", inputs["retrieved_size"], tp, fp, columns[:2]),
        _segment("Unretrieved", inputs["unretrieved_size"], fn, tn, columns[2:]),
    ]
    line = canonical(inputs)
    return page.render(
        "clusters.html.j2",
        claim=claim,
        verdict=verdict,
        interval=interval,
        rows=rows,
        segments=segments,
        clusters=len(clusters),
        sizes=[sum(each) for each in clusters],
        least_clusters=LEAST_CLUSTERS,
        few=[row["name"] for row in rows if row["interval"].n_groups < LEAST_CLUSTERS],
        of_each_segment=sample.is_of_each_segment,
        canonical=line,
        hash=text_hash(line),
        command=_command(inputs, page),
        source=source,
        **levels(level, target),
    )


def _row(sample: ClusterSample, measure: str, level: float) -> dict[str, Any]:
    interval, one_sided = (
        sample.interval(measure, confidence_level=level, side=side)
        for side in ("two-sided", claim_side(measure))
    )
    unit, digits = FORMATS.get(measure, ("%", 2))
    return {
        "name": LABELS.get(measure, measure),
        "what": WHAT[measure],
        "unit": unit,
        "digits": digits,
        "interval": interval,
        "one_sided": one_sided,
        "effects": _effects(interval),
    }


def _effects(interval: Interval) -> list[float]:
    found: Any = interval.design_effect
    return [*found] if isinstance(found, tuple) else [found]


def _segment(
    name: str, size: int, relevant: int, other: int, columns: list[list[int]]
) -> dict[str, Any]:
    return {
        "name": name,
        "size": size,
        "clusters": sum(any(each) for each in zip(*columns, strict=True)),
        "sampled": relevant + other,
        "relevant": relevant,
    }


def _command(inputs: dict[str, Any], page: Page) -> str:
    """The command that makes this page: a call of the function with the counts of the clusters."""
    lists = [
        " + ".join(
            f"[{value}] * {sum(count for count, *_ in same)}"
            for value, same in itertools.groupby(inputs["clusters"], operator.itemgetter(i))
        )
        for i in range(1, 5)
    ]
    sizes = [str(inputs["retrieved_size"]), str(inputs["unretrieved_size"])]
    sample = ", ".join([*sizes, *lists, str(inputs["is_of_each_segment"])])
    options = [
        *(f"{name}={inputs[name]!r}" for name in ("target", "confidence_level")),
        *(
            f"{name}={json.dumps(text, ensure_ascii=False)}"
            for name, text in page.options(TITLE).items()
            if text
        ),
        f"output={json.dumps('memo.html' if page.output is None else file_of(page.output))}",
    ]
    call = f"irb.report_recall(irb.samples.ClusterSample({sample}), {', '.join(options)})"
    return shlex.join(["python", "-c", f"import irbounds as irb; {call}"])
