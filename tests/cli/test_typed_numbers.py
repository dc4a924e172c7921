"""Numbers as people type them: each is read as it is meant, or refused with what to write."""

import re

import pytest
from commands import assert_refused, run_cli
from hypothesis import given
from hypothesis import strategies as st

from irbounds.cli.input.numbers import number_of, range_of, whole_of

READERS = {
    "share": number_of,
    "count": lambda text: number_of(text, is_count=True),
    "whole": whole_of,
}


def grouped(digits, mark):
    """Thousands apart."""
    return re.sub(r"(?<=[0-9])(?=([0-9]{3})+$)", mark, digits)


@st.composite
def typed(draw):
    """A text, and all numbers that it may mean."""
    whole = str(draw(st.integers(0, 10**7)))
    decimals = draw(st.text("0123456789", max_size=5))
    point, mark = draw(st.sampled_from([(".", ","), (",", "."), (",", " "), (".", "’"), (",", "")]))
    text = grouped(whole, mark) + (point + decimals if decimals else "")
    meant = {float(f"{whole}.{decimals or 0}")}
    marks = re.findall("[.,]", text)
    if len(marks) == 1 and re.fullmatch(r"[1-9][0-9]{0,2}[.,][0-9]{3}", text):  # either way
        meant = {float(re.sub("[.,]", "", text)), float(re.sub("[.,]", ".", text))}
    percent = draw(st.sampled_from(["", "", "%", " %"]))
    return text + percent, {x / 100 for x in meant} if percent else meant


@given(typed(), st.sampled_from([*READERS]))
def test_a_number_is_read_or_its_advice_is(text_and_meant, reader):
    text, meant = text_and_meant
    read = READERS[reader]
    try:
        found = read(text)
    except ValueError as error:
        advice = str(error).partition(", as this")[0]
        if advice in ("", ": write a number without %"):
            # no whole number, a percentage of documents, or `1.234,` with a second mark
            assert reader != "share"
            return
        for written in advice.removeprefix(": write ").split(" or "):
            assert any(read(written) == pytest.approx(x) for x in meant), (text, written)
    else:
        assert any(found == pytest.approx(x) for x in meant)


@pytest.mark.parametrize(
    ("reader", "text", "advice"),
    [
        ("share", "0,75", ": write 0.75"),
        ("share", "0,5%", ": write 0.5%"),
        ("share", "1,5 %", ": write 1.5 %"),
        ("share", "1,234", ": write 1234 or 1.234, as this may be either"),
        ("share", "1,23,456", ": write 123456"),
        ("count", "0,5", ": write 0.5"),
        ("count", "1,5 %", ": write a number without %"),
        ("whole", "0.008", ""),
        ("whole", "0,750", ""),
        ("whole", "1.500", ": write 1500"),
        ("whole", "1.000", ": write 1000 or 1, as this may be either"),
    ],
)
def test_advice(reader, text, advice):
    with pytest.raises(ValueError, match=f"^{re.escape(advice)}$"):
        READERS[reader](text)


def test_ranges():
    assert range_of("0.6-0.8") == range_of("60%–80 %") == [0.6, 0.8]
    assert range_of("1e-3") == [1e-3]
    for text in ("60-80%", "60 %-80"):
        with pytest.raises(ValueError, match="write % at both ends or at none"):
            range_of(text)


def test_commands_say_it(tmp_path):
    path = tmp_path / "plan.csv"
    path.write_text("segment,size,prevalence\nretrieved,100,60-80%\nunretrieved,900,1%\n")
    strata = ("--retrieved", "12000/150/108", "--unretrieved", "88000/1300/20")
    for arguments, message in (
        (("recall", *strata, "--target", "0,75"), "found '0,75': write 0.75\n"),
        (("proportion", "0.008/1500"), "in whole numbers; found '0.008/1500'\n"),
        (("proportion", "12/1.500"), "found '12/1.500': write 1500\n"),
        (("plan-proportion", "--at-most", "0,5%"), "found '0,5%': write 0.5%\n"),
        (("plan", path, "--target", 0.5), "found '60-80%': write % at both ends or at none\n"),
    ):
        assert_refused(run_cli(*arguments), message)
