"""A statement for each public function and class that computes, small and large: what `builds.py`
times.

A new function is one line: its name, and a statement in which `{size}` becomes "few" or "many", or
two statements, of a small and of a large size.  They may use the names that SETUP makes.
"""

from __future__ import annotations

SETUP = """
import datetime, pathlib, tempfile, warnings
import numpy as np
import irbounds as irb

warnings.simplefilter("ignore")
rng = np.random.default_rng(1)
runs, qrels, evaluations, history, judges, human, rows, orderings = ({} for _ in range(8))
for size, n_queries, n_docs in (("few", 20, 50), ("many", 200, 500)):
    docs = [f"d{i}" for i in range(n_docs)]
    queries = [f"q{i}" for i in range(n_queries)]
    runs[size] = {
        name: {query: dict(zip(docs, rng.random(n_docs).tolist())) for query in queries}
        for name in ("old", "new")
    }
    grades = {query: rng.integers(0, 3, n_docs).tolist() for query in queries}
    judges[size] = {query: dict(zip(docs, grades[query])) for query in queries}
    qrels[size] = {query: dict(zip(docs[::4], grades[query][::4])) for query in queries}
    ranked = {q: sorted(own, key=own.get)[-5:] for q, own in runs[size]["old"].items()}
    human[size] = {q: {doc: judges[size][q][doc] for doc in ranked[q]} for q in queries[:10]}
    evaluations[size] = {
        name: irb.evaluate(qrels[size], run, "AP RR") for name, run in runs[size].items()
    }
    times = [datetime.datetime(2026, 1, day) for day in (1, 2)]
    entries = zip(times, "ab", evaluations[size].values())
    history[size] = irb.History(tuple(irb.rankings.HistoryEntry(*entry) for entry in entries))
    n = n_queries * n_docs
    rows[size] = (rng.random(n), rng.integers(-1, 3, n), np.repeat(np.arange(n_queries), n_docs))
    orderings[size] = irb.rankings.WeakOrdering([3, 2, 5] * n_queries, [10, 40, 200] * n_queries)
labels = {"few": [1, 0, 1, 0, 0] * 20, "many": [1, 0, 1, 0, 0] * 2000}
values = {"few": rng.random(20), "many": rng.random((1000, 10))}
scores = {
    size: {f"s{i}": dict(enumerate(rng.random(units).tolist())) for i in range(systems)}
    for size, systems, units in (("few", 3, 20), ("many", 40, 40))
}
found = {"few": np.arange(10), "many": np.arange(10_000)}
truth = {size: rng.integers(0, 2, (3, n)).tolist() for size, n in (("few", 100), ("many", 10**5))}
counts = {
    "few": ((10, 10, 5), (3, 2, 3)),
    "many": ((10**6, 10**5, 200_000), (10**6, 10**5, 199_000)),
}
posts = {size: [irb.CountsPosterior(*each) for each in pair] for size, pair in counts.items()}
designs = {
    "few": ((500, 50, 40), (2000, 100, 3)),
    "many": ((500_000, 1000, 600), (45_000_000, 3000, 6)),
}
strata = {size: [designs[size][1]] * n for size, n in (("few", 2), ("many", 20))}
reviews = {
    "few": irb.AssumedReview(2000, 300, recall=0.7, precision=0.5),
    "many": irb.AssumedReview(100_000, 10_000, recall=0.75, precision=0.5),
}
score_folder = pathlib.Path(tempfile.mkdtemp())
score_tables = {size: score_folder / f"{size}.csv" for size in scores}
for size, path in score_tables.items():
    lines = [f"{s},{unit},{x!r}" for s, own in scores[size].items() for unit, x in own.items()]
    path.write_text("\\n".join(["system,unit,score", *lines]) + "\\n")
matrix = {"few": rng.random((5, 10)), "many": rng.random((50, 2000))}


def monitored(monitor, *found):
    monitor.update(*found)
    return monitor.interval


probabilities = {"few": ([0.1] * 4, [0.05] * 3), "many": ([0.1] * 400, [0.05] * 30)}
"""
REVIEW = "*designs['{size}']"
RUNS = "qrels['{size}'], runs['{size}']"
DRAWN = "samples=20, rng=1, progress=False"
LABELLED = "human['{size}'], judges['{size}'], runs['{size}']['old'], 'P@5'"
HYPERGEOMETRIC = "irb.chance.hypergeometric_{name}(found['{size}'], 10**6, 50_000, 100_000)"
POINTS = "(.6, .5, .03, .75)", "(np.full(10**5, .6), .5, .03, .75)"


STATEMENTS: dict[str, str | tuple[str, str]] = {
    "evaluate": "irb.evaluate(qrels['{size}'], runs['{size}']['old'], 'AP nDCG@10 P@10 RR')",
    "rank_measures": "irb.rank_measures(*rows['{size}'][:2], 'AP nDCG', groups=rows['{size}'][2])",
    "measures": ("irb.measures()", "irb.measures()"),
    "define_measure": "irb.define_measure('own', lambda g, n: g[:2].sum(), aggregate='mean')",
    "pool": "irb.rankings.pool(runs['{size}'], 10)",
    "recall_precision_graph": (
        "irb.rankings.recall_precision_graph(qrels['{size}'], runs['{size}']['old'])"
    ),
    "compare_rankings": (
        "irb.rankings.compare_rankings(*list(runs['{size}'].values())[:2], 'Overlap@10 RBO(p=0.9)')"
    ),
    "mean_graph": "irb.rankings.mean_graph([orderings['{size}']] * 2)",
    "extrapolate_run": (
        "irb.extrapolation.extrapolate_run("
        "qrels['{size}'], runs['{size}']['old'], .5, collection_size=10**5)"
    ),
    "compare": f"irb.compare({RUNS}, 'AP')",
    "compare_evaluations": "irb.comparison.compare_evaluations(evaluations['{size}'], test='t')",
    "leaderboard_correlation": (
        "irb.comparison.leaderboard_correlation("
        "evaluations['{size}'], evaluations['{size}'], measure='AP')"
    ),
    "compare_scores": "irb.comparison.compare_scores(scores['{size}'], draws=1000)",
    "gate": "irb.gate(qrels['{size}'], *runs['{size}'].values(), 'AP')",
    "gate_evaluations": "irb.comparison.gate_evaluations(*evaluations['{size}'].values())",
    "next_judgments": f"irb.next_judgments({RUNS}, 'P@10')",
    "mean_interval": "irb.mean_interval(values['{size}'])",
    "queries_needed": ("irb.queries_needed(.1, .4)", "irb.queries_needed(.001, .4)"),
    "comparison_power": (
        "irb.queries.comparison_power(30, .1, .4)",
        "irb.queries.comparison_power(3000, .01, .4)",
    ),
    "detectable_difference": (
        "irb.queries.detectable_difference(30, .4)",
        "irb.queries.detectable_difference(3000, .4)",
    ),
    "recall_interval": f"irb.recall_interval({REVIEW})",
    "precision_interval": f"irb.precision_interval({REVIEW})",
    "elusion_interval": "irb.samples.elusion_interval(designs['{size}'][1])",
    "yield_interval": f"irb.yield_interval({REVIEW})",
    "f_interval": f"irb.f_interval({REVIEW})",
    "recall_estimate": f"irb.samples.recall_estimate({REVIEW})",
    "recall_posterior": f"irb.recall_posterior({REVIEW}).quantile(.1)",
    "recall_estimator_distribution": (
        "irb.samples.recall_estimator_distribution((200, 20, 50), (900, 30, 40))",
        "irb.samples.recall_estimator_distribution((20000, 200, 5000), (90000, 300, 4000))",
    ),
    "recall_interval_from_sample": (
        "irb.recall_interval_from_sample(None, None, 1000, found['few'] + 20, 5)"
    ),
    "weighted_recall_interval": "irb.samples.weighted_recall_interval(*probabilities['{size}'])",
    "cluster_proportion_interval": (
        "irb.samples.cluster_proportion_interval([0, 2, 3, 0] * 9, [1, 2, 5, 3] * 9)",
        "irb.samples.cluster_proportion_interval([0, 2, 3, 0] * 999, [1, 2, 5, 3] * 999)",
    ),
    "cluster_recall_interval": (
        "irb.samples.cluster_recall_interval((9**6, [2, 3] * 9, [0, 3] * 9), (9, [5, 1], [0, 1]))",
        "irb.samples.cluster_recall_interval((9**6, [2, 3] * 999, [0, 3] * 999), (9, [5], [0]))",
    ),
    "guaranteed_test": "irb.samples.guaranteed_test((500, 50, 40), [(900, 90, 2), (5000, 100, 1)])",
    "loose_bound_note": (
        "irb.samples.loose_bound_note((500, 50, 40), [(900, 90, 2), (5000, 100, 1)])"
    ),
    "pass_at_k": "irb.queries.pass_at_k(10_000, found['{size}'], 5)",
    "pass_hat_k": "irb.queries.pass_hat_k(10_000, found['{size}'], 5)",
    "repeated_interval": "irb.queries.repeated_interval(values['{size}'].reshape(-1, 2))",
    "read_scores": "irb.rankings.read_scores(score_tables['{size}'])",
    "concat": "irb.rankings.concat([evaluations['{size}']['old']])",
    "prior_sensitivity": f"irb.samples.prior_sensitivity({REVIEW}, target=.5)",
    "most_conservative_prior": (
        "irb.samples.most_conservative_prior(2000, 100)",
        "irb.samples.most_conservative_prior(45_000_000, 3000)",
    ),
    "binomial_interval": "irb.binomial_interval(found['{size}'], 10_000)",
    "binomial_ratio_interval": "irb.samples.binomial_ratio_interval(found['few'] + 1, 50, 3, 100)",
    "binomial_difference_interval": (
        "irb.samples.binomial_difference_interval(found['few'] + 1, 50, 3, 100)"
    ),
    "prevalence_interval": (
        "irb.samples.prevalence_interval(51, 509, (23, 41), (187, 195))",
        "irb.samples.prevalence_interval(5100, 50900, (2300, 4100), (18700, 19500))",
    ),
    "allocate": "irb.planning.allocate(reviews['{size}'], 60)",
    "expected_width": "irb.planning.expected_width(reviews['{size}'], 30, 60)",
    "sample_size": "irb.sample_size(reviews['{size}'], width=.4)",
    "proportion_sample_size": (
        "irb.planning.proportion_sample_size(.05, size=1000)",
        "irb.planning.proportion_sample_size(.005, size=10**6)",
    ),
    "acceptance_samples": (
        "irb.planning.acceptance_samples(.05, size=1000)",
        "irb.planning.acceptance_samples(.01, expected=.005, size=10**6)",
    ),
    "least_sample": (
        "irb.planning.least_sample(1000, 200, .75)",
        "irb.planning.least_sample(10**5, 10**4, .75)",
    ),
    "coverage": (
        f"irb.coverage('small', 'normal-mle', realisations=3, {DRAWN})",
        f"irb.coverage('small', 'betabinom-half', realisations=20, {DRAWN})",
    ),
    "simulate_stopping": (
        "irb.planning.simulate_stopping("
        "reviews['{size}'], 30, 60, looks=3, target=.5, reviews=100, rng=1)"
    ),
    "stopping_curve": "irb.stopping_curve(labels['{size}'], 20_000)",
    "control_curve": (
        "irb.stopping.control_curve(range(1, 9), 9)",
        "irb.stopping.control_curve(range(1, 900), 900)",
    ),
    "control_plan": ("irb.stopping.control_plan()", "irb.stopping.control_plan(.95)"),
    "certifying_rank": ("irb.stopping.certifying_rank(30)", "irb.stopping.certifying_rank(3000)"),
    "simulate_review": (
        "irb.stopping.simulate_review(50, 5, reviews=3, rng=1)",
        "irb.stopping.simulate_review(2000, 50, reviews=20, rng=1)",
    ),
    "read_labels": "irb.read_labels(folder + '/labels.{size}')",
    "prob_superior": "irb.prob_superior(*posts['{size}']).probability",
    "macro_average": "irb.counts.macro_average(posts['{size}'])",
    "micro_average": "irb.counts.micro_average(posts['{size}']).f().mean",
    "paired_comparison": (
        "irb.counts.paired_comparison(17, 4, 100).probability",
        "irb.counts.paired_comparison(found['many'], 40, 100).probability",
    ),
    "paired_comparison_from_labels": "irb.counts.paired_comparison_from_labels(*truth['{size}'])",
    "competition": "irb.chance.competition(matrix['{size}'], 1)",
    "probability_of_correct_selection": (
        "irb.chance.probability_of_correct_selection(20, 3, 1.5)",
        "irb.chance.probability_of_correct_selection(200, 10, 1.5)",
    ),
    "random_beta": (
        "irb.distributions.random_beta(.5, 2.5, 100, rng=1)",
        "irb.distributions.random_beta(10.5, 90.5, 10**5, rng=1)",
    ),
    **{
        f"hypergeometric_{name}": HYPERGEOMETRIC.replace("{name}", name)
        for name in ("pmf", "cdf", "sf", "tail", "logpmf", "logcdf", "logsf", "logtail")
    },
    "hypergeometric_curve": "irb.chance.hypergeometric_curve(labels['{size}'], 10**6, 10**5)",
    "extrapolate_precision": tuple(
        f"irb.extrapolation.extrapolate_precision{each}" for each in POINTS
    ),
    "extrapolated_precision_interval": (
        f"irb.extrapolation.extrapolated_precision_interval({REVIEW}, .75)"
    ),
    "documents_to_review": tuple(
        f"irb.extrapolation.documents_to_review(10**6, .03, {x}, .5)"
        for x in (".75", "np.full(10**5, .7)")
    ),
    "documents_to_review_interval": (
        f"irb.extrapolation.documents_to_review_interval({REVIEW}, .75)"
    ),
    "cost": (
        "irb.extrapolation.cost(10**6, .03, .75, .5)",
        "irb.extrapolation.cost(10**6, .03, np.full(10**5, .7), .5)",
    ),
    "cost_interval": f"irb.extrapolation.cost_interval({REVIEW}, .75)",
    "f_score": (
        "irb.extrapolation.f_score(.7, .5)",
        "irb.extrapolation.f_score(np.full(10**5, .7), .5)",
    ),
    "allocate_labels": (
        "irb.allocate_labels(judges['{size}'], runs['{size}']['old'], 'P@5', n=9, rng=1)"
    ),
    "agreement": (
        "irb.assisted.agreement(human['{size}'], judges['{size}'], runs=runs['{size}']['old'])"
    ),
    "assisted_interval": f"irb.assisted_interval({LABELLED})",
    "report_runs": f"irb.report_runs({RUNS}, 'AP', date='2026-01-31')",
    "report_recall": f"irb.report_recall({REVIEW}, date='2026-01-31')",
    "report_review": "irb.report_review(labels['{size}'], 20_000, date='2026-01-31')",
    "report_history": "irb.report_history(history['{size}'], date='2026-01-31')",
    "report_assist": f"irb.report_assist({LABELLED}, date='2026-01-31')",
}
# Classes that compute, by the methods that take longest.
CLASSES: dict[str, str | tuple[str, str]] = {
    "CountsPosterior.interval": "posts['{size}'][0].f().interval(.95)",
    "ConfusionPosterior.f": (
        "irb.counts.ConfusionPosterior("
        "np.diag(found['few'][:3] + len(found['{size}']))).f('macro').interval(.95)"
    ),
    "ConfusionPosterior.from_labels": (
        "irb.counts.ConfusionPosterior.from_labels(*truth['{size}'][:2]).accuracy().mean"
    ),
    "PairedConfusion.difference_interval": (
        "irb.counts.PairedConfusion.from_labels(*truth['{size}']).difference_interval('f')"
    ),
    "PairedCounts.difference_interval": (
        "irb.PairedCounts.from_labels(*truth['{size}']).difference_interval('accuracy')"
    ),
    "PairedCounts.prob_superior": (
        "irb.PairedCounts.from_labels(*truth['{size}']).prob_superior('accuracy').probability"
    ),
    "Evaluator.evaluate": (
        "irb.Evaluator(qrels['{size}'], 'AP nDCG').evaluate(runs['{size}']['old'])"
    ),
    "Evaluation.to_metrics": "evaluations['{size}']['old'].to_metrics(.95)",
    "Run.from_dict": "irb.Run.from_dict(runs['{size}']['old'])",
    "SampleMonitor.interval": (
        "monitored(irb.SampleMonitor(500, 2000, looks=2), (25, 19), (50, 1))",
        "monitored(irb.SampleMonitor(10**5, 10**6, looks=2), (250, 190), (500, 10))",
    ),
    "ReviewMonitor.update": "irb.stopping.ReviewMonitor(20_000).update(labels['{size}'])",
}
# Larger input, and other engines of the same functions.
MORE: dict[str, str] = {
    "evaluate, files of 10^6 rows": "irb.evaluate(folder + '/qrels', folder + '/run', 'AP')",
    "recall_interval, 20 strata": "irb.recall_interval(designs['many'][0], strata['many'])",
    "recall_interval, koopman": "irb.recall_interval(*designs['many'], method='koopman')",
    "recall_interval, guaranteed": "irb.recall_interval(*designs['many'], method='guaranteed')",
    "recall_interval, normal": "irb.recall_interval(*designs['many'], method='normal-laplace')",
    "prob_superior, F_2": "irb.prob_superior(*posts['few'], beta=2).probability",
    "F_2's interval": "posts['few'][0].f(2).ppf(.025)",
    "mean_interval, bca": "irb.mean_interval(values['few'], method='bca')",
}
