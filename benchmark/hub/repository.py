"""A repository on the Hugging Face Hub: what a release would change there, and that change as one commit with a tag."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from marnn_bench.errors import UsageError

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

Kind = Literal["dataset", "model"]
Change = Literal["new", "changed", "unchanged", "removed"]

MAIN: Final = "main"
CARD: Final = "README.md"
CHUNK: Final = 1 << 20


@dataclass(frozen=True)
class Release:
    """What a repository is to hold, and the tag that names it.

    files:     by their path there, a file here or what is in it
    replaced:  the folders there of which nothing else stays, as "data/"
    """

    kind: Kind
    tag: str
    files: Mapping[str, Path | bytes]
    replaced: tuple[str, ...] = ()

    @property
    def sizes(self) -> dict[str, int]:
        """The bytes of each file."""
        return {
            name: len(of) if isinstance(of, bytes) else of.stat().st_size for name, of in self.files.items()
        }


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


def changes(release: Release, repo: str) -> dict[str, Change]:
    """What becomes of each file of the release, and of what is there now; all is new where there is no repository that we may see.

    UsageError if the Hub cannot be asked, or has the tag already.
    """
    from huggingface_hub import HfApi

    with _hub_errors(repo, release.tag):
        return _changes(HfApi(), release, repo)[0]


def upload(
    release: Release, repo: str, *, private: bool = False, progress: bool = True
) -> tuple[str, dict[str, Change]]:
    """Create the repository if it is missing, make it what the release is, tag it: the page's address, and what has changed.

    Large files go first, beside what is there; then all changes are one commit, so that an interrupted upload leaves the main
    branch as it was, and the same call goes on where it stopped. What a release replaces stays under its tag. UsageError for
    whatever the Hub refuses.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
    from huggingface_hub.utils.tqdm import disable_progress_bars

    check_repo(repo)
    if not progress:
        disable_progress_bars()
    if get_token() is None:
        raise UsageError("Not logged in to the Hugging Face Hub. Run `hf auth login`, or set HF_TOKEN.")
    api = HfApi()
    with _hub_errors(repo, release.tag):
        changed, head = _changes(api, release, repo)
        if head is None:
            api.create_repo(repo, repo_type=release.kind, private=private or None)
            head = api.repo_info(repo, repo_type=release.kind).sha
        added = {name: of for name, of in release.files.items() if changed[name] in ("new", "changed")}
        removed = [name for name, change in changed.items() if change == "removed"]
        if added or removed:
            commit = api.create_commit(
                repo,
                [
                    *(
                        CommitOperationAdd(path_in_repo=name, path_or_fileobj=of)
                        for name, of in added.items()
                    ),
                    *(CommitOperationDelete(path_in_repo=name) for name in removed),
                ],
                commit_message=f"Release {release.tag}",
                repo_type=release.kind,
                parent_commit=head,
            )
            head = commit.oid
        api.create_tag(repo, tag=release.tag, revision=head, repo_type=release.kind)
    places = {"dataset": "datasets/", "model": ""}
    return f"{api.endpoint}/{places[release.kind]}{repo}", changed


def _changes(api: "HfApi", release: Release, repo: str) -> tuple[dict[str, Change], str | None]:
    """With the commit that the changes are against; None if there is no repository."""
    from huggingface_hub.hf_api import RepoFile

    if not api.repo_exists(repo, repo_type=release.kind):
        return dict.fromkeys(release.files, "new"), None
    refs = api.list_repo_refs(repo, repo_type=release.kind)
    if release.tag in {ref.name for ref in refs.tags}:
        raise UsageError(_refusal(409, repo, release.tag))
    head = next(ref.target_commit for ref in refs.branches if ref.name == MAIN)
    listed = api.list_repo_tree(repo, recursive=True, revision=head, repo_type=release.kind)
    there = {entry.path: entry for entry in listed if isinstance(entry, RepoFile)}
    found: dict[str, Change] = {}
    for name, of in release.files.items():
        known = there.get(name)
        found[name] = "new" if known is None else "unchanged" if _is_same(of, known) else "changed"
    left = sorted(name for name in there if name.startswith(release.replaced) and name not in found)
    return found | dict.fromkeys(left, "removed"), head


def _is_same(ours: Path | bytes, theirs: "RepoFile") -> bool:
    """By the id under which it lies there: sha256 of a large file, git's of a small one."""
    size = len(ours) if isinstance(ours, bytes) else ours.stat().st_size
    if size != theirs.size:
        return False
    if theirs.lfs:
        return _digest(ours, hashlib.sha256()) == theirs.lfs.sha256
    return _digest(ours, hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)) == theirs.blob_id


def _digest(content: Path | bytes, digest: "hashlib._Hash") -> str:
    if isinstance(content, bytes):
        digest.update(content)
        return digest.hexdigest()
    with content.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _hub_errors(repo: str, tag: str) -> Iterator[None]:
    """Whatever the Hub or the network answers, as a UsageError that says what to do."""
    from huggingface_hub import constants, errors

    try:
        yield
    except errors.OfflineModeIsEnabled as error:
        raise UsageError("HF_HUB_OFFLINE is set: the Hub cannot be asked. Unset it.") from error
    except errors.HfHubHTTPError as error:
        raise UsageError(_refusal(error.response.status_code, repo, tag, error.server_message)) from error
    except errors.HTTPError as error:
        raise UsageError(
            f"Cannot reach {constants.ENDPOINT} ({error}). Check the network, then try again."
        ) from error
    except RuntimeError as error:  # of a large file, whatever it was
        raise UsageError(
            f"{error} Nothing was released; the same command goes on where it stopped."
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
        case 412:
            return f"{repo} was changed by somebody else meanwhile. Nothing was released; look at it, then try again."
        case _:
            return f"The Hub answered with status {status} ({reason or 'no reason given'}). Try again later."
