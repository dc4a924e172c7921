"""The worked numbers of the twin, by hand."""

from fractions import Fraction as Fr

import pytest

from . import label_tables, unjudged
from .rankings import exact

pytestmark = pytest.mark.long  # these test the twins, which change rarely

# + ? - ? +, and one relevant document that was not retrieved
LINE = [[1], [-1], [0], [-1], [1]]
# + ? | - ? | +, likewise
TIED = [[1, -1], [0, -1], [1]]
GRADED = [[3], [-1], [0], [-1], [1], [2], [-1]]

BY_HAND = [
    ("P", {"cutoff": 5}, Fr(2, 5), Fr(4, 5)),
    ("R", {"cutoff": 5}, Fr(2, 3), Fr(4, 5)),
    ("F", {"cutoff": 5}, Fr(1, 2), Fr(4, 5)),
    ("RR", {}, 1, 1),
    ("AP", {}, Fr(7, 15), Fr(71, 100)),
    ("Rprec", {}, Fr(1, 3), Fr(4, 5)),
    ("RBP", {"p": exact(0.5)}, Fr(17, 32), Fr(27, 32)),
    ("Bpref", {}, Fr(1, 4), Fr(1, 2)),
    ("IPrec", {"recall": exact(0.5)}, Fr(2, 5), 1),
]


@pytest.mark.parametrize(("name", "options", "low", "high"), BY_HAND)
def test_bounds_of_a_line_by_hand(name, options, low, high):
    assert unjudged.bounds(name, LINE, [1], **options) == (low, high)


def test_a_hidden_document_lowers_average_precision():
    assert unjudged.bounds("AP", LINE, [1], 1) == (Fr(35, 100), Fr(71, 100))


def test_bounds_of_ties_by_hand():
    assert unjudged.bounds("AP", TIED, [1], ties="any") == (Fr(3, 10), Fr(76, 100))
    assert unjudged.bounds("AP", TIED, [1]) == (Fr(23, 60), Fr(147, 200))
    assert unjudged.bounds("RR", TIED, [1]) == (Fr(3, 4), 1)


def test_expectation_by_hand():
    half, third = [Fr(1, 2)] * 2, [Fr(3, 10)] * 2
    assert float(unjudged.expectation("AP", LINE, [1], half)) == pytest.approx(0.5879166667)
    assert float(unjudged.expectation("AP", TIED, [1], third)) == pytest.approx(0.4919833333)
    assert float(unjudged.expectation("RR", TIED, [1], third)) == pytest.approx(0.825)


def test_graded_bounds_against_the_page():
    low, high = unjudged.bounds("nDCG", GRADED, [2], labels=range(4), cutoff=5)
    assert (float(low), float(high)) == pytest.approx((0.474283, 0.818609), abs=5e-7)


OPTIONS = {
    "F(beta=0.5)": {"beta": exact(0.5)},
    "RBP(p=0.8)": {"p": exact(0.8)},
    "RBP(max_rel=3)": {"p": exact(0.8), "max_rel": 3},
    "DCG(dcg=exp-log2)": {"dcg": "exp-log2"},
    "nDCG(dcg=exp-log2)": {"dcg": "exp-log2"},
    "Rprec(mult=0.4)": {"mult": 0.4},
    "Rprec(mult=2.5)": {"mult": 2.5},
    "IPrec@0": {"recall": exact(0.0)},
    "IPrec@0.3": {"recall": exact(0.3)},
    "IPrec@0.5": {"recall": exact(0.5)},
    "IPrec(rounding=nearest)@0.3": {"recall": exact(0.3), "rounding": "nearest"},
    "SetF(beta=2)": {"beta": 2},
}
OTHER_NAMES = {"SetP(relative=True)": "SetRelP", "GMAP": "AP", "GMBpref": "Bpref"}


@pytest.mark.parametrize("ranks", [TIED, [[-1, 0], [2, -1]]])
def test_tables_of_all_labels_have_the_values_of_fractions(ranks):
    tables = label_tables.bounds(ranks, [1], 1, labels=range(3), rel=1)
    for text, (name, cut) in label_tables.names((2,)).items():
        plain = OTHER_NAMES.get(name, name.partition("(")[0].partition("@")[0])
        options = {"cutoff": cut, **OPTIONS.get(name, {})}
        for rule in ("expected", "any"):
            if plain == "IPrec" and rule == "expected":
                continue
            exactly = unjudged.bounds(plain, ranks, [1], 1, labels=range(3), ties=rule, **options)
            column = label_tables.column_of(name, cut)
            found = [ends[column] for ends in tables[rule]]
            assert found == pytest.approx(list(map(float, exactly)), rel=1e-14), (text, rule)
