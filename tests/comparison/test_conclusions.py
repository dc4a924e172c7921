"""The sentence that says who is better, and the tables beside it."""

import irbounds as irb

QUERIES = [f"q{i}" for i in range(12)]
QRELS = {query: {"d1": 1, "d2": 0, "d3": 0} for query in QUERIES}
GOOD = {query: {"d1": 3.0, "d2": 2.0, "d3": 1.0} for query in QUERIES}
BAD = {query: {"d2": 3.0, "d1": 2.0, "d3": 1.0} for query in QUERIES}
WORST = {query: {"d2": 3.0, "d3": 2.0, "d1": 1.0} for query in QUERIES}
TIED = {query: {"d1": 1.0, "d2": 1.0, "d3": 1.0} for query in QUERIES}


def text_of(runs, measures="RR P@1", **options):
    return irb.compare(QRELS, runs, measures, test="sign", **options).to_text()


def test_the_better_run_is_named_with_its_measures():
    lines = text_of({"bad": BAD, "good": GOOD}).splitlines()
    assert lines[1] == (
        "At a family-wise error of 5 % (Holm's method), good is better than bad by RR and P@1."
    )


def test_one_sentence_for_all_that_a_run_beats():
    text = text_of({"worst": WORST, "bad": BAD, "good": GOOD}, "RR")
    assert "good is better than worst and bad by RR; " not in text
    assert "good is better than worst and bad by RR." in text
    assert "bad is better than worst by RR; " in text


def test_lower_is_better():
    text = text_of({"bad": BAD, "good": GOOD}, "ESL(nr=1)", collection_size=3)
    assert "good is better than bad by ESL(nr=1)." in text


def test_no_difference():
    text = text_of({"a": GOOD, "b": GOOD})
    assert "At a family-wise error of 5 % (Holm's method), no difference is significant." in text
    text = text_of({"a": GOOD, "b": GOOD}, correction=None)
    assert "At 5 % for each difference alone, no difference is significant." in text


def test_what_ties_do_is_said():
    assert "Ties alone could undo this." in text_of({"tied": TIED, "good": GOOD}, "RR")
    some = {query: {**BAD[query], "d9": 0.5, "d8": 0.5} for query in QUERIES}
    assert "tie orders" not in text_of({"some": some, "good": GOOD}, "RR")
    assert "No order of ties reverses" not in text_of({"some": some, "good": GOOD}, "RR")
    low = {query: {"d2": 3.0, "d1": 2.0, "d3": 2.0} for query in QUERIES}
    text = text_of({"low": low, "good": GOOD}, "RR")
    assert "No order of ties reverses this." in text
    assert "over tie orders" in text


def test_what_labels_could_do_is_said():
    unknown = {query: {"u": 4.0, **BAD[query]} for query in QUERIES}
    asked = {"unjudged": "bounds", "unjudged_hidden": 0}
    text = text_of({"unknown": unknown, "good": GOOD}, "P@1", **asked)
    assert "Labels of unjudged documents could undo this." in text
    assert "could undo this." not in text_of({"bad": BAD, "good": GOOD}, "P@1", **asked)


def test_one_table_for_all_measures():
    two = text_of({"bad": BAD, "good": GOOD}).splitlines()
    assert sum(line.startswith("  good − bad ") for line in two) == 1
    assert [line.split()[0] for line in two if " 12/0/0 " in line] == ["RR", "P@1"]
    three = text_of({"worst": WORST, "bad": BAD, "good": GOOD})
    assert "  RR: good − bad " in three
    assert "  P@1: good − worst " in three


def test_the_page_says_it_first():
    page = irb.report_runs(QRELS, {"bad": BAD, "good": GOOD}, "RR P@1", test="sign", seed=1)
    finding = page[page.index('class="finding"') : page.index("<h2>")]
    assert "good is better than bad by RR and P@1." in finding


def test_long_lists_are_cut():
    # the same six levels of quality, each better than all below
    runs = {}
    for place in range(9):
        documents = {f"n{i}": 100.0 - i for i in range(place)}
        runs[f"r{place}"] = {query: {**documents, "d1": 1.0} for query in QUERIES}
    text = text_of(runs, "RR", correction=None)
    assert "; and 2 more." in text
