"""marnn-bench publish-model"""

from pathlib import Path

import click

from marnn_bench.commands.output import note
from marnn_bench.commands.publish import carry_out
from marnn_bench.evaluation.records import result_folders
from marnn_bench.hub.repository import check_repo
from marnn_bench.leaderboard.exchange.model_release import model_release
from marnn_bench.rescoring.rescore import believe

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("folder", metavar="TRAINING", type=FOLDER)
@click.argument("results", metavar="[RESULT]...", nargs=-1, type=FOLDER)
@click.option(
    "--repo", metavar="ORG/NAME", required=True, help="The model repository; created if it is missing."
)
@click.option("--dataset", metavar="ORG/NAME", help="The data on the Hub, whose page then lists the results.")
@click.option("--revision", metavar="COMMIT", help="Of the data.")
@click.option("--license", "licence", metavar="NAME", help="Of the checkpoint, such as apache-2.0.")
@click.option(
    "--tag", metavar="vX.Y", help="Name of the release.  [default: of the content, like v1.0-3f2a91bc]"
)
@click.option("--private", is_flag=True, help="Create the repository private.")
@click.option("--dry-run", is_flag=True, help="Check all, ask the Hub, and list what would change there.")
def publish_model(
    folder: Path,
    results: tuple[Path, ...],
    repo: str,
    dataset: str | None,
    revision: str | None,
    licence: str | None,
    tag: str | None,
    private: bool,
    dry_run: bool,
) -> None:
    """Upload a trained model to the Hugging Face Hub.

    TRAINING is a folder that `marnn-bench train` wrote, RESULT one that `eval` wrote of this model, or one with such
    folders below it; each is scored again before it is believed. The repository gets the checkpoint, a card, and the
    results, in one commit, which is tagged; a tag that exists is never moved.
    """
    for name in filter(None, (repo, dataset)):
        check_repo(name)
    records = [believe(found).record for path in results for found in result_folders(path)]
    release = model_release(folder, records, repo, tag, dataset, revision, licence)
    carry_out(release, repo, private, dry_run, "human", {})
    if not dry_run:
        note(f"Next: hf download {repo} --revision {release.tag} --local-dir model")
