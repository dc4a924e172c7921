"""Scales of judges, what their files hold, and what is refused before labels are lost."""

import numpy as np
import pytest

import irbounds as irb
from irbounds.warnings import AssistedWarning

DOCS = [f"d{i}" for i in range(60)]
JUDGE = {"q": {doc: i % 4 for i, doc in enumerate(DOCS)}}
RUN = {"q": {doc: -i for i, doc in enumerate(DOCS)}}
HUMAN = {"q": {doc: min(3, i % 5) for i, doc in enumerate(DOCS) if i % 3 == 0}}


def numbers(found):
    return found.estimate, found.low, found.high


def scaled(labels, factor):
    return {q: {doc: grade * factor for doc, grade in docs.items()} for q, docs in labels.items()}


@pytest.mark.parametrize("method", [None, "model-assisted", "posterior"])
@pytest.mark.parametrize("factor", [10 / 3, 10, 1000])
def test_a_judge_s_scale_does_not_matter(method, factor):
    options = {"method": method, "rng": 1, "max_grade": 3}
    found = irb.assisted_interval(HUMAN, JUDGE, RUN, "DCG@40", **options)
    again = irb.assisted_interval(HUMAN, scaled(JUDGE, factor), RUN, "DCG@40", **options)
    assert numbers(again) == pytest.approx(numbers(found), rel=1e-12)
    assert again.judge_alone == pytest.approx(factor * found.judge_alone)


@pytest.mark.parametrize("factor", [1, 4 / 3, 2])
def test_a_scale_that_can_be_people_s_is_no_other(factor):
    assert irb.assisted_interval(HUMAN, scaled(JUDGE, factor), RUN, "DCG@40").cautions == ()


def test_another_scale_is_said():
    judge, plain = scaled(JUDGE, 10 / 3), irb.assisted_interval(HUMAN, JUDGE, RUN, "DCG@40")
    with pytest.warns(AssistedWarning, match="go up to 10, and people's labels only to 3"):
        wide = irb.assisted_interval(HUMAN, judge, RUN, "DCG@40")
    assert wide.low <= plain.low < plain.high < wide.high
    known = irb.assisted_interval(HUMAN, judge, RUN, "DCG@40", max_grade=3)
    assert (numbers(known), known.cautions) == (pytest.approx(numbers(plain)), ())
    for options, message in (
        ({"max_grade": 2}, "must be at least people's largest grade, 3"),
        ({"max_grade": float("nan")}, "must be at least people's largest grade, 3"),
        ({"max_grade": 3, "measure": "P@10"}, "`max_grade` is for DCG"),
        ({"max_grade": 3, "unit": "query"}, "`max_grade` is for unit='document'"),
    ):
        with pytest.raises(irb.InputError, match=message):
            irb.assisted_interval(HUMAN, JUDGE, RUN, **{"measure": "DCG@10"} | options)


def test_people_on_the_judge_s_long_scale_keep_their_gains():
    # labels without one of the few large grades say nothing about the scale
    judge = {"q": {doc: 10 * (i % 9 == 0) for i, doc in enumerate(DOCS)}}
    human = {"q": {doc: i % 2 for i, doc in enumerate(DOCS) if i % 9 and i % 4 == 0}}
    with pytest.warns(AssistedWarning):
        found = irb.assisted_interval(human, judge, RUN, "DCG@40")
    truth = {"q": dict.fromkeys(DOCS, 1) | {doc: 10 for doc, g in judge["q"].items() if g}}
    value = irb.evaluate(truth, RUN, "DCG@40").mean["DCG@40"]
    assert found.high > value


def test_a_map_of_gains_names_people_s_grades():
    measure = "DCG(gains={0:0,1:0.2,2:0.5,3:100})@10"
    judge, human = scaled(JUDGE, 10 / 3), {"q": dict.fromkeys(DOCS[:6:2], 0)}
    judge["q"]["d3"] = 3
    with pytest.warns(AssistedWarning):
        assert irb.assisted_interval(human, judge, RUN, measure, max_grade=3).high > 10


def test_plans_for_a_scale_that_nobody_has_used():
    plan = (RUN, "DCG@40")
    options = {"half_width": 3.0, "rng": 1}
    with pytest.warns(AssistedWarning, match="grades go up to 30, and the half width is"):
        wide = irb.allocate_labels(scaled(JUDGE, 10), *plan, **options)
    known = irb.allocate_labels(scaled(JUDGE, 10), *plan, **options, max_grade=3)
    assert len(known.pairs) == len(irb.allocate_labels(JUDGE, *plan, **options).pairs)
    assert len(known.pairs) < len(wide.pairs)


@pytest.mark.parametrize("measure", ["RBP(p=0.8)@10", "P@10", "DCG@10"])
def test_labels_of_0_leave_the_posterior_a_width(measure):
    judge = {"q": dict.fromkeys(DOCS, 0)}
    human = {"q": dict.fromkeys(DOCS[:10:2], 0)}
    found = irb.assisted_interval(human, judge, RUN, measure, method="posterior", rng=1)
    assert found.low == 0 < found.estimate < found.high


def test_many_grades_are_as_many_strata_as_labels_can_carry(seed):
    rng = np.random.default_rng(seed)
    judge = {"q": {doc: int(g) for doc, g in zip(DOCS, rng.integers(0, 11, 60), strict=True)}}
    for n, most in ((20, 4), (24, 4), (50, 6)):
        plan = irb.allocate_labels(judge, RUN, "P@60", n=n, rng=rng)
        human = {"q": {doc: int(rng.integers(0, 2)) for _, doc in plan.pairs}}
        strata = irb.assisted_interval(human, judge, RUN, "P@60").strata
        assert 2 <= len(plan.strata) <= most
        assert len(strata) <= most


@pytest.mark.filterwarnings("ignore:people's values of all")
def test_ends_of_queries_are_within_what_is_known(seed):
    rng = np.random.default_rng(seed)
    n_at_bound = 0
    for _ in range(60):
        n = int(rng.integers(4, 9))
        judge = {f"q{i}": {f"d{k}": int(rng.integers(0, 2)) for k in range(4)} for i in range(n)}
        run = {q: {doc: float(rng.random()) for doc in docs} for q, docs in judge.items()}
        human = {
            q: {doc: int(rng.integers(0, 2)) for doc in docs}
            for q, docs in list(judge.items())[: int(rng.integers(3, n + 1))]
        }
        known = irb.evaluate(human, run, "P@1").values[:, 0]
        found = irb.assisted_interval(human, judge, run, "P@1", unit="query")
        least, most = known.sum() / n, (known.sum() + n - known.size) / n
        for each in (found, found.human_alone):
            assert least - 1e-12 <= each.low <= each.estimate <= each.high <= most + 1e-12
        n_at_bound += found.low == least or found.high == most
    assert n_at_bound > 5


def test_labels_that_belong_to_no_query_of_the_judge_are_refused():
    judge = {f"q{i}": {"a": 1, "b": 0} for i in range(5)}
    run = {q: {"a": 2, "b": 1} for q in judge}
    human = {q: {"a": 0, "b": 1} for q in ("q1", "q2", "q3", "zz")}
    with pytest.raises(irb.InputError, match=r"queries that the judge graded .*found query 'zz'"):
        irb.assisted_interval(human, judge, run, "RR", unit="query")
    with pytest.raises(irb.InputError, match="`measure` must be one measure; found 2"):
        irb.assisted_interval(human, judge, run, "RR AP", unit="query")


def test_levels_beyond_what_draws_can_tell_are_refused():
    with pytest.raises(irb.InputError, match="`draws` must be at least 20,000,000 at this level"):
        irb.assisted_interval(
            HUMAN, JUDGE, RUN, "DCG@40", method="posterior", confidence_level=0.999999
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "regression"}, "`method` 'regression' is for unit='query'"),
        ({"ties": "x"}, "`ties` must be"),
        ({"run": None, "against": RUN, "measure": "SetP"}, "`against` is for a `run`, which is"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    arguments = {"run": RUN, "measure": "P@10"} | options
    with pytest.raises(irb.InputError, match=message):
        irb.assisted_interval(HUMAN, JUDGE, **arguments)


def test_a_table_with_labels_is_not_written_over(tmp_path):
    plan, path = irb.allocate_labels(JUDGE, RUN, "P@40", n=9, rng=1), tmp_path / "people.csv"
    plan.write(path)
    plan.write(path)  # nothing is lost
    filled = path.read_text().replace(",\n", ",1\n", 2)
    path.write_text(filled)
    for text in (filled, filled.replace("relevance", "Relevance"), "q 0 d0 1\n", filled + "q,d1\n"):
        path.write_text(text)
        with pytest.raises(irb.InputError, match="is not a table without labels"):
            plan.write(path)
        assert path.read_text() == text


def test_a_plan_for_the_share_of_all_pairs():
    plan = irb.allocate_labels(JUDGE, measure="SetP", n=20, rng=1)
    assert sum(stratum.size for stratum in plan.strata) == 60
    human = {"q": {doc: 1 for _, doc in plan.pairs}}
    assert irb.assisted_interval(human, JUDGE, measure="SetP").sampled == 20
    second = irb.allocate_labels(JUDGE, n=5, rng=1, labelled=human)
    assert len(second.pairs) == 5
    assert not set(second.pairs) & set(plan.pairs)
    with pytest.raises(irb.InputError, match="`runs` may be left out only if the measure is SetP"):
        irb.allocate_labels(JUDGE, measure="P@10")
    with pytest.raises(irb.InputError, match="`runs` must differ in the documents that count"):
        irb.allocate_labels(JUDGE, [RUN, RUN], "P@10", difference=0.1)


def test_grades_below_0_are_said():
    judge = {"q": {doc: i % 4 - 1 for i, doc in enumerate(DOCS)}}
    human = {"q": {doc: int(i % 8 > 3) for i, doc in enumerate(DOCS) if i % 4}}
    with pytest.warns(AssistedWarning, match="15 of the judge's grades are below 0, for not"):
        found = irb.assisted_interval(human, judge, measure="SetP")
    assert "add a constant to all" in found.cautions[0]
    with (
        pytest.warns(AssistedWarning, match="below 0"),
        pytest.raises(irb.InputError, match="must grade every document"),
    ):
        irb.assisted_interval(human, judge, RUN, "P@10")


def test_a_judge_s_scores_in_the_form_of_a_run(tmp_path):
    path = tmp_path / "scores.run"
    path.write_text("".join(f"q Q0 {doc} 0 {g} x\n" for doc, g in JUDGE["q"].items()))
    found = irb.assisted_interval(HUMAN, path, RUN, "DCG@40")
    assert numbers(found) == numbers(irb.assisted_interval(HUMAN, JUDGE, RUN, "DCG@40"))
    path.write_text("q Q0 d0 0 -1.5 x\nq Q0 d1 0 2 x\n")
    with pytest.raises(irb.InputError, match=r"scores must be 0 or more; found -1\.5"):
        irb.assisted_interval(HUMAN, path, RUN, "DCG@40")


def test_what_is_wrong_with_files_of_judges(tmp_path):
    path = tmp_path / "judge.csv"
    path.write_text("query_id,doc_id,relevance\nq,d0,1\nq,d1,\nq,d2,1\n")
    with pytest.raises(irb.InputError, match=r"expected a number as relevance, found ''$"):
        irb.assisted_interval(HUMAN, path, measure="SetP")
    with pytest.raises(irb.InputError, match=r"of query 'q': are the two swapped\?"):
        irb.assisted_interval(JUDGE, HUMAN, RUN, "P@10")
