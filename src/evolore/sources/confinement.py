"""Read files that anybody may have made, in a process of its own that may take so much time and memory and no more.

A file can make a parser written in C crash, and one in Python take all memory or hours. So the parsers run in a child
that is given the file's bytes and nothing else, returns text, and is killed if it computes for too long. What Python's
own modules read in linear time is read in this process while it is small.
"""

from __future__ import annotations

import gc
import json
import resource
import signal
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol, TypeAlias, cast

from evolore.errors import UnreadableSource
from evolore.sources import reader_process
from evolore.sources.formats import INSTALL, Converted, Format, ReaderLimits, is_installed, name_of

if TYPE_CHECKING:

    class _Reader(Protocol):
        def __call__(self, data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted: ...


_LONGEST_REASON: Final = 200
_PATIENCE: Final = 6
"""How much longer than it may compute a reader is waited for: the machine may be busy."""


_Reply: TypeAlias = dict[str, Any]
"""The outcome of reading a file: why it was refused, how its reader failed, or else what ``Converted`` holds."""


def convert(data: bytes, read_as: Format, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:
    """Return a file as Markdown."""
    if not is_installed(read_as):
        raise UnreadableSource(f"{name} is {name_of(read_as)}, which needs an extra: run {INSTALL}")
    if read_as.value.is_linear and len(data) <= limits.in_process_bytes:
        reply = _answered(data, read_as, name=name, suffix=suffix, limits=limits)
    else:
        reply = _asked(data, read_as, name=name, suffix=suffix, limits=limits)
    if "refused" in reply:
        raise UnreadableSource(reply["refused"])
    if "text" not in reply:
        raise UnreadableSource(
            f"{name} cannot be read as {name_of(read_as)} ({reply.get('failed', 'no reason was given')}): it is damaged, or "
            "something else. Open it where it was made and save it again, or leave it out."
        )
    reply["notes"] = tuple(reply["notes"])
    found = Converted(**reply)
    if not found.text.strip():
        raise UnreadableSource(f"{name} holds no text: leave it out.")
    if len(found.text) > limits.characters:
        raise UnreadableSource(
            f"{name} would become a text of {len(found.text):,} characters, more than {limits.characters:,}: split it."
        )
    return found


def _answered(data: bytes, read_as: Format, *, name: str, suffix: str, limits: ReaderLimits) -> _Reply:
    """Read a file here and now, and return the outcome."""
    module, function = read_as.value.reader.split(":")
    try:
        read = cast("_Reader", getattr(import_module(f"evolore.sources.readers.{module}"), function))
        found = read(data, name=name, suffix=suffix, limits=limits)
    except UnreadableSource as error:
        return {"refused": str(error)}
    except MemoryError:
        return {"refused": _takes_too_much(name, limits)}
    except Exception as error:  # noqa: BLE001 - the edge to libraries that read what anybody made
        return {"failed": f"{type(error).__name__}: {str(error)[:_LONGEST_REASON]}"}
    # Half a surrogate pair is no character; files made by old programs hold some.
    clean = {key: str(one).encode("utf-8", "replace").decode("utf-8") for key, one in asdict(found).items()}
    text = clean["text"].replace("\x00", "\ufffd")
    return {key: one.replace("\x00", "") for key, one in clean.items()} | {"text": text, "notes": found.notes}


def _asked(data: bytes, read_as: Format, *, name: str, suffix: str, limits: ReaderLimits) -> _Reply:
    """Read a file in a child process, and end that when it takes too long."""
    waited = _PATIENCE * limits.seconds
    try:
        answer = reader_process.ask([read_as.name, name, suffix, asdict(limits)], data, seconds=waited)
    except OSError as error:
        return {"failed": f"no process could be started to read it: {error.strerror}"}
    if isinstance(answer, bytes):
        return cast("_Reply", json.loads(answer))
    if answer is None:
        return {
            "refused": f"{name} was not read in {waited:g} s: try again when the machine is less busy, or split it."
        }
    if answer == signal.SIGXCPU:
        return {
            "refused": f"{name} took its reader more than {limits.seconds:g} s of computing, and was given up: split it, or leave it out."
        }
    if answer:
        return {"failed": f"its reader was ended by signal {answer}"}
    return {"refused": _takes_too_much(name, limits)}


def _takes_too_much(name: str, limits: ReaderLimits) -> str:
    return (
        f"{name} takes its reader more than {limits.memory_bytes:,} bytes of memory: split it, save it without what it "
        "does not need, or leave it out."
    )


def serve() -> None:
    """Read the files that this process is asked for, each in a fork of its own."""
    reader_process.serve(_prepare, _read)


def _prepare(task: reader_process.Task) -> None:
    """Import what reads a format; forks would else import again what a parser loads when it is first used."""
    read_as = Format[task[0]]
    if read_as not in _prepared:
        _prepared.add(read_as)
        module = import_module(f"evolore.sources.readers.{read_as.value.reader.partition(':')[0]}")
        getattr(module, "warm_up", lambda: None)()
        gc.freeze()


_prepared: set[Format] = set()


def _read(task: reader_process.Task, file: BinaryIO) -> bytes:
    """Read a file within its bounds, and write the outcome."""
    name, limits = task[1], ReaderLimits(**task[3])
    _confine(limits)
    try:
        data = file.read()
    except MemoryError:
        reply: _Reply = {"refused": _takes_too_much(name, limits)}
    else:
        reply = _answered(data, Format[task[0]], name=name, suffix=task[2], limits=limits)
    return json.dumps(reply).encode()


def _confine(limits: ReaderLimits) -> None:
    """Bound memory, time and files of this process."""
    computing = max(int(limits.seconds), 1)
    bounds = (
        (resource.RLIMIT_AS, limits.memory_bytes, limits.memory_bytes),
        (resource.RLIMIT_CPU, computing, computing + 1),  # at the second it is killed without a word
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    )
    for which, soft, hard in bounds:
        with suppress(OSError, ValueError):  # a lower bound is set already, or the system knows none
            resource.setrlimit(which, (soft, hard))
