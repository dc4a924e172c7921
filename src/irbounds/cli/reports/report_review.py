"""`irbounds report review`: the certificate of a stopped review."""

from __future__ import annotations

from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.reviews import review
from irbounds.cli.terminal.help import declare


@declare(
    "review",
    {
        "Input": review.INPUT,
        "Claim": (review.TARGET, options.confidence_level),
        "Output": (options.subject("Name of the review."), *options.PAGE),
    },
    "irbounds report review review.asreview --target 0.95 -o certificate.html",
)
def command(title: str | None, output: str | None, **settings: Any) -> str | None:
    """Write a certificate of a stopped review: a lower bound on its recall.

    Uses the rule "certified". The bound holds with the confidence level, however often you look. It
    assumes that each next document is at least as likely to be relevant as a random unread one.
    """
    given = {name: settings.pop(name) for name in review.READING}
    settings |= {name: value for name, value in given.items() if value is not None}
    file = None if output == "-" else output  # the page names it
    page: str = irbounds.report_review(title=title or None, output=file, **settings)
    return page if file is None else None
