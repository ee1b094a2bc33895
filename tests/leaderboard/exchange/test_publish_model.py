"""Publishing a trained model, with the real Hub clients, to the small hub of hub_server.py."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from helpers.command_line import Outcome, marnn, succeed
from helpers.hub_server import Hub, running_hub

REPO = "org/model"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained model, its result, and that of another training."""
    base = tmp_path_factory.mktemp("trained")
    succeed("generate", "--task", "dyck2", "--rows", 50, "--out", "data", cwd=base)
    for name, seed in (("model", 0), ("other", 1)):
        asked = ("--task", "dyck2", "--rows", 20, "--epochs", 1, "--runs", 2, "--seed", seed)
        succeed("train", "rnn", *asked, "--out", name, cwd=base)
        succeed("eval", name, "--out", f"{name}-result", cwd=base)
    return base


@pytest.fixture
def hub() -> Iterator[Hub]:
    with running_hub({"writer": {"org"}}) as running:
        yield running


@pytest.fixture
def user(hub: Hub, tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who may write for org, and has an empty home."""
    offline = {"HF_HUB_DISABLE_XET": "1", "HF_HUB_OFFLINE": "0"}
    return {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "HF_TOKEN": "writer", **offline}


def published(place: Path, user: dict[str, str], *options: object) -> Outcome:
    return marnn("publish-model", "model", "--repo", REPO, *options, cwd=place, **user)


def files_in(hub: Hub) -> dict[str, bytes]:
    repo = hub.repos[REPO]
    return repo.commits[repo.branches["main"]]


def test_a_published_model_is_downloaded_and_evaluated_as_it_was(
    place: Path, user: dict[str, str], hub: Hub, tmp_path: Path
) -> None:
    """By the commands of its card."""
    outcome = published(place, user, "model-result", "--dataset", "org/data", "--license", "mit")
    assert outcome.code == 0, outcome.err
    card = files_in(hub)["README.md"].decode()
    (download,) = [line for line in card.splitlines() if line.startswith("$ hf download")]
    hf = Path(sys.executable).parent / "hf"
    subprocess.run(
        [hf, *download.split()[2:]], cwd=tmp_path, env={**user, "HF_TOKEN": "", "PATH": ""}, check=True
    )
    for name in ("checkpoint.safetensors", "model.py", "training.json", "curves.csv"):
        assert (tmp_path / "model" / name).read_bytes() == (place / "model" / name).read_bytes()
    succeed("eval", "model", "--data", place / "data", "--out", "again", cwd=tmp_path)
    runs = [
        [run["metrics"] for run in json.loads((of / "result.json").read_bytes())["runs"]]
        for of in (place / "model-result", tmp_path / "again")
    ]
    assert runs[0] == runs[1]


def test_the_card_says_what_the_model_is_and_how_it_does(place: Path, user: dict[str, str], hub: Hub) -> None:
    published(place, user, "model-result", "--dataset", "org/data", "--license", "mit")
    _, front, text = files_in(hub)["README.md"].decode().split("---\n", 2)
    about = yaml.safe_load(front)
    assert (about["license"], about["datasets"], about["library_name"]) == (
        "mit",
        ["org/data"],
        "marnn-bench",
    )
    result = json.loads((place / "model-result" / "result.json").read_bytes())
    assert f"{result['summary']['metrics']['position_accuracy']['mean']:.4f}" in text
    assert "| counter " in text and "arxiv.org/abs/1911.03329" in text
    from huggingface_hub import parse_eval_result_entries

    entries = parse_eval_result_entries(yaml.safe_load(files_in(hub)[".eval_results/marnn-bench.yaml"]))
    assert [(entry.dataset_id, entry.task_id) for entry in entries] == [("org/data", "dyck2/test")]


def test_a_second_release_is_the_same_or_has_another_tag(place: Path, user: dict[str, str], hub: Hub) -> None:
    assert published(place, user).code == 0
    again = published(place, user)
    assert again.code == 2 and "already" in again.error
    listed = published(place, user, "--tag", "v2.0", "--dry-run")
    assert listed.code == 0 and "checkpoint.safetensors" in listed.out
    assert [line.split()[-1] for line in listed.out.splitlines() if line.startswith("checkpoint")] == [
        "unchanged"
    ]
    assert len(hub.repos[REPO].tags) == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["other-result"], "is not of model"),
        (["--license"], "requires an argument"),
        (["--tag", "v 1"], "is not possible"),
        (["--dataset", "data"], "has no owner"),
    ],
)
def test_what_does_not_belong_to_the_model_is_refused(
    asked: list[str], said: str, place: Path, user: dict[str, str], hub: Hub
) -> None:
    outcome = published(place, user, *asked)
    assert outcome.code == 2 and said in outcome.err
    assert not hub.repos


def test_a_folder_without_a_training_is_refused(tmp_path: Path, user: dict[str, str]) -> None:
    outcome = marnn("publish-model", ".", "--repo", REPO, cwd=tmp_path, **user)
    assert outcome.code == 2 and "holds no training" in outcome.error
