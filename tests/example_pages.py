"""Report pages that several test modules read."""

from functools import cache

import numpy as np

import irbounds as irb

DAY = "2026-01-31"
SIMPLE = (500, 50, 40), (2000, 100, 3)
STRATA = [(500, 50, 40), (300, 30, 5)], [(2000, 100, 3), (1000, 50, 1), (60, 60, 2)]
NASTY = [
    *("<script>alert(1)</script>", "\"' onload=alert(1) x=", "]]>&amp;</svg></style>"),
    *("$\\frac{1}", "{{ 7*7 }}", "中文 система 🚀"),
    "x" * 300,
    "a\x00\x1b\udc80\u202eb\nc",
]
QRELS = {f"q{i}": {"d1": 1, "d2": 0, "d3": 1} for i in range(4)} | {"<b>q</b>": {"d1": 1}}
RUNS = {
    "tied": {q: {"d1": 0.7, "d2": 0.7, "d3": 0.4} for q in QRELS},
    "strict": {q: {"d1": 0.2, "d2": 0.7 if q == "q0" else 0.1, "d3": 0.4} for q in QRELS},
    "short": {"q1": {"d1": 1.0}, "other": {"d1": 1.0}},
}


def memo(*segments, **options):
    asked = {"date": DAY, "target": 0.75} | options
    return irb.report_recall(*(segments or SIMPLE), **asked)


def comparison(qrels=QRELS, runs=RUNS, *arguments, **options):
    return irb.report_runs(qrels, runs, *arguments, date=DAY, **options)


DAYS = [np.datetime64(f"2026-01-0{day}", "s").item() for day in range(1, 6)]


def history(names=("tied",), runs=("tied", "strict", "tied", "short", "tied"), hashes="xxxyy"):
    return irb.report_history(
        irb.History(
            tuple(
                irb.rankings.HistoryEntry(day, name, EVALUATIONS[run], qrels_sha256=mark)
                for name in names
                for day, run, mark in zip(DAYS, runs, hashes, strict=True)
            )
        ),
        date=DAY,
    )


EVALUATIONS = {
    name: irb.evaluate(QRELS, run, "AP ESL(nr=1) NumRel", bounds=True) for name, run in RUNS.items()
}
PAGES = {
    "memo": lambda: memo(subject="Smith & <Jones>"),
    "strata": lambda: memo(*STRATA),
    "nothing": lambda: memo((500, 50, 0), (2000, 100, 0)),
    "runs": comparison,
    "one run": lambda: comparison(QRELS, {"a": RUNS["tied"]}, "AP"),
    "sums": lambda: comparison(QRELS, RUNS, "NumRel ESL(nr=2) SetF"),
    "review": lambda: irb.report_review([1] * 20 + [0] * 100, 200, date=DAY, subject=NASTY[0]),
    "history": history,
    "hostile history": lambda: history(NASTY[:4]),
    "hostile": lambda: comparison(QRELS, dict.fromkeys(NASTY, RUNS["tied"]), title=NASTY[0]),
}


@cache
def made(name):
    """The text of one of these pages, made once."""
    return PAGES[name]()
