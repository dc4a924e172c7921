"""Pictures of stopping rules."""

import warnings

import pytest

import irbounds as irb

pytest.importorskip("matplotlib")


def test_both_rules():
    labels = [1] * 20 + [0] * 180
    curve = irb.stopping_curve(labels, 200, 0.5)
    ax = irb.plot.stopping(curve)
    assert ax.lines[0].get_ydata().tolist() == curve.values.tolist()
    assert ax.lines[1].get_ydata()[0] == 0.5
    assert ax.lines[2].get_xdata()[0] == curve.first_stop
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.warnings.OptionalStoppingWarning)
        buscar = irb.stopping_curve(labels[:50], 1000, 0.95, "buscar")
    ax = irb.plot.stopping(buscar)
    assert ax.get_yscale() == "log"
    assert len(ax.lines) == 2  # no stop


def test_something_else_than_a_curve():
    with pytest.raises(
        irb.InputError, match="`curve` must be a StoppingCurve, from stopping_curve"
    ):
        irb.plot.stopping([0, 1])
