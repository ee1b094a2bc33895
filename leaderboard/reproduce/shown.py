"""What a reproduction shows beside its table: a grid, accuracy by length, or what the best run does with a string."""

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import numpy as np

from marnn_bench.baselines.traces.picture import draw as draw_trace
from marnn_bench.baselines.traces.recording import Trace, record
from marnn_bench.baselines.training.checkpoint import load_checkpoint
from marnn_bench.baselines.training.folder import CHECKPOINT
from marnn_bench.leaderboard.boards import make_boards
from marnn_bench.leaderboard.pictures.curves import draw as draw_accuracy
from marnn_bench.leaderboard.reproduce.entries import TRAINING
from marnn_bench.leaderboard.reproduce.matrix_picture import draw as draw_matrix
from marnn_bench.leaderboard.reproduce.picture import draw as draw_grid
from marnn_bench.leaderboard.reproduce.reproduction import Reproduction, Traced
from marnn_bench.leaderboard.results import read_result
from marnn_bench.scoring.metrics import Record


def pictures(reproduction: Reproduction, made: Record, out: Path) -> Iterator[Path]:
    """Write those of a record to `out`: their paths."""
    if reproduction.is_grid:
        draw_grid(made, out / "solved.svg")
        yield out / "solved.svg"
    if reproduction.is_matrix:
        draw_matrix(made, out / "matrix.svg")
        yield out / "matrix.svg"
    if reproduction.by_length:
        draw_accuracy(
            make_boards([read_result(out / row["ours"]["folder"]) for row in made["rows"]]),
            out / "accuracy.svg",
        )
        yield out / "accuracy.svg"
    if reproduction.traced:
        draw_trace(best_trace(reproduction.traced, made, out), f"{made['source']}", out / "trace.svg")
        yield out / "trace.svg"


def best_trace(traced: Traced, made: Record, out: Path) -> Trace:
    """What the selected run of the first row does with the string."""
    row = made["rows"][0]
    folder = out / PurePosixPath(row["ours"]["folder"]).parent / TRAINING
    number = row["ours"]["best_run"] or 0
    return record(load_checkpoint(folder / CHECKPOINT).run(number), number, traced.string.split())


def traced_record(traced: Traced, made: Record, out: Path) -> Record:
    """Symbol by symbol what is answered, and of each memory the action and the number read, beside the paper's numbers.

    Which memory does what is each training's own; the paper's are in its order.
    """
    trace, nexts = best_trace(traced, made, out), traced.nexts.split()
    given = [trace.scores[step, trace.columns.index(name)] for step, name in enumerate(nexts)]
    columns: dict[str, Sequence[object]] = {
        "current": trace.symbols,
        "next": nexts,
        "prediction": [trace.columns[best] for best in trace.scores.argmax(1)],
        "P(next)": np.round(given, 4).tolist(),
        "paper": traced.probabilities,
    }
    for memory, printed in zip(trace.memories, traced.tops, strict=True):
        columns[f"action {memory.name}"] = [memory.actions[best] for best in memory.weights.argmax(1)]
        columns[f"top {memory.name}"] = np.round(memory.read[:, 0], 4).tolist()
        columns[f"paper: {memory.name}"] = printed
    return {"headers": [*columns], "rows": [[*row] for row in zip(*columns.values(), strict=True)]}
