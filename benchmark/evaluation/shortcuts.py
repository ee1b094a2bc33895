"""What `eval ANSWERS.jsonl` and `eval --command` are short for: a model file of two lines, in the user's cache.

It names what it stands for by its digest, so that a program or an answer that changes makes another model.
"""

import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from marnn_bench.file_digests import file_digest
from marnn_bench.generators.kernels.cache import cache_folder

ANSWERS: Final = (".jsonl", ".parquet")
"""How the names of files of answers end."""

ANSWERS_FILE: Final = """\
from marnn_bench.adapters.answers_file import AnswersFile

load = AnswersFile.of({path!r})  # sha256 {digest}
"""

COMMAND: Final = """\
from marnn_bench.adapters.command import Command

load = Command.of({words}, folder={folder!r})
"""


def answers_text(path: Path) -> str:
    """The model file for a file of answers."""
    return ANSWERS_FILE.format(path=str(path.absolute()), digest=file_digest(path))


def command_text(words: Sequence[str], files: Sequence[Path]) -> str:
    """The model file for a program and its options, in this folder; `files`: those of the words that are files."""
    digests = "".join(f"# {file}: sha256 {file_digest(file)}\n" for file in files)
    return digests + COMMAND.format(words=", ".join(map(repr, words)), folder=str(Path.cwd()))


def written(name: str, text: str) -> Path:
    """A model file with this text in the user's cache, in a folder of its own."""
    folder = cache_folder() / "models" / hashlib.sha256(text.encode()).hexdigest()[:24]
    file = folder / f"{name}.py"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        number, temporary = tempfile.mkstemp(dir=folder.parent, prefix=".new-")
        with os.fdopen(number, "w", encoding="utf-8") as new:
            new.write(text)
        Path(temporary).replace(file)
    return file
