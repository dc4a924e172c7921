"""The suites, their random numbers, and fixtures of all tests.

`python -m pytest` runs the quick suite, in which nothing is left to chance: hypothesis draws the
same examples each time, and NumPy's seeds are fixed in the tests. `python -m pytest -m long` runs
the tests with the mark `long`, and the properties of hypothesis again, with more examples; there
random numbers depend on IRBOUNDS_SEED, which is drawn where it is not set. The quick suite draws 25
examples of a property, or as many as its mark `quick_examples` says; the long suite draws five
times those of `settings`.
"""

import contextlib
import os
import secrets
import signal
import sys
import zlib

import pytest

SEED = "IRBOUNDS_SEED"
# factor of the examples of a property in the long suite; 1: properties are not run again
MOST_QUICK_EXAMPLES = 25
TIMES_THE_EXAMPLES = int(os.environ.get("IRBOUNDS_TIMES", "5"))


def pytest_configure(config):
    # a process that a shell starts in the background ignores Ctrl-C, which tests send
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if is_long(config) and not os.environ.get(SEED):
        os.environ[SEED] = str(secrets.randbits(32))  # xdist's workers inherit it
    with contextlib.suppress(ImportError):
        set_hypothesis_up()


def is_long(config):
    return config.option.markexpr.strip().startswith("long")


def set_hypothesis_up():
    from hypothesis import core, settings

    settings.register_profile(
        "fixed", derandomize=True, deadline=None, print_blob=True, database=None
    )
    settings.register_profile("fresh", deadline=None, print_blob=True, database=None)
    seed = os.environ.get(SEED)
    settings.load_profile("fresh" if seed else "fixed")
    if seed:
        core.global_force_seed = int(seed)


def pytest_report_header():
    seed = os.environ.get(SEED)
    return f"random numbers: {SEED}={seed}" if seed else "random numbers: the same ones each time"


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(config, items):
    known = set()
    for item in items:
        function = getattr(item, "obj", None)
        if getattr(function, "is_hypothesis_test", False):
            if is_long(config) and TIMES_THE_EXAMPLES > 1:
                item.add_marker("long")
            if function not in known:  # one function may be several tests
                known.add(function)
                set_examples(item, is_long(config))


def set_examples(item, is_in_long_suite):
    from hypothesis import settings

    function, fewer = item.obj, item.get_closest_marker("quick_examples")
    chosen = function._hypothesis_internal_use_settings
    examples = chosen.max_examples
    if is_in_long_suite:
        examples *= TIMES_THE_EXAMPLES
    else:
        [examples] = fewer.args if fewer else [min(examples, MOST_QUICK_EXAMPLES)]
    function._hypothesis_internal_use_settings = settings(chosen, max_examples=examples)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    seed = os.environ.get(SEED)
    if report.failed and seed:
        report.sections.append(
            ("to repeat this test", f"{SEED}={seed} python -m pytest -m long {item.nodeid!r}")
        )


@pytest.fixture
def seed(request):
    """For numpy.random.default_rng: the test's own, the same each time or by IRBOUNDS_SEED."""
    return [int(os.environ.get(SEED, "0")), zlib.crc32(request.node.nodeid.encode())]


os.environ.pop("COLUMNS", None)  # tables in pipes heed it; tests that want it set it


@pytest.fixture
def empty_pictures(monkeypatch):
    """Pictures of pages are empty: Matplotlib writes one in a tenth of a second."""
    from matplotlib.figure import Figure

    def save(self, file, **options):
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1" />')

    monkeypatch.setattr(Figure, "savefig", save)


@pytest.fixture(autouse=True)
def no_open_pictures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
