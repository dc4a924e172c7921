"""`irbounds trec-eval` prints what trec_eval 9 computes, which pytrec_eval contains."""

import random
from collections import defaultdict

import numpy as np
import pytest
from commands import assert_refused, run_cli

pytrec_eval = pytest.importorskip("pytrec_eval")
GRADES = (-1, 0, 0, 1, 1, 2, 3)


def ties_and_more(rng):
    """Scores that tie, some of them as 32-bit floats alone."""
    return rng.choice([rng.random(), rng.randint(0, 5), 1 + rng.random() * 1e-8, -1.5, 1e10])


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(8)
    qrels, run = defaultdict(dict), defaultdict(dict)
    documents = [f"d{i}" for i in range(60)]
    for query in ("q1", "Q2", "10", "9", "q10"):
        for document in rng.sample(documents, 30):
            qrels[query][document] = rng.choice(GRADES)
        qrels[query]["d1"] = 3  # relevant, also among few
        for document in {"d1", *rng.sample(documents, 20)} if query != "9" else ():
            run[query][document] = ties_and_more(rng)
    run["unjudged"]["d1"] = 1.0
    lines = [f"{q} 0 {d} {grade}\n" for q, own in qrels.items() for d, grade in own.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    lines = [
        f"{q} Q0 {d} 1 {score!r} the_run\n" for q, own in run.items() for d, score in own.items()
    ]
    rng.shuffle(lines)
    (tmp_path / "run").write_text("".join(lines))
    return dict(qrels), dict(run)


def cut(run, k):
    """The first documents by 32-bit score and descending id."""
    return {
        query: dict(
            sorted(own.items(), key=lambda x: (np.float32(x[1]), x[0].encode()), reverse=True)[:k]
        )
        for query, own in run.items()
    }


def expected(data, names, *, level=1, judged=False, complete=False, most=None, what="qs"):
    """The lines, from pytrec_eval's values."""
    qrels, run = data
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {*names}, relevance_level=level, judged_docs_only_flag=judged
    )
    found = evaluator.evaluate(cut(run, most or 1000))
    queries = sorted(found, key=str.encode)
    labels = list(found[queries[0]])
    lines = [
        f"{label:<22}\t{query}\t{shown(label, found[query][label])}"
        for query in queries
        for label in labels
        if "q" in what and label != "num_q" and not label.startswith("gm_")
    ]
    n_queries = len(qrels if complete else found)
    for label in labels * ("s" in what):
        values = [found[query][label] for query in queries]
        if label.startswith("num_"):
            of_all = sum(values)
        elif label.startswith("gm_"):
            missing = [np.log(1e-5)] * (n_queries - len(values))
            of_all = np.exp(sum([*values, *missing]) / n_queries)
        else:
            of_all = sum(values) / n_queries
        lines.append(f"{label:<22}\tall\t{shown(label, of_all)}")
    return lines


def shown(label, value):
    return f"{value:.0f}" if label.startswith("num_") else f"{value:6.4f}"


CALLS = [
    ([], ["map"], {"what": "s"}),
    (["-q"], ["map", "recip_rank"], {}),
    (["-q", "-n"], ["ndcg"], {"what": "q"}),
    (["-c"], ["map", "gm_map", "P_5", "P_10"], {"complete": True, "what": "s"}),
    (["-qc"], ["bpref", "Rprec"], {"complete": True}),
    (["-l2", "-q"], ["map", "num_rel", "recall_5", "ndcg_cut_10"], {"level": 2}),
    (["-l", "3"], ["recip_rank", "set_F"], {"level": 3, "what": "s"}),
    (["-q", "-M", "4"], ["map", "num_ret", "recall_10"], {"most": 4}),
    (["-M3", "-cq"], ["success_1", "success_5", "infAP"], {"most": 3, "complete": True}),
    (["-J", "-q"], ["map", "num_ret", "set_P", "11pt_avg"], {"judged": True}),
]


@pytest.mark.parametrize(("options", "names", "meaning"), CALLS)
def test_lines_of_pytrec_evals_values(data, options, names, meaning):
    wanted = [word for name in reversed(names) for word in ("-m", name.replace("_1", ".1", 1))]
    wanted = [word.replace("_5", ".5") if word[0] != "-" else word for word in wanted]
    done = run_cli("trec-eval", *options, *wanted, "qrels", "run")
    assert done.returncode == 0, done.stderr
    lines = expected(data, names, **meaning)
    assert sorted(done.stdout.splitlines()) == sorted(lines)
    queries = [line.split("\t")[1] for line in done.stdout.splitlines()]
    assert queries == sorted(queries, key=lambda q: (q == "all", q.encode()))


def test_the_order_is_that_of_trec_eval(data):
    done = run_cli("trec-eval", "-m", "ndcg_cut.10,5", "-m", "P.10,5", "-m", "map", "qrels", "run")
    labels = [line.split()[0] for line in done.stdout.splitlines()]
    assert labels == ["map", "P_5", "P_10", "ndcg_cut_5", "ndcg_cut_10"]
    official = run_cli("trec-eval", "qrels", "run").stdout.splitlines()
    assert official[:2] == [f"{'runid':<22}\tall\tthe_run", f"{'num_q':<22}\tall\t4"]
    assert len(official) == 30


def test_what_is_left_out_is_said(data):
    done = run_cli("trec-eval", "-m", "map", "qrels", "run")
    assert "1 query judged but missing from the run, left out: 9" in done.stderr
    assert "1 query in the run but not judged" in done.stderr
    strings = run_cli("trec-eval", "-q", "-M", "3", "-m", "relstring.20", "qrels", "run").stdout
    assert {len(line.split("\t")[2]) for line in strings.splitlines()} == {5}
    assert_refused(run_cli("trec-eval", "-m", "nothing", "qrels", "run"), "'nothing'")
    assert_refused(run_cli("trec-eval", "-M", "0", "qrels", "run"), "must be a whole number, 1")
    assert_refused(run_cli("trec-eval", "-l", "x", "qrels", "run"), "--level-for-rel must be")
