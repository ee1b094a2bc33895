"""A whole leaderboard: a folder with our results, submissions and hidden splits.

FOLDER/results/       trained by the maintainers: MODEL/TASK/SPLIT/result.json
FOLDER/submissions/   NAME/submission.json, and below it what was submitted
FOLDER/hidden/        NAME/commitment.json

Where an entry lies says who vouches for it; nothing that it says of itself does.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from marnn_bench.errors import UsageError
from marnn_bench.leaderboard.standings.entries import Entry, Standing, read_results
from marnn_bench.leaderboard.validation.checking import Submission, check_submission
from marnn_bench.leaderboard.validation.description import DESCRIPTION, read_description
from marnn_bench.leaderboard.validation.hidden import COMMITMENT, Hidden, read_hidden

RESULTS: Final = "results"
SUBMISSIONS: Final = "submissions"
HIDDEN: Final = "hidden"


def read_board(folder: Path) -> tuple[Entry, ...]:
    """All entries of a leaderboard, or those among the results below any other folder.

    DataError for the first submission or result that is not what it says.
    """
    if not any((folder / name).is_dir() for name in (RESULTS, SUBMISSIONS)):
        return read_results(folder)
    ours = read_results(folder / RESULTS, Standing.RETRAINED) if (folder / RESULTS).is_dir() else ()
    hidden = hidden_splits(folder / HIDDEN)
    places = submission_folders(folder / SUBMISSIONS) if (folder / SUBMISSIONS).is_dir() else []
    found = [checked(place, hidden, anew=False).entry for place in places]
    return (*ours, *found)


def submission_folders(folder: Path) -> list[Path]:
    """The submissions in a folder, or the folder itself if it is one."""
    if (folder / DESCRIPTION).is_file():
        return [folder]
    return sorted(_folders(folder))


def hidden_splits(folder: Path) -> dict[str, Hidden]:
    """The hidden splits in a folder, by name; with their keys where these are shown."""
    if not folder.is_dir():
        return {}
    return {place.name: read_hidden(place) for place in _folders(folder) if (place / COMMITMENT).is_file()}


def checked(folder: Path, hidden: dict[str, Hidden], *, anew: bool = True) -> Submission:
    """A submission, checked, with the hidden splits that it names."""
    return check_submission(folder, hidden.get(answers_hidden(folder) or ""), anew=anew)


def answers_hidden(folder: Path) -> str | None:
    """Which hidden splits a submission says it answers, if it can be read; whether it can, its check says."""
    try:
        return read_description(folder).hidden
    except (OSError, ValueError, TypeError):
        return None


def _folders(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder.")
    yield from (place for place in folder.iterdir() if place.is_dir() or place.is_symlink())
