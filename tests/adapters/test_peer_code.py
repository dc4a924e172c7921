"""The evaluation code of libraries that import pytrec_eval, with the drop-in in its place.

`pip install --no-deps beir mteb repro_eval` brings them without torch: of BEIR and MTEB the modules
that evaluate are imported, without the packages around them.
"""

import copy
import importlib
import random
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

import pytest

from irbounds.adapters import pytrec_eval as ours

pytestmark = pytest.mark.long  # as most of them come after the quick suite
CUTOFFS = [1, 3, 5, 10]


@pytest.fixture
def module_of(monkeypatch):
    """A function that imports a module without running the `__init__` of its packages."""

    def load(name):
        *parents, _ = name.split(".")
        found = PathFinder.find_spec(parents[0])
        if found is None or found.origin is None:
            pytest.skip(f"{parents[0]} is not installed")
        folder = Path(found.origin).parent
        for n in range(1, len(parents) + 1):
            package = ".".join(parents[:n])
            if package not in sys.modules:
                bare = ModuleType(package)
                bare.__path__ = [str(folder.joinpath(*parents[1:n]))]
                monkeypatch.setitem(sys.modules, package, bare)
        module = importlib.import_module(name)
        monkeypatch.setitem(sys.modules, name, module)  # which forgets it after the test
        return module

    return load


@pytest.fixture
def data():
    """Graded judgments and rankings with ties; queries that are documents, too."""
    rng = random.Random(47)
    ids = [f"{kind}{i}" for i in range(15) for kind in ("d", "q")]
    qrels = {f"q{i}": {doc: rng.randint(0, 3) for doc in rng.sample(ids, 9)} for i in range(12)}
    for grades in qrels.values():
        grades[rng.choice(list(grades))] = 1  # BEIR divides by the number of relevant documents
    run = {query: {doc: rng.randint(1, 9) / 8 for doc in rng.sample(ids, 20)} for query in qrels}
    return qrels, run


def on_both(function, *arguments):
    """The results with pytrec_eval and with the drop-in; libraries may change their arguments."""
    theirs = function(*copy.deepcopy(arguments))
    ours.install()
    try:
        return theirs, function(*copy.deepcopy(arguments))
    finally:
        ours.uninstall()


@pytest.mark.parametrize("keeps_self", [False, True])
def test_beir(module_of, data, keeps_self):
    beir = module_of("beir.retrieval.evaluation")
    theirs, found = on_both(beir.EvaluateRetrieval.evaluate, *data, CUTOFFS, not keeps_self)
    for one, other in zip(theirs, found, strict=True):
        assert other == pytest.approx(one, abs=1.01e-5)  # it rounds to five digits
    assert 0 < found[0]["NDCG@10"] < 1
    for metric in ("mrr", "recall_cap", "hole", "acc"):
        one, other = on_both(beir.EvaluateRetrieval.evaluate_custom, *data, CUTOFFS, metric)
        assert one == other


@pytest.mark.parametrize("skips_first", [False, True])
def test_mteb(module_of, data, skips_first):
    results = module_of("mteb.types._result")
    sys.modules["mteb.types"].RetrievalEvaluationResult = results.RetrievalEvaluationResult
    mteb = module_of("mteb._evaluators.retrieval_metrics")
    qrels, run = data
    scores = mteb.calculate_retrieval_scores
    theirs, found = on_both(scores, run, qrels, CUTOFFS, skips_first)
    assert found.all_scores.keys() == theirs.all_scores.keys() == run.keys()
    for query, values in theirs.all_scores.items():
        assert found.all_scores[query] == pytest.approx(values, abs=1e-12)
    for name in ("ndcg", "map", "recall", "precision", "mrr", "hit_rate", "naucs", "naucs_mrr"):
        wanted = getattr(theirs, name)
        assert getattr(found, name) == pytest.approx(wanted, abs=1.01e-5, nan_ok=True), name
    # Sub-queries of one query, which share its judgments.
    parts = {f"q{i}_{part}": run[f"q{2 * i + part}"] for i in range(6) for part in range(2)}
    shared = {name: qrels[name.split("_")[0]] for name in parts}
    one, other = on_both(mteb.max_over_subqueries, shared, parts, CUTOFFS)
    assert other == pytest.approx(one, abs=1.01e-5, nan_ok=True)


@pytest.mark.filterwarnings("ignore")  # of names of SciPy that it imports
def test_repro_eval(data, tmp_path):
    repro_eval = pytest.importorskip("repro_eval.Evaluator", exc_type=ImportError)
    rng = random.Random(5)
    qrels, run = data
    rows = [f"{q} 0 {doc} {grade}" for q, grades in qrels.items() for doc, grade in grades.items()]
    (tmp_path / "qrels").write_text("\n".join(rows))
    names = {"qrels_orig_path": str(tmp_path / "qrels")}
    for name in ("run_b_orig", "run_a_orig", "run_b_rep", "run_a_rep"):
        rows = []
        for query, scores in run.items():
            moved = {doc: score + rng.randint(0, 3) / 8 for doc, score in scores.items()}
            ranking = sorted(moved.items(), key=lambda pair: -pair[1])
            rows += [f"{query} Q0 {doc} {i} {x} {name}" for i, (doc, x) in enumerate(ranking, 1)]
        (tmp_path / name).write_text("\n".join(rows))
        names[f"{name}_path"] = str(tmp_path / name)

    def numbers():
        evaluator = repro_eval.RpdEvaluator(**names)
        evaluator.trim()
        evaluator.evaluate()
        found = [evaluator.rmse(), evaluator.er(), evaluator.dri(), evaluator.ttest()]
        return [*found, evaluator.run_b_orig_score, evaluator.run_a_rep_score]

    theirs, found = map(flat, on_both(numbers))
    assert found.keys() == theirs.keys()
    assert len(found) > 100
    assert found == pytest.approx(theirs, rel=1e-9, abs=1e-9, nan_ok=True)


def flat(tree, path=()):
    """The numbers of nested dicts, lists and generators, by their path."""
    if isinstance(tree, float | int):
        return {path: tree}
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    return {key: x for name, part in items for key, x in flat(part, (*path, name)).items()}


SUITE = """
import functools, sys
import pytest, sklearn.metrics.tests.test_ranking as suite
from irbounds.adapters import sklearn as ours

names = [
    "average_precision_score",
    "dcg_score",
    "label_ranking_average_precision_score",
    "ndcg_score",
]
for name in names:
    setattr(suite, name, getattr(ours, name))
suite.average_precision_score = functools.partial(ours.average_precision_score, ties="steps")


class Outcomes:
    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            print("OUTCOME", report.outcome, report.nodeid.rpartition("::")[2])


chosen = "average_precision or dcg or lrap or ranking or precision_recall_curve"
flags = ["-q", "-c", sys.argv[1], "-p", "no:cacheprovider", "-p", "no:xdist", "-k", chosen]
pytest.main([*flags, "--pyargs", suite.__name__], plugins=[Outcomes()])
"""


@pytest.mark.nightly
def test_scikit_learns_own_tests_pass_but_for_ties_in_rankings_of_labels(tmp_path):
    pytest.importorskip("sklearn.metrics.tests.test_ranking")
    (tmp_path / "pytest.ini").write_text("[pytest]")
    command = [sys.executable, "-c", SUITE, str(tmp_path / "pytest.ini")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    found = [line.split(" ", 2)[1:] for line in done.stdout.splitlines() if "OUTCOME" in line]
    failed = [name for outcome, name in found if outcome == "failed"]
    assert len(found) > 50, done.stdout + done.stderr
    assert [name for name in failed if not name.startswith("test_alternative_lrap")] == []
