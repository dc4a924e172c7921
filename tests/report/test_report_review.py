"""The certificate of a stopped review: its numbers, and its command."""

import shlex
from pathlib import Path

import pytest

import irbounds as irb
from irbounds.cli import main

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("html5lib")
from pages import Page, numbers, words

DAY = "2026-01-31"
LABELS = [1] * 20 + [0] * 100


def test_numbers_are_those_of_the_curve():
    page = Page(irb.report_review(LABELS, 200, target=0.5, subject="A & <B>", date=DAY))
    curve = irb.stopping_curve(LABELS, 200, 0.5)
    finding = page.one(aria_label="Finding")
    said = words(finding).replace("\xa0", " ")
    # 20/39 is 51.28 %: a lower bound is rounded down
    assert "With 95 % confidence, the review has reached a recall of at least 51.2 %" in said
    assert "at most 39 relevant documents, and 20 of them were found. At most 19 are left" in said
    assert "The review may stop. The rule first allowed it after 116 documents." in said
    assert numbers(page.one(data_what="recall")) == [curve.values[-1]]
    rows = [numbers(row) for row in page.one(id="looks").findall("tbody/tr")]
    assert [116.0, 20.0, 39.0 + 1, 0.5] in rows
    for read, found, bound, low in rows:
        at = int(read) - 1
        assert [found, bound, low] == [curve.found[at], curve.total_bound[at], curve.values[at]]
    assert "A & <B>" in words(page.root.find(".//header"))
    assert page.elements(role="img")
    assert not {"script", "link", "img"} & page.tags()


def test_one_document_is_singular():
    labels = [1] + [0] * 99
    page = Page(irb.report_review(labels, 100, target=0.5, date=DAY))
    said = words(page.one(aria_label="Finding"))
    assert "at most 1 relevant document, and 1 of them was found. At most 0 are left" in said


def test_the_title_says_whether_the_review_may_stop():
    stopped = irb.report_review(LABELS, 200, target=0.5, date=DAY)
    assert words(Page(stopped).root.find(".//h1")) == "Certificate of a stopped review"
    unfinished = irb.report_review(LABELS, 200, target=0.9, date=DAY)
    assert words(Page(unfinished).root.find(".//h1")) == "Report on a review that may not stop yet"


def test_the_command_shown_makes_the_page_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("labels.csv").write_text("label\n" + "\n".join(map(str, LABELS)) + "\n" * 2)
    page = irb.report_review("labels.csv", 200, target=0.9, n_prior=3, subject="x 'y", date=DAY)
    assert "may not stop yet" in page
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(words(Page(page).one(id="command")))[1:])
    assert stop.value.code == 0
    assert Path("review.html").read_text(encoding="utf-8") == page


def test_random_draws_and_contradictions_are_said():
    drawn = irb.report_review(LABELS, 200, at_random=[1] * 120, target=0.5, date=DAY)
    assert "No assumption." in words(Page(drawn).root)
    assert not Page(drawn).elements(id="command")
    wrong = irb.report_review([0] * 60 + [1] * 60, 120, target=0.5, date=DAY)
    assert irb.stopping_curve([0] * 60 + [1] * 60, 120).contradicted_at is not None
    assert "Nothing is claimed." in wrong
    assert "The bound holds however often" not in wrong
    assert "together with 95" not in wrong
    late = irb.report_review([0] * 300 + [1] * 60, 400, target=0.9, date=DAY)
    said = words(Page(late).root)
    assert "The rule had allowed it after 303 documents, by bounds that the later documents" in said
    assert "Bounds before 304 documents are refuted" in said
    fine = words(Page(irb.report_review(LABELS, 200, target=0.5, date=DAY)).root)
    assert "The bound holds however often" in fine
    assert "refuted" not in fine


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: irb.report_review([1, 0]), "`population` is needed"),
        (lambda: irb.report_review([], 5), "`labels` must have at least one document"),
        (lambda: irb.report_review([1, 2], 5), "`labels` must be 0 or 1"),
        (lambda: irb.report_review([1], 5, n_prior=1), "`n_prior` is for labels from a file"),
        (lambda: irb.report_review("absent", 5), "absent: No such file"),
        (lambda: irb.report_review([1], 5, target=2), "`target` must be above 0"),
    ],
)
def test_bad_input_is_one_line(call, message):
    with pytest.raises(irb.InputError) as raised:
        call()
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
