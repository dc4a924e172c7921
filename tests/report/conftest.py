"""Pages whose pictures are empty, but in tests that look at them."""

import pytest


@pytest.fixture(autouse=True)
def pages_without_pictures(request):
    if "pictures" not in request.fixturenames:
        request.getfixturevalue("empty_pictures")


@pytest.fixture
def pictures():
    """For tests that look at pictures."""
