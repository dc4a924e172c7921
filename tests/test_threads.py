"""Every public name from many threads on shared inputs, against what one thread gets.

The file is longer than 400 lines because it has a row for each public name.
"""

import dataclasses
import math
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from public_names import home_of

import irbounds as irb

N_THREADS = 8
# Matplotlib, with which plot draws, is not made for threads
NAMES = {*home_of(), "testing"}
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
LEADERBOARD = {
    name: {f"t{task}": float(score) for task, score in enumerate(row)}
    for name, row in zip("abc", SCORES, strict=False)
}
COUNTS = np.array([10.0, 3, 0]), np.array([10.0, 2, 4]), np.array([5.0, 3, 1])


def lines_of(queries, line):
    return "".join(
        line.format(query, doc, value)
        for query, documents in queries.items()
        for doc, value in documents.items()
    )


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("threads")
    (folder / "qrels").write_text(lines_of(QRELS, "{} 0 {} {}\n"))
    (folder / "run").write_text(lines_of(RUN, "{} Q0 {} 1 {} t\n"))
    (folder / "labels.txt").write_text("1\n0\n1\n")
    return folder / "qrels", folder / "run"


def refusal(call):
    """The text of the error that a call raises."""
    try:
        call()
    except irb.InputError as error:
        return type(error).__name__, str(error)
    raise AssertionError("not refused")


def law_values(law, with_density=True):
    """Values of a distribution, its cached ones among them."""
    x = np.array([0.1, 0.5, 0.9]).reshape(-1, *(1,) * len(law.shape))
    said = [
        repr(law),
        law.mean,
        law.var,
        law.std,
        law.cdf(x),
        law.sf(x),
        law.ppf(x),
        law.rvs(3, rng=1),
    ]
    return [*said, law.pdf(x)] if with_density else said


def recall_values(posterior):
    return [
        posterior.mean,
        posterior.median,
        posterior.cdf([0.3, 0.7]),
        posterior.sf(0.75),
        posterior.quantile(0.1),
        posterior.rvs(5, rng=2),
    ]


def evaluation_values(ev):
    return [
        ev.measures,
        ev.query_ids,
        ev.values,
        ev.low,
        ev.high,
        ev.mean,
        ev.mean_bounds,
        ev.summary,
        ev.summary_bounds,
        ev["AP"],
        ev.bounds("RR"),
        ev.to_dict(),
        repr(ev),
    ]


def ordering_values(w):
    stops = np.array([0.5, 1, 3])
    return [
        w.esl(stops),
        w.prr(nr=stops),
        w.ep(nr=stops),
        w.precall(nr=stops),
        w.prr(nd=stops),
        w.ep(recall=0.5, interpolation="ceiling"),
        w.expected_recall(stops),
        w.fallout(stops),
        w.generality,
        w.search_length_distribution(2),
        w.recall_precision_graph().to_dict(),
        repr(w),
    ]


def interval_values(interval):
    return [interval.estimate, interval.low, interval.high, interval.standard_error, repr(interval)]


def competition_values(result):
    return [
        result.methods,
        result.wins,
        result.shares,
        result.tied,
        result.best,
        result.probability_of_correct_selection(1.5),
    ]


def ranked(scores):
    return [
        irb.comparison.compare_scores(scores, method=method, draws=200).to_json()
        for method in ("bayesian-bootstrap", "t")
    ]


def comparison_values(comparison):
    return [
        comparison.values,
        comparison.means,
        comparison.mean_bounds,
        comparison.differences,
        repr(comparison),
        comparison.to_latex(),
        comparison.to_csv(),
        comparison.to_json(),
        comparison["map"],
    ]


def counts_values(post):
    return [
        law_values(post.precision),
        law_values(post.f()),
        law_values(post.f(2.0)),
        repr(post),
        post.matthews(50, rng=3).mean,
    ]


def interval_of(function, *segments, **options):
    return lambda shared: interval_values(function(*segments, **options))


def hypergeometric(function):
    found = np.arange(9.0)
    return (lambda: found), lambda shared: [
        function(shared, 200, 12, 30),
        function(3, 10**9, 10**5, 10),
    ]


def simple(use):
    return (lambda: None), use


def history_of(days):
    evaluations = [irb.evaluate(QRELS, run, "AP RR") for run in (RUN, OTHER_RUN, RUN)]
    times = [np.datetime64(f"2026-01-0{day}", "s").item() for day in (1, 2, 3)]
    entries = map(irb.rankings.HistoryEntry, times[:days], "aaa", evaluations)
    return irb.History(tuple(entries))


def labels_of(paths):
    return paths[0].with_name("labels.txt")


def table(paths):
    """{public name: (make what threads share, what each of them does with it)}; longer than 60
    lines because every public name has a row."""

    def compared(**options):
        return irb.compare(
            QRELS,
            {"a": RUN, "b": OTHER_RUN, "c": paths[1]},
            "AP P@5",
            rng=1,
            resamples=199,
            **options,
        )

    def posterior(n=3):
        return irb.CountsPosterior(*(column[:n] for column in COUNTS), tn=np.full(n, 7.0))

    def plan(sample=60, **options):
        return irb.planning.allocate(
            irb.AssumedReview(2000, 300, recall=0.7, precision=0.5), sample, **options
        )

    def report(workers=2):
        return irb.coverage(
            "small",
            ["normal-mle", "betabinom-half"],
            realisations=3,
            samples=20,
            rng=1,
            workers=workers,
            progress=False,
        )

    def monitored(_):
        monitor = irb.SampleMonitor(500, 2000, looks=2)
        return [
            interval_values(monitor.update(retrieved=(25, found), unretrieved=(50, 1)))
            for found in (19, 21)
        ]

    def stopping(_=None):
        return irb.planning.simulate_stopping(
            irb.AssumedReview(2000, 300, recall=0.7, precision=0.5),
            30,
            60,
            looks=3,
            target=0.5,
            reviews=20,
            rng=1,
        )

    def sized(_=None):
        return irb.sample_size(
            irb.AssumedReview(200, 50, recall=0.7, precision=0.5), width=0.6, method="koopman"
        )

    def itself(shared):
        return shared

    def scenario_values(scenario):
        return [repr(scenario), scenario.draw(3, rng=1)]

    def report_values(report):
        return [report, report.mean_coverage, report.standard_error, report.rmse, report.closest]

    def extrapolated(_=None):
        return irb.extrapolation.extrapolate_run(
            QRELS, RUN, 0.5, collection_size=500, levels=[0.25, 0.3]
        )

    def curve_values(curve):
        return [
            curve.precision(np.array([0.2, 0.75])),
            curve.relevance_probability(0.5),
            tuple(curve.sensitivity(0.5, 0.8)),
        ]

    reviewed = (5000, 400, 260), (95_000, 1500, 34)
    return {
        "Comparison": (compared, comparison_values),
        "Difference": (
            lambda: compared().differences[0],
            lambda difference: [difference, difference.to_dict()],
        ),
        "ExtrapolatedRun": (extrapolated, itself),
        "ExtrapolationWarning": simple(
            lambda _: issubclass(irb.warnings.ExtrapolationWarning, UserWarning)
        ),
        "PrecisionCurve": (
            lambda: irb.extrapolation.PrecisionCurve.through([0.5, 0.75], 0.5, 0.03),
            curve_values,
        ),
        "Sensitivity": (
            lambda: irb.extrapolation.PrecisionCurve.through(0.75, 0.5, 0.03).sensitivity(0.5, 0.8),
            tuple,
        ),
        "compare": simple(
            lambda _: [
                comparison_values(compared(test=test)) for test in ("permutation", "t", "bootstrap")
            ]
        ),
        "NextJudgments": (
            lambda: irb.next_judgments(QRELS, {"a": RUN, "b": OTHER_RUN}, "P@5"),
            lambda found: [found.to_dict(), found.to_trec(), repr(found)],
        ),
        "next_judgments": simple(
            lambda _: [
                irb.next_judgments(QRELS, {"a": RUN, "b": OTHER_RUN}, measure, n=9).to_dict()
                for measure in ("nDCG@10", "RBP")
            ]
        ),
        "compare_evaluations": (
            lambda: {
                name: irb.evaluate(QRELS, run, "AP RR")
                for name, run in (("a", RUN), ("b", OTHER_RUN))
            },
            lambda evaluations: comparison_values(
                irb.comparison.compare_evaluations(evaluations, test="wilcoxon")
            ),
        ),
        "compare_scores": (lambda: LEADERBOARD, ranked),
        "Ranks": (
            lambda: irb.comparison.compare_scores(LEADERBOARD, draws=200),
            lambda ranks: [ranks.to_json(), ranks.to_csv(), repr(ranks), ranks["a"]],
        ),
        "gate": simple(lambda _: irb.gate(QRELS, RUN, OTHER_RUN, "AP P@5").to_json()),
        "gate_evaluations": (
            lambda: [irb.evaluate(QRELS, run, "AP RR") for run in (RUN, OTHER_RUN)],
            lambda evaluations: irb.comparison.gate_evaluations(*evaluations).to_json(),
        ),
        "Gate": (
            lambda: irb.gate(QRELS, RUN, OTHER_RUN, "AP"),
            lambda gate: [gate.to_junit(), gate.to_markdown(), gate.annotations(), repr(gate)],
        ),
        "GateCheck": (
            lambda: irb.gate(QRELS, RUN, OTHER_RUN, "AP")["AP"],
            lambda check: [check.detectable, check.to_dict(), str(check)],
        ),
        "testing": simple(
            lambda _: irb.testing.assert_not_worse(QRELS, RUN, RUN, "AP", margin=0.5).verdict
        ),
        "mean_interval": (
            lambda: SCORES / 9,
            lambda values: [
                interval_values(irb.mean_interval(values, method=method, resamples=199, rng=1))
                for method in ("t", "wilson", "bca", "guaranteed", "bayesian-bootstrap")
            ],
        ),
        "queries_needed": (
            lambda: SCORES[0],
            lambda pilot: [irb.queries_needed(0.5, pilot=pilot), irb.queries_needed(0.1, 1)],
        ),
        "comparison_power": simple(lambda _: irb.queries.comparison_power(30, 0.1, 0.4)),
        "detectable_difference": simple(lambda _: irb.queries.detectable_difference(30, 0.4)),
        "cost": simple(
            lambda _: irb.extrapolation.cost(
                10**6, 0.03, recall=0.75, precision=0.5, per_document=1.2, fixed=5000
            )
        ),
        "cost_interval": simple(
            interval_of(irb.extrapolation.cost_interval, *reviewed, 0.75, per_relevant=4)
        ),
        "documents_to_review": simple(
            lambda _: irb.extrapolation.documents_to_review(10**6, 0.03, 0.75, np.array([0.2, 0.5]))
        ),
        "documents_to_review_interval": simple(
            interval_of(irb.extrapolation.documents_to_review_interval, *reviewed, 0.75)
        ),
        "extrapolate_precision": simple(
            lambda _: irb.extrapolation.extrapolate_precision([0.7, 0.8], [0.5, 0.42], 0.03, 0.75)
        ),
        "extrapolate_run": simple(extrapolated),
        "extrapolated_precision_interval": simple(
            interval_of(
                irb.extrapolation.extrapolated_precision_interval,
                *reviewed,
                0.75,
                engine="monte-carlo",
                draws=500,
                rng=1,
            )
        ),
        "f_score": (
            lambda: COUNTS[0] / 20,
            lambda recall: irb.extrapolation.f_score(recall, 0.5, 2),
        ),
        "recall_precision_graph": simple(
            lambda _: irb.rankings.recall_precision_graph(QRELS, RUN, "ep")
        ),
        "report_recall": simple(
            lambda _: irb.report_recall(RETRIEVED, UNRETRIEVED[0], date="2026-01-31")
        ),
        "report_runs": simple(
            lambda _: irb.report_runs(QRELS, {"a": RUN, "b": OTHER_RUN}, "AP", date="2026-01-31")
        ),
        "report_history": simple(lambda _: irb.report_history(history_of(2), date="2026-01-31")),
        "report_assist": simple(
            lambda _: irb.report_assist(LABELS, QRELS, TOP_RUN, "P@5", date="2026-01-31")
        ),
        "History": (
            lambda: history_of(3),
            lambda history: [repr(history), repr(history[0].to_dict())],
        ),
        "HistoryEntry": (lambda: history_of(1)[0], lambda entry: repr(entry.to_dict())),
        "read_labels": simple(lambda _: irb.read_labels(labels_of(paths)).to_dict()),
        "ReviewLabels": (lambda: irb.read_labels(labels_of(paths)), repr),
        "report_review": simple(
            lambda _: irb.report_review([1, 0, 1, 0, 0, 0], 9, date="2026-01-31")
        ),
        "simulate_review": simple(
            lambda _: irb.stopping.simulate_review(50, 5, reviews=3, rng=1).to_dict()
        ),
        "ReviewSimulation": (
            lambda: irb.stopping.simulate_review(50, 5, reviews=3, rng=1),
            lambda simulated: [repr(simulated), simulated.to_dict()],
        ),
        "RuleOutcome": (
            lambda: irb.stopping.simulate_review(50, 5, reviews=3, rng=1)["buscar"],
            repr,
        ),
        "Allocation": (plan, itself),
        "AssistedInterval": (
            lambda: irb.assisted_interval(LABELS, QRELS, TOP_RUN, "P@5", ties="given"),
            lambda found: [repr(found), repr(found.to_dict())],
        ),
        "AssistedWarning": simple(lambda _: issubclass(irb.warnings.AssistedWarning, UserWarning)),
        "Audited": (
            lambda: irb.Audited(900, 300, 90, (30, 25), (60, 2)),
            lambda coded: recall_values(irb.recall_posterior(coded, UNRETRIEVED[0]))[:5],
        ),
        "JudgeStratum": simple(lambda _: repr(irb.assisted.JudgeStratum(1.0, 9, 3, 0.5))),
        "LabelPlan": simple(
            lambda _: repr(irb.allocate_labels(QRELS, TOP_RUN, "P@5", n=9, rng=1).to_dict())
        ),
        "LabelStratum": simple(lambda _: repr(irb.assisted.LabelStratum(1.0, 9, 3, 2))),
        "allocate_labels": simple(
            lambda _: repr(irb.allocate_labels(QRELS, TOP_RUN, "DCG@5", n=9, rng=2))
        ),
        "assisted_interval": simple(
            lambda _: [
                repr(irb.assisted_interval(LABELS, QRELS, TOP_RUN, measure, method=method, rng=1))
                for measure, method in (("DCG@5", None), ("P@9", "posterior"))
            ]
        ),
        "prevalence_interval": simple(
            interval_of(irb.samples.prevalence_interval, 51, 509, (23, 41), (187, 195))
        ),
        "AssumedReview": (
            lambda: irb.AssumedReview(2000, 300, recall=(0.5, 0.9), precision=0.5),
            lambda review: [repr(review), irb.planning.expected_width(review, 30, 60)],
        ),
        "CoverageReport": (report, report_values),
        "LEGAL": (lambda: irb.planning.LEGAL, scenario_values),
        "NEUTRAL": (lambda: irb.planning.NEUTRAL, scenario_values),
        "FewQueriesWarning": simple(
            lambda _: issubclass(irb.warnings.FewQueriesWarning, UserWarning)
        ),
        "FewUnitsWarning": simple(lambda _: issubclass(irb.warnings.FewUnitsWarning, UserWarning)),
        "IrboundsWarning": simple(lambda _: issubclass(irb.warnings.IrboundsWarning, UserWarning)),
        "UnclearGateWarning": simple(
            lambda _: issubclass(irb.warnings.UnclearGateWarning, UserWarning)
        ),
        "NoVarianceWarning": simple(
            lambda _: issubclass(irb.warnings.NoVarianceWarning, UserWarning)
        ),
        "RunWarning": simple(lambda _: issubclass(irb.warnings.RunWarning, UserWarning)),
        "SampleWarning": simple(lambda _: issubclass(irb.warnings.SampleWarning, UserWarning)),
        "OptionalStoppingWarning": simple(
            lambda _: issubclass(irb.warnings.OptionalStoppingWarning, UserWarning)
        ),
        "Realisations": (lambda: irb.planning.SMALL.draw(4, rng=2), itself),
        "SMALL": (lambda: irb.planning.SMALL, scenario_values),
        "SampleMonitor": simple(monitored),
        "SampleSize": (sized, itself),
        "Scenario": (
            lambda: irb.planning.Scenario(
                "mine",
                population=1000,
                prevalence=(0.1, 0.2),
                recall=(0.6, 0.9),
                precision=0.5,
                retrieved_sample=20,
                unretrieved_sample=40,
            ),
            scenario_values,
        ),
        "StoppingReport": (stopping, itself),
        "allocate": simple(lambda _: plan(40)),
        "coverage": simple(lambda _: report_values(report(1))),
        "expected_width": simple(
            lambda _: irb.planning.expected_width(
                irb.AssumedReview(2000, 300, recall=0.7, precision=0.5), 30, 60
            )
        ),
        "least_sample": simple(lambda _: irb.planning.least_sample(1000, 200, 0.75)),
        "sample_size": simple(sized),
        "simulate_stopping": simple(stopping),
        "stopping_curve": simple(lambda _: irb.stopping_curve([1, 0, 1, 0, 0], 9).to_dict()),
        "StoppingCurve": (
            lambda: irb.stopping_curve([1, 0, 1, 0, 0], 9),
            lambda curve: [repr(curve), curve.first_stop, curve.to_dict()],
        ),
        "ReviewMonitor": (
            lambda: irb.stopping.ReviewMonitor(9).update([1, 0, 1, 0, 0]),
            lambda monitor: [repr(monitor), monitor.to_dict()],
        ),
        "certifying_rank": simple(lambda _: irb.stopping.certifying_rank(30)),
        "control_curve": simple(lambda _: irb.stopping.control_curve(range(1, 9)).to_dict()),
        "ControlCurve": (
            lambda: irb.stopping.control_curve(range(1, 9)),
            lambda curve: [curve.to_dict(), curve.low_at(4), curve.first_reaching(0.1)],
        ),
        "control_plan": simple(lambda _: irb.stopping.control_plan()),
        "ControlPlan": (irb.stopping.control_plan, lambda plan: plan.to_dict()),
        "weighted_recall_interval": simple(
            lambda _: interval_values(irb.samples.weighted_recall_interval([0.1] * 4, [0.05] * 3))
        ),
        "BetaDistribution": (
            lambda: irb.distributions.BetaDistribution(*COUNTS[:2] + np.ones((2, 1))),
            lambda law: [law_values(law), law.interval(0.9, "hpd"), law.lower_bound(), law.mode],
        ),
        "Bounds": simple(lambda _: irb.distributions.Bounds(0.1, 0.2)),
        "Competition": (lambda: irb.chance.competition(SCORES, ties="shared"), competition_values),
        "CountsPosterior": (posterior, counts_values),
        "SampledDistribution": (
            lambda: posterior().matthews(60, rng=4),
            lambda law: law_values(law, with_density=False),
        ),
        "EstimatorDistribution": (
            lambda: irb.samples.recall_estimator_distribution((200, 20, 50), (900, 30, 40)),
            lambda law: [law.values, law.probabilities, law.mean, law.bias, law.std],
        ),
        "EvaluatedRuns": (
            lambda: irb.Evaluator(QRELS, MEASURES, bounds=True).evaluate_many(
                {"a": RUN, "b": paths[1]}, jobs=2
            ),
            lambda runs: [evaluation_values(runs[name]) for name in runs],
        ),
        "Evaluation": (lambda: irb.evaluate(QRELS, RUN, MEASURES, bounds=True), evaluation_values),
        "Evaluator": (
            lambda: irb.Evaluator(paths[0], MEASURES, bounds=True),
            lambda evaluator: [
                evaluation_values(evaluator.evaluate(run)) for run in (RUN, paths[1])
            ],
        ),
        "FScoreDistribution": (
            lambda: irb.counts.FScoreDistribution(3.5, 2.5, 1.5, 2.0),
            law_values,
        ),
        "InputError": simple(lambda _: refusal(lambda: irb.evaluate(QRELS, RUN, "AP@0"))),
        "InputFileError": simple(
            lambda _: refusal(lambda: irb.Run.from_trec(paths[0].with_name("none")))
        ),
        "Interval": (lambda: irb.binomial_interval([3, 4], 10), interval_values),
        "Distribution": (lambda: posterior().f(0.5), law_values),
        "Measure": simple(lambda _: [str(irb.Measure.parse(name)) for name in MEASURES.split()]),
        "define_measure": (
            lambda: irb.define_measure("gain", lambda grades, n_relevant: grades[:2].sum()),
            lambda measure: [irb.evaluate(QRELS, RUN, [measure, "AP"], ties="given").values],
        ),
        "PairedCounts": (
            lambda: irb.PairedCounts([[[40, 2], [3, 6]], [[4, 5], [9, 30]]]),
            lambda pairs: (
                [pairs.prob_superior(name).probability for name in ("f", "recall")]
                + [
                    pairs.prob_superior("f", 2.0).probability,
                    pairs.prob_superior(margin=0.1).probability,
                    pairs.difference_interval("recall", method="tango").low,
                    pairs.mcnemar(),
                    repr(pairs.a),
                ]
            ),
        ),
        "PairedComparison": (
            lambda: irb.counts.paired_comparison([17, 3], [4, 3]),
            lambda result: [
                result.to_dict(),
                result.mcnemar(),
                result.difference_cdf(0.1),
                result.update(1, 2).to_dict(),
            ],
        ),
        "Qrels": (
            lambda: irb.Qrels.from_trec(paths[0]),
            lambda qrels: [
                qrels.to_dict(),
                qrels.query_ids,
                repr(qrels),
                irb.evaluate(qrels, RUN, MEASURES).values,
            ],
        ),
        "ControlSample": (
            lambda: irb.samples.ControlSample(900, 5000, 400, 90, 12, sampled_retrieved=110),
            lambda sample: [interval_values(irb.recall_interval(*sample.segments))],
        ),
        "PriorSensitivity": (
            lambda: irb.samples.prior_sensitivity(RETRIEVED, UNRETRIEVED, target=0.5),
            lambda found: found.to_dict(),
        ),
        "RecallPosterior": (lambda: irb.recall_posterior(RETRIEVED, UNRETRIEVED), recall_values),
        "RecallPrecisionGraph": (
            lambda: irb.rankings.WeakOrdering([1, 3], [2, 7]).recall_precision_graph("ep"),
            lambda graph: [graph.to_dict(), graph.levels, graph.precision],
        ),
        "Run": (
            lambda: irb.Run.from_trec(paths[1]),
            lambda run: [
                run.to_dict(),
                run.query_ids,
                repr(run),
                irb.evaluate(QRELS, run, MEASURES, ties="doc_id").values,
            ],
        ),
        "Stratum": (
            lambda: irb.Stratum(500, 50, 40),
            lambda stratum: [
                list(map(float, stratum)),
                interval_values(irb.precision_interval(stratum)),
            ],
        ),
        "Superiority": (
            lambda: irb.prob_superior(posterior(), posterior(1), "f", 2.0),
            lambda result: [result.probability, result.standard_error, result.method],
        ),
        "WeakOrdering": (lambda: irb.rankings.WeakOrdering([1, 3], [2, 7]), ordering_values),
        "binomial_interval": simple(
            lambda _: [
                interval_values(irb.binomial_interval(3, 10, size=100, method=method))
                for method in ("wilson", "mid-p", "blaker", "clopper-pearson")
            ]
        ),
        "binomial_ratio_interval": simple(
            interval_of(irb.samples.binomial_ratio_interval, 29, 55, 11, 11)
        ),
        "competition": simple(lambda _: competition_values(irb.chance.competition(SCORES, rng=7))),
        "elusion_interval": simple(interval_of(irb.samples.elusion_interval, UNRETRIEVED[0])),
        "evaluate": simple(
            lambda _: [
                evaluation_values(irb.evaluate(qrels, run, MEASURES, bounds=True))
                for qrels, run in ((QRELS, RUN), paths, (QRELS, paths[1]))
            ]
        ),
        "f_interval": simple(interval_of(irb.f_interval, RETRIEVED, UNRETRIEVED[0], beta=2)),
        "hypergeometric_cdf": hypergeometric(irb.chance.hypergeometric_cdf),
        "hypergeometric_curve": (
            lambda: (GRADES > 1).ravel(),
            lambda marks: irb.chance.hypergeometric_curve(marks, 10_000, 1000),
        ),
        "hypergeometric_logcdf": hypergeometric(irb.chance.hypergeometric_logcdf),
        "hypergeometric_logpmf": hypergeometric(irb.chance.hypergeometric_logpmf),
        "hypergeometric_logsf": hypergeometric(irb.chance.hypergeometric_logsf),
        "hypergeometric_logtail": hypergeometric(irb.chance.hypergeometric_logtail),
        "hypergeometric_pmf": hypergeometric(irb.chance.hypergeometric_pmf),
        "hypergeometric_sf": hypergeometric(irb.chance.hypergeometric_sf),
        "hypergeometric_tail": hypergeometric(irb.chance.hypergeometric_tail),
        "macro_average": (
            posterior,
            lambda post: [
                law_values(irb.counts.macro_average(post)),
                irb.counts.macro_average(post, method="draws", draws=50, rng=1).mean,
            ],
        ),
        "mean_graph": (
            lambda: [
                irb.rankings.WeakOrdering([1, 3], [2, 7]),
                irb.rankings.WeakOrdering([3, 1], [5, 3]),
            ],
            lambda orderings: irb.rankings.mean_graph(orderings, interpolation="ceiling").to_dict(),
        ),
        "measures": simple(lambda _: repr(irb.measures())),
        "micro_average": (posterior, lambda post: repr(irb.counts.micro_average(post))),
        "most_conservative_prior": simple(
            lambda _: [irb.samples.most_conservative_prior(n, n // 3) for n in range(9, 60, 10)]
        ),
        "paired_comparison": simple(lambda _: irb.counts.paired_comparison(*COUNTS).to_dict()),
        "paired_comparison_from_labels": (
            lambda: [marks.ravel() for marks in (GRADES > 0, SCORES > 3, SCORES > 5)],
            lambda labels: irb.counts.paired_comparison_from_labels(*labels).to_dict(),
        ),
        "precision_interval": simple(
            interval_of(irb.precision_interval, RETRIEVED, engine="monte-carlo", rng=1)
        ),
        "prob_superior": (
            lambda: (posterior(), posterior(1)),
            lambda pair: (
                [
                    irb.prob_superior(*pair, measure, margin=margin).probability
                    for measure in ("f", "recall")
                    for margin in (0, 0.1)
                ]
                + [irb.prob_superior(*pair, method="monte-carlo", draws=500, rng=6).probability]
            ),
        ),
        "probability_of_correct_selection": simple(
            lambda _: irb.chance.probability_of_correct_selection(300, 4, 1.2)
        ),
        "pool": simple(
            lambda _: irb.rankings.pool([{"q": {"a": 2, "b": 1}}, {"q": {"c": 9}}], depth=1)
        ),
        "random_beta": (
            lambda: COUNTS[0] + 0.5,
            lambda a: [
                irb.distributions.random_beta(a, 2, (50, 3), rng=8),
                irb.distributions.random_beta(0.5, 0.5, 50, rng=8),
            ],
        ),
        "rank_measures": (
            lambda: (SCORES, GRADES),
            lambda arrays: [
                evaluation_values(irb.rank_measures(*arrays, MEASURES, bounds=True)),
                irb.rank_measures(
                    *(array.ravel() for array in arrays), "AP ERR", groups=np.arange(480) % 7
                ).values,
            ],
        ),
        "recall_estimate": simple(
            lambda _: [
                irb.samples.recall_estimate(RETRIEVED, UNRETRIEVED[0], estimator)
                for estimator in ("ratio", "bias-corrected", "posterior-mean", "posterior-median")
            ]
        ),
        "recall_estimator_distribution": simple(
            lambda _: irb.samples.recall_estimator_distribution((200, 20, 50), (900, 30, 40)).mean
        ),
        "recall_interval": simple(
            lambda _: (
                [
                    interval_values(irb.recall_interval(RETRIEVED, UNRETRIEVED[0], method=method))
                    for method in (
                        "betabinom-half",
                        "betabinom-mcp",
                        "beta-jeffreys",
                        "koopman",
                        "normal-mle",
                        "guaranteed",
                    )
                ]
                + [interval_values(irb.recall_interval(RETRIEVED, UNRETRIEVED))]
            )
        ),
        "prior_sensitivity": simple(
            lambda _: irb.samples.prior_sensitivity(RETRIEVED, UNRETRIEVED[0]).to_dict()
        ),
        "recall_interval_from_sample": simple(
            lambda _: [
                interval_values(
                    irb.recall_interval_from_sample(900, 5000, 400, 90, 12, method=method)
                )
                for method in ("betabinom-half", "guaranteed")
            ]
        ),
        "recall_posterior": simple(
            lambda _: recall_values(irb.recall_posterior(RETRIEVED, UNRETRIEVED[0]))
        ),
        "yield_interval": simple(interval_of(irb.yield_interval, RETRIEVED, UNRETRIEVED[0])),
    }


def frozen(value):
    """The value as what compares bit by bit."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if dataclasses.is_dataclass(value):
        return [
            (field.name, frozen(getattr(value, field.name))) for field in dataclasses.fields(value)
        ]
    if isinstance(value, Mapping):
        return [(key, frozen(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [frozen(item) for item in value]
    if isinstance(value, float):
        return float(value).hex() if not math.isnan(value) else "nan"
    assert value is None or isinstance(value, str | int | np.generic), type(value)
    return value


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


def test_the_table_has_every_public_name(paths):
    assert set(table(paths)) == NAMES


# 12 queries, and judgments below 0 as a judge's grades
KNOWN_WARNINGS = pytest.mark.filterwarnings(
    "ignore::irbounds.warnings.FewQueriesWarning",
    "ignore::irbounds.warnings.FewUnitsWarning",
    "ignore:.*the judge's grades are below 0:irbounds.warnings.AssistedWarning",
)


@pytest.mark.long
@KNOWN_WARNINGS
@pytest.mark.parametrize("name", sorted(NAMES))
def test_threads_get_what_one_thread_gets(name, paths, brief_turns):
    make, use = table(paths)[name]
    alone = frozen(use(make()))
    shared = make()
    for result in in_threads([lambda: frozen(use(shared))] * N_THREADS):
        assert result == alone


@pytest.mark.nightly
@pytest.mark.long
@KNOWN_WARNINGS
def test_all_functions_at_a_time(paths, brief_turns):
    calls = [(make(), use) for make, use in table(paths).values()]
    alone = [frozen(use(shared)) for shared, use in calls]

    def all_from(first):
        order = [*range(first, len(calls)), *range(first)]
        return all(frozen(calls[i][1](calls[i][0])) == alone[i] for i in order)

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
