"""``gaps``: list what people asked and were not served, name what is missing, and note who takes it up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations, product

import numpy as np

from evolore.answers.extraction import ReadPassage
from evolore.answers.units import PartKind
from evolore.domain.answer import Answer
from evolore.domain.checks import check_count, check_name, checked_word
from evolore.domain.language import Language
from evolore.domain.outcome import QueryRecord, Rating
from evolore.domain.query import Query
from evolore.domain.review import Priority, ReviewCategory, ReviewFilter, ReviewItem, ReviewStatus, cause_of
from evolore.episodes.differences import number_difference
from evolore.errors import AmbiguousId, NotFound
from evolore.evolution.gaps import TREATED, UNCERTAIN, Gap, GapState, Matter, Missing, NearPassage, likeness, matters
from evolore.flows.answer import UnitLikeness, drafted, read_sources
from evolore.flows.context import Context
from evolore.flows.embedding import embed
from evolore.ports import TextRole
from evolore.store.reading import StoreReader
from evolore.text.contrasts.reading import read, shared_share
from evolore.text.question_words import AskedWords
from evolore.text.scripts import detect_language
from evolore.text.vectors import Floats
from evolore.text.word_files import Words, read_words

MOST_ASKED = 2000
"""So many questions are looked at, the newest."""
_MOST_UNSERVED = 800
_MOST_WORDINGS = 8
_ASKED_AGAIN = 5
_SHOWN_NEAR = 4
_BEARS, _SURELY_BEARS = 0.3, 0.5
_ABOUT_US = 0.5
_MOST_UNITS = 4
_ONE_MATTER = 0.25
_HEADS = frozenset((PartKind.HEADING, PartKind.TABLE_HEAD))
_WORDED = (Language.EN, Language.JA, Language.ZH)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The questions that are looked at, oldest first."""

    records: Sequence[QueryRecord]
    is_served: Sequence[bool]
    alike: Floats  #: Shape (n, n).


def gaps(
    context: Context, *, states: Sequence[GapState | str] = (), least: int = 2, limit: int = 20
) -> tuple[Gap, ...]:
    """List gaps, the dearest first, each with what is missing; by default open and taken ones."""
    check_count(limit, "limit")
    check_count(least, "least")
    wanted = {checked_word(GapState, one, "states") for one in states} or {GapState.OPEN, GapState.TAKEN}
    found = [one for one in _all(context) if one.state in wanted and len(one.question_ids) >= least]
    naming = _Naming(context)
    return tuple(naming.named(one) for one in found[:limit])


def gap(context: Context, gap_id: str) -> Gap:
    """Show the gap that the id of one of its questions, or the beginning of one, names."""
    return _Naming(context).named(_with_id(context, gap_id))


def take(context: Context, gap_id: str) -> Gap:
    """Record that the principal takes a gap up; one that is taken is theirs from now on."""
    return _mark(context, gap_id, ReviewStatus.OPEN, note=context.principal)


def close(context: Context, gap_id: str, *, reason: str = "") -> Gap:
    """Close a gap by hand; who is not served afterwards opens it again."""
    check_name(reason or None, "reason", most=10_000)
    reason = context.screen(reason, "reason", of="The gap")
    return _mark(context, gap_id, ReviewStatus.RESOLVED, note=reason or None)


def _mark(context: Context, gap_id: str, status: ReviewStatus, *, note: str | None) -> Gap:
    found = _with_id(context, gap_id)
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        mark = next(iter(_marks(writer, found.question_ids)), None)
        if mark is None:
            item = ReviewItem(
                category=ReviewCategory.GAP,
                reason=f"evolore evolution gaps {found.id}",
                priority=Priority.LOW,
                cause=cause_of(ReviewCategory.GAP, found.id),
            )
            (id_,) = writer.file_review_items([item], at=at)
        else:
            id_ = mark.id or ""
        writer.set_review_status(id_, status, note=note, at=at)
    return gap(context, found.id)


def _marks(reader: StoreReader, question_ids: Sequence[str]) -> list[ReviewItem]:
    """Return what people noted of some questions' gap, the last first."""
    causes = {cause_of(ReviewCategory.GAP, id_) for id_ in question_ids}
    found = [one for one in reader.review_items(ReviewFilter(category=ReviewCategory.GAP)) if one.cause in causes]
    return found[::-1]


def _with_id(context: Context, gap_id: str) -> Gap:
    wanted = gap_id.strip().lower()
    found = [one for one in _all(context) if wanted and any(id_.startswith(wanted) for id_ in one.question_ids)]
    if not found:
        raise NotFound(f"No gap holds a question with the id {gap_id!r}: `evolore evolution gaps --all` lists them.")
    if len(found) > 1:
        raise AmbiguousId(
            f"{gap_id!r} begins ids in several gaps, such as {found[0].id} and {found[1].id}: write more."
        )
    return found[0]


def _all(context: Context) -> list[Gap]:
    """Return every gap, the dearest first and then the oldest, without what is missing."""
    with context.store.read(context.namespace) as reader:
        asked = _asked(context, reader)
        if asked is None:
            return []
        marks: dict[str, ReviewItem] = {
            one.cause: one for one in reader.review_items(ReviewFilter(category=ReviewCategory.GAP))
        }
    found = [_gap(asked, one, marks) for one in matters(asked.alike, asked.is_served)]
    return sorted(found, key=lambda one: (-one.cost, one.id))


def _asked(context: Context, reader: StoreReader) -> _Asked | None:
    records = reader.queries(limit=MOST_ASKED)[::-1]
    refused = reader.refused_queries([one.id for one in records])
    is_served = {one.id: _is_served(one, is_refused=one.id in refused) for one in records}
    first = [one.id for one in records if not is_served[one.id]][-_MOST_UNSERVED:][:1]
    known = reader.query_vectors([one.id for one in records])
    records = [one for one in records if one.id in known and first and one.id >= first[0]]
    if not records:
        return None
    centres = context.calibrations
    centred = np.stack([centres.shipped(context.embedder.model, one.language).centre for one in records]).astype(
        np.float64
    )
    alike = likeness(np.stack([known[one.id] for one in records]).astype(np.float64), centred)
    return _Asked(records=records, is_served=[is_served[one.id] for one in records], alike=alike)


def _is_served(asked: QueryRecord, *, is_refused: bool) -> bool:
    """Return whether a question was served: as people rated it, and else whether anything came back that bears on it."""
    return asked.rating is Rating.GOOD if asked.rating is not None else not is_refused and bool(asked.given)


def _gap(asked: _Asked, matter: Matter, marks: Mapping[str, ReviewItem]) -> Gap:
    records = [asked.records[place] for place in matter.unserved]
    near = asked.alike[np.ix_(matter.unserved, matter.unserved)].mean(axis=1)
    typical = sorted(range(len(records)), key=lambda place: (-round(float(near[place]), 6), place))
    bad = {one.principal for record in records for one in record.ratings if one.rating is Rating.BAD}
    weeks = [(record.principal, record.asked_at.isocalendar()[:2]) for record in records]
    last = records[-1].recorded_at
    served = [asked.records[place] for place in matter.served]
    mark = next((marks[key] for one in records if (key := cause_of(ReviewCategory.GAP, one.id)) in marks), None)
    is_resolved = mark is not None and mark.status is ReviewStatus.RESOLVED
    closed_at = [*_closings(served), *([mark.resolved_at] if mark is not None and mark.resolved_at is not None else ())]
    is_closed = any(at >= last for at in closed_at)
    is_taken = mark is not None and not is_resolved
    return Gap(
        id=records[0].id,
        state=GapState.CLOSED if is_closed else GapState.TAKEN if is_taken else GapState.OPEN,
        questions=tuple(dict.fromkeys(records[place].text for place in typical))[:_MOST_WORDINGS],
        question_ids=tuple(one.id for one in records),
        people=len({one.principal for one in records}),
        weeks=len({week for _, week in weeks}),
        bad=len(bad),
        cost=len(set(weeks)) + len(bad),
        first_at=records[0].asked_at,
        last_at=records[-1].asked_at,
        is_reopened=bool(closed_at) and not is_closed,
        served=sum(one.recorded_at > last for one in served),
        taken_by=(mark.note or "") if mark is not None and is_taken else "",
        note=(mark.note or "") if mark is not None and is_resolved else "",
    )


def _closings(served: Sequence[QueryRecord]) -> Iterator[datetime]:
    """Yield when askers show that a gap is closed: one who rated the answer GOOD, or the second who was served."""
    before: set[str | None] = set()
    for one in served:
        if one.rating is Rating.GOOD or before - {one.principal}:
            yield one.recorded_at
        before.add(one.principal)


class _Naming:
    """Names what is missing by asking again, without a chat model."""

    def __init__(self, context: Context) -> None:
        self._context = replace(context, chat_model=None, chat_intents=None, reranker=None)  # none is paid for a list
        self._likeness = UnitLikeness(context)
        self._about_us = self._embedded([one for each in _WORDED for one in _words(each).lines("about_us")])

    def _embedded(self, texts: Sequence[str]) -> Floats:
        return embed(self._context.embedder, texts, role=TextRole.QUERY).astype(np.float64)

    def named(self, found: Gap) -> Gap:
        """Return a gap with what is missing, and what bears on it."""
        answers = [drafted(self._context, Query(text=text)) for text in found.questions[:_ASKED_AGAIN]]
        bears = [self._quotes(said) for said in answers]
        near = _nearest(each[0] for quotes in bears for each in quotes)
        if self._are_about_us(found.questions):
            return replace(found, missing=Missing.NOTHING, near=near)
        answering = (one for said, one in zip(answers, bears, strict=True) if (said.likelihood or 0.0) >= UNCERTAIN)
        if clash := next((two for quotes in answering if (two := _clash(quotes))), ()):
            others = (one for one in near if one.document_id not in {each.document_id for each in clash})
            return replace(found, missing=Missing.DISAGREE, near=(*clash, *others)[:_SHOWN_NEAR])
        first = Counter(quotes[0][0].document_id for quotes in bears if quotes)
        first.pop(None, None)
        likely = sum(one.likelihood or 0.0 for one in answers) + max(first.values(), default=0)
        if likely >= TREATED * len(answers):
            return replace(found, missing=Missing.NEARLY, near=near)
        return replace(found, missing=Missing.NO_DOCUMENT, near=near, draft=_draft(found, near))

    def _are_about_us(self, questions: Sequence[str]) -> bool:
        best = (self._embedded(questions) @ self._about_us.T).max(axis=1)
        return 2 * int((best >= _ABOUT_US).sum()) >= len(questions)

    def _quotes(self, said: Answer) -> list[tuple[NearPassage, ...]]:
        """Return what each hit that bears on a question says, what is nearest to the question first."""
        if said.recall is None:
            return []
        likelihoods = {hit.episode.id: hit.likelihood or 0.0 for hit in said.recall.hits}
        sources = read_sources(self._context, said.recall)
        words = AskedWords.of(said.question, sources.rarity)
        found: list[tuple[NearPassage, ...]] = []
        for source in sources.found:
            episode = next((one for _, one in source.parts if one.id in likelihoods), None)
            if episode is None or likelihoods[episode.id] < _BEARS:
                continue
            passage = ReadPassage.of(source.passage)
            alike = self._likeness.of_question(said.question, [passage.texts])[0]
            said_there = [
                (words.covered(own) + float(near), unit)
                for own, near, unit in zip(passage.words, alike, passage.units, strict=True)
                if unit.kind not in _HEADS
            ]
            ranked = sorted(said_there, key=lambda one: -one[0])[:_MOST_UNITS]
            name = (episode.speaker if episode.document_id is None else episode.source) or ""
            found.append(
                tuple(
                    NearPassage(
                        source=name,
                        quote=unit.span.of(source.passage.text).strip(),
                        likelihood=round(likelihoods[episode.id], 4),
                        document_id=episode.document_id,
                    )
                    for _, unit in ranked
                )
            )
        return [one for one in found if one]


def _nearest(quotes: Iterable[NearPassage]) -> tuple[NearPassage, ...]:
    """Return the best of each document or speaker, best first."""
    best: dict[str, NearPassage] = {}
    for one in sorted(quotes, key=lambda one: -one.likelihood):
        best.setdefault(one.document_id or one.quote, one)
    return tuple(best.values())[:_SHOWN_NEAR]


def _clash(said: Sequence[tuple[NearPassage, ...]]) -> tuple[NearPassage, ...]:
    """Return the first two of different documents that state another value of one matter; none where none do."""
    for ours, theirs in combinations([one for one in said if one[0].likelihood >= _SURELY_BEARS], 2):
        if ours[0].document_id == theirs[0].document_id:
            continue
        for one, other in product(ours, theirs):
            language = detect_language(one.quote)
            mine, yours = read(one.quote, language), read(other.quote, language)
            if shared_share(mine, yours) >= _ONE_MATTER and number_difference(mine, yours) is not None:
                return one, other
    return ()


def _words(language: Language) -> Words:
    return read_words("evolore.evolution", "gaps", language)


def _draft(found: Gap, near: Sequence[NearPassage]) -> str:
    """Return an outline of the document that is missing: what was asked, and what is written and said nearby."""
    texts = _words(detect_language(found.questions[0])).texts
    parts = {
        "asked": [f"- {one}" for one in found.questions],
        "near": [f"> {one.quote}\n>\n> {one.source}\n" for one in near if one.document_id is not None],
        "said": [f"- {one.quote} ({one.source})" for one in near if one.document_id is None],
    }
    sections = [f"## {texts[name]}\n\n" + "\n".join(lines) for name, lines in parts.items() if lines]
    head = f"# {texts['draft'].format(title=found.questions[0])}\n\n> {texts['warning']}\n\n{texts['unknown']}"
    return "\n\n".join([head, *sections]).rstrip() + "\n"
