"""``export`` and ``import``: a namespace, or one person's data, as JSON lines for any version or store, and back."""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import IO, cast

import numpy as np

from evolore.domain.checks import check_name
from evolore.domain.language import Language
from evolore.domain.person import SubjectExport
from evolore.domain.result import Result
from evolore.domain.secret import FoundSecret, SecretsPolicy, places_of
from evolore.errors import InvalidValue, StoreFailed, StoreUnwritable, UnreadableSource
from evolore.flows.context import Context
from evolore.flows.item_keys import EMBED_BATCH, arousal_of, embedded_alike, names_of, periods_of, tokens_of
from evolore.ports import IndexedText, JsonValue, Record
from evolore.store.exports import check_record
from evolore.text.secret_signs import find_secrets, walked
from evolore.text.tokens import ANALYSER_VERSION

FORMAT = "evolore-export"
FORMAT_VERSION = 1
END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported(Result):
    """What ``export`` wrote."""

    namespace: str  #: Which namespace.
    documents: int  #: How many documents.
    episodes: int  #: How many episodes, of every version.
    events: int  #: How many events.
    has_vectors: bool  #: Whether vectors are among it.


def export(context: Context, target: Path | IO[bytes], *, with_vectors: bool = False) -> Exported:
    """Write a namespace, as it is at one moment, to a file or stream."""
    context.store.require(context.namespace)
    counts: Counter[str] = Counter()
    with context.store.read(context.namespace) as reader, new_file(target) as stream:
        stream.write(_line(_header(context, with_vectors=with_vectors)))
        for record in reader.records(with_vectors=with_vectors):
            counts[str(record["table"])] += 1
            stream.write(_line(record))
        stream.write(_line({"table": END, "records": sum(counts.values())}))
        stream.flush()
    return Exported(
        namespace=context.namespace,
        documents=counts["documents"],
        episodes=counts["episodes"],
        events=counts["events"],
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
            os.fsync(stream.fileno())  # a name that outlives a power failure must not belong to half an export
        unfinished.rename(target)
    except OSError as error:
        raise StoreFailed(
            f"{target} could not be written: {error.strerror}. Check that the disk has room and works, and try again."
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


_SHOWN = 40
_STORED = np.dtype("<f2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported(Result):
    """What ``import`` took in."""

    namespace: str  #: The namespace it was taken into.
    documents: int  #: How many documents.
    episodes: int  #: How many episodes, of every version.
    events: int  #: How many events.
    embedded: int  #: How many texts were embedded, because the export held no vector of this model for them.


def import_from(context: Context, source: Path | IO[bytes]) -> Imported:
    """Load an export from a file or stream into the namespace, which must hold nothing."""
    if not isinstance(source, Path):
        return import_lines(context, source)
    try:
        stream = source.open("rb")
    except OSError as error:
        raise UnreadableSource(
            f"{source} cannot be read: {error.strerror}. Name a file that `export` wrote."
        ) from error
    with stream:
        return import_lines(context, stream)


def import_lines(context: Context, lines: Iterable[bytes]) -> Imported:
    """Load an export into the namespace, which must hold nothing.

    Every line is checked before any text is embedded, and every text embedded before the store is locked.
    """
    _refuse_filled(context)
    with _disk(), TemporaryFile() as checked, TemporaryFile() as prepared:
        counts, has_vectors = _check(context, lines, checked)
        embedded = 0
        for record, new in _with_keys(context, _read(checked), has_vectors=has_vectors):
            embedded += new
            _write(prepared, record)
        with context.store.write(context.namespace) as writer:
            writer.put_records(_read(prepared))
    return Imported(
        namespace=context.namespace,
        documents=counts["documents"],
        episodes=counts["episodes"],
        events=counts["events"],
        embedded=embedded,
    )


def _refuse_filled(context: Context) -> None:
    """Refuse a namespace that is not empty before hours of embedding; the store refuses it again."""
    with context.store.read(context.namespace) as reader:
        counted = reader.stats()
    if counted.documents or counted.statements or counted.events:
        raise InvalidValue(
            f"The namespace {context.namespace!r} is not empty: import into one that nothing was written to yet."
        )


@contextmanager
def _disk() -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise StoreFailed(
            f"The export could not be read, or held in the temporary folder: {error.strerror or error}. Check the "
            "disk, and try again; nothing was imported."
        ) from error


def _write(spool: IO[bytes], record: Record) -> None:
    spool.write(json.dumps(record).encode("ascii") + b"\n")


def _read(spool: IO[bytes]) -> Generator[Record]:
    spool.seek(0)
    for line in spool:
        yield json.loads(line)


def _check(context: Context, lines: Iterable[bytes], spool: IO[bytes]) -> tuple[dict[str, int], bool]:
    """Check every line, and keep the records; return how many there are of each kind, and whether vectors can be used."""
    numbered = enumerate(lines, start=1)
    has_vectors = _check_header(context, _parsed(*next(numbered, (1, b""))))
    counts: Counter[str] = Counter()
    end: JsonValue = None
    for number, line in numbered:
        record = _parsed(number, line)
        if end is not None:
            raise InvalidValue(f"Line {number}: the export ended on the line before; leave out what follows.")
        if record.get("table") == END:
            end = record.get("records")
            continue
        _check_record(context, number, record, has_vectors=has_vectors)
        counts[str(record["table"])] += 1
        _write(spool, record)
    if end != sum(counts.values()):
        raise InvalidValue(
            f"The export is not whole: it holds {sum(counts.values()):,} records and "
            f"{'has no last line' if end is None else f'its last line says {end}'}. Export again."
        )
    return counts, has_vectors


def _parsed(number: int, line: bytes) -> Record:
    try:
        record: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        shown = ascii(line[:_SHOWN])
        raise InvalidValue(f"Line {number} is no JSON in UTF-8 ({shown}): write one object a line.") from error
    if not isinstance(record, dict):
        raise InvalidValue(f"Line {number} is {ascii(record)[:_SHOWN]}: write one object a line.")
    return cast("Record", record)


def _check_header(context: Context, header: Record) -> bool:
    """Check the first line, and return whether the vectors that follow are of the model at hand."""
    if header.get("format") != FORMAT:
        raise InvalidValue(f"Line 1 does not say that this is an export ({FORMAT!r}): name a file that `export` wrote.")
    version = header.get("format_version")
    if version != FORMAT_VERSION:
        raise InvalidValue(
            f"Line 1: the export has format {version}, this version of Evolore knows {FORMAT_VERSION}: "
            "install the version that wrote it, or a newer one."
        )
    ours = (context.embedder.model.id, context.embedder.model.dimension)
    theirs = (header.get("embedding_model"), header.get("embedding_dimension"))
    return header.get("vectors") is True and ours == theirs


def _check_record(context: Context, number: int, record: Record, *, has_vectors: bool) -> None:
    try:
        check_record(record)
        if context.secrets is not SecretsPolicy.KEEP:
            _refuse_secrets(record)
        for payload in _payloads(record) if has_vectors else ():
            _check_vector(payload, context.embedder.model.dimension)
    except InvalidValue as error:
        raise InvalidValue(f"Line {number}: {error}") from error


def _refuse_secrets(record: Record) -> None:
    """Refuse a record with a secret: a mark in it would no longer fit what the export says of places and hashes."""
    found: list[FoundSecret] = []
    named = f"{record.get('name')}: " if record.get("table") == "attributes" else ""  # of a password, all that says so

    def look(text: str, of: str) -> str:
        if of == "body" and text.startswith("{"):  # of an event or step, with other scripts escaped
            walked(json.loads(text), look)
        elif of != "vector":
            found.extend(find_secrets(named + text if of == "value" else text, where=of))
        return text

    walked(record, look)
    if found:
        raise InvalidValue(
            f"it seems to hold a secret ({places_of(found)}). Take it out of the store it came from and export again, or "
            "set `secrets` to 'keep'. Nothing was imported."
        )


def _check_vector(payload: Record, dimension: int) -> None:
    packed = payload.get("vector")
    try:
        data = b64decode(packed, validate=True) if isinstance(packed, str) else b""
    except NoBase64:
        data = b""
    if packed is not None and len(data) != _STORED.itemsize * dimension:
        raise InvalidValue(f"payloads.vector is not {dimension} numbers of 16 bits in base64: leave it out.")


def _payloads(record: Record) -> list[Record]:
    return cast("list[Record]", record.get("payloads", []))


def _with_keys(context: Context, records: Iterator[Record], *, has_vectors: bool) -> Generator[tuple[Record, int]]:
    """Yield each record with what is indexed of its texts, and how many of them were embedded."""
    places: dict[str, tuple[str, tuple[str, ...]]] = {}
    while group := list(islice(records, EMBED_BATCH)):
        waiting: list[tuple[Record, IndexedText]] = []
        texts: list[tuple[Record, IndexedText]] = []
        embedded: dict[int, int] = {}
        for place, record in enumerate(group):
            if record["table"] == "documents":
                places = _places(record)
            for payload in _payloads(record):
                item = _indexed(record, payload, places)
                texts.append((payload, item))
                payload.update(_words(item))
                if not has_vectors or payload.get("vector") is None:
                    waiting.append((payload, item))
                    embedded[place] = embedded.get(place, 0) + 1
        _embed(context, waiting)
        _estimate(context, texts)
        yield from ((record, embedded.get(place, 0)) for place, record in enumerate(group))


def _words(item: IndexedText) -> Record:
    """Return what is indexed of a text, its vector and what follows from that aside."""
    names: list[JsonValue] = [*names_of(item)]
    periods: list[JsonValue] = [[one.first.isoformat(), one.last.isoformat()] for one in periods_of(item)]
    return {"tokens": " ".join(tokens_of(item)), "names": names, "periods": periods}


def _places(document: Record) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the title and headings that each leaf of a document was embedded with: those it first had."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for version in cast("list[Record]", document["versions"]):
        for chunk in cast("list[dict[str, str | None]]", version["chunks"]):
            if chunk["episode_id"] is not None:
                heading_path = tuple(json.loads(chunk["heading_path"] or "[]"))
                found.setdefault(chunk["episode_id"], (str(version["title"]), heading_path))
    return found


def _indexed(episode: Record, payload: Record, places: dict[str, tuple[str, tuple[str, ...]]]) -> IndexedText:
    title, heading_path = places.get(str(episode["id"]), (None, ()))
    occurred_at = None
    if episode["occurred_at"] is not None:
        offset = timedelta(minutes=cast("int | None", episode["occurred_offset_minutes"]) or 0)
        occurred_at = datetime.fromisoformat(str(episode["occurred_at"])).astimezone(timezone(offset))
    return IndexedText(
        text=str(payload["text"]),
        language=Language(cast("str", episode["language"])),
        speaker=cast("str | None", episode["speaker"]),
        occurred_at=occurred_at,
        title=title,
        heading_path=heading_path,
    )


def _embed(context: Context, waiting: Sequence[tuple[Record, IndexedText]]) -> None:
    for (payload, _), vector in embedded_alike(context.embedder, waiting, lambda entry: entry[1]):
        payload["vector"] = b64encode(vector.astype(_STORED).tobytes()).decode("ascii")


def _estimate(context: Context, texts: Sequence[tuple[Record, IndexedText]]) -> None:
    """Estimate how strongly texts were felt, by their vectors as they will be stored."""
    estimate = context.estimates(context.embedder.model)
    for payload, item in texts:
        vector = np.frombuffer(b64decode(str(payload["vector"])), dtype=_STORED).astype(np.float32)
        payload["arousal"] = arousal_of(item, vector, estimate=estimate)


def export_subject(context: Context, *, speaker: str | None, principal: str | None) -> SubjectExport:
    """Return all that is a speaker's or a principal's, by kind and then time."""
    check_name(speaker, "speaker")
    check_name(principal, "principal")
    if (speaker is None) == (principal is None):
        raise InvalidValue("Name one person whose things are wanted: a speaker or a principal.")
    with context.store.read(context.namespace) as reader:
        records = reader.records_of(speaker=speaker, principal=principal)
    return SubjectExport(speaker=speaker, principal=principal, records=records)
