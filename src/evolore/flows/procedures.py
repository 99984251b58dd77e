"""Procedures: remember steps for a goal with how they turned out, and offer them once they are reviewed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import permutations

from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeState, ProcedureOutcome, Statement, StatementKind
from evolore.domain.feedback import Effect
from evolore.errors import InvalidValue
from evolore.flows.context import Context
from evolore.flows.rate import MOST_PER_PRINCIPAL
from evolore.flows.recall import reports, withheld_procedures
from evolore.flows.remember.plan import Became, Integrated
from evolore.flows.remember.remember import RememberedMany, remember
from evolore.flows.review import file_procedure
from evolore.ports import Change, ChangeKind, FieldChange
from evolore.queries.outcomes import trusted
from evolore.store.writing import StoreWriter

_LONGEST_GOAL = 200
_PROVED, _REFUTED = 3, 2
"""So often must steps have worked, and others of the goal have failed, that the former likely take the place of these."""
_BETTER = "worked_better"
_EFFECTS = {ProcedureOutcome.WORKED: Effect.SELECTED, ProcedureOutcome.FAILED: Effect.UNHELPFUL}


def remember_any(context: Context, statements: Iterable[Statement]) -> RememberedMany:
    """Remember statements, or one procedure, with how it turned out where that is told."""
    some = list(statements)
    if not any(isinstance(one, Statement) and one.kind is StatementKind.PROCEDURE for one in some):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
        return remember(context, some)
    if len(some) > 1:
        raise InvalidValue("A procedure is remembered alone: pass it with `remember`.")
    text = context.screen(some[0].text, "text", of="The procedure")
    first_words = re.split(r"[\n:：]", text.strip(), maxsplit=1)[0].strip()[:_LONGEST_GOAL]
    goal = some[0].about[0] if some[0].about else first_words
    with context.store.read(context.namespace) as reader:
        alike = [one for one in reader.about_subject(goal) if one.is_procedure and one.text.split() == text.split()]
    known = [one for one in alike if one.state is EpisodeState.ACTIVE]
    if known:
        same = Integrated(became=Became.DUPLICATE, episode_id=known[0].id, reason="the same steps are known")
        done = RememberedMany(episodes=(known[0],), integrated=(same,))
    else:
        key = (goal, f"procedure {sha256(text.encode()).hexdigest()[:8]}")  # of its own: none replaces another by it
        filed = {**some[0].metadata, "kind": StatementKind.PROCEDURE.value}
        plain = replace(some[0], text=text, about=key, metadata=filed, kind=StatementKind.STATEMENT, outcome=None)
        done = remember(context, [plain])
    with context.store.write(context.namespace, principal=context.principal) as writer:
        filed_ids = file_procedure(writer, done.episodes[0], at=context.clock.now())
        event_ids = () if some[0].outcome is None else _report(context, writer, done.episodes[0], some[0].outcome)
    return replace(done, review_ids=(*done.review_ids, *filed_ids), event_ids=(*done.event_ids, *event_ids))


def _report(context: Context, writer: StoreWriter, one: Episode, outcome: ProcedureOutcome) -> tuple[str, ...]:
    """Record how a procedure turned out: it is trusted more or less, and may likely take the place of what failed."""
    own = [event.reason for event in reports(writer.history(one.id)) if event.principal == context.principal]
    ahead = 2 * own.count(outcome) - len(own)  # by so many outcomes of this kind
    is_free = -MOST_PER_PRINCIPAL <= ahead < MOST_PER_PRINCIPAL
    confidence = trusted(one.confidence, _EFFECTS[outcome]) if is_free else one.confidence
    field = FieldChange(episode_id=one.id, confidence=confidence)
    changes = [
        Change(kind=ChangeKind.CONFIDENCE_CHANGED, subject_id=one.id, fields=(field,), reason=outcome.value),
        *_replacing(writer, one, outcome),
    ]
    return tuple(writer.apply(change, at=context.clock.now()) for change in changes)


def _replacing(writer: StoreWriter, one: Episode, outcome: ProcedureOutcome) -> Iterator[Change]:
    """Yield which procedure for one goal likely takes the place of which, once this outcome counts too."""
    alike = {other.id for other in writer.about_subject(one.about[0] if one.about else "") if other.is_procedure}
    told, withheld = writer.histories(alike), withheld_procedures(writer)
    counts = {id_: Counter(event.reason for event in reports(events)) for id_, events in told.items()}
    counts[one.id][outcome.value] += 1
    for better, worse in permutations(counts, 2):
        good, bad = counts[better], counts[worse]
        has_proved = better not in withheld and good["worked"] >= max(_PROVED, 2 * good["failed"] + 1)
        is_worse = has_proved and bad["failed"] >= max(_REFUTED, (bad["worked"] + 1) // 2)
        # What a person undid is not done again.
        if is_worse and not any(event.reason == _BETTER and better in event.episode_ids for event in told[worse]):
            edge = Edge(source_id=better, target_id=worse, kind=EdgeKind.LIKELY_SUPERSEDES)
            yield Change(kind=ChangeKind.LIKELY_SUPERSEDED, subject_id=worse, added=(edge,), reason=_BETTER)
