"""``confirm_conflicts``: ask a chat model which of two contradicting statements holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatBudget, ChatFailure, ChatOutcome, ChatUsage
from evolore.domain.checks import check_count
from evolore.domain.episode import Episode, EpisodeState
from evolore.domain.result import Result
from evolore.domain.review import Keep, Resolution, ReviewCategory, ReviewFilter, ReviewItem, ReviewStatus
from evolore.episodes.contradictions import (
    PROMPT_VERSION,
    ConflictVerdict,
    UnusableVerdict,
    UsableVerdict,
    confirm_prompt,
    is_shown_whole,
    read_confirmations,
)
from evolore.errors import ChatModelMissing, InvalidValue, NotFound
from evolore.flows.context import Context
from evolore.flows.review import BY_CHAT_MODEL, settle_item, sides
from evolore.ports import ChangeKind
from evolore.store.reading import StoreReader
from evolore.store.writing import StoreWriter

_KEEP = {ConflictVerdict.NEWER_HOLDS: Keep.NEWER, ConflictVerdict.BOTH_HOLD: Keep.BOTH}
_CHANGED = "changed_meanwhile"
_WAITING = EpisodeState.CONFLICT_PENDING


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """What a chat model said of one contradiction, and what was done."""

    item: ReviewItem  #: The review item as it is now.
    verdict: ConflictVerdict  #: What the model said.
    event_id: str | None = None  #: The event that settled it, for ``undo``; None where the item only got a note.


@dataclass(frozen=True, slots=True, kw_only=True)
class UnconfirmedPairs:
    """Contradictions that stay as they were, and why."""

    #: Of those the model was shown, what kind of failure, such as ``timed_out``; of those it was not shown, why not:
    #: ``asked_before``, ``undone_before``, ``not_waiting``, ``too_long``, ``in_parts``.
    reason: str
    pairs: int  #: How many.
    detail: str = ""  #: What the model or its server said the first time; empty for nothing.


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed(Result):
    """What asking a chat model came to."""

    pairs: int  #: How many contradictions were chosen to be asked about.
    #: What the model said of those with a usable verdict, in the order of the queue.
    confirmations: tuple[Confirmation, ...]
    skips: tuple[UnconfirmedPairs, ...]  #: How many were left as they were, by reason.
    #: How many open contradictions were not examined, because the calls were spent on more urgent or older ones.
    left: int
    usage: ChatUsage  #: What it cost.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    item: ReviewItem
    older: Episode
    newer: Episode

    @property
    def texts(self) -> tuple[Episode, Episode]:
        return self.older, self.newer


@dataclass(slots=True)
class _VerdictTally:
    said: list[tuple[_Pair, UsableVerdict]] = field(default_factory=list[tuple[_Pair, UsableVerdict]])
    skips: Counter[str] = field(default_factory=Counter[str])
    details: dict[str, str] = field(default_factory=dict[str, str])

    def skipped(self) -> tuple[UnconfirmedPairs, ...]:
        return tuple(
            UnconfirmedPairs(reason=reason, pairs=count, detail=self.details.get(reason, ""))
            for reason, count in sorted(self.skips.items())
        )


def confirm_conflicts(context: Context, *, calls: int, pairs_per_call: int) -> Confirmed:
    """Ask the chat model to judge open contradictions, within a budget of calls; settle those it is sure of.

    Where it says that the newer statement holds, or that both do, that is settled as if a person had said so, as an
    event that ``undo`` takes back. Where it says that the older holds, or that it is not sure, the item gets a note and
    waits for a person: to settle for the older would revoke the newer, which then is not found any more, and a model
    never takes back what somebody said. What was superseded is still found.

    The model is asked outside any transaction; what changed meanwhile is left as it is. One model is asked about an item
    once, and what a person undid is not done again.
    """
    if context.chat_model is None:
        raise ChatModelMissing(
            "Confirming contradictions needs a chat model, and there is none: name one in the setting chat.model, or "
            "open the memory in Python with Memory.open(…, chat_model=…) and call confirm_conflicts."
        )
    check_count(pairs_per_call, "pairs_per_call")
    asker = Asker(context.chat_model, ChatBudget(calls=calls), context.chat_terms)
    signature = f"{' '.join(context.chat_model.info.id.split())}/confirm-{PROMPT_VERSION}"
    tally = _VerdictTally()
    context.store.require(context.namespace)
    chosen, left = _chosen(context, calls * pairs_per_call, signature, tally)
    batches = [chosen[start : start + pairs_per_call] for start in range(0, len(chosen), pairs_per_call)]
    words = prompt_words("confirm_conflicts", PROMPT_VERSION)
    outcomes = asker.complete([confirm_prompt(words, [pair.texts for pair in batch]) for batch in batches])
    for batch, outcome in zip(batches, outcomes, strict=True):
        _take(tally, batch, outcome)
    confirmations = _write(context, tally, signature)
    return Confirmed(
        pairs=len(chosen), confirmations=confirmations, skips=tally.skipped(), left=left, usage=asker.usage
    )


def _chosen(context: Context, most: int, signature: str, tally: _VerdictTally) -> tuple[list[_Pair], int]:
    """Choose what to ask about, the most urgent and of those the oldest first; and count what is beyond the budget."""
    chosen: list[_Pair] = []
    open_ones = ReviewFilter(status=ReviewStatus.OPEN, category=ReviewCategory.CONTRADICTION)
    with context.store.read(context.namespace) as reader:
        items = reader.review_items(open_ones)
        for place, item in enumerate(items):
            if len(chosen) >= most:
                return chosen, len(items) - place
            found = "asked_before" if _was_asked(item, signature) else _askable(reader, item)
            if isinstance(found, _Pair):
                chosen.append(found)
            else:
                tally.skips[found] += 1
    return chosen, 0


def _was_asked(item: ReviewItem, signature: str) -> bool:
    return any(line.startswith(f"{signature}: ") for line in (item.note or "").splitlines())


def _askable(reader: StoreReader, item: ReviewItem) -> _Pair | str:
    """Return both sides as they are now, or why a model is not asked about them."""
    try:
        older, newer = sides(reader, item)
    except (InvalidValue, NotFound):
        return _CHANGED
    if _is_in_parts(reader, item):
        return "in_parts"
    if older.id == newer.id or {older.state, newer.state} != {_WAITING}:
        return "not_waiting"
    if not is_shown_whole(older, newer):
        return "too_long"
    return "undone_before" if _was_undone(reader, older.id, newer.id) else _Pair(item=item, older=older, newer=newer)


def _is_in_parts(reader: StoreReader, item: ReviewItem) -> bool:
    """Return whether a side was split: which part is meant is for a person to say."""
    ids = [id_ for id_ in (item.episode_id, item.other_episode_id) if id_ is not None]
    return any(len(found) > 1 for found in reader.standing_for(ids).values())


def _was_undone(reader: StoreReader, older_id: str, newer_id: str) -> bool:
    """Return whether a chat model settled these two before, and somebody took that back.

    An event names the older only where it changed it; one that names none but the newer may have been about them too.
    """
    return any(
        record.kind == ChangeKind.CONFLICT_SETTLED.value
        and record.reason == BY_CHAT_MODEL
        and record.undone_by is not None
        and {older_id, newer_id}.issuperset(record.episode_ids)
        for record in reader.history(newer_id)
    )


def _take(tally: _VerdictTally, batch: Sequence[_Pair], outcome: ChatOutcome) -> None:
    if isinstance(outcome, ChatFailure):
        tally.skips[outcome.kind.value] += len(batch)
        tally.details.setdefault(outcome.kind.value, outcome.detail)
        return
    for pair, said in zip(batch, read_confirmations(outcome.text, [one.texts for one in batch]), strict=True):
        if isinstance(said, UnusableVerdict):
            tally.skips[said.value] += 1
        else:
            tally.said.append((pair, said))


def _write(context: Context, tally: _VerdictTally, signature: str) -> tuple[Confirmation, ...]:
    """Write what was said, in one transaction; without anything to write none is opened."""
    if not tally.said:
        return ()
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        return tuple(_confirmed(writer, tally, signature, at=at))


def _confirmed(writer: StoreWriter, tally: _VerdictTally, signature: str, *, at: datetime) -> Iterator[Confirmation]:
    for pair, said in tally.said:
        item = _still_waiting(writer, pair, said.verdict)
        if item is None:
            tally.skips[_CHANGED] += 1
            continue
        note = "\n".join(filter(None, (item.note, f"{signature}: {said.verdict.value}. {said.reason}")))
        yield _settle_or_note(writer, item, said.verdict, note, at=at)


def _still_waiting(reader: StoreReader, pair: _Pair, verdict: ConflictVerdict) -> ReviewItem | None:
    """Return the item as it is now if what was judged still waits.

    Of several contradictions of one statement the first that is confirmed ends it; it may end by the others too.
    """
    item = reader.review_item(pair.item.id or "")
    if item is None or item.status is not ReviewStatus.OPEN or item.note != pair.item.note:
        return None
    states = {one.id: one.state for one in reader.episodes([pair.older.id, pair.newer.id]) if one.stands}
    older, newer = states.get(pair.older.id), states.get(pair.newer.id)
    is_ended = older is EpisodeState.SUPERSEDED and newer in {_WAITING, EpisodeState.ACTIVE}
    is_waiting = older is _WAITING and newer is _WAITING
    return item if is_waiting or (is_ended and verdict is ConflictVerdict.NEWER_HOLDS) else None


def _settle_or_note(
    writer: StoreWriter, item: ReviewItem, verdict: ConflictVerdict, note: str, *, at: datetime
) -> Confirmation:
    assert item.id is not None
    keep = _KEEP.get(verdict)
    if keep is not None:
        settled = settle_item(writer, item, keep, note=note, at=at, by=Resolution.MODEL)
        return Confirmation(item=settled.item, verdict=verdict, event_id=settled.event_id)
    writer.set_review_note(item.id, note, at=at, by=Resolution.MODEL)
    noted = writer.review_item(item.id)
    assert noted is not None
    return Confirmation(item=noted, verdict=verdict)
