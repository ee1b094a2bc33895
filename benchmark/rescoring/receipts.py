"""What was found of results, kept in the user's cache, never beside them: a result is scored again but once.

A receipt is named by a digest of all that was looked at; what of that changes is looked at anew.
"""

import hashlib
import json
import os
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marnn_bench import __version__
from marnn_bench.generators.kernels.cache import cache_folder
from marnn_bench.scoring.metrics import Record


@dataclass(frozen=True, eq=False)
class Headline:
    """The headline of each run as the ratio of two sums over strings, or over what else it counts.

    values:   [runs, units]  bool where it is a share of equal units
    weights:  [units]        the same for all runs
    """

    values: NDArray[Any]
    weights: NDArray[np.float64]

    def each(self) -> NDArray[Any]:
        """What each unit adds to the headline, whose mean it is: [runs, units]."""
        if self.values.dtype == np.bool_:
            return self.values
        return np.asarray(self.values * (len(self.weights) / self.weights.sum()))


@dataclass(frozen=True)
class Receipt:
    """The receipt of a result, which need not exist."""

    path: Path

    @classmethod
    def of(cls, record: Record) -> "Receipt":
        """That of the result with this record."""
        seen = json.dumps([__version__, record["integrity"], record["samples"]["sha256"]])
        return cls(cache_folder() / "receipts" / f"{hashlib.sha256(seen.encode()).hexdigest()}.npz")

    def figures(self) -> Record | None:
        """The entries of the record that were found; None if there is no receipt."""
        try:
            with np.load(self.path, allow_pickle=False) as kept:
                found: Record = json.loads(kept["figures"].tobytes())
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):  # not there, or not whole
            return None
        return found

    def headline(self) -> Headline:
        """The headline of each run."""
        with np.load(self.path, allow_pickle=False) as kept:
            return Headline(kept["values"], kept["weights"])

    def write(self, figures: Record, headline: Headline) -> None:
        """Keep what was found, as a whole or not at all."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = np.frombuffer(json.dumps(figures).encode(), np.uint8)
        number, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=".new-")
        try:
            with os.fdopen(number, "wb") as file:
                np.savez(file, figures=text, values=headline.values, weights=headline.weights)
            Path(temporary).replace(self.path)
        finally:
            Path(temporary).unlink(missing_ok=True)
