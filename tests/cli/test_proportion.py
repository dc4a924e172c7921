"""`irbounds proportion` and `irbounds plan-proportion`."""

import json
import re

import pytest
from commands import assert_refused, run_cli

import irbounds as irb


def test_a_share_and_its_documents():
    (row,) = json.loads(
        run_cli("proportion", "12/1500", "--population", "90000", "-f", "json").stdout
    )
    interval = irb.binomial_interval(12, 1500, size=90_000)
    assert (row["low"], row["high"]) == (interval.low, interval.high)
    assert (row["documents"], row["documents_high"]) == (720, 1249)
    assert row["documents_high"] == pytest.approx(90_000 * interval.high)
    shown = run_cli("proportion", "12/1500", "--population", "90000").stdout
    assert "720   376   1249" in shown
    assert "covers at least its level" in shown


@pytest.mark.parametrize(
    ("method", "keeps"), [("blaker", True), ("mid-p", False), ("wilson", False)]
)
def test_only_methods_that_keep_their_level_say_so(method, keeps):
    shown = run_cli("proportion", "3/20", "--population", "90", "--method", method).stdout
    assert ("covers at least its level" in shown) is keeps


def test_several_hold_together():
    rows = json.loads(
        run_cli("proportion", "a=7/500", "b=31/500", "--simultaneous", "-f", "json").stdout
    )
    assert [row["sample"] for row in rows] == ["a", "b"]
    one = irb.binomial_interval(31, 500, confidence_level=0.975)
    assert rows[1]["low"] == pytest.approx(one.low, rel=1e-12)


def test_differences():
    (row,) = json.loads(
        run_cli("proportion", "56/70", "48/80", "--difference", "-f", "json").stdout
    )
    assert (row["sample"], row["low"]) == ("56/70 minus 48/80", pytest.approx(0.0524, abs=5e-5))
    assert_refused(run_cli("proportion", "56/70", "--difference"), "two samples")


@pytest.mark.parametrize("text", ["12-1500", "12/1500/3", "a/b", "20/10"])
def test_what_is_no_sample(text):
    assert_refused(run_cli("proportion", text), "sample")


def test_plans():
    (row,) = json.loads(
        run_cli("plan-proportion", "--margin", "0.02", "--expected", "0.1", "-f", "json").stdout
    )
    assert row["sampled"] == irb.planning.proportion_sample_size(0.02, expected=0.1)
    rows = json.loads(
        run_cli("plan-proportion", "--at-most", "0.01", "--expected", "0.003", "-f", "json").stdout
    )
    assert [row["allowed"] for row in rows] == list(range(len(rows)))
    assert rows[0]["sampled"] == 299
    assert_refused(run_cli("plan-proportion"), "give one goal")
    assert_refused(
        run_cli("plan-proportion", "--margin", "0.1", "--power", "0.5"), "--power goes with"
    )


def test_rules_in_stages():
    run = run_cli("plan-proportion", "--stage", "300:0:3", "--stage", "300:2", "-f", "json")
    rule = irb.planning.AcceptanceStages([(300, 0, 3), (300, 2)])
    for row in json.loads(run.stdout):
        assert row["accepted"] == rule.accepts(row["share"])
        assert row["documents"] == rule.documents(row["share"])
    shown = run_cli("plan-proportion", "--stage", "300:0:3", "--stage", "300:2").stdout
    assert "at most 0.01162" in shown
    assert_refused(run_cli("plan-proportion", "--stage", "300:0:x"), "SAMPLED:ACCEPT")
    assert_refused(run_cli("plan-proportion", "--stage", "3:1", "--margin", "0.1"), "one goal")
    assert_refused(run_cli("plan-proportion", "--stage", "3:1", "--power", "0.1"), "--at-most")


def test_clusters_of_a_table(tmp_path):
    path = tmp_path / "documents.csv"
    families = [(1, 0), (2, 2), (3, 0)] * 10
    lines = [
        f"{'' if size == 1 else k},{int(j < found)}"
        for k, (size, found) in enumerate(families)
        for j in range(size)
    ]
    path.write_text("Family ID,relevant\n" + "\n".join(lines) + "\n")
    asked = ("proportion", path, "--cluster", "Family ID", "--population", "900")
    (row,) = json.loads(run_cli(*asked, "-f", "json").stdout)
    sizes, relevant = zip(*families, strict=True)
    interval = irb.samples.cluster_proportion_interval([*relevant], [*sizes], size=900)
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high), rel=1e-12)
    assert (row["clusters"], row["design_effect"]) == (30, pytest.approx(interval.design_effect))
    assert "30 clusters, design effect" in run_cli(*asked).stdout
    assert_refused(run_cli(*asked, "--difference"), "does not take --difference")
    path.write_text("family,relevant\na,2\n")
    assert_refused(
        run_cli("proportion", path, "--cluster", "family"), ":2: relevant must be 0 or 1"
    )


def test_a_column_of_families_is_cautioned(tmp_path):
    path = tmp_path / "found.csv"
    rows = ["retrieved,0.1,a"] * 40 + ["unretrieved,0.05,b"] * 3
    path.write_text("segment,probability,family_id\n" + "\n".join(rows) + "\n")
    done = run_cli("recall", "--weighted", path)
    assert "documents of one family_id are not independent" in " ".join(done.stderr.split())


def test_foot_lines_say_what_was_drawn_and_how_often_methods_cover():
    shown = run_cli("proportion", "a=56/70", "b=48/80", "--difference").stdout
    assert "method newcombe, of two independent simple random samples" in shown
    assert "covers about its level on average over pairs of shares" in shown
    assert "covers about its level on average over shares" in run_cli("proportion", "3/20").stdout
    for same in (("a=56/70", "a=48/80"), ("5/70", "5/70")):
        assert_refused(run_cli("proportion", *same, "--difference"), "different names")


def test_the_method_of_a_planned_sample_is_named():
    plan = ("plan-proportion", "--margin", 0.03)
    assert "method wilson" in run_cli(*plan).stdout
    shown = run_cli(*plan, "--population", 699_082).stdout
    assert "method hypergeometric" in shown
    assert "a little wider than that of wilson" in shown
    for method, size, n in (("wilson", None, 1064), ("hypergeometric", 699_082, 1096)):
        found = irb.binomial_interval(n // 2, n, size=size, method=method)
        assert (found.high - found.low) / 2 <= 0.03


@pytest.mark.parametrize("size", [None, 9000])
def test_a_rule_in_stages_and_a_limit(size):
    """The rule accepts just above the limit with 1 less the confidence, at most."""
    population = () if size is None else ("--population", size)
    shown = run_cli(
        *("plan-proportion", "--stage", "300:0:3", "--stage", "300:2", *population),
        *("--at-most", "1%"),
    ).stdout
    (level,) = re.findall(r"at most 0\.01: ([\d.]+) % confidence", shown)
    rule = irb.planning.AcceptanceStages([(300, 0, 3), (300, 2)], size)
    just_above = 0.01 if size is None else 91 / 9000
    accepted = rule.accepts(just_above)
    assert 0 <= 1 - accepted - float(level) / 100 < 1e-4
    assert rule.excluded_share(float(level) / 100) <= 0.01 + 1e-9
    assert "\n     0.01 " in shown
    done = run_cli("plan-proportion", "--stage", "300:2:3", "--stage", "300:3")
    assert_refused(
        done, "must be 4 or more: with 2 the rule accepts, and with 3 the next stage follows"
    )
