"""What a definition of a language says."""

from collections.abc import Callable
from dataclasses import dataclass

from marnn_bench.generators.language import Language

String = tuple[str, ...]


@dataclass(frozen=True)
class Definition:
    """Membership of a string and, for a live prefix, a shortest completion. `completion` is None for a dead prefix."""

    language: Language
    member: Callable[[String], bool]
    completion: Callable[[String], String | None]
    grammar: str = ""
    """In nltk's notation, symbols quoted; nothing for a language that is not context-free."""
    uncounted: str | None = ""
    """A symbol of completions that the language's depth does not count; None if its depth is no completion's length."""

    @property
    def name(self) -> str:
        return f"{self.language.name} over {len(self.language.alphabet)} symbols by {self.language.measure}"

    def next_set(self, prefix: String) -> set[str]:
        """The symbols after which some completion is left, and END for a member."""
        going_on = {s for s in self.language.alphabet if self.completion((*prefix, s)) is not None}
        return going_on | ({"END"} if self.member(prefix) else set())
