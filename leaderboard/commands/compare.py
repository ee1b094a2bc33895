"""marnn-bench compare"""

from pathlib import Path

import click

from marnn_bench.commands.output import format_option, show, suggest
from marnn_bench.errors import CheckFailed, UsageError
from marnn_bench.leaderboard.comparison import compare_results
from marnn_bench.leaderboard.difference import FEWEST_RUNS
from marnn_bench.leaderboard.results import read_result
from marnn_bench.leaderboard.tables import comparison_table, comparison_text

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("a", type=FOLDER)
@click.argument("b", type=FOLDER)
@click.option("--fail-if-worse", is_flag=True, help="Exit with 1 if B is significantly worse than A.")
@format_option
def compare(a: Path, b: Path, fail_if_worse: bool, style: str) -> None:
    """Test whether two results differ.

    A and B are folders that `marnn-bench eval` wrote, of any models on the same strings. Single runs are judged by
    McNemar's exact test, which speaks of these two runs only; results of five or more runs each by the 95 % interval of
    the difference of their means and a permutation test of the runs. There is no verdict on other numbers of runs.
    """
    comparison = compare_results(read_result(a), read_result(b))
    if fail_if_worse and comparison.verdict == "no verdict":
        raise UsageError(
            f"--fail-if-worse needs a verdict, but {comparison.how_many_runs}. Give one run of each, or at least "
            f"{FEWEST_RUNS}: `marnn-bench train MODEL --runs {FEWEST_RUNS}`, then `marnn-bench eval`."
        )
    show(style, comparison_text(comparison), comparison.record(), [comparison_table(comparison)])
    if fail_if_worse and comparison.verdict == "A is better":
        raise CheckFailed(f"{b} is significantly worse than {a}.")
    suggest(("leaderboard", "show", a, b))
