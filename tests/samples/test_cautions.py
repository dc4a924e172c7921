"""Intervals warn where their prior weighs much, or where they exclude their estimate (issue 15)."""

import warnings

import pytest
from commands import run_cli

import irbounds as irb
from irbounds.samples import elusion_interval
from irbounds.warnings import SampleWarning

READ, UNREAD, LARGE = (100, 2, 1), (1000, 3, 0), (1000, 100, 3)
FUNCTIONS = {
    irb.recall_interval: ("retrieved", "unretrieved"),
    irb.f_interval: ("retrieved", "unretrieved"),
    irb.yield_interval: ("retrieved", "unretrieved"),
    irb.precision_interval: ("retrieved",),
    elusion_interval: ("unretrieved",),
}


@pytest.mark.parametrize("interval_of", FUNCTIONS)
def test_small_samples_are_warned_about_at_the_caller(interval_of):
    with pytest.warns(SampleWarning) as caught:
        interval_of(READ, UNREAD)
    assert [str(warning.message).split(" segment")[0] for warning in caught] == [
        f"the prior weighs more than a quarter as much as the sample of the {name}"
        for name in FUNCTIONS[interval_of]
    ]
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize("interval_of", FUNCTIONS)
@pytest.mark.parametrize("options", [{"method": "guaranteed"}, {"side": "lower"}, {}])
def test_without_a_heavy_prior_nothing_is_said(interval_of, options):
    segments = ((400, 4, 1), LARGE) if not options else (READ, UNREAD)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interval_of(*segments, **options)


def test_a_census_has_no_weighty_prior():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irb.f_interval((2, 2, 1), (3, 3, 0))


def test_estimates_outside_of_their_interval_are_named():
    strata = [(1000, 3, 0)] * 39 + [(1000, 3, 1)]
    for interval_of, segments in (
        (elusion_interval, (strata,)),
        (irb.f_interval, ((100, 50, 40), strata)),
        (irb.yield_interval, ((100, 50, 40), strata)),
    ):
        with pytest.warns(SampleWarning, match="the estimate lies outside its interval"):
            interval_of(*segments, method="betabinom-half-per-stratum")


def test_an_undivided_sample_with_few_relevant_documents():
    with pytest.warns(SampleWarning, match="as the relevant documents in the sample in 1 of 3"):
        irb.recall_interval_from_sample(None, None, 50, [0, 3, 4], [0, 0, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irb.recall_interval_from_sample(None, None, 50, 1, 0, method="guaranteed")
        irb.recall_interval_from_sample(2, 3, 5, 1, 0)


@pytest.mark.usefixtures("empty_pictures")
def test_the_memo_says_so_and_the_command_once(tmp_path):
    page = tmp_path / "memo.html"
    result = run_cli(
        "report", "recall", "--retrieved", "100/2/1", "--unretrieved", "1000/100/3", "-o", page
    )
    assert result.stderr.count("the prior weighs more than a quarter") == 1
    assert "SampleWarning" not in result.stderr
    text = page.read_text(encoding="utf-8")
    assert text.count("<li>The prior weighs more than a quarter") == 1


def test_guaranteed_shares_hold_their_estimate():
    # the estimate 18/19 lies between the possible shares 19/21 and 20/21
    lower = elusion_interval((21, 19, 18), side="lower", confidence_level=0.8)
    assert lower.low == lower.estimate == pytest.approx(18 / 19)
    two = irb.precision_interval([(20, 19, 1)], method="guaranteed", confidence_level=0.5)
    assert two.low <= two.estimate <= two.high


def test_f_at_every_look_names_the_way_out():
    for beta in (0.0, 1.0):
        with pytest.raises(
            irb.InputError, match=r"ends of precision_interval and elusion_interval"
        ):
            irb.f_interval(READ, LARGE, beta=beta, method="anytime")
    with pytest.raises(irb.InputError, match="`method` must be one of"):
        irb.yield_interval(READ, LARGE, method="koopman")
