"""Find and read documents that are files."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Final, TypeAlias

from evolore.domain.document import MediaType
from evolore.errors import InvalidSetting, UnreadableSource
from evolore.ports import LeftOut, LeftOutReason, OriginalFile, PathFilter, SourceText, TrackedFile
from evolore.sources import formats
from evolore.sources.decoding import declared_encoding, decode, name_of_binary
from evolore.sources.git import is_branch_dropped, make_branch, read_tracked
from evolore.sources.originals import encoded, original_of, patch_of, replace_original, write_new
from evolore.sources.readers.markdown import whole_words

_PART = re.compile(r"(\*\*/|\*\*|\*|\?|\[[!^]?\]?[^\]]{0,255}\])")
_SPECIAL, _ESCAPED = re.compile(r"([\\\[\]^&~|])"), r"\\\1"
_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def takes(where: PathFilter, below: PurePath) -> bool:
    """Return whether a path below a folder is among those that are meant.

    A pattern takes a path or a folder with all it holds. ``*`` and ``?`` match characters other than ``/``, ``**``
    for any, ``[a-z]`` for one of some. A pattern without ``/`` takes a name at any depth. Case counts.
    """
    is_included = not where.include or any(_fits(pattern, below) for pattern in where.include)
    return is_included and not any(_fits(pattern, below) for pattern in where.exclude)


def _fits(pattern: str, below: PurePath) -> bool:
    wanted = _compiled(pattern)
    return any(wanted.fullmatch(path.as_posix()) for path in (below, *below.parents) if path.name)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    pattern = pattern.removeprefix("./").rstrip("/")
    anywhere = "" if "/" in pattern else "(?:.*/)?"
    try:
        return re.compile(anywhere + "".join(map(_translated, _PART.split(pattern.lstrip("/")))), re.DOTALL)
    except re.error:  # a range that runs backwards, such as [z-a]: it is taken literally
        return re.compile(anywhere + re.escape(pattern.lstrip("/")))


def _translated(part: str) -> str:
    if part in _WILD:
        return _WILD[part]
    if part.startswith("[") and part.endswith("]") and len(part) > len("[]"):
        inside = part[1:-1]
        negation, inside = ("^/", inside[1:]) if inside[0] in "!^" else ("", inside)
        return f"[{negation}{_SPECIAL.sub(_ESCAPED, inside)}]"
    return re.escape(part)


SKIPPED_FOLDERS: Final = frozenset({"node_modules", "__pycache__"})
"""Folders that are not walked, besides hidden ones; a folder named itself is walked under any name."""

_EVERY: Final = PathFilter()
_KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSettings:
    """What a reader takes."""

    max_bytes: int = 200_000_000  #: Largest file it reads, in bytes, at least 1; a file is held in memory whole.

    def __post_init__(self) -> None:
        if self.max_bytes < 1:
            raise InvalidSetting(f"max_bytes is {self.max_bytes}: a file has at least 1 byte.")


class FileReader:
    """Reads files of the kinds of ``formats``; what is no plain text becomes Markdown."""

    def __init__(self, settings: ReaderSettings | None = None) -> None:
        self._settings = settings or ReaderSettings()

    def find(self, paths: Sequence[Path], *, where: PathFilter = _EVERY) -> tuple[Path, ...]:
        """List the files to read, absolute, sorted by path, each once; folders are walked.

        Of a folder come the files with one of ``ENDINGS`` whose reader is installed, and those of ``ON_REQUEST`` that
        a pattern of ``where`` ends with. Hidden files and folders, ``SKIPPED_FOLDERS`` and links to
        folders are passed over. What a folder holds but cannot supply (a broken link, a subfolder without permission)
        is listed too, so that reading it says why. ``where`` narrows what is taken of folders. A link in a folder to
        a file outside all of ``paths`` is passed over unless ``where.follow_links``: ``outside`` lists it.
        """
        found: dict[Path, Path] = {}
        for file, target in self._meant(paths, where):
            if where.follow_links or not _leads_out(file, target, paths):
                # A link and its target are one document; keep the target's own name where both were found.
                found[target] = (
                    file if target not in found else min(found[target], file, key=lambda p: (p != target, p))
                )
        return tuple(sorted(found.values(), key=Path.as_posix))

    def left_out(self, paths: Sequence[Path], *, where: PathFilter = _EVERY) -> tuple[LeftOut, ...]:
        """Count what ``find`` passes over in folders, by reason and name, the most first; each folder is walked once."""
        folders = {Path(os.path.abspath(path)) for path in paths if path.is_dir()}  # noqa: PTH100 - as in _files_at
        tops = [folder for folder in folders if folders.isdisjoint(folder.parents)]
        return counted(why for folder in tops for _, why in _walk(folder, where) if why is not None)

    def outside(self, paths: Sequence[Path], *, where: PathFilter = _EVERY) -> tuple[Path, ...]:
        """List the links in the folders that lead to files outside all of ``paths``, sorted; none where they are followed.

        Otherwise someone who may write into a folder could have any file read that the process may read.
        """
        if where.follow_links:
            return ()
        return tuple(sorted(file for file, target in self._meant(paths, where) if _leads_out(file, target, paths)))

    def _meant(self, paths: Sequence[Path], where: PathFilter) -> Iterator[tuple[Path, Path]]:
        """Yield the files of paths, and what each is in the end."""
        for path in paths:
            for file in _files_at(path, where):
                yield file, _resolve(file)

    def gone(self, sources: Sequence[str], *, below: Sequence[Path], where: PathFilter = _EVERY) -> tuple[str, ...]:
        """List those of these sources that were files that are meant in one of the folders, and are no more.

        A file that is there and cannot be read is not gone.
        """
        folders = [_resolve(path) for path in below if path.is_dir()]
        return tuple(
            source
            for source in sources
            if any(Path(source).is_relative_to(one) and takes(where, Path(source).relative_to(one)) for one in folders)
            and _is_gone(Path(source))
        )

    def read(self, path: Path) -> SourceText:
        """Read one file whole.

        Newlines stay as they are in plain text and Markdown; a byte order mark does not.

        Raises:
            UnreadableSource: It cannot be read, is empty, is binary, is too big or cannot be decoded.
        """
        name = _printable(path)
        source = _source_of(path, name=name)
        data = _read_bytes(path, name=name, max_bytes=self._settings.max_bytes)
        return replace(text_of(data, source=source, name=name, suffix=path.suffix), is_file=True)

    def original(self, path: Path) -> OriginalFile:
        """Read a file so that it can be written again.

        Raises:
            UnreadableSource: It cannot be read or decoded, or it is HTML: the document is what was made of it.
        """
        return self._original(path, _read_bytes(path, name=_printable(path), max_bytes=self._settings.max_bytes))

    def _original(self, path: Path, data: bytes) -> OriginalFile:
        name = _printable(path)
        if formats.format_of(path.suffix) not in {formats.Format.PLAIN, formats.Format.MARKDOWN}:
            raise UnreadableSource(
                f"{name} is {formats.name_of(formats.format_of(path.suffix))}, and the document is the Markdown that was made of it: it cannot be written back. Write it "
                "to another file with `--to` (`to=` in Python)."
            )
        return original_of(path, data, name=name)

    def encoded(self, original: OriginalFile, text: str) -> bytes:
        """Return the bytes of a text in the encoding, with the mark and the line ends of a file."""
        return encoded(original, text)

    def patch(self, original: OriginalFile, data: bytes) -> str:
        """Return what new bytes change in a file, as `git apply` takes it."""
        return patch_of(original, data)

    def write(self, path: Path, data: bytes, *, instead_of: OriginalFile | None = None) -> None:
        """Write a file, whole or not at all: a new one, or in place of what was read."""
        if instead_of is None:
            write_new(path, data)
        else:
            replace_original(instead_of, data)

    def tracked(self, path: Path) -> TrackedFile:
        """Read a file from the commit that is checked out in its git repository."""
        return read_tracked(path, lambda data: self._original(path, data))

    def commit(
        self, files: Sequence[tuple[TrackedFile, bytes]], *, branch: str, message: str, author: str, at: datetime
    ) -> tuple[str, bool]:
        """Commit new bytes of files of one repository on a new branch, and nothing else.

        Returns:
            The commit, and whether it was made; it was not where the branch is there with these bytes.
        """
        return make_branch(files, branch=branch, message=message, author=author, at=at)

    def is_branch_dropped(self, root: Path, branch: str, commit: str) -> bool:
        """Return whether a branch is gone and no other branch or tag holds its commit; False where that is not known."""
        return is_branch_dropped(root, branch, commit)


def text_of(data: bytes, *, source: str, name: str, suffix: str) -> SourceText:
    """Return a file's bytes as a document; the ending of its name says how it is marked up."""
    read_as = formats.format_of(suffix)
    if read_as in {formats.Format.PLAIN, formats.Format.MARKDOWN}:
        _refuse_other(data, suffix, name=name)
        decoded = decode(data, name=name)
        is_markdown = read_as is formats.Format.MARKDOWN
        return SourceText(
            source=source,
            text=decoded.text,
            media_type=MediaType.MARKDOWN if is_markdown else MediaType.PLAIN,
            title=_title_of_markdown(decoded.text) if is_markdown else "",
            encoding=decoded.encoding,
        )
    found = _converted(data, read_as, name=name, suffix=suffix)
    return SourceText(
        source=source,
        text=found.text if read_as is formats.Format.PROGRAM else whole_words(found.text),
        media_type=MediaType.MARKDOWN,
        title=whole_words(found.title),
        encoding=found.encoding,
        notes=found.notes,
        file_date=found.date,
    )


def _converted(data: bytes, read_as: formats.Format, *, name: str, suffix: str) -> formats.Converted:
    if read_as is formats.Format.HTML:
        from evolore.sources.readers.html import to_markdown  # noqa: PLC0415 - 60 ms that only HTML should cost

        decoded = decode(data, name=name, declared=declared_encoding(data))
        found = to_markdown(decoded.text, name=name)
        if not found.text:
            raise UnreadableSource(
                f"{name} shows no text without running its scripts: save the page as a browser shows it, or leave it out."
            )
        return replace(found, encoding=decoded.encoding)
    from evolore.sources.confinement import convert  # noqa: PLC0415 - text alone should not pay for it

    return convert(data, read_as, name=name, suffix=suffix, limits=formats.ReaderLimits())


def _refuse_other(data: bytes, suffix: str, *, name: str) -> None:
    ending = suffix.lower()
    if ending in formats.ARCHIVES:
        raise UnreadableSource(f"{name} is an archive, which is never opened: unpack it, and add the folder.")
    if ending in formats.CONVERTED_BY and (name_of_binary(data) or b"\x00" in data):
        way = formats.CONVERTED_BY[ending].replace("FILE", name)
        raise UnreadableSource(f"{name} is a {ending} file, which is not read: convert it first, by {way}.")


def _leads_out(file: Path, target: Path, paths: Sequence[Path]) -> bool:
    """Return whether the final target lies outside all paths; a link to nothing leads nowhere."""
    if file == target or any(target.is_relative_to(_resolve(path)) for path in paths):
        return False
    return os.path.exists(target)  # noqa: PTH110 - Path.exists() raises for some names


def _is_gone(path: Path) -> bool:
    try:
        path.stat()
    except OSError as error:
        return isinstance(error, (FileNotFoundError, NotADirectoryError))
    return False


def _files_at(path: Path, where: PathFilter) -> Iterator[Path]:
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - Path.absolute() keeps "..", and resolve() follows links
    if absolute.is_dir():
        yield from (file for file, why in _walk(absolute, where) if why is None)
    elif os.path.lexists(absolute):
        yield absolute
    else:
        raise UnreadableSource(f"{_printable(path)} does not exist: check the path.")


WhyNot: TypeAlias = tuple[LeftOutReason, str] | None
"""Why something in a folder is not read, and by what name that is reported; None where it is read."""


def counted(passed: Iterable[tuple[LeftOutReason, str]]) -> tuple[LeftOut, ...]:
    """Count what is passed over, by reason and name, the most first."""
    most_first = sorted(Counter(passed).items(), key=lambda one: (-one[1], one[0]))
    return tuple(LeftOut(reason=reason, name=name, count=count) for (reason, name), count in most_first)


def _walk(top: Path, where: PathFilter) -> Iterator[tuple[Path, WhyNot]]:
    """Yield the files of a folder, and the folders that are not walked; each with why it is not read."""
    unreadable: list[Path] = []
    for root, folders, files in os.walk(top, onerror=lambda error: unreadable.append(Path(error.filename))):
        walked = [name for name in folders if why_not_walked(name) is None]
        yield from ((Path(root, name), why_not_walked(name)) for name in folders if name not in walked)
        for name in walked:
            if Path(root, name).is_symlink():
                yield Path(root, name), (LeftOutReason.LINKED_FOLDER, name)
        folders[:] = walked
        for file in (Path(root, name) for name in files):
            yield file, why_not_read(file.relative_to(top), where)
    yield from ((path, None) for path in unreadable if takes(where, path.relative_to(top)))


def why_not_walked(name: str) -> WhyNot:
    """Return why a folder of this name is not walked; None where it is."""
    if name.startswith("."):
        return LeftOutReason.HIDDEN_FOLDER, name
    return (LeftOutReason.SKIPPED_FOLDER, name) if name in SKIPPED_FOLDERS else None


def why_not_read(below: PurePath, where: PathFilter) -> WhyNot:
    """Return why a file of a folder is not read, by its path below that; None where it is."""
    ending = below.suffix.lower()
    if below.name.startswith("."):
        return LeftOutReason.HIDDEN, ""
    if formats.is_wanted(ending, where.include):
        return None if takes(where, below) else (LeftOutReason.PATTERN, "")
    if ending in formats.ENDINGS:
        return LeftOutReason.EXTRA, ending
    if ending in formats.ON_REQUEST:
        return LeftOutReason.ON_REQUEST, ending
    return LeftOutReason.ARCHIVE if ending in formats.ARCHIVES else LeftOutReason.KIND, ending


def _resolve(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop of links
        return path


def _printable(path: Path) -> str:
    """Quote a path for a message; bytes of a name that are no UTF-8 show as escapes."""
    return "'" + str(path).encode("utf-8", "backslashreplace").decode("utf-8") + "'"


def _source_of(path: Path, *, name: str) -> str:
    source = _resolve(path).as_posix()
    try:
        source.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UnreadableSource(f"The name of {name} is not UTF-8: rename the file.") from error
    return source


def _read_bytes(path: Path, *, name: str, max_bytes: int) -> bytes:
    try:
        _refuse_no_file(path.stat().st_mode, name=name)
        # A name can change its file between two calls: open without waiting for a pipe's other end, then look again.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            _refuse_no_file(status.st_mode, name=name)
            data = file.read(max_bytes + 1) if status.st_size <= max_bytes else None
    except (OSError, RuntimeError) as error:
        raise UnreadableSource(_explain(error, path=path, name=name)) from error
    if data is None or len(data) > max_bytes:
        raise UnreadableSource(
            f"{name} is larger than {max_bytes:,} bytes: split it, or raise the reader's max_bytes setting."
        )
    return data


def _refuse_no_file(mode: int, *, name: str) -> None:
    kind = next((kind for is_kind, kind in _KINDS if is_kind(mode)), None)
    if kind is not None:
        raise UnreadableSource(f"{name} is {kind}, not a file: name the files to read.")


def _explain(error: Exception, *, path: Path, name: str) -> str:
    if isinstance(error, PermissionError):
        return f"{name} may not be read (permission denied): change its permissions, or leave it out."
    if isinstance(error, FileNotFoundError):
        if path.is_symlink():
            return f"{name} is a link to something that does not exist: correct or remove the link."
        return f"{name} does not exist (any more): check the path."
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{name} cannot be read ({reason}): check the file and the disk it is on."


def _title_of_markdown(text: str) -> str:
    from evolore.text.sections import front_matter  # noqa: PLC0415 - a parser that recall does without

    return front_matter(text).get("title", "")
