"""Both kinds of recall memo say whether the samples show that the target was reached or missed."""

import re

import pytest
from sizes import long

import irbounds as irb

pytest.importorskip("jinja2")

CODED = irb.Audited(10_000, 1000, 300, called_audit=(60, 51), other_audit=(120, 4))
SAMPLES = (500, 50, 40), (2000, 100, 3)
AUDITS = CODED, (90_000, 1000, 3)
SAID = {
    "reached": "This bound reaches the target of",
    "missed": "was missed: with",
    "open": "neither that the target was reached nor that it was missed",
}


@pytest.mark.parametrize(
    ("segments", "method"), [(SAMPLES, "guaranteed"), long((SAMPLES, "anytime")), (AUDITS, None)]
)
def test_the_target_is_compared_with_the_bound_and_the_interval(segments, method):
    low = irb.recall_interval(*segments, side="lower", method=method).low
    high = irb.recall_interval(*segments, method=method).high
    assert 0.5 < low < high < 0.999
    for target, verdict in ((low - 1e-6, "reached"), (low + 1e-6, "open"), (high + 1e-6, "missed")):
        page = irb.report_recall(
            *segments, target=round(target, 9), method=method, date="2026-01-31"
        )
        (said,) = re.findall(r'<span id="verdict">(.*?)</span>', page)
        assert [name for name, words in SAID.items() if words in said] == [verdict]
