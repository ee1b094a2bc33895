"""The parts of a page that are generated: what lies between `<!-- name -->` and `<!-- /name -->`."""

from pathlib import Path


def with_part(page: Path, name: str, text: str) -> str:
    """The page with this text as the part of this name. ValueError if the page has no such part."""
    before, begin, rest = page.read_text().partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- /{name} -->")
    if not (begin and end):
        raise ValueError(f"{page} has no part {name}: write <!-- {name} --> and <!-- /{name} --> into it.")
    return f"{before}{begin}{text.rstrip()}\n{end}{after}"
