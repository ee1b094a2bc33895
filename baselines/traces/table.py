"""A trace as a table for the terminal: a line for each symbol."""

from math import isnan

from marnn_bench.baselines.traces.recording import Numbers, Trace
from marnn_bench.commands.output import Table

MEMORIES = 2
"""So many memories fit beside the rest; all are in the picture."""

SHOWN = 3
"""Numbers of what is read first that are printed."""

THRESHOLD = 0.5


def as_table(trace: Trace) -> Table:
    """Symbol, the strongest action and what is read first of each memory, answer."""
    memories = trace.memories[:MEMORIES]
    headers, columns = ["symbol"], [[*trace.symbols]]
    for memory in memories:
        of = f" {memory.name}" if memory.name else ""
        headers += [f"action{of}", f"read{of}"]
        columns += [[*map(memory.strongest, range(len(trace.symbols)))], [*map(_numbers, memory.read)]]
    if not memories:
        headers.append("hidden units")
        columns.append([*map(_numbers, trace.features)])
    headers.append("answer")
    columns.append([_answer(trace, row) for row in trace.scores])
    left_out = len(trace.memories) - len(memories)
    notes = (
        [f"{left_out} of {len(trace.memories)} memories are left out here, not in --out."] if left_out else []
    )
    return Table([*zip(*columns, strict=True)], headers, ["left"] * len(headers), notes)


def _numbers(row: Numbers) -> str:
    """The first of these numbers, as far as there are any."""
    there = [f"{number:.2f}" for number in row.tolist()[:SHOWN] if not isnan(number)]
    return " ".join(there) + (" …" if len(row) > SHOWN else "")


def _answer(trace: Trace, scores: Numbers) -> str:
    """Of a distribution the most probable column; else the columns that make the set."""
    if trace.distribution:
        best = int(scores.argmax())
        return f"{trace.columns[best]} {scores[best]:.2f}"
    return (
        "/".join(name for name, score in zip(trace.columns, scores, strict=True) if score >= THRESHOLD) or "-"
    )
