"""What people would send who want to stop the board, to lie to it, or to write on its page: name -> how a sound submission is changed.

A change gets the folder of a submission of one result, `anbncn/test`. Digests fit wherever the change is not one of digests, so
that each reaches the check that it is for.
"""

import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from helpers.forged_results import Keys, change_samples, drop_field, set_field
from helpers.synthetic_results import write_record

PLACE: Final = "anbncn/test"
Change = Callable[[Path], object]


def sealed(folder: Path) -> None:
    """submission.json with the digests of the files as they are now."""
    described = json.loads((folder / "submission.json").read_text())
    described["files"] = {
        name: sha256((folder / name).read_bytes()).hexdigest() for name in described["files"]
    }
    (folder / "submission.json").write_text(json.dumps(described))


def description(data: bytes) -> Change:
    """submission.json of these bytes."""
    return lambda folder: (folder / "submission.json").write_bytes(data)


def said(**fields: Any) -> Change:
    """Other fields of submission.json; None leaves one out."""

    def change(folder: Path) -> None:
        record = {**json.loads((folder / "submission.json").read_text()), **fields}
        text = json.dumps({name: value for name, value in record.items() if value is not None})
        (folder / "submission.json").write_text(text)

    return change


def listed(files: Any) -> Change:
    """submission.json that names these files, too."""

    def change(folder: Path) -> None:
        record = json.loads((folder / "submission.json").read_text())
        record["files"].update(files)
        (folder / "submission.json").write_text(json.dumps(record))

    return change


def raw(data: bytes) -> Change:
    """result.json of these bytes."""

    def change(folder: Path) -> None:
        (folder / PLACE / "result.json").write_bytes(data)
        sealed(folder)

    return change


def text(old: str, new: str) -> Change:
    """result.json with some of its text replaced, once."""

    def change(folder: Path) -> None:
        path = folder / PLACE / "result.json"
        if old not in path.read_text():
            raise ValueError(f"{old} is not there: the case says nothing")
        path.write_text(path.read_text().replace(old, new, 1))
        sealed(folder)

    return change


def field(*keys: str | int, value: Any) -> Change:
    """Another value of a field of result.json, with digests that fit."""

    def change(folder: Path) -> None:
        set_field(folder / PLACE, keys, value)
        sealed(folder)

    return change


def without(*keys: str | int) -> Change:
    """result.json without a field, with digests that fit."""

    def change(folder: Path) -> None:
        drop_field(folder / PLACE, keys)
        sealed(folder)

    return change


def samples(change_table: Callable[[pa.Table], pa.Table], rows_a_group: int | None = None) -> Change:
    """Other samples, with digests that fit."""

    def change(folder: Path) -> None:
        change_samples(folder / PLACE, change_table, rows_a_group)
        sealed(folder)

    return change


def sample_bytes(make: Callable[[bytes], bytes]) -> Change:
    """Other bytes of samples.parquet, with digests that fit."""

    def change(folder: Path) -> None:
        path = folder / PLACE / "samples.parquet"
        path.write_bytes(make(path.read_bytes()))
        write_record(folder / PLACE, json.loads((folder / PLACE / "result.json").read_text()))
        sealed(folder)

    return change


def column(name: str, values: Callable[[pa.ChunkedArray], pa.Array]) -> Change:
    """Another column of the samples."""

    def change(table: pa.Table) -> pa.Table:
        return table.set_column(table.column_names.index(name), name, values(table[name]))

    return samples(change)


def link(place: str, target: str) -> Change:
    """A symbolic link where a file was."""

    def change(folder: Path) -> None:
        (folder / place).unlink()
        (folder / place).symlink_to(target)

    return change


def added(place: str, data: bytes = b"") -> Change:
    """A file that the description does not name."""

    def change(folder: Path) -> None:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(data)

    return change


def _noisy_footer(data: bytes) -> bytes:
    """The beginning of the metadata is noise."""
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:start] + bytes(range(200, 250)) + data[start + 50 :]


def _second_result(folder: Path) -> None:
    """The same samples under the name of another task."""
    other = folder / "dyck2" / "test"
    other.mkdir(parents=True)
    for path in (folder / PLACE).iterdir():
        (other / path.name).write_bytes(path.read_bytes())
    names = ("result.json", "samples.parquet", "errors.jsonl")
    listed({f"dyck2/test/{name}": "0" * 64 for name in names})(folder)
    sealed(folder)


def _bomb(table: pa.Table) -> pa.Table:
    """Five million equal rows: some kilobytes of Parquet."""
    lists = pa.ListArray.from_arrays(np.zeros(BOMB + 1, np.int32), pa.array([], pa.int16()))
    equal = {"run": np.zeros(BOMB, np.uint16), "row": np.zeros(BOMB, np.uint32), "predicted": lists}
    equal |= {"correct": np.ones(BOMB, bool), "first_error": np.zeros(BOMB, np.int32)}
    return pa.table({name: pa.array(values) for name, values in equal.items()}, schema=table.schema)


def _pickled(table: pa.Table) -> pa.Table:
    """What some readers would unpickle."""
    payload = b"cos\nsystem\n(S'touch pwned'\ntR."
    about = {b"pandas": payload, b"ARROW:extension:name": b"arrow.py_extension_type"}
    marked = pa.field(
        "run", table.schema.field("run").type, metadata={**about, b"ARROW:extension:metadata": payload}
    )
    schema = table.schema.set(table.column_names.index("run"), marked).with_metadata(about)
    return table.cast(schema).replace_schema_metadata(about).slice(0, table.num_rows - 1)


VALUE: Final[Keys] = ("runs", 0, "metrics", "solved_sizes", "value")
LEVELS: Final = 100_000
BOMB: Final = 5_000_000

JSON: Final[dict[str, bytes]] = {
    "empty": b"",
    "no JSON": b"hello",
    "cut off": b'{"schema_version": 1, "name": "x"',
    "a list": b"[]",
    "a number": b"1",
    "null": b"null",
    "a text": b'"submission"',
    "UTF-16": '{"schema_version": 1}'.encode("utf-16"),
    "Latin-1": b'{"name": "\xe9"}',
    "a byte order mark": b'\xef\xbb\xbf{"name": "x"}',
    "NUL bytes": b"\0" * 100,
    "deep lists": b"[" * LEVELS,
    "deep objects": b'{"a":' * LEVELS,
    "deep and closed": b"[" * LEVELS + b"]" * LEVELS,
    "deep inside": b'{"name": ' + b"[" * LEVELS + b"]" * LEVELS + b"}",
    "brackets behind a quote": b'{"\\": ' + b"[" * LEVELS,
    "a key twice": b'{"name": "a", "name": "b"}',
    "NaN": b'{"name": NaN}',
    "an infinity": b'{"name": -Infinity}',
    "beyond floats": b'{"schema_version": 1e999}',
    "an integer of many digits": b'{"schema_version": ' + b"9" * 100_000 + b"}",
    "a float of many digits": b'{"schema_version": 1.' + b"0" * 100_000 + b"}",
    "many values": b"[" + b"0," * 3_000_000 + b"0]",
    "many quotes": b'"' * 300_000,
    "many backslashes": b'"' + b"\\" * 300_001,
    "a lone surrogate": b'{"name": "\\ud800"}',
    "markup as a key": b'{"<img src=x onerror=alert(1)>": 1}',
}
"""For both files of JSON."""

NAMES: Final = {
    "markup": "<script>alert(1)</script>",
    "an attribute": '" onload="alert(1)',
    "a newline": "good\n# Board",
    "a line's end": "good\n",
    "turned around": "good\u202egnp.exe",
    "an escape": "good\x1b[2J",
    "a path": "../../etc",
    "a path of Windows": "..\\..\\x",
    "dots": "..",
    "a dot": ".git",
    "a dash": "-rf",
    "a device": "con",
    "a device with an ending": "aux.txt",
    "a pipe in Markdown": "a | b",
    "a formula": "=HYPERLINK(1)",
    "LaTeX": "\\input{/etc/passwd}",
    "empty": "",
    "a blank": " ",
    "long": "x" * 65,
    "a look-alike": "gооd",
    "a zero-width space": "go\u200bod",
}

URLS: Final = (
    "javascript:alert(1)", "http://example.org", "https://", 'https://x.org/"><b>', "https://user:word@x.org",
    "https://x.org\n", "data:text/html,x", "file:///etc/passwd", "https://x.org/ y",
)  # fmt: skip

FILES: Final = {
    "above": "../../../../etc/passwd",
    "absolute": "/etc/passwd",
    "through dots": f"{PLACE}/../test/result.json",
    "a backslash": "anbncn\\test\\result.json",
    "another kind": f"{PLACE}/model.pt",
    "a program": f"{PLACE}/setup.py",
    "a newline": f"{PLACE}/result.json\n",
    "markup": "<b>/test/result.json",
    "missing": "dyck2/test/result.json",
}

NUMBERS: Final[dict[str, Any]] = {
    "a text": "1.0", "true": True, "null": None, "more than one": 1.5, "less than none": -0.1, "a list": [1.0],
    "an object": {}, "better": 0.987654, "huge": 1e308,
}  # fmt: skip

RECORDS: Final[dict[str, Change]] = {
    "no runs": field("runs", value=[]),
    "runs that are no list": field("runs", value={"0": {}}),
    "runs that are null": field("runs", value=None),
    "too many runs": field("runs", value=[{}] * 1001),
    "a run that is none": field("runs", 0, value=7),
    "empty metrics": field("runs", 0, "metrics", value={}),
    "an empty breakdown": field("runs", 0, "by_length", value=[]),
    "no breakdown": without("runs", 0, "by_length"),
    "a metric that is not there": without("runs", 0, "metrics", "solved_sizes"),
    "an unknown metric": field("runs", 0, "metrics", "luck", value={"value": 1.0}),
    "more strings right": field("runs", 0, "by_length", 0, "correct", value=10**6),
    "lower above upper": field("runs", 0, "metrics", "solved_sizes", "lower", value=2.0),
    "another summary": field("summary", "metrics", "solved_sizes", "mean", value=1.0),
    "no summary": without("summary"),
    "worse trivial answers": field("trivial", value=[]),
    "an older version": field("schema_version", value=1),
    "a version as text": field("schema_version", value="2"),
    "a later version": field("schema_version", value=99),
    "another task": field("task", "name", value="dyck2"),
    "no such task": field("task", "name", value="dyck99"),
    "a task of markup": field("task", "name", value="<b>"),
    "a task above": field("task", "name", value="../anbncn"),
    "a task that is a number": field("task", "name", value=3),
    "another split": field("task", "split", value="train"),
    "no such split": field("task", "split", value="nonsense"),
    "another law": field("task", "law", value="geometric"),
    "another window": field("task", "window", value="1:2"),
    "another version of the task": field("task", "version", value="0.1"),
    "another digest": field("task", "digest", value="0" * 64),
    "fewer rows": field("task", "rows", value=1),
    "negative rows": field("task", "rows", value=-1),
    "no task": without("task"),
    "no model": without("model"),
    "a model that is a list": field("model", value=[]),
    "a model's name of two lines": field("model", "name", value="a\nb"),
    "a model's name with an escape": field("model", "name", value="\x1b[2J"),
    "a model's name turned around": field("model", "name", value="a\u202eb"),
    "a long name of a model": field("model", "name", value="x" * 10_000),
    "samples elsewhere": field("samples", "file", value="../../../samples.parquet"),
    "samples of the system": field("samples", "file", value="/etc/passwd"),
    "other samples' digest": text('"samples": {', '"samples": {"sha256": "0", '),
    "more samples": field("samples", "rows", value=10**9),
    "lost strings kept quiet": field("errors", "rows", value=-1),
    "an unknown key": field("comment", value="hello"),
    "another integrity": text('"integrity": "', '"integrity": "0'),
}

SAMPLES: Final[dict[str, Change]] = {
    "empty": sample_bytes(lambda data: b""),
    "no Parquet": sample_bytes(lambda data: b"PAR1 nothing PAR1"),
    "cut off": sample_bytes(lambda data: data[: len(data) // 2]),
    "without its end": sample_bytes(lambda data: data[:-4]),
    "a footer of four gigabytes": sample_bytes(lambda data: data[:-8] + b"\xff\xff\xff\xff" + b"PAR1"),
    "a footer of noise": sample_bytes(_noisy_footer),
    "noise in its pages": sample_bytes(lambda data: data[:40] + b"\xff" * 40 + data[80:]),
    "no rows": samples(lambda table: table.slice(0, 0)),
    "fewer rows": samples(lambda table: table.slice(0, table.num_rows - 1)),
    "rows twice": samples(lambda table: pa.concat_tables([table, table])),
    "rows turned around": samples(lambda table: table.take(list(range(table.num_rows))[::-1])),
    "one row many times": samples(lambda table: table.take([0] * table.num_rows)),
    "no columns": samples(lambda table: table.select([])),
    "a column less": samples(lambda table: table.drop_columns([table.column_names[-1]])),
    "a column more": samples(lambda table: table.append_column("more", pa.nulls(table.num_rows))),
    "a column twice": samples(lambda table: table.append_column("run", table["run"])),
    "columns of other names": samples(
        lambda table: table.rename_columns([f"{n}_" for n in table.column_names])
    ),
    "a run that is not there": column("run", lambda runs: pa.array([7] * len(runs), runs.type)),
    "runs of text": column("run", lambda runs: pa.array(["0"] * len(runs))),
    "runs of null": column("run", lambda runs: pa.nulls(len(runs), runs.type)),
    "a bomb": samples(_bomb, BOMB),
    "a pickle": samples(_pickled),
}

FOLDERS: Final[dict[str, Change]] = {
    "no description": lambda folder: (folder / "submission.json").unlink(),
    "no result": lambda folder: (folder / PLACE / "result.json").unlink(),
    "no samples": lambda folder: (folder / PLACE / "samples.parquet").unlink(),
    "no errors": lambda folder: (folder / PLACE / "errors.jsonl").unlink(),
    "a link to the system": link(f"{PLACE}/result.json", "/etc/passwd"),
    "a link that leads nowhere": link(f"{PLACE}/samples.parquet", "nowhere"),
    "a link to itself": link("submission.json", "submission.json"),
    "a folder that is a link": lambda folder: (folder / "loop").symlink_to(folder, target_is_directory=True),
    "a pipe": lambda folder: os.mkfifo(folder / "pipe"),
    "a program beside it": added("conftest.py", b"raise SystemExit"),
    "a hidden file": added(".gitattributes", b"* filter=x"),
    "a name of markup": added("<img src=x onerror=alert(1)>"),
    "a name of two lines": added("a\nb"),
    "a name that is no text": lambda folder: os.mkfifo(os.fsencode(folder / "x") + b"\xff"),
    "too deep": added("a/b/c/d/e/f"),
    "many files": lambda folder: [added(f"{number}")(folder) for number in range(1000)],
    "a file that is not what it says": added(f"{PLACE}/errors.jsonl", b"{}\n"),
    "a file that grew": added("submission.json", b" " * (2 << 20)),
    "errors without end": lambda folder: (
        added(f"{PLACE}/errors.jsonl", b"\n" * (17 << 20))(folder),
        sealed(folder),
    ),
    "the same samples twice": _second_result,
}

HOSTILE: Final[dict[str, Change]] = {
    **{f"folder: {name}": change for name, change in FOLDERS.items()},
    **{f"description: {name}": description(data) for name, data in JSON.items()},
    **{f"name: {name}": said(name=value) for name, value in NAMES.items()},
    **{f"url: {value!a}": said(url=value) for value in URLS},
    **{f"files: {name}": listed({value: "0" * 64}) for name, value in FILES.items()},
    "files: none": said(files={}),
    "files: a list": said(files=[f"{PLACE}/result.json"]),
    "files: digests in capitals": listed({f"{PLACE}/result.json": "A" * 64}),
    "files: digests of numbers": listed({f"{PLACE}/result.json": 0}),
    "files: very many": listed({f"task-{n}/test/result.json": "0" * 64 for n in range(5000)}),
    "authors: empty": said(authors=""),
    "authors: long": said(authors="x" * 5000),
    "authors: an escape": said(authors="\x1b]0;x\x07"),
    "authors: a list": said(authors=["a"]),
    "hidden: above": said(hidden="../x"),
    "hidden: not there": said(hidden="2030-01"),
    "hidden: a number": said(hidden=3),
    "version: later": said(schema_version=2),
    "version: true": said(schema_version=True),
    "version: none": said(schema_version=None),
    "an unknown field": said(rank=1),
    **{f"result: {name}": raw(data) for name, data in JSON.items()},
    **{f"figure: {name}": field(*VALUE, value=value) for name, value in NUMBERS.items()},
    **{f"record: {name}": change for name, change in RECORDS.items()},
    **{f"samples: {name}": change for name, change in SAMPLES.items()},
}  # fmt: skip
