"""``remember``: embed statements, plan what becomes of each, and write all in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatBudget, ChatFailure
from evolore.domain.episode import Deed, Edge, Episode, Statement
from evolore.domain.fact import StatedFact
from evolore.domain.result import Result
from evolore.domain.review import ReviewItem
from evolore.episodes.key_extraction import MOST_AT_ONCE, PROMPT_VERSION, Shown, extract_prompt, read_keys
from evolore.episodes.stated_facts import stated_facts
from evolore.errors import InvalidValue
from evolore.flows.embedding import EmbedsOnce
from evolore.flows.item_keys import keys_of
from evolore.flows.remember.plan import (
    Action,
    Became,
    Conflict,
    Integrated,
    PlannedChange,
    Planner,
    Steps,
    conflict_cause,
)
from evolore.flows.remember.similarity import Likeness
from evolore.flows.remember.world import Outrun, Sight, bring_in_line, known_statement
from evolore.ports import Change, ChangeKind, IndexedText, NewStatement
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.store.reading import StoreReader
    from evolore.store.writing import StoreWriter

    Correction = Callable[[StoreReader, str], Change]


_MOST_KNOWN = 60
_ATTEMPTS = 5
"""So often a plan is made while others may write; then once more while nobody may."""

_PLANNED_TOGETHER = 4
"""After so many statements recalls get their turn: each takes 2 ms of planning among 500, 10 among 100,000; the turn 0.3."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Remembered(Episode):
    """A statement that was remembered, as an episode, and what became of it.

    Each action names the episodes, the reason, and the event that ``undo`` takes back.

    Args:
        integrated: What became of it: whether it stands alone or went into another, and what was done because of it.
        review_ids: The review items that were filed because it contradicts others.
        unread: Why the chat model did not read what it states, where it was asked; empty where it did.
    """

    integrated: Integrated = field(kw_only=True)
    review_ids: tuple[str, ...] = ()
    unread: str = ""

    def __eq__(self, other: object) -> bool:
        """Tell whether both are one statement, whatever became of it: an episode that is read later is equal to it."""
        names = (one.name for one in fields(Episode))
        return isinstance(other, Episode) and all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = Episode.__hash__

    @property
    def replaced(self) -> tuple[Action, ...]:
        """What it took the place of."""
        return self._done(Deed.SUPERSEDED)

    @property
    def possibly_replaced(self) -> tuple[Action, ...]:
        """What it likely takes the place of; both stay active."""
        return self._done(Deed.LIKELY_SUPERSEDED)

    @property
    def linked(self) -> tuple[Action, ...]:
        """What it was linked with, because both are probably of one matter."""
        return self._done(Deed.LINKED)

    @property
    def conflicts(self) -> tuple[Action, ...]:
        """What it contradicts; a person is asked."""
        return self._done(Deed.CONFLICT)

    def _done(self, deed: Deed) -> tuple[Action, ...]:
        return tuple(one for one in self.integrated.actions if one.deed is deed)


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedMany(Result):
    """Statements that were remembered together, and what became of them.

    Args:
        episodes: One for each statement, in their order, each as it was said.
        integrated: What became of each: whether it stands alone or went into another, and what was done because of it.
        event_ids: The events of merges, splits, supersessions and conflicts, in their order; each can be undone.
        review_ids: The review items that were filed because statements do not fit together.
        unread: Why the chat model did not say what statements state, where it was asked; empty where it did.
    """

    episodes: tuple[Episode, ...]
    integrated: tuple[Integrated, ...] = ()
    event_ids: tuple[str, ...] = ()
    review_ids: tuple[str, ...] = ()
    unread: str = ""

    @property
    def only(self) -> Remembered:
        """The first statement with what became of it, where one alone was remembered."""
        one = self.episodes[0]
        said = {named.name: getattr(one, named.name) for named in fields(Episode)}
        return Remembered(**said, integrated=self.integrated[0], review_ids=self.review_ids, unread=self.unread)


def remember(
    context: Context, statements: Iterable[Statement], *, correction: Correction | None = None
) -> RememberedMany:
    """Remember statements; all of them, or none when one cannot be.

    Statements of one session become neighbours, in the order given, behind what the session holds already. What becomes
    of each does not depend on how many are given at once.

    Args:
        context: The ports.
        statements: Which.
        correction: Gives, by what is there and the name of the one statement, the change by which that takes another's place.

    Raises:
        InvalidValue: Something given is no statement.
    """
    context = replace(context, embedder=EmbedsOnce(context.embedder))
    new = [_prepare(context, statement) for statement in statements]
    if not new:
        return RememberedMany(episodes=())
    new, unread = _with_chat_keys(context, new)
    if correction is not None:
        new = [replace(one, is_correction=True) for one in new]
    elif not context.integration_settings.enabled:
        with context.store.write(context.namespace, principal=context.principal) as writer:
            return replace(_plain(writer.put_statements(new, at=context.clock.now())), unread=unread)
    for _ in range(_ATTEMPTS):
        with suppress(Outrun):
            plan = _plan(context, new, correction)
            with context.store.write(context.namespace, principal=context.principal) as writer:
                refuse_if_outrun(writer, plan.revision)
                return replace(_write(writer, plan, new), unread=unread)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        return replace(_write(writer, _plan(context, new, correction), new), unread=unread)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is to become of statements, against one revision of the namespace.

    Args:
        revision: Which.
        at: The moment: read after the snapshot was taken, so later than that of all it shows.
        names: Of the statements.
        integrated: What becomes of each.
        changed: How many changes there are once each is integrated, in their order.
        steps: What is to be written.
    """

    revision: int
    at: datetime
    names: tuple[str, ...]
    integrated: tuple[Integrated, ...]
    changed: tuple[int, ...]
    steps: Steps


def _plan(context: Context, new: Sequence[NewStatement], correction: Correction | None) -> _Plan:
    with Sight(context) as sight:
        return _planned(
            replace(context, embedder=EmbedsOnce(context.embedder, aside=sight.aside)), new, sight, correction
        )


def _planned(context: Context, new: Sequence[NewStatement], sight: Sight, correction: Correction | None) -> _Plan:
    at, world = context.clock.now(), sight.world
    planner = Planner(context, world, Likeness(context, world), at=at)
    names: list[str] = []
    integrated: list[Integrated] = []
    changed: list[int] = []
    for place, one in enumerate(new, start=1):
        known = known_statement(world.new_name(), one, at=at)
        names.append(known.id)
        world.plan(known)
        if correction is not None:
            planner.correct(known, correction(sight.reader, known.id))
        is_alone = not context.integration_settings.enabled
        integrated.append(_alone(known.id) if is_alone else planner.integrate(known))
        changed.append(planner.change_count)
        if place % _PLANNED_TOGETHER == 0:
            with sight.aside():
                pass  # others get their turn
    return _Plan(
        revision=sight.revision,
        at=at,
        names=tuple(names),
        integrated=tuple(integrated),
        changed=tuple(changed),
        steps=planner.steps,
    )


def _write(writer: StoreWriter, plan: _Plan, new: Sequence[NewStatement]) -> RememberedMany:
    writing = PlanWriter(writer, at=plan.at)
    ids: list[str] = []
    changes = plan.steps.changes
    for start, end, since, until in _stretches(plan):
        episodes = writer.put_statements(new[start:end], at=plan.at)
        writing.take(plan.names[start:end], episodes)
        writing.change(changes[since:until])
        ids += [one.id for one in episodes]
    written = writing.finish(plan.steps)
    done = (written.actions[since:until] for since, until in pairwise((0, *plan.changed)))
    return RememberedMany(
        episodes=writer.episodes(ids),
        integrated=tuple(_named(one, written.ids, those) for one, those in zip(plan.integrated, done, strict=True)),
        event_ids=written.event_ids,
        review_ids=written.review_ids,
    )


def _stretches(plan: _Plan) -> Iterator[tuple[int, int, int, int]]:
    """Give the statements, from and to, that are written at once, and the changes that are then.

    What a change makes is written before the statements behind it: so ids are in the order in which things came to be,
    one by one or at once, and of equals the one with the lower id is the same.
    """
    start = since = 0
    for end, until in enumerate(plan.changed, start=1):
        if end == len(plan.changed) or any(one.names for one in plan.steps.changes[since:until]):
            yield start, end, since, until
            start, since = end, until


def _plain(episodes: tuple[Episode, ...]) -> RememberedMany:
    """Say that nothing became of statements but themselves."""
    return RememberedMany(episodes=episodes, integrated=tuple(_alone(one.id) for one in episodes))


def _alone(id_: str) -> Integrated:
    return Integrated(became=Became.NEW, episode_id=id_)


def _named(one: Integrated, ids: Mapping[str, str], done: Sequence[Action]) -> Integrated:
    """Put ids in the place of names, and before the links what was done with events."""
    return replace(
        one,
        episode_id=ids.get(one.episode_id, one.episode_id),
        merged_with=None if one.merged_with is None else ids.get(one.merged_with, one.merged_with),
        actions=(*done, *(_action(link, ids) for link in one.actions)),
        parts=tuple(ids.get(id_, id_) for id_ in one.parts),
    )


def _prepare(context: Context, statement: Statement) -> NewStatement:
    if not isinstance(statement, Statement):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
        raise InvalidValue(f"{statement!r} is not a statement: give Statement(text=…).")
    language = detect_language(statement.text)
    item = IndexedText(
        text=statement.text, language=language, speaker=statement.speaker, occurred_at=statement.occurred_at
    )
    # One at a time: a batch's vectors differ in the last digits, and the same words must give the same decisions.
    (keys,) = keys_of(context, [item])
    facts = stated_facts(statement.text, language)
    return NewStatement(statement=statement, language=language, keys=keys, facts=facts)


def refuse_if_outrun(writer: StoreWriter, revision: int) -> None:
    """Leave the transaction unless it sees just what a reader of this revision saw.

    Raises:
        Outrun: Somebody wrote in between.
    """
    if writer.revision != revision + 1:
        raise Outrun


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What was written of a plan.

    Args:
        ids: The id of everything that was planned, by its name.
        event_ids: The event of each change, in their order.
        actions: What was done.
        review_ids: The review items that were filed.
    """

    ids: Mapping[str, str]
    event_ids: tuple[str, ...]
    review_ids: tuple[str, ...]
    actions: tuple[Action, ...] = ()


class PlanWriter:
    """Writes a plan in the transaction that is open; names of what was planned become ids on the way.

    Args:
        writer: Where; the plan was made against exactly what it sees.
        at: The moment.
    """

    def __init__(self, writer: StoreWriter, *, at: datetime) -> None:
        self._writer = writer
        self._at = at
        self._ids: dict[str, str] = {}
        self._positions: dict[str, int] = {}
        self._event_ids: list[str] = []

    def take(self, names: Sequence[str], episodes: Sequence[Episode]) -> None:
        """Take note of planned statements that were written."""
        for name, one in zip(names, episodes, strict=True):
            self._ids[name] = one.id
            self._positions[name] = one.position

    def change(self, changes: Sequence[PlannedChange]) -> None:
        """Write changes, in their order."""
        for planned in changes:
            made = tuple(
                draft if place is None else replace(draft, position=self._positions[place])
                for draft, place in zip(planned.change.made, planned.places_of, strict=True)
            )
            applied = self._writer.apply(_change(replace(planned.change, made=made), self._ids), at=self._at)
            self._ids.update(zip(planned.names, (one.id for one in applied.made), strict=True))
            self._event_ids.append(applied.event_id)

    def finish(self, steps: Steps) -> Written:
        """Write the rest of a plan, whose changes are written: links, and what a person is asked."""
        known = self._ids
        if steps.links:
            self._writer.link([_edge(edge, known) for edge in steps.links], at=self._at)
        items = [_item(conflict, known) for conflict in steps.conflicts]
        review_ids = self._writer.file_review_items(items, at=self._at) if items else ()
        if any(one.change.kind is ChangeKind.SUPERSEDED for one in steps.changes):
            bring_in_line(self._writer, at=self._at)
        actions = tuple(
            replace(_action(one, known), event_id=event_id)
            for one, event_id in zip(steps.actions, self._event_ids, strict=True)
        )
        return Written(ids=known, event_ids=tuple(self._event_ids), review_ids=review_ids, actions=actions)


def write_steps(writer: StoreWriter, steps: Steps, *, at: datetime) -> Written:
    """Write a plan for what is there, in the transaction that is open."""
    writing = PlanWriter(writer, at=at)
    writing.change(steps.changes)
    return writing.finish(steps)


def _action(action: Action, ids: Mapping[str, str]) -> Action:
    return replace(action, episode_ids=tuple(ids.get(id_, id_) for id_ in action.episode_ids))


def _item(conflict: Conflict, ids: Mapping[str, str]) -> ReviewItem:
    older, newer = ids.get(conflict.older, conflict.older), ids.get(conflict.newer, conflict.newer)
    return replace(conflict.item, episode_id=newer, other_episode_id=older, cause=conflict_cause(older, newer))


def _change(change: Change, ids: Mapping[str, str]) -> Change:
    return replace(
        change,
        subject_id=ids.get(change.subject_id, change.subject_id),
        made=tuple(replace(one, members=tuple(ids.get(id_, id_) for id_ in one.members)) for one in change.made),
        fields=tuple(replace(one, episode_id=ids.get(one.episode_id, one.episode_id)) for one in change.fields),
        added=tuple(_edge(edge, ids) for edge in change.added),
        removed=tuple(_edge(edge, ids) for edge in change.removed),
    )


def _edge(edge: Edge, ids: Mapping[str, str]) -> Edge:
    return replace(
        edge, source_id=ids.get(edge.source_id, edge.source_id), target_id=ids.get(edge.target_id, edge.target_id)
    )


def _with_chat_keys(context: Context, new: Sequence[NewStatement]) -> tuple[list[NewStatement], str]:
    """Give statements with what a chat model says they state besides what patterns read, and why it could not say it.

    It is asked only where ``integration.extract_keys`` says so and there is a model, and never about statements with an
    explicit key. What it does not answer stays as patterns read it.
    """
    model = context.chat_model
    wanted = [place for place, one in enumerate(new) if one.statement.about is None]
    if model is None or not context.integration_settings.extract_keys or not wanted:
        return list(new), ""
    with context.store.read(context.namespace) as reader:
        known = reader.fact_keys(limit=_MOST_KNOWN)
    batches = [wanted[start : start + MOST_AT_ONCE] for start in range(0, len(wanted), MOST_AT_ONCE)]
    shown = [[_shown(new[place]) for place in batch] for batch in batches]
    words = prompt_words("extract_keys", PROMPT_VERSION)
    asker = Asker(model, ChatBudget(calls=len(batches)), context.chat_terms)
    made, unread = list(new), ""
    outcomes = asker.complete([extract_prompt(words, those, known) for those in shown])
    for batch, those, outcome in zip(batches, shown, outcomes, strict=True):
        if isinstance(outcome, ChatFailure):
            unread = unread or f"{outcome.kind.value}: {outcome.detail}".rstrip(": ")
            continue
        for place, facts in zip(batch, read_keys(outcome.text, those, known), strict=True):
            made[place] = replace(made[place], facts=_joined(made[place].facts, facts))
    return made, unread


def _shown(one: NewStatement) -> Shown:
    return Shown(text=one.statement.text, language=one.language, speaker=one.statement.speaker)


def _joined(read: tuple[StatedFact, ...], told: tuple[StatedFact, ...]) -> tuple[StatedFact, ...]:
    """Give what patterns read, and what the model told of other keys."""
    keys = {fact.key for fact in read}
    return read + tuple(fact for fact in told if fact.key not in keys)
