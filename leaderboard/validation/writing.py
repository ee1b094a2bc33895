"""A submission written from results: the folder that is sent as a pull request."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from marnn_bench.errors import UsageError
from marnn_bench.evaluation.records import ERRORS, RESULT, SAMPLES, read_record
from marnn_bench.file_digests import file_digest
from marnn_bench.leaderboard.validation.checking import check_submission
from marnn_bench.leaderboard.validation.description import DESCRIPTION, Description
from marnn_bench.leaderboard.validation.hidden import Hidden


def write_submission(
    results: Sequence[Path],
    above: Path,
    name: str,
    *,
    authors: str | None = None,
    url: str | None = None,
    hidden: Hidden | None = None,
) -> Path:
    """Copy results into a new folder below `above`, described and checked; the folder.

    UsageError if there are two results of a split, or the folder is there; DataError for what would be refused.
    """
    sources: dict[str, Path] = {}
    for result in results:
        task = read_record(result)["task"]
        place = f"{task['name']}/{task['split']}"
        if place in sources:
            raise UsageError(f"{sources[place]} and {result} are both of {place}: submit one of them.")
        sources[place] = result
    files = {
        f"{place}/{file}": source / file
        for place, source in sorted(sources.items())
        for file in (RESULT, SAMPLES, ERRORS)
    }
    try:
        digests = {place: file_digest(path) for place, path in files.items()}
        description = Description(name, digests, authors, url, hidden.name if hidden else None)
    except ValueError as error:
        raise UsageError(
            f"This cannot be submitted: {error}. Names are letters, digits, spaces and . _ + -"
        ) from None
    target = above / description.slug
    if target.exists():
        raise UsageError(f"{target} exists. Choose another --name or --out, or remove it first.")
    above.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=above, prefix=".new-"))
    try:
        written = temporary / description.slug
        for place, path in files.items():
            (written / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, written / place)
        (written / DESCRIPTION).write_text(description.text(), encoding="utf-8")
        check_submission(written, hidden)
        written.rename(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target
