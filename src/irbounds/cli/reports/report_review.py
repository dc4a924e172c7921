"""`irbounds report review`: the certificate of a stopped review."""

from __future__ import annotations

import irbounds
from irbounds.cli.input import options
from irbounds.cli.reviews.review import read_options, review_file
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.screen import write_page


@declare("review", "irbounds report review review.asreview --target 0.95 -o certificate.html")
@review_file
@options.confidence_level
@options.subject("Name of the review.")
@options.title
@options.date
@options.output
def command(
    labels: str,
    population: int | None,
    order: str | None,
    n_prior: int | None,
    qrels: str | None,
    topic: str | None,
    target: float,
    confidence_level: float,
    subject: str,
    title: str | None,
    date: str | None,
    output: str | None,
) -> None:
    """Write a certificate of a stopped review: a lower bound on its recall.

    Uses the rule "certified". The bound holds with the confidence level, however often you look. It
    assumes that each next document is at least as likely to be relevant as a random unread one. The
    page prints on two sheets.
    """
    page = irbounds.report_review(
        labels,
        population,
        target=target,
        confidence_level=confidence_level,
        subject=subject,
        title=title or None,
        date=date,
        **read_options(order=order, n_prior=n_prior, qrels=qrels, topic=topic),
    )
    write_page(page, output)
