"""``export``: a namespace as JSON lines that any version, store or person can read."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING

from evolore.errors import InvalidValue, StoreFailed, StoreUnwritable
from evolore.text.tokens import ANALYSER_VERSION

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from evolore.flows.context import Context

FORMAT = "evolore-export"
FORMAT_VERSION = 1
END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What ``export`` wrote.

    Args:
        namespace: Which namespace.
        documents: How many documents.
        episodes: How many episodes, of every version.
        events: How many events.
        has_vectors: Whether vectors are among it.
    """

    namespace: str
    documents: int
    episodes: int
    events: int
    has_vectors: bool


def export(context: Context, target: Path | IO[bytes], *, with_vectors: bool = False) -> Exported:
    """Write a namespace, as it is at one moment, to a file or stream.

    Raises:
        NamespaceNotFound: Nothing was written to it yet.
        InvalidValue: The file is there already.
        StoreUnwritable: The file cannot be made.
        StoreFailed: The disk is full or failing, or the stream takes no more.
    """
    context.store.require(context.namespace)
    counts: dict[str, int] = {}
    with context.store.read(context.namespace) as reader, new_file(target) as stream:
        stream.write(_line(_header(context, with_vectors=with_vectors)))
        for record in reader.records(with_vectors=with_vectors):
            kind = str(record["table"])
            counts[kind] = counts.get(kind, 0) + 1
            stream.write(_line(record))
        stream.write(_line({"table": END, "records": sum(counts.values())}))
        stream.flush()
    return Exported(
        namespace=context.namespace,
        documents=counts.get("documents", 0),
        episodes=counts.get("episodes", 0),
        events=counts.get("events", 0),
        has_vectors=with_vectors,
    )


def _header(context: Context, *, with_vectors: bool) -> dict[str, str | int | bool]:
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "namespace": context.namespace,
        "embedding_model": context.embedder.model.id,
        "embedding_dimension": context.embedder.model.dimension,
        "analyser_version": ANALYSER_VERSION,
        "vectors": with_vectors,
    }


def _line(record: Mapping[str, object]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


@contextmanager
def new_file(target: Path | IO[bytes]) -> Generator[IO[bytes]]:
    """Open a new file that appears once it is whole; a stream is taken as it is."""
    if not isinstance(target, Path):
        try:
            yield target
        except OSError as error:
            raise StoreFailed(
                f"The stream took no more of the export: {error.strerror or error}. What it holds is not whole: check "
                "where it leads, and try again."
            ) from error
        return
    if target.exists() or target.is_symlink():
        raise InvalidValue(f"{target} is there already: name a place where nothing is; nothing was overwritten.")
    try:
        stream = NamedTemporaryFile(dir=target.parent, prefix=f".{target.name[:100]}.", delete=False)  # noqa: SIM115 - closed by `with` below
    except OSError as error:
        raise StoreUnwritable(
            f"A file beside {target} could not be made: {error.strerror}. Name a place you may write to."
        ) from error
    unfinished = Path(stream.name)
    try:
        with stream:
            yield stream
            os.fsync(stream.fileno())  # a name that outlives a power failure must not stand for half an export
        unfinished.rename(target)
    except OSError as error:
        raise StoreFailed(
            f"{target} could not be written: {error.strerror}. Check that the disk has room and works, and try again."
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
