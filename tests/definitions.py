"""The languages once more, each by a definition that shares nothing with the package: no automaton, no stack.

A definition decides membership of a string and, for a live prefix, gives the next-symbol set and a shortest
completion.
"""

from collections.abc import Callable
from dataclasses import dataclass

from marnn_bench.generators.language import Language
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.palindromes import (
    MarkedPalindromes,
    StringReversal,
    homomorphic_palindromes,
)

String = tuple[str, ...]


@dataclass(frozen=True)
class Definition:
    """What a language is, by text rewriting. `completion` is None for a dead prefix."""

    language: Language
    member: Callable[[String], bool]
    completion: Callable[[String], String | None]
    grammar: str
    """In nltk's notation, symbols quoted."""

    @property
    def name(self) -> str:
        return f"{self.language.name} over {len(self.language.alphabet)} symbols"

    def next_set(self, prefix: String) -> set[str]:
        """The symbols after which some completion is left, and END for a member."""
        going_on = {s for s in self.language.alphabet if self.completion((*prefix, s)) is not None}
        return going_on | ({"END"} if self.member(prefix) else set())


def dyck(pairs: int) -> Definition:
    """Well-nested: cancelling adjacent matching brackets leaves nothing; live: it leaves opening brackets only."""
    language = Dyck(pairs)
    closing = dict(language.brackets)

    def reduced(string: String) -> String:
        cancelled = list(string)
        changed = True
        while changed:
            changed = False
            for i in range(len(cancelled) - 1):
                if closing.get(cancelled[i]) == cancelled[i + 1]:
                    del cancelled[i : i + 2]
                    changed = True
                    break
        return tuple(cancelled)

    def completion(prefix: String) -> String | None:
        left = reduced(prefix)
        return tuple(closing[s] for s in reversed(left)) if all(s in closing for s in left) else None

    rules = " | ".join(f"'{a}' S '{b}'" for a, b in language.brackets)
    return Definition(language, lambda string: not reduced(string), completion, f"S -> {rules} | S S |")


def marked_palindrome(language: MarkedPalindromes) -> Definition:
    """The marker once, and behind it the images of what is before it, backwards."""
    image = dict(zip(language.letters, language.images, strict=True))

    def mirrored(word: String) -> String:
        return tuple(image[s] for s in reversed(word))

    def member(string: String) -> bool:
        return completion(string) == ()

    def completion(prefix: String) -> String | None:
        if language.marker not in prefix:
            return (language.marker, *mirrored(prefix)) if set(prefix) <= set(image) else None
        at = prefix.index(language.marker)
        word, rest = prefix[:at], prefix[at + 1 :]
        if not set(word) <= set(image) or mirrored(word)[: len(rest)] != rest:
            return None
        return mirrored(word)[len(rest) :]

    rules = " | ".join(f"'{a}' S '{b}'" for a, b in image.items())
    return Definition(language, member, completion, f"S -> {rules} | '{language.marker}'")


def string_reversal(language: StringReversal) -> Definition:
    """Letters, then as many markers."""

    def member(string: String) -> bool:
        half = len(string) // 2
        return completion(string) == () and string[half:] == (language.marker,) * half

    def completion(prefix: String) -> String | None:
        letters = sum(s in language.letters for s in prefix)
        markers = prefix[letters:]
        if not set(prefix[:letters]) <= set(language.letters) or set(markers) - {language.marker}:
            return None
        return (language.marker,) * (letters - len(markers)) if len(markers) <= letters else None

    rules = " | ".join(f"'{a}' S '{language.marker}'" for a in language.letters)
    return Definition(language, member, completion, f"S -> {rules} |")


DEFINITIONS = (
    dyck(1),
    dyck(2),
    dyck(3),
    dyck(8),
    marked_palindrome(MarkedPalindromes(letters=("a", "b"), images=("a", "b"))),
    marked_palindrome(MarkedPalindromes()),
    marked_palindrome(MarkedPalindromes(letters=("a", "b"), images=("x", "y"))),
    marked_palindrome(homomorphic_palindromes()),
    string_reversal(StringReversal(letters=("a", "b"))),
    string_reversal(StringReversal()),
)
