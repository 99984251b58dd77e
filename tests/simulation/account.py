"""The plain account of what one namespace must hold, and how a memory's own word is read to be compared with it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from simulation.world import marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from evolore.memory import Memory

MOST = 10_000


@dataclass(frozen=True, slots=True)
class Said:
    """A statement as it was given, and when it holds from."""

    text: str
    session: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was taken down, and what each person last said of its answer."""

    text: str
    principal: str | None = None
    ratings: frozenset[tuple[str | None, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Account:
    """What is held, without ids: statements and questions as often as they were given, documents by source.

    Attributes:
        feedback: What people said of documents themselves: source, who, rating; the last of each person counts.
    """

    statements: Counter[Said] = field(default_factory=Counter[Said])
    documents: Mapping[str, str] = field(default_factory=dict[str, str])
    questions: Counter[Asked] = field(default_factory=Counter[Asked])
    feedback: Counter[tuple[str, str | None, str]] = field(default_factory=Counter[tuple[str, str | None, str]])

    def plus(self, *said: Said) -> Self:
        return replace(self, statements=self.statements + Counter(said))

    def minus(self, said: Iterable[Said]) -> Self:
        return replace(self, statements=self.statements - Counter(said))

    def page(self, source: str, text: str | None) -> Self:
        """Give it with a document's text; None for without the document, and what was said of it."""
        others = {name: held for name, held in self.documents.items() if name != source}
        rest = self.feedback if text else Counter({one: n for one, n in self.feedback.items() if one[0] != source})
        return replace(self, documents=others | ({source: text} if text else {}), feedback=rest)

    def ask(self, *asked: Asked) -> Self:
        return replace(self, questions=self.questions + Counter(asked))

    def unask(self, *asked: Asked) -> Self:
        return replace(self, questions=self.questions - Counter(asked))

    def rated(self, source: str, who: str | None, rating: str) -> Self:
        others = Counter({one: n for one, n in self.feedback.items() if one[:2] != (source, who)})
        return replace(self, feedback=others + Counter([(source, who, rating)]))


@dataclass(frozen=True, slots=True)
class Held:
    """What a memory says it holds.

    Attributes:
        said: Statements by id.
        pages: Ids of documents by source.
        asked: Questions by id.
        account: The same without ids.
        born: The first moment at which a mark was said.
    """

    said: Mapping[str, Said]
    pages: Mapping[str, str]
    asked: Mapping[str, Asked]
    account: Account
    born: Mapping[str, datetime]


def read(memory: Memory) -> Held:
    """Read everything that was given to a memory, through its indexes and its verbs."""
    listing = memory.list(limit=MOST)
    with memory._context.store.index(memory.namespace) as (view, reader):
        episodes = [one for one in reader.episodes(sorted(view.episode_ids)) if one.document_id is None]
        texts = {page.source: reader.document_text(page.id) or "" for page in listing.documents}
    pages = {page.id: page.source for page in listing.documents}
    standing = {one.id for one in episodes if one.stands}
    assert {one.id for one in listing.statements} == standing, "the list and the indexes do not show the same"
    plain = [one for one in episodes if not one.is_made]
    said = {one.id: Said(one.text, one.session, one.speaker) for one in plain}
    asked = {
        one.id: Asked(one.text, one.principal, frozenset((told.principal, told.rating.value) for told in one.ratings))
        for one in memory.questions.list(limit=MOST)
    }
    told = [one for one in memory.evolution.feedback() if one.query_id is None]
    feedback = Counter((pages[one.document_id], one.principal, one.rating.value) for one in told)
    late = sorted(plain, key=lambda one: one.occurred_at or one.recorded_at, reverse=True)
    born = {mark: one.occurred_at or one.recorded_at for one in late for mark in marks(one.text)}
    account = Account(Counter(said.values()), texts, Counter(asked.values()), feedback)
    return Held(said, {source: id_ for id_, source in pages.items()}, asked, account, born)
