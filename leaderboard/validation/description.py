"""submission.json: what an entry is called, whose it is, and which files belong to it."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from marnn_bench.leaderboard.validation.limits import DESCRIPTION_BYTES, MOST_RESULTS
from marnn_bench.leaderboard.validation.schemas import problem
from marnn_bench.leaderboard.validation.strict_json import check_texts, read

DESCRIPTION: Final = "submission.json"
SCHEMA_VERSION: Final = 1

NAME: Final = r"[A-Za-z0-9](?:[A-Za-z0-9 ._+-]{0,62}[A-Za-z0-9+])?"
"""Of an entry: letters, digits and a few marks, none of which means anything in Markdown, HTML, LaTeX, CSV or a path."""

URL: Final = r"https://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~/?=%+-]*)?"
PLACE: Final = r"(?:[a-z0-9]+(?:-{1,2}[a-z0-9]+)*)/[A-Za-z_][A-Za-z0-9_]*/(?:result\.json|samples\.parquet|errors\.jsonl)"

RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
"""Names that Windows keeps for itself."""

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "schema_version": {"const": SCHEMA_VERSION},
        "name": {"type": "string", "pattern": rf"\A{NAME}\Z"},
        "authors": {"type": "string", "minLength": 1},
        "url": {"type": "string", "pattern": rf"\A{URL}\Z"},
        "hidden": {"type": "string", "pattern": r"\A[a-z0-9]+(?:[.-][a-z0-9]+)*\Z"},
        "files": {
            "type": "object",
            "minProperties": 3,
            "propertyNames": {"pattern": rf"\A{PLACE}\Z"},
            "additionalProperties": {"type": "string", "pattern": r"\A[0-9a-f]{64}\Z"},
        },
    },
    "required": ["schema_version", "name", "files"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Description:
    """What a submission says of itself.

    files:   sha256 of each, by its place below the folder: TASK/SPLIT/result.json, samples.parquet, errors.jsonl
    hidden:  the hidden splits that it answers, by name, if it does
    """

    name: str
    files: Mapping[str, str]
    authors: str | None = None
    url: str | None = None
    hidden: str | None = None

    def __post_init__(self) -> None:
        if found := problem(self.record(), SCHEMA):
            raise ValueError(found)
        if RESERVED.fullmatch(self.slug):
            raise ValueError(f"name: Windows keeps {self.slug} for itself")

    @property
    def slug(self) -> str:
        """What its folder is called.

        >>> Description("My Stack-RNN", dict.fromkeys(("a/test/result.json", "b/test/result.json", "c/test/result.json"), "0" * 64)).slug
        'my-stack-rnn'
        """
        return self.name.lower().replace(" ", "-")

    @property
    def results(self) -> tuple[str, ...]:
        """The places of its results below its folder."""
        return tuple(sorted({name.rpartition("/")[0] for name in self.files}))

    def record(self) -> dict[str, Any]:
        """As plain data."""
        said = {name: value for name, value in asdict(self).items() if value is not None}
        return {"schema_version": SCHEMA_VERSION, **said}

    def text(self) -> str:
        """As submission.json has it."""
        return json.dumps(self.record(), indent=1) + "\n"


def read_description(folder: Path) -> Description:
    """That of a submission. ValueError if it is not as it should be."""
    said = read(folder / DESCRIPTION, DESCRIPTION_BYTES, 10 * MOST_RESULTS)
    if found := problem(said, SCHEMA):
        raise ValueError(f"{DESCRIPTION}: {found}")
    check_texts(said)
    return Description(**{name: value for name, value in said.items() if name != "schema_version"})
