"""Whether JSON from strangers is of its JSON Schema."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jsonschema import Draft202012Validator

Schema = Mapping[str, Any]

LONGEST_SAID: Final = 200
"""Characters of an error: it repeats what was sent."""


@cache
def result_schema() -> Schema:
    """That of result.json."""
    text = files("marnn_bench.evaluation").joinpath("result.schema.json").read_text(encoding="utf-8")
    found: Schema = json.loads(text)
    return found


def problem(value: Any, schema: Schema) -> str | None:
    """The first place where a value is not as its schema says; None if it is.

    >>> problem({"a": "1"}, {"type": "object", "properties": {"a": {"type": "number"}}})
    "a: '1' is not of type 'number'"
    """
    found = next(Draft202012Validator(schema).iter_errors(value), None)
    if found is None:
        return None
    place = found.json_path.removeprefix("$").removeprefix(".")
    return f"{place}: {found.message}"[:LONGEST_SAID] if place else found.message[:LONGEST_SAID]
