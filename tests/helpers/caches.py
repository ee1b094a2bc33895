"""A cache folder of the tests' own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from marnn_bench.generators.kernels.cache import cache_folder


@contextmanager
def own_cache(folder: Path) -> Iterator[None]:
    """Data and receipts go to this folder; compiled kernels, which take long to make, are still the user's."""
    kernels = cache_folder() / "kernels"
    kernels.mkdir(parents=True, exist_ok=True)
    (folder / "kernels").symlink_to(kernels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARNN_CACHE", str(folder))
        yield
