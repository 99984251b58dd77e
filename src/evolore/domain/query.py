"""Questions and what comes back: hits with their score terms, and what else had a say in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Literal, Self, TypedDict, Unpack

from evolore.domain.checks import check_count, check_name, check_share, check_text, check_time, checked_word
from evolore.domain.citation import Citing, Level, context_words, excerpt, in_order
from evolore.domain.document import Span
from evolore.domain.episode import Episode
from evolore.domain.filters import Filter, read_path
from evolore.domain.language import Language
from evolore.domain.metadata import Metadata, MetadataValue, checked_tags
from evolore.domain.outline import OutlineCode, Relation
from evolore.domain.result import Result
from evolore.domain.times import AskedTime, Moment, read_moment
from evolore.errors import InvalidValue

DEFAULT_LIMIT = 5
TOOL_TOKENS = 1500
"""How many tokens one result that a tool returns to a model may take, by default."""
LIMIT_WITHIN_BUDGET = 100
"""How many hits are considered where only tokens bound them."""

LEAST_LIKELIHOOD = 0.1
"""What bears less likely on a question or turn is kept from a model. Of foreign questions to stores of 1 to 40 everyday facts, 96 of
100 find nothing then, 95 on the blind half, and less than 1 of 100 facts that answer is lost (``benchmarks/everyday.py --only foreign``)."""

MAX_QUERY_CHARACTERS = 10_000
"""A longer question is refused: it is a document, to be added rather than asked."""


class Intent(StrEnum):
    """What a question is after."""

    EMOTIONAL = "emotional"
    FACTUAL = "factual"
    TECHNICAL = "technical"
    TEMPORAL = "temporal"
    RELATIONAL = "relational"


class AskOptions(TypedDict, total=False):
    """What a question may say besides its text; what does not match everything named takes no part.

    Args:
        limit: How many hits at most, at least 1; by default 5, or with ``tokens`` as many as fit, up to 100. For
            an answer: how many are read; by default 8.
        as_of: The moment it is asked from, a time with a zone or a text in ISO 8601: what happened later is not seen,
            nor what was recorded later where it is not known when it happened. "Yesterday" is the day before it in that
            zone; by default the day before this one in the machine's zone, or in that of the ``clock`` the memory was
            opened with.
        where: Metadata of the statement or document, with exactly these values.
        tags: Tags of the statement or document, all of them.
        session: Only statements of this conversation.
        speaker: Only statements of this speaker.
        source: Only passages of the document with this source or path, or of those in this folder.
        path: Only passages at or below this outline code of ``source``, such as ``"1.2"``, or below these headings,
            such as ``"Handbook › Going live"`` or a tuple of them; a document's title counts as one.
        since: Only what happened then or later or, where that is unknown, was recorded; as ``as_of``.
        until: Only what did before then; as ``as_of``, and later than ``since``.
        depth: Prefer passages this deep in their outlines, from 1 for the top.
        principal: On whose behalf; it is named in the query of what comes back, and beside what is recorded.
        also: Further namespaces of the store that are read with one's own, in any order; one that nothing was written to
            is empty. Nothing is written there, and what is learned stays in one's own.
    """

    limit: int | None
    as_of: Moment | None
    where: Mapping[str, MetadataValue] | None
    tags: Iterable[str]
    session: str | None
    speaker: str | None
    source: str | None
    path: str | OutlineCode | Sequence[str] | None
    since: Moment | None
    until: Moment | None
    depth: int | None
    principal: str | None
    also: Iterable[str]


class RecallOptions(AskOptions, total=False):
    """What ``recall`` takes besides: what a hit is, and how much may come back.

    Args:
        expand: Whether hits that are siblings in an outline come back as the chunk above them, with the hits it replaces
            in ``Hit.expansion``; by default not.
        fold_echoes: Whether hits that only repeat a better one are folded into it and listed in ``Hit.echoes``; by
            default they are.
        tokens: What the hits may take as ``Recall.context`` writes them, in tokens of the tokenizer that is set, or
            estimated; at least 1. The best hit is given in any case; ``Recall.is_over_budget`` says so then.
        level: What a hit is: ``"episode"``, or ``"session"`` or ``"document"`` for the one it is in, each once,
            ranked by the best episode in it, with its text and what was found in it in ``Hit.whole``.
        least: What is less likely relevant is left out, 0–1; by default nothing is, but with ``tokens``, and in
            ``Recall.as_messages()``, what is below 0.1. Hits without a likelihood, as with an uncalibrated embedder, stay.
    """

    expand: bool | None
    fold_echoes: bool | None
    tokens: int | None
    level: Level | str
    least: float | None


MOST_NAMESPACES = 20
"""At most so many further namespaces are read for a question: each costs as much as one's own."""


def checked_namespaces(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of namespaces sorted, each once.

    Raises:
        InvalidValue: One is no name, they are one text, or too many.

    >>> checked_namespaces(["team", "company", "team"])
    ('company', 'team')
    """
    if isinstance(names, str):
        raise InvalidValue(f"also is {names!r}: use a list of namespaces, such as [{names!r}].")
    found = tuple(sorted(set(names)))
    for name in found:
        check_name(name, "also")
    if len(found) > MOST_NAMESPACES:
        raise InvalidValue(f"also names {len(found)} namespaces: name at most {MOST_NAMESPACES}.")
    return found


def check_options(options: Mapping[str, object], known: type[AskOptions]) -> None:
    """Refuse names that are no options, as a call refuses an argument it does not take.

    Raises:
        TypeError: There is no option of a name.
    """
    if unknown := options.keys() - known.__optional_keys__:
        raise TypeError(f"{', '.join(sorted(unknown))}: a question takes {', '.join(sorted(known.__optional_keys__))}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question put to the memory."""

    text: str  #: The question, 1 to 10,000 characters, not blank.
    limit: int = DEFAULT_LIMIT  #: How many hits at most, at least 1.
    #: The moment it is asked from, with a zone; what came later is not seen. None for no bound.
    as_of: datetime | None = None
    filter: Filter = field(default_factory=Filter)  #: Which items it is put to; the others are not seen.
    principal: str | None = None  #: On whose behalf it is asked.
    #: How deep in its document the passage wanted is likely to be, from 1 for the top; None for any.
    depth: int | None = None
    expand: bool | None = None  #: Whether siblings come back as the chunk above them; None for no.
    fold_echoes: bool | None = None  #: Whether near-duplicates come back as one hit; None for yes.
    tokens: int | None = None  #: What the hits may take of a model's context, in tokens, at least 1; None for no bound.
    level: Level = Level.EPISODE  #: What a hit is: an episode, or the session or document it is in.
    also: tuple[str, ...] = ()  #: Further namespaces that are read, sorted, each once.
    #: What is less likely relevant is left out, 0–1; None for what ``floor`` says.
    least: float | None = None

    def __post_init__(self) -> None:
        check_text(self.text, "The question")
        object.__setattr__(self, "also", checked_namespaces(self.also))
        if len(self.text) > MAX_QUERY_CHARACTERS:
            raise InvalidValue(
                f"The question has {len(self.text):,} characters: ask with at most {MAX_QUERY_CHARACTERS:,}, "
                "or add the text as a document."
            )
        check_count(self.limit, "limit")
        if self.depth is not None:
            check_count(self.depth, "depth")
        if self.tokens is not None:
            check_count(self.tokens, "tokens")
        check_time(as_of=self.as_of)
        check_name(self.principal, "principal")
        check_share(least=self.least)

    @property
    def floor(self) -> float:
        """The least likelihood of a hit: ``least`` if stated, else 0.1 within a budget of tokens, else 0."""
        return self.least if self.least is not None else 0.0 if self.tokens is None else LEAST_LIKELIHOOD

    @classmethod
    def of(cls, text: str | Self, **options: Unpack[RecallOptions]) -> Self:
        """Return the question that a text and options say; a question that is one already is given back.

        Args:
            text: The question.
            **options: What ``RecallOptions`` lists, as callers write it.

        Raises:
            InvalidValue: One is not of its form, or options are passed beside a question that has its own.
            TypeError: There is no option of a name.
        """
        check_options(options, RecallOptions)
        if not isinstance(text, str):
            if options:
                raise InvalidValue(f"{', '.join(options)} beside a Query: say it in the Query.")
            return text
        limit, tokens = options.get("limit"), options.get("tokens")
        path = options.get("path")
        return cls(
            text=text,
            limit=limit if limit is not None else DEFAULT_LIMIT if tokens is None else LIMIT_WITHIN_BUDGET,
            as_of=read_moment(options.get("as_of"), "as_of"),
            filter=Filter(
                where=Metadata(options.get("where")),
                tags=checked_tags(options.get("tags", ())),
                session=options.get("session"),
                speaker=options.get("speaker"),
                source=options.get("source"),
                path=None if path is None else read_path(path),
                since=read_moment(options.get("since"), "since"),
                until=read_moment(options.get("until"), "until"),
            ),
            principal=options.get("principal"),
            depth=options.get("depth"),
            expand=options.get("expand"),
            fold_echoes=options.get("fold_echoes"),
            tokens=tokens,
            level=checked_word(Level, options.get("level", Level.EPISODE), "level"),
            also=checked_namespaces(options.get("also", ())),
            least=options.get("least"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTerm:
    """One reason for a hit's score."""

    name: str  #: Which evidence.
    value: float  #: What it added to the score; the terms of a hit sum to its score.


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """The chunk that several hits are in, returned instead of them."""

    outline: OutlineCode | None  #: Its place; None for the whole document.
    span: Span  #: Where it lies in the document's text.
    heading_path: tuple[str, ...] = ()  #: The headings above it, outermost first.
    text: str = ""  #: What it says.
    folded: tuple[Hit, ...] = ()  #: The hits it replaces, best first, with the ranks they had; at least two.


@dataclass(frozen=True, slots=True, kw_only=True)
class Echo:
    """A near-duplicate of a hit that ranked behind it and adds nothing to it."""

    episode: Episode  #: What was folded.
    similarity: float  #: How much of the hit's wording it repeats, 0–1; 1 for the same words.
    rank: int  #: The rank it had.
    score: float  #: Its own score.
    terms: tuple[ScoreTerm, ...] = ()  #: What that is the sum of.
    members: tuple[Episode, ...] = ()  #: The statements the episode was made of, as in a hit.

    def __post_init__(self) -> None:
        check_share(similarity=self.similarity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A session or document given as one hit."""

    level: Level  #: Which of the two.
    name: str  #: The session's name, or the document's id.
    #: All of it that the question may see, where that is short enough; else what was found in it and what is next
    #: to that, in its order, with ``[…]`` where something is left out. A session has a line for each statement, led by
    #: who said it.
    text: str
    is_complete: bool  #: Whether nothing was left out.
    episodes: int  #: How many episodes it has that the question may see.
    #: Those of them that answer best, at most ten, best first, ranked among themselves; at least one.
    found: tuple[Hit, ...]


class HitWarning(StrEnum):
    """What a reader of a hit should be wary of; nothing is left out for it.

    ``INSTRUCTIONS``: it orders a model about. ``HIDDEN_TEXT``: it holds text that a screen does not show. ``OUTWARD_LINK``: it holds an
    address that would carry data away as soon as it is shown or opened. ``OVERDUE``: its document is past its day to be verified.
    """

    INSTRUCTIONS = "instructions"
    HIDDEN_TEXT = "hidden_text"
    OUTWARD_LINK = "outward_link"
    OVERDUE = "overdue"


@dataclass(frozen=True, slots=True, kw_only=True)
class HitRelation:
    """How the place of a hit stands to that of a better hit in the outline of one document."""

    rank: int  #: Of the other: the better hit that shares most of the outline with it.
    relation: Relation  #: What the hit is to it, such as its sibling; ``none`` for another part of the document.


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """An episode that answers a question, or several shown as one hit."""

    episode: Episode  #: What was found; the best of them where several were.
    rank: int  #: 1 for the best.
    score: float  #: Higher is better; comparable within one recall only.
    terms: tuple[ScoreTerm, ...] = ()  #: What the score is the sum of.
    #: What is given in their stead where several siblings were found; None for an episode alone.
    expansion: Expansion | None = None
    echoes: tuple[Echo, ...] = ()  #: Near-duplicates of the episode that were folded into it, in the order they ranked.
    #: The session or document that is given in its stead, where the question asked for that level.
    whole: Whole | None = None
    #: The statements the episode was made of by merging or splitting, the likest to the question first; none for one
    #: that was only said.
    members: tuple[Episode, ...] = ()
    #: Where in a long statement the answer is, in its order; none where the statement is returned whole.
    passages: tuple[Span, ...] = ()
    is_superseded: bool = False  #: Whether, at the moment asked from, another says what holds instead.
    superseded_by: Episode | None = None  #: That other, as far as the question may see it; None for none.
    is_in_conflict: bool = False  #: Whether it waits for a person because another contradicts it.
    conflicts_with: tuple[Episode, ...] = ()  #: What contradicts it, as far as the question may see it.
    #: Later statements that likely take its place, the newest first, as far as the question may see them. Its state and
    #: its rank are as without them.
    possibly_replaced_by: tuple[Episode, ...] = ()
    #: Earlier ones whose place it likely takes, the newest first, as far as the question may see them. Its state and its
    #: rank are as without these, too.
    possibly_replaces: tuple[Episode, ...] = ()
    #: What a reader, or a model, should be wary of in its text and its place.
    warnings: tuple[HitWarning, ...] = ()
    namespace: str | None = field(default=None, compare=False)  #: Where it is remembered; None if unknown.
    #: How likely it is relevant to the question or turn, 0–1, regardless of what else is remembered; for several shown
    #: as one hit, the best of them. None if unknown.
    likelihood: float | None = None
    #: Where a better hit is from the same document: what this one is to it; None for the first of a document.
    relation: HitRelation | None = None
    #: Of a procedure, how often it worked, of how many outcomes that were told; None for anything else.
    outcomes: tuple[int, int] | None = None

    @property
    def superseded_at(self) -> datetime | None:
        """Since when another says what holds instead; None where it holds, or the time is unknown."""
        return self.episode.valid_to if self.is_superseded else None

    @property
    def text(self) -> str:
        """What is to be read: the text of the session or document, of the expansion, or of the episode.

        Of a long statement its passages, with ``[…]`` where something is left out.
        """
        wider = self.whole or self.expansion
        if wider is not None:
            return wider.text
        return excerpt(self.episode.text, self.passages) if self.passages else self.episode.text

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """Every episode it represents, each once: itself and what it was made of, echoes, what was folded or found."""
        return tuple(episode for _, episode in self.scored_episodes)

    @property
    def scored_episodes(self) -> tuple[tuple[float, Episode], ...]:
        """The same episodes, each with its own score."""
        known = {one.id: (self.score, one) for one in (self.episode, *self.members)}
        for echo in self.echoes:
            for one in (echo.episode, *echo.members):
                known.setdefault(one.id, (echo.score, one))
        wider = (*(self.expansion.folded if self.expansion else ()), *(self.whole.found if self.whole else ()))
        for one in wider:
            for score, episode in one.scored_episodes:
                known.setdefault(episode.id, (score, episode))
        return tuple(known.values())


def likeliest(hits: Iterable[Hit]) -> float | None:
    """Return the likelihood of the hit that is most likely relevant; None if no hit has one."""
    return max((hit.likelihood for hit in hits if hit.likelihood is not None), default=None)


def bearing(hits: Sequence[Hit], least: float) -> tuple[Hit, ...]:
    """Return the hits that are at least so likely relevant or have no likelihood, and what contradicts or replaces them.

    What replaces or contradicts them stays at any likelihood: without it, they would be believed.
    """
    bears = {hit.episode.id: hit for hit in hits if hit.likelihood is None or hit.likelihood >= least}
    others = {
        other.id
        for hit in bears.values()
        for other in (hit.superseded_by, *hit.possibly_replaced_by, *hit.conflicts_with)
        if other is not None
    }
    return tuple(hit for hit in hits if hit.episode.id in bears.keys() | others)


def _without_others(hit: Hit, speakers: Collection[str | None]) -> Hit:
    """Return a hit without what others said about it; a session in its stead, which holds their lines, is left out."""

    def own(episodes: Iterable[Episode]) -> tuple[Episode, ...]:
        return tuple(one for one in episodes if one.speaker in speakers)

    is_session = hit.whole is not None and hit.whole.level is Level.SESSION
    return replace(
        hit,
        whole=None if is_session else hit.whole,
        echoes=tuple(echo for echo in hit.echoes if echo.episode.speaker in speakers),
        superseded_by=next(iter(own(filter(None, [hit.superseded_by]))), None),
        conflicts_with=own(hit.conflicts_with),
        possibly_replaced_by=own(hit.possibly_replaced_by),
        possibly_replaces=own(hit.possibly_replaces),
    )


class Message(TypedDict):
    """A message to a chat model, as OpenAI-compatible servers take it.

    Args:
        role: Who says it: ``system`` or ``user``.
        content: What it says.
    """

    role: Literal["system", "user"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Result):
    """What a question brought back."""

    query: Query  #: The question.
    hits: tuple[Hit, ...]  #: Best first; ties in the order they were recorded.
    searched: int  #: How many episodes were weighed.
    intent: Intent  #: What the question is taken to be after; how fast an account of it grows old follows it.
    intent_confidence: float  #: How likely that is, 0–1.
    #: What similarity, arousal and time count for with that intent, as set; None if unknown.
    intent_weights: tuple[float, float, float] | None = None
    dense_weight: float | None = None  #: How much meaning counted against words; None if unknown.
    tokens: int = 0  #: What the hits take as ``context`` writes them, in tokens; 0 without a budget.
    is_estimated: bool = False  #: Whether those are an estimate, because no tokenizer is set.
    is_intent_by_chat_model: bool = False  #: Whether a chat model said so, and not the rules.
    intent_reason: str = ""  #: Why a chat model that was to say it did not; empty where none was asked, or it did.
    asked_time: AskedTime | None = None  #: What the question says about time; None where it says nothing.
    #: Who judged the first hits again, or why none did; None where there is no reranker.
    reranking: Reranking | None = None
    #: What was pushed down by another account of the same matter, the most first.
    suppressed: tuple[Suppressed, ...] = ()
    #: Earlier questions about the same matter whose hits gained, the nearest first.
    learned_from: tuple[EarlierQuestion, ...] = ()
    #: The id under which the question is recorded; None where it is not. Recalls that found the same are equal,
    #: also under different ids.
    query_id: str | None = field(default=None, compare=False)
    #: Changes that are before some people only, each with whether the new text was before who asked.
    canaries: tuple[tuple[str, bool], ...] = ()
    #: Where the filter let nothing through, those of its parts that nothing here has, such as ``"source"``.
    unmatched: tuple[str, ...] = ()
    #: Where it was asked, and can be recorded; None if unknown.
    namespace: str | None = field(default=None, compare=False)
    language: Language = Language.UND  #: The question's: whose words ``context`` uses.
    #: How likely anything remembered is relevant to the question or turn, 0–1, if half of all questions were after
    #: something here: that of the likeliest hit, whether or not it was left out. None if unknown.
    likelihood: float | None = None

    def __post_init__(self) -> None:
        check_share(intent_confidence=self.intent_confidence)

    @property
    def citing(self) -> Citing:
        """How its hits are written for the reader who answers from them."""
        return Citing(language=self.language, as_of=self.query.as_of, namespace=self.namespace)

    @property
    def shown(self) -> tuple[Hit, ...]:
        """The hits as they are to be read: what is superseded last, what is in conflict side by side; ranks stay."""
        return in_order(self.hits)

    @property
    def context(self) -> str:
        """The hits as a language model may be given them, in the order of ``shown``; empty where there are none.

        A line says as of when. Each hit has its rank, who said it and when or where it is, what repeats it, whether it
        is superseded, since when and by which, and what it is in conflict with; then its text.
        """
        return self.citing.all(self.hits)

    def as_messages(self, *, speaker: str | Iterable[str] | None = None, cited: bool = True) -> tuple[Message, Message]:
        """Return what a chat model may be asked, also where nothing was found: a system message and the question.

        The first says how to read what is remembered, and holds ``context`` without what is less likely relevant
        than ``least``, by default 0.1; where nothing else is there, it says that nothing is remembered about this. The second
        is the question. What was said before in the conversation belongs between them.

        Args:
            speaker: Whose statements are shown, one name or several; by default everybody's. What has no speaker, such as
                documents, is shown in any case, and so is what was found in namespaces that ``also`` names.
            cited: Whether the model is asked to name the numbers it relies on.
        """
        words = context_words(self.language)
        least = LEAST_LIKELIHOOD if self.query.least is None else self.query.least
        hits = bearing(self.hits if speaker is None else self.said_by(speaker), least)
        cite = f"{words['cite']}\n" if cited else ""
        known = f"{cite}{words['instructions']}\n\n{self.citing.all(hits)}" if hits else words["nothing"]
        return Message(role="system", content=known), Message(role="user", content=self.query.text)

    def said_by(self, speaker: str | Iterable[str]) -> tuple[Hit, ...]:
        """Return the hits without a word that anybody else said, as ``as_messages`` shows them."""
        speakers = {None, *([speaker] if isinstance(speaker, str) else speaker)}
        return tuple(
            hit if hit.namespace not in {None, self.namespace} else _without_others(hit, speakers)
            for hit in self.hits
            if hit.namespace not in {None, self.namespace} or hit.episode.speaker in speakers
        )

    @property
    def is_over_budget(self) -> bool:
        """Whether even the first hit takes more tokens than were asked for; it is given all the same, and alone."""
        return self.query.tokens is not None and self.tokens > self.query.tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranking:
    """Who judged the first hits again, or why none did."""

    name: str  #: The reranker's.
    items: int = 0  #: How many it judged; 0 where it failed, or there were fewer than two.
    failure: str = ""  #: What went wrong; the order is then what it was without it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """An episode that was pushed down by another about the same matter."""

    episode_id: str  #: The episode.
    rival_id: str | None  #: The one that it ranks behind; None where it is only marked as superseded.
    penalty: float  #: By how much it fell or was overtaken, above 0, in the unit of scores.
    reason: str  #: Why, to be read by a person.


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierQuestion:
    """A question that was asked before and taught something."""

    query_id: str  #: Which.
    probability: float  #: How likely it is about the same matter, 0–1.

    def __post_init__(self) -> None:
        check_share(probability=self.probability)
