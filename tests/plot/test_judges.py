"""The picture of a judge's grades, and the numbers behind it."""

import math

import numpy as np
import pytest
from reference.assisted import trend_within

import irbounds as irb
from irbounds.assisted.trend_in_rank import rank_profile

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

DOCS = [f"d{i:02}" for i in range(40)]
JUDGE = {"q": {doc: i % 2 for i, doc in enumerate(DOCS)}}
RUN = {"q": {doc: -i for i, doc in enumerate(DOCS)}}
HUMAN = {"q": {f"d{i:02}": int(i % 2 and i < 20) for i in range(0, 40, 3)}}


def test_a_group_of_ranks_has_its_labels_and_the_interval_of_a_stratum():
    profile = rank_profile(HUMAN, JUDGE, RUN, "P@40")
    assert [(b.grade, b.first, b.last) for b in profile.bins] == [
        (grade, first, last) for grade in (0, 1) for first, last in ((1, 14), (15, 27), (28, 40))
    ]
    for b in profile.bins:
        ranks = [r for r in range(int(b.first), int(b.last) + 1) if (r - 1) % 2 == b.grade]
        labelled = [r for r in ranks if (r - 1) % 3 == 0]
        relevant = sum(HUMAN["q"][f"d{r - 1:02}"] for r in labelled)
        assert (b.size, b.sampled, b.rank) == (len(ranks), len(labelled), np.mean(labelled))
        assert b.mean == relevant / len(labelled)
        expected = irb.precision_interval((b.size, b.sampled, relevant))
        assert (b.low, b.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert profile.means == {0: 0, 1: 3 / 7}


def test_equal_labels_have_no_trend_whatever_the_rounding_of_their_mean():
    for n in range(2, 14):
        human = {"q": dict.fromkeys(DOCS[:n], 0.1)}
        assert math.isnan(rank_profile(human, JUDGE, RUN, "DCG@40").correlation)


@pytest.mark.parametrize("gains", [(0, 1), (0, 1, 3)])
def test_the_trend_is_that_of_all_permutations(gains):
    rng = np.random.default_rng(3)
    for _ in range(2):
        labels = rng.choice(gains, 6).tolist()
        places = sorted(rng.choice(20, 6, replace=False).tolist())
        judge = {"q": {f"d{i:02}": int(i % 3 == 0) for i in range(20)}}
        human = {"q": {f"d{i:02}": y for i, y in zip(places, labels, strict=True)}}
        run = {"q": {f"d{i:02}": -i for i in range(20)}}
        found = rank_profile(human, judge, run, "DCG@20")
        correlation, p = trend_within(
            [int(i % 3 == 0) for i in places], [i + 1 for i in places], labels
        )
        assert found.correlation == pytest.approx(correlation, abs=1e-12)
        # 1999 permutations: within four standard errors, fixed seed
        assert found.p_value == pytest.approx(p, abs=4 * math.sqrt(0.25 / 1999))


def test_tied_documents_share_a_rank_and_two_runs_give_the_better_one():
    tied = {"q": dict.fromkeys(DOCS, 1.0)}
    profile = rank_profile(HUMAN, JUDGE, tied, "P@10")
    assert {(b.first, b.last, b.rank) for b in profile.bins} == {(20.5, 20.5, 20.5)}
    assert math.isnan(profile.p_value)
    assert "all are equal" in irb.plot.judge_calibration(HUMAN, JUDGE, tied, "P@10").get_title()
    top = {"q": {doc: i for i, doc in enumerate(DOCS)}}  # the reverse
    profile = rank_profile(HUMAN, JUDGE, RUN, "P@10", against=top, bins=2)
    assert profile.last_rank == 10
    assert sum(b.size for b in profile.bins) == 20


def test_the_picture_has_points_intervals_and_the_mean_of_each_grade():
    profile = rank_profile(HUMAN, JUDGE, RUN, "P@40")
    ax = irb.plot.judge_calibration(HUMAN, JUDGE, RUN, "P@40")
    assert [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"] == [
        *profile.means.values()
    ]
    for i, container in enumerate(ax.containers):
        bins = [b for b in profile.bins if b.grade == i]
        assert container[0].get_ydata().tolist() == [b.mean for b in bins]
        segments = container[2][0].get_segments()
        np.testing.assert_allclose([s[:, 1] for s in segments], [(b.low, b.high) for b in bins])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "judge's grade 0",
        "judge's grade 1",
    ]
    assert irb.plot.judge_calibration(HUMAN, JUDGE, RUN, "P@40", ax) is ax


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((HUMAN, JUDGE, None, "SetP"), {}, "`run` must be given"),
        ((HUMAN, JUDGE, RUN, "AP"), {}, "`measure` must be one of P, DCG, RBP, SetP"),
        ((HUMAN, JUDGE, RUN, "P@10"), {"bins": 0}, "`bins` must be"),
        ((HUMAN, JUDGE, RUN, "P@10"), {"confidence_level": 95}, "`confidence_level` must be"),
        (({"q": {"d39": 1}}, JUDGE, RUN, "P@10"), {}, "`human` has no label of a pair"),
    ],
)
def test_bad_input_is_one_line(arguments, options, message):
    with pytest.raises(irb.InputError, match=message):
        irb.plot.judge_calibration(*arguments, **options)
