"""Answers of an endpoint that were paid for, kept in a file: a line of JSON for each."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from marnn_bench.errors import DataError


@dataclass
class AnswerCache:
    """The answers of one model behind one endpoint, by what was asked; each is on disk before it is used."""

    file: Path
    _known: dict[str, Any] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, folder: Path, *about: str) -> "AnswerCache":
        """That of a model, with what it already has. A last line that was cut off is left out."""
        folder.mkdir(parents=True, exist_ok=True)
        cache = cls(folder / f"{_digest(json.dumps(about))[:24]}.jsonl")
        if cache.file.exists():
            *whole, rest = cache.file.read_bytes().split(b"\n")
            try:
                cache._known = {entry["asked"]: entry["answer"] for entry in map(json.loads, whole)}
            except (ValueError, KeyError, TypeError):
                raise DataError(
                    f"{cache.file} is damaged. Remove it; its answers are asked for again."
                ) from None
            if rest:  # the process was killed while it wrote
                cache.file.write_bytes(b"".join(line + b"\n" for line in whole))
        return cache

    def get(self, asked: str) -> Any:
        """The answer to this, or None."""
        return self._known.get(_digest(asked))

    def put(self, asked: str, answer: Any) -> None:
        """Keep an answer."""
        entry = {"asked": _digest(asked), "answer": answer}
        with self._lock:
            with self.file.open("ab") as lines:
                lines.write(json.dumps(entry).encode() + b"\n")
            self._known[entry["asked"]] = answer


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
