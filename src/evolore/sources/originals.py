"""The files that documents came from, byte for byte: read again, written in the encoding they have, and as a patch."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from tempfile import NamedTemporaryFile

from evolore.errors import InvalidValue, StoreUnwritable, UnreadableSource
from evolore.ports import OriginalFile
from evolore.sources.decoding import decode, mark_of

_WIDE = ("utf-16", "utf-32")
_CONTEXT_LINES = 3


def original_of(path: Path, data: bytes, *, name: str) -> OriginalFile:
    """Decode a file so that it can be written again as it is."""
    decoded = decode(data, name=name)
    mark = mark_of(data)
    if mark + decoded.text.encode(decoded.encoding, "replace") != data:
        raise UnreadableSource(
            f"{name} cannot be written in {decoded.encoding} as it is, byte for byte: convert it to UTF-8, and add it again."
        )
    return OriginalFile(path=path, data=data, mark=mark, text=decoded.text, encoding=decoded.encoding)


def encoded(original: OriginalFile, text: str) -> bytes:
    """Return the bytes of a text in the encoding, with the mark and the line ends of a file.

    Raises:
        InvalidValue: The encoding has no such character, or the file would be read as something else.
    """
    text = _with_ends_of(original.text, text)
    try:
        data = original.mark + text.encode(original.encoding)
    except UnicodeEncodeError as error:
        raise InvalidValue(
            f"{original.path} is in {original.encoding}, which has no {text[error.start]!r}: convert it to UTF-8, and add "
            "it again."
        ) from error
    again = decode(data, name=str(original.path))
    if again.text != text:
        raise InvalidValue(
            f"{original.path} would be read as {again.encoding} with the new text, not as {original.encoding}: convert it to "
            "UTF-8, and add it again."
        )
    return data


def _with_ends_of(original: str, text: str) -> str:
    """Return a text with the line ends of another, where that has one kind only."""
    crlf, lf = original.count("\r\n"), original.count("\n")
    if crlf and crlf == lf:
        return text.replace("\r\n", "\n").replace("\n", "\r\n")
    return text.replace("\r\n", "\n") if lf and not crlf else text


def replace_original(original: OriginalFile, data: bytes) -> None:
    """Rewrite a file, whole or not at all, with the rights it has.

    Raises:
        InvalidValue: It is no longer what was read.
        StoreUnwritable: It may not be written, or the disk is full or failing.
    """
    path = original.path
    if not os.access(path, os.W_OK):
        raise StoreUnwritable(f"{path} may not be written: change its permissions, or take the patch.")
    with _beside(path, data, instead="Take the patch instead.") as unfinished:
        shutil.copymode(path, unfinished)
        if path.read_bytes() != original.data:
            raise InvalidValue(f"{path} changed at this moment: add it again first. Nothing was written.")
        unfinished.replace(path)


def write_new(path: Path, data: bytes) -> None:
    """Write a file where none is, whole or not at all.

    Raises:
        InvalidValue: Something is there already.
        StoreUnwritable: It cannot be made.
    """
    with _beside(path, data, instead="Name a place you may write to.") as unfinished:
        umask = os.umask(0)
        os.umask(umask)
        unfinished.chmod(0o666 & ~umask)
        try:
            os.link(unfinished, path)
        except FileExistsError as error:
            raise InvalidValue(
                f"{path} is there already: name a place where nothing is; nothing was overwritten."
            ) from error


@contextmanager
def _beside(path: Path, data: bytes, *, instead: str) -> Generator[Path]:
    """Write a new file beside a path; unless it is moved there, it is gone in the end."""
    unfinished: Path | None = None
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name[:100]}.", delete=False) as stream:
            unfinished = Path(stream.name)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        yield unfinished
    except OSError as error:
        raise StoreUnwritable(f"{path} cannot be written: {error.strerror}. {instead}") from error
    finally:
        if unfinished is not None:
            unfinished.unlink(missing_ok=True)


def patch_of(original: OriginalFile, data: bytes) -> str:
    """Return what changes in a file as `git apply` takes it; to be written in the file's encoding.

    Raises:
        InvalidValue: The file is in an encoding that no patch can be of.
    """
    if original.encoding.startswith(_WIDE):
        raise InvalidValue(
            f"{original.path} is in {original.encoding}, of which git takes no patch: convert it to UTF-8."
        )
    name = _name_in_repository(original.path)
    before, after = (_lines(one.decode(original.encoding)) for one in (original.data, data))
    found = unified_diff(before, after, fromfile=f"a/{name}", tofile=f"b/{name}", n=_CONTEXT_LINES)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found)


def _lines(text: str) -> Sequence[str]:
    """Cut a text into lines as git does: behind every line feed, and nowhere else."""
    *ended, last = text.split("\n")
    return [*(f"{line}\n" for line in ended), *([last] if last else [])]


def _name_in_repository(path: Path) -> str:
    """Return how a patch names a file: from the root of its repository, else from here, else by its own name."""
    root = next((one for one in path.parents if (one / ".git").exists()), Path.cwd())
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
