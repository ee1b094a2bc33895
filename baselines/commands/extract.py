"""marnn-bench extract"""

from pathlib import Path

import click

from marnn_bench.commands.output import format_option, show
from marnn_bench.errors import UsageError


@click.command()
@click.argument("folder", metavar="TRAINED", type=click.Path(path_type=Path))
@click.option(
    "--run", "number", type=click.IntRange(0), default=0, show_default=True, help="Which of its runs."
)
@click.option(
    "--length",
    type=click.IntRange(1),
    default=8,
    show_default=True,
    help="Symbols of the longest strings that are visited, and that the automaton is checked on.",
)
@click.option(
    "--tolerance", type=click.FloatRange(0, 1, min_open=True), default=0.5, show_default=True,
    help="How far states of one cluster may lie apart, in any neuron.",
)  # fmt: skip
@format_option
def extract(folder: Path, number: int, length: int, tolerance: float, style: str) -> None:
    """Show the automaton that a trained NSPDA or NNPDA has become.

    TRAINED is a folder that `marnn-bench train` wrote. Moves read: state, symbol, top of the stack -> next state, and whether the
    symbol is pushed or the top popped. The automaton is then compared with the language on all short strings.
    """
    from marnn_bench.baselines.automata.extraction import extract as automaton_of
    from marnn_bench.baselines.automata.machine import every_string
    from marnn_bench.baselines.automata.stack_cells import StackCell
    from marnn_bench.baselines.training.checkpoint import load_checkpoint
    from marnn_bench.baselines.training.folder import CHECKPOINT
    from marnn_bench.tasks.registry import find_task

    record, cell, parameters = load_checkpoint(folder / CHECKPOINT).run(number)
    if not isinstance(cell, StackCell):
        raise UsageError(
            f"{record.model} is no automaton with a stack: train nspda-2, nspda-3, nnpda or nnpda-2."
        )
    alphabet = record.task.alphabet
    machine = automaton_of(cell, parameters, alphabet, length, tolerance)
    strings = every_string(len(alphabet), length)
    language = find_task(record.task.name).language
    wrong = machine.accepts(strings) != language.accepts(strings)
    verdict = f"right on all {len(strings):,} strings of up to {length} symbols"
    if wrong.any():
        first = " ".join(alphabet[i] for i in strings[int(wrong.argmax())]) or "the empty string"
        verdict = f"wrong on {wrong.sum():,} of {len(strings):,} strings of up to {length} symbols; first on {first}"
    found = {
        "model": record.model,
        "task": record.task.name,
        "run": number,
        "states": len(machine.states),
        "moves": str(machine).splitlines()[2:],
        "strings": len(strings),
        "wrong": int(wrong.sum()),
    }
    show(style, f"{machine}\n{verdict}", found, [])
