"""Tables and docstrings have the coverage that the page of measured coverage shows."""

import csv
import math
from pathlib import Path

import pytest

import irbounds as irb
from irbounds.samples.intervals.table import AVERAGE, BELOW, EVERY, INTERVAL_METHODS, usual_method
from irbounds.samples.one_proportion.table import PROPORTION_METHODS

PAGE = Path(__file__).parents[2] / "benchmarks" / "results" / "coverage.tsv"
pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="needs the source tree")
LEVEL, ROUNDED = 0.95, 1e-4  # the page has four decimals
KINDS = ("tiny", "uneven", "retrieved", "contrast", "audited")  # of simulated designs
DRAWN = "yields drawn"
POSTERIORS = ("betabinom-uniform", "betabinom-mcp", "beta-jeffreys")


def rows(**wanted):
    with PAGE.open(encoding="utf-8") as file:
        found = [
            row
            for row in csv.DictReader(file, delimiter="\t")
            if all(row[name] == value for name, value in wanted.items())
        ]
    assert found, wanted
    return found


@pytest.mark.parametrize(
    "name",
    [name for name in INTERVAL_METHODS if not name.endswith("per-stratum")],
)
def test_how_often_a_method_covers(name):
    found = rows(measure="recall", method=name, side="two-sided", how="exact")
    assert len(found) >= 5
    means = [float(row["mean"]) for row in found]
    expected = (
        EVERY
        if min(float(row["least"]) for row in found) >= LEVEL - ROUNDED
        else (AVERAGE if min(means) >= 0.94 else BELOW)
    )
    assert INTERVAL_METHODS[name].covers == expected


def test_guaranteed_never_covers_less():
    found = rows(method="guaranteed", how="exact")
    assert {row["measure"] for row in found} == {"recall", "precision", "F", "yield", "elusion"}
    assert {row["side"] for row in found} == {"two-sided", "lower", "upper"}
    assert min(float(row["least"]) for row in found) >= LEVEL - ROUNDED
    assert usual_method("lower") == usual_method("upper") == "guaranteed"


def drawn_ten_thousand_times():
    """{(design, measure): coverage} of the table of topics that 1,000 redraws show as low."""
    lines = PAGE.with_name("stratified_priors.md").read_text("utf-8").splitlines()
    start = lines.index("| design | recall | F | yield | elusion |")
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:]]
    return {
        (row[0], measure): float(value)
        for row in table[2 : table.index([""], 2)]
        for measure, value in zip(table[0][1:], row[1:], strict=True)
    }


def test_default_intervals_of_strata_cover_on_average():
    usual = usual_method("two-sided")
    for design in ("all of TREC 2009", "all of made strata"):
        for measure in ("recall", "F", "yield", "elusion"):
            (row,) = rows(measure=measure, method=usual, side="two-sided", design=design)
            assert 0.94 <= float(row["mean"]) <= 0.97


def test_no_design_with_strata_covers_less_than_92_percent():
    """By 1,000 redraws, or, where these show less, whose standard error is .008, by 10,000.

    Strata with few sampled documents each do: the next test."""
    again = drawn_ten_thousand_times()
    assert min(again.values()) >= 0.92
    low = [
        (row["design"], measure)
        for measure in ("recall", "F", "yield", "elusion")
        for row in rows(measure=measure, method=usual_method("two-sided"), side="two-sided")
        if row["how"].startswith("simulated")
        and not row["design"].startswith(("all of", *KINDS))
        and not row["design"].endswith(DRAWN)
        and float(row["least"]) < 0.92
    ]
    assert set(low) <= set(again)


def test_topics_whose_yields_are_drawn_cover_at_least_92_percent():
    """On average over the systems of a topic: one system's has a standard error of .009."""
    means = [
        float(row["mean"])
        for measure in ("recall", "F", "yield", "elusion")
        for row in rows(measure=measure, method=usual_method("two-sided"), side="two-sided")
        if row["design"].endswith(DRAWN)
    ]
    assert len(means) == 7 * 4
    assert min(means) >= 0.92
    assert 0.94 <= sum(means) / len(means) <= 0.97


def promises():
    return " ".join((PAGE.parents[2] / "docs" / "promises.md").read_text("utf-8").split())


def least_of(kind, measures=("recall", "F", "yield", "elusion"), sides=("two-sided",), **wanted):
    """The least coverage of each design of a kind, over measures and sides."""
    least = {}
    for row in rows(**{"method": "betabinom-half"} | wanted):
        is_asked = row["measure"] in measures and row["side"] in sides
        if is_asked and row["design"].startswith(f"{kind}:"):
            least[row["design"]] = min(float(row["least"]), least.get(row["design"], 1))
    return least


def whole_percent(share):
    """Rounded down: the pages say that it is at least so much."""
    return f"{math.floor(100 * share + 1e-9)} %"


def percent(shares):
    return whole_percent(min(shares.values()))


def test_small_samples_and_uneven_strata():
    text, bounds = promises(), {"sides": ("lower", "upper")}
    small, uneven = least_of("tiny"), least_of("uneven")
    assert f"in {len(small)} designs of 10 to 60 strata" in text
    assert f"F, the yield and elusion in at least {percent(small)}." in text
    assert f"In {len(uneven)} designs whose sampled documents" in text
    lower = percent(least_of("uneven", **bounds))
    assert f"in at least {percent(uneven)}. One-sided bounds covered in {lower} of" in text
    designs = {
        row["design"]: float(row["least"])
        for row in rows(measure="recall", method="betabinom-half", side="two-sided")
        if row["how"].startswith("simulated")
        and not row["design"].startswith(("all of", "control"))
        and not row["design"].endswith(DRAWN)  # the same designs as at the estimated yields
    }
    said = " ".join(irb.recall_interval.__doc__.split())
    assert (
        f"recall in {math.floor(100 * min(designs.values()) + 1e-9) / 100:.2f} or more of the "
        f"simulated reviews of each of {len(designs)} designs"
    ) in said


def test_strata_of_the_retrieved_contrasts_and_audits():
    text, retrieved = promises(), least_of("retrieved")
    assert f"in {len(retrieved)} designs with strata among the retrieved" in text
    assert (
        f"recall, F, the yield and elusion in at least {percent(retrieved)}, and precision in "
        f"{percent(least_of('retrieved', ['precision']))}."
    ) in text
    pairs = "contrast: 100 of 2, 1 sampled, one of each relevant"
    contrast = {
        measure: min(
            share for name, share in least_of("contrast", [measure]).items() if name != pairs
        )
        for measure in ("recall", "elusion", "precision")
    }
    said = ", ".join(f"{name} in {whole_percent(share)}" for name, share in contrast.items())
    assert f"it covered {said} or more" in text
    recall, elusion = (
        whole_percent(least_of("contrast", [name])[pairs]) for name in ("recall", "elusion")
    )
    assert f"each sampled, it covered recall in {recall} and elusion in {elusion}." in text
    audited = least_of("audited", ["recall", "yield"])
    assert f"In {len(audited)} designs of `Audited` segments beside strata" in text
    assert f"recall and the yield in at least {percent(audited)}" in text


def test_other_posteriors_of_strata():
    text = promises()
    least = {
        method: min(
            share
            for kind in ("tiny", "uneven", "retrieved")
            for share in least_of(kind, ["recall"], method=method).values()
        )
        for method in (*POSTERIORS, "beta-jeffreys, infinite population")
    }
    designs = sum(len(least_of(kind)) for kind in ("tiny", "uneven", "retrieved"))
    assert f"in these {designs} designs without `Audited` segments" in text
    assert f"`beta-jeffreys` covered recall in at least {percent(least)}" in text


def test_the_promises_have_the_least_of_the_page():
    text = " ".join((PAGE.parents[2] / "docs" / "promises.md").read_text("utf-8").split())

    def least(measure, side):
        found = rows(measure=measure, method="betabinom-half", how="exact")
        chosen = [row for row in found if (row["side"] == "two-sided") == (side == "two-sided")]
        return whole_percent(min(float(row["least"]) for row in chosen))

    two_sided = [
        least(name, "two-sided") for name in ("precision", "elusion", "recall", "yield", "F")
    ]
    assert (
        "precision in at least {}, elusion in {}, recall in {}, the yield in {} and F in {}".format(
            *two_sided
        )
        in text
    )
    one_sided = [least(name, "one-sided") for name in ("recall", "yield", "F")]
    assert "recall in {}, the yield in {}, F in {}".format(*one_sided) in text
    found = [
        rows(measure=name, method="betabinom-half", side="two-sided", how="exact")
        for name in ("recall", "F", "yield", "elusion")
    ]
    means = [float(row["mean"]) for measure in found for row in measure]
    assert f"in {100 * min(means):.0f} % to {100 * max(means):.0f} % of the reviews" in text


def test_recall_interval_says_the_least_of_the_page():
    found = rows(measure="recall", method="betabinom-half", how="exact")
    said = " ".join(irb.recall_interval.__doc__.split())
    for words, is_two_sided in (("at 0.95 recall in {:.2f}", True), ("{:.2f} there", False)):
        chosen = [row for row in found if (row["side"] == "two-sided") == is_two_sided]
        assert words.format(min(float(row["least"]) for row in chosen)) in said


@pytest.mark.parametrize("name", list(PROPORTION_METHODS))
def test_shares(name):
    never_less = all(
        float(row["least"]) >= LEVEL - ROUNDED for row in rows(measure="share", method=name)
    )
    assert never_less == ("never covers less" in PROPORTION_METHODS[name].note)
