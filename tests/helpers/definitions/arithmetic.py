"""Sums as texts with integers in them, added by Python."""

import re

from helpers.definitions.definition import Definition, String
from marnn_bench.generators.languages.arithmetic import BinaryAddition

OPERAND = "(0|1[01]*)"


def completion(prefix: String) -> String | None:
    text = "".join(prefix)
    begun = text.partition("=")[0]
    for rest in ["="] if "=" in text else ["=", "0=", "+0=", "0+0="]:
        if sides := re.fullmatch(rf"{OPERAND}\+{OPERAND}=", begun + rest):
            total = f"{int(sides[1], 2) + int(sides[2], 2):b}"
            whole = f"{sides[0]}{total[::-1]}."
            return tuple(whole[len(text) :]) if whole.startswith(text) else None
    return None


DEFINITIONS = (
    Definition(BinaryAddition(), lambda string: completion(string) == (), completion, uncounted=None),
)
