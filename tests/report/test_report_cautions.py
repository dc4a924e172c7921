"""Both kinds of recall memo print what their intervals warn about."""

import html
import re
import warnings

import pytest

import irbounds as irb

pytest.importorskip("jinja2")

RETRIEVED, CUSTODIANS = (12_000, 150, 108), [(2200, 32, i % 2) for i in range(20)]
HEAVY = "The prior weighs more than a quarter as much as the sample of the unretrieved segment"
OUTSIDE = "The estimate lies outside its interval: "
CODED = irb.Audited(1000, 100, 30, called_audit=(2, 1), other_audit=(2, 0))


def page_of(*segments, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", irb.warnings.SampleWarning)
        page = irb.report_recall(*segments, date="2026-01-31", **options)
    return html.unescape(page), {str(warning.message) for warning in caught}


@pytest.mark.parametrize("retrieved", [(500, 50, 40), CODED])
def test_a_heavy_prior_is_said_in_the_page(retrieved):
    page, raised = page_of(retrieved, (9000, 3, 0))
    assert page.count(HEAVY) == 1
    assert any(text.startswith(HEAVY.lower()) for text in raised)
    page, raised = page_of(retrieved, (9000, 300, 3))
    assert HEAVY not in page
    assert not raised


def test_estimates_outside_their_intervals_are_named():
    page, _ = page_of(RETRIEVED, CUSTODIANS, method="betabinom-half-per-stratum")
    outside = [
        name
        for name, interval in (
            ("recall", irb.recall_interval),
            ("precision", irb.precision_interval),
            ("F1", irb.f_interval),
            ("yield", irb.yield_interval),
            ("elusion", irb.samples.elusion_interval),
        )
        for found in [interval(RETRIEVED, CUSTODIANS, method="betabinom-half-per-stratum")]
        if not found.low <= found.estimate <= found.high
    ]
    assert "recall" in outside
    assert f"{OUTSIDE}{', '.join(outside)}." in page


@pytest.mark.long
def test_methods_of_the_annex_whose_intervals_exclude_the_estimate():
    """The page says it of each, and raises no warning about a method that it does not use."""
    page, raised = page_of(RETRIEVED, CUSTODIANS)
    assert not raised
    assert OUTSIDE not in page
    rows = dict(re.findall(r'<tr data-method="([^"]+)"(.*?)</tr>', page, re.DOTALL))
    for name, row in rows.items():
        if "does not support strata" not in row:
            found = irb.recall_interval(RETRIEVED, CUSTODIANS, method=name)
            is_outside = not found.low <= found.estimate <= found.high
            assert ("the estimate lies outside this interval" in row) == is_outside
    assert "the estimate lies outside" in rows["betabinom-half-per-stratum"]
