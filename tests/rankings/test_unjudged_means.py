"""Exact means over labels of given probability: worked numbers, and enumeration."""

import random
from fractions import Fraction

import numpy as np
import pytest
from measure_texts import twin_of, twins_of
from reference import unjudged as slow

import irbounds as irb
from irbounds.rankings.measure_table.table import SPECS

LINE = [[1], [-1], [0], [-1], [1]]  # + ? - ? +, and one relevant document not retrieved
TIED = [[1, -1], [0, -1], [1]]

MEASURES = list(
    twins_of(
        """
        AP AP@{k} P@{k} R@{k} F(beta=0.5)@{k} RR RR@{k} Success@{k} RBP(p=0.5) ERR@{k} DCG@{k}
        nDCG nDCG@{k} SetP SetR SetF NumRel NumRelRet
        """
    )
)


def as_input(ranks, unretrieved, chances=(), unseen=()):
    """Qrels, run, and a table of probabilities."""
    qrels, run, table, chance = {}, {}, {}, iter(chances)
    for place, rank in enumerate(ranks):
        for grade in rank:
            doc = f"d{len(run)}"
            run[doc] = -place
            if grade >= 0:
                qrels[doc] = grade
            elif chances:
                table[doc] = next(chance)
    qrels |= {f"u{i}": grade for i, grade in enumerate(unretrieved)}
    table |= {f"h{i}": p for i, p in enumerate(unseen)}
    return {"q": qrels or {"nobody": -1}}, {"q": run}, {"q": table}


def test_means_by_hand():
    qrels, run, _ = as_input(LINE, [1])
    assert irb.evaluate(qrels, run, "AP", unjudged=0.5).mean["AP"] == pytest.approx(0.5879166667)
    qrels, run, _ = as_input(TIED, [1])
    found = irb.evaluate(qrels, run, "AP RR", unjudged=0.3).mean
    assert found["AP"] == pytest.approx(0.4919833333)
    assert found["RR"] == pytest.approx(0.825)


def check_against_enumeration(rng):
    docs = rng.randint(0, 6)
    n_open = min(docs, rng.randint(0, 3))
    grades = [-1] * n_open + [rng.randint(0, 1) for _ in range(docs - n_open)]
    rng.shuffle(grades)
    ranks, mix = [], rng.random()
    for grade in grades:
        if ranks and len(ranks[-1]) < 4 and rng.random() < mix:
            ranks[-1].append(grade)
        else:
            ranks.append([grade])
    unretrieved = [rng.randint(0, 1) for _ in range(rng.choice([0, 0, 1, 2]))]
    chances = [rng.randint(0, 4) / 4 for _ in range(n_open)]
    unseen = [rng.randint(0, 4) / 4 for _ in range(rng.choice([0, 0, 1, 2]))]
    text = rng.choice(MEASURES).format(k=rng.randint(1, 7))
    name, options = twin_of(text)
    expected = slow.expectation(
        name,
        ranks,
        unretrieved,
        list(map(Fraction, chances)),
        list(map(Fraction, unseen)),
        **options,
    )
    qrels, run, table = as_input(ranks, unretrieved, chances, unseen)
    if not run["q"]:  # a run without any row is refused
        qrels["z"] = run["z"] = {"d": 1}
    found = irb.evaluate(qrels, run, text, unjudged=table)
    where = text, ranks, unretrieved, chances, unseen
    assert found.values[0, 0] == pytest.approx(float(expected), rel=1e-13, abs=1e-15), where


def test_means_against_enumeration():
    rng = random.Random(1)
    for _ in range(150):
        check_against_enumeration(rng)


@pytest.mark.nightly
@pytest.mark.long
def test_means_of_many_queries_against_enumeration(seed):
    rng = random.Random(str(seed))
    for _ in range(10_000):
        check_against_enumeration(rng)


def test_one_probability_is_that_of_all():
    qrels, run, table = as_input(TIED, [1], [0.3, 0.3])
    one = irb.evaluate(qrels, run, "AP nDCG@3 ERR", unjudged=0.3)
    all_of_them = irb.evaluate(qrels, run, "AP nDCG@3 ERR", unjudged=table)
    assert np.array_equal(one.values, all_of_them.values)


@pytest.mark.parametrize("p", [0, 1])
def test_certain_labels_are_judgments(p):
    qrels, run, _ = as_input(TIED, [1])
    told = {"q": {**dict.fromkeys(run["q"], p), **qrels["q"]}}
    measures = "AP P@3 RR nDCG@4 ERR R@2 SetF Judged"
    found = irb.evaluate(qrels, run, measures, unjudged=p).values[:, :-1]
    assert found == pytest.approx(irb.evaluate(told, run, measures).values[:, :-1])


WITH_MEAN = {"AP", "P", "R", "F", "RR", "Success", "SetP", "SetR", "SetF", "NumRet", "NumRel"}
WITH_MEAN |= {"NumRelRet", "NumQ", "Hole", "Judged", "DCG", "nDCG", "RBP", "ERR"}


@pytest.mark.parametrize("name", [info.name for info in irb.measures()])
@pytest.mark.parametrize("p", [0, 1])
def test_each_measure_has_the_mean_of_certain_labels_or_none(name, p):
    """A measure without a mean is refused, not taken for another one."""
    spec = SPECS[name]
    text = name + "(nr=1)" * ("nr" in spec.parameters)
    text += "(max_rel=3)" * any(parameter.required for parameter in spec.parameters.values())
    text += ("@0.5" if spec.at == "recall" else "@2") * spec.needs_cutoff
    qrels, run, _ = as_input(TIED, [1])
    told = {"q": {**dict.fromkeys(run["q"], p), **qrels["q"]}}
    options = {"collection_size": 10} if name in ("Fallout", "HT") else {}
    if name not in WITH_MEAN:
        with pytest.raises(irb.InputError, match=r"no exact|no bounds or means"):
            irb.evaluate(qrels, run, text, unjudged=p, **options)
        return
    found = irb.evaluate(qrels, run, text, unjudged=p)
    judged = qrels if name in ("Judged", "Hole") else told
    assert found.values == pytest.approx(irb.evaluate(judged, run, text).values)


def test_a_file_of_probabilities(tmp_path):
    path = tmp_path / "p.run"
    path.write_text("q Q0 d1 1 0.9 llm\nq Q0 d3 2 0.1 llm\n")
    qrels, run, _ = as_input(LINE, [1])
    assert irb.evaluate(qrels, run, "P@5", unjudged=path).mean["P@5"] == pytest.approx(0.6)
    assert irb.evaluate(qrels, run, "P@5", unjudged=str(path)).mean["P@5"] == pytest.approx(0.6)


def test_long_rankings_against_draws():
    rng = np.random.default_rng(3)
    grades = rng.choice([-1, 0, 1], 300, p=[0.6, 0.3, 0.1])
    ranks = [part.tolist() for part in np.array_split(grades, 120)]
    qrels, run, _ = as_input(ranks, [1, 1])
    found = irb.evaluate(qrels, run, "AP nDCG@50 RR", unjudged=0.1).values[0]
    order = list(run["q"])
    drawn = []
    for _ in range(400):
        labels = {doc: int(rng.random() < 0.1) for doc in order if doc not in qrels["q"]}
        drawn.append(irb.evaluate({"q": {**labels, **qrels["q"]}}, run, "AP nDCG@50 RR").values[0])
    # with another seed one of the three means is farther off in 2 of 10,000 cases
    spread = np.std(drawn, axis=0) / np.sqrt(len(drawn))
    assert np.all(np.abs(np.mean(drawn, axis=0) - found) < 4 * spread + 1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unjudged": 1.5}, "must be a probability in"),
        ({"unjudged": True}, "unjudged"),
        ({"unjudged": {"q": {"x": 2}}}, r"probabilities must be in \[0, 1\]; found 2"),
        ({"unjudged": {"q": {"a": 0.5}}}, "document 'a' of query 'q' is judged"),
        ({"unjudged": {"q9": {"x": 0.5}}}, "query 'q9' is not in the qrels"),
        ({"unjudged": "nowhere.run"}, "unjudged: nowhere.run: No such file"),
        ({"unjudged": 0.5, "measures": "Bpref"}, "no exact mean"),
        ({"unjudged": 0.5, "ties": "best"}, "ties='expected', 'doc_id' or 'given'"),
        ({"unjudged": 0.5, "bounds": True}, "bounds over orders"),
        ({"unjudged": 0.5, "judged_only": True}, "judged_only"),
        ({"unjudged": 0.5, "unjudged_hidden": 3}, "goes with unjudged='bounds'"),
        (
            {"qrels": {"q": {"a": 2}}, "measures": "nDCG", "unjudged": 0.5},
            "need judgments of 0 and 1",
        ),
    ],
)
def test_bad_input(options, message):
    options = {"qrels": {"q": {"a": 1, "b": 0}}, "measures": "P@1", **options}
    with pytest.raises(irb.InputError, match=message) as error:
        irb.evaluate(run={"q": {"a": 3, "x": 2}}, **options)
    assert "\n" not in str(error.value)
