"""Data sets: found by name, read as JSON lines with errors that name file and line, times in any form."""

from __future__ import annotations

import gzip
import json
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Generic, Protocol, TypeGuard, TypeVar

from evolore.domain.language import Language
from evolore.errors import InvalidValue, UnreadableSource
from evolore.text.scripts import detect_language

_GZIP_MAGIC = b"\x1f\x8b"
_SHOWN = 60
WORDINGS = 'a list of wordings, or {"all_of": [[wording, …], …]}'
V = TypeVar("V")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One JSON object, and where it is."""

    fields: Mapping[str, object]  #: Its keys and values, unchecked.
    where: str  #: File and line, as errors name them.

    def refuse(self, key: str, wanted: str) -> InvalidValue:
        """Build the error that says what ``key`` is and what it should be."""
        if key not in self.fields:
            return InvalidValue(f'{self.where}: "{key}" is missing: give {wanted}.')
        return InvalidValue(f'{self.where}: "{key}" is {_show(self.fields[key])}: give {wanted}.')

    @contextmanager
    def placing(self) -> Generator[None]:
        """Name the file and line in the error of a value that is made of the record."""
        try:
            yield
        except InvalidValue as error:
            raise InvalidValue(f"{self.where}: {error}") from error

    def text(self, key: str) -> str:
        """Return a string.

        Raises:
            InvalidValue: It is missing or something else.
        """
        value = self.fields.get(key)
        if not isinstance(value, str):
            raise self.refuse(key, "a string")
        return value

    def filled(self, key: str, what: str = "a text") -> str:
        """Return a string that is not blank.

        Raises:
            InvalidValue: It is missing, blank or something else.
        """
        text = self.text(key)
        if not text.strip():
            raise self.refuse(key, f"{what} that is not blank")
        return text

    def share(self, key: str) -> float:
        """Return a number from 0 to 1.

        Raises:
            InvalidValue: It is missing or something else.
        """
        value = self.fields.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
            raise self.refuse(key, "a number from 0 to 1")
        return float(value)

    def claim(self, key: str) -> bool:
        """Return what is true or false.

        Raises:
            InvalidValue: It is missing or something else.
        """
        value = self.fields.get(key)
        if not isinstance(value, bool):
            raise self.refuse(key, "true or false")
        return value

    def language(self, text: str) -> Language:
        """Return the stated language; an unknown one is undetermined, and without one the text decides."""
        code = self.optional_name("lang")
        if code is None:
            return detect_language(text)
        return Language(code) if code in set(Language) else Language.UND

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings.

        Raises:
            InvalidValue: It is missing or something else.
        """
        return self._each(key, "a list of strings", lambda item: item if isinstance(item, str) else None)

    def whole_number(self, key: str) -> int:
        """Return a whole number, also where it is written with a point, such as 3.0.

        Raises:
            InvalidValue: It is missing or something else.
        """
        value = self.fields.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            raise self.refuse(key, "a whole number")
        return int(value)

    def whole_numbers(self, key: str) -> tuple[int, ...]:
        """Return a list of whole numbers.

        Raises:
            InvalidValue: It is missing or something else.
        """
        return self._each(key, "a list of whole numbers", lambda item: item if type(item) is int else None)

    def name(self, key: str) -> str:
        """Return an id: a string that is not blank, or a whole number as a string.

        Raises:
            InvalidValue: It is missing or something else.
        """
        name = self.optional_name(key)
        if name is None:
            raise self.refuse(key, "a string that is not blank")
        return name

    def optional_name(self, key: str) -> str | None:
        """Return an id as ``name`` does; None when it is missing, null or blank.

        Raises:
            InvalidValue: It is neither a string nor a whole number.
        """
        value = self.fields.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.refuse(key, "a string, or leave it out")
        return str(value) if str(value).strip() else None

    def names(self, key: str) -> tuple[str, ...]:
        """Return a list of ids.

        Raises:
            InvalidValue: It is missing or something else.
        """
        return self._each(key, "a list of ids", lambda item: str(item) if type(item) in (str, int) else None)

    def wordings(self, key: str) -> tuple[tuple[str, ...], ...]:
        """Return the ways to say each thing that an answer holds; nothing where it is missing.

        Raises:
            InvalidValue: It is neither a string, a list of strings, nor ``{"all_of": …}`` with a list of such.
        """
        answer = self.fields.get(key)
        all_of = answer.get("all_of") if _is_object(answer) else None
        groups: Sequence[object] = () if answer is None else all_of if _is_list(all_of) else [answer]
        said = [group if _is_list(group) else [group] for group in groups]
        read = tuple(tuple(one for one in group if isinstance(one, str) and one) for group in said)
        if any(not some or len(some) < len(group) for some, group in zip(read, said, strict=True)):
            raise self.refuse(key, WORDINGS)
        return read

    def records(self, key: str) -> tuple[Record, ...]:
        """Return a list of objects, each named by its place in the list.

        Raises:
            InvalidValue: It is missing or something else.
        """
        values = enumerate(self.values(key, "a list of objects"))
        return tuple(_record(item, f"{self.where}, {key}[{index}]") for index, item in values)

    def values(self, key: str, wanted: str = "a list") -> tuple[object, ...]:
        """Return a list of anything.

        Raises:
            InvalidValue: It is missing or something else, and not what is ``wanted``.
        """
        value = self.fields.get(key)
        if not _is_list(value):
            raise self.refuse(key, wanted)
        return tuple(value)

    def _each(self, key: str, wanted: str, read: Callable[[object], V | None]) -> tuple[V, ...]:
        values = self.values(key, wanted)
        found = tuple(one for one in map(read, values) if one is not None)
        if len(found) != len(values):
            raise self.refuse(key, wanted)
        return found


def read_records(path: Path) -> Iterator[Record]:
    """Read a file of JSON objects: one a line, blank lines passed over, or all in one array in a ``.json`` file.

    Args:
        path: Plain or gzipped, recognised by its first bytes rather than its name. An array is read whole into memory.

    Raises:
        UnreadableSource: The file cannot be opened, unpacked or decoded, or a line is not JSON.
        InvalidValue: A line is JSON but not an object.
    """
    try:
        with path.open("rb") as raw:
            is_gzip = raw.read(2) == _GZIP_MAGIC
        with gzip.open(path, "rb") if is_gzip else path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if number == 1 and _begins_array(line, path):
                    array = _parse(line + lines.read(), str(path))
                    for place, entry in enumerate(array if _is_list(array) else (), start=1):
                        yield _record(entry, f"{path}, entry {place}")
                elif line.strip():
                    where = f"{path}, line {number}"
                    yield _record(_parse(line, where), where)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableSource(f"{path} cannot be read: {error}. Give a whole .jsonl or .jsonl.gz file.") from error


class Named(Protocol):
    """What has an id that no other of its set has."""

    @property
    def id(self) -> str:
        """Its id."""
        ...


N = TypeVar("N", bound=Named)


def read_named(path: Path, read: Callable[[Record, int], N]) -> tuple[N, ...]:
    """Read a whole set of what has an id each, from its records and their places, from 1.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, or two have one id.
    """
    found: dict[str, N] = {}
    for number, record in enumerate(read_records(path), start=1):
        one = read(record, number)
        if one.id in found:
            raise record.refuse("id", "an id that no other line has")
        found[one.id] = one
    return tuple(found.values())


def _begins_array(line: bytes, path: Path) -> bool:
    return path.name.removesuffix(".gz").endswith(".json") and line.removeprefix(BOM_UTF8).lstrip().startswith(b"[")


def _parse(line: bytes, where: str) -> object:
    try:
        return json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UnreadableSource(
            f"{where} is not JSON in UTF-8: {error}. Give one JSON object a line, or one array in a .json file."
        ) from error


def _record(value: object, where: str) -> Record:
    if not _is_object(value):
        raise InvalidValue(f"{where} is {_show(value)}: give a JSON object.")
    return Record(fields=value, where=where)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _show(value: object) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


_ENDINGS = (".jsonl", ".jsonl.gz")


def set_name(path: Path) -> str:
    """Return the file's name without its endings.

    >>> set_name(Path("data/choi.dev.jsonl.gz"))
    'choi.dev'
    """
    return path.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")


def find_sets(
    paths: Sequence[Path], *, fits: Callable[[Record], bool], form: str, name_of: Callable[[Path], str] = set_name
) -> tuple[Path, ...]:
    """List the data files to measure on, each once, in the order given; a folder's own are sorted by name.

    Args:
        paths: Files, and folders whose ``.jsonl`` and ``.jsonl.gz`` files are taken where they fit.
        fits: Decides from a file's first line whether it has the form asked for.
        form: That form, as errors name it.
        name_of: Returns what a set is called.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, a folder holds none, or two sets have one name.
    """
    found: dict[Path, None] = {}
    for path in paths:
        found.update(dict.fromkeys(_sets_of(Path(path), fits, form)))
    by_name: dict[str, Path] = {}
    for path in tuple(found):
        other = by_name.setdefault(name_of(path), path)
        if other != path:
            raise InvalidValue(f"{other} and {path} are both called {name_of(path)!r}: rename one, or measure apart.")
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetForm(Generic[N]):
    """Sets with a case on each line, whose ids differ."""

    line: str  #: The form of a line, as errors name it.
    fits: Callable[[Record], bool]  #: Decides from a file's first line whether it has that form.
    read_one: Callable[[Record, int], N]  #: Reads a case from its record and its place, from 1.

    def find(self, paths: Sequence[Path]) -> tuple[Path, ...]:
        """List the files of such sets that the paths name, as ``find_sets`` does and raises."""
        return find_sets(paths, fits=self.fits, form=self.line)

    def read(self, path: Path) -> tuple[N, ...]:
        """Read a whole set.

        Raises:
            UnreadableSource: The file cannot be read, or a line is not JSON.
            InvalidValue: A line has another form, or two have one id.
        """
        return read_named(path, self.read_one)


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


_FORMS = (
    "%I:%M %p on %d %B, %Y",
    "%d.%m.%Y, %H:%M:%S",
    "%B-%d-%Y",
    "%Y%m%d_%H:%M",
    "%Y/%m/%d (%a) %H:%M",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%d %B, %Y",
    "%d %B %Y",
    "%B %d, %Y",
)
_DAY = timedelta(days=1)
_MOMENT = timedelta(microseconds=1)


def parse_time(written: str) -> datetime | None:
    """Read ISO 8601 or one of the forms met in dialogue data; None when it is of another form.

    A time without a zone is taken as UTC, a date as its first moment.

    >>> parse_time("1:56 pm on 8 May, 2023").isoformat()
    '2023-05-08T13:56:00+00:00'
    >>> parse_time("some day") is None
    True
    """
    stripped = written.strip()
    try:
        found = datetime.fromisoformat(stripped)
    except ValueError:
        for form in _FORMS:
            try:
                return datetime.strptime(stripped, form).replace(tzinfo=UTC)
            except ValueError:
                continue
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def parse_asked_time(written: str) -> datetime | None:
    """Read the time of a question as ``parse_time`` does, but a date as its last moment.

    A question asked on a day may be about anything said that day.

    >>> parse_asked_time("2023-05-08").isoformat()
    '2023-05-08T23:59:59.999999+00:00'
    """
    found = parse_time(written)
    is_date = found is not None and ":" not in written and found.time() == time.min
    return found + _DAY - _MOMENT if found is not None and is_date else found
