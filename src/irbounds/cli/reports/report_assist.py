"""`irbounds report assist`: a page on a measure from a judge's grades and people's labels."""

from __future__ import annotations

from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.judges.assist import estimated, estimating
from irbounds.cli.terminal.help import declare


@declare(
    "assist",
    {
        **estimating("seed"),
        "Output": (options.subject("Decision that the page is about."), *options.PAGE),
    },
    'irbounds report assist people.csv model.qrels new.run -m "P(rel=2)@10" -o assist.html',
    'irbounds report assist people.csv model.qrels new.run -m "P(rel=2)@10" --against old.run',
)
def command(seed: int | None, title: str | None, **settings: Any) -> str:
    """Report a run's measure, estimated from a judge's grades and a few labels by people.

    The page has the interval, the estimates from the judge alone and from people alone, and the
    assumptions.
    """
    from irbounds.report.assist import TITLE

    settings |= {"seed": seed or 0, "title": title or TITLE}
    page: str = estimated(irbounds.report_assist, seed, **settings)
    return page
