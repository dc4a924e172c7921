"""Censuses have intervals of no width, and samples of one document leave doubt."""

import math

import numpy as np
import pytest
from sizes import long

import irbounds as irb
from irbounds.samples.intervals.table import INTERVAL_METHODS, METHODS


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_a_census_is_known_under_every_method_f9(method, side):
    """Also by drawing, and for precision, elusion, F and the yield."""
    retrieved, unretrieved = (50, 50, 40), (200, 200, 3)
    designs = [(retrieved, unretrieved)]
    if INTERVAL_METHODS[method].allows_strata:
        designs += [
            ([(30, 30, 25), (20, 20, 15)], [(200, 200, 3)]),
            ((50, 50, [40, 40]), (200, 200, 3)),
        ]
    for engine in ("exact", "monte-carlo"):
        for design in designs:
            result = irb.recall_interval(
                *design, method=method, side=side, engine=engine, draws=100, rng=1
            )
            assert np.all(result.low == 40 / 43)
            assert np.all(result.high == 40 / 43)
    if method not in ("koopman", "naive-binomial") and not method.startswith("normal"):
        shares = (
            irb.precision_interval(retrieved, method=method, side=side),
            irb.samples.elusion_interval(unretrieved, method=method, side=side),
        )
        assert [(share.low, share.high) for share in shares] == [(40 / 50,) * 2, (3 / 200,) * 2]
    if method.startswith("betabinom"):
        f, total = (
            of(retrieved, unretrieved, method=method, side=side)
            for of in (irb.f_interval, irb.yield_interval)
        )
        assert f.low == f.high == f.estimate == pytest.approx(80 / 93)
        assert total.low == total.high == 43
    nothing = irb.recall_interval((50, 50, 0), (200, 200, 0), method=method, side=side)
    assert (nothing.low, nothing.high) == (0, 1)  # recall is not defined


@pytest.mark.parametrize(
    "method", ["normal-mle", "normal-laplace", "normal-agresti-coull", "koopman"]
)
def test_a_census_of_one_segment_is_exact_f9(method):
    """The known segment adds no error: the interval is that of the other one."""
    more = {"normal-laplace": 1, "normal-agresti-coull": 2}.get(method, 0)
    one = irb.recall_interval((50, 50, 40), (2000, 100, 3), method=method)
    if method == "koopman":
        share = irb.binomial_interval(3, 100)
        assert (one.low, one.high) == pytest.approx(
            (40 / (40 + 2000 * share.high), 40 / (40 + 2000 * share.low))
        )
    else:
        p = (3 + more) / (100 + 2 * more)
        rest = 2000 * p
        assert (one.low + one.high) / 2 == pytest.approx(40 / (40 + rest))
        half = (
            1.959963985
            * 40
            * 2000
            * math.sqrt(p * (1 - p) / (100 + 2 * more) * 0.95)
            / (40 + rest) ** 2
        )
        assert (one.high - one.low) / 2 == pytest.approx(half)
    assert irb.recall_interval((500, 50, 40), (200, 200, 0), method=method).low == 1
    assert irb.recall_interval((500, 50, 40), (0, 0, 0), method=method).low == 1
    if method != "koopman":
        split = irb.recall_interval([(20, 20, 15), (30, 30, 25)], (2000, 100, 3), method=method)
        assert (split.low, split.high) == pytest.approx((one.low, one.high), rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("level", [long(0.5), 0.95])
def test_more_documents_never_weaken_the_most_conservative_claim_f4(level):
    for size in (30, 10_000):
        n = np.r_[1:25, 40, 80, 119] if size > 30 else np.arange(1, 30)
        low = irb.recall_interval(
            (100, 50, 40),
            (size, n, 0),
            method="betabinom-mcp",
            side="lower",
            confidence_level=level,
        ).low
        assert (np.diff(low) >= -1e-9).all()
        assert low[0] < (0.99 if level == 0.5 else 0.9)
    for relevant in (0, 1):
        one = irb.precision_interval(
            (100, 1, relevant), method="betabinom-mcp", confidence_level=level
        )
        assert one.high - one.low > 0.02 * level
    assert irb.samples.most_conservative_prior(10_000, 1) == 0  # the paper's own
    assert irb.recall_posterior((100, 50, 40), (10_000, 1, 0), prior="mcp").quantile(0.05) < 0.1


ROWS = [[500, 100, 40], [50, 10, 2], [40, 3, 2]]


@pytest.mark.parametrize(
    "strata",
    [
        ROWS,
        list(map(tuple, ROWS)),
        tuple(map(tuple, ROWS)),
        np.array(ROWS),
        [irb.Stratum(*row) for row in ROWS],
        [ROWS[0], tuple(ROWS[1]), irb.Stratum(*ROWS[2])],
        np.ma.array(ROWS),
    ],
)
def test_lists_tuples_and_rows_of_arrays_are_strata_d8(strata):
    expected = irb.precision_interval([(500, 100, 40), (50, 10, 2), (40, 3, 2)])
    found = irb.precision_interval(strata)
    assert (found.estimate, found.low, found.high) == (
        expected.estimate,
        expected.low,
        expected.high,
    )


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_data_frames_are_strata_d8(library):
    make = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    frame_of = getattr(pytest.importorskip(library), make)
    columns = dict(
        zip(("size", "sampled", "relevant"), map(list, zip(*ROWS, strict=True)), strict=True)
    )
    frame = frame_of({"custodian": ["a", "b", "c"], **columns})
    found, expected = (irb.recall_interval(strata, (2000, 100, 3)) for strata in (frame, ROWS))
    assert (found.estimate, found.low, found.high) == (
        expected.estimate,
        expected.low,
        expected.high,
    )
    for bad, message in (
        ({"N": [1]}, "`retrieved`: the data frame needs the column 'size'; it has N"),
        (
            {**columns, "relevant": [40, None, 2]},
            "`retrieved`: column 'relevant' has no value in r",
        ),
        ({**columns, "relevant": [40, 11, 2]}, "`retrieved[1]`: relevant must be at most sampled"),
        (
            {**columns, "size": ["a", "b", "c"]},
            "`retrieved[0].size` must be a whole number, 0 or m",
        ),
        ({name: [] for name in columns}, "`retrieved` has no strata"),
    ):
        with pytest.raises(irb.InputError) as error:
            irb.recall_interval(frame_of(bad), (2000, 100, 3))
        assert str(error.value).startswith(message)


FIELDS = [500, 600, 700], [50, 60, 70], [40, 50, 60]


@pytest.mark.parametrize(
    "stratum",
    [
        irb.Stratum(*FIELDS),
        tuple(map(np.array, FIELDS)),
        (np.array(FIELDS[0]), FIELDS[1], np.array(FIELDS[2])),
        [irb.Stratum(*FIELDS)],
        [tuple(map(np.array, FIELDS))],
    ],
)
def test_arrays_of_questions_d8(stratum):
    found = irb.precision_interval(stratum)
    one = irb.precision_interval((600, 60, 50))
    assert found.low.shape == (3,)
    assert (found.low[1], found.high[1]) == (one.low, one.high)


@pytest.mark.parametrize(
    ("segment", "message"),
    [
        (
            tuple(ROWS),
            "`retrieved` must be Stratum(size, sampled, relevant) where fields are lists, or a "
            "list of (size, ",
        ),
        (
            list(map(np.array, ROWS)),
            "`retrieved` must be Stratum(size, sampled, relevant) where fields are arrays, or a ",
        ),
        (np.ma.array(ROWS, mask=np.eye(3)), "`retrieved` must have no masked elements"),
        (
            (500, 50, np.ma.array([40, 41], mask=[0, 1])),
            "`retrieved.relevant` must be a whole number, 0 or more",
        ),
        ([[500, 50, 4], 7], "`retrieved[1]` must be (size, sampled, relevant); found 7"),
        (np.zeros((2, 2, 3)), "`retrieved` must be a stratum"),
        (np.array(ROWS)[:, :2], "`retrieved[0]` must be (size,"),
        ([], "`retrieved` has no strata"),
        ((), "`retrieved` has no strata"),
        ("abc", "`retrieved` must be a stratum"),
    ],
)
def test_segments_that_are_refused_d8(segment, message):
    with pytest.raises(irb.InputError) as error:
        irb.precision_interval(segment)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
