"""What every test leaves behind it: nothing."""
import sys

import pytest


@pytest.fixture(autouse=True)
def no_open_pictures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
