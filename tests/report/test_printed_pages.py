"""Pages on paper and on telephones, and what the box at the top of a memo warns of."""

import re

import pytest

import irbounds as irb

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("html5lib")
from example_pages import DAY, PAGES, memo
from pages import Page, words


def css_words(text):
    """The text of a string of CSS."""
    return re.sub(r"\\([0-9a-f]+) ", lambda sign: chr(int(sign[1], 16)), text)


def test_small_screens_show_the_head_of_its_column_before_each_cell():
    for name in ("strata", "runs", "history", "hostile"):
        page = Page(PAGES[name]())
        for table in page.root.iter("table"):
            heads = [
                " ".join("".join(th.itertext()).split()) for th in table.findall("thead/tr/th")
            ]
            rule = rf'#{table.get("id")} td:nth-child\((\d+)\)::before {{ content: "(.*)"; }}'
            shown = [(int(i), css_words(text)) for i, text in re.findall(rule, page.text)]
            assert [(i, " ".join(text.split())) for i, text in shown] == [*enumerate(heads, 1)][1:]


def test_the_foot_of_a_sheet_is_a_string_of_css():
    """Whatever the subject is, it ends neither the string nor the style sheet."""
    page = memo(subject='"; } </style> \\ \u20ac' + "x" * 99)
    foot = re.search(r'@bottom-left \{ content: "(.*)"; font', page)[1]
    shown = css_words(foot)
    assert shown.startswith('"; } </style> \\ \u20acx')
    assert re.search(rf"x… · {DAY} · SHA-256 [0-9a-f]{{12}}…$", shown)
    assert re.fullmatch(r"([A-Za-z0-9]|\\[0-9a-f]+ )+", foot)


def test_a_level_below_one_half_is_said_to_be_low():
    assert not Page(memo()).elements(id="low-level")
    for page in (memo(confidence_level=0.4), irb.report_review([1, 0], 9, confidence_level=0.4)):
        assert "at 40 % such a statement may be wrong more often" in words(
            Page(page).one(id="low-level")
        )


def test_a_collection_that_was_read_whole_has_no_sampling_error():
    said = "Every document was read"
    page = memo((500, 500, 400), (2000, 2000, 3))
    assert said in page
    assert "simple random sample" not in page
    assert said not in memo((500, 500, 400), (2000, 1999, 3))
