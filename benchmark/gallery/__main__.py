"""python -m marnn_bench.gallery FOLDER: write tasks.md and its pictures into a folder."""

import sys
from pathlib import Path

from marnn_bench.gallery.page import write_page

if __name__ == "__main__":
    write_page(Path(sys.argv[1]))
