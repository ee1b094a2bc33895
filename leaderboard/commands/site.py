"""marnn-bench leaderboard build"""

from pathlib import Path

import click

from marnn_bench.commands.output import note, suggest
from marnn_bench.commands.selection import task_option
from marnn_bench.errors import UsageError
from marnn_bench.leaderboard.site.build import Site, write_site
from marnn_bench.leaderboard.site.documentation import INDEX, Documentation
from marnn_bench.leaderboard.standings.entries import RANKED, Standing
from marnn_bench.leaderboard.standings.groups import SUITE, groups
from marnn_bench.leaderboard.standings.rankings import rank
from marnn_bench.leaderboard.validation.boards import SUBMISSIONS, read_board

FOLDER = click.Path(path_type=Path)


@click.command()
@click.option("--results", "board", metavar="DIR", type=FOLDER, required=True, help="What is shown.")
@click.option("--out", metavar="SITE", type=FOLDER, required=True, help="The folder to write.")
@task_option("Only these tasks or suites  [default: core]")
@click.option("--rank-all", is_flag=True, help="Rank entries whose makers nobody watched, too.")
@click.option("--docs", metavar="DIR", type=FOLDER, help="The pages of the documentation, to lie in it, too.")
@click.option("--overwrite", is_flag=True, help="Replace a site that is there.")
def build(
    board: Path, out: Path, names: tuple[str, ...], rank_all: bool, docs: Path | None, overwrite: bool
) -> None:
    """Write the leaderboard as a static site.

    DIR holds `results/`, `submissions/` and `hidden/`, or is any folder with results below it. SITE works without a
    server, from any place: tables to sort and filter, models on tasks, a page for each task and each model, and all
    that they show to download.
    """
    entries = read_board(board)
    standings = tuple(Standing) if rank_all else RANKED
    chosen = groups(names[0] if len(names) == 1 else names or SUITE)
    rankings = [rank(entries, group, standings) for group in chosen]
    shown = {line.entry.key for ranking in rankings for line in ranking.lines}
    if not shown:
        raise UsageError(f"{board} has no result of these tasks. Name others with --task.")
    found = [entry for entry in entries if entry.key in shown]
    count = write_site(Site(found, rankings, Documentation(docs) if docs else None), out, overwrite)
    note(f"{out / INDEX} written, with {count - 1} pages of tasks and models.")
    if (board / SUBMISSIONS).is_dir():
        suggest(("leaderboard", "validate", board / SUBMISSIONS))
