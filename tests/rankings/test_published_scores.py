"""What other tools print of their own example tables, from tables in their form.

The tables are rebuilt from counts of their scores.
"""

import pytest

import irbounds as irb
from irbounds.comparison import compare_evaluations
from irbounds.queries import queries_needed
from irbounds.rankings import read_scores

# evalstats, website/notebooks/best-prompt.ipynb: 8 prompts, 40 tickets; the right ones of each, and
# the ends of its intervals.
PROMPTS = {
    "P0_baseline": (18, 0.307, 0.602),
    "P1_role": (17, 0.285, 0.578),
    "P2_definitions": (18, 0.307, 0.602),
    "P3_few_shot_1": (25, 0.470, 0.758),
    "P4_few_shot_3": (26, 0.495, 0.779),
    "P5_chain_of_thought": (22, 0.398, 0.693),
    "P6_json_output": (27, 0.520, 0.799),
    "P7_negative_framing": (15, 0.242, 0.530),
}
# evalconfidence 0.1.1, examples/data/gpqa_diamond_scores.csv (Steph Linds, Apache 2.0), on which
# Inspect tests its `paired_delta`: of 198 questions, those with so many right answers of 5 by one
# model and by the other.
GPQA = [
    [19, 3, 2, 2, 4, 1],
    [5, 2, 4, 1, 1, 4],
    [6, 2, 0, 1, 2, 2],
    [3, 5, 1, 0, 2, 9],
    [2, 3, 2, 2, 2, 8],
    [6, 8, 5, 5, 7, 67],
]


@pytest.fixture
def gpqa(tmp_path):
    lines, number = ["item_id,model_id,score,epoch"], 0
    for first, row in enumerate(GPQA):
        for second, count in enumerate(row):
            for item in range(number, number + count):
                for model, right in (("nano", first), ("mini", second)):
                    lines += [f"rec{item},{model},{float(e < right)},{e + 1}" for e in range(5)]
            number += count
    path = tmp_path / "gpqa_diamond_scores.csv"
    path.write_text("\n".join(lines) + "\n")
    return read_scores(path)


def test_accuracies_of_evalstats(tmp_path):
    """Its intervals are Wilson's; ours of a mean over queries are Student's, as long as no limit is
    near."""
    lines = ["prompt_id,input_id,ticket,category,output,predicted,correct"]
    for prompt, (right, _, _) in PROMPTS.items():
        lines += [f"{prompt},ticket_{i:02},text,A,A,A,{int(i < right)}" for i in range(40)]
    path = tmp_path / "support_ticket_eval_40.csv"
    path.write_text("\n".join(lines) + "\n")
    scores = read_scores(path)
    assert list(scores) == list(PROMPTS)
    for prompt, (right, low, high) in PROMPTS.items():
        assert scores[prompt].mean == {"score": right / 40}
        assert list(irb.binomial_interval(right, 40)) == pytest.approx([low, high], abs=5e-4)
        own = scores[prompt].interval("score")
        assert list(own) == pytest.approx([low, high], abs=0.03)


def test_prompts_beside_models_are_systems(tmp_path):
    """As in basic_sentiment_eval_2models.csv of evalstats: no column that numbers rows is a
    measure."""
    path = tmp_path / "basic_sentiment_eval_2models.csv"
    rows = [
        f"{model},{template},{i},review_{i:02},{run},{(i + run) % 2}.0,0.9"
        for model in ("nano", "ministral")
        for template in ("Minimal", "Few-shot")
        for i in range(4)
        for run in (1, 2, 3)
    ]
    head = "model_name,template_label,input_idx,input_label,run_idx,accuracy,brevity"
    path.write_text("\n".join([head, *rows]) + "\n")
    scores = read_scores(path)
    assert list(scores) == [
        f"{model}, {template}"
        for model in ("nano", "ministral")
        for template in ("Minimal", "Few-shot")
    ]
    assert scores["nano, Minimal"].measures == ("accuracy", "brevity")
    assert scores.repeats["nano, Minimal"].shape == (4, 3, 2)


def test_mean_of_evalconfidence(gpqa):
    """Mean 0.6758, cluster-robust 95 % interval [0.6213, 0.7302] of 198 clusters."""
    assert gpqa["nano"].mean["score"] == pytest.approx(0.6758, abs=5e-5)
    ends = list(gpqa["nano"].interval("score"))
    assert ends == pytest.approx([0.6213, 0.7302], abs=5e-5)


def test_difference_of_evalconfidence(gpqa):
    """5.9 points, [0.4, 11.3], p = 0.0363 by a paired t-test; Inspect's normal law has 0.035."""
    found = compare_evaluations(gpqa, test="t").between("nano", "mini", "score")
    assert found.difference == pytest.approx(0.059, abs=5e-4)
    assert [found.low, found.high] == pytest.approx([0.004, 0.113], abs=5e-4)
    assert found.p_value == pytest.approx(0.0363, abs=5e-5)


def test_questions_that_evalconfidence_needs(gpqa):
    """It says about 334 for a gap of 6 points, by the normal law; by Student's t it is 3 more at
    most."""
    differences = gpqa["nano"]["score"] - gpqa["mini"]["score"]
    found = queries_needed(difference=0.06, sd=differences.std(ddof=1), power=0.8)
    assert 334 <= found <= 337
