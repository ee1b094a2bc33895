"""marnn-bench publish"""

import sys
from pathlib import Path
from typing import Any

import click

from marnn_bench.commands.output import Table, format_option, note, show
from marnn_bench.hub.release import Release, check_repo, prepare, upload


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
@click.option("--dry-run", is_flag=True, help="Check the folder and list what would be uploaded.")
@format_option
def publish(folder: Path, repo: str, tag: str | None, private: bool, dry_run: bool, style: str) -> None:
    """Upload generated splits to the Hugging Face Hub.

    DIR is a folder that `marnn-bench generate` wrote. Its files are checked against its manifest, uploaded as they
    are, and tagged; a tag that exists is never moved.
    """
    check_repo(repo)
    release = prepare(folder, tag)
    address = None if dry_run else upload(release, repo, private=private, progress=sys.stderr.isatty())
    files = _files(release)
    what = _what(release, repo, address)
    show(style, f"{files}\n\n{what}", _record(release, repo, address), [files])
    if dry_run:
        note("Nothing was uploaded. Next: the same command without --dry-run.")
    else:
        note(f'Next: datasets.load_dataset("{repo}", "{release.tasks[0]}", revision="{release.tag}")')


def _files(release: Release) -> Table:
    rows = [[name, f"{size:,}"] for name, size in release.files.items()]
    return Table([*rows, ["total", f"{release.bytes:,}"]], ["file", "bytes"], ["left", "right"])


def _what(release: Release, repo: str, address: str | None) -> str:
    if address is None:
        return f"would be uploaded to {repo}, release {release.tag}"
    return f"uploaded to {address}, release {release.tag}"


def _record(release: Release, repo: str, address: str | None) -> dict[str, Any]:
    return {
        "repo": repo,
        "tag": release.tag,
        "uploaded": address is not None,
        "address": address,
        "tasks": list(release.tasks),
        "files": [{"file": name, "bytes": size} for name, size in release.files.items()],
    }
