"""``remember``: embed statements, plan what becomes of each, and write all in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatBudget, ChatFailure
from evolore.domain.episode import Deed, Episode, Statement, values_of
from evolore.domain.fact import StatedFact
from evolore.domain.result import Result
from evolore.domain.secret import FoundSecret
from evolore.episodes.key_extraction import MOST_AT_ONCE, PROMPT_VERSION, ShownStatement, extract_prompt, read_keys
from evolore.episodes.stated_facts import stated_facts
from evolore.errors import InvalidValue
from evolore.flows.embedding import EmbedsOnce
from evolore.flows.item_keys import keys_of
from evolore.flows.remember.plan import Action, Became, Integrated, Planner, Steps
from evolore.flows.remember.similarity import Likeness
from evolore.flows.remember.world import Outrun, Sight, bring_in_line, known_statement
from evolore.ports import Change, ChangeKind, IndexedText, NewStatement
from evolore.text.scripts import detect_language
from evolore.text.secret_signs import named_tags, screened

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.store.reading import StoreReader
    from evolore.store.writing import StoreWriter

    Correction = Callable[[StoreReader, str], Change]


_MOST_KNOWN = 60
_ATTEMPTS = 5
"""So often a plan is made while others may write; then once more while none may."""

_PLANNED_TOGETHER = 4
"""After so many statements recalls get their turn: each takes 2 ms of planning among 500, 10 among 100,000; the turn 0.3."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Remembered(Episode):
    """A statement that was remembered, as an episode, and what became of it.

    Each action names the episodes, the reason, and the event that ``undo`` takes back.
    """

    #: What became of it: whether it is alone or went into another, and what was done because of it.
    integrated: Integrated = field(kw_only=True)
    review_ids: tuple[str, ...] = ()  #: The review items that were filed because it contradicts others.
    unread: str = ""  #: Why the chat model did not read what it states, where it was asked; empty where it did.
    #: What looks like a secret in it, by kind and place in what was handed in; never the secret.
    secrets: tuple[FoundSecret, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Return whether both are one statement, in any state: an episode that is read later is equal to it."""
        return isinstance(other, Episode) and values_of(self) == values_of(other)

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
    """Statements that were remembered together, and what became of them."""

    episodes: tuple[Episode, ...]  #: One for each statement, in their order, each as it was said.
    #: What became of each: whether it is alone or went into another, and what was done because of it.
    integrated: tuple[Integrated, ...] = ()
    #: The events of merges, splits, supersessions and conflicts, in their order; each can be undone.
    event_ids: tuple[str, ...] = ()
    review_ids: tuple[str, ...] = ()  #: The review items that were filed because statements do not fit together.
    unread: str = ""  #: Why the chat model did not say what statements state, where it was asked; empty where it did.
    #: What looks like a secret in each statement, by kind and place; empty where none does.
    secrets: tuple[tuple[FoundSecret, ...], ...] = ()

    @property
    def only(self) -> Remembered:
        """The first statement with what became of it, where one alone was remembered."""
        return Remembered(
            **values_of(self.episodes[0]),
            integrated=self.integrated[0],
            review_ids=self.review_ids,
            unread=self.unread,
            secrets=self.secrets[0] if self.secrets else (),
        )


def remember(
    context: Context, statements: Iterable[Statement], *, correction: Correction | None = None
) -> RememberedMany:
    """Remember statements; all of them, or none when one cannot be.

    Statements of one session become neighbours, in the order given, behind what the session holds already. What becomes
    of each does not depend on how many are given at once.

    Args:
        context: The ports.
        statements: Which.
        correction: Returns, for what is there and a statement's id, the change by which that replaces another.
    """
    some = [_screened(context, place, one) for place, one in enumerate(statements, start=1)]
    done = _remember(context, [one for one, _ in some], correction) if some else RememberedMany(episodes=())
    return replace(done, secrets=tuple(found for _, found in some)) if any(found for _, found in some) else done


def _screened(context: Context, place: int, statement: Statement) -> tuple[Statement, tuple[FoundSecret, ...]]:
    if not isinstance(statement, Statement):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
        raise InvalidValue(f"{statement!r} is not a statement: pass Statement(text=…).")
    kept, metadata, found = screened(
        {"text": statement.text, **named_tags(statement.tags)},
        statement.metadata,
        context.secrets,
        of=f"Statement {place}",
    )
    if not found:
        return statement, found
    return replace(statement, text=kept.pop("text"), metadata=metadata, tags=tuple(dict.fromkeys(kept.values()))), found


def _remember(context: Context, statements: Sequence[Statement], correction: Correction | None) -> RememberedMany:
    context = replace(context, embedder=EmbedsOnce(context.embedder))
    new = [_prepare(context, statement) for statement in statements]
    new, unread = _with_chat_keys(context, new)
    if correction is not None:
        new = [replace(one, is_correction=True) for one in new]
    elif not context.settings.integration.enabled:
        with context.store.write(context.namespace, principal=context.principal) as writer:
            written = writer.put_statements(new, at=context.clock.now())
        return RememberedMany(episodes=written, integrated=tuple(_alone(one.id) for one in written), unread=unread)
    for _ in range(_ATTEMPTS):
        with suppress(Outrun):
            plan = _plan(context, new, correction)
            with context.store.write(context.namespace, principal=context.principal) as writer:
                refuse_if_outrun(writer, plan.revision)
                return replace(_write(writer, plan), unread=unread)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        return replace(_write(writer, _plan(context, new, correction)), unread=unread)


@dataclass(frozen=True, slots=True, kw_only=True)
class _StatementPlan:
    """What is to become of statements, against one revision of the namespace."""

    revision: int  #: Which.
    at: datetime  #: The moment: read after the snapshot was taken, so later than that of all it shows.
    new: tuple[NewStatement, ...]  #: The statements, with their ids.
    integrated: tuple[Integrated, ...]  #: What becomes of each.
    changed: tuple[int, ...]  #: How many changes there are once each is integrated, in their order.
    steps: Steps  #: What is to be written.


def _plan(context: Context, new: Sequence[NewStatement], correction: Correction | None) -> _StatementPlan:
    with Sight(context) as sight:
        return _planned(
            replace(context, embedder=EmbedsOnce(context.embedder, aside=sight.aside)), new, sight, correction
        )


def _planned(
    context: Context, new: Sequence[NewStatement], sight: Sight, correction: Correction | None
) -> _StatementPlan:
    at, world = context.clock.now(), sight.world
    planner = Planner(context, world, Likeness(context, world), at=at, is_brief=True)
    new = [replace(one, id=context.store.new_id(at)) for one in new]
    integrated: list[Integrated] = []
    changed: list[int] = []
    for place, one in enumerate(new, start=1):
        known = known_statement(one.id or "", one, at=at)
        world.plan(known)
        if correction is not None:
            planner.correct(known, correction(sight.reader, known.id))
        is_alone = not context.settings.integration.enabled
        integrated.append(_alone(known.id) if is_alone else planner.arrive(known))
        changed.append(planner.change_count)
        if place % _PLANNED_TOGETHER == 0:
            with sight.aside():
                pass  # others get their turn
    return _StatementPlan(
        revision=sight.revision,
        at=at,
        new=tuple(new),
        integrated=tuple(integrated),
        changed=tuple(changed),
        steps=planner.steps,
    )


def _write(writer: StoreWriter, plan: _StatementPlan) -> RememberedMany:
    writing = PlanWriter(writer, at=plan.at)
    for start, end, since, until in _stretches(plan):
        writing.take(writer.put_statements(plan.new[start:end], at=plan.at))
        writing.change(plan.steps.changes[since:until])
    written = writing.finish(plan.steps)
    done = (written.actions[since:until] for since, until in pairwise((0, *plan.changed)))
    return RememberedMany(
        episodes=writer.episodes([one.id for one in plan.new if one.id]),
        integrated=tuple(
            replace(one, actions=(*those, *one.actions)) for one, those in zip(plan.integrated, done, strict=True)
        ),
        event_ids=written.event_ids,
        review_ids=written.review_ids,
    )


def _stretches(plan: _StatementPlan) -> Iterator[tuple[int, int, int, int]]:
    """Yield the statements, from and to, that are written at once, and the changes that are then.

    What a change makes is written before the statements behind it: so all is in the order in which things came to be, one by one or
    at once, and of equals the one with the lower id is the same.
    """
    start = since = 0
    for end, until in enumerate(plan.changed, start=1):
        if end == len(plan.changed) or any(one.made for one in plan.steps.changes[since:until]):
            yield start, end, since, until
            start, since = end, until


def _alone(id_: str) -> Integrated:
    return Integrated(became=Became.NEW, episode_id=id_)


def _prepare(context: Context, statement: Statement) -> NewStatement:
    language = detect_language(statement.text)
    item = IndexedText(
        text=statement.text, language=language, speaker=statement.speaker, occurred_at=statement.occurred_at
    )
    # One at a time: a batch's vectors differ in the last digits, and the same words must lead to equal decisions.
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
class WrittenPlan:
    """What was written of a plan."""

    event_ids: tuple[str, ...]  #: The event of each change, in their order.
    review_ids: tuple[str, ...]  #: The review items that were filed.
    actions: tuple[Action, ...] = ()  #: What was done.


class PlanWriter:
    """Writes a plan in the transaction that is open.

    Args:
        writer: Where; the plan was made against exactly what it sees.
        at: The moment.
    """

    def __init__(self, writer: StoreWriter, *, at: datetime) -> None:
        self._writer, self._at = writer, at
        self._positions: dict[str, int] = {}
        self._event_ids: list[str] = []

    def take(self, episodes: Sequence[Episode]) -> None:
        """Record planned statements that were written."""
        self._positions |= {one.id: one.position for one in episodes}

    def change(self, changes: Sequence[Change]) -> None:
        """Write changes, in their order."""
        for change in changes:
            made = tuple(
                one if one.place_of is None else replace(one, position=self._positions[one.place_of])
                for one in change.made
            )
            self._event_ids.append(self._writer.apply(replace(change, made=made), at=self._at))

    def finish(self, steps: Steps) -> WrittenPlan:
        """Write the rest of a plan, whose changes are written: links, and what a person is asked."""
        if steps.links:
            self._writer.link(steps.links, at=self._at)
        review_ids = self._writer.file_review_items(steps.conflicts, at=self._at) if steps.conflicts else ()
        if any(one.kind is ChangeKind.SUPERSEDED for one in steps.changes):
            bring_in_line(self._writer, at=self._at)
        actions = tuple(
            replace(one, event_id=event_id) for one, event_id in zip(steps.actions, self._event_ids, strict=True)
        )
        return WrittenPlan(event_ids=tuple(self._event_ids), review_ids=review_ids, actions=actions)


def write_steps(writer: StoreWriter, steps: Steps, *, at: datetime) -> WrittenPlan:
    """Write a plan for what is there, in the transaction that is open."""
    writing = PlanWriter(writer, at=at)
    writing.change(steps.changes)
    return writing.finish(steps)


def _with_chat_keys(context: Context, new: Sequence[NewStatement]) -> tuple[list[NewStatement], str]:
    """Return statements with what a chat model says they state besides what patterns read, and why it could not say it.

    It is asked only where ``integration.extract_keys`` says so and there is a model, and never about statements with an
    explicit key. What it does not answer stays as patterns read it.
    """
    model = context.chat_model
    wanted = [place for place, one in enumerate(new) if one.statement.about is None]
    if model is None or not context.settings.integration.extract_keys or not wanted:
        return list(new), ""
    with context.store.read(context.namespace) as reader:
        known = reader.fact_keys(limit=_MOST_KNOWN)
    batches = [wanted[start : start + MOST_AT_ONCE] for start in range(0, len(wanted), MOST_AT_ONCE)]
    shown = [
        [ShownStatement(text=one.statement.text, language=one.language, speaker=one.statement.speaker) for one in those]
        for those in ([new[place] for place in batch] for batch in batches)
    ]
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


def _joined(read: tuple[StatedFact, ...], told: tuple[StatedFact, ...]) -> tuple[StatedFact, ...]:
    """Return what patterns read, and what the model said of other keys."""
    keys = {fact.key for fact in read}
    return read + tuple(fact for fact in told if fact.key not in keys)
