"""The picture of ranks: its bars are the intervals, its shading the tiers."""

import numpy as np
import pytest

import irbounds as irb

pytest.importorskip("matplotlib")

BARS = 3  # lines of a row: simultaneous, individual, the point

pytestmark = pytest.mark.filterwarnings("ignore::irbounds.warnings.FewUnitsWarning")


def ranked(systems, seed, tasks=30):
    rng = np.random.default_rng(seed)
    return irb.comparison.compare_scores(
        {
            name: {f"t{i}": 0.1 * place // 1 + rng.normal(0, 0.02) + i / 99 for i in range(tasks)}
            for place, name in enumerate(systems)
        },
        draws=200,
    )


def test_bars_are_the_intervals_and_shades_the_tiers(seed):
    names = ["$x$ 50%", "b\n", "c" * 80, "d", "e"]
    ranks = irb.comparison.compare_scores(
        {
            name: {f"t{i}": place + np.sin(i * (place + 2)) for i in range(12)}
            for place, name in enumerate(names)
        },
        draws=200,
    )
    ax = irb.plot.ranks(ranks)
    ax.figure.draw_without_rendering()
    rows = ranks.rows()
    for place, row in enumerate(rows):
        together, single, point = ax.lines[BARS * place : BARS * place + BARS]
        assert tuple(together.get_xdata()) == (row["low"], row["high"])
        assert tuple(single.get_xdata()) == (row["single_low"], row["single_high"])
        assert point.get_xdata().tolist() == [row["rank"]]
        assert set(together.get_ydata()) == {place}
    shaded = sum(row["tier"] % 2 == 0 for row in rows)
    assert len(ax.patches) == shaded
    assert ax.get_ylim() == (4.5, -0.5)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["simultaneous, 95 %, max-t", "individual", "rank by the mean"]


def test_a_leaderboard_of_180_systems(seed):
    ranks = ranked([f"system {i}" for i in range(180)], seed, 5)
    ax = irb.plot.ranks(ranks, most=20)
    assert len(ax.get_yticks()) == 20
    assert ax.get_xlim() == (0.5, 180.5)
    for wrong, message in (({"most": 0}, "`most` must be"), ({}, "`ranks` must be Ranks")):
        with pytest.raises(irb.InputError, match=message):
            irb.plot.ranks(ranks if wrong else [1], **wrong)
