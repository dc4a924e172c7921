"""Arguments of every kind for all that is public: right numbers, or one line that names them."""

import decimal
import warnings
from itertools import product

import numpy as np
import pytest

import irbounds as irb

SEGMENTS = {"retrieved": (500, 50, 40), "unretrieved": (2000, 100, 3)}
QRELS, RUN = {"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"a": 0.5, "b": 0.5, "c": 0.1}}
REVIEW = irb.AssumedReview(2000, 300, recall=0.7, precision=0.5)
COUNTS = {
    "found": [1.0, 2.0],
    "population": [20.0, 20.0],
    "relevant": [5.0, 5.0],
    "drawn": [4.0, 4.0],
}
ORDERING, CURVE = (
    irb.rankings.WeakOrdering([1, 3], [2, 7]),
    irb.extrapolation.PrecisionCurve.through(0.7, 0.5, 0.03),
)
POSTERIOR, LABELS = irb.recall_posterior(*SEGMENTS.values()), [1.0, 0.0, 1.0]
LAWS = (
    irb.distributions.BetaDistribution(2.0, 3.0),
    irb.distributions.SampledDistribution([0.1, 0.2, 0.5]),
)
# fmt: off
CALLS = {  # what is called, and arguments that do
    **{
        f"hypergeometric_{name}": (getattr(irb.chance, f"hypergeometric_{name}"), COUNTS)
        for name in ("pmf", "cdf", "sf", "tail", "logpmf", "logcdf", "logsf", "logtail")
    },
    "hypergeometric_curve": (irb.chance.hypergeometric_curve, {"relevance": [1.0, 0.0, 1.0],
        "population": 50, "relevant": 9, "shown": 3, "shown_relevant": 1}),
    "competition": (irb.chance.competition, {"values": [[1.0, 2, 3], [2.0, 2, 1]], "rng": 1,
        "ties": "chance"}),
    "selection": (irb.chance.probability_of_correct_selection, {"trials": 30, "methods": 3,
        "ratio": 1.5}),
    "CountsPosterior": (irb.CountsPosterior, {"tp": [10.0, 3.0], "fp": [10.0, 2.0],
        "fn": [5.0, 3.0], "tn": [7.0, 8.0], "prior": 0.5}),
    "from_labels": (irb.CountsPosterior.from_labels, {"truth": LABELS, "prediction": LABELS,
        "positive": 1, "labels": [0.0, 1.0], "weights": [1.0, 2.0, 3.0], "prior": 0.5}),
    "one label": (irb.CountsPosterior.from_labels, {"truth": LABELS, "prediction": LABELS,
        "positive": 1}),
    "matthews": (irb.CountsPosterior(3, 4, 5, tn=6).matthews, {"draws": 20, "rng": 1}),
    "f": (irb.CountsPosterior(3, 4, 5).f, {"beta": 2.0}),
    "macro_average": (irb.counts.macro_average, {"posteriors": [irb.CountsPosterior(3, 4, 5)],
        "measure": "f", "beta": 1.5, "weights": [1.0], "method": "draws", "draws": 20, "rng": 1}),
    "micro_average": (irb.counts.micro_average, {"posteriors": [irb.CountsPosterior(3, 4, 5)]}),
    "paired": (irb.counts.paired_comparison, {"wins": [3.0, 4.0], "losses": [2.0, 1.0],
        "same": [1.0, 9.0], "prior": 0.5}),
    "PairedCounts": (irb.PairedCounts,
        {"table": [[[9.0, 1.0], [2.0, 3.0]], [[3.0, 2.0], [1.0, 4.0]]], "prior": 0.5}),
    "joint labels": (irb.PairedCounts.from_labels, {"truth": LABELS, "a": LABELS, "b": LABELS,
        "positive": 1, "labels": [0.0, 1.0], "weights": [1.0, 2.0, 3.0], "prior": 0.5}),
    "joint interval": (irb.PairedCounts([[[9, 1], [2, 3]], [[3, 2], [1, 4]]]).difference_interval,
        {"measure": "recall", "beta": 1.0, "confidence_level": 0.9, "method": "tango",
        "side": "lower"}),
    "joint draws": (irb.PairedCounts([[[9, 1], [2, 3]], [[3, 2], [1, 4]]]).prob_superior,
        {"measure": "f", "beta": 2.0, "margin": 0.1, "method": "monte-carlo", "draws": 20,
        "rng": 1}),
    "paired labels": (irb.counts.paired_comparison_from_labels, {"truth": LABELS,
        "predictions_a": LABELS, "predictions_b": LABELS, "labels": [0.0, 1.0],
        "weights": [1.0, 2.0, 3.0], "prior": 0.5}),
    "BetaDistribution": (irb.distributions.BetaDistribution, {"a": [1.0, 2.0], "b": [3.0, 4.0]}),
    "FScoreDistribution": (irb.counts.FScoreDistribution, {"a": [1.0, 2.0], "b_fp": [3.0, 4.0],
        "b_fn": [3.0, 4.0], "beta": 2.0}),
    "SampledDistribution": (irb.distributions.SampledDistribution, {"values": [0.1, 0.2, 0.5]}),
    **{
        f"{name}({argument})": (getattr(law, name), {argument: [0.1, 0.2]})
        for law in LAWS
        for name, argument in (("cdf", "x"), ("sf", "x"), ("ppf", "p"))
    },
    "rvs": (irb.distributions.BetaDistribution(2.0, 3.0).rvs, {"size": (2, 3), "rng": 1}),
    "random_beta": (irb.distributions.random_beta, {"a": [0.5, 2.0], "b": [3.0, 0.4],
        "size": (3, 2), "rng": 1}),
    "cost": (irb.extrapolation.cost, {"population": [1000.0, 2000.0], "prevalence": [0.1, 0.2],
        "recall": [0.5, 0.6], "precision": [0.4, 0.5], "per_document": 1.0, "per_relevant": 2.0,
        "fixed": 3.0}),
    "f_score": (irb.extrapolation.f_score, {"recall": [0.5, 0.6], "precision": [0.4, 0.5],
        "beta": 2.0}),
    "extrapolate_precision": (irb.extrapolation.extrapolate_precision, {"recall": [0.7, 0.8],
        "precision": [0.5, 0.42], "prevalence": [0.03, 0.03], "target_recall": [0.75, 0.75]}),
    "PrecisionCurve": (irb.extrapolation.PrecisionCurve, {"prevalence": [0.03, 0.1],
        "beta": [2.0, 3.0]}),
    "curve": (CURVE.precision, {"recall": [0.2, 0.3]}),
    "extrapolate_run": (irb.extrapolation.extrapolate_run, {"qrels": QRELS, "run": RUN,
        "target_recall": 0.9, "collection_size": 500, "levels": [0.1, 0.3], "rel": 1}),
    "AssumedReview": (irb.AssumedReview, {"population": 2000, "retrieved": 300,
        "recall": [0.5, 0.7], "precision": 0.5}),
    "expected_width": (irb.planning.expected_width, {"review": REVIEW, "retrieved_sample": 9,
        "unretrieved_sample": 9, "method": "koopman", "confidence_level": 0.9,
        "side": "two-sided"}),
    "coverage": (irb.coverage, {"scenario": "small", "methods": ["normal-mle"], "realisations": 2,
        "samples": 5, "confidence_level": 0.9, "side": "two-sided", "exact": False, "rng": 1}),
    "simulate_stopping": (irb.planning.simulate_stopping, {"review": REVIEW, "retrieved_sample": 10,
        "unretrieved_sample": 10, "looks": 2, "width": 0.6, "corrected": False, "reviews": 3,
        "method": "normal-mle", "rng": 1}),
    "Scenario.draw": (lambda recall: irb.planning.Scenario("mine", population=1000,
        prevalence=(0.1, 0.2), recall=recall, precision=0.5, retrieved_sample=20,
        unretrieved_sample=40).draw(3, rng=1), {"recall": [0.5, 0.7]}),
    "evaluate": (irb.evaluate, {"qrels": QRELS, "run": RUN, "measures": "AP", "ties": "expected",
        "bounds": True, "missing": "zero", "judged_only": False, "collection_size": 50}),
    "from_arrays": (irb.Run.from_arrays, {"query_ids": ["q", "q"], "doc_ids": ["a", "b"],
        "values": [1.5, 0.0]}),
    "from_trec": (irb.Run.from_trec, {"path": "none"}),
    "from_tuples": (irb.Run.from_tuples, {"rows": []}),
    "parse": (irb.Measure.parse, {"text": "AP"}),
    "rank_measures": (irb.rank_measures, {"scores": [3.0, 2.0, 2.0, 1.0],
        "relevance": [1.0, 0.0, 1.0, 0.0], "measures": "AP nDCG", "groups": [1.0, 1.0, 2.0, 2.0],
        "n_relevant": [2.0, 3.0], "ties": "expected", "bounds": True, "judged_only": False,
        "collection_size": 50}),
    "unretrieved": (irb.rank_measures, {"scores": [3.0, 2.0], "relevance": [1.0, 0.0],
        "measures": "nDCG", "unretrieved": [1.0, 2.0]}),
    "WeakOrdering": (irb.rankings.WeakOrdering, {"relevant": [1.0, 3.0], "nonrelevant": [2.0, 7.0],
        "n_relevant": 6, "collection_size": 30}),
    "from_scores": (irb.rankings.WeakOrdering.from_scores, {"scores": [3.0, 2.0],
        "relevance": [1.0, 0.0], "rel": 1}),
    "esl": (ORDERING.esl, {"nr": [1.0, 2.0]}),
    "graph": (ORDERING.recall_precision_graph, {"measure": "prr", "levels": [0.1, 0.5],
        "bounds": True}),
    "precision_from": (ORDERING.precision_from, {"recall": [0.1, 0.2], "fallout": [0.1, 0.2]}),
    "recall_interval": (irb.recall_interval, {**SEGMENTS, "confidence_level": 0.9,
        "method": "betabinom-half", "side": "two-sided", "engine": "monte-carlo", "draws": 200,
        "rng": 1, "finite_population": True}),
    "recall_estimate": (irb.samples.recall_estimate, {**SEGMENTS, "estimator": "posterior-mean",
        "prior": 0.5}),
    "cdf of recall": (POSTERIOR.cdf, {"q": [0.5, 0.6]}),
    "quantile of recall": (POSTERIOR.quantile, {"p": [0.5, 0.6]}),
    "most_conservative_prior": (irb.samples.most_conservative_prior, {"size": [30.0, 40.0],
        "sampled": [10.0, 20.0]}),
    "binomial_interval": (irb.binomial_interval, {"relevant": [3.0, 4.0], "sampled": [10.0, 11.0],
        "method": "wilson", "confidence_level": 0.9, "side": "two-sided"}),
    "ratio": (irb.samples.binomial_ratio_interval, {"x1": [3.0, 4.0], "n1": [10.0, 11.0],
        "x2": [3.0, 4.0], "n2": [10.0, 11.0]}),
    "difference": (irb.samples.binomial_difference_interval, {"x1": [3.0, 4.0],
        "n1": [10.0, 11.0], "x2": [3.0, 4.0], "n2": [10.0, 11.0]}),
}
# fmt: on
# arguments that are not looked at here
LEFT_OUT = {
    "from_labels": "positive",
    "joint labels": "positive",
    "coverage": "methods",
    "rank_measures": "groups",
}


def itself():
    """A list that holds itself."""
    held: list = []
    held.append(held)
    return held


HOSTILE = {
    "words": "abc",
    "bytes": b"ab",
    "nan": float("nan"),
    "an infinity": -float("inf"),
    "denormal": 5e-324,
    "large": 1e308,
    "huge": 10**30,
    "without a text": 10**5000,
    "negative": -1,
    "complex": 1j,
    "complex array": np.array([1 + 1j, 2]),
    "empty": np.zeros(0),
    "no rows": np.zeros((0, 3)),
    "no axes": np.array("x"),
    "of one axis": [],
    "ragged": [[1.0], [1.0, 2]],
    "nothing": [None, None],
    "nan in a list": [float("nan"), 0.5],
    "numbers as words": ["1", "2"],
    "dict": {"a": 1},
    "object": object(),
    "itself": itself(),
    "dates": np.zeros(2, "M8[s]"),
    "void": np.zeros(2, "V2"),
    "masked": np.ma.array([0.5, 1], mask=[0, 1]),
    "long double": np.array([np.longdouble("1e4000")] * 2)
    if np.finfo(np.longdouble).max > 1e308
    else np.array([np.inf]),
    "huge objects": np.array([10**5000, 1], object),
    "three axes": np.ones((2, 2, 2)),
    "type": float,
    "signalling": decimal.Decimal("snan"),
    "surrogate": "\ud800",
    "lines": "a\nb",
    "NUL": "a\0b",
    "long": "x" * 10**5,
    "triple": (10, 5, 7),
    "words in a triple": ("5", "4", "3"),
    "nan in a triple": (float("nan"), 5, 3),
    "true": np.True_,
    "whole numbers without a sign": np.array([2**64 - 1, 1], "u8"),
}


def given_to(call):
    """The arguments of a call that are looked at."""
    return [argument for argument in CALLS[call][1] if argument != LEFT_OUT.get(call)]


@pytest.mark.parametrize("call", CALLS)
def test_hostile_arguments_give_one_line_that_names_them(call):
    function, given = CALLS[call]
    for argument, (kind, value) in product(given_to(call), HOSTILE.items()):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", irb.warnings.ExtrapolationWarning)
            warnings.simplefilter("ignore", irb.warnings.SampleWarning)  # of large priors
            warnings.simplefilter(
                "ignore", irb.warnings.RunWarning
            )  # of a grade that no judgment has
            message = ""
            try:
                function(**{**given, argument: value})
            except irb.InputError as error:
                message = str(error)
        assert "\n" not in message, (argument, kind)
        assert len(message) < 800, (argument, kind)


def forms(value):
    """The same numbers in other clothes."""
    if isinstance(value, list) and np.asarray(value).dtype.kind == "f":
        array = np.array(value)
        frozen = array.copy()
        frozen.flags.writeable = False
        yield from (
            array,
            array.astype(">f8"),
            array.astype("g"),
            np.repeat(array, 3, axis=-1)[..., ::3],
            frozen,
            np.frombuffer(b"\0" + array.tobytes(), offset=1).reshape(array.shape),
            memoryview(array),
            np.asfortranarray(array),
            array.view(type("Mine", (np.ndarray,), {})),
            tuple(value),
        )
        if (array == np.rint(array)).all() and np.abs(array).max(initial=0) < 127:
            yield from (array.astype(kind) for kind in ("i1", "u1", ">i4", "u8", "f2", "O"))


def plain(result):
    """A result as plain values, to compare."""
    if isinstance(result, np.ndarray):
        return result.tolist()
    if isinstance(result, irb.distributions.Distribution):
        return [np.asarray(result.mean).tolist(), np.asarray(result.ppf(0.3)).tolist()]
    return repr(result)


@pytest.mark.filterwarnings("ignore::irbounds.warnings.ExtrapolationWarning")
@pytest.mark.parametrize("call", CALLS)
def test_other_layouts_and_kinds_give_the_same_numbers(call):
    function, given = CALLS[call]
    expected = None
    for argument in given_to(call):
        for form in forms(given[argument]):
            expected = expected or plain(function(**given))
            found = plain(function(**{**given, argument: form}))
            assert found == expected, (argument, type(form))


def test_results_do_not_change_with_their_arguments():
    array = np.array([2.0, 3.0])
    made = [
        irb.distributions.BetaDistribution(array, array),
        irb.counts.FScoreDistribution(array, array, array),
        irb.distributions.SampledDistribution(array),
        irb.extrapolation.PrecisionCurve(0.1, array),
        irb.counts.paired_comparison(array, array),
        irb.rankings.WeakOrdering(array, array),
    ]
    before = [repr(one) for one in made]
    array[:] = 0
    assert [repr(one) for one in made] == before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: irb.distributions.random_beta(1, 1, rng=itself()),
            "`rng` must be None, a whole number, .*; found",
        ),
        (
            lambda: irb.evaluate(QRELS, RUN, "AP", bounds="no"),
            "`bounds` must be True or False; found 'no'",
        ),
        (
            lambda: irb.distributions.BetaDistribution(-1, 2),
            "`a` must be above 0 and finite; found -1",
        ),
        (
            lambda: irb.rank_measures(np.ma.array([1.0, 2], mask=[0, 1]), [1, 0], "AP"),
            "`scores` must have no masked",
        ),
        (
            lambda: irb.chance.hypergeometric_pmf(np.ma.array([1, 2], mask=[0, 1]), 9, 4, 3),
            "`found` must be .* with masked elements",
        ),
        (
            lambda: irb.chance.hypergeometric_pmf(10**5000, 9, 4, 3),
            "`found` must be .*; found an object of type int",
        ),
        (lambda: irb.rank_measures(["x" * 10**6], [1], "AP"), "found 'x{199}…"),
        (
            lambda: irb.CountsPosterior.from_labels([1, 0], [0, 1], labels="10"),
            "`labels` must be a list of labels",
        ),
        (lambda: irb.Run.from_trec("x" * 10**5), "x…: a path must not be longer"),
        (
            lambda: irb.planning.least_sample(1000, np.True_, 0.5),
            "`retrieved` must be a whole number",
        ),
    ],
)
def test_messages(make, message):
    with pytest.raises(irb.InputError, match=message):
        make()
