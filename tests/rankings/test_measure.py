"""A measure is the text of its name, and knows its row of the table."""

import contextlib
import copy
import json
import pathlib
import pickle
import re

import numpy as np
import pytest

import irbounds as irb
from irbounds.cli.rankings.trec_output import columns_of
from irbounds.rankings.measure_table.aggregates import AGGREGATES
from irbounds.rankings.measure_table.aliases import ALIASES
from irbounds.rankings.measure_table.measure import Measure, parse_measures
from irbounds.rankings.measure_table.table import SPECS

QRELS, RUN = {"q": {"d1": 1}}, {"q": {"d1": 1, "d2": 1}}
TEXTS = [
    *("AP", "P(rel=2)@5", "nDCG(dcg=exp-log2,gains={1:2,2:0.5})@10", "IPrec@0.1"),
    *("PRR(recall=0.5,interpolation=ceiling)", "RBP(p=0.8000000000000002)"),
]


def half(grades, n_relevant):
    return 0.5


@pytest.mark.parametrize("text", TEXTS)
def test_a_measure_is_its_text(text):
    measure = irb.Measure.parse(text)
    assert measure == text
    assert text == measure
    assert hash(measure) == hash(text)
    assert str(measure) == repr(measure) == f"{measure}" == text
    assert type(str(measure)) is str
    assert json.dumps({measure: [measure]}) == json.dumps({text: [text]})
    assert {text: 1}[measure] == {measure: 1}[text] == 1
    assert text in (measure,)
    assert ", ".join([measure, "x"]) == f"{text}, x"
    assert measure != "x"
    for again in (
        copy.copy(measure),
        copy.deepcopy(measure),
        pickle.loads(pickle.dumps(measure)),
        irb.Measure.parse(str(measure)),
        irb.Measure.of(text),
    ):
        assert again == measure
        assert type(again) is irb.Measure
        assert again.spec is measure.spec
        assert (again.name, again.parameters, again.cutoff) == (
            measure.name,
            measure.parameters,
            measure.cutoff,
        )


def test_a_measure_does_not_change():
    measure = irb.Measure.parse("P(rel=2)@5")
    with pytest.raises(AttributeError, match="does not change"):
        measure.cutoff = 3
    with pytest.raises(TypeError):
        measure.parameters["rel"] = 1
    assert measure.get("rel") == 2
    assert measure.get("judged_only") is False
    assert measure.get("beta") is None
    assert irb.Measure.parse("AP").get("rel") == 1


def test_evaluations_hold_measures():
    ev = irb.evaluate(QRELS, RUN, "map P_1", bounds=True)
    assert ev.measures == ("AP", "P@1")
    assert "AP" in ev.measures
    assert ev.measures[1].cutoff == 1
    assert ev.measures[0].spec is SPECS["AP"]
    assert ev["map"] == ev["AP"] == ev[ev.measures[0]] == ev[irb.Measure.parse("MAP")] == 0.75
    for keys in (
        ev.mean,
        ev.summary,
        ev.mean_bounds,
        ev.summary_bounds,
        ev.to_dict()["q"],
        ev.columns(),
    ):
        assert all(type(key) is str for key in keys)
    assert pickle.loads(pickle.dumps(ev)).measures == ev.measures
    with pytest.raises(KeyError, match="'R@5 was not evaluated; there are AP, P@1'"):
        ev["R@5"]


def test_names_of_results_made_elsewhere():
    names = ("MAP", "P_10", "ours", "ours (v2) @ 3", "NumRet", irb.Measure.parse("RR"))
    ev = irb.Evaluation(names, ("a", "b"), np.arange(12.0).reshape(2, 6))
    assert ev.measures == names
    assert list(ev.mean) == list(map(str, names))
    assert [ev[name].tolist() for name in names] == ev.values.T.tolist()
    assert ev.summary["NumRet"] == 14
    assert ev.summary["ours"] == 5
    assert ev.mean["NumRet"] == 7
    again = pickle.loads(pickle.dumps(ev))
    assert again.measures == names
    assert again.measures[0].spec is SPECS["AP"]


def test_every_measure_is_enumerated():
    """Each row of the table is compared with the orders of ties, one by one, in one of these."""
    files = ("ties_expected", "trec_measures", "user_models", "review_measures", "subtopics")
    here = pathlib.Path(__file__).parent
    text = "".join((here / f"test_{name}.py").read_text() for name in files)
    lacking = {name for name in SPECS if not re.search(rf'["\s]{name}["(@\s]', text)}
    assert lacking == set()


def test_measures_of_functions_are_pickled():
    own = irb.define_measure("half", half, aggregate="sum")
    again = pickle.loads(pickle.dumps(irb.evaluate(QRELS, RUN, ["AP", own])))
    assert again.measures == ("AP", "half")
    assert again.summary == {"AP": 0.75, "half": 0.5}
    assert again.measures[1].spec.function is half
    assert copy.deepcopy(own).spec.function is half
    assert irb.evaluate(QRELS, RUN, pickle.loads(pickle.dumps(own)))["half"] == 0.5


def test_names_are_spelt_once():
    assert not set(ALIASES) & set(SPECS)
    assert set(ALIASES.values()) <= set(SPECS)
    for name, spec in SPECS.items():
        assert spec.name == name
        assert spec.aggregate in AGGREGATES
        assert spec.function is None


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("ndcg_burges@10", "nDCG(dcg=exp-log2)@10"),
        ("mrr@10", "RR@10"),
        ("f1@10", "F@10"),
        ("NDCG@10", "nDCG@10"),
        ("Recall@100", "R@100"),
        ("ndcg_cut.10", "nDCG@10"),
        ("rbp.95", "RBP(p=0.95)"),
        ("rbp.95-l2", "RBP(p=0.95,rel=2)"),
        ("map@100-l2", "AP(rel=2)@100"),
        ("map-l2@100", "AP(rel=2)@100"),
        ("rbp.p=0.8,1=3", "RBPGraded(p=0.8,gains={1:3})"),
        ("rbp_resid.p=0.5,1=3", "RBPResid(p=0.5)"),
        ("P.5,10", "P@5 P@10"),
    ],
)
def test_names_of_other_tools(text, there):
    found = irb.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, text)
    assert " ".join(found.measures) == there


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("nDGC@10", "did you mean 'nDCG@10'?"),
        ("nDCG10", "did you mean 'ndcg@10'?"),
        ("recall_at_100", "did you mean 'recall@100'?"),
        ("HR@10", "did you mean 'Success@10'?"),
        (
            "Coverage@20",
            "StRecall@20 is the share of a query's subtopics; the share of a catalogue",
        ),
        ("alpha-nDCG@20", "did you mean 'alpha_nDCG@20'?"),
        ("R-Prec", "did you mean 'Rprec'?"),
        ("average_precision_score", "did you mean 'AP'?"),
        ("label_ranking_loss", "did you mean 'NormLoss'?"),
        ("roc_auc_score", "unknown measure 'roc_auc_score': NormLoss is 1 - AUC"),
        ("gm_ndcg", "unknown measure 'gm_ndcg': geometric means are those of gm_map and gm_bpref"),
        ("nDCG@", "did you mean 'nDCG@10'?"),
        ("P_5,10", "write all cut-offs, as in P@5 P@10"),
        ("prefs_simp", "judgments of preference are not read"),
        ("erf", "did you mean 'R@10%'?"),
        ("rels_found", "did you mean 'NumRelRet'?"),
        ("rbp-p=0.8", "did you mean 'RBP(p=0.8)'?"),
        ("hits@10", "the relevant documents among them, as in ranx, are k times P@10"),
        ("P@" + "9" * 19, "the cut-off must be below 10^18; found 9999999999999999999"),
        ("num_iterations", "unknown measure 'num_iterations'; irbounds.measures() lists all"),
        ("map_at_k@2", "APMin@2 divides by the lesser of k and the relevant documents"),
        ("MAPK@3", "AP@3 by all relevant ones"),
        ("Hits@5", "Success@5 is 1 where a relevant document is among the first k"),
        ("NDCG_exp@5", "did you mean 'nDCG(dcg=exp-log2)@5'?"),
        ("hit_rate(rel=4)@2", "did you mean 'Success(rel=4)@2'?"),
        ("recall", "SetR that of all retrieved documents"),
        ("precision recall", "the measure 'recall' has two meanings"),
        ("relstring", "irbounds eval --format trec prints it"),
        ("cosine_map@100", "did you mean 'map@100'?"),
        ("accuracy_at_10", "did you mean 'Success@10'?"),
        ("P(((", "did you mean 'P@10'?"),
        ("@", "write it as in P(rel=2)@5"),
        ("*" * 10_000, "write it as in P(rel=2)@5"),
    ],
)
def test_the_nearest_name_of_any_tool_is_suggested(text, hint):
    with pytest.raises(irb.InputError) as error:
        irb.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, text)
    assert hint in str(error.value)
    assert len(str(error.value)) < 300


def test_a_set_is_no_measure():
    with pytest.raises(irb.InputError, match="official is a set of measures"):
        irb.Measure.parse("official")


def test_gains_of_rank_biased_precision():
    """As in trec_eval 10, over the highest of those given and of those judged."""
    qrels, run = {"q": {"a": 1, "b": 2, "c": 4}}, {"q": {"a": 3, "b": 2, "c": 1}}
    found = irb.evaluate(qrels, run, "rbp.p=0.5,1=3,4=0.5 rbp.p=0.5,7=10").values[0]
    assert found == pytest.approx([0.5 * (1 + 1 / 3 + 1 / 24), 0.5 * (0.1 + 0.1 + 0.1)])


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("nDCG @10", "nDCG@10"),
        ("AP nDCG@ 10", "AP nDCG@10"),
        ("P(rel=2) @ 5 RR", "P(rel=2)@5 RR"),
        ("AP (rel = 2), P (rel=3) @5", "AP(rel=2) P(rel=3)@5"),
    ],
)
def test_spaces_beside_at_and_brackets(text, there):
    assert " ".join(parse_measures(text)) == there
    assert [column.label for column in columns_of([text])] == there.split()


def test_both_spellings_of_the_geometric_mean():
    qrels = {query: {"a": 1} for query in "pqr"}
    run = {"p": {"a": 1}, "q": {"a": 1, "b": 2}, "r": {"a": 1}}
    found = irb.evaluate(qrels, run, "AP")
    wanted = pytest.approx(0.5 ** (1 / 3), rel=1e-14)
    for how in ("geometric mean", "geometric-mean"):
        assert found.aggregated(how)["AP"] == wanted
        assert found.interval("AP", statistic=how).estimate == wanted
        own = irb.define_measure("own", lambda grades, n: grades[-1], aggregate=how)
        assert own.spec.aggregate == "geometric mean"
    with pytest.raises(irb.InputError, match="`how` must be one of"):
        found.aggregated("geometric")


def test_a_label_of_trec_eval_is_no_other_measure():
    with pytest.raises(irb.InputError, match=r"did you mean 'RBPGraded\(p=0.8\)'"):
        irb.Measure.parse("rbp_p=0.8")


def test_names_in_any_case():
    """A name that differs in case alone is taken where one measure alone is called so, and never as
    another measure."""
    written = "ap rr p@10 F1@10 Map MRR@10 ndcg@10 SETP JUDGED@5"
    meant = "AP RR P@10 F@10 AP RR@10 nDCG@10 SetP Judged@5"
    assert list(map(Measure.parse, written.split())) == meant.split()
    for name, spec in SPECS.items():
        right = f"{name}@{spec.example_cutoff}" if spec.needs_cutoff else name
        if any(parameter.required for parameter in spec.parameters.values()):
            continue
        for written in {right.lower(), right.upper(), right.title(), right.swapcase()} - {"rbp"}:
            with contextlib.suppress(irb.InputError):
                assert Measure.parse(written) in (right, Measure.parse(right)), written
    with pytest.raises(irb.InputError, match=r"'accuracy@5', did you mean 'Success@5'\?"):
        Measure.parse("accuracy@5")  # Accuracy here is another measure than elsewhere
    with pytest.raises(irb.InputError, match="unknown measure 'Rbp'"):
        Measure.parse("Rbp")  # RBP, or rbp of trec_eval


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nDCG@10(gains=exp)", r"stand before the cut-off: nDCG\(dcg=exp-log2\)@10"),
        ("P@5(rel=2)", r"stand before the cut-off: P\(rel=2\)@5"),
        ("RBP(residual=True)", "unjudged='bounds'"),
        ("RBO", "Compat"),
    ],
)
def test_messages_lead_to_what_answers_them(name, message):
    with pytest.raises(irb.InputError, match=message):
        irb.rankings.Measure.parse(name)
