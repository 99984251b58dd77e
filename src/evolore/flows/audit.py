"""``audit``: list what a namespace holds that should not be there, each with the command that mends it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain
from shlex import quote
from typing import TYPE_CHECKING

from evolore.domain.checks import check_count
from evolore.domain.document import Upkeep
from evolore.domain.episode import Episode, EpisodeKind, EpisodeState
from evolore.domain.health import Audit, AuditFinding, AuditKind
from evolore.domain.review import ReviewCategory, ReviewFilter, ReviewStatus
from evolore.domain.secret import SecretsPolicy, places_of
from evolore.flows.item_keys import tokens_of
from evolore.ports import IndexedText
from evolore.text.secret_signs import find_secrets, screened

if TYPE_CHECKING:
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
    now, found = context.clock.now(), list[AuditFinding]()
    given: set[str] | None = None
    before = after = ""
    with context.store.read(context.namespace) as reader:
        while questions := reader.queries(before=before, limit=_AT_ONCE):
            before = questions[-1].id
            given = {*(given or ()), *(one.episode_id for question in questions for one in question.given)}
            secrets = ((one.id, find_secrets(one.text)) for one in questions)
            found += (_of(AuditKind.SECRET, id_, f"A question: {places_of(some)}.") for id_, some in secrets if some)
        look = _Look(given, now, now - timedelta(days=unused_days))
        while episodes := reader.held(after=after, limit=_AT_ONCE):
            after = episodes[-1].id
            found += chain.from_iterable(map(look.at, episodes))
        found += chain(_documents(reader, look, now), _contradictions(reader))
    order = list(AuditKind)
    return Audit(texts=look.count, findings=tuple(sorted(found, key=lambda one: order.index(one.kind))))


def _of(kind: AuditKind, id_: str, reason: str, command: str = "evolore forget {}") -> AuditFinding:
    return AuditFinding(kind=kind, id=id_, reason=reason, command=command.format(id_))


class _Look:
    """A look at statements and passages, one after the other."""

    def __init__(self, given: set[str] | None, now: datetime, unused_since: datetime) -> None:
        self._given, self._now, self._unused_since = given, now, unused_since
        self._said: dict[frozenset[str], str] = {}
        self.in_documents: dict[str, dict[str, None]] = {}
        self.count = 0

    def at(self, one: Episode) -> Iterator[AuditFinding]:
        """Yield what is found in a statement or a passage."""
        self.count += 1
        found = screened({"text": one.text}, one.metadata, SecretsPolicy.KEEP, of=one.id)[2]
        if one.document_id is not None:
            self.in_documents.setdefault(one.document_id, {}).update(dict.fromkeys(each.name for each in found))
            return
        if found:
            yield _of(AuditKind.SECRET, one.id, f"A statement: {places_of(found)}.")
        if one.kind is not EpisodeKind.STATEMENT or one.stands_until is not None:
            return
        if one.state is EpisodeState.SUPERSEDED or (one.valid_to is not None and one.valid_to <= self._now):
            yield _of(AuditKind.EXPIRED, one.id, "It does not hold any more.")
        elif one.state is EpisodeState.ACTIVE:
            words = frozenset(tokens_of(IndexedText(text=one.text, language=one.language)))
            if (first := self._said.setdefault(words, one.id) if words else one.id) != one.id:
                yield _of(AuditKind.DUPLICATE, one.id, f"It uses the same words as {first}.")
            elif self._given is not None and one.recorded_at < self._unused_since and one.id not in self._given:
                yield _of(AuditKind.UNUSED, one.id, f"No question led to it since {one.recorded_at:%Y-%m-%d}.")


def _documents(reader: StoreReader, look: _Look, now: datetime) -> Iterator[AuditFinding]:
    """Yield the documents with secrets, those that say the same as another, and those past their day to be verified."""
    said: dict[str, str] = {}
    for one in reader.documents():
        if names := look.in_documents.get(one.id):
            again = f" && EVOLORE_SECRETS=redact evolore add {quote(one.source)}" if one.is_file else ""
            reason = f"{one.source}: {', '.join(names)}, in this version or an earlier one."
            yield _of(
                AuditKind.SECRET,
                one.id,
                reason,
                "evolore forget {} --yes" + again.replace("{", "{{").replace("}", "}}"),
            )
        if (first := said.setdefault(one.content_sha256, one.source)) != one.source:
            yield _of(AuditKind.DUPLICATE, one.id, f"{one.source} says the same as {first}.")
        if Upkeep.of(one.metadata).is_overdue(now.date()):
            yield _of(AuditKind.EXPIRED, one.id, f"{one.source} is past its day to be verified.", "evolore verify {}")


def _contradictions(reader: StoreReader) -> Iterator[AuditFinding]:
    wanted = ReviewFilter(status=ReviewStatus.OPEN, category=ReviewCategory.CONTRADICTION)
    for one in reader.review_items(wanted):
        reason = f"{one.episode_id} contradicts {one.other_episode_id}."
        yield _of(AuditKind.CONTRADICTION, one.id or "", reason, "evolore review settle {} --keep newer")
