"""Palindromes with and without a marker, and words with as many markers behind them."""

from helpers.definitions.definition import Definition, String
from marnn_bench.generators.languages.even_palindromes import EvenPalindromes
from marnn_bench.generators.languages.palindromes import (
    MarkedPalindromes,
    StringReversal,
    homomorphic_palindromes,
)


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
    grammar = f"S -> {rules} | '{language.marker}'"
    return Definition(language, member, completion, grammar, uncounted=language.marker)


def even_palindrome(language: EvenPalindromes) -> Definition:
    """The same backwards, of even length. What is before the longest palindrome at the end is still to be mirrored."""

    def member(string: String) -> bool:
        return string == string[::-1] and len(string) % 2 == 0

    def completion(prefix: String) -> String | None:
        before = next(prefix[:cut] for cut in range(len(prefix) + 1) if member(prefix[cut:]))
        return before[::-1] if set(prefix) <= set(language.letters) else None

    rules = " | ".join(f"'{a}' S '{a}'" for a in language.letters)
    return Definition(language, member, completion, f"S -> {rules} |", uncounted=None)


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


AB = ("a", "b")
DEFINITIONS = (
    marked_palindrome(MarkedPalindromes(letters=AB, images=AB)),
    marked_palindrome(MarkedPalindromes()),
    marked_palindrome(MarkedPalindromes(letters=AB, images=("x", "y"))),
    marked_palindrome(homomorphic_palindromes()),
    marked_palindrome(MarkedPalindromes(AB, AB, name="memorization", measure="n")),
    even_palindrome(EvenPalindromes()),
    even_palindrome(EvenPalindromes(("a", "b", "c"))),
    string_reversal(StringReversal(letters=AB)),
    string_reversal(StringReversal()),
)
