"""What a training leaves behind: a model file that answers as the model does, a checkpoint that says what it holds."""

import csv
import importlib.util
import json
import math
import os
import pickle
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from helpers.command_line import succeed
from helpers.paths import ROOT
from marnn_bench.asking.protocol import ModelTask
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.noise import PrefixNoise
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.training.checkpoint import load_checkpoint, load_tensors, save_tensors
from marnn_bench.baselines.training.data import train_rows
from marnn_bench.baselines.training.experiment import Experiment
from marnn_bench.baselines.training.folder import CHECKPOINT, CURVES, TRAINING, curves, new_folder
from marnn_bench.baselines.training.record import TrainingRecord
from marnn_bench.baselines.training.trained_model import LoadedRun
from marnn_bench.errors import DataError, UsageError
from marnn_bench.tasks.registry import find_task

RUNS, ROWS = 3, 12
TRAINED = [
    ("rnn", "dyck2"),
    ("lstm", "string-reversal"),
    ("lstm", "dyck6"),
    ("stack-rnn", "dyck2"),
    ("stack-rnn", "marked-palindrome"),
    ("stack-rnn-joulin-mikolov", "dyck2"),
    ("stack-lstm-temperature", "dyck2"),
    ("baby-ntm", "marked-palindrome"),
    ("baby-ntm-gumbel", "dyck2"),
]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """A cache for this file alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARNN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def train_into(out: Path, model: str, task_name: str, overwrite: bool = False) -> None:
    baseline, task = find_baseline(model), find_task(task_name)
    Experiment.from_paper(baseline, task, RUNS).train_into(out, rows=ROWS, overwrite=overwrite)


@pytest.fixture(scope="module", params=TRAINED, ids="-".join)
def trained(request, tmp_path_factory):
    """A folder with a few runs, and what they were trained on."""
    model, task = request.param
    out = tmp_path_factory.mktemp(f"{model}-{task}")
    train_into(out, model, task)
    return out, find_task(task)


def model_file(folder: Path) -> ModuleType:
    """Its model.py, imported as the evaluator does."""
    spec = importlib.util.spec_from_file_location("model_under_test", folder / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def asked(task, run: int) -> ModelTask:
    return ModelTask(task.name, tuple(task.language.alphabet), task.columns, task.view.name, run)


def answer(model: ModuleType | LoadedRun, ids: np.ndarray) -> np.ndarray:
    """Scores after every symbol of n strings of one length: ids [n, steps] -> [n, steps, columns]"""
    model.reset(len(ids))
    return np.stack([model.step(symbols) for symbols in ids.T], axis=1)


def some_ids(task, streams: int, steps: int) -> np.ndarray:
    return np.random.default_rng(0).integers(len(task.language.alphabet), size=(streams, steps))


def as_asked(folder: Path, run: int, ids: np.ndarray) -> StringInputs:
    """The inputs of all steps: the last temperature of the training, noise by run and prefix."""
    record, cell, _ = load_checkpoint(folder / CHECKPOINT).run(run)
    stream = PrefixNoise(record.seed, run, len(ids), cell.noise)
    noise = torch.from_numpy(np.stack([stream.after(symbols) for symbols in ids.T], 1))
    temperature = math.exp(-1e-4 * 3 * ROWS)
    return StringInputs(torch.tensor(temperature, dtype=torch.float64), noise[None], training=False)


def test_the_door_answers_as_the_model_does(trained):
    """Each of its runs, in any order; each string from an empty memory."""
    folder, task = trained
    module, ids = model_file(folder), some_ids(task, streams=5, steps=130)
    scores = {}
    for run in (2, 0, 1):
        loaded = module.load(asked(task, run))
        _, cell, parameters = load_checkpoint(folder / CHECKPOINT).run(run)
        expected = cell.scores(parameters, torch.from_numpy(ids)[None], as_asked(folder, run, ids))[0].numpy()
        scores[run] = answer(loaded, ids)
        assert np.abs(scores[run] - expected).max() <= 1e-12
        assert np.array_equal(answer(loaded, ids), scores[run])
    assert scores[0].shape == (5, 130, len(task.columns))
    assert not np.allclose(scores[0], scores[1])


@pytest.mark.parametrize("streams", [1, 2, 5, 16, 23, 100, 255])
def test_a_stream_is_answered_alike_among_others_to_the_bit(trained, streams):
    folder, task = trained
    ids = some_ids(task, streams=256, steps=30)
    model = model_file(folder).load(asked(task, run=0))
    chosen = np.random.default_rng(streams).permutation(256)[:streams]
    assert np.array_equal(answer(model, ids[chosen]), answer(model, ids)[chosen])


def test_the_checkpoint_holds_all_that_rebuilds_the_model(trained):
    folder, task = trained
    training = json.loads((folder / TRAINING).read_text())
    about, tensors = load_tensors(folder / CHECKPOINT)
    record, numbers = TrainingRecord.from_json(about), sum(tensor.numel() for tensor in tensors.values())
    assert {name: training[name] for name in record.as_json()} == json.loads(json.dumps(record.as_json()))
    assert record.task.columns == task.columns
    assert record.task.digest == train_rows(task, rows=ROWS)[1].digest
    assert record.deviations == {"rows": {"paper": task.split("train").rows, "here": ROWS}}
    assert (
        numbers
        == record.runs * record.parameters
        == RUNS * find_baseline(record.model).cell(task).num_parameters
    )


def test_the_same_training_writes_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        train_into(tmp_path / name, "stack-rnn", "dyck2")
    for file in (CHECKPOINT, CURVES, "model.py"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_curves_are_means_of_blocks_of_updates():
    losses = torch.arange(2 * 5 * 2, dtype=torch.float64).view(2, 5, 2)  # [epoch, string, run]
    assert list(curves(losses, every=2))[:6] == [
        (0, 2, 1, "1"), (0, 4, 1, "5"), (0, 5, 1, "8"), (0, 7, 2, "11"), (0, 9, 2, "15"), (0, 10, 2, "18"),
    ]  # fmt: skip


def test_the_curve_ends_in_the_loss_of_the_last_epoch(trained):
    folder, _ = trained
    with (folder / CURVES).open() as file:
        last = [row for row in csv.DictReader(file) if row["epoch"] == "3"]
    assert [(row["run"], row["update"]) for row in last] == [(str(run), str(3 * ROWS)) for run in range(RUNS)]
    final = json.loads((folder / TRAINING).read_text())["final_loss"]
    assert [float(row["loss"]) for row in last] == pytest.approx(final, rel=1e-5)


def test_a_model_of_other_symbols_is_refused(trained):
    folder, task = trained
    other = find_task("dyck3")  # none of ours has its symbols
    with pytest.raises(UsageError, match=f"trained on {task.name}.*train it with --task dyck3"):
        model_file(folder).load(asked(other, 0))
    with pytest.raises(UsageError, match="has the runs 0 to 2, not 3"):
        model_file(folder).load(asked(task, 3))


@pytest.mark.parametrize("model", ["rnn", "lstm", "stack-rnn"])
def test_trainings_of_record_version_1_are_read_and_answer_as_they_did(model):
    """Folders of an earlier version, and the scores that it gave."""
    folder = ROOT / "tests" / "baselines" / "trained" / "version1" / model
    record = json.loads((folder / TRAINING).read_text())
    assert record["schema_version"] == 1
    task, module = find_task(record["task"]["name"]), model_file(folder)
    ids = np.random.default_rng(0).integers(len(task.language.alphabet), size=(2, 12))
    for run, scores in enumerate(np.load(folder / "scores.npy")):
        module.load(asked(task, run))
        assert np.abs(answer(module, ids) - scores).max() <= 1e-12


@pytest.mark.parametrize("model", ["baby-ntm-gumbel", "stack-lstm-gumbel"])
def test_a_model_with_noise_passes_the_checks_of_the_evaluator(model, tmp_path):
    """Which ask some strings twice, in other company and in another order."""
    train_into(tmp_path / "mine", model, "dyck2")
    said = succeed("check", "mine", "--task", "dyck2", "--format", "json", cwd=tmp_path)
    assert {check["passed"] for check in json.loads(said)["checks"]} == {True}


def damage_header(content: bytes) -> bytes:
    return b"\xff" * 8 + content[8:]


def drop_a_tensor_name(content: bytes) -> bytes:
    return content.replace(b"hidden.weight", b"hidden.waggon")


def drop_the_record(content: bytes) -> bytes:
    return content.replace(b'"__metadata__":{"training"', b'"__metadata__":{"straying"')


def ask_for_other_sizes(content: bytes) -> bytes:
    return content.replace(rb"\"hidden\": 8", rb"\"hidden\": 9")


def change_a_number(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


def pickle_it(content: bytes) -> bytes:
    return pickle.dumps(content)


@pytest.mark.parametrize(
    "edit",
    [
        lambda content: content[:-100],
        lambda content: b"",
        damage_header,
        drop_a_tensor_name,
        drop_the_record,
        ask_for_other_sizes,
        change_a_number,
        pickle_it,
    ],
)
def test_a_damaged_checkpoint_is_called_damaged(tmp_path, edit):
    train_into(tmp_path, "rnn", "dyck2")
    path = tmp_path / CHECKPOINT
    content = path.read_bytes()
    assert edit(content) != content
    path.write_bytes(edit(content))
    with pytest.raises(DataError, match=r"is damaged .* Train the model again"):
        load_checkpoint(path)
    path.unlink()
    with pytest.raises(DataError, match="is missing"):
        load_checkpoint(path)


def test_a_checkpoint_of_another_version_is_called_that(tmp_path):
    train_into(tmp_path, "rnn", "dyck2")
    path = tmp_path / CHECKPOINT
    about, tensors = load_tensors(path)
    path.write_bytes(save_tensors({**about, "schema_version": 99, "marnn_bench": "7.0", "new": 1}, tensors))
    with pytest.raises(
        DataError, match=r"was written by marnn-bench 7\.0.* Use that, or train the model again"
    ):
        load_checkpoint(path)


def test_the_train_accuracy_is_what_the_evaluator_says_of_the_train_split(tmp_path):
    """Of runs that have some of the strings right, of which Gumbel noise decides."""
    data = ("generate", "--task", "dyck1", "--rows", 40, "--window", "2:12", "--out", "data")
    succeed(*data, cwd=tmp_path)
    arguments = ("--task", "dyck1", "--data", "data", "--runs", 3, "--out", "mine")
    said = succeed("train", "stack-rnn-gumbel", *arguments, "--epochs", 9, cwd=tmp_path)
    training = json.loads((tmp_path / "mine" / TRAINING).read_text())
    succeed("eval", "mine", "--data", "data", "--split", "train", "--out", "result", cwd=tmp_path)
    samples = pq.read_table(tmp_path / "result" / "samples.parquet", columns=["run", "correct"]).to_pandas()
    shares = samples.groupby("run")["correct"].mean().tolist()
    assert training["train_accuracy"] == shares
    assert any(0 < share < 1 for share in shares)
    assert f"train accuracy, %: min {100 * min(shares):.2f}, " in said


def test_nothing_is_overwritten_unasked_or_by_a_training_that_fails(tmp_path):
    train_into(tmp_path, "rnn", "dyck2")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(UsageError, match="is not empty"), new_folder(tmp_path, overwrite=False):
        pytest.fail("work was done before the folder was refused")
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path, overwrite=True) as folder:
        (folder / "model.py").write_text("half a training")
        raise KeyboardInterrupt
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    train_into(tmp_path, "lstm", "dyck2", overwrite=True)
    assert json.loads((tmp_path / TRAINING).read_text())["model"] == "lstm"


def test_what_a_killed_training_left_does_not_count_as_content(tmp_path):
    (tmp_path / ".partial-killed").mkdir()
    train_into(tmp_path, "rnn", "dyck2")
    assert (tmp_path / TRAINING).exists()


def test_files_can_be_read_by_others(tmp_path):
    train_into(tmp_path, "rnn", "dyck2")
    mask = os.umask(0o022)
    os.umask(mask)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o666 & ~mask}


def test_a_longer_train_split_begins_with_the_shorter_one():
    """So that a run on 12 rows is the beginning of one on 15."""
    task = find_task("dyck2")
    (_, few), (_, more) = train_rows(task, rows=12), train_rows(task, rows=15)
    assert np.array_equal(few.strings.ids, more.take(range(12)).strings.ids)
