"""A memory as a LangGraph ``BaseStore``: items under namespaces and keys, found by meaning and by words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote

from evolore.domain.document import Document, MediaType
from evolore.domain.filed import Json, filed, read_filed
from evolore.domain.metadata import MetadataValue
from evolore.errors import InvalidValue, MissingExtra, NamespaceNotFound, NotFound
from evolore.ports import SourceText

try:
    from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, PutOp, SearchItem, SearchOp
    from langgraph.store.base.embed import get_text_at_path
except ImportError as error:
    raise MissingExtra('LangGraph is not installed. Type: pip install "evolore[langgraph]"') from error

if TYPE_CHECKING:
    from langgraph.store.base import MatchCondition, Op, Result, TTLConfig

    from evolore.memory import Memory

_SCHEME = "langgraph:"
_KEY, _LABEL, _VALUE = "lg_key", "lg_{}", "lg_value"
_CREATED, _UPDATED, _EXPIRES, _TTL, _SEARCHED = "lg_created", "lg_updated", "lg_expires", "lg_ttl", "lg_searched"
_MOST_LABELS = 12


@dataclass(frozen=True, slots=True)
class _KeptItem:
    """An item as it is kept, with how long it lives: in minutes, and until when."""

    item: Item
    is_searched: bool
    ttl: float | None
    expires: datetime | None


class EvoloreStore(BaseStore):
    """Keeps LangGraph's long-term memory in an Evolore memory, on disk, with nothing else to run.

    Each item is a document of the memory: putting it again makes its next version, which ``memory.history`` lists, and
    deleting it erases it for good. A search goes through the memory's own recall, in any language it reads; no embedding
    has to be configured. Namespaces of LangGraph lie within the one namespace that the memory is bound to, so that two
    memories never see each other's.

    Args:
        memory: The memory; it stays the caller's to close.
        fields: Which fields of a value are searched, as paths such as ``"text"``; by default every text in it.
        ttl: How long items live where ``put`` does not say, in minutes, and whether reading them restarts that. What
            is over is no longer returned, and erased by ``sweep_ttl``.
    """

    __slots__ = ("_fields", "memory", "ttl_config")
    supports_ttl = True

    def __init__(self, memory: Memory, *, fields: Sequence[str] | None = None, ttl: TTLConfig | None = None) -> None:
        self.memory, self.ttl_config = memory, ttl
        self._fields = tuple(fields) if fields is not None else None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several things; what is read does not see what is put by the same batch.

        Raises:
            InvalidValue: A value is longer than about 30,000 characters, or a namespace deeper than 12.
        """
        asked = list(ops)
        results = [self._read(one) for one in asked]
        puts = {(one.namespace, one.key): one for one in asked if isinstance(one, PutOp)}
        for one in puts.values():
            if one.value is None:
                self._delete(_source_of(one.namespace, one.key))
        kept = [self._put(one) for one in puts.values() if one.value is not None]
        if kept:
            self.memory.add(*kept)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several things beside the loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Erase what is over, and say how many items that were."""
        over = [one for one in self._items(with_expired=True) if _is_over(one)]
        for one in over:
            self._delete(_source_of(one.item.namespace, one.item.key))
        return len(over)

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            kept = self._get(op.namespace, op.key)
            if kept is not None and op.refresh_ttl:
                self._refresh([kept])
            return None if kept is None else kept.item
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        return None

    def _get(self, namespace: tuple[str, ...], key: str) -> _KeptItem | None:
        try:
            found = self.memory.outline.tree(_source_of(namespace, key)).document
        except NotFound:
            return None
        kept = _kept(found)
        return None if kept is None or _is_over(kept) else kept

    def _put(self, op: PutOp) -> SourceText:
        before = self._get(op.namespace, op.key)
        now = datetime.now(UTC)
        created = now if before is None else before.item.created_at
        value = dict(op.value or {})
        searched = self._text(value, op.index)
        return _text_of(
            Item(value=value, key=op.key, namespace=op.namespace, created_at=created, updated_at=now),
            searched,
            ttl=op.ttl,
        )

    def _text(self, value: Mapping[str, Json], index: Json) -> str | None:
        """Return what of a value is searched; None for nothing."""
        if index is False:
            return None
        paths = self._fields if index is None else tuple(map(str, index))
        if paths is None:
            return "\n".join(_texts(value)) or None
        return "\n".join(text for path in paths for text in get_text_at_path(cast("Any", value), path)) or None

    def _delete(self, source: str) -> None:
        with suppress(NotFound, NamespaceNotFound):
            self.memory.forget(document=source)

    def _items(self, prefix: tuple[str, ...] = (), *, with_expired: bool = False) -> Iterator[_KeptItem]:
        for document in self.memory.list(limit=1, where=_labels_of(prefix)).documents:
            kept = _kept(document)
            if (
                kept is not None
                and kept.item.namespace[: len(prefix)] == prefix
                and (with_expired or not _is_over(kept))
            ):
                yield kept

    def _search(self, op: SearchOp) -> list[SearchItem]:
        fits = {
            _source_of(one.item.namespace, one.item.key): one
            for one in self._items(op.namespace_prefix)
            if all(_holds(_at(one.item.value, name), wanted) for name, wanted in (op.filter or {}).items())
        }
        scores = self._scores(op, fits) if op.query and op.query.strip() and fits else {}
        ordered = [*scores, *(source for source in fits if source not in scores)]
        page = [fits[source] for source in ordered[op.offset : op.offset + op.limit]]
        if op.refresh_ttl:
            self._refresh(page)
        return [
            SearchItem(
                namespace=one.item.namespace,
                key=one.item.key,
                value=one.item.value,
                created_at=one.item.created_at,
                updated_at=one.item.updated_at,
                score=scores.get(_source_of(one.item.namespace, one.item.key)),
            )
            for one in page
        ]

    def _scores(self, op: SearchOp, fits: Mapping[str, _KeptItem]) -> dict[str, float]:
        """Score what is searched, best first; ask further while several passages are of one item."""
        wanted = min(op.offset + op.limit, len(fits))
        limit = max(2 * wanted, 10)
        while True:
            found = self.memory.recall(
                op.query or "",
                limit=limit,
                where={**_labels_of(op.namespace_prefix), _SEARCHED: True},
                record=False,
                fold_echoes=False,
            )
            scores: dict[str, float] = {}
            for hit in found.hits:
                source = hit.episode.source
                if source is not None and source in fits:
                    scores.setdefault(source, hit.score)
            if len(scores) >= wanted or len(found.hits) < limit:
                return scores
            limit *= 4

    def _refresh(self, kept: Iterable[_KeptItem]) -> None:
        tree = self.memory.outline.tree
        alive = [(one, _source_of(one.item.namespace, one.item.key)) for one in kept if one.ttl is not None]
        texts = [tree(source, with_text=True).text if one.is_searched else None for one, source in alive]
        if alive:
            self.memory.add(
                *(_text_of(one.item, text, ttl=one.ttl) for (one, _), text in zip(alive, texts, strict=True))
            )

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = {
            one.item.namespace[: op.max_depth]
            for one in self._items()
            if all(_matches(condition, one.item.namespace) for condition in op.match_conditions or ())
        }
        return sorted(found)[op.offset : op.offset + op.limit]


def _source_of(namespace: tuple[str, ...], key: str) -> str:
    return _SCHEME + "/".join(quote(one, safe="") for one in (*namespace, key))


def _labels_of(namespace: tuple[str, ...]) -> dict[str, MetadataValue]:
    return {_LABEL.format(depth): quote(label, safe="") for depth, label in enumerate(namespace)}


def _text_of(item: Item, searched: str | None, *, ttl: float | None) -> SourceText:
    """Write an item down as a document: what is searched as its text, the rest beside it."""
    if len(item.namespace) > _MOST_LABELS:
        raise InvalidValue(f"The namespace {item.namespace!r} is deeper than {_MOST_LABELS}: make it flatter.")
    labels: dict[str, MetadataValue] = {
        _KEY: quote(item.key, safe=""),
        _CREATED: item.created_at.isoformat(),
        _UPDATED: item.updated_at.isoformat(),
        _SEARCHED: bool(searched and searched.strip()),
    }
    labels |= _labels_of(item.namespace)
    labels |= filed(_VALUE, item.value, what=f"The value of {item.key!r}")
    if ttl is not None:
        labels |= {_TTL: ttl, _EXPIRES: (datetime.now(UTC) + timedelta(minutes=ttl)).isoformat()}
    text = searched if searched and searched.strip() else json.dumps(item.value, ensure_ascii=False)
    return SourceText(
        source=_source_of(item.namespace, item.key),
        text=text,
        media_type=MediaType.PLAIN,
        title=item.key.strip() or "item",
        metadata=labels,
    )


def _kept(document: Document) -> _KeptItem | None:
    """Read an item from the document that it is kept as; None for any other document."""
    labels = document.metadata
    if _KEY not in labels or not document.source.startswith(_SCHEME):
        return None
    namespace = (labels.get(_LABEL.format(depth)) for depth in range(_MOST_LABELS))
    item = Item(
        value=read_filed(_VALUE, labels),
        key=unquote(str(labels[_KEY])),
        namespace=tuple(unquote(str(label)) for label in namespace if label is not None),
        created_at=datetime.fromisoformat(str(labels[_CREATED])),
        updated_at=datetime.fromisoformat(str(labels[_UPDATED])),
    )
    ttl, expires = labels.get(_TTL), labels.get(_EXPIRES)
    return _KeptItem(
        item=item,
        is_searched=labels.get(_SEARCHED) is True,
        ttl=None if ttl is None else float(ttl),
        expires=None if expires is None else datetime.fromisoformat(str(expires)),
    )


def _is_over(kept: _KeptItem) -> bool:
    return kept.expires is not None and kept.expires <= datetime.now(UTC)


def _texts(value: Json) -> Iterator[str]:
    """Yield every text in a value, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for one in cast("dict[str, Json]", value).values() if isinstance(value, dict) else cast("list[Json]", value):
            yield from _texts(one)


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Return whether a namespace begins or ends as a condition says; ``*`` matches any one label."""
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in {"*", label} for wanted, label in zip(path, part, strict=True))


def _at(value: Mapping[str, Json], name: str) -> Json:
    """Return the value at a name, or where there is none, at a path such as ``user.name``; None for nothing."""
    if name in value:
        return value[name]
    first, _, rest = name.partition(".")
    below = value.get(first)
    return _at(cast("dict[str, Json]", below), rest) if rest and isinstance(below, dict) else None


def _holds(value: Json, wanted: Json) -> bool:
    """Return whether a value is what a filter wants: equal, or as the operators say."""
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    parts = cast("dict[str, Json]", wanted)
    if any(name.startswith("$") for name in parts):
        return all(_compares(value, name, other) for name, other in parts.items())
    held = cast("dict[str, Json]", value) if isinstance(value, dict) else None
    return held is not None and all(_holds(held.get(name), other) for name, other in parts.items())


def _compares(value: Json, operator: str, other: Json) -> bool:
    if operator == "$eq":
        return value == other
    if operator == "$ne":
        return value != other
    compare = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}.get(operator)
    if compare is None:
        raise InvalidValue(f"The filter has {operator!r}: use $eq, $ne, $gt, $gte, $lt or $lte.")
    try:
        return bool(compare(float(value), float(other)))
    except (TypeError, ValueError):  # what is no number fits nothing
        return False
