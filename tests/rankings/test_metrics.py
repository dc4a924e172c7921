"""Names and numbers for trackers of experiments."""

import re

import pytest

import irbounds as irb

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 1}, "q2": {"d1": 1}}
RUN = {"q1": {"d1": 0.7, "d2": 0.7, "d3": 0.4}, "q2": {"d2": 0.9, "d1": 0.8}}
# what Weights & Biases takes; MLflow takes these and more
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def evaluation(measures="AP nDCG@10 IPrec@0.1 P(rel=1)@3 NumRet"):
    return irb.evaluate(QRELS, RUN, measures, bounds=True)


def test_every_measure_has_a_name_of_its_own_that_trackers_take():
    names = ["AP", "nDCG@10", "IPrec@0.1", "P@3", "P(rel=1)@2", "ERR@20", "RBP(p=0.5)"]
    found = irb.evaluate(QRELS, RUN, names).to_metrics()
    assert len(found) == len(names)
    assert all(NAME.fullmatch(name) for name in found)
    assert found["nDCG_at_10"] == irb.evaluate(QRELS, RUN, "nDCG@10").mean["nDCG@10"]


def test_bounds_and_intervals_are_logged_when_they_are_asked_for():
    ev = evaluation()
    low, high = ev.mean_bounds["AP"]
    assert ev.to_metrics()["AP_ties_low"] == low
    found = ev.to_metrics(confidence_level=0.9)
    interval = ev.interval("AP", confidence_level=0.9)
    assert (found["AP_ties_high"], found["AP_interval_low"]) == (high, interval.low)
    assert "NumRet_interval_low" not in found
    assert "AP_ties_low" not in irb.evaluate(QRELS, RUN, "AP").to_metrics()


@pytest.mark.filterwarnings("ignore")
def test_mlflow_takes_them(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    client = mlflow.MlflowClient(tmp_path.as_uri())
    run = client.create_run(client.create_experiment("search"))
    found = evaluation().to_metrics(0.95)
    for name, value in found.items():
        client.log_metric(run.info.run_id, name, value)
    assert client.get_run(run.info.run_id).data.metrics == found
