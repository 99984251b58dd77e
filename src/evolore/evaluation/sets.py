"""Finding the data sets a command names, and what each is called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evolore.errors import InvalidValue, UnreadableSource
from evolore.evaluation.records import read_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.evaluation.records import Record

_ENDINGS = (".jsonl", ".jsonl.gz")


def set_name(path: Path) -> str:
    """Give the file's name without its endings.

    >>> set_name(Path("data/choi.dev.jsonl.gz"))
    'choi.dev'
    """
    return path.name.removesuffix(".gz").removesuffix(".jsonl")


def find_sets(
    paths: Sequence[Path], *, fits: Callable[[Record], bool], form: str, name_of: Callable[[Path], str] = set_name
) -> tuple[Path, ...]:
    """List the data files to measure on, each once, in the order given; a folder's own are sorted by name.

    Args:
        paths: Files, and folders whose ``.jsonl`` and ``.jsonl.gz`` files are taken where they fit.
        fits: Tells from a file's first line whether it has the form asked for.
        form: That form, as errors name it.
        name_of: Gives what a set is called.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, a folder holds none, or two sets have one name.
    """
    found: dict[Path, None] = {}
    for path in paths:
        found.update(dict.fromkeys(_sets_of(Path(path), fits, form)))
    _refuse_shared_names(tuple(found), name_of)
    return tuple(found)


def check_count(value: int | None, name: str) -> None:
    """Refuse a count below 1; None passes.

    Raises:
        InvalidValue: It is below 1.
    """
    if value is not None and value < 1:
        raise InvalidValue(f"{name} is {value}: give at least 1, or leave it out.")


def _sets_of(path: Path, fits: Callable[[Record], bool], form: str) -> tuple[Path, ...]:
    if path.is_dir():
        inside = sorted(file for file in path.iterdir() if file.is_file() and file.name.endswith(_ENDINGS))
        fitting = tuple(file for file in inside if _begins_fitting(file, fits))
        if not fitting:
            raise InvalidValue(f"{path} holds no .jsonl or .jsonl.gz file of {form}: name a file or another folder.")
        return fitting
    if not path.exists():
        raise UnreadableSource(f"{path} does not exist: give a .jsonl or .jsonl.gz file, or a folder of them.")
    if not _begins_fitting(path, fits):
        raise InvalidValue(f"{path}, line 1 is not of this form: give lines of {form}.")
    return (path,)


def _begins_fitting(path: Path, fits: Callable[[Record], bool]) -> bool:
    first = next(read_records(path), None)
    return first is not None and fits(first)


def _refuse_shared_names(paths: Sequence[Path], name_of: Callable[[Path], str]) -> None:
    by_name: dict[str, Path] = {}
    for path in paths:
        other = by_name.setdefault(name_of(path), path)
        if other != path:
            raise InvalidValue(f"{other} and {path} are both called {name_of(path)!r}: rename one, or measure apart.")
