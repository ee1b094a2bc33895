"""What the card of a release shows of each task: lengths and depths of its strings, as the files have them."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from marnn_bench.gallery.description import worth_drawing

DRAWN: Final = ("length", "depth")
COLOURS: Final = 64


def pictures(folder: Path, tasks: Mapping[str, Any]) -> dict[str, bytes]:
    """Of each task with something to draw, the bytes of a PNG file.

    tasks:  what the folder's manifest says of them
    """
    from marnn_bench.gallery.distributions import plot_distributions

    drawn: dict[str, bytes] = {}
    with TemporaryDirectory() as scratch:
        for name, task in tasks.items():
            splits = {split: _columns(folder, entry) for split, entry in task["splits"].items()}
            if worth_drawing(splits):
                picture = Path(scratch) / f"{name}.png"
                plot_distributions(f"{name} {task['version']}", splits, picture)
                drawn[name] = _with_palette(picture)
    return drawn


def _with_palette(picture: Path) -> bytes:
    """The picture in so few colours that it takes a tenth of the bytes."""
    from PIL import Image

    packed = BytesIO()
    with Image.open(picture) as image:
        image.convert("RGB").quantize(COLOURS).save(packed, "PNG", optimize=True)
    return packed.getvalue()


def _columns(folder: Path, entry: Mapping[str, Any]) -> dict[str, NDArray[np.integer[Any]]]:
    """Of all files of a split, the columns of numbers that it has."""
    files = [folder / shard["file"] for shard in entry["shards"]]
    wanted = [name for name in DRAWN if name in pq.read_schema(files[0]).names]
    tables = [pq.ParquetFile(file).read(wanted) for file in files]
    return {name: np.concatenate([table[name].to_numpy() for table in tables]) for name in wanted}
