"""Which part of a large test the quick suite runs; the long suite runs the rest.

`.ci/run` leaves out cases with the mark `nightly`; the nightly workflow runs them.
"""

import pytest


def every(n, cases):
    """One case in n for the quick suite, the first among them; the others are long."""
    return [case if i % n == 0 else long(case) for i, case in enumerate(cases)]


def only(quick, cases):
    """These cases for the quick suite; the others are long."""
    missing = [case for case in quick if case not in cases]
    assert not missing, missing
    return [case if case in quick else long(case) for case in cases]


def long(case):
    return marked(case, pytest.mark.long)


def nightly(case):
    return marked(case, [pytest.mark.long, pytest.mark.nightly])


def marked(case, marks):
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=marks)
