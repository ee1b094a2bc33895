"""marnn-bench publish"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from marnn_bench.commands.output import Table, format_option, note, show
from marnn_bench.hub.release import prepare
from marnn_bench.hub.repository import Change, Release, changes, check_repo, upload


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--repo", metavar="ORG/NAME", required=True, help="The dataset repository; created if it is missing."
)
@click.option(
    "--tag",
    metavar="vX.Y",
    help="Name of the release.  [default: of version and content, like v1.0-3f2a91bc]",
)
@click.option("--private", is_flag=True, help="Create the repository private.")
@click.option(
    "--dry-run", is_flag=True, help="Check the folder, ask the Hub, and list what would change there."
)
@format_option
def publish(folder: Path, repo: str, tag: str | None, private: bool, dry_run: bool, style: str) -> None:
    """Upload generated splits to the Hugging Face Hub.

    DIR is a folder that `marnn-bench generate` wrote. Its files are checked against its manifest and uploaded as they
    are, in one commit, which is tagged; a tag that exists is never moved.
    """
    check_repo(repo)
    release = prepare(folder, tag)
    carry_out(release, repo, private, dry_run, style, {"tasks": [*release.tasks]})
    if not dry_run:
        note(f'Next: datasets.load_dataset("{repo}", "{release.tasks[0]}", revision="{release.tag}")')


def carry_out(
    release: Release, repo: str, private: bool, dry_run: bool, style: str, about: Mapping[str, Any]
) -> None:
    """Upload a release, or ask what that would change, and print it.

    about:  what else its record says
    """
    if dry_run:
        address, changed = None, changes(release, repo)
    else:
        address, changed = upload(release, repo, private=private, progress=sys.stderr.isatty())
    files = _files(release, changed)
    ends = f"would be uploaded to {repo}" if address is None else f"uploaded to {address}"
    record = {
        "repo": repo,
        "tag": release.tag,
        "uploaded": address is not None,
        "address": address,
        **about,
        "files": [
            {"file": name, "bytes": release.sizes.get(name), "change": change}
            for name, change in changed.items()
        ],
    }
    show(style, f"{files}\n\n{ends}, release {release.tag}", record, [files])
    if dry_run:
        note("Nothing was uploaded. Next: the same command without --dry-run.")


def _files(release: Release, changed: Mapping[str, Change]) -> Table:
    """Each file, what is removed behind the others, and how many bytes go there."""
    sizes = release.sizes
    rows = [[name, f"{sizes[name]:,}" if name in sizes else "", change] for name, change in changed.items()]
    sent = sum(size for name, size in sizes.items() if changed[name] != "unchanged")
    rows.append(["to be sent", f"{sent:,}", ""])
    return Table(rows, ["file", "bytes", ""], ["left", "right", "left"])
