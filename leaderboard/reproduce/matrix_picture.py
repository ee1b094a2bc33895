"""The matrix of models and tasks as a picture."""

from pathlib import Path

from marnn_bench.gallery.charts import save
from marnn_bench.leaderboard.pictures.heat_map import HeatCell, heat_map
from marnn_bench.leaderboard.reproduce.matrix import said
from marnn_bench.scoring.metrics import Record


def draw(record: Record, path: Path) -> None:
    """Write the picture of a matrix's record."""
    cells = [
        HeatCell(row["model"], row["task"], 100 * row["ours"]["median"], said(row["ours"]))
        for row in record["rows"]
    ]
    title = f"{record['source']}: median of the headline metric, percent (runs that solve the task)"
    subtitle = f"{record['options']['runs']} runs of each; empty: the model cannot be trained on the task"
    save(heat_map(cells, "median over runs", title, subtitle), path)
