"""Well-nested brackets and shuffles of them: matching neighbours are removed until none are left."""

from helpers.definitions.definition import Definition, String
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.shuffles import Shuffle


def dyck(pairs: int) -> Definition:
    """Cancelling adjacent matching brackets leaves nothing; live: it leaves opening brackets only."""
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


def shuffle(pairs: int) -> Definition:
    """The brackets of each kind alone: removing matching neighbours leaves nothing; live: it leaves opening ones only."""
    language, brackets = Shuffle(pairs), Dyck(pairs).brackets

    def completion(prefix: String) -> String | None:
        owed: String = ()
        for opening, closing in brackets:
            left = "".join("(" if s == opening else ")" for s in prefix if s in (opening, closing))
            while "()" in left:
                left = left.replace("()", "")
            if ")" in left:
                return None
            owed += (closing,) * len(left)
        return owed

    return Definition(language, lambda string: completion(string) == (), completion)


DEFINITIONS = (*map(dyck, (1, 2, 3, 8)), *map(shuffle, (1, 2, 4, 6)))
