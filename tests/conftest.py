"""What every test finds, and what it leaves behind: nothing."""
import signal
import sys

import pytest


def pytest_configure():
    """What a shell starts in the background ignores Ctrl-C, and so would the tests that send it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_open_pictures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
