"""Publishing, with the real Hub clients, to the small hub of hub_server.py.

The clients read HF_ENDPOINT when they are imported, so each runs in a process of its own.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from helpers.command_line import Outcome, marnn, succeed
from helpers.hub_server import Dropped, Hub, running_hub
from marnn_bench.errors import DataError, UsageError
from marnn_bench.hub.release import default_tag, prepare
from marnn_bench.hub.repository import check_repo

pytest.importorskip("datasets")

REPO = "org/name"
DYCK2_TEST = "data/dyck2/test-00000-of-00001.parquet"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two tasks, as generate writes it."""
    base = tmp_path_factory.mktemp("generated")
    succeed(
        "generate", "--task", "dyck2", "--task", "string-reversal", "--rows", 60, "--out", "data", cwd=base
    )
    return base / "data"


@pytest.fixture
def folder(data: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(data, tmp_path / "data"))


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub where the token `writer` may write for org, and `reader` for nobody."""
    with running_hub({"writer": {"org"}, "reader": set()}) as running:
        yield running


@pytest.fixture
def user(hub: Hub, tmp_path: Path) -> dict[str, str]:
    """The environment of a user of that hub with the token `writer` and an empty home."""
    return {
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(tmp_path / "home"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_OFFLINE": "0",
        "HF_TOKEN": "writer",
    }


def publish(folder: Path, user: dict[str, str], *options: str) -> Outcome:
    return marnn("publish", folder, "--repo", REPO, *options, cwd=folder.parent, **user)


def published(folder: Path, user: dict[str, str], *options: str) -> str:
    """What publishing prints that must end well."""
    outcome = publish(folder, user, *options)
    assert outcome.code == 0, outcome.err
    return outcome.out


def refused(outcome: Outcome, code: int) -> str:
    """The one line of a refusal."""
    assert (outcome.code, outcome.out, len(outcome.err.splitlines())) == (code, "", 1), outcome.err
    return outcome.error


def python(code: str, user: dict[str, str]) -> str:
    """What a program of somebody without a token prints."""
    environment = os.environ | user | {"HF_TOKEN": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def main_files(hub: Hub) -> dict[str, bytes]:
    repo = hub.repos[REPO]
    return repo.commits[repo.branches["main"]]


def test_a_release_loads_with_datasets_and_pandas_as_it_was_generated(
    folder: Path, user: dict[str, str], hub: Hub
) -> None:
    said = json.loads(published(folder, user, "--tag", "v1.0", "--format", "json"))
    assert said["address"] == f"{hub.url}/datasets/{REPO}"
    code = f"""
import json, datasets, pandas
whole = datasets.load_dataset("{REPO}", "dyck2", revision="v1.0")
stream = datasets.load_dataset("{REPO}", "string-reversal", revision="v1.0", split="train", streaming=True)
frame = pandas.read_parquet("hf://datasets/{REPO}@v1.0/{DYCK2_TEST}")
print(json.dumps([whole["test"].to_list(), list(stream), list(frame["input"]), sorted(whole)]))
"""
    loaded, streamed, inputs, splits = json.loads(python(code, user))
    expected = pq.read_table(folder / DYCK2_TEST).to_pylist()
    assert loaded == expected
    assert inputs == [row["input"] for row in expected]
    assert streamed == pq.read_table(folder / "data/string-reversal/train-00000-of-00001.parquet").to_pylist()
    assert splits == ["test", "train"]


def test_the_repository_holds_the_release_and_nothing_else(
    folder: Path, user: dict[str, str], hub: Hub
) -> None:
    (folder / "notes.txt").write_text("not part of the release")
    published(folder, user)
    manifest = json.loads((folder / "manifest.json").read_text())
    shards = [
        shard["file"]
        for task in manifest["tasks"].values()
        for split in task["splits"].values()
        for shard in split["shards"]
    ]
    files = main_files(hub)
    pictures = {f"pictures/{task}.png" for task in manifest["tasks"]}
    assert {*files} == {".gitattributes", "README.md", "manifest.json", "eval.yaml", *pictures, *shards}
    assert all(files[name] == (folder / name).read_bytes() for name in ("manifest.json", *shards))
    assert hub.repos[REPO].tags == {default_tag(manifest["tasks"]): hub.repos[REPO].branches["main"]}


def test_a_release_that_is_downloaded_verifies_and_shows_its_pictures(
    folder: Path, tmp_path: Path, user: dict[str, str]
) -> None:
    """Published again from there, it is the same."""
    published(folder, user, "--tag", "v1.0")
    copy = tmp_path / "copy"
    code = f"""
from huggingface_hub import snapshot_download
snapshot_download({REPO!r}, repo_type="dataset", revision="v1.0", local_dir={str(copy)!r})
"""
    python(code, user)
    succeed("verify", copy, cwd=tmp_path)
    shown = re.findall(r"!\[.*\]\((.*)\)", (copy / "README.md").read_text())
    assert shown == ["pictures/dyck2.png", "pictures/string-reversal.png"]
    assert all((copy / name).read_bytes().startswith(b"\x89PNG") for name in shown)
    again = json.loads(published(copy, user, "--dry-run", "--tag", "v1.1", "--format", "json"))
    assert {entry["change"] for entry in again["files"]} == {"unchanged"}
    (copy / "eval.yaml").write_text((copy / "eval.yaml").read_text().replace("dyck2/test", "dyck2/best"))
    assert "eval.yaml was edited" in refused(marnn("verify", copy, cwd=tmp_path), 5)


def test_a_tag_is_never_moved(folder: Path, user: dict[str, str], hub: Hub) -> None:
    published(folder, user)
    before = dict(hub.repos[REPO].tags), len(hub.repos[REPO].commits)
    assert "already" in refused(publish(folder, user), 2)
    assert before == (hub.repos[REPO].tags, len(hub.repos[REPO].commits))


def test_an_interrupted_release_goes_on_without_uploading_again(
    folder: Path, user: dict[str, str], hub: Hub
) -> None:
    published(folder, user)
    tags = dict(hub.repos[REPO].tags)
    hub.repos[REPO].tags.clear()
    hub.log.clear()
    published(folder, user)
    assert hub.repos[REPO].tags == tags
    assert not [line for line in hub.log if line.startswith("PUT") or "/commit/" in line]


def test_files_of_an_older_release_stay_under_its_tag_only(
    folder: Path, tmp_path: Path, user: dict[str, str], hub: Hub
) -> None:
    published(folder, user, "--tag", "v1.0")
    smaller = tmp_path / "smaller"
    succeed("generate", "--task", "dyck2", "--rows", 50, "--out", smaller, cwd=tmp_path)
    published(smaller, user, "--tag", "v1.1")
    repo = hub.repos[REPO]
    older, newer = repo.commits[repo.tags["v1.0"]], repo.commits[repo.tags["v1.1"]]
    assert {path.split("/")[1] for path in older if path.startswith("data/")} == {"dyck2", "string-reversal"}
    assert {path.split("/")[1] for path in newer if path.startswith("data/")} == {"dyck2"}
    assert newer[DYCK2_TEST] == (smaller / DYCK2_TEST).read_bytes() != older[DYCK2_TEST]


def changes_in(listed: str) -> dict[str, str]:
    """What is printed of each file."""
    return {entry["file"]: entry["change"] for entry in json.loads(listed)["files"]}


def test_a_dry_run_lists_all_that_would_change_and_changes_nothing(
    folder: Path, tmp_path: Path, user: dict[str, str], hub: Hub
) -> None:
    """Without a token: before there is a repository, beside an older release, and where nothing is to be done."""
    asked, nobody = ("--dry-run", "--format", "json"), user | {"HF_TOKEN": ""}
    first = json.loads(published(folder, nobody, *asked))
    assert not first["uploaded"] and {entry["change"] for entry in first["files"]} == {"new"}
    assert not hub.repos
    published(folder, user, "--tag", "v1.0")
    sizes = {entry["file"]: entry["bytes"] for entry in first["files"]}
    assert sizes == {
        name: len(content) for name, content in main_files(hub).items() if name != ".gitattributes"
    }
    assert {*changes_in(published(folder, nobody, *asked, "--tag", "v1.1")).values()} == {"unchanged"}
    smaller = tmp_path / "smaller"
    succeed("generate", "--task", "dyck2", "--rows", 50, "--out", smaller, cwd=tmp_path)
    before, commits = main_files(hub), len(hub.repos[REPO].commits)
    listed = changes_in(published(smaller, nobody, *asked))
    removed = {name for name, change in listed.items() if change == "removed"}
    assert {name.split("/")[1].removesuffix(".png") for name in removed} == {"string-reversal"}
    assert listed[DYCK2_TEST] == listed["README.md"] == listed["eval.yaml"] == "changed"
    assert len(hub.repos[REPO].commits) == commits
    published(smaller, user)
    after = main_files(hub)
    assert {name for name in before if name not in after} == {
        name for name, change in listed.items() if change == "removed"
    }
    assert {name for name in after if before.get(name) != after[name]} == {
        name for name, change in listed.items() if change in ("new", "changed")
    }


def test_the_benchmark_is_known_to_the_hub_by_its_splits(
    folder: Path, user: dict[str, str], hub: Hub
) -> None:
    published(folder, user)
    about = yaml.safe_load(main_files(hub)["eval.yaml"])
    assert about["evaluation_framework"] == "marnn-bench"
    assert {(task["id"], task["config"], task["split"]) for task in about["tasks"]} == {
        (f"{task}/{split}", task, split)
        for task, entry in json.loads((folder / "manifest.json").read_text())["tasks"].items()
        for split in entry["splits"]
        if split != "train"
    }


RETRIED = pytest.mark.slow
"""The client tries these again for half a minute."""


@pytest.mark.parametrize(
    "at",
    [
        pytest.param("PUT /lfs", marks=RETRIED),
        pytest.param("POST /datasets/org/name.git", marks=RETRIED),
        f"POST /api/datasets/{REPO}/commit",
    ],
)
def test_an_upload_that_breaks_leaves_the_main_branch_as_it_was(
    at: str, folder: Path, tmp_path: Path, user: dict[str, str], hub: Hub
) -> None:
    """Wherever the connection drops for good; then the same command ends what was begun."""
    published(folder, user, "--tag", "v1.0")
    before = dict(main_files(hub))
    smaller = tmp_path / "smaller"
    succeed("generate", "--task", "dyck2", "--rows", 50, "--out", smaller, cwd=tmp_path)

    def drop(request: str) -> None:
        if request.startswith(at):
            raise Dropped

    hub.disturb = drop
    broken = publish(smaller, user, "--tag", "v1.1")
    assert broken.code == 2
    assert "Cannot reach" in broken.error or "goes on where it stopped" in broken.error
    assert main_files(hub) == before and [*hub.repos[REPO].tags] == ["v1.0"]
    hub.disturb = lambda request: None
    published(smaller, user, "--tag", "v1.1")
    assert main_files(hub)[DYCK2_TEST] == (smaller / DYCK2_TEST).read_bytes()


def test_what_somebody_else_commits_meanwhile_is_not_overwritten(
    folder: Path, tmp_path: Path, user: dict[str, str], hub: Hub
) -> None:
    published(folder, user, "--tag", "v1.0")
    repo = hub.repos[REPO]
    smaller = tmp_path / "smaller"
    succeed("generate", "--task", "dyck2", "--rows", 50, "--out", smaller, cwd=tmp_path)

    def meddle(request: str) -> None:
        if "/commit/" in request:
            repo.commit({**main_files(hub), "theirs.txt": b"new"})

    hub.disturb = meddle
    assert "changed by somebody else" in refused(publish(smaller, user, "--tag", "v1.1"), 2)
    assert "theirs.txt" in main_files(hub) and [*repo.tags] == ["v1.0"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"HF_TOKEN": ""}, "Not logged in"),
        ({"HF_TOKEN": "unknown"}, "does not know your token"),
        ({"HF_TOKEN": "reader"}, "may not write to org/name"),
        ({"HF_ENDPOINT": "http://127.0.0.1:9"}, "Cannot reach http://127.0.0.1:9"),
        ({"HF_HUB_OFFLINE": "1"}, "HF_HUB_OFFLINE is set"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_who_may_not_publish_is_told_in_one_line(
    changed: dict[str, str], said: str, folder: Path, user: dict[str, str], hub: Hub
) -> None:
    assert said in refused(publish(folder, user | changed), 2)
    assert not hub.repos


def test_a_damaged_folder_is_not_uploaded(folder: Path, user: dict[str, str], hub: Hub) -> None:
    shard = folder / DYCK2_TEST
    shard.write_bytes(shard.read_bytes()[:-1])
    assert DYCK2_TEST in refused(publish(folder, user), 5)
    assert hub.log == []


@pytest.mark.parametrize("damage", ["edited", "missing", "no card", "other card", "no manifest", "no splits"])
def test_a_folder_that_is_not_whole_makes_no_release(damage: str, folder: Path) -> None:
    shard, manifest = folder / DYCK2_TEST, folder / "manifest.json"
    match damage:
        case "edited":
            content = bytearray(shard.read_bytes())
            content[100] ^= 1
            shard.write_bytes(content)
        case "missing":
            shard.unlink()
        case "no card":
            (folder / "README.md").unlink()
        case "other card":
            (folder / "README.md").write_text((folder / "README.md").read_text() + "\nmore\n")
        case "no manifest":
            manifest.unlink()
        case "no splits":
            manifest.write_text(manifest.read_text().replace('"splits"', '"slpits"'))
    with pytest.raises(DataError):
        prepare(folder)


@pytest.mark.parametrize("repo", ["name", "org/name/more", "or--g/name", "org/na me", "-org/name"])
def test_a_malformed_repository_is_refused(repo: str) -> None:
    with pytest.raises(UsageError, match=repo):
        check_repo(repo)


@pytest.mark.parametrize("tag", ["", "v 1", "../v1", "v1..2", "-v1", "v1."])
def test_a_tag_that_git_would_refuse_is_refused_first(tag: str, data: Path) -> None:
    with pytest.raises(UsageError, match="Tag"):
        prepare(data, tag)


def test_a_private_repository_is_created_private(folder: Path, user: dict[str, str], hub: Hub) -> None:
    published(folder, user, "--private")
    assert hub.repos[REPO].private


def test_the_default_tag_names_the_content() -> None:
    def tasks(version: str, digest: str) -> dict[str, object]:
        return {"dyck2": {"version": version, "splits": {"test": {"digest": digest}}}}

    tags = [
        default_tag(tasks(version, digest)) for version in ("1.0", "1.10", "1.9") for digest in ("a", "b")
    ]
    assert len(set(tags)) == 6
    both = tasks("1.9", "a") | {"dyck3": tasks("1.10", "a")["dyck2"]}
    assert default_tag(both).startswith("v1.10-")
