"""``audit``: list what a namespace holds that should not be there, each with the command that mends it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from shlex import quote

from evolore.domain.checks import check_count
from evolore.domain.document import Upkeep
from evolore.domain.episode import Episode, EpisodeKind, EpisodeState
from evolore.domain.health import Audit, AuditFinding, AuditKind
from evolore.domain.review import ReviewCategory, ReviewFilter, ReviewStatus
from evolore.domain.secret import SecretsPolicy, places_of
from evolore.flows.context import Context
from evolore.flows.item_keys import tokens_of
from evolore.ports import IndexedText
from evolore.store.reading import StoreReader
from evolore.text.secret_signs import find_secrets, named_tags, screened

_AT_ONCE = 500
_CONTRADICTIONS = ReviewFilter(status=ReviewStatus.OPEN, category=ReviewCategory.CONTRADICTION)


def audit(context: Context, *, unused_days: int) -> Audit:
    """List secrets, near-duplicates, statements never recalled, and what expired or contradicts; nothing is changed."""
    check_count(unused_days, "unused_days")
    context.store.require(context.namespace)
    now = context.clock.now()
    with context.store.read(context.namespace) as reader:
        look = _AuditLook(reader, now, unused_since=now - timedelta(days=unused_days))
        found = [*look.questions(), *look.episodes(), *look.documents()]
        for one in reader.review_items(_CONTRADICTIONS):
            reason = f"{one.episode_id} contradicts {one.other_episode_id}."
            found.append(
                _of(AuditKind.CONTRADICTION, one.id or "", reason, f"evolore review settle {one.id} --keep newer")
            )
    return Audit(texts=look.count, findings=tuple(sorted(found, key=lambda one: list(AuditKind).index(one.kind))))


def _of(kind: AuditKind, id_: str, reason: str, command: str = "") -> AuditFinding:
    return AuditFinding(kind=kind, id=id_, reason=reason, command=command or f"evolore forget {id_}")


class _AuditLook:
    """A look at all that a namespace holds."""

    def __init__(self, reader: StoreReader, now: datetime, *, unused_since: datetime) -> None:
        self._reader, self._now, self._unused_since = reader, now, unused_since
        self._said: dict[str | frozenset[str], str] = {}
        self._given: set[str] = set()
        self._in_documents = defaultdict[str, dict[str, None]](dict)
        self.count = 0

    def questions(self) -> Iterator[AuditFinding]:
        """Yield questions with secrets, and note what questions led to."""
        before = ""
        while some := self._reader.queries(before=before, limit=_AT_ONCE):
            before = some[-1].id
            for one in some:
                self._given.update(given.episode_id for given in one.given)
                if found := find_secrets(one.text):
                    yield _of(AuditKind.SECRET, one.id, f"A question: {places_of(found)}.")

    def episodes(self) -> Iterator[AuditFinding]:
        """Yield what is found in statements, and note the secrets of documents."""
        after = ""
        while some := self._reader.held(after=after, limit=_AT_ONCE):
            after, self.count = some[-1].id, self.count + len(some)
            for one in some:
                found = screened(
                    {"text": one.text, **named_tags(one.tags)}, one.metadata, SecretsPolicy.KEEP, of=one.id
                )[2]
                if found and one.document_id is not None:
                    self._in_documents[one.document_id].update(dict.fromkeys(each.name for each in found))
                elif found:
                    yield _of(AuditKind.SECRET, one.id, f"A statement: {places_of(found)}.")
                if one.kind is EpisodeKind.STATEMENT and one.stands_until is None:
                    yield from self._current(one)

    def _current(self, one: Episode) -> Iterator[AuditFinding]:
        words = frozenset(tokens_of(IndexedText(text=one.text, language=one.language)))
        if one.state is EpisodeState.SUPERSEDED or (one.valid_to is not None and one.valid_to <= self._now):
            yield _of(AuditKind.EXPIRED, one.id, "It does not hold any more.")
        elif one.state is not EpisodeState.ACTIVE:
            return
        elif words and (first := self._said.setdefault(words, one.id)) != one.id:
            yield _of(AuditKind.DUPLICATE, one.id, f"It uses the same words as {first}.")
        elif self._given and one.recorded_at < self._unused_since and one.id not in self._given:
            yield _of(AuditKind.UNUSED, one.id, f"No question led to it since {one.recorded_at:%Y-%m-%d}.")

    def documents(self) -> Iterator[AuditFinding]:
        """Yield documents with secrets, those that say the same as another, and those past their day to be verified."""
        for one in self._reader.documents():
            if names := self._in_documents.get(one.id):
                again = f" && EVOLORE_SECRETS=redact evolore add {quote(one.source)}" if one.is_file else ""
                reason = f"{one.source}: {', '.join(names)}, in this version or an earlier one."
                yield _of(AuditKind.SECRET, one.id, reason, f"evolore forget {one.id} --yes{again}")
            if (first := self._said.setdefault(one.content_sha256, one.source)) != one.source:
                yield _of(AuditKind.DUPLICATE, one.id, f"{one.source} says the same as {first}.")
            if Upkeep.of(one.metadata).is_overdue(self._now.date()):
                reason = f"{one.source} is past its day to be verified."
                yield _of(AuditKind.EXPIRED, one.id, reason, f"evolore verify {one.id}")
