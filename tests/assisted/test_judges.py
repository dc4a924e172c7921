"""Several judges, and ends that are moved outward."""

import itertools
import warnings

import numpy as np
import pytest

import irbounds as irb
from irbounds.assisted import judges as of_judges
from irbounds.assisted.estimators import by_strata, cells_of, most_unseen
from irbounds.assisted.population import Population
from irbounds.warnings import AssistedWarning
from tests.assisted.test_assisted_intervals import DOCS, HUMAN, JUDGE, sample_of, world
from tests.reference import assisted as slow

RUN = {"q": {doc: -i for i, doc in enumerate(DOCS)}}
# A random sample may lack a grade.
pytestmark = pytest.mark.filterwarnings("ignore:no pair with the judge's grade")


def second_judge(rng, judge, least=0, most=3):
    """Grades that are often those of another judge."""
    return {
        query: {
            doc: int(np.clip(grade + rng.integers(-1, 2), least, most))
            for doc, grade in docs.items()
        }
        for query, docs in judge.items()
    }


@pytest.mark.long
@pytest.mark.parametrize("signs", [(1,), (1, -1), (-1,)])
def test_ends_are_moved_as_the_twin_moves_them(seed, signs):
    rng = np.random.default_rng(seed)
    n_moved = 0
    for _ in range(20):
        size, share = int(rng.integers(6, 90)), rng.choice([0.05, 0.2, 0.5, 0.9, 1.0])
        label = (rng.random(size) < share).astype(float)
        label[rng.random(size) < rng.choice([0.3, 0.6, 0.8])] = np.nan
        if np.isnan(label).all():
            continue
        weight, grade = (
            rng.choice(signs, size).astype(float),
            rng.integers(0, 4, size).astype(float),
        )
        p = Population([], weight, grade, grade, label, 1, 0, 1.0)
        columns = zip(weight.tolist(), grade.tolist(), label.tolist(), strict=True)
        rows = [(int(w), g, None if np.isnan(y) else int(y)) for w, g, y in columns]
        labels = {y for _, _, y in rows if y is not None}
        for alpha in (0.025, 0.2):
            plain, moved = by_strata(p, alpha), by_strata(p, alpha, True)
            if len(labels) == 1 and signs == (1,):
                continue  # the bound of all the ways to spread pairs is enumerated below
            ends = slow.moved_outward(rows, plain.low, plain.high, alpha)
            assert moved[1:] == pytest.approx(ends, abs=1e-9)
            mean = sum(x * q for x, q in slow.strata_pmf(rows).items())
            for each, estimate in ((plain, mean), (moved, mean + slow.prior_pull(rows))):
                within = min(max(float(estimate), each.low), each.high)
                assert each.estimate == pytest.approx(within, abs=1e-9)
            n_moved += moved != plain
    assert n_moved > 3


def test_the_bound_where_all_labels_agree(seed):
    rng = np.random.default_rng(seed)
    for _ in range(30):
        sizes = rng.integers(1, 9, 3).tolist()
        grade = np.repeat(np.arange(3.0), sizes)
        label = np.where(rng.random(grade.size) < 0.4, 0.0, np.nan)
        p = Population([], np.ones(grade.size), grade, grade, label, 1, 0, 1.0)
        samples = [int((~np.isnan(label[grade == g])).sum()) for g in range(3)]
        for alpha in (0.025, 0.2):
            cells = list(zip(sizes, samples, strict=True))
            assert most_unseen(cells_of(p), alpha) == slow.most_unseen(cells, alpha)


def test_the_default_is_the_posterior_where_nothing_moves(seed):
    found = irb.assisted_interval(HUMAN, JUDGE, measure="SetP")
    assert found == irb.assisted_interval(HUMAN, JUDGE, measure="SetP", method="strata")
    judge = {"q": {f"d{i}": i % 4 for i in range(200)}}
    human = {"q": {f"d{i}": int(i % 9 > 0) for i in range(0, 200, 7)}}
    plain = irb.assisted_interval(human, judge, measure="SetP", method="strata")
    moved = irb.assisted_interval(human, judge, measure="SetP")
    assert moved.method == "strata-adjusted"
    assert (moved.low, moved.high > plain.high) == (plain.low, True)


def test_scores_are_mean_mid_ranks(seed):
    rng = np.random.default_rng(seed)
    for n_judges in (2, 3):
        columns = [rng.integers(0, top, 23).tolist() for top in (2, 4, 101)[:n_judges]]
        found = of_judges.pair_scores(np.array(columns, float))
        assert found == pytest.approx([float(x) for x in slow.pair_score(columns)], abs=1e-8)
    one = np.array([[3.0, 0.0, 1.0]])
    assert of_judges.pair_scores(one).tolist() == [3, 0, 1]


def test_more_strata_are_parts_of_fewer(seed):
    rng = np.random.default_rng(seed)
    score = rng.integers(0, 12, 80).astype(float)
    coarser = of_judges.grouped_scores(score, 1)
    assert set(coarser) == {score.min()}
    for k in range(2, 15):
        finer = of_judges.grouped_scores(score, k)
        assert len(set(finer)) == min(k, len(set(score)))
        assert all(
            len({coarser[i] for i in np.flatnonzero(finer == name)}) == 1 for name in set(finer)
        )
        for name in set(finer):
            assert name == score[finer == name].min()
        coarser = finer


def test_strata_do_not_depend_on_what_labels_say(seed):
    rng = np.random.default_rng(seed)
    truth, judge, one, _ = world(rng)
    judges = {"a": judge, "b": second_judge(rng, judge)}
    human = sample_of(truth, rng, 0.4)
    other = {q: {d: int(rng.integers(0, 4)) for d in docs} for q, docs in human.items()}
    found, again = (
        irb.assisted_interval(labels, judges, one, "P(rel=2)@10", ties="given")
        for labels in (human, other)
    )
    assert [(s.grade, s.size, s.sampled) for s in found.strata] == [
        (s.grade, s.size, s.sampled) for s in again.strata
    ]
    assert min(s.sampled for s in found.strata) >= 2
    assert found.judges == ("a", "b")
    alone = [
        irb.assisted_interval(human, j, one, "P(rel=2)@10", ties="given").judge_alone
        for j in judges.values()
    ]
    assert found.judge_alone == pytest.approx(np.mean(alone))


def test_equal_judges_are_one(seed):
    rng = np.random.default_rng(seed)
    truth, judge, one, _ = world(rng, n_docs=60)
    human = sample_of(truth, rng, 0.7)
    single = irb.assisted_interval(human, judge, one, "P(rel=2)@40", ties="given")
    scaled = {q: {d: 10 * g for d, g in docs.items()} for q, docs in judge.items()}
    double = irb.assisted_interval(human, [judge, judge], one, "P(rel=2)@40", ties="given")
    assert [s.size for s in double.strata] == [s.size for s in single.strata]
    assert (double.low, double.high) == (single.low, single.high)
    other = irb.assisted_interval(human, [judge, scaled], one, "P(rel=2)@40", ties="given")
    assert (other.low, other.high) == (single.low, single.high)


def test_whole_queries_use_the_mean_of_the_judges(seed):
    rng = np.random.default_rng(seed)
    truth, judge, one, _ = world(rng, 12)
    second = second_judge(rng, judge)
    human = {query: truth[query] for query in list(truth)[:7]}
    found = irb.assisted_interval(human, [judge, second], one, "nDCG@10", unit="query")
    x = [irb.evaluate(j, one, "nDCG@10").values[:, 0] for j in (judge, second)]
    assert found.judge_alone == pytest.approx(np.mean(x))
    y = irb.evaluate(human, one, "nDCG@10").values[:, 0]
    assert found.correlation == pytest.approx(np.corrcoef(y, np.mean(x, axis=0)[:7])[0, 1])


def test_best_is_the_judge_nearest_to_the_others(seed):
    rng = np.random.default_rng(seed)
    truth, judge, one, _ = world(rng)
    noise = {q: {d: int(rng.integers(0, 4)) for d in docs} for q, docs in judge.items()}
    judges = {"noise": noise, "near": judge, "second": second_judge(rng, judge)}
    human = sample_of(truth, rng, 0.4)
    found = irb.assisted_interval(human, judges, one, "DCG@10", combine="best")
    assert found.judges[0] in ("near", "second")
    alone = irb.assisted_interval(human, judges[found.judges[0]], one, "DCG@10")
    assert (found.low, found.high) == (alone.low, alone.high)


def test_a_judge_of_scores_is_cut_into_strata(seed):
    rng = np.random.default_rng(seed)
    judge = {"q": {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 101, 300))}}
    plan = irb.allocate_labels(judge, judge, "P@300", n=20, rng=rng)
    assert len(plan.strata) == 4
    assert [s.drawn for s in plan.strata] == pytest.approx(
        [s.size / 15 for s in plan.strata], abs=1
    )
    human = {"q": {doc: int(rng.random() < judge["q"][doc] / 100) for _, doc in plan.pairs}}
    found = irb.assisted_interval(human, judge, judge, "P@300", ties="given")
    assert len(found.strata) == 4
    assert found.cautions == ()


def test_pairs_of_several_judges_are_as_likely_each(seed):
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(20)]
    judges = [{"q": {d: int(rng.integers(0, top)) for d in docs}} for top in (4, 2)]
    drawn = dict.fromkeys(docs, 0)
    for _ in range(400):
        plan = irb.allocate_labels(judges, judges[0], "P@20", n=6, rng=rng, ties="given")
        assert len({doc for _, doc in plan.pairs}) == 6
        for _, doc in plan.pairs:
            drawn[doc] += 1
    assert max(abs(count - 120) for count in drawn.values()) < 5.5 * np.sqrt(400 * 0.3 * 0.7)


def test_batches_for_several_judges_join(seed):
    rng = np.random.default_rng(seed)
    truth, judge, one, _ = world(rng)
    judges = {"a": judge, "b": second_judge(rng, judge)}
    human = {}
    for _ in range(2):
        plan = irb.allocate_labels(judges, one, "P@20", n=15, rng=rng, labelled=human or None)
        assert sum(s.drawn for s in plan.strata) == 15
        for query, doc in plan.pairs:
            assert doc not in human.get(query, {})
            human.setdefault(query, {})[doc] = truth[query][doc]
    assert sum(s.labelled + s.drawn for s in plan.strata) == 30
    fewer = irb.allocate_labels(judges, one, "P@20", half_width=0.07, rng=rng, labelled=human)
    assert fewer.half_width <= 0.07 + 0.02


def test_labels_drawn_by_other_strata_are_warned_about():
    judges = {
        name: {"q": {f"d{i}": (i // step) % 4 for i in range(400)}}
        for name, step in (("a", 1), ("b", 20))
    }
    human = {"q": {f"d{i}": i % 2 for i in range(400) if i % 4 >= 2 and i % 7 == 0}}
    with pytest.warns(AssistedWarning, match="pairs that 'a' grades higher than others"):
        found = irb.assisted_interval(human, judges, measure="SetP")
    assert "other strata" in found.cautions[-1]
    human = {"q": {f"d{i}": i % 2 for i in range(0, 400, 7)}}
    with warnings.catch_warnings():
        warnings.simplefilter("error", AssistedWarning)
        irb.assisted_interval(human, judges, measure="SetP")


@pytest.mark.parametrize(
    ("judge", "options", "message"),
    [
        ([], {}, "`judge` must have at least one judge"),
        (
            [JUDGE, {"p": JUDGE["q"]}],
            {},
            "found no query 'q' in 'judge 2'|no query 'p' in 'judge 1'",
        ),
        (
            {"a": JUDGE, "b": {"q": dict(itertools.islice(JUDGE["q"].items(), 9))}},
            {},
            "by judge 'b' for document 'd9' of query 'q' in `run`",
        ),
        (
            {"a": {"q": dict(itertools.islice(JUDGE["q"].items(), 59))}, "b": JUDGE},
            {"run": None, "measure": "SetP"},
            "no grade of document 'd59' of query 'q' by judge 'a', which 'b' has graded",
        ),
        ([JUDGE, JUDGE], {"combine": "best"}, "requires three judges or more, because it finds"),
        ([JUDGE, JUDGE], {"combine": "worst"}, "`combine` must be one of"),
    ],
)
def test_bad_judges_are_one_clear_line(judge, options, message):
    human = {"q": {doc: HUMAN["q"][doc] for doc in list(HUMAN["q"])[:7]}}
    arguments = {"run": RUN, "measure": "P@60", **options}
    with pytest.raises(irb.InputError, match=message) as error:
        irb.assisted_interval(human, judge, **arguments)
    assert "\n" not in str(error.value)


def interval_of(human, judge=JUDGE, measure="DCG@60", **options):
    """Without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssistedWarning)
        return irb.assisted_interval(human, judge, RUN, measure, **options)


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("measure", ["P@60", "DCG@60", "RBP(p=0.9)@60"])
def test_labels_that_all_agree_leave_a_width(label, measure):
    human = {"q": dict.fromkeys(DOCS[::7], label)}
    found = interval_of(human, measure=measure)
    most = interval_of(JUDGE | {"q": dict.fromkeys(DOCS, 1)}, measure=measure).estimate
    assert 0 <= found.low < found.high <= most + 1e-9
    assert found.human_alone[1] < found.human_alone[2]
    everything = interval_of({"q": dict.fromkeys(DOCS, label)}, measure=measure)
    assert everything.low == pytest.approx(everything.high) == pytest.approx(label * most)


def test_scales_that_end_below_what_is_relevant_are_warned_about():
    judge = {"q": {doc: i % 4 for i, doc in enumerate(DOCS)}}
    human = {"q": {doc: i % 2 for i, doc in enumerate(DOCS) if i % 3 == 0}}
    with pytest.warns(AssistedWarning, match="people's labels go only up to 1, and 2 is the"):
        irb.assisted_interval(human, judge, RUN, "P(rel=2)@20", ties="given")
    with pytest.warns(AssistedWarning, match="the judge's grades go only up to 1, and 2 is"):
        irb.assisted_interval({"q": dict.fromkeys(DOCS[:20], 3)}, JUDGE, RUN, "P(rel=2)@20")
    other = {"q": {doc: 5 * label for doc, label in human["q"].items()}}
    with pytest.warns(AssistedWarning, match="labels go up to 5, and the judge's grades only to 3"):
        irb.assisted_interval(other, judge, RUN, "DCG@20", ties="given")
    with warnings.catch_warnings():
        warnings.simplefilter("error", AssistedWarning)
        irb.assisted_interval(human, judge, RUN, "P@20", ties="given")
        irb.assisted_interval(human, judge, RUN, "DCG@20", ties="given")


def test_judges_of_opposite_scales_are_warned_about():
    rng = np.random.default_rng(1)
    one = {"q": dict(zip(DOCS, rng.integers(0, 4, len(DOCS)).tolist(), strict=True))}
    other = {"q": {doc: 3 - grade for doc, grade in one["q"].items()}}
    human = {"q": {doc: int(grade > 1) for doc, grade in list(one["q"].items())[::3]}}
    match = "'judge 1' orders the pairs opposite to the other judge .correlation -1.00."
    with pytest.warns(AssistedWarning, match=match) as found:
        interval = irb.assisted_interval(human, [one, other], measure="SetP")
    assert len(found) == len(interval.cautions) == len(interval.strata) == 1
    with pytest.warns(AssistedWarning, match=match):
        irb.allocate_labels([one, other], RUN, "P@20", n=9, ties="given", rng=1)
    with pytest.warns(AssistedWarning, match="'c' orders") as found:
        irb.assisted_interval(human, {"a": one, "b": one, "c": other}, measure="SetP")
    assert len(found) == 1
    random = {"q": dict(zip(DOCS, rng.permutation(list(one["q"].values())), strict=True))}
    with warnings.catch_warnings():
        warnings.simplefilter("error", AssistedWarning)
        irb.assisted_interval(human, [one, random], measure="SetP")


def test_equal_queries_are_warned_about():
    five = {f"q{i}": {"a": 1, "b": 0} for i in range(5)}
    three = {query: five[query] for query in list(five)[:3]}
    with pytest.warns(AssistedWarning, match="all 3 queries are equal"):
        irb.assisted_interval(three, five, five, "AP", unit="query")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: irb.assisted_interval(HUMAN, JUDGE, RUN, "P@9", against=RUN),
            "their difference is 0",
        ),
        (
            lambda: irb.assisted_interval(JUDGE, JUDGE, RUN, "AP", against=RUN, unit="query"),
            "found the same scores: their difference is 0",
        ),
        (lambda: irb.assisted_interval(HUMAN, None, RUN), "^`judge` must be a Qrels"),
        (lambda: irb.assisted_interval({"q": {"d1": float("nan")}}, JUDGE, RUN), "^`human`: `rel"),
        (lambda: irb.allocate_labels(JUDGE, RUN, labelled=JUDGE), "must leave a pair that P@10"),
    ],
)
def test_what_cannot_be_answered_is_one_clear_line(call, message):
    with pytest.raises(irb.InputError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_labels_that_crowd_in_few_queries_are_warned_about(seed):
    rng = np.random.default_rng(seed)
    judge = {f"q{q}": {f"d{d}": int(rng.integers(0, 4)) for d in range(10)} for q in range(25)}
    pairs = [(query, doc) for query, docs in judge.items() for doc in docs]
    first = {
        query: {doc: int(rng.integers(0, 2)) for doc in judge[query]} for query in ("q3", "q7")
    }
    with pytest.warns(AssistedWarning, match="10 of 20 labels are of query 'q[37]', where a"):
        irb.assisted_interval(first, judge, measure="SetP")
    for n in rng.integers(10, 250, 40).tolist():
        human: dict[str, dict[str, int]] = {}
        for i in rng.permutation(len(pairs))[:n].tolist():
            human.setdefault(pairs[i][0], {})[pairs[i][1]] = int(rng.integers(0, 2))
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            irb.assisted_interval(human, judge, measure="SetP")
        assert not [one for one in found if "labels are of query" in str(one.message)]


def test_few_labels_of_one_query_are_warned_about():
    # ten random labels are of one of five queries in 5 (1/5)^10 of samples, 5e-7
    judge = {f"q{q}": {f"d{d}": d % 3 for d in range(20)} for q in range(5)}
    human = {"q0": {f"d{d}": d % 2 for d in range(10)}}
    with pytest.warns(AssistedWarning, match="10 of 10 labels are of query 'q0', where a"):
        irb.assisted_interval(human, judge, measure="SetP")


def test_labels_of_the_top_ranks_are_warned_about(seed):
    """Ten labels, of the first document of each of ten queries."""
    rng = np.random.default_rng(seed)
    judge = {f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in range(20)} for q in range(25)}
    run = {query: {doc: -i for i, doc in enumerate(docs)} for query, docs in judge.items()}
    pairs = [(query, doc) for query in judge for doc in list(judge[query])[:10]]
    for place, way in ((0, "top"), (9, "bottom")):
        human = {query: {f"d{place}": 1} for query in list(judge)[:16]}
        with pytest.warns(AssistedWarning, match=f"pairs near the {way} of the run"):
            irb.assisted_interval(human, judge, run, "P@10")
    for n in (10, 20, 40, 80):
        # a random sample is warned about once in a million
        drawn: dict[str, dict[str, int]] = {}
        for i in rng.permutation(len(pairs))[:n].tolist():
            drawn.setdefault(pairs[i][0], {})[pairs[i][1]] = int(rng.integers(0, 2))
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            irb.assisted_interval(drawn, judge, run, "P@10")
        assert not [one for one in found if "of the run" in str(one.message)]
