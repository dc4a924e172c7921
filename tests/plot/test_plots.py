"""Pictures have the right lines, limits and words.

The file is longer than 400 lines because all pictures share its runs and helpers.
"""

from itertools import pairwise

import numpy as np
import pytest

import irbounds as irb
from irbounds.chance import hypergeometric_curve, hypergeometric_pmf, hypergeometric_tail
from irbounds.rankings import WeakOrdering

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

DELTA = WeakOrdering(relevant=[1, 3], nonrelevant=[2, 7])
QRELS = {f"q{i}": {"d1": 1, "d2": 0, "d3": 1} for i in range(4)}
TIED = {q: {"d1": 0.7, "d2": 0.7, "d3": 0.4} for q in QRELS}
STRICT = {q: {"d1": 0.2, "d2": 0.7 if q == "q0" else 0.1, "d3": 0.4} for q in QRELS}
NASTY = ["$x$ 50% $\\frac", "_hidden", "a\nb\x00\udc80", "x" * 300, "中文 système", ""]
SAMPLES = (500, 50, 40), (2000, 100, 3)


def texts(ax):
    ax.figure.draw_without_rendering()
    legend = ax.get_legend()
    return [
        text.get_text() for text in [*ax.get_yticklabels(), *(legend.get_texts() if legend else ())]
    ]


def evaluations(**runs):
    return {
        name: irb.evaluate(QRELS, run, "AP RR ESL(nr=3) ESL(nr=1)", bounds=True)
        for name, run in runs.items()
    }


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: irb.plot.recall_precision_graph(DELTA, ax),
        lambda ax: irb.plot.tie_ranges(evaluations(a=TIED), ax=ax),
        lambda ax: irb.plot.differences(*evaluations(a=TIED, b=STRICT).values(), ax=ax),
        lambda ax: irb.plot.superiority(
            irb.CountsPosterior(3, 2, 3), irb.CountsPosterior(10, 10, 5), ax=ax
        ),
        lambda ax: irb.plot.recall_posterior(irb.recall_posterior(*SAMPLES), ax=ax),
        lambda ax: irb.plot.hypergeometric_curve([1, 1, 0], 200, 12, ax=ax),
    ],
)
def test_a_given_axes_is_drawn_on_and_comes_back(draw):
    figure, ax = plt.subplots()
    assert draw(ax) is ax
    assert plt.get_fignums() == [figure.number]
    new = draw(None)
    assert new is not ax
    assert new.get_xlabel()


def test_recall_precision_graph_has_the_curve_and_its_band():
    graph = DELTA.recall_precision_graph(bounds=True)
    ax = irb.plot.recall_precision_graph(graph)
    [line], [band] = ax.lines, ax.collections
    assert line.get_xydata() == pytest.approx(np.column_stack([graph.levels, graph.precision]))
    corners = band.get_paths()[0].vertices
    for level, low, high in zip(graph.levels, graph.low, graph.high, strict=True):
        at = corners[np.isclose(corners[:, 0], level)][:, 1]
        assert (at.min(), at.max()) == pytest.approx((low, high))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "probability of relevance")
    assert (ax.get_xlim(), ax.get_legend()) == ((0, 1), None)
    assert not irb.plot.recall_precision_graph(graph, band=False).collections
    assert not irb.plot.recall_precision_graph(DELTA.recall_precision_graph("ep")).collections
    shuffled = DELTA.recall_precision_graph(levels=[1, 0, 0.5])
    assert irb.plot.recall_precision_graph(shuffled).lines[0].get_xdata().tolist() == [0, 0.5, 1]


def test_recall_precision_graphs_of_thirty_systems_differ_in_look_and_have_their_names():
    ax = irb.plot.recall_precision_graph(
        {f"system {i}": [DELTA, DELTA] for i in range(30)}, band=False
    )
    assert texts(ax)[-30:] == [f"system {i}" for i in range(30)]
    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == 30
    inside = ax.get_legend().get_window_extent()
    assert inside.y0 >= 0
    assert inside.x1 <= ax.figure.bbox.width + 1


def test_graphs_of_different_measures_are_refused():
    graphs = {"a": DELTA.recall_precision_graph("ep"), "b": DELTA}
    with pytest.raises(irb.InputError, match="one measure; found ep, prr"):
        irb.plot.recall_precision_graph(graphs)
    with pytest.raises(irb.InputError, match="found none"):
        irb.plot.recall_precision_graph({})


def test_tie_ranges_are_sorted_and_have_their_ends():
    evs = evaluations(tied=TIED, strict=STRICT)
    ax = irb.plot.tie_ranges(evs, "AP", baseline="tied")
    assert texts(ax) == ["strict", "tied"]
    bars = [line for line in ax.lines if line.get_linewidth() == 5]
    points = [line for line in ax.lines if line.get_marker() == "o"]
    for place, name in enumerate(["strict", "tied"]):
        assert bars[place].get_xdata() == pytest.approx(evs[name].mean_bounds["AP"])
        assert points[place].get_xdata() == pytest.approx([evs[name].mean["AP"]])
        assert points[place].get_ydata().tolist() == [place]
    assert ax.get_ylim() == (1.5, -0.5)
    [shade] = ax.patches
    assert (shade.get_x(), shade.get_x() + shade.get_width()) == pytest.approx(
        evs["tied"].mean_bounds["AP"]
    )
    assert texts(irb.plot.tie_ranges(evs, "AP", order="given")) == ["tied", "strict"]
    assert irb.plot.tie_ranges(evs).get_xlabel().startswith("AP (bars")
    assert irb.plot.tie_ranges(irb.evaluate(QRELS, TIED, "RR")).get_xlabel() == "RR"


@pytest.mark.long
def test_many_systems_make_a_higher_figure():
    few, many = (
        irb.plot.tie_ranges(dict.fromkeys(map(str, range(n)), evaluations(a=TIED)["a"]))
        for n in (2, 30)
    )
    assert many.figure.get_figheight() > 3 * few.figure.get_figheight()
    many.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in many.get_yticklabels()]
    assert all(not above.overlaps(below) for above, below in pairwise(boxes))


def test_infinite_means_are_written():
    ax = irb.plot.tie_ranges(evaluations(a=TIED), "ESL(nr=3)", baseline="a")
    assert [text.get_text() for text in ax.texts] == ["∞"]
    assert ax.get_xticks().size == 0


REVIEW = irb.AssumedReview(100, 20, recall=0.5, precision=0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda evs: irb.plot.tie_ranges(evs, "nDCG"), "nDCG was not evaluated"),
        (
            lambda evs: irb.plot.tie_ranges(evs, baseline="x"),
            "`baseline` must be one of the 2 systems; found 'x'",
        ),
        (lambda evs: irb.plot.tie_ranges({}), "`evaluations` is empty"),
        (lambda evs: irb.plot.tie_ranges({"a": 1}), "must be an Evaluation"),
        (
            lambda evs: irb.plot.differences(evs["a"], irb.evaluate({"q0": {"d1": 1}}, TIED, "AP")),
            "found 4 and 1",
        ),
        (
            lambda evs: irb.plot.superiority(
                irb.CountsPosterior([1, 2], 1, 1), irb.CountsPosterior(1, 1, 1)
            ),
            "not arrays",
        ),
        (
            lambda evs: irb.plot.superiority(1, irb.CountsPosterior(1, 1, 1)),
            "`a` must be a CountsPosterior",
        ),
        (lambda evs: irb.plot.recall_posterior(SAMPLES), "must be a RecallPosterior"),
        (
            lambda evs: irb.plot.recall_posterior(irb.recall_posterior(*SAMPLES), 75),
            "`target` must be from 0 to 1",
        ),
        (lambda evs: irb.plot.coverage_gaps(5), "`report` must be a CoverageReport"),
        (lambda evs: irb.plot.closest_shares([5]), "`report` must be a CoverageReport"),
        (lambda evs: irb.plot.allocation_widths("x", 5), "`review` must be an AssumedReview"),
        (
            lambda evs: irb.plot.allocation_widths(REVIEW, 200),
            "`sample` must be at most the collection, 100",
        ),
        (
            lambda evs: irb.plot.allocation_widths(REVIEW, 50, shares=(0, 2)),
            "`shares` must include one that gives each",
        ),
        (lambda evs: irb.plot.hypergeometric_curve([1], 10, 1, show="x"), "`show` must be one of"),
        (
            lambda evs: irb.plot.hypergeometric_curve([1, 1], 10, 1),
            "`relevance` must have at most 1 relevant",
        ),
    ],
)
def test_bad_input_is_one_line(call, message):
    with pytest.raises(irb.InputError, match=message):
        call(evaluations(a=TIED, b=STRICT))
    assert plt.get_fignums() == []


def test_differences_are_sorted_and_counted():
    a, b = evaluations(a=TIED, b=STRICT).values()
    ax = irb.plot.differences(a, b, "RR", names=("tied", "strict"))
    gain = np.sort(b["RR"] - a["RR"])[::-1]
    band, better, worse = ax.patches
    drawn = better.get_data().values + worse.get_data().values
    assert drawn == pytest.approx(gain)
    (a_low, a_high), (b_low, b_high) = a.bounds("RR"), b.bounds("RR")
    order = np.argsort(-(b["RR"] - a["RR"]), kind="stable")
    assert band.get_data().values == pytest.approx((b_high - a_low)[order])
    assert band.get_data().baseline == pytest.approx((b_low - a_high)[order])
    assert ax.get_title() == "strict − tied\nbetter 3, same 0, worse 1"
    turned = irb.plot.differences(a, b, "ESL(nr=1)")
    assert turned.get_title() == "B − A\nbetter 3, same 0, worse 1"
    assert (turned.patches[1].get_data().values <= 0).all()
    assert texts(irb.plot.tie_ranges({"tied": a, "strict": b}, "ESL(nr=1)")) == ["strict", "tied"]
    assert ax.get_ylabel() == "RR, difference"
    assert ax.get_ylim()[0] < band.get_data().baseline.min()


def test_many_queries_share_bars():
    n = 4500
    rng = np.random.default_rng(3)
    a, b = (
        irb.Evaluation(("RR",), tuple(map(str, range(n))), rng.choice([0.0, 0.5, 1.0], (n, 1)))
        for _ in "ab"
    )
    ax = irb.plot.differences(a, b)
    better, worse = (patch.get_data() for patch in ax.patches)
    wanted = np.sort(b["RR"] - a["RR"])[::-1]
    for values, edges, _ in (better, worse):
        assert len(values) == 1000
        assert edges[0] == 0
        assert edges[-1] == n
    for k in range(1000):  # the sorted differences are between the bars' ends, near 0 to far
        own = wanted[better.edges[k] : better.edges[k + 1]]
        assert better.values[k] == max(own.max(), 0)
        assert worse.values[k] == min(own.min(), 0)
    assert f"better {(wanted > 0).sum()}, same {(wanted == 0).sum()}" in ax.get_title()


def test_infinite_differences_reach_the_edge():
    qrels = {"q1": {"d1": 1, "d2": 1}, "q2": {"d1": 1}, "q3": {"d1": 1, "d2": 1}}
    half, whole = (
        {q: dict.fromkeys(documents, 1.0) for q in qrels}
        for documents in (["d1", "x"], ["d1", "d2", "x"])
    )
    a, b = (irb.evaluate(qrels, run, "ESL(nr=2)", bounds=True) for run in (half, whole))
    ax = irb.plot.differences(a, b)
    assert ax.get_title() == "B − A\nbetter 2, same 1, worse 0"
    assert ax.patches[1].get_data().values.tolist() == [ax.get_ylim()[0]] * 2 + [0]
    ax.figure.draw_without_rendering()


def test_superiority_draws_both_densities():
    a, b = irb.CountsPosterior(3, 2, 3), irb.CountsPosterior(10, 10, 5)
    ax = irb.plot.superiority(a, b, "precision", names=("System 2", "System 1"))
    first, _, second, _ = ax.lines
    for line, law in ((first, a.precision), (second, b.precision)):
        x, y = line.get_data()
        assert y == pytest.approx(law.pdf(x))
        assert np.trapezoid(y, x) == pytest.approx(1, abs=2e-3)
    assert ax.get_title() == "P(System 2 > System 1) = 0.6522"
    assert ax.get_xlabel() == "precision (dotted: means)"
    assert texts(ax)[-2:] == ["System 2", "System 1"]
    assert irb.plot.superiority(a, b, margin=0.05).get_title().startswith("P(A > B + 0.05) = ")
    assert "< 0.0001" in irb.plot.superiority(irb.CountsPosterior(3, 900, 900), b).get_title()


def test_densities_of_very_different_height_are_both_seen():
    ax = irb.plot.superiority(irb.CountsPosterior(9e6, 2e5, 5e4), irb.CountsPosterior(3, 2, 5))
    assert [ax.lines[i].get_ydata().max() for i in (0, 2)] == pytest.approx([1, 1], abs=0.01)
    assert "of its highest" in ax.get_ylabel()
    nothing = irb.plot.superiority(irb.CountsPosterior(0, 0, 0), irb.CountsPosterior(0, 0, 0))
    assert np.isfinite(nothing.get_ylim()).all()


@pytest.mark.parametrize(
    ("retrieved", "unretrieved", "target"),
    [
        (*SAMPLES, 0.75),
        (*SAMPLES, 0.7301),
        ((20, 18, 10), (20, 18, 3), 0.75),
        ((500, 50, 0), (2000, 100, 0), 0.5),
        ((500, 500, 40), (2000, 100, 0), 0.8),
        ((2027935, 596, 541), (39615617, 7853, 131), 0.74),
        ([(500, 50, 40), (300, 20, 5)], [(2000, 100, 3), (10, 10, 1)], 0.75),
        (*SAMPLES, 0.0),
        (*SAMPLES, 1.0),
    ],
)
def test_bars_of_recall_add_up_to_the_probability_of_the_target(retrieved, unretrieved, target):
    post = irb.recall_posterior(retrieved, unretrieved)
    ax = irb.plot.recall_posterior(post, target)
    below, reached = (patch.get_data() for patch in ax.patches)
    assert below.values.sum() + reached.values.sum() == pytest.approx(1, abs=1.1e-3)
    assert reached.values.sum() == pytest.approx(post.sf(target), abs=1.1e-3)
    left = reached.edges[:-1]
    assert not reached.values[left < target].any()
    assert not below.values[left >= target].any()
    assert ax.patches[0].get_facecolor() != ax.patches[1].get_facecolor()
    assert ax.get_title() == f"P(recall ≥ {target:g}) " + irb.plot.canvas.probability(
        post.sf(target)
    )
    assert ax.get_xlim()[0] <= target <= ax.get_xlim()[1]


def test_the_interval_of_recall_is_the_one_given():
    post, interval = (
        irb.recall_posterior(*SAMPLES),
        irb.recall_interval(*SAMPLES, side="lower", method="guaranteed"),
    )
    ax = irb.plot.recall_posterior(post, interval=interval)
    assert ax.lines[0].get_xdata().tolist() == [interval.low, 1]
    assert f"95 % lower interval from {interval.low:.4f} to 1.0000" in ax.get_xlabel()
    assert ax.get_title() == ""
    ninety = irb.plot.recall_posterior(post, confidence_level=0.9)
    assert ninety.lines[0].get_xdata() == pytest.approx(post.quantile([0.05, 0.95]))


@pytest.mark.parametrize(
    ("retrieved", "unretrieved", "recall"),
    [
        ((50, 50, 40), (20, 20, 3), 40 / 43),
        ((500, 50, 40), (0, 0, 0), 1),
        ((5, 5, 0), (9, 9, 0), 0),
    ],
)
def test_a_point_mass_is_one_bar_that_can_be_seen(retrieved, unretrieved, recall):
    ax = irb.plot.recall_posterior(irb.recall_posterior(retrieved, unretrieved), 0.75)
    values, edges, _ = ax.patches[int(recall >= 0.75)].get_data()
    [bar] = np.flatnonzero(values)
    assert values[bar] == pytest.approx(1)
    assert edges[bar] <= recall <= edges[bar + 1]
    assert edges[bar + 1] - edges[bar] > 0.01 * np.ptp(ax.get_xlim())


def test_hypergeometric_curve_and_what_chance_does():
    marks = np.zeros(80, int)
    marks[np.array([1, 2, 3, 10, 11, 14, 15, 20, 40, 50, 69, 78]) - 1] = 1
    ax = irb.plot.hypergeometric_curve(marks, 200, 12)
    curve, chance = ax.lines
    assert curve.get_ydata() == pytest.approx(hypergeometric_curve(marks, 200, 12))
    corners = ax.collections[0].get_paths()[0].vertices
    for cut in (1, 15, 80):  # over all outcomes of chance, each with the measure that it would have
        found = np.arange(min(cut, 12) + 1)
        masses, values = (f(found, 200, 12, cut) for f in (hypergeometric_pmf, hypergeometric_tail))
        assert chance.get_ydata()[cut - 1] == pytest.approx(masses @ values)
        five, ninety_five = (values[np.cumsum(masses) >= p][0] for p in (0.05, 0.95))
        at = corners[np.isclose(corners[:, 0], cut)][:, 1]
        assert (at.min(), at.max()) == pytest.approx((five, ninety_five), abs=1e-12)
    assert texts(ax)[-3:] == ["ranking", "chance, expected", "chance, 5 % to 95 %"]


def test_relevant_documents_found_and_by_chance():
    ax = irb.plot.hypergeometric_curve(
        [1, 1, 0, 1], 100, 20, show="found", shown=10, shown_relevant=2
    )
    found, chance = ax.lines
    assert found.get_ydata().tolist() == [1, 2, 2, 3]
    assert chance.get_ydata() == pytest.approx(np.arange(1, 5) * 18 / 90)
    assert ax.get_ylim()[1] > 3
    long = irb.plot.hypergeometric_curve(np.arange(50_000) % 50 == 0, 10**8, 10**5)
    assert len(long.lines[0].get_xdata()) == 50_000
    assert len(long.lines[1].get_xdata()) <= 400
    assert (long.lines[1].get_ydata() < 0.5).all()
    irb.plot.hypergeometric_curve([0, 0], 10, 0)
    irb.plot.hypergeometric_curve([], 10, 3)


def test_any_name_can_be_drawn():
    evs = dict.fromkeys(NASTY, evaluations(a=TIED)["a"])
    with pytest.warns(UserWarning, match="missing from font"):
        shown = texts(irb.plot.tie_ranges(evs, order="given"))
    assert shown[:3] == ["$x$ 50% $\\frac", "_hidden", "a b\ufffd\ufffd"]
    assert shown[3] == "x" * 18 + "…" + "x" * 17
    with pytest.warns(UserWarning, match="missing from font"):
        assert texts(irb.plot.recall_precision_graph(dict.fromkeys(NASTY, DELTA)))[-6:] == shown
    a = evaluations(a=TIED)["a"]
    assert (
        irb.plot.differences(a, a, names=NASTY[1::-1])
        .get_title()
        .startswith("$x$ 50% $\\frac − _hidden\nbetter 0")
    )
    assert (
        irb.plot.differences(a, a, names=NASTY[2:4])
        .get_title()
        .startswith("x" * 18 + "…" + "x" * 17)
    )
    both = irb.CountsPosterior(3, 2, 3)
    assert (
        "P($x$ 50% $\\frac > _hidden) = 0.5"
        in irb.plot.superiority(both, both, names=NASTY[:2]).get_title()
    )


def test_plots_are_loaded_when_used():
    assert irb.plot.tie_ranges is irb.plot.systems.tie_ranges
    assert "plot" in dir(irb)
    assert set(dir(irb.plot)) >= {"recall_posterior", "superiority"}
    with pytest.raises(AttributeError, match="no attribute 'pie'"):
        _ = irb.plot.pie


def with_labels(**runs):
    qrels = {q: {"d1": 1, "d2": 0} for q in QRELS}
    return {
        name: irb.evaluate(qrels, run, "AP P@1", bounds=True, unjudged="bounds")
        for name, run in runs.items()
    }


def test_ties_stand_inside_the_range_over_labels():
    evs = with_labels(tied=TIED, strict=STRICT)
    ax = irb.plot.unjudged_ranges(evs, "AP", baseline="tied")
    _, labels, ties, point, *_ = ax.lines
    assert texts(ax)[0] == "tied"
    assert tuple(labels.get_xdata()) == evs["tied"].mean_unjudged_bounds["AP"]
    assert tuple(ties.get_xdata()) == tuple(evs["tied"].mean_bounds["AP"])
    assert list(point.get_xdata()) == [evs["tied"].mean["AP"]]
    assert labels.get_xdata()[0] <= ties.get_xdata()[0] <= ties.get_xdata()[1]
    assert "labels of unjudged" in ax.get_xlabel()


def test_differences_that_labels_undo_are_pale():
    qrels = {q: {"d1": 1, "d2": 0} for q in QRELS}
    good = {q: {"d1": 2.0, "x": 1.0} for q in qrels}
    bad = {q: {"d2": 2.0, "x": 1.0} for q in qrels}
    open_one = {q: {"y": 2.0, "x": 1.0} for q in qrels}
    found = irb.compare(
        qrels, {"bad": bad, "good": good, "open": open_one}, "P@1", unjudged="bounds"
    )
    ax = irb.plot.unjudged_differences(found)
    _, settled, _, pale, *_ = ax.lines
    assert texts(ax) == ["good − bad", "open − bad", "open − good"]
    assert (settled.get_alpha(), tuple(settled.get_xdata())) == (1, (1, 1))
    assert (pale.get_alpha() < 1, tuple(pale.get_xdata())) == (True, (0, 1))


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: irb.plot.unjudged_ranges(evaluations(a=TIED)), "without unjudged='bounds'"),
        (lambda: irb.plot.unjudged_ranges(with_labels(a=TIED), baseline="x"), "`baseline` must be"),
        (lambda: irb.plot.unjudged_ranges(with_labels(a=TIED), "nDCG"), "was not evaluated"),
        (lambda: irb.plot.unjudged_differences({}), "`comparison` must be a Comparison"),
        (
            lambda: irb.plot.unjudged_differences(irb.compare(QRELS, [TIED, STRICT], "AP")),
            "without unjudged='bounds'",
        ),
        (
            lambda: irb.plot.unjudged_differences(irb.compare(QRELS, [TIED, STRICT], "AP"), "RR"),
            "`measure` must be one of those compared",
        ),
    ],
)
def test_bad_input_to_pictures_of_labels(draw, message):
    with pytest.raises(irb.InputError, match=message) as error:
        draw()
    assert "\n" not in str(error.value)


def test_mean_intervals_have_both_ranges():
    found = evaluations(a=TIED, b=STRICT)
    ax = irb.plot.mean_intervals(found, "RR", order="given")
    ends = [sorted(line.get_xdata()) for line in ax.lines]
    interval = found["a"].interval("RR")
    assert ends[0] == pytest.approx(sorted(found["a"].summary_bounds["RR"]))
    assert ends[1] == pytest.approx([interval.low, interval.high])
    assert ends[2] == pytest.approx([found["a"].summary["RR"]])
    assert ax.get_xlabel() == "RR (lines: 95 % intervals over queries; bars: orders of ties)"
    with pytest.raises(irb.InputError, match="AP"):
        irb.plot.mean_intervals(found, "P@3")


def test_difference_intervals_mark_what_is_significant():
    worse = {query: {"d2": 3.0, "d1": 2.0, "d4": 1.0} for query in QRELS}
    better = {query: {"d1": 3.0, "d3": 2.0, "d4": 1.0} for query in QRELS}
    runs = {"worse": worse, "better": better}
    for level, face in ((0.8, "#0072B2"), (0.95, "white")):
        found = irb.compare(
            QRELS, runs, "AP RR", test="sign", correction=None, confidence_level=level
        )
        ax = irb.plot.difference_intervals(found, "RR")
        assert [text.get_text() for text in ax.get_yticklabels()] == ["better − worse"]
        point = ax.lines[-1]
        assert point.get_xdata().tolist() == [0.5]
        assert point.get_markerfacecolor() == face
    with pytest.raises(irb.InputError, match="one of those compared"):
        irb.plot.difference_intervals(found, "P@3")
    with pytest.raises(irb.InputError, match="Comparison"):
        irb.plot.difference_intervals(evaluations(a=TIED)["a"])
