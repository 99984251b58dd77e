"""Files that commands write: whole or not at all."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import typer

from evolore.cli.session import CliRun
from evolore.errors import InvalidValue, StoreFailed, StoreUnwritable, UnreadableSource


def write_whole(target: Path, text: str, *, overwrite: bool) -> Path:
    """Write a text as UTF-8 to a file that appears once it is whole, and return its path."""
    whole = target.expanduser().absolute()
    if whole.is_dir() or ((whole.exists() or whole.is_symlink()) and not overwrite):
        raise InvalidValue(
            f"{target} is there already: name a place where nothing is, or add --force to overwrite a file."
        )
    unfinished = whole.with_name(f".{whole.name[:100]}.{uuid4().hex}")
    try:
        # 0o666 less the umask, as any file one makes; exclusive, so that no other file is taken for ours.
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise StoreUnwritable(
            f"A file beside {target} could not be made: {error.strerror}. Name a place you may write to."
        ) from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="") as stream:
            stream.write(text)
        unfinished.replace(whole)
    except OSError as error:
        raise StoreFailed(
            f"{target} could not be written: {error.strerror}. Check that the disk has room and works, and try again."
        ) from error
    finally:
        with suppress(OSError):
            unfinished.unlink()
    return whole


def give_page(session: CliRun, target: Path, page: str, *, nodes: int, overwrite: bool) -> None:
    """Write a page to a file and say where, or print it where the file is ``-``."""
    if str(target) == "-":
        sys.stdout.buffer.write(page.encode("utf-8", errors="replace"))
        return
    written = write_whole(target, page, overwrite=overwrite)
    session.show({"path": written, "nodes": nodes}, lambda: typer.echo(f"Written to {written}."))


def read_text(source: Path) -> str:
    """Read a text file whole, as UTF-8."""
    try:
        with source.open(encoding="utf-8", newline="") as file:
            return file.read()
    except OSError as error:
        raise UnreadableSource(f"{source} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UnreadableSource(f"{source} is not UTF-8 at byte {error.start:,}: save it as UTF-8.") from error
