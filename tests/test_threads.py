"""Every public name from many threads on shared inputs, against what one thread gets.

The file is longer than 400 lines because it has a row for each public name.
"""

import inspect
import math
import re
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from public_names import home_of

import irbounds as irb
from tests.test_arguments import CALLS

N_THREADS = 8
SLOW = re.compile("report|sample_size|PairedCounts")  # these are called from three threads
# all public names but those of plot, which Matplotlib draws, and warnings and errors
PUBLIC = {name: getattr(sys.modules[home], name) for name, home in home_of().items()}
PUBLIC = {
    name: found
    for name, found in {**PUBLIC, "testing": irb.testing}.items()
    if not (inspect.isclass(found) and issubclass(found, BaseException))
}
QUERIES, DOCUMENTS = 12, 40

rng = np.random.default_rng(5)
SCORES = rng.integers(0, 9, (QUERIES, DOCUMENTS)).astype(float)
GRADES = rng.integers(-1, 3, (QUERIES, DOCUMENTS)).astype(float)
QRELS = {
    f"q{q}": {f"d{d}": int(grade) for d, grade in enumerate(row)} for q, row in enumerate(GRADES)
}
RUN = {
    f"q{q}": {f"d{d}": float(score) for d, score in enumerate(row)} for q, row in enumerate(SCORES)
}
OTHER_RUN = {
    query: {doc: (7 * score + int(doc[1:])) % 9 for doc, score in documents.items()}
    for query, documents in RUN.items()
}
RUNS = {"a": RUN, "b": OTHER_RUN}
MEASURES = "AP nDCG@10 P@5 RR ERR EP(recall=0.5) nDCG(gains={1:5}) Bpref P(judged_only=True)@3"
# a run of graded documents, and labels of every other one
TOP_RUN = {
    query: {doc: score for doc, score in documents.items() if QRELS[query][doc] >= 0}
    for query, documents in RUN.items()
}
LABELS = {
    query: {doc: QRELS[query][doc] for doc in list(documents)[::2]}
    for query, documents in TOP_RUN.items()
}
RETRIEVED, UNRETRIEVED = (500, 50, 40), [(2000, 100, 3), (300, 20, 1)]
REVIEWED = (5000, 400, 260), (95_000, 1500, 34)
CODED = irb.Audited(900, 300, 90, (30, 25), (60, 2))
REVIEW = irb.AssumedReview(2000, 300, recall=0.7, precision=0.5)
LEADERBOARD = {
    name: {f"t{task}": float(score) for task, score in enumerate(row)}
    for name, row in zip("abc", SCORES, strict=False)
}
COUNTS = np.array([10.0, 3, 0]), np.array([10.0, 2, 4]), np.array([5.0, 3, 1])
PAIRS = [[[40, 2], [3, 6]], [[4, 5], [9, 30]]]
DAY = {"date": "2026-01-31"}


def lines_of(queries, line):
    return "".join(
        line.format(query, doc, value)
        for query, documents in queries.items()
        for doc, value in documents.items()
    )


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working directory, with files of the judgments, the run and some labels."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(lines_of(QRELS, "{} 0 {} {}\n"))
    Path("run").write_text(lines_of(RUN, "{} Q0 {} 1 {} t\n"))
    Path("labels.txt").write_text("1\n0\n1\n")
    Path("scores.csv").write_text(
        "system,unit,measure,score\na,1,AP,0.5\na,2,AP,0.25\nb,1,AP,0.75\nb,2,AP,0.5\n"
    )


def posterior(n=3):
    return irb.CountsPosterior(*(column[:n] for column in COUNTS), tn=np.full(n, 7.0))


def compared(test="permutation"):
    options = {"test": test, "rng": 1, "resamples": 199}
    return irb.compare(QRELS, {**RUNS, "c": "run"}, "AP P@5", **options)


def stops(ordering, at=(0.5, 1, 3)):
    at = np.array(at)
    return [
        *(ordering, ordering.esl(at), ordering.expected_recall(at), ordering.fallout(at)),
        *(ordering.prr(nr=at), ordering.ep(nr=at), ordering.precall(nr=at), ordering.prr(nd=at)),
        ordering.ep(recall=0.5, interpolation="ceiling"),
    ]


def monitored():
    monitor = irb.SampleMonitor(500, 2000, looks=2)
    ends = [monitor.update(retrieved=(25, found), unretrieved=(50, 1)) for found in (19, 21)]
    return [monitor, *ends]


def evaluations(measures="AP RR"):
    return {name: irb.evaluate(QRELS, run, measures) for name, run in RUNS.items()}


def history():
    times = [np.datetime64(f"2026-01-0{day}", "s").item() for day in (1, 2)]
    return irb.History(tuple(map(irb.rankings.HistoryEntry, times, "aa", evaluations().values())))


def superior():
    first, second = posterior(), posterior(1)
    return [
        irb.prob_superior(first, second, measure, margin=margin, method=method, draws=500, rng=6)
        for measure in ("f", "recall")
        for margin in (0, 0.1)
        for method in ("exact", "monte-carlo")
    ]


def assisted():
    return [
        irb.assisted_interval(LABELS, QRELS, TOP_RUN, measure, method=method, rng=1)
        for measure, method in (("P@5", None), ("DCG@5", None), ("P@9", "posterior"))
    ]


def scenario():
    law = {"population": 1000, "prevalence": (0.1, 0.2), "recall": (0.6, 0.9), "precision": 0.5}
    return irb.planning.Scenario("mine", **law, retrieved_sample=20, unretrieved_sample=40)


def looked(looks=3):
    options = {"looks": looks, "target": 0.5, "reviews": 20, "rng": 1}
    return irb.planning.simulate_stopping(REVIEW, 30, 60, **options)


def by_methods(function, methods, *arguments, **options):
    """A call that asks for the interval by each of these methods."""
    return lambda: [function(*arguments, method=method, **options) for method in methods]


# {public names: a call}; names of classes are those of its results
TABLE = {
    "Run": lambda: irb.Run.from_trec("run"),
    "Qrels": lambda: irb.Qrels.from_trec("qrels"),
    "evaluate Evaluation": lambda: [
        irb.evaluate(qrels, run, MEASURES, bounds=True)
        for qrels, run in ((QRELS, RUN), ("qrels", "run"), (QRELS, "run"))
    ],
    "Evaluator EvaluatedRuns": lambda: irb.Evaluator("qrels", MEASURES, bounds=True),
    "rank_measures": lambda: [
        irb.rank_measures(SCORES, GRADES, MEASURES, bounds=True),
        irb.rank_measures(SCORES.ravel(), GRADES.ravel(), "AP ERR", groups=np.arange(480) % 7),
    ],
    "define_measure": lambda: irb.evaluate(
        *(QRELS, RUN, [irb.define_measure("gain", lambda gain, _: gain[:2].sum()), "AP"]),
        ties="given",
    ),
    "measures": irb.measures,
    "Measure": lambda: [repr(irb.Measure.parse(name)) for name in MEASURES.split()],
    "pool": lambda: irb.rankings.pool([{"q": {"a": 2, "b": 1}}, {"q": {"c": 9}}], depth=1),
    "WeakOrdering": lambda: stops(irb.rankings.WeakOrdering([1, 3], [2, 7])),
    "RecallPrecisionGraph": lambda: irb.rankings.WeakOrdering([1, 3], [2, 7]),
    "recall_precision_graph": lambda: irb.rankings.recall_precision_graph(QRELS, RUN, "ep"),
    "compare_rankings": lambda: irb.rankings.compare_rankings(
        RUN, OTHER_RUN, "Overlap@5 RBO(p=0.9) TauAP", bounds=True
    ),
    "mean_graph": lambda: irb.rankings.mean_graph(
        [irb.rankings.WeakOrdering([1, 3], [2, 7]), irb.rankings.WeakOrdering([3, 1], [5, 3])],
        interpolation="ceiling",
    ),
    "History HistoryEntry": history,
    "compare Comparison Difference": lambda: [
        compared(test) for test in ("permutation", "t", "bootstrap")
    ],
    "compare_evaluations": lambda: irb.comparison.compare_evaluations(
        evaluations(), test="wilcoxon"
    ),
    "leaderboard_correlation": lambda: irb.comparison.leaderboard_correlation(
        evaluations(), evaluations(), measure="AP"
    ),
    "compare_scores Ranks": lambda: [
        irb.comparison.compare_scores(LEADERBOARD, method=method, draws=200)
        for method in ("bayesian-bootstrap", "t")
    ],
    "gate Gate GateCheck": lambda: irb.gate(QRELS, RUN, OTHER_RUN, "AP P@5"),
    "gate_evaluations": lambda: irb.comparison.gate_evaluations(*evaluations().values()),
    "testing": lambda: irb.testing.assert_not_worse(QRELS, RUN, RUN, "AP", margin=0.5),
    "next_judgments NextJudgments": lambda: [
        irb.next_judgments(QRELS, RUNS, measure, n=9) for measure in ("nDCG@10", "RBP")
    ],
    "mean_interval": by_methods(
        irb.mean_interval,
        ("t", "widened-t", "bca", "gaffke", "bayesian-bootstrap"),
        *(SCORES / 9,),
        resamples=199,
        rng=1,
    ),
    "queries_needed": lambda: [
        irb.queries_needed(0.5, pilot=SCORES[0]),
        irb.queries_needed(0.1, 1),
    ],
    "comparison_power": lambda: irb.queries.comparison_power(30, 0.1, 0.4),
    "detectable_difference": lambda: irb.queries.detectable_difference(30, 0.4),
    "cost_interval": lambda: irb.extrapolation.cost_interval(*REVIEWED, 0.75, per_relevant=4),
    "documents_to_review": lambda: irb.extrapolation.documents_to_review(
        10**6, 0.03, 0.75, np.array([0.2, 0.5])
    ),
    "documents_to_review_interval": lambda: irb.extrapolation.documents_to_review_interval(
        *REVIEWED, 0.75
    ),
    "extrapolate_run ExtrapolatedRun": lambda: irb.extrapolation.extrapolate_run(
        QRELS, RUN, 0.5, collection_size=500, levels=[0.25, 0.3]
    ),
    "extrapolated_precision_interval": lambda: irb.extrapolation.extrapolated_precision_interval(
        *REVIEWED, 0.75, engine="monte-carlo", draws=500, rng=1
    ),
    "PrecisionCurve Sensitivity": lambda: irb.extrapolation.PrecisionCurve.through(
        [0.5, 0.75], 0.5, 0.03
    ),
    "report_recall": lambda: irb.report_recall(RETRIEVED, UNRETRIEVED[0], **DAY),
    "report_runs": lambda: irb.report_runs(QRELS, RUNS, "AP", **DAY),
    "report_history": lambda: irb.report_history(history(), **DAY),
    "report_assist": lambda: irb.report_assist(LABELS, QRELS, TOP_RUN, "P@5", **DAY),
    "report_review": lambda: irb.report_review([1, 0, 1, 0, 0, 0], 9, **DAY),
    "read_labels ReviewLabels": lambda: irb.read_labels("labels.txt"),
    "simulate_review ReviewSimulation RuleOutcome": lambda: irb.stopping.simulate_review(
        50, 5, reviews=3, rng=1
    ),
    "stopping_curve StoppingCurve": lambda: irb.stopping_curve([1, 0, 1, 0, 0], 9),
    "ReviewMonitor": lambda: irb.stopping.ReviewMonitor(9).update([1, 0, 1, 0, 0]),
    "certifying_rank": lambda: irb.stopping.certifying_rank(30),
    "control_curve ControlCurve": lambda: irb.stopping.control_curve(range(1, 9), 9),
    "control_plan ControlPlan": irb.stopping.control_plan,
    "agreement": lambda: irb.assisted.agreement(LABELS, QRELS),
    "assisted_interval AssistedInterval JudgeStratum": assisted,
    "allocate_labels LabelPlan LabelStratum": lambda: [
        irb.allocate_labels(QRELS, TOP_RUN, measure, n=9, rng=1) for measure in ("P@5", "DCG@5")
    ],
    "prevalence_interval": lambda: irb.samples.prevalence_interval(51, 509, (23, 41), (187, 195)),
    "AssumedReview": lambda: irb.AssumedReview(2000, 300, recall=(0.5, 0.9), precision=0.5),
    "LEGAL": lambda: irb.planning.LEGAL,
    "NEUTRAL": lambda: irb.planning.NEUTRAL,
    "SMALL Realisations": lambda: irb.planning.SMALL,
    "Scenario": scenario,
    "coverage CoverageReport": lambda: irb.coverage(
        *("small", ["normal-mle", "betabinom-half"]),
        realisations=3,
        samples=20,
        rng=1,
        workers=1,
        progress=False,
    ),
    "simulate_stopping StoppingReport": looked,
    "SampleMonitor": monitored,
    "sample_size SampleSize": lambda: irb.sample_size(
        irb.AssumedReview(200, 50, recall=0.7, precision=0.5), width=0.6, method="koopman"
    ),
    "allocate Allocation": lambda: irb.planning.allocate(REVIEW, 60),
    "expected_width": lambda: irb.planning.expected_width(REVIEW, 30, 60),
    "proportion_sample_size": lambda: irb.planning.proportion_sample_size(0.05, size=1000),
    "acceptance_samples AcceptanceSample": lambda: irb.planning.acceptance_samples(0.05, size=1000),
    "AcceptanceStages": lambda: irb.planning.AcceptanceStages([(30, 0, 3), (30, 2)], 900),
    "binomial_difference_interval": lambda: irb.samples.binomial_difference_interval(
        [3, 4], 20, 2, 9
    ),
    "cluster_proportion_interval": lambda: irb.samples.cluster_proportion_interval(
        [0, 2, 3, 0] * 9, [1, 2, 5, 3] * 9
    ),
    "cluster_recall_interval": lambda: irb.samples.cluster_recall_interval(
        (500, [2, 3] * 9, [0, 3] * 9), (900, [1, 5] * 9, [1, 0] * 9)
    ),
    "ClusterSample": lambda: irb.samples.ClusterSample(
        80, 900, [2, 0] * 9, [1, 0] * 9, [0, 1] * 9, [1, 9] * 9
    ),
    "least_sample": lambda: irb.planning.least_sample(1000, 200, 0.75),
    "weighted_recall_interval": lambda: irb.samples.weighted_recall_interval([0.1] * 4, [0.05] * 3),
    "CountsPosterior Distribution FScoreDistribution SampledDistribution": posterior,
    "BetaDistribution Bounds": lambda: irb.distributions.BetaDistribution(
        *COUNTS[:2] + np.ones((2, 1))
    ),
    "PairedCounts": lambda: irb.PairedCounts(PAIRS),
    "paired_comparison PairedComparison": lambda: [
        irb.counts.paired_comparison([17, 3], [4, 3]).update(*more) for more in ((0, 0), (1, 2))
    ],
    "prob_superior Superiority": superior,
    "macro_average": lambda: [
        irb.counts.macro_average(posterior()),
        irb.counts.macro_average(posterior(), method="draws", draws=50, rng=1),
    ],
    "competition Competition": lambda: irb.chance.competition(SCORES, ties="shared"),
    "binomial_interval Interval": by_methods(
        irb.binomial_interval, ("wilson", "mid-p", "blaker", "clopper-pearson"), 3, 10, size=100
    ),
    "elusion_interval": lambda: irb.samples.elusion_interval(UNRETRIEVED[0]),
    "f_interval": lambda: irb.f_interval(RETRIEVED, UNRETRIEVED[0], beta=2),
    "precision_interval": lambda: irb.precision_interval(RETRIEVED, engine="monte-carlo", rng=1),
    "yield_interval": lambda: irb.yield_interval(RETRIEVED, UNRETRIEVED[0]),
    "recall_interval": by_methods(
        irb.recall_interval,
        ("betabinom-half", "betabinom-mcp", "beta-jeffreys", "koopman", "normal-mle", "guaranteed"),
        RETRIEVED,
        UNRETRIEVED[0],
    ),
    "recall_interval_from_sample": by_methods(
        irb.recall_interval_from_sample, ("betabinom-half", "guaranteed"), *(90, 500, 40, 9, 2)
    ),
    "ControlSample Stratum": lambda: irb.samples.ControlSample(
        900, 5000, 400, 90, 12, sampled_retrieved=110
    ),
    "recall_posterior RecallPosterior": lambda: irb.recall_posterior(RETRIEVED, UNRETRIEVED),
    "Audited": lambda: [CODED, irb.recall_posterior(CODED, UNRETRIEVED[0])],
    "recall_estimate": lambda: [
        irb.samples.recall_estimate(RETRIEVED, UNRETRIEVED[0], estimator)
        for estimator in ("ratio", "bias-corrected", "posterior-mean", "posterior-median")
    ],
    "recall_estimator_distribution EstimatorDistribution": lambda: (
        irb.samples.recall_estimator_distribution((200, 20, 50), (900, 30, 40))
    ),
    "guaranteed_test loose_bound_note": lambda: [
        find((4000, 200, 180), [(9000, 90, 2), (5000, 100, 1), (8000, 400, 4)])
        for find in (irb.samples.guaranteed_test, irb.samples.loose_bound_note)
    ],
    "ConfusionPosterior PairedConfusion": lambda: [
        irb.counts.ConfusionPosterior([[5, 1, 0], [2, 7, 1], [0, 1, 3]]),
        irb.counts.PairedConfusion.from_labels(*map(list, ("aabbc", "aabcc", "abbbc"))),
    ],
    "pass_at_k pass_hat_k": lambda: [
        find(10, np.arange(11), 3) for find in (irb.queries.pass_at_k, irb.queries.pass_hat_k)
    ],
    "repeated_interval Repeated": lambda: irb.queries.repeated_interval(SCORES[:, :3]),
    "read_scores Scores concat": lambda: [
        scores := irb.rankings.read_scores("scores.csv", measure="measure"),
        irb.rankings.concat([scores["a"]]).values,
    ],
    "Slices Interaction": lambda: (
        irb.comparison.compare_evaluations(
            evaluations(), test="t", by={query: int(query[1:]) % 2 for query in QRELS}
        ).slices
    ),
    "prior_sensitivity PriorSensitivity": lambda: irb.samples.prior_sensitivity(
        RETRIEVED, UNRETRIEVED, target=0.5
    ),
}
LISTED = {name for names in TABLE for name in names.split()}
TABLE |= {
    function.__name__: lambda function=function, given=given: function(**given)
    for function, given in CALLS.values()
    if getattr(function, "__name__", "") in PUBLIC.keys() - LISTED
}
# what methods are asked with; those that need something else are left out
NEEDED = {"x": [0.1, 0.5, 0.9], "p": [0.2, 0.5], "q": [0.3, 0.7], "nr": 2.0, "nd": 2.0, "k": 3}
NEEDED |= {"recall": 0.5, "target_recall": 0.8, "target": 0.1, "fallout": 0.1, "read": 4}
NEEDED |= {"run": RUN, "runs": {"a": RUN, "b": "run"}, "measure": "AP", "wins": 1, "losses": 2}
NEEDED |= {"name": "specificity", "how": "median", "ratio": 1.5, "count": 3}
BRIEF = {"rng": 1, "draws": 50, "resamples": 199, "size": 3, "jobs": 2}
SEEN = set()


def values_of(value, depth=2):
    """All that an object says when it is asked, as what compares bit by bit."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, list | tuple) and type(value).__module__ == "builtins":
        return [values_of(item, depth) for item in value]
    if isinstance(value, float):
        return float(value).hex() if not math.isnan(value) else "nan"
    if value is None or isinstance(value, str | int | np.generic):
        return str(value)
    said = [re.sub(r" at 0x\w+", "", repr(value))]
    if isinstance(value, Mapping):
        said += [(key, values_of(item, depth)) for key, item in value.items()]
    if type(value).__module__.startswith("irbounds."):
        SEEN.update(base.__name__ for base in type(value).__mro__)
        if depth:
            said += [
                (name, values_of(answer(value, name), depth - 1))
                for name in dir(value)
                if not name.startswith(("_", "to_frame", "to_arrow", "update"))
            ]
    return said


def answer(value, name):
    """An attribute, or what a method returns that needs no more than is known here."""
    try:
        found = getattr(value, name)
    except ValueError as error:  # of what some objects lack
        return str(error)
    if not callable(found):
        return found
    if not inspect.ismethod(found) or inspect.isclass(found.__self__):
        return None
    parameters = inspect.signature(found).parameters.items()
    needed = {name for name, one in parameters if one.default is inspect.Parameter.empty}
    if not needed <= NEEDED.keys():
        return None
    given = {name: NEEDED[name] for name in needed}
    given |= {name: BRIEF[name] for name, _ in parameters if name in BRIEF and name not in given}
    try:
        return found(**given)
    except (KeyError, ValueError) as error:  # KeyError: a measure that this object does not have
        return str(error)


@pytest.fixture
def brief_turns():
    """Threads change places often, where there is a GIL."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(before)


def in_threads(tasks):
    """The results of tasks that start together, each in a thread of its own."""
    gate = threading.Barrier(len(tasks))

    def run(task):
        gate.wait(60)
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [future.result(120) for future in [pool.submit(run, task) for task in tasks]]


def test_the_table_has_every_public_name():
    assert {name for names in TABLE for name in names.split()} == PUBLIC.keys()


# 12 queries, and judgments below 0 as a judge's grades
KNOWN_WARNINGS = pytest.mark.filterwarnings(
    "ignore::irbounds.warnings.FewQueriesWarning",
    "ignore::irbounds.warnings.FewUnitsWarning",
    "ignore:.*the judge's grades are below 0:irbounds.warnings.AssistedWarning",
)


@pytest.mark.long
@KNOWN_WARNINGS
@pytest.mark.parametrize("names", TABLE)
def test_threads_get_what_one_thread_gets(names, brief_turns):
    call = TABLE[names]
    alone = values_of(call())
    shared = call()
    tasks = [lambda: (values_of(call()), values_of(shared))] * (
        3 if SLOW.search(names) else N_THREADS
    )
    for own, other in in_threads(tasks):
        assert own == other == alone
    classes = {name for name in names.split() if inspect.isclass(PUBLIC[name])}
    assert classes - {"Measure"} <= SEEN


@pytest.mark.nightly
@pytest.mark.long
@KNOWN_WARNINGS
def test_all_functions_at_a_time(brief_turns):
    calls = list(TABLE.values())
    alone = [values_of(call()) for call in calls]

    def all_from(first):
        order = [*range(first, len(calls)), *range(first)]
        return all(values_of(calls[i]()) == alone[i] for i in order)

    starts = range(0, len(calls), -(-len(calls) // N_THREADS))
    assert all(in_threads([lambda first=first: all_from(first) for first in starts]))


@pytest.mark.long
@pytest.mark.parametrize(
    "draw",
    [
        lambda generator: irb.distributions.random_beta(0.5, 7.5, 4000, rng=generator),
        lambda generator: irb.distributions.random_beta(2.5, [7.5, 3.0], (2000, 2), rng=generator),
        lambda generator: irb.distributions.BetaDistribution(3.5, 2.5).rvs(4000, rng=generator),
    ],
    ids=["one pair", "pairs", "law"],
)
def test_threads_share_a_generator_as_turns_of_one_thread(draw, brief_turns):
    """Whole calls take turns: each gets a stretch of the stream, no number twice and none
    between."""
    n_calls = 25
    generator = np.random.default_rng(11)
    alone = sorted(draw(generator).tobytes() for _ in range(n_calls * 4))
    shared = np.random.default_rng(11)
    parts = in_threads([lambda: [draw(shared).tobytes() for _ in range(n_calls)]] * 4)
    assert sorted(call for part in parts for call in part) == alone
    assert shared.bit_generator.state == generator.bit_generator.state


@pytest.mark.long
def test_a_drawing_thread_holds_the_lock_of_the_generator():
    generator = np.random.default_rng(1)
    done = []
    for draw in (
        lambda: irb.distributions.random_beta(2, 3, 10, rng=generator),
        lambda: irb.recall_posterior(RETRIEVED, UNRETRIEVED[0]).rvs(10, rng=generator),
    ):
        thread = threading.Thread(target=lambda draw=draw: done.append(draw()))
        with generator.bit_generator.lock:
            thread.start()
            thread.join(0.05)
            assert not done
        thread.join(60)
        assert len(done.pop()) == 10


@pytest.mark.long
def test_arrays_and_dicts_that_change_meanwhile_do_no_harm(brief_turns):
    """The result means nothing then, but an error is the worst that may happen."""
    scores, grades = SCORES.copy(), np.abs(GRADES)
    run = {"q0": dict(RUN["q0"])}
    stop = threading.Event()

    def change():
        noise = np.random.default_rng(3)
        while not stop.is_set():
            scores[:] = noise.choice([0.0, 1, math.nan, math.inf], scores.shape)
            grades[:] = noise.choice([0.0, 1, 2, -1, 1e300], grades.shape)
            for i in range(200):
                run["q0"][f"new{i}"] = float(i)
            for i in range(200):
                del run["q0"][f"new{i}"]

    def use():
        for _ in range(60):
            for call in (
                lambda: irb.rank_measures(scores, grades, "AP ERR Bpref EP(nr=2)", bounds=True),
                lambda: irb.evaluate(QRELS, run, "AP"),
                lambda: irb.chance.hypergeometric_curve(grades[0], 10**6, 100),
            ):
                try:
                    call()
                except (ValueError, RuntimeError):
                    continue

    changing = threading.Thread(target=change)
    changing.start()
    try:
        in_threads([use] * 3)
    finally:
        stop.set()
        changing.join()


@pytest.mark.long
@pytest.mark.skipif(
    not hasattr(sys, "_is_gil_enabled") or sys._is_gil_enabled(),
    reason="needs CPython without a GIL",
)
def test_the_kernels_leave_the_gil_off():
    """Importing a module that does not declare itself safe would have switched it on, with a
    warning."""
    from irbounds._core.documents import doc_index
    from irbounds._core.draws import binomial_draws
    from irbounds._core.evaluating import rankings, search_length
    from irbounds._core.samples import yield_posterior

    assert all(
        module.__file__
        for module in (binomial_draws, doc_index, rankings, search_length, yield_posterior)
    )
    assert not sys._is_gil_enabled()
