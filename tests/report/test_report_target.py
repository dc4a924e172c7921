"""Both kinds of recall memo say whether the samples show that the target was reached or missed."""

import re

import numpy as np
import pytest
from pages import Page, words
from scipy.stats import hypergeom
from sizes import long

import irbounds as irb
from irbounds.report.memo import claim_of

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


WHOLE = (400, 400, 350), (600, 600, 50)


def plain(page, **attributes):
    return words(Page(page).one(**attributes)).replace("\xa0", " ")


@pytest.mark.parametrize("segments", [SAMPLES, AUDITS, WHOLE])
def test_a_memo_without_a_target_names_none(segments):
    page = irb.report_recall(*segments, date="2026-01-31")
    said = plain(page, aria_label="Finding")
    assert "No target of recall was set." in said
    assert "posterior probability that" not in said
    assert said.count("target") == page.count("the target") + 1 == 1
    assert "--target" not in page


@pytest.mark.parametrize("target", [0.8147, 0.7359, 0.958, 2 / 3])
def test_a_bound_that_reaches_the_target_is_not_printed_below_it(target):
    for segments in (SAMPLES, ((12000, 150, 108), (88000, 1300, 20))):
        page = irb.report_recall(*segments, target=target, date="2026-01-31")
        said = plain(page, aria_label="Finding")
        ends = re.match(
            r"With 95 % confidence, recall is (?:from ([\d.]+) % to|at least) ([\d.]+) %", said
        )
        shown = float(re.search(r"target of ([\d.]+) %", said)[1])
        high = float(ends[2])
        assert (high >= shown) == ("This bound reaches" in said)
        assert high <= shown or "was missed" not in said


def test_what_was_read_whole_has_one_number():
    page = irb.report_recall(*WHOLE, target=0.8, date="2026-01-31")
    assert plain(page, aria_label="Finding").startswith(
        "Every document was read: recall is 87.5 %, without sampling error. It reaches the target "
        "of 80 %."
    )
    assert "it holds the true recall" not in page
    page = irb.report_recall((120, 120, 91), (2000, 100, 3), target=0.8, date="2026-01-31")
    assert plain(page, data_measure="precision").count("75.83 %") == 4


def test_what_is_hardly_possible_is_not_said_to_be_impossible():
    page = irb.report_recall((12000, 1500, 0), (88000, 13000, 9000), target=0.8, date="2026-01-31")
    said = plain(page, aria_label="Finding")
    assert "the target, is < 0.0001. Under priors" in said
    assert "it is < 0.0001 each time" in said


def test_the_method_of_the_claim_is_marked():
    page = Page(irb.report_recall(*SAMPLES, target=0.8, date="2026-01-31"))
    assert "(claim)" in words(page.one(data_method="guaranteed"))
    assert "(intervals)" in words(page.one(data_method="betabinom-half"))


@pytest.mark.long
def test_how_often_a_claim_chosen_by_the_samples_is_wrong():
    """By enumeration of all samples: near the target more often than 5 %, at most 7.5 %."""
    sizes, sampled, target = (24, 80), (12, 24), 0.7
    claims = [
        [
            claim_of(
                *(
                    irb.recall_interval(
                        (sizes[0], sampled[0], x),
                        (sizes[1], sampled[1], y),
                        method="guaranteed",
                        side=side,
                    )
                    for side in ("lower", "two-sided")
                ),
                target,
            )[1]
            for y in range(sampled[1] + 1)
        ]
        for x in range(sampled[0] + 1)
    ]
    chances = [
        [hypergeom(size, each, n).pmf(range(n + 1)) for each in range(size + 1)]
        for size, n in zip(sizes, sampled, strict=True)
    ]
    truths = {(i, j): i / (i + j) for i in range(1, 25) for j in range(81)}
    worst = 0.0
    for (i, j), truth in truths.items():
        holds = [
            [claim.low - 1e-12 <= truth <= claim.high + 1e-12 for claim in row] for row in claims
        ]
        wrong = 1 - chances[0][i] @ np.array(holds) @ chances[1][j]
        assert wrong <= 0.075
        worst = max(worst, wrong)
    assert worst > 0.05
    page = irb.report_recall(*SAMPLES, target=0.8, date="2026-01-31")
    assert "up to 7.5 % of such findings are wrong, otherwise at most 5 %" in plain(
        page, id="chosen"
    )
