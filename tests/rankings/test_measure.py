"""A measure is the text of its name, and knows its row of the table."""

import copy
import json
import pickle

import numpy as np
import pytest

import irbounds as irb
from irbounds.rankings.aggregates import AGGREGATES
from irbounds.rankings.measure_names import ALIASES
from irbounds.rankings.measure_table import SPECS

QRELS, RUN = {"q": {"d1": 1}}, {"q": {"d1": 1, "d2": 1}}
TEXTS = [
    "AP",
    "P(rel=2)@5",
    "nDCG(dcg=exp-log2,gains={1:2,2:0.5})@10",
    "IPrec@0.1",
    "PRR(recall=0.5,interpolation=ceiling)",
    "RBP(p=0.8000000000000002)",
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
