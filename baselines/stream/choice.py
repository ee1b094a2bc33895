"""A training on a stream by the engine that is asked for, or may be taken and can."""

from collections.abc import Callable, Sequence

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.compilers import CompilerError
from marnn_bench.baselines.engines import Engine
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.baselines.stream.compiled import CompiledRule
from marnn_bench.baselines.stream.reference import ReferenceRule
from marnn_bench.baselines.stream.rule import Rule
from marnn_bench.baselines.stream.strings import drawn_course, stream_of
from marnn_bench.baselines.stream.training import StreamTraining
from marnn_bench.errors import UsageError
from marnn_bench.task import Task


def stream_training(
    engine: Engine,
    cell: Cell,
    recipe: Recipe,
    task: Task,
    runs: Sequence[int],
    seed: int,
    device: str,
    threads: int | None,
    tell: Callable[[str], object],
) -> StreamTraining:
    """The training; which engine it is, is told, and why.

    UsageError on a GPU, and for a cell that takes noise; NotCompiledError or CompilerError if only the compiled engine was
    asked for, and cannot.
    """
    if device != "cpu":
        raise UsageError("A stream is learned from symbol by symbol, on the CPU: leave out --device.")
    if cell.noise:
        raise UsageError("This model takes noise, which a stream has none of: choose a model without.")
    rule, name = rule_of(engine, cell, recipe, runs, seed, threads, tell)
    return StreamTraining(rule, name, drawn_course(task, recipe), recipe, len(runs))


def rule_of(
    engine: Engine,
    cell: Cell,
    recipe: Recipe,
    runs: Sequence[int],
    seed: int,
    threads: int | None,
    tell: Callable[[str], object],
) -> tuple[Rule, str]:
    """The rule by which these runs learn, and the engine that computes it, which is told.

    NotCompiledError or CompilerError if only the compiled engine was asked for, and cannot.
    """
    bound = recipe.clipping.bound if recipe.clipping else float("inf")
    what = cell, stream_of(recipe).steps, bound, runs, seed
    if engine != "reference":
        try:
            rule = CompiledRule(*what, threads)
        except (NotCompiledError, CompilerError) as error:
            if engine == "compiled":
                raise
            tell(f"Engine: reference. {error}")
        else:
            tell(f"Engine: compiled, {rule.threads} {'thread' if rule.threads == 1 else 'threads'}.")
            return rule, "compiled"
    return ReferenceRule(*what), "reference"
