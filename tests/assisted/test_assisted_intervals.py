"""Intervals from a judge's grades and people's labels, against slow twins and printed numbers."""

import lzma
import tarfile
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import linregress, t

import irbounds as irb
from irbounds.assisted.estimators import by_strata, strata_of
from irbounds.assisted.population import Population
from irbounds.assisted.weighted_sums import by_draws, model_assisted
from irbounds.assisted.whole_queries import regression
from irbounds.warnings import AssistedWarning
from tests.data import shared
from tests.reference import assisted as slow
from tests.reference.audited import quantile

DOCS = [f"d{i}" for i in range(60)]
JUDGE = {"q": {doc: int(i < 37) for i, doc in enumerate(DOCS)}}
LABELLED = (0, 1, 2, 3, 4, 5, 6, 37, 38, 39)
HUMAN = {"q": {DOCS[i]: int(i not in (0, 37, 38)) for i in LABELLED}}


def world(rng, n_queries=4, n_docs=40, grades=4):
    """Truth, a judge that is often right, and two runs."""
    truth, judge, one, two = {}, {}, {}, {}
    for q in range(n_queries):
        docs = [f"d{i}" for i in range(n_docs)]
        relevance = rng.integers(0, grades, n_docs)
        noise = rng.integers(-1, 2, n_docs)
        truth[f"q{q}"] = dict(zip(docs, relevance.tolist(), strict=True))
        judge[f"q{q}"] = dict(
            zip(docs, np.clip(relevance + noise, 0, grades - 1).tolist(), strict=True)
        )
        for run in (one, two):
            scores = (relevance + rng.normal(0, 2, n_docs)).round(1)
            run[f"q{q}"] = dict(zip(docs, scores.tolist(), strict=True))
    return truth, judge, one, two


def sample_of(truth, rng, share):
    """A random part of the pairs."""
    return {
        query: {doc: grade for doc, grade in docs.items() if rng.random() < share}
        for query, docs in truth.items()
    }


def random_population(rng, signs=(1,), grades=3, gains=2):
    size = int(rng.integers(8, 60))
    grade = rng.integers(0, grades, size).astype(float)
    label = rng.integers(0, gains, size).astype(float)
    label[rng.random(size) < 0.6] = np.nan
    weight = rng.choice(signs, size) / 7 if signs else rng.normal(0, 1, size)
    pairs = [("q", str(i)) for i in range(size)]
    return Population(pairs, weight, grade, grade, label, 1, 0, float(gains - 1))


def rows_of(p):
    """The twin's form."""
    return [
        (Fraction(w).limit_denominator(1000), g, None if np.isnan(y) else int(y))
        for w, g, y in zip(p.weight.tolist(), p.grade.tolist(), p.label.tolist(), strict=True)
    ]


def test_printed_numbers_of_sixty_pairs():
    found = irb.assisted_interval(HUMAN, JUDGE, measure="SetP")
    assert found.estimate == pytest.approx(38.875 / 60, abs=1e-12)
    assert found.low == pytest.approx(26 / 60, abs=1e-12)
    assert found.high == pytest.approx(51 / 60, abs=1e-12)
    assert found.judge_alone == pytest.approx(37 / 60, abs=1e-12)
    assert [(s.grade, s.size, s.sampled) for s in found.strata] == [(0, 23, 3), (1, 37, 7)]


def test_strata_are_those_of_precision():
    found = irb.assisted_interval(HUMAN, JUDGE, measure="SetP", confidence_level=0.8)
    strata = irb.precision_interval(
        [(23, 3, 1), (37, 7, 6)], method="betabinom-half-per-stratum", confidence_level=0.8
    )
    assert (found.low, found.high) == (
        pytest.approx(strata.low, abs=1e-12),
        pytest.approx(strata.high, abs=1e-12),
    )


@pytest.mark.parametrize("signs", [(1,), (1, -1), (-1,)])
def test_counts_equal_enumeration(seed, signs):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        p = random_population(rng, signs)
        if len(set(p.label[p.is_labelled])) < 2:
            continue  # ends are then forced, as those of precision are
        law = slow.strata_pmf(rows_of(p))
        for alpha in (Fraction(1, 40), Fraction(1, 5)):
            found = by_strata(p, float(alpha))
            low, high = quantile(law, alpha), quantile(law, 1 - alpha)
            mean = sum(x * q for x, q in law.items())  # one beyond an end is that end
            expected = map(float, (min(max(mean, low), high), low, high))
            assert found == pytest.approx(tuple(expected), abs=1e-9)


def test_model_assisted_equals_the_twin(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        p = random_population(rng, None, gains=3)
        strata = strata_of(p)
        if strata.sampled.min() < 2:
            continue
        estimate, error = slow.model_assisted(
            [(w, g, y) for (_, g, y), w in zip(rows_of(p), p.weight.tolist(), strict=True)], 2
        )
        found = model_assisted(p, 0.025)
        half = t.ppf(0.975, strata.sampled.sum() - strata.size.size) * float(error)
        known = p.weight[p.is_labelled] @ p.label[p.is_labelled]
        rest = 2 * p.weight[~p.is_labelled]
        least, most = known + np.minimum(rest, 0).sum(), known + np.maximum(rest, 0).sum()
        assert found.estimate == pytest.approx(min(max(float(estimate), least), most), abs=1e-10)
        assert found.high == pytest.approx(min(most, float(estimate) + half), abs=1e-9)


def test_regression_equals_the_twin(seed):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        size, n = 25, int(rng.integers(4, 20))
        x, y = rng.random(size), rng.random(size) ** 3
        if rng.random() < 0.5:  # some alone with their value, of leverage 1
            x[:n] = [0.25] * (n - 1) + [0.5] if rng.random() < 0.5 else rng.permutation(n) // 2
        sampled = np.arange(size) < n
        estimate, error = slow.regression(y[:n].tolist(), x.tolist(), size)
        found = regression(np.where(sampled, y, np.nan), x, sampled, 0.025)
        assert found.estimate == pytest.approx(float(estimate), abs=1e-12)
        assert found.high - found.estimate == pytest.approx(
            t.ppf(0.975, n - 2) * float(error), abs=1e-10
        )


def test_cochran_is_the_textbook_of_regression(seed):
    rng = np.random.default_rng(seed)
    judge = {f"q{i}": {"a": 0, "b": 1, "c": 2, **{f"z{k}": 0 for k in range(i)}} for i in range(9)}
    run = {q: dict(zip(d, rng.random(len(d)), strict=True)) for q, d in judge.items()}
    human = {q: dict.fromkeys(judge[q], 0) | {"a": 1} for q in ("q0", "q2", "q3", "q6", "q8")}
    x = irb.evaluate(judge, run, "RR").values[:, 0]
    y = irb.evaluate(human, run, "RR").values[:, 0]
    of_sample = x[[0, 2, 3, 6, 8]]
    line = linregress(of_sample, y)
    estimate = line.intercept + line.slope * x.mean()
    rest = y - line.intercept - line.slope * of_sample
    half = t.ppf(0.95, 3) * np.sqrt(rest @ rest / 3 / 5 * (1 - 5 / 9))
    options = {"unit": "query", "confidence_level": 0.9}
    found = irb.assisted_interval(human, judge, run, "RR", method="cochran", **options)
    assert (found.method, found.estimate) == ("cochran", pytest.approx(estimate, abs=1e-12))
    ends = np.clip([estimate - half, estimate + half], y.sum() / 9, (y.sum() + 4) / 9)
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-12)
    wide = irb.assisted_interval(human, judge, run, "RR", **options)
    assert wide == irb.assisted_interval(human, judge, run, "RR", method="regression", **options)
    assert wide.high - wide.low >= found.high - found.low


def test_equal_values_of_queries_do_not_leave_an_interval_without_width():
    sampled = np.arange(25) < 5
    y, x = np.where(sampled, 1.0, np.nan), np.arange(25.0)
    for judge in (x, np.zeros(25)):
        found = regression(y, judge, sampled, 0.025, 1.0)
        away = (12 - 2) ** 2 / 10 if judge.any() else 0.0  # squared, by the spread
        variance = (0.5 / 6) * (5.5 / 6) * ((1 - 5 / 25) / 5 + away)
        half = t.ppf(0.975, 3 if judge.any() else 4) * np.sqrt(variance)
        assert (found.estimate, found.high) == pytest.approx((1, 1 + half), abs=1e-12)
        assert regression(y, judge, sampled, 0.025).high == 1
    assert regression(np.ones(25), x, np.ones(25, bool), 0.025, 1.0).high == 1


@pytest.mark.parametrize("ties", ["expected", "doc_id", "given"])
@pytest.mark.parametrize("measure", ["P(rel=2)@5", "DCG@10", "DCG(dcg=exp-log2)@4", "RBP(p=0.8)@7"])
def test_the_judge_alone_is_what_evaluate_says(seed, ties, measure):
    rng = np.random.default_rng(seed)
    truth, judge, one, two = world(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssistedWarning)
        found = irb.assisted_interval(
            sample_of(truth, rng, 0.5), judge, one, measure, against=two, ties=ties
        )
    said = [irb.evaluate(judge, run, measure, ties=ties).mean for run in (one, two)]
    first, second = (next(iter(mean.values())) for mean in said)
    assert found.judge_alone == pytest.approx(first - second, abs=1e-12)


@pytest.mark.parametrize("measure", ["P(rel=2)@5", "DCG@10"])
@pytest.mark.parametrize("method", [None, "model-assisted", "posterior"])
def test_labels_of_everything_leave_nothing_open(seed, measure, method):
    truth, judge, one, _ = world(np.random.default_rng(seed))
    found = irb.assisted_interval(truth, judge, one, measure, method=method, ties="given")
    (value,) = irb.evaluate(truth, one, measure, ties="given").mean.values()
    assert (found.low, found.estimate, found.high) == pytest.approx((value,) * 3, abs=1e-9)


def test_the_posterior_of_a_difference_has_a_stratum_for_each_run(seed):
    rng = np.random.default_rng(seed)
    size, draws = 60, 40_000
    grade, weight = rng.integers(0, 2, size) + 0.0, rng.random(size) - 0.5
    truth = (weight > 0).astype(float)  # all documents of one run are relevant
    label = np.where(rng.random(size) < 0.5, truth, np.nan)
    p = Population([], weight, grade, grade, label, 3, 0, 1.0)
    found, drawn = by_draws(p, 0.025, draws, rng)
    mean, variance = float(weight[p.is_labelled] @ label[p.is_labelled]), 0.0
    for cell in {*zip(grade, weight > 0, strict=True)}:
        is_here = (grade == cell[0]) & ((weight > 0) == cell[1])
        seen, open_weights = label[is_here & p.is_labelled], weight[is_here & ~p.is_labelled]
        a, b = 0.5 + seen.sum(), 0.5 + (1 - seen).sum()
        share, together = a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))
        mean += share * open_weights.sum()
        variance += together * open_weights.sum() ** 2
        variance += (share * (1 - share) - together) * (open_weights**2).sum()
    assert found.estimate == pytest.approx(mean, abs=1e-12)
    # 5 standard errors: another seed fails once in a million
    assert drawn.mean() == pytest.approx(mean, abs=5 * np.sqrt(variance / draws))
    assert drawn.var() == pytest.approx(variance, rel=5 * np.sqrt(3 / draws))


def test_draws_agree_with_the_exact_posterior():
    exact = irb.assisted_interval(HUMAN, JUDGE, measure="SetP")
    drawn = irb.assisted_interval(
        HUMAN, JUDGE, measure="SetP", method="posterior", rng=1, draws=100_000
    )
    assert drawn.estimate == pytest.approx(exact.estimate, abs=1e-12)
    assert (drawn.low, drawn.high) == pytest.approx((exact.low, exact.high), abs=1 / 60 + 1e-9)


def test_ends_stay_within_what_is_possible(seed):
    rng = np.random.default_rng(seed)
    for _ in range(8):
        truth, judge, one, two = world(rng, 3, 15)
        human = {query: dict(list(docs.items())[::2]) for query, docs in truth.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AssistedWarning)
            for method in ("model-assisted", "posterior"):
                for against in (None, two):
                    found = irb.assisted_interval(
                        human,
                        judge,
                        one,
                        "P(rel=2)@7",
                        against=against,
                        method=method,
                        rng=1,
                        ties="given",
                    )
                    assert -(against is not None) <= found.low <= found.estimate
                    assert found.estimate <= found.high <= 1


@pytest.mark.parametrize("method", ["strata", "strata-adjusted", "posterior"])
def test_an_estimate_lies_in_an_interval_without_width(method):
    judge = {"q": {f"d{i}": 1 for i in range(46)}}
    human = {"q": {f"d{i}": 1 for i in range(45)}}  # the posterior mean is 0.9998
    found = irb.assisted_interval(human, judge, measure="SetP", method=method, rng=1)
    assert found.low <= found.estimate <= found.high == 1


def test_queries_as_units(seed):
    rng = np.random.default_rng(seed)
    truth, judge, one, two = world(rng, 12)
    human = {query: truth[query] for query in list(truth)[:7]}
    found = irb.assisted_interval(human, judge, one, "nDCG@10", unit="query")
    y = irb.evaluate(human, one, "nDCG@10").values[:, 0].tolist()
    x = irb.evaluate(judge, one, "nDCG@10").values[:, 0].tolist()
    estimate, error = slow.regression(y, x, 12)
    assert found.estimate == pytest.approx(float(estimate), abs=1e-12)
    assert found.low == pytest.approx(float(estimate) - t.ppf(0.975, 5) * float(error), abs=1e-10)
    assert found.least_correlation == pytest.approx(1 / np.sqrt(5))
    assert found.correlation == pytest.approx(np.corrcoef(y, x[:7])[0, 1])
    assert "the judge" in repr(found)
    difference = irb.assisted_interval(human, judge, one, "AP", unit="query", against=two)
    assert -1 <= difference.low <= difference.high <= 1


def test_results_can_be_handed_on():
    found = irb.assisted_interval(HUMAN, JUDGE, measure="SetP")
    fields = found.to_dict()
    assert fields["strata"][1] == {"grade": 1.0, "size": 37, "sampled": 7, "mean": 6 / 7}
    assert fields["width_ratio"] == pytest.approx(found.width_ratio)
    assert found.width_ratio < 1


def test_labels_of_one_grade_are_warned_about():
    judge = {"q": {f"d{i}": i % 3 for i in range(90)}}
    human = {"q": {f"d{i}": 1 for i in range(0, 90, 9)}}
    with pytest.warns(AssistedWarning, match="not a random sample"):
        irb.assisted_interval(human, judge, measure="SetP")
    human = {"q": {f"d{i}": i % 2 for i in range(90) if i % 3}}
    with pytest.warns(AssistedWarning, match="judge's grade 0 is labelled, 33% of all"):
        found = irb.assisted_interval(human, judge, measure="SetP")
    assert found.human_alone is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"human": {"q": {"x": 1}}}, "must label pairs that the judge graded; found 1 other pair"),
        ({"human": {"q": {"d1": -1}}}, "`human` has no labels"),
        ({"run": {"q": {"x": 1}}}, "found none for document 'x' of query 'q' in `run`"),
        ({"run": {"p": {"d1": 1}}}, "no query in common"),
        ({"measure": "AP"}, "use unit='query' for other measures"),
        ({"measure": "P@3 P@5"}, "must be one measure"),
        ({"measure": "RBP(p=0.5)"}, "needs a cut-off"),
        ({"run": None, "measure": "P@3"}, "may be left out only if the measure is SetP"),
        ({"method": "ppi"}, "`method` must be one of"),
        ({"measure": "DCG@10", "method": "strata"}, "documents that all count alike"),
        ({"unit": "query"}, "must label all of the judge's pairs in a query"),
        ({"unit": "query", "human": JUDGE}, "at least 3 queries"),
        ({"confidence_level": 1}, "`confidence_level` must be between"),
        ({"rng": -1}, "`rng` must be None, a whole number"),  # nothing is drawn
        ({"draws": 99}, "`draws` must be a whole number, 100 or more"),
    ],
)
def test_bad_input_is_one_clear_line(changes, message):
    run = {"q": {doc: -i for i, doc in enumerate(DOCS)}}
    arguments = {"human": HUMAN, "judge": JUDGE, "run": run, **changes}
    with pytest.raises(irb.InputError, match=message) as error:
        irb.assisted_interval(**arguments)
    assert "\n" not in str(error.value)


def test_queries_that_the_judge_lacks_are_said():
    run = {q: {doc: -i for i, doc in enumerate(DOCS)} for q in ("q", "r", "s")}
    with pytest.warns(AssistedWarning, match=r"no grades for 2 queries of the runs, first 'r'"):
        found = irb.assisted_interval(HUMAN, JUDGE, run, "P@60")
    assert found.population == 60
    alone = irb.assisted_interval(HUMAN, JUDGE, {"q": run["q"]}, "P@60")
    assert (found.low, found.high) == (alone.low, alone.high)


def test_a_judge_that_is_right_in_the_sample_is_no_proof(seed):
    truth, _, run, _ = world(np.random.default_rng(seed), 6)
    human = {query: truth[query] for query in list(truth)[:3]}
    with pytest.warns(AssistedWarning, match="all 3 queries lie on a line with the judge's"):
        found = irb.assisted_interval(human, truth, run, "nDCG@10", unit="query")
    assert found.high - found.low < 1e-12


def llm_judges():
    """NIST's grades, and those of the judges, off-scale ones taken as 3."""
    folder = shared("llm_judges")

    def nested(lines):
        found = {}
        for line in lines:
            query, _, doc, grade = line.decode().split()
            found.setdefault(query, {})[doc] = min(int(float(grade)), 3)
        return found

    with lzma.open(folder / "llmjudge_test_qrel_idx.txt.xz") as file:
        truth = nested(file)
    with tarfile.open(folder / "llmjudge_scores.tar.xz") as archive:
        return truth, {
            member.name.split("/")[-1].removesuffix(".txt"): nested(archive.extractfile(member))
            for member in archive.getmembers()
            if member.isfile()
        }


def test_a_real_judge_and_system(seed):
    truth, judges = llm_judges()
    names = [n for n in judges if n.startswith("h2oloo-")] + ["RMITIR-GPT4o", "Olz-gpt4o"]
    run = {
        query: {doc: np.mean([judges[n][query][doc] for n in names]) for doc in sorted(docs)}
        for query, docs in truth.items()
    }
    judge = judges["willia-umbrela1"]
    top = [
        (query, doc)
        for query, scores in run.items()
        for doc in sorted(scores, key=lambda doc, s=scores: -s[doc])[:10]
    ]
    rng = np.random.default_rng(seed)
    human = {}
    for i in rng.permutation(len(top))[:40]:
        query, doc = top[i]
        human.setdefault(query, {})[doc] = truth[query][doc]
    found = irb.assisted_interval(human, judge, run, "P(rel=2)@10", ties="given")
    assert found.population == 250
    assert found.judge_alone == pytest.approx(0.744)
    everything = irb.assisted_interval(truth, judge, run, "P(rel=2)@10", ties="given")
    assert everything.low == everything.high == pytest.approx(0.62)
    assert found.width_ratio < 1.05


@pytest.mark.long
def test_people_alone_end_within_0_and_1():
    for size in range(20, 60):  # weights 1/size, whose sums are rounded
        judge = {"q": {f"d{i}": i % 2 for i in range(size)}}
        human = {"q": {f"d{i}": 1 for i in range(size // 2)}}
        found = irb.assisted_interval(
            human, judge, {"q": dict.fromkeys(judge["q"], 1)}, f"P@{size}"
        )
        assert found.human_alone[2] <= 1.0
