"""``check_chunks``: check sampled chunks with a chat model, and again what was cut hard; leave broken ones for review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.chunking import review
from evolore.domain.chat import ChatBudget, ChatFailure, ChatOutcome, ChatUsage
from evolore.domain.checks import check_count
from evolore.domain.document import Span
from evolore.domain.episode import Episode
from evolore.domain.result import Result
from evolore.domain.review import Resolution, ReviewCategory, ReviewFilter, ReviewItem, ReviewStatus
from evolore.errors import ChatModelMissing
from evolore.flows.browse import document_named
from evolore.flows.context import Context

_UNUSABLE = "unusable_reply"
_NO_VERDICT = "no_verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Chunks that were not judged, and why."""

    reason: str  #: What kind of failure, such as ``timed_out``.
    chunks: int  #: How many.
    detail: str = ""  #: What the model or its server said the first time; empty for nothing.


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(Result):
    """What checking found; nothing was cut."""

    chunks: int  #: How many chunks were chosen.
    whole: int  #: How many of them were found whole.
    broken: int  #: How many were found broken.
    #: How many were not judged, by reason; together with the two numbers before, all that were chosen.
    skips: tuple[Skip, ...]
    #: The review items that are new or open again; a finding that was filed before is not filed again.
    filed: tuple[ReviewItem, ...]
    usage: ChatUsage  #: What it cost.


@dataclass(slots=True)
class _ChunkTally:
    whole: int = 0
    findings: list[ReviewItem] = field(default_factory=list["ReviewItem"])
    skips: Counter[str] = field(default_factory=Counter[str])
    details: dict[str, str] = field(default_factory=dict[str, str])

    def skipped(self) -> tuple[Skip, ...]:
        """Return what was not judged, by reason."""
        return tuple(
            Skip(reason=reason, chunks=count, detail=self.details.get(reason, ""))
            for reason, count in sorted(self.skips.items())
        )


def check_chunks(
    context: Context, *, document: str | None, sample: int, chunks_per_call: int, calls: int, seed: int
) -> Checked:
    """Ask the chat model to judge sampled chunks, within a budget of calls."""
    if context.chat_model is None:
        raise ChatModelMissing(
            "Checking chunks needs a chat model, and there is none: name one in the setting chat.model, or open the "
            "memory in Python with Memory.open(…, chat_model=…) and call check_chunks."
        )
    check_count(sample, "sample")
    check_count(chunks_per_call, "chunks_per_call")
    context.store.require(context.namespace)
    chosen, versions = _chosen(context, document, sample, seed)
    batches = list(_batches(chosen, chunks_per_call))
    asker = Asker(context.chat_model, ChatBudget(calls=calls), context.chat_terms)
    tally = _ChunkTally()
    words = prompt_words("check_chunks", review.PROMPT_VERSION)
    outcomes = asker.complete([review.judge_prompt(words, batch) for batch in batches])
    for batch, outcome in zip(batches, outcomes, strict=True):
        _take(tally, batch, outcome, versions)
    return Checked(
        chunks=len(chosen),
        whole=tally.whole,
        broken=len(tally.findings),
        skips=tally.skipped(),
        filed=_file(context, tally.findings),
        usage=asker.usage,
    )


CHUNKS_PER_CALL = 5
"""How many passages are shown at a time by default."""
_TOO_LONG = "too_long"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread(Result):
    """What reading open review items of chunking again came to; nothing was cut."""

    items: int = 0  #: How many were read again.
    resolved: tuple[ReviewItem, ...] = ()  #: Those whose passages were all found whole: they are resolved now.
    #: Those of which a passage was found broken: they stay open, and their note says what.
    noted: tuple[ReviewItem, ...] = ()
    #: Passages that were not judged, by reason; ``too_long`` are those of items that no budget of this size reads.
    skips: tuple[Skip, ...] = ()
    usage: ChatUsage = field(default_factory=ChatUsage)  #: What it cost.


def reread_cuts(context: Context, *, calls: int) -> Reread:
    """Ask the chat model to judge the passages of stretches that were cut hard, the most urgent first, as far as the calls go.

    An item with a note was read before, by a person or a model, and is not read again.
    """
    if context.chat_model is None or calls < 1:
        return Reread()
    tally = _ChunkTally()
    cuts = _cuts(context, most=calls * CHUNKS_PER_CALL, tally=tally)
    if not cuts:
        return Reread(skips=tally.skipped())
    batches = list(_batches({leaf.id: leaf for _, own in cuts for leaf in own}.values(), CHUNKS_PER_CALL))
    asker = Asker(context.chat_model, ChatBudget(calls=calls), context.chat_terms)
    words = prompt_words("check_chunks", review.PROMPT_VERSION)
    outcomes = asker.complete([review.judge_prompt(words, batch) for batch in batches])
    said: dict[str, review.PassageVerdict] = {}
    for batch, outcome in zip(batches, outcomes, strict=True):
        said |= {batch[place].id: verdict for place, verdict in _verdicts(tally, batch, outcome).items()}
    judged = [(item, [said[one.id] for one in own]) for item, own in cuts if all(one.id in said for one in own)]
    resolved, noted = _noted(context, judged)
    return Reread(items=len(judged), resolved=resolved, noted=noted, skips=tally.skipped(), usage=asker.usage)


def _cuts(context: Context, *, most: int, tally: _ChunkTally) -> list[tuple[ReviewItem, list[Episode]]]:
    """Return the items that are to be read with their passages, together at most so many."""
    wanted = ReviewFilter(status=ReviewStatus.OPEN, category=ReviewCategory.CHUNKING)
    found: list[tuple[ReviewItem, list[Episode]]] = []
    left = most
    with context.store.read(context.namespace) as reader:
        for item in reader.review_items(wanted):
            if item.note or item.span is None or item.document_id is None or not left:
                continue
            own = [one for one in reader.leaf_episodes(item.document_id) if _overlap(one.span, item.span)]
            if len(own) > most:
                tally.skips[_TOO_LONG] += len(own)
            elif own and len(own) <= left:
                found.append((item, own))
                left -= len(own)
    return found


def _overlap(one: Span | None, other: Span) -> bool:
    return one is not None and one.start < other.end and other.start < one.end


def _noted(
    context: Context, judged: Sequence[tuple[ReviewItem, Sequence[review.PassageVerdict]]]
) -> tuple[tuple[ReviewItem, ...], tuple[ReviewItem, ...]]:
    """Resolve what was found whole, and note what is broken in the rest; items decided or noted meanwhile are left."""
    resolved: list[ReviewItem] = []
    noted: list[ReviewItem] = []
    if not judged:
        return (), ()
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        for item, verdicts in judged:
            present = writer.review_item(item.id or "")
            if present is None or present.id is None or present.status is not ReviewStatus.OPEN or present.note:
                continue
            broken = next((one for one in verdicts if not one.whole), None)
            if broken is None:
                note = review.whole_note(item.language)
                writer.set_review_status(present.id, ReviewStatus.RESOLVED, note=note, at=at, by=Resolution.MODEL)
            else:
                note = review.broken_note(broken, item.language)
                writer.set_review_note(present.id, note, at=at, by=Resolution.MODEL)
            after = writer.review_item(present.id)
            assert after is not None
            (resolved if broken is None else noted).append(after)
    return tuple(resolved), tuple(noted)


def _chosen(context: Context, document: str | None, sample: int, seed: int) -> tuple[list[Episode], dict[str, int]]:
    """Return the leaves to be judged, and the version of each document."""
    with context.store.read(context.namespace) as reader:
        documents = reader.documents() if document is None else (document_named(reader, document),)
        ids = [id_ for found in documents for _, id_ in reader.chunks(found.id) if id_ is not None]
        leaves = reader.episodes(review.sampled(ids, sample, seed=seed))
    return list(leaves), {found.id: found.version for found in documents}


def _batches(leaves: Iterable[Episode], most: int) -> Iterable[list[Episode]]:
    """Gather chunks of one language, at most so many."""
    waiting: dict[str, list[Episode]] = {}
    for leaf in leaves:
        batch = waiting.setdefault(leaf.language.value, [])
        batch.append(leaf)
        if len(batch) == most:
            yield waiting.pop(leaf.language.value)
    yield from waiting.values()


def _verdicts(
    tally: _ChunkTally, batch: Sequence[Episode], outcome: ChatOutcome
) -> Mapping[int, review.PassageVerdict]:
    """Return what was said of the passages of a batch, by their places; the tally hears of those of which nothing was."""
    if isinstance(outcome, ChatFailure):
        tally.skips[outcome.kind.value] += len(batch)
        tally.details.setdefault(outcome.kind.value, outcome.detail)
        return {}
    judged = review.read_verdicts(outcome.text, len(batch))
    if judged is None:
        tally.skips[_UNUSABLE] += len(batch)
        return {}
    if judged.skipped:
        tally.skips[_NO_VERDICT] += judged.skipped
    return judged.verdicts


def _take(tally: _ChunkTally, batch: Sequence[Episode], outcome: ChatOutcome, versions: dict[str, int]) -> None:
    for place, verdict in _verdicts(tally, batch, outcome).items():
        leaf = batch[place]
        if verdict.whole or leaf.document_id is None:
            tally.whole += 1
        else:
            tally.findings.append(review.finding(leaf, verdict, version=versions[leaf.document_id]))


def _file(context: Context, findings: Sequence[ReviewItem]) -> tuple[ReviewItem, ...]:
    if not findings:
        return ()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        ids = writer.file_review_items(findings, at=context.clock.now())
        return tuple(item for id_ in ids if (item := writer.review_item(id_)) is not None)
