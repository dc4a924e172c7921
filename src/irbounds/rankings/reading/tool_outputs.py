"""Results of evaluation tools as tables: Inspect, lm-eval, promptfoo, ragas."""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Number
from typing import Any

from irbounds.foundation.errors import InputError

Row = dict[str, Any]
# Inspect's grades as its `value_to_float` counts them: correct, incorrect, partial, no answer.
GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
NO_ANSWER = 2  # promptfoo's failureReason of a call that failed: its score 0 is none


def tool_rows(found: Any, name: str) -> list[Row] | None:
    """The rows of a tool's JSON; None if it is none of theirs.

    Their names are unit, measure and score; system, where the tool names it; and repeat.
    """
    first = found[0] if isinstance(found, list) and found else found
    if not isinstance(first, dict):
        return None
    rows: Iterator[Row] | list[Row]
    if isinstance(found, list):
        if not {"doc_id", "resps", "target"} <= set(first):
            return None
        rows = _lm_eval(found)
    elif _is_promptfoo(found):
        rows = _promptfoo(found["results"]["results"])
    elif "eval" in found and "samples" in found:
        if found.get("status", "success") != "success":
            raise InputError(
                f"{name}: the evaluation did not finish; its status is {found['status']!r}"
            )
        rows = _inspect(found)
    elif all(isinstance(column, dict) for column in found.values()) and "user_input" in found:
        # ragas by pandas' to_json(), column by column
        places = list(found["user_input"])
        return [{key: own.get(place) for key, own in found.items()} for place in places]
    else:
        return None
    listed = list(rows)
    if not listed:
        raise InputError(f"{name}: no sample has a score that is a number")
    return listed


def _lm_eval(samples: list[Row]) -> Iterator[Row]:
    """`samples_*.jsonl`: a line for each document and filter; measures are called as in the
    harness's own table, "exact_match,strict-match", where there are several filters."""
    fixed = {
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash"),
    }
    filters = {sample.get("filter") for sample in samples}
    for sample in samples:
        # documents of two tasks have the same numbers
        unit = str(sample["doc_id"])
        if "doc_hash" in sample:
            unit += f"-{sample['doc_hash'][:8]}"
        for measure in sample.get("metrics") or [key for key in sample if key not in fixed]:
            score = sample.get(measure)
            if isinstance(score, Number):  # perplexities are pairs, of which no mean is taken
                name = f"{measure},{sample.get('filter')}" if len(filters) > 1 else measure
                yield {"unit": unit, "measure": name, "score": score}


def _is_promptfoo(found: Row) -> bool:
    results = found.get("results")
    return isinstance(results, dict) and isinstance(results.get("results"), list)


def _promptfoo(results: list[Row]) -> Iterator[Row]:
    """`promptfoo eval --output`: each provider, with the prompt where there are several, is a
    system, and each test a unit."""
    prompts = {result.get("promptIdx") for result in results}
    for result in results:
        provider = result.get("provider")
        if isinstance(provider, dict):
            provider = provider.get("label") or provider.get("id")
        system = str(provider)
        if len(prompts) > 1:
            system += f", prompt {result.get('promptIdx')}"
        unit = result.get("testIdx")
        if unit is None:
            raise InputError("promptfoo's results before version 3 have no testIdx: run it again")
        scores = {"score": result.get("score"), "pass": result.get("success")}
        if result.get("failureReason") == NO_ANSWER:
            scores = dict.fromkeys(scores, math.nan)
        for measure, score in {**scores, **(result.get("namedScores") or {})}.items():
            if isinstance(score, Number):
                yield {"system": system, "unit": unit, "measure": measure, "score": score}


def _inspect(log: Row) -> Iterator[Row]:
    """An Inspect log: the model is the system, each sample a unit, each epoch a repeat."""
    task = log["eval"].get("task")  # samples of two tasks may have the same ids
    for sample in log["samples"] or ():
        for scorer, score in (sample.get("scores") or {}).items():
            value = score.get("value")
            parts = value if isinstance(value, dict) else {"": value}
            for key, part in parts.items():
                number = GRADES.get(part, part) if isinstance(part, str) else part
                if isinstance(number, Number):
                    yield {
                        "system": log["eval"].get("model"),
                        "unit": f"{task}/{sample['id']}" if task else sample["id"],
                        "repeat": sample.get("epoch", 1),
                        "measure": f"{scorer}.{key}" if key else scorer,
                        "score": number,
                    }


def inspect_rows(path: str, name: str) -> list[Row]:
    """The rows of a log of Inspect in its own format, `.eval`."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise InputError(
            f"{name}: a zip archive; logs of Inspect (.eval) need inspect_ai: pip install "
            "inspect_ai"
        ) from None
    try:
        log = read_eval_log(path).model_dump()
    except Exception as error:
        problem = " ".join(str(error).split())
        raise InputError(f"{name}: is not a log of Inspect: {problem}") from None
    return tool_rows({key: log[key] for key in ("status", "eval", "samples")}, name) or []
