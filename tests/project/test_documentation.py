"""Every command in README and docs is run, as it stands, in an empty folder."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

import api
import quickstart
import readme
import reproduced
from helpers.chat_server import chat_server, text
from helpers.command_line import marnn
from helpers.paths import ROOT
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.leaderboard.reproduce.tables import find_reproduction
from marnn_bench.library.evaluate import evaluate
from marnn_bench.scoring.metrics import LOWER_IS_BETTER
from marnn_bench.tasks.registry import find_task
from marnn_bench.views import View

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
QUICK = ["--epochs", "1", "--rows", "50"]
"""What is added to `train`, so that a page takes seconds; the demo trains in full."""


def commands(page: Path) -> list[list[str]]:
    """The commands behind a $ sign in the console blocks of a page."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [shlex.split(line.removeprefix("$ "), comments=True) for line in lines]


def model_files(page: Path) -> dict[str, str]:
    """The files that Python blocks show, by the name in their first comment."""
    blocks = re.findall(r"```python\n# (\S+\.py)\n(.*?)```", page.read_text(), re.DOTALL)
    return dict(blocks)


ENDPOINT = "http://localhost:8000/v1"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """What stands for the endpoint of a page."""
    with chat_server(lambda asked: text("yes")) as server:
        yield server.url


def write_language_model(folder: Path) -> None:
    """What stands for the language model of a page: one of a few thousand parameters, untrained."""
    words = Tokenizer(WordLevel({"<end>": 0, "(": 1, ")": 2, "[": 3, "]": 4}, unk_token="<end>"))
    words.pre_tokenizer = Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>").save_pretrained(folder)
    sizes = GPT2Config(vocab_size=5, n_positions=128, n_embd=8, n_layer=1, n_head=1, eos_token_id=0)
    GPT2LMHeadModel(sizes).save_pretrained(folder)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_commands_of_a_page_work(page: Path, endpoint: str, tmp_path: Path) -> None:
    for name, content in model_files(page).items():
        (tmp_path / name).write_text(content.replace(ENDPOINT, endpoint))
    if "my-gpt2" in page.read_text():
        write_language_model(tmp_path / "my-gpt2")
    for program, *arguments in commands(page):
        if program == "python":
            subprocess.run([sys.executable, *arguments], cwd=tmp_path, check=True)
            continue
        if program == "cc":
            for source in (argument for argument in arguments if argument.endswith(".c")):
                shutil.copy(ROOT / "examples" / source, tmp_path)
            subprocess.run([program, *arguments], cwd=tmp_path, check=True)
            continue
        assert program == "marnn-bench"
        quick = QUICK if arguments[0] == "train" else []
        outcome = marnn(*arguments, *quick, cwd=tmp_path)
        assert outcome.code == 0, f"{arguments}: {outcome.err}"


SHOWN = model_files(ROOT / "docs" / "models.md")


@pytest.mark.parametrize("name", SHOWN)
def test_the_models_on_the_page_of_models_are_right(name: str, tmp_path: Path) -> None:
    """Every answer of theirs; in language modelling, better than those of a bigram model."""
    (tmp_path / name).write_text(SHOWN[name])
    (task,) = ModelSource.find(tmp_path / name).tasks
    result = evaluate(tmp_path / name, task, rows=50)
    if result.examples.task.headline in LOWER_IS_BETTER:
        bigram = next(it for it in result.record["trivial"] if it["name"] == "bigram")
        assert result.accuracy < bigram["metrics"][result.examples.task.headline]
    else:
        assert result.accuracy == 1


def test_the_page_of_models_has_one_for_each_view() -> None:
    source = (ROOT / "docs" / "models.md").read_text()
    tasks = re.findall(r'^tasks = \("(.+)",\)$', source, re.MULTILINE)
    assert {find_task(name).view.name for name in tasks} == {view.name for view in get_args(View)}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_python_blocks_of_a_page_run(page: Path) -> None:
    """One after the other, but for those that are files of their own."""
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(?!# \S+\.py)(.*?)```", page.read_text(), re.DOTALL):
        exec(block, names)  # noqa: S102


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#:]+)\)", prose):
        assert (page.parent / target).exists(), target


def test_the_table_of_tasks_in_the_readme_is_up_to_date() -> None:
    """If not: make docs"""
    assert readme.README.read_text() == readme.readme()


def test_the_tables_on_the_page_of_baselines_are_up_to_date() -> None:
    """If not: make docs"""
    assert reproduced.PAGE.read_text() == reproduced.page()
    assert {path.stem for path in reproduced.RECORDS.iterdir()} == {
        find_reproduction(it["name"], it.get("preset", "paper")).folder for it in reproduced.records()
    }


def test_the_page_of_the_library_is_up_to_date() -> None:
    """If not: make docs"""
    assert api.API.read_text() == api.page()


def test_the_notebook_runs_and_finds_what_it_says() -> None:
    outputs = [o for cell in quickstart.executed().cells for o in cell.get("outputs", ())]
    assert "1.0" in [o.get("data", {}).get("text/plain") for o in outputs]


def test_every_command_of_the_program_says_in_one_line_what_it_does() -> None:
    """The list that `--help` prints without importing a command says what the command itself does."""
    import importlib

    from marnn_bench.cli import COMMANDS

    for name, (place, line) in COMMANDS.items():
        module, _, attribute = place.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert (command.help or "").strip().splitlines()[0] == line, name


def test_the_pages_of_the_documentation_are_built_without_a_warning(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "-d",
        tmp_path / "doctrees",
        ROOT / "docs",
        tmp_path / "pages",
    ]
    subprocess.run(command, check=True)
    pages = {path.stem for path in (tmp_path / "pages").rglob("*.html")}
    assert pages >= {path.stem for path in (ROOT / "docs").rglob("*.md")}
