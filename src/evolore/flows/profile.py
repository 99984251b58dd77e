"""``profile``: list what holds now of a person or a thing, by keys first, then by confidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from evolore.domain.checks import check_count, check_name
from evolore.domain.episode import Episode, EpisodeState
from evolore.domain.fact import SPEAKER, FactKind
from evolore.domain.profile import Profile, ProfileFact
from evolore.domain.times import Moment, read_moment
from evolore.episodes.stated_facts import subject_keys
from evolore.flows.context import Context
from evolore.ports import StoredFact
from evolore.text.tokens import estimate_tokens

_OPEN = frozenset((EpisodeState.ACTIVE, EpisodeState.CONFLICT_PENDING))
_MOST_STATEMENTS = 500
"""So many of the newest statements of a speaker are examined."""


def profile(context: Context, subject: str | None, *, tokens: int, as_of: Moment | None) -> Profile:
    """Return what holds of a subject: a speaker's own statements, and what is stated of a thing or person by that name."""
    check_name(subject, "subject")
    check_count(tokens, "tokens")
    moment = read_moment(as_of, "as_of")
    with context.store.read(context.namespace) as reader:
        own = reader.said_by(subject, limit=_MOST_STATEMENTS)
        keys = () if subject is None else subject_keys(subject)
        about = [fact for key in keys for fact in reader.facts_about(key)]
        stated = reader.about_subject(subject) if subject is not None else ()
        ids = {one.id for one in own}
        of_speaker = [fact for fact in reader.facts_about(SPEAKER) if fact.episode_id in ids]
        others = reader.episodes(sorted({fact.episode_id for fact in about} - ids))
    known = {one.id: one for one in (*own, *others, *stated) if _holds(one, moment)}
    facts = _facts((*of_speaker, *about), known)
    keyed = [_fact(one, one.about[1], one.text) for one in stated if one.id in known and one.about is not None]
    every = (*sorted(keyed, key=lambda fact: fact.attribute), *facts)
    chosen, text = _within(_ordered(every, known), tokens)
    return Profile(
        subject=subject, as_of=moment, facts=every, statements=chosen, text=text, tokens=estimate_tokens(text)
    )


def _holds(one: Episode, moment: datetime | None) -> bool:
    """Return whether a statement holds at a moment: of what was superseded since, the moment before counts."""
    if moment is None:
        return one.stands and one.state in _OPEN
    begins = one.valid_from or one.occurred_at or one.recorded_at
    return one.stands and begins <= moment and (one.valid_to is None or one.valid_to > moment)


def _waits(one: Episode) -> bool:
    return one.state is EpisodeState.CONFLICT_PENDING


def _since(one: Episode) -> datetime | None:
    return one.valid_from or one.occurred_at


def _facts(stored: Iterable[StoredFact], known: Mapping[str, Episode]) -> tuple[ProfileFact, ...]:
    """Return the values that hold, by attribute, the newest first; what ended last holds no more."""
    told = (fact for fact in stored if fact.episode_id in known)
    latest = sorted(told, key=lambda fact: _age(known[fact.episode_id]), reverse=True)
    found: dict[tuple[str, str], ProfileFact] = {}
    over: set[tuple[str, str]] = set()
    for fact in latest:
        key = (fact.subject, fact.attribute)
        if fact.kind is FactKind.ENDS:
            over.add((*key[:1], fact.value.casefold()))
        elif (fact.subject, fact.value.casefold()) not in over and (*key, fact.value) not in found:
            named = (f"{fact.subject} {fact.attribute}", fact.value.casefold())
            found.setdefault(named, _fact(known[fact.episode_id], fact.attribute, fact.value))
    return tuple(sorted(found.values(), key=lambda fact: fact.attribute))


def _fact(one: Episode, attribute: str, value: str) -> ProfileFact:
    since, waits = _since(one), _waits(one)
    return ProfileFact(attribute=attribute, value=value, since=since, episode_id=one.id, is_in_conflict=waits)


def _age(one: Episode) -> tuple[datetime, str]:
    return one.occurred_at or one.recorded_at, one.id


def _ordered(facts: Sequence[ProfileFact], known: Mapping[str, Episode]) -> list[Episode]:
    """Return the statements, those with facts first, then the surest, of equals the newest."""
    first = dict.fromkeys(fact.episode_id for fact in facts)
    rest = sorted((one for id_, one in known.items() if id_ not in first), key=_age, reverse=True)
    return [known[id_] for id_ in first] + sorted(rest, key=lambda one: -one.confidence)


def _within(statements: Sequence[Episode], tokens: int) -> tuple[tuple[Episode, ...], str]:
    """Return as many statements as fit, in their order, and their text; the first in any case."""
    chosen: list[Episode] = []
    lines: list[str] = []
    for one in statements:
        since = _since(one)
        mark = " (?)" if _waits(one) else ""
        line = f"- {' '.join(one.text.split())}{f' ({since.date().isoformat()})' if since else ''}{mark}"
        if chosen and estimate_tokens("\n".join([*lines, line])) > tokens:
            break
        chosen.append(one)
        lines.append(line)
    return tuple(chosen), "\n".join(lines)
