"""Which engine trains: the compiled one, if it is asked for and can, or may be taken and can."""

from collections.abc import Callable, Sequence

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.course import Course
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.compilers import CompilerError
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.engine.training import CompiledTraining
from marnn_bench.baselines.engines import Engine
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.examples import Examples


def compiled_training(
    engine: Engine,
    cell: Cell,
    recipe: Recipe,
    strings: Examples | Course,
    runs: Sequence[int],
    seed: int,
    device: str,
    threads: int | None,
    tell: Callable[[str], object],
) -> CompiledTraining | None:
    """The training by the compiled engine; None if the reference is to train. What is chosen is told, and why.

    NotCompiledError or CompilerError if only the compiled engine was asked for, and cannot.
    """
    if engine == "reference":
        return None
    try:
        if engine == "auto" and device != "cpu":
            raise NotCompiledError(
                "On a GPU the compiled engine is not tried yet: ask for it by --engine compiled."
            )
        if recipe.rule != "bptt" or recipe.steps_back:
            raise NotCompiledError("A compiled step learns by back-propagation through whole strings alone.")
        if recipe.weight_noise:
            raise NotCompiledError("A compiled step has no noise of weights.")
        training = CompiledTraining(cell, recipe, strings, runs, seed, threads, device=device)
    except (NotCompiledError, CompilerError) as error:
        if engine == "compiled":
            raise
        tell(f"Engine: reference. {error}")
        return None
    cores = f"{training.threads} {'thread' if training.threads == 1 else 'threads'}"
    tell(f"Engine: compiled, {cores if device == 'cpu' else device}.")
    return training


def compiled_program(cell: Cell) -> Program | None:
    """The program of a cell; None if it cannot be compiled, or there is no compiler."""
    try:
        return Program(cell)
    except (NotCompiledError, CompilerError):
        return None
