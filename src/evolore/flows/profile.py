"""``profile``: list what holds now of a person or a thing: attributes, then open conflicts, then other statements."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain

from evolore.domain.checks import check_count, check_name
from evolore.domain.citation import context_words
from evolore.domain.episode import EdgeKind, Episode, EpisodeState
from evolore.domain.fact import SPEAKER, FactKind
from evolore.domain.language import Language
from evolore.domain.profile import Profile, ProfileFact
from evolore.domain.times import Moment, read_moment
from evolore.episodes.stated_facts import subject_keys
from evolore.flows.context import Context
from evolore.ports import StoredFact
from evolore.store.reading import StoreReader
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import estimate_tokens

_OPEN = frozenset((EpisodeState.ACTIVE, EpisodeState.CONFLICT_PENDING))
_JOINS = frozenset((EdgeKind.SUPERSEDES, EdgeKind.LIKELY_SUPERSEDES, EdgeKind.CONTRADICTS))
_MOST_STATEMENTS = 500
"""So many of the newest statements of a speaker, and of those that state something of a subject, are examined."""
_LONGEST = 240
"""So many characters of a statement are written; a longer one is listed even if an attribute was read in it."""
_SHARES = (0.6, 0.85, 1.0)
"""Shares of the budget up to which attributes, conflicts and statements are written, where another part follows."""


def profile(context: Context, subject: str | None, *, tokens: int, as_of: Moment | None) -> Profile:
    """Return what holds of a subject: a speaker's own statements, and what is stated of a thing or person by that name."""
    check_name(subject, "subject")
    check_count(tokens, "tokens")
    moment = read_moment(as_of, "as_of")
    with context.store.read(context.namespace) as reader:
        told = _Told(reader, subject, moment)
    conflicts = told.conflicts()
    disputed = {one.episode_id for pair in conflicts for one in pair}
    facts = [some for some in told.facts() if some[0].episode_id not in disputed]
    rest = told.rest(disputed.union(some[0].episode_id for some in facts))
    languages = Counter(one.language for one in told.said.values())
    words = context_words(max(languages, key=lambda one: (languages[one], one), default=Language.EN))
    parts = (
        ("", [told.line(some, subject, words) for some in facts]),
        (words["in_conflict"], ["\n".join(told.line([one], subject, words) for one in pair) for pair in conflicts]),
        (words["also_said"], [told.line([one], subject, words) for one in rest]),
    )
    text, counts = _within(parts, tokens)
    return Profile(
        subject=subject,
        as_of=moment,
        facts=tuple(chain.from_iterable(facts[: counts[0]])),
        conflicts=tuple(conflicts[: counts[1]]),
        statements=tuple(rest[: counts[2]]),
        text=text,
        tokens=estimate_tokens(text),
        left_out=sum(len(lines) for _, lines in parts) - sum(counts),
    )


class _Told:
    """What was stated of a subject: what holds, and what held for a while and was replaced."""

    def __init__(self, reader: StoreReader, subject: str | None, moment: datetime | None) -> None:
        own = reader.said_by(subject, limit=_MOST_STATEMENTS)
        keyed = reader.about_subject(subject)[-_MOST_STATEMENTS:] if subject is not None else ()
        about = [fact for key in subject_keys(subject or "") for fact in reader.facts_about(key)]
        near = {one.id: one for one in (*own, *keyed)}
        others = sorted({fact.episode_id for fact in about} - near.keys())[-_MOST_STATEMENTS:]
        near |= {one.id: one for one in reader.episodes(others)}
        near = {id_: one for id_, one in near.items() if not one.is_procedure}
        self.said = {id_: one for id_, one in near.items() if _holds(one, moment) or _was_replaced(one, moment)}
        self._edges = reader.edges_around(sorted(self.said), kinds=_JOINS)
        ends = {end for edge in self._edges for end in (edge.source_id, edge.target_id)} - self.said.keys()
        joined = {one.id: one for one in reader.episodes(sorted(ends))}
        self._held = {id_: one for id_, one in {**self.said, **joined}.items() if _holds(one, moment)}
        read = reader.facts_of({*self.said, *joined})
        self._keys: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        for fact in read:
            self._keys[fact.episode_id].add((fact.subject, fact.attribute))
        ids = {one.id for one in own} & self.said.keys()
        self._stated = [fact for fact in read if fact.subject == SPEAKER and fact.episode_id in ids]
        self._stated += [fact for fact in about if fact.episode_id in self.said]

    def facts(self) -> list[list[ProfileFact]]:
        """Return the values that hold, statement by statement, by attribute and the newest first; what ended last holds no more."""
        found: defaultdict[str, list[ProfileFact]] = defaultdict(list)
        keyed = {one.id: one.about[1] for one in self.said.values() if one.about is not None and one.id in self._held}
        for id_, attribute in keyed.items():
            found[id_].append(self._fact(self.said[id_], attribute))
        over, met = set[tuple[str, str]](), set[tuple[str, str, str]]()
        unkeyed = (fact for fact in self._stated if fact.episode_id not in keyed)
        stated = [fact for fact in unkeyed if fact.episode_id in self._held or self._is_left(fact)]
        for fact in sorted(stated, key=lambda fact: _age(self.said[fact.episode_id]), reverse=True):
            value = (fact.subject, fact.value.casefold())
            if fact.kind is FactKind.ENDS:
                over.add(value)
            elif value not in over and (*value, fact.attribute) not in met:
                met.add((*value, fact.attribute))
                found[fact.episode_id].append(self._fact(self.said[fact.episode_id], fact.attribute, fact.value))
        newest = sorted(found.values(), key=lambda some: _age(self.said[some[0].episode_id]), reverse=True)
        return sorted(newest, key=lambda some: some[0].attribute)

    def _fact(self, one: Episode, attribute: str = "", value: str = "") -> ProfileFact:
        return ProfileFact(
            attribute=attribute,
            value=value or one.text,
            since=one.valid_from or one.occurred_at,
            episode_id=one.id,
            language=one.language,
            said_by=one.speaker,
            is_in_conflict=one.state is EpisodeState.CONFLICT_PENDING,
            possibly_replaced_by=tuple(other.id for other in self._newer(one.id, EdgeKind.LIKELY_SUPERSEDES)),
            is_partly_replaced=one.id not in self._held,
        )

    def _newer(self, id_: str, kind: EdgeKind) -> list[Episode]:
        """Return what takes a statement's place, the newest first."""
        ids = {edge.source_id for edge in self._edges if edge.kind is kind and edge.target_id == id_}
        return sorted((self._held[one] for one in ids if one in self._held), key=_age, reverse=True)

    def _is_left(self, fact: StoredFact) -> bool:
        """Return whether what replaced a statement that says several things says nothing of this one."""
        newer = self._newer(fact.episode_id, EdgeKind.SUPERSEDES)
        if not newer or len(self._keys[fact.episode_id]) == 1:
            return False
        is_told = ((fact.subject, fact.attribute) in self._keys[one.id] for one in newer)
        return not any(is_told) and not any(fact.value.casefold() in one.text.casefold() for one in newer)

    def conflicts(self) -> list[tuple[ProfileFact, ProfileFact]]:
        """Return the pairs that wait for a decision, the older of each first, the newest pair first."""
        ends = {(edge.source_id, edge.target_id) for edge in self._edges if edge.kind is EdgeKind.CONTRADICTS}
        pairs = [
            sorted((self._held[one], self._held[other]), key=_age)
            for one, other in ends
            if {one, other} <= self._held.keys()
        ]
        waiting = [pair for pair in pairs if all(one.state is EpisodeState.CONFLICT_PENDING for one in pair)]
        ordered = sorted(waiting, key=lambda pair: (_age(pair[1]), _age(pair[0])), reverse=True)
        named = ((self._fact(one, one.about[1] if one.about else "") for one in pair) for pair in ordered)
        return [(older, newer) for older, newer in named]

    def rest(self, shown: set[str]) -> list[ProfileFact]:
        """Return what else was stated: what is surest and was said most often first, of equals the newest."""
        other = (
            one
            for id_, one in self.said.items()
            if id_ in self._held and (id_ not in shown or len(one.text) > _LONGEST)
        )
        newest = sorted((one for one in other if not _only_asks(one.text)), key=_age, reverse=True)
        return [self._fact(one) for one in sorted(newest, key=lambda one: (-one.confidence, -one.merge_count))]

    def line(self, some: Sequence[ProfileFact], subject: str | None, words: Mapping[str, str]) -> str:
        """Quote a statement under the names of what it says, with its date, who said it, and what makes it doubtful."""
        first, text = some[0], self._held[some[0].episode_id].text if some[0].episode_id in self._held else ""
        if len(text) > _LONGEST:
            text = next((one for one in _sentences(text) if first.value in one), first.value)
        name = ", ".join(dict.fromkeys(fact.attribute for fact in some if fact.attribute))
        newer = (words["quoted_alone"].format(text=_cut(self._held[id_].text)) for id_ in first.possibly_replaced_by)
        marks = (
            first.since and first.since.date().isoformat(),
            first.said_by if (first.said_by or "").casefold() != (subject or "").casefold() else "",
            words["conflict"] if first.is_in_conflict else "",
            words["partly"] if first.is_partly_replaced else "",
            *(words["possibly"].format(which=text) for text in newer),
        )
        note = "; ".join(mark for mark in marks if mark)
        shown = _cut(text) or ", ".join(fact.value for fact in some)
        return f"- {name}{': ' if name else ''}{shown}" + (f" ({note})" if note else "")


def _begins(one: Episode) -> datetime:
    return one.valid_from or one.occurred_at or one.recorded_at


def _holds(one: Episode, moment: datetime | None) -> bool:
    """Return whether a statement holds at a moment: of what was superseded since, the moment before counts."""
    if moment is None:
        return one.stands and one.state in _OPEN
    return one.stands and _begins(one) <= moment and (one.valid_to is None or one.valid_to > moment)


def _was_replaced(one: Episode, moment: datetime | None) -> bool:
    """Return whether a statement held for a while and was replaced; what was corrected from its beginning on is not meant."""
    is_over = one.valid_to is not None and _begins(one) < one.valid_to and (moment is None or one.valid_to <= moment)
    return one.stands and one.state is EpisodeState.SUPERSEDED and one.about is None and is_over


def _age(one: Episode) -> tuple[datetime, str]:
    return one.moment, one.id


def _sentences(text: str) -> Iterator[str]:
    return filter(None, (text[span.start : span.end].strip() for span in sentence_spans(text)))


def _only_asks(text: str) -> bool:
    return len(text) <= _LONGEST and all(one.endswith(("?", "？")) for one in _sentences(text))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def _within(parts: Sequence[tuple[str, Sequence[str]]], tokens: int) -> tuple[str, list[int]]:
    """Return as many lines of each part as fit, each part under its heading, and how many those are; the first in any case."""
    text, counts, used = "", [0] * len(parts), 0
    for place, (head, lines) in enumerate(parts):
        most = tokens * _SHARES[place] if any(later for _, later in parts[place + 1 :]) else tokens
        for line in lines:
            above = f"\n\n{head}\n" if head and not counts[place] else "\n"
            more = estimate_tokens(f"{above}{line}")
            if text and used + more > most:
                break
            used += more
            text += f"{above}{line}" if text else f"{above}{line}".lstrip("\n")
            counts[place] += 1
    return text, counts
