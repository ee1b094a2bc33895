"""What the tests of rescoring have in common."""

from collections.abc import Iterator

import pytest

from helpers.caches import own_cache


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Data and receipts of these tests are kept apart from the user's."""
    with own_cache(tmp_path_factory.mktemp("cache")):
        yield
