"""``audit``: list what a namespace holds that should not be there, each with the command that mends it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from shlex import quote
from typing import TYPE_CHECKING

from evolore.domain.checks import check_count
from evolore.domain.document import Upkeep
from evolore.domain.episode import EpisodeKind, EpisodeState
from evolore.domain.health import Audit, AuditFinding, AuditKind
from evolore.domain.metadata import MetadataValue
from evolore.domain.review import ReviewCategory, ReviewFilter, ReviewStatus
from evolore.domain.secret import SecretsPolicy, places_of
from evolore.flows.item_keys import tokens_of
from evolore.ports import IndexedText
from evolore.text.secret_signs import screened

if TYPE_CHECKING:
    from datetime import datetime

    from evolore.domain.document import Document
    from evolore.domain.episode import Episode
    from evolore.flows.context import Context
    from evolore.store.reading import StoreReader

_AT_ONCE = 500


def audit(context: Context, *, unused_days: int) -> Audit:
    """List secrets, near-duplicates, statements never recalled, and what expired or contradicts; nothing is changed.

    Args:
        context: Where.
        unused_days: How old a statement is that no recorded question led to; at least 1.

    Raises:
        NamespaceNotFound: Nothing was written to this namespace yet.
        InvalidValue: The number is below 1.
    """
    check_count(unused_days, "unused_days")
    context.store.require(context.namespace)
    now = context.clock.now()
    with context.store.read(context.namespace) as reader:
        documents = {one.id: one for one in reader.documents()}
        look, texts = _Look(reader, now, now - timedelta(days=unused_days)), 0
        for one in _held(reader):
            texts += 1
            look.take(one)
        found = (*look.findings(documents), *_of_documents(documents.values(), now), *_contradictions(reader))
    order = list(AuditKind)
    return Audit(texts=texts, findings=tuple(sorted(found, key=lambda one: order.index(one.kind))))


def _held(reader: StoreReader) -> Iterator[Episode]:
    """Yield statements and passages of every version, by their ids."""
    after = ""
    while some := reader.held(after=after, limit=_AT_ONCE):
        yield from some
        after = some[-1].id


class _Look:
    """What is found in statements and passages, one after the other."""

    def __init__(self, reader: StoreReader, now: datetime, unused_since: datetime) -> None:
        self._now, self._unused_since = now, unused_since
        self._found: list[AuditFinding] = []
        self._in_documents: dict[str, list[str]] = {}
        self._said: dict[frozenset[str], str] = {}
        self._given: set[str] = set()
        self._has_questions = False
        before = ""
        while some := reader.queries(before=before, limit=_AT_ONCE):
            before, self._has_questions = some[-1].id, True
            for one in some:
                self._given.update(given.episode_id for given in one.given)
                self._secrets(one.id, one.text, None)

    def take(self, one: Episode) -> None:
        """Look at a statement or a passage."""
        self._secrets(one.id, one.text, one)
        if one.kind is not EpisodeKind.STATEMENT or one.stands_until is not None:
            return
        if one.state is EpisodeState.SUPERSEDED or (one.valid_to is not None and one.valid_to <= self._now):
            reason = "It does not hold any more"
            self._add(AuditKind.EXPIRED, one.id, reason + (f" since {one.valid_to:%Y-%m-%d}." if one.valid_to else "."))
        elif one.state is EpisodeState.ACTIVE:
            self._current(one)

    def findings(self, documents: dict[str, Document]) -> Iterator[AuditFinding]:
        """Yield what was found."""
        yield from self._found
        for id_, places in self._in_documents.items():
            document = documents[id_]
            again = f" && EVOLORE_SECRETS=redact evolore add {quote(document.source)}" if document.is_file else ""
            reason = f"{document.source}: {'; '.join(dict.fromkeys(places))}, in this version or an earlier one."
            command = f"evolore forget {id_} --yes{again}"
            yield AuditFinding(kind=AuditKind.SECRET, id=id_, reason=reason, command=command)

    def _current(self, one: Episode) -> None:
        words = frozenset(tokens_of(IndexedText(text=one.text, language=one.language)))
        first = self._said.setdefault(words, one.id) if words else one.id
        if first != one.id:
            self._add(AuditKind.DUPLICATE, one.id, f"It uses the same words as {first}.")
        elif self._has_questions and one.recorded_at < self._unused_since and one.id not in self._given:
            self._add(AuditKind.UNUSED, one.id, f"No question led to it since {one.recorded_at:%Y-%m-%d}.")

    def _secrets(self, id_: str, text: str, episode: Episode | None) -> None:
        metadata: Mapping[str, MetadataValue] = {} if episode is None else episode.metadata
        found = screened({"text": text}, metadata, SecretsPolicy.KEEP, of=id_)[2]
        if not found:
            return
        if episode is not None and episode.document_id is not None:
            self._in_documents.setdefault(episode.document_id, []).extend(one.name for one in found)
        else:
            self._add(
                AuditKind.SECRET, id_, f"{'A question' if episode is None else 'A statement'}: {places_of(found)}."
            )

    def _add(self, kind: AuditKind, id_: str, reason: str) -> None:
        self._found.append(AuditFinding(kind=kind, id=id_, reason=reason, command=f"evolore forget {id_}"))


def _of_documents(documents: Iterable[Document], now: datetime) -> Iterator[AuditFinding]:
    """Yield the documents that say the same as another, and those past their day to be verified."""
    said: dict[str, Document] = {}
    for one in documents:
        first = said.setdefault(one.content_sha256, one)
        if first is not one:
            reason = f"{one.source} says the same as {first.source}."
            yield AuditFinding(kind=AuditKind.DUPLICATE, id=one.id, reason=reason, command=f"evolore forget {one.id}")
        if Upkeep.of(one.metadata).is_overdue(now.date()):
            reason = f"{one.source} is past its day to be verified."
            yield AuditFinding(kind=AuditKind.EXPIRED, id=one.id, reason=reason, command=f"evolore verify {one.id}")


def _contradictions(reader: StoreReader) -> Iterator[AuditFinding]:
    wanted = ReviewFilter(status=ReviewStatus.OPEN, category=ReviewCategory.CONTRADICTION)
    for one in reader.review_items(wanted):
        yield AuditFinding(
            kind=AuditKind.CONTRADICTION,
            id=one.id or "",
            reason=f"{one.episode_id} contradicts {one.other_episode_id}.",
            command=f"evolore review settle {one.id} --keep newer",
        )
