"""The languages once more, each by a definition that shares nothing with the package: no automaton, no stack, no exponent.

A module beside this one holds the definitions of one family in its tuple DEFINITIONS; a new module is found by itself.
"""

from importlib import import_module
from pkgutil import iter_modules

from helpers.definitions.definition import Definition, String

__all__ = ["DEFINITIONS", "Definition", "String"]

_FAMILIES = sorted({module.name for module in iter_modules(__path__)} - {"definition"})

DEFINITIONS: tuple[Definition, ...] = tuple(
    definition for family in _FAMILIES for definition in import_module(f"{__name__}.{family}").DEFINITIONS
)
