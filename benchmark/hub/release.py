"""Publishing a folder of splits: checked as a whole, uploaded to the Hugging Face Hub, and tagged as a release.

A folder of `marnn-bench generate` is laid out as the Hub wants it, so nothing is converted.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marnn_bench.errors import DataError, UsageError
from marnn_bench.store.manifest import REGENERATE_HINT, read_manifest
from marnn_bench.store.read import check_file

DATASET = "dataset"
CARD, MANIFEST = "README.md", "manifest.json"
TAG = re.compile(r"[A-Za-z0-9](\.?[A-Za-z0-9_-])*")


@dataclass(frozen=True)
class Release:
    """What will be uploaded, and the tag that names it.

    files: paths below the folder and their sizes in bytes
    """

    folder: Path
    tag: str
    tasks: tuple[str, ...]
    files: dict[str, int]

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return sum(self.files.values())


def prepare(folder: Path, tag: str | None = None) -> Release:
    """The release of a folder: card, manifest and the files that the manifest lists, each with the sha256 it lists.

    Nothing else in the folder belongs to it. Raises DataError if a file is missing or changed.
    """
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not a folder. Give the folder that `marnn-bench generate --out` wrote."
        )
    tasks = read_manifest(folder)["tasks"]
    if not tasks:
        raise UsageError(f"{folder} holds no finished task. Run `marnn-bench generate` again.")
    if tag is not None and not TAG.fullmatch(tag):
        raise UsageError(f"Tag {tag!r} is not possible; use letters, digits, dots and hyphens, as in v1.0.")
    if not (folder / CARD).is_file():
        raise DataError(f"{folder / CARD} is missing. {REGENERATE_HINT}")
    try:
        listed = [
            shard for task in tasks.values() for split in task["splits"].values() for shard in split["shards"]
        ]
        for shard in listed:
            check_file(folder / shard["file"], shard["sha256"])
        names = (CARD, MANIFEST, *(shard["file"] for shard in listed))
        files = {name: (folder / name).stat().st_size for name in names}
        return Release(folder, tag or default_tag(tasks), tuple(tasks), files)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(f"{folder / MANIFEST} is damaged ({error!r}). {REGENERATE_HINT}") from error


def default_tag(tasks: dict[str, Any]) -> str:
    """`v`, the newest version of the tasks, and the beginning of a digest of all that the folder holds.

    Equal content has an equal tag, so the same data cannot be released twice, nor other data under its name.

    >>> default_tag({"dyck2": {"version": "1.0", "splits": {"test": {"digest": "5f1c"}}}})
    'v1.0-74a31d47'
    """
    content = {
        name: [task["version"], {split: entry["digest"] for split, entry in task["splits"].items()}]
        for name, task in tasks.items()
    }
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    newest = max(
        (task["version"] for task in tasks.values()), key=lambda version: [*map(int, version.split("."))]
    )
    return f"v{newest}-{hashlib.sha256(canonical).hexdigest()[:8]}"


def check_repo(repo: str) -> None:
    """UsageError unless this is org/name as the Hub allows it."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise UsageError(f"Repository {repo!r}: {error}") from error
    if "/" not in repo:
        raise UsageError(f"Repository {repo!r} has no owner; write --repo org/name.")


def upload(release: Release, repo: str, *, private: bool = False, progress: bool = True) -> str:
    """Create the repository if it is missing, upload the release as it is, tag it, and return the page's address.

    Data files of an earlier release that are not in this one leave the main branch; their tag keeps them. If it is
    interrupted, the same call goes on where it stopped. Raises UsageError for whatever the Hub refuses.
    """
    from huggingface_hub import HfApi, get_token
    from huggingface_hub.utils.tqdm import disable_progress_bars

    check_repo(repo)
    if not progress:
        disable_progress_bars()
    if get_token() is None:
        raise UsageError("Not logged in to the Hugging Face Hub. Run `hf auth login`, or set HF_TOKEN.")
    api = HfApi()
    with _hub_errors(repo, release.tag):
        if api.repo_exists(repo, repo_type=DATASET):
            refs = api.list_repo_refs(repo, repo_type=DATASET)
            if release.tag in {ref.name for ref in refs.tags}:
                raise UsageError(_refusal(409, repo, release.tag))
        else:
            api.create_repo(repo, repo_type=DATASET, private=private or None)
        commit = api.upload_folder(
            repo_id=repo,
            repo_type=DATASET,
            folder_path=release.folder,
            allow_patterns=[*release.files],
            delete_patterns="data/*",
            commit_message=f"Data release {release.tag}",
        )
        api.create_tag(repo, tag=release.tag, revision=commit.oid, repo_type=DATASET)
    return f"{api.endpoint}/datasets/{repo}"


@contextmanager
def _hub_errors(repo: str, tag: str) -> Iterator[None]:
    """Whatever the Hub or the network answers, as a UsageError that says what to do."""
    from huggingface_hub import constants, errors

    try:
        yield
    except errors.OfflineModeIsEnabled as error:
        raise UsageError("HF_HUB_OFFLINE is set: nothing can be uploaded. Unset it.") from error
    except errors.HfHubHTTPError as error:
        raise UsageError(_refusal(error.response.status_code, repo, tag, error.server_message)) from error
    except errors.HTTPError as error:
        raise UsageError(
            f"Cannot reach {constants.ENDPOINT} ({error}). Check the network, then try again."
        ) from error
    except ValueError as error:
        raise UsageError(f"The Hub refuses {CARD}: {' '.join(str(error).split())}") from error


def _refusal(status: int, repo: str, tag: str, reason: str | None = None) -> str:
    match status:
        case 401:
            return "The Hub does not know your token. Run `hf auth login`, or correct HF_TOKEN."
        case 403:
            return f"Your token may not write to {repo}. Use one with write permission for that owner."
        case 409:
            return f"{repo} has a release {tag} already, and releases do not change. Name another with --tag."
        case _:
            return f"The Hub answered with status {status} ({reason or 'no reason given'}). Try again later."
