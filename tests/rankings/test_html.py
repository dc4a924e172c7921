"""Tables of results for notebooks."""

import html5lib
import pytest

import irbounds as irb

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}, "q3": {"d1": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d3": 1.0, "d4": 2.0}, "q9": {"d1": 1.0}}


def cells(page):
    """The rows of all tables, and the paragraphs, as a strict parser reads them."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False, strict=True)
    root = parser.parseFragment(page)
    rows = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
    return rows, ["".join(line.itertext()) for line in root.iter("p")]


def test_evaluation():
    found = irb.evaluate(QRELS, RUN, "RR P@1", bounds=True)
    rows, lines = cells(found._repr_html_())
    assert rows == [
        ["measure", "value", "low", "high"],
        ["RR", "0.4167", "0.3333", "0.5000"],
        ["P@1", "0.1667", "0.0000", "0.3333"],
    ]
    assert lines == [
        "Evaluation of 3 queries, ties expected",
        "1 query judged but missing from the run",
        "1 query in the run but not judged",
    ]


def test_evaluation_over_labels():
    found = irb.evaluate(QRELS, RUN, "P@1", unjudged="bounds")
    rows, _ = cells(found._repr_html_())
    assert rows[0] == ["measure", "value", "unjudged low", "unjudged high", "judged"]
    assert rows[1][:4] == ["P@1", "0.1667", "0.1667", "0.5000"]


def test_comparison():
    runs = {"<a&b>": RUN, "new": {**RUN, "q2": {"d3": 3.0}}}
    found = irb.compare(QRELS, runs, "RR", test="t")
    rows, lines = cells(found._repr_html_())
    assert [row[0] for row in rows[1:3]] == ["<a&b>", "new"]
    assert lines[0].startswith("2 runs on 3 queries, ties expected")
    text = found.to_text()
    for row in rows:
        assert all(cell in text for cell in row)


def test_many_runs():
    evaluator = irb.Evaluator(QRELS, "RR NumRet")
    found = evaluator.evaluate_many({"a": RUN, "b": {"q1": {"d1": "high"}}}, keep_going=True)
    rows, lines = cells(found._repr_html_())
    assert rows == [["run", "RR", "NumRet"], ["a", "0.4167", "4.0000"]]
    assert len(lines) == 1
    assert "found 'high'" in lines[0]


@pytest.mark.parametrize("text", ["a\nb", "<script>"])
def test_names_stay_text(text):
    found = irb.Evaluation((text,), ("q1",), irb.evaluate(QRELS, RUN, "RR").values[:1])
    rows, _ = cells(found._repr_html_())
    assert rows[1][0] == " ".join(text.split())


def results():
    """Results of all kinds, and the first cells of their tables."""
    run = {query: {"d1": 1.0, "d2": 0.5} for query in QRELS}
    two = {"old": RUN, "new": run}
    curve = irb.stopping_curve([1] * 20 + [0] * 100, population=200, target=0.5)
    review = irb.AssumedReview(10_000, 1200, recall=0.9, precision=0.7)
    shares = {"prevalence": 0.1, "recall": 0.7, "precision": 0.5}
    scenario = irb.planning.Scenario("s", population=1000, sample=100, **shares)
    coverage = irb.coverage(scenario, ["naive-binomial"], realisations=2, samples=2, rng=1)
    evaluations = {name: irb.evaluate(QRELS, found, "RR") for name, found in two.items()}
    entry = irb.rankings.HistoryEntry("2026-01-01", "old", evaluations["old"], irb.__version__)
    history = irb.History((entry,))
    return {
        "interval": (irb.mean_interval([0.1, 0.4, 0.9], limits=(0, 1)), "estimate"),
        "intervals": (irb.recall_interval((500, 50, [20, 40]), (2000, 100, 3)), "estimate"),
        "gate": (irb.gate(QRELS, RUN, run, "RR"), "measure"),
        "ranks": (irb.compare(QRELS, two, "RR", test="sign").ranks("RR", rng=1), "system"),
        "stopping": (curve, ""),
        "size": (irb.sample_size(review, width=0.4), ""),
        "coverage": (coverage, "method"),
        "history": (history, "time"),
        "comparison": (irb.compare(QRELS, two, "RR", test="sign"), "run"),
    }


@pytest.mark.filterwarnings("ignore")
def test_all_results_have_tables():
    for name, (result, first) in results().items():
        rows, lines = cells(result._repr_html_())
        assert rows[0][0] == first, name
        assert len(rows) > 1, name
        assert lines, name
        assert len({len(row) for row in rows}) <= 2, name


def test_intervals_unpack():
    low, high = found = irb.mean_interval([0.1, 0.4, 0.9], limits=(0, 1))
    assert (low, high) == (found.low, found.high)
    rows, _ = cells(found._repr_html_())
    assert rows[1][3:] == ["0.95 two-sided", found.method]
