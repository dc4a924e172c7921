"""Which pairs people should label."""

import csv
import statistics

import numpy as np
import pytest

import irbounds as irb

JUDGE = {"q": {f"d{i}": i % 3 for i in range(90)}, "r": {f"d{i}": 3 * (i % 2) for i in range(40)}}
RUN = {query: {doc: -i for i, doc in enumerate(docs)} for query, docs in JUDGE.items()}
OTHER = {query: {doc: i for i, doc in enumerate(docs)} for query, docs in JUDGE.items()}


def labels_of(plan):
    found = {}
    for i, (query, doc) in enumerate(plan.pairs):
        found.setdefault(query, {})[doc] = i % 2
    return found


def test_pairs_count_are_distinct_and_repeat_with_the_seed():
    plan = irb.allocate_labels(JUDGE, RUN, "P@20", n=15, rng=3)
    assert len(set(plan.pairs)) == 15
    assert all(int(doc[1:]) < 20 for _, doc in plan.pairs)
    assert plan.grades == tuple(float(JUDGE[query][doc]) for query, doc in plan.pairs)
    assert plan == irb.allocate_labels(JUDGE, RUN, "P@20", n=15, rng=3)
    assert plan != irb.allocate_labels(JUDGE, RUN, "P@20", n=15, rng=4)
    assert sum(s.drawn for s in plan.strata) == 15
    assert min(s.drawn for s in plan.strata) >= 2


def test_default_is_sixty_or_all():
    assert len(irb.allocate_labels(JUDGE, [RUN, OTHER], "P@40", rng=1).pairs) == 60
    assert len(irb.allocate_labels(JUDGE, RUN, "P@20", rng=1).pairs) == 40


@pytest.mark.long
def test_every_pair_of_a_grade_is_as_likely(seed):
    rng = np.random.default_rng(seed)
    drawn = dict.fromkeys((f"d{i}" for i in range(20)), 0)
    judge, run = {"q": dict.fromkeys(drawn, 1)}, {"q": dict.fromkeys(drawn, 1)}
    for _ in range(1000):
        for _, doc in irb.allocate_labels(judge, run, "P@20", n=5, rng=rng).pairs:
            drawn[doc] += 1
    # a binomial of 1,000 draws and 1/4; 5.5 standard deviations: another seed fails once in 10^6
    assert max(abs(count - 250) for count in drawn.values()) < 5.5 * np.sqrt(1000 * 0.25 * 0.75)


def test_counts_need_a_label_of_each_grade_and_sums_two():
    judge = {"q": {f"d{i}": int(i > 1) + int(i > 3) for i in range(60)}}
    run = {"q": {doc: -i for i, doc in enumerate(judge["q"])}}
    tied = {"q": {doc: -(i // 2) for i, doc in enumerate(judge["q"])}}
    cases = ((run, "P@60", 1), (run, "P@59", 1), (run, "DCG@60", 2), (tied, "P@59", 2))
    for ranking, measure, least in cases:
        strata = irb.allocate_labels(judge, ranking, measure, n=6, rng=1).strata
        assert [s.drawn for s in strata] == [least, least, 6 - 2 * least], measure


def test_first_labels_of_counts_go_by_size():
    judge = {"q": {f"d{i}": 0 if i < 120 else 1 + (i >= 180) for i in range(240)}}
    run = {"q": {doc: -i for i, doc in enumerate(judge["q"])}}
    strata = irb.allocate_labels(judge, run, "P@240", n=40, rng=1).strata
    assert [s.drawn for s in strata] == [20, 10, 10]


def test_neyman_gives_more_to_grades_that_vary():
    judge = {"q": {f"d{i}": i % 2 for i in range(200)}}
    run = {"q": {f"d{i}": -i for i in range(200)}}
    chosen = [i for i in range(200) if i % 10 < 2]
    earlier = {"q": {f"d{i}": (i // 10) % 2 if i % 2 else 0 for i in chosen}}
    plan = irb.allocate_labels(judge, run, "P@200", n=60, rng=1, labelled=earlier)
    zero, one = plan.strata
    assert one.drawn > 2 * zero.drawn
    assert (zero.labelled, one.labelled) == (20, 20)


def test_later_batches_do_not_repeat_earlier_ones():
    first = irb.allocate_labels(JUDGE, RUN, "P@40", n=30, rng=1)
    second = irb.allocate_labels(JUDGE, RUN, "P@40", n=30, rng=2, labelled=labels_of(first))
    assert not set(first.pairs) & set(second.pairs)
    both = labels_of(first)
    for query, docs in labels_of(second).items():
        both[query] = {**both.get(query, {}), **docs}
    found = irb.assisted_interval(both, JUDGE, RUN, "P@40")
    assert found.sampled == 60


def test_half_width_is_reached_with_the_fewest():
    plan = irb.allocate_labels(JUDGE, RUN, "P@40", half_width=0.1, rng=1)
    fewer = irb.allocate_labels(JUDGE, RUN, "P@40", n=len(plan.pairs) - 1, rng=1)
    assert plan.half_width <= 0.1 < fewer.half_width
    two = irb.allocate_labels(JUDGE, {"a": RUN, "b": OTHER}, "P@40", half_width=0.1, rng=1)
    assert len(two.pairs) > len(plan.pairs)


def test_tables_to_fill_in_hide_the_grades(tmp_path):
    plan = irb.allocate_labels(JUDGE, RUN, "P@20", n=6, rng=3)
    plan.write(tmp_path / "labels.csv")
    with (tmp_path / "labels.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["query_id"], row["doc_id"]) for row in rows] == list(plan.pairs)
    assert list(rows[0]) == ["query_id", "doc_id", "relevance"]
    plan.write(tmp_path / "labels.csv", show_grades=True)
    assert "judge_grade" in (tmp_path / "labels.csv").read_text()
    assert "pairs to label" in repr(plan)
    assert len(plan.to_dict()["pairs"]) == 6


@pytest.mark.parametrize(
    ("filled", "message"),
    [
        (range(0), r"labels.csv:2: 6 of 6 rows without a relevance: fill them in"),
        (range(4), r"labels.csv:6: 2 of 6 rows without a relevance, all after the first 4: label"),
        ([1, 5], r"labels.csv:2: 4 of 6 rows without a relevance, between labelled rows: label"),
    ],
)
def test_tables_that_are_not_filled_in(tmp_path, filled, message):
    path = tmp_path / "labels.csv"
    irb.allocate_labels(JUDGE, RUN, "P@20", n=6, rng=3).write(path)
    head, *rows = path.read_text().splitlines()
    rows = [row + "1" * (i in filled) for i, row in enumerate(rows)]
    path.write_text("\n".join([head, *rows]))
    for use in (irb.assisted_interval, irb.report_assist):
        with pytest.raises(irb.InputError, match=message):
            use(path, JUDGE, RUN, "P@20")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n": 41}, "at most the number of pairs without a label, 40; found 41"),
        ({"n": 0}, "`n` must be a whole number, 1 or more"),
        ({"n": 5, "half_width": 0.1}, "must not both be given"),
        ({"half_width": 0}, "`half_width` must be above 0"),
        ({"runs": []}, "`runs` must have at least one run"),
        ({"measure": "AP"}, "for other measures label whole queries"),
        ({"labelled": {"q": {"x": 1}}}, "must label pairs that the judge graded"),
    ],
)
def test_bad_input_is_one_clear_line(changes, message):
    arguments = {"judge": JUDGE, "runs": RUN, "measure": "P@20", **changes}
    with pytest.raises(irb.InputError, match=message):
        irb.allocate_labels(**arguments)


def test_labels_that_show_a_difference():
    """An interval whose error is e excludes 0 with the probability Φ(d/e - 1.96)."""
    runs, difference, power = {"a": RUN, "b": OTHER}, 0.15, 0.9
    normal = statistics.NormalDist()
    plan = irb.allocate_labels(JUDGE, runs, "P@40", difference=difference, power=power, rng=1)
    fewer = irb.allocate_labels(JUDGE, runs, "P@40", n=len(plan.pairs) - 1, rng=1)
    z = normal.inv_cdf(0.975)
    for each, is_enough in ((plan, True), (fewer, False)):
        error = each.half_width / z
        assert (normal.cdf(difference / error - z) >= power) is is_enough
    usual = irb.allocate_labels(JUDGE, runs, "P@40", difference=difference, rng=1)
    assert len(usual.pairs) < len(plan.pairs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": 0.1}, "`difference` needs two runs or more"),
        ({"difference": 0.1, "n": 4}, "`n` and `difference` must not both be given"),
        ({"difference": 0.1, "half_width": 0.1}, "`half_width` and `difference` must not both"),
        ({"difference": 0.0, "runs": 2}, "`difference` must be above 0"),
        ({"half_width": 0.5, "labelled": {"q": {f"d{i}": 1 for i in range(9)}}}, "are enough"),
    ],
)
def test_plans_that_are_refused(options, message):
    judge = {"q": {f"d{i}": 1 for i in range(40)}}
    run = {"q": {f"d{i}": -i for i in range(40)}}
    runs = [run] * options.pop("runs", 1)
    with pytest.raises(irb.InputError, match=message):
        irb.allocate_labels(judge, runs, "P@40", **options)
