"""What the board shows of the documentation that lies beside it."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from markupsafe import Markup

from marnn_bench.errors import UsageError

INDEX: Final = "index.html"
TRACE: Final = "trace-"

RELATIVE: Final = re.compile(r'href="(?![a-z]+:|#)')


@dataclass(frozen=True)
class Documentation:
    """Pages that Sphinx has written. UsageError if there are none."""

    folder: Path

    def __post_init__(self) -> None:
        if not (self.folder / INDEX).is_file():
            raise UsageError(f"{self.folder} has no {INDEX}. Write the documentation with `make site` first.")

    @cached_property
    def traced(self) -> tuple[str, ...]:
        """The models whose memory it has a picture of."""
        pictures = (self.folder / "_images").glob(f"{TRACE}*.svg")
        return tuple(path.stem.removeprefix(TRACE) for path in pictures)

    @cached_property
    def equations(self) -> dict[str, Markup]:
        """By page of models, as "suzgun2019", their equations, for a page beside the documentation's folder."""
        found = {path.stem: _equations(path) for path in (self.folder / "models").glob("*.html")}
        return {name: equations for name, equations in found.items() if equations}


def _equations(page: Path) -> Markup:
    """What is below that heading, without it; nothing where there is none."""
    section = page.read_text("utf-8").partition('<section id="equations">')[2].partition("</section>")[0]
    return Markup(RELATIVE.sub('href="../docs/models/', section.partition("</h2>")[2]))
