"""``maintain``: examine again what changed, a little at a time: merged, split, linked, pruned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from time import monotonic
from typing import Protocol

from evolore.domain.checks import check_count
from evolore.domain.episode import Deed, Episode
from evolore.domain.fact import StatedFact
from evolore.domain.filters import Target
from evolore.domain.health import MAINTAINED_ITEMS
from evolore.domain.result import Result
from evolore.episodes.stated_facts import stated_facts
from evolore.errors import InvalidValue
from evolore.flows.browse import overdue
from evolore.flows.calibrate import Calibrated, calibrate
from evolore.flows.check_chunks import Reread
from evolore.flows.context import Context
from evolore.flows.evolve.canary import CanaryView, watch
from evolore.flows.expire import Expired, expire
from evolore.flows.lessons import Evaluated, evaluate_gathered
from evolore.flows.question_lookup import embed_queries
from evolore.flows.remember.contexts import counted_queries
from evolore.flows.remember.plan import Action, Planner, Steps
from evolore.flows.remember.redecision import decide_again
from evolore.flows.remember.remember import refuse_if_outrun, write_steps
from evolore.flows.remember.similarity import Likeness
from evolore.flows.remember.world import Outrun, World
from evolore.flows.review import taken_back
from evolore.ports import Change, ChangeKind, Receipt
from evolore.queries.contexts import CountedQueries
from evolore.store.namespaces import MAINTAINED_AT
from evolore.store.reading import StoreReader
from evolore.store.writing import StoreWriter

_TASK = "integrate"
_SLICE = 16
"""How many episodes are examined before the findings are written: a pause too short to notice for a waiting writer."""

_ATTEMPTS = 5


_PRUNE_BELOW = 0.2
"""The confidence at or below which a statement may be taken out of sight."""


class MaintainProgress(Protocol):
    """Hears how far a ``maintain`` has come, between its transactions."""

    def __call__(self, *, done: int, remaining: int) -> None:
        """Report how many episodes were examined, and how many are left to be."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintained(Result):
    """What ``maintain`` did, or would do."""

    examined: int = 0  #: How many episodes were examined.
    remaining: int = 0  #: How many changed ones are left for the next call.
    links: int = 0  #: How many edges of likeness were added.
    actions: tuple[Action, ...] = ()  #: What was done, in its order, with the reasons.
    event_ids: tuple[str, ...] = ()  #: The events that say so; ``undo`` takes each back.
    review_ids: tuple[str, ...] = ()  #: The review items that were filed.
    calibrated: tuple[Calibrated, ...] = ()  #: The languages whose calibration was checked.
    pruned: Pruned  #: What was taken out of sight.
    evaluated: tuple[Evaluated, ...] = ()  #: The episodes that were evaluated by what questions at them led to.
    embedded_queries: int = 0  #: How many questions had no vector of the store's model, and have one now.
    canaries: tuple[CanaryView, ...] = ()  #: The canaries that were moved: taken back, ended or grown.
    #: In how many statements something was read that they state, which were kept before that was: each once.
    facts_read: int = 0
    #: How many rows of the event log were saved: old ones that say nothing any more represent one another.
    condensed: int = 0
    #: What was erased because it was over by the settings' rules; None where there are none.
    expired: Expired | None = None
    reread: Reread | None = None  #: What a chat model said of places that were cut hard; None where it was not asked.
    lingering_in: tuple[str, ...] = ()  #: Files of the store that may still hold what was erased, now or before.
    overdue: int = 0  #: How many documents are past their day to be verified.
    seconds: float = 0.0  #: How long it took.
    #: Whether nothing was written; then the effects of merges and splits are reported as the first pass shows them.
    is_dry_run: bool = False

    def count(self, deed: Deed) -> int:
        """Count the actions of a kind."""
        return sum(one.deed is deed for one in self.actions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much work one call may do.

    Raises:
        InvalidValue: A number is out of range.
    """

    items: int = MAINTAINED_ITEMS  #: How many episodes it may look at, at least 1.
    seconds: float | None = None  #: How long it may begin new work, above 0; None for as long as there is some.

    def __post_init__(self) -> None:
        check_count(self.items, "items")
        if self.seconds is not None and not self.seconds > 0:
            raise InvalidValue(f"seconds is {self.seconds!r}: use more than 0, or leave it out.")


def maintain(
    context: Context,
    *,
    budget: Budget,
    redecide: bool = False,
    is_dry_run: bool = False,
    progress: MaintainProgress | None = None,
) -> Maintained:
    """Look at what changed since the last time, as far as the budget goes, and go on there the next time.

    Each slice of work is one transaction. If another process writes meanwhile, the slice waits and is planned again.
    What a person undid is not done again. Then the episodes at which enough edges of questions wait are evaluated, one a
    transaction, and questions without a vector embedded. A chat model, where there is one, reads again what was cut hard.
    """
    context.store.require(context.namespace)
    started = monotonic()
    if redecide:
        again = _Redecision(context, is_dry_run=is_dry_run)
        again.go(budget, started, progress)
        return again.told(started)
    settings = context.settings.maintenance
    rule = context.settings.retention.rule()
    expired = None if rule is None else expire(context, rule, is_dry_run=is_dry_run, limit=budget.items)
    facts_read = read_facts(context, limit=budget.items, is_dry_run=is_dry_run)
    calibrated = calibrate(context, force=False, is_dry_run=is_dry_run) if settings.auto_calibrate else ()
    walk = _Walk(context, is_dry_run=is_dry_run)
    if context.settings.integration.enabled:
        walk.go(budget, started, progress)
    done, evaluated = walk.told(started), evaluate_gathered(context, limit=budget.items, is_dry_run=is_dry_run)
    if context.settings.integration.enabled and counted_queries(context, None) is not CountedQueries.NONE:
        apart = _AskedApart(context, is_dry_run=is_dry_run)
        apart.go(budget, started, progress)
        more = apart.told(started)
        done = replace(done, actions=done.actions + more.actions, event_ids=done.event_ids + more.event_ids)
    if not is_dry_run and (context.entailment or context.settings.evolution.entailment_by_chat):
        from evolore.flows.disagree import find_disagreements  # noqa: PLC0415 - what checks replies is heavy, and few have a model

        found = find_disagreements(context, limit=budget.items, is_over=lambda: _is_over(budget, started))
        done = replace(done, review_ids=done.review_ids + found)
    done = replace(
        done,
        calibrated=calibrated,
        pruned=prune(context, limit=budget.items, is_dry_run=is_dry_run),
        evaluated=evaluated,
        embedded_queries=0 if is_dry_run else embed_queries(context, limit=budget.items),
        canaries=() if is_dry_run else watch(context),
        facts_read=facts_read,
        condensed=_condense(context, is_dry_run=is_dry_run),
        expired=expired,
        reread=_reread(context, is_over=is_dry_run or _is_over(budget, started)),
        lingering_in=() if is_dry_run else context.store.take_out_erased(),
        overdue=len(overdue(context)),
        seconds=round(monotonic() - started, 3),
    )
    if not is_dry_run:
        with context.store.write(context.namespace, principal=context.principal) as writer:
            writer.set_maintained(MAINTAINED_AT, int(context.clock.now().timestamp()))
    return done


def _is_over(budget: Budget, started: float) -> bool:
    return budget.seconds is not None and monotonic() - started >= budget.seconds


def _reread(context: Context, *, is_over: bool) -> Reread | None:
    """Read again what was cut hard, where there is a model, and anything to read."""
    calls = context.settings.maintenance.review_calls
    if is_over or context.chat_model is None or not calls:
        return None
    from evolore.flows.check_chunks import reread_cuts  # noqa: PLC0415 - what checks replies is heavy, and few have a model

    return reread_cuts(context, calls=calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What a look at a few changed episodes found, against one revision."""

    revision: int
    at: datetime
    seq: int
    ids: tuple[str, ...]
    steps: Steps


class _Walk:
    """The way along the log of what changed."""

    def __init__(self, context: Context, *, is_dry_run: bool) -> None:
        self._context, self._is_dry_run = context, is_dry_run
        self._last = ""
        self._examined = 0
        self._links = 0
        self._actions: list[Action] = []
        self._event_ids: list[str] = []
        self._review_ids: list[str] = []
        with context.store.read(context.namespace) as reader:
            self._seq = reader.maintained_to(_TASK)

    def go(self, budget: Budget, started: float, progress: MaintainProgress | None) -> None:
        """Go as far as the budget does."""
        while self._examined < budget.items and not _is_over(budget, started):
            if not self._step(min(_SLICE, budget.items - self._examined)):
                break
            if progress is not None:
                progress(done=self._examined, remaining=self._remaining())

    def told(self, started: float) -> Maintained:
        """Return what was done on the way."""
        return Maintained(
            examined=self._examined,
            remaining=self._remaining(),
            links=self._links,
            actions=tuple(self._actions),
            event_ids=tuple(self._event_ids),
            review_ids=tuple(self._review_ids),
            pruned=Pruned(),
            seconds=round(monotonic() - started, 3),
            is_dry_run=self._is_dry_run,
        )

    def _remaining(self) -> int:
        with self._context.store.read(self._context.namespace) as reader:
            return reader.count_changed_after(self._seq)

    def _step(self, count: int) -> bool:
        """Look at a few, and write what was found; False where nothing is left."""
        for _ in range(_ATTEMPTS):
            look = self._look(count)
            if look is None:
                return False
            if self._is_dry_run:
                self._take(look, actions=look.steps.actions)
                return True
            with suppress(Outrun), self._writing() as writer:
                refuse_if_outrun(writer, look.revision)
                self._write(writer, look)
                return True
        with self._writing() as writer:  # others write all the time: now they wait
            look = self._look(count)
            if look is not None:
                self._write(writer, look)
        return look is not None

    def _writing(self) -> AbstractContextManager[StoreWriter]:
        return self._context.store.write(self._context.namespace, principal=self._context.principal)

    def _write(self, writer: StoreWriter, look: _Look) -> None:
        written = write_steps(writer, look.steps, at=look.at)
        if look.seq != self._seq:
            writer.set_maintained(_TASK, look.seq)
        self._event_ids += written.event_ids
        self._review_ids += written.review_ids
        self._take(look, actions=written.actions)

    def _take(self, look: _Look, *, actions: Sequence[Action]) -> None:
        self._seq, self._last = look.seq, look.ids[-1]
        self._examined += len(look.ids)
        self._links += len(look.steps.links)
        self._actions += actions

    def _look(self, count: int) -> _Look | None:
        with self._context.store.index(self._context.namespace) as (view, reader):
            seq, ids = self._next(reader, count)
            if not ids:
                return None
            at = self._context.clock.now()  # after the snapshot, so later than all that it shows
            steps = self._steps(World(view, reader), ids, at)
            return _Look(revision=reader.revision, at=at, seq=seq, ids=ids, steps=steps)

    def _next(self, reader: StoreReader, count: int) -> tuple[int, tuple[str, ...]]:
        changed = reader.changed_after(self._seq, limit=count)
        return changed[-1][0] if changed else self._seq, tuple(id_ for _, id_ in changed)

    def _steps(self, world: World, ids: Sequence[str], at: datetime) -> Steps:
        planner = Planner(self._context, world, Likeness(self._context, world), at=at)
        for id_ in ids:
            self._examine(world, planner, id_)
        return planner.steps

    def _examine(self, world: World, planner: Planner, id_: str) -> None:
        known = world.some([id_])
        if not known or not world.stands(id_):
            return
        planner.arrive(known[id_])


class _Redecision(_Walk):
    """The way along what a rule of an earlier version superseded, by ids; what is decided is not met again."""

    def _remaining(self) -> int:
        with self._context.store.read(self._context.namespace) as reader:
            return len(reader.superseded_by_rule(after=self._last))

    def _next(self, reader: StoreReader, count: int) -> tuple[int, tuple[str, ...]]:
        return self._seq, reader.superseded_by_rule(after=self._last, limit=count)

    def _steps(self, world: World, ids: Sequence[str], at: datetime) -> Steps:  # noqa: ARG002 - it makes no episode
        return decide_again(self._context, world, ids)


class _AskedApart(_Walk):
    """The way along what questions that count were asked about, by ids: these may split what nothing else does."""

    def _remaining(self) -> int:
        return 0

    def _next(self, reader: StoreReader, count: int) -> tuple[int, tuple[str, ...]]:
        return self._seq, reader.with_query_edges(after=self._last, limit=count)

    def _examine(self, world: World, planner: Planner, id_: str) -> None:
        if world.stands(id_) and (known := world.some([id_])):
            planner.part(known[id_])


_FACTS = "facts"
_FACTS_AT_ONCE = 500


def read_facts(context: Context, *, limit: int, is_dry_run: bool = False) -> int:
    """Read what statements state that were written before that was kept, some in a transaction; count those that state something.

    What changed since the last time is examined, and so each statement of an older store, or of an older export, once.
    """
    count, seq = 0, None
    while limit > 0:
        most = min(limit, _FACTS_AT_ONCE)
        with context.store.read(context.namespace) as reader:
            waiting = reader.factless(_FACTS, after=seq, limit=most)
        stated = _facts_of(waiting.values())
        is_full = len(waiting) == most
        if not is_dry_run and (stated or is_full):  # re-examining a few that state nothing is as fast
            with context.store.write(context.namespace, principal=context.principal) as writer:
                still = writer.factless(_FACTS, after=seq, limit=most)  # some may have gone meanwhile
                writer.put_facts(_facts_of(still.values()), at=context.clock.now())
                writer.set_maintained(_FACTS, max(waiting))
        count += len(stated)
        if not is_full:
            break
        seq, limit = max(waiting), limit - most
    return count


def _facts_of(statements: Iterable[Episode]) -> dict[str, tuple[StatedFact, ...]]:
    read = ((one.id, stated_facts(one.text, one.language)) for one in statements)
    return {id_: facts for id_, facts in read if facts}


_REASON = "pruned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What pruning did, or would do."""

    episode_ids: tuple[str, ...] = ()  #: What was taken out of sight.
    event_ids: tuple[str, ...] = ()  #: The event of each; ``undo`` brings it back.
    #: Of what was erased because it was pruned longer ago than the retention time; None where nothing was.
    receipt: Receipt | None = None


def _condense(context: Context, *, is_dry_run: bool) -> int:
    """Condense what is old of the event log, where that is due; return how many rows it saved, or would."""
    before = context.clock.now() - timedelta(days=context.settings.maintenance.log_days)
    with context.store.read(context.namespace) as reader:
        saves = reader.condensable_events(before=before)
    if is_dry_run or saves is None:
        return saves or 0
    with context.store.write(context.namespace, principal=context.principal) as writer:
        return writer.condense_events(before=before, at=context.clock.now())


def prune(context: Context, *, limit: int, is_dry_run: bool = False) -> Pruned:
    """Hide statements of low confidence that were not used for long; erase those that were hidden for long enough."""
    settings = context.settings.maintenance
    if not settings.prune_enabled or limit < 1:
        return Pruned()
    now = context.clock.now()
    unused_since = now - timedelta(days=settings.prune_unused_days)
    kept_since = now - timedelta(days=settings.prune_retention_days)
    with context.store.read(context.namespace) as reader:
        ids = reader.prunable(confidence=_PRUNE_BELOW, unused_since=unused_since, limit=limit)
        expired = reader.pruned_before(kept_since, limit=limit)
        members = reader.member_ids(expired)
        # What another part of a split still holds would be erased with its source.
        expired = [one for one in expired if not any(reader.standing_for(members.get(one, ())).values())]
    if is_dry_run:
        return Pruned(episode_ids=ids)
    event_ids = _revoke(context, ids, at=now)
    receipt = None
    if expired:
        receipt = context.store.erase(context.namespace, Target(item_ids=tuple(expired)), principal=context.principal)
    return Pruned(episode_ids=ids, event_ids=event_ids, receipt=receipt)


def _revoke(context: Context, ids: tuple[str, ...], *, at: datetime) -> tuple[str, ...]:
    if not ids:
        return ()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        return tuple(writer.apply(_pruning(writer, one.id), at=at) for one in writer.episodes(ids) if one.stands)


def _pruning(reader: StoreReader, id_: str) -> Change:
    return Change(kind=ChangeKind.PRUNED, subject_id=id_, fields=taken_back(reader, id_), reason=_REASON)
