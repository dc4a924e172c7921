"""Many rows are written column by column: the same texts as row by row."""

import numpy as np

from irbounds.cli.terminal.output import short_texts
from irbounds.cli.terminal.render import short
from irbounds.foundation.writing import Columns, as_latex, as_markdown, as_table


def test_columns_of_numbers_are_those_of_single_ones():
    """Halves, numbers beside them, signs of 0, large ones, infinities: as `short` rounds each."""
    rng = np.random.default_rng(4)
    halves = (rng.integers(0, 10**6, 300) + 0.5) / 1e4
    values = np.concatenate(
        [
            halves,
            np.nextafter(halves, 0),
            np.nextafter(halves, np.inf),
            rng.random(300),
            -rng.random(20),
            [0.0, -0.0, 1e5 + 0.5, 1e6 - 0.00005, 1e15, 1e300, np.inf, -np.inf, np.nan, 0.5, 2.5],
        ]
    )
    for whole in (False, True):
        assert short_texts(values, whole) == [short(x, whole) for x in values.tolist()]


def test_tables_of_columns_are_those_of_rows():
    header = ["run", "na*me", "value"]
    rows = [["a", "x\ny", "1.5"], ["b_1", "", "[2, 3]"], ["ü", "&", "-1"], ["", "", ""]]
    columns = Columns(list(zip(*rows, strict=True)))
    assert [list(row) for row in columns] == rows == list(map(list, columns[:]))
    assert columns[1] == rows[1]
    for write in (as_table, as_markdown, as_latex):
        assert write(header, columns, 2) == write(header, rows, 2)
        assert write(header, Columns([[], [], []]), 2) == write(header, [], 2)
