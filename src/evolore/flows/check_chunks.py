"""``check_chunks``: a chat model reads sampled chunks; what it finds broken is filed for review."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.chunking.review import PROMPT_VERSION, finding, judge_prompt, read_verdicts, sampled
from evolore.domain.chat import ChatBudget, ChatFailure, ChatUsage
from evolore.domain.checks import check_count
from evolore.domain.result import Result
from evolore.errors import ChatModelMissing
from evolore.flows.browse import document_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.chat import ChatOutcome
    from evolore.domain.episode import Episode
    from evolore.domain.review import ReviewItem
    from evolore.flows.context import Context

_UNUSABLE = "unusable_reply"
_NO_VERDICT = "no_verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Chunks that were not judged, and why.

    Args:
        reason: What kind of failure, such as ``timed_out``.
        chunks: How many.
        detail: What the model or its server said the first time; empty for nothing.
    """

    reason: str
    chunks: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(Result):
    """What checking found; nothing was cut.

    Args:
        chunks: How many chunks were chosen.
        whole: How many of them were found whole.
        broken: How many were found broken.
        skips: How many were not judged, by reason; together with the two numbers before, all that were chosen.
        filed: The review items that are new or open again; a finding that was filed before is not filed again.
        usage: What it cost.
    """

    chunks: int
    whole: int
    broken: int
    skips: tuple[Skip, ...]
    filed: tuple[ReviewItem, ...]
    usage: ChatUsage


@dataclass(slots=True)
class _Tally:
    whole: int = 0
    findings: list[ReviewItem] = field(default_factory=list["ReviewItem"])
    skips: Counter[str] = field(default_factory=Counter[str])
    details: dict[str, str] = field(default_factory=dict[str, str])

    def skipped(self) -> tuple[Skip, ...]:
        """Give what was not judged, by reason."""
        return tuple(
            Skip(reason=reason, chunks=count, detail=self.details.get(reason, ""))
            for reason, count in sorted(self.skips.items())
        )


def check_chunks(
    context: Context, *, document: str | None, sample: int, chunks_per_call: int, calls: int, seed: int
) -> Checked:
    """Have sampled chunks judged, within a budget of calls.

    Raises:
        ChatModelMissing: There is no chat model.
        InvalidValue: A number is out of range.
        NotFound: There is no such document.
    """
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
    tally = _Tally()
    words = prompt_words("check_chunks", PROMPT_VERSION)
    outcomes = asker.complete([judge_prompt(words, batch) for batch in batches])
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


def _chosen(context: Context, document: str | None, sample: int, seed: int) -> tuple[list[Episode], dict[str, int]]:
    """Give the leaves to be judged, and the version of each document."""
    with context.store.read(context.namespace) as reader:
        documents = reader.documents() if document is None else (document_named(reader, document),)
        ids = [id_ for found in documents for _, id_ in reader.chunks(found.id) if id_ is not None]
        leaves = reader.episodes(sampled(ids, sample, seed=seed))
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


def _take(tally: _Tally, batch: Sequence[Episode], outcome: ChatOutcome, versions: dict[str, int]) -> None:
    if isinstance(outcome, ChatFailure):
        tally.skips[outcome.kind.value] += len(batch)
        tally.details.setdefault(outcome.kind.value, outcome.detail)
        return
    judged = read_verdicts(outcome.text, len(batch))
    if judged is None:
        tally.skips[_UNUSABLE] += len(batch)
        return
    if judged.skipped:
        tally.skips[_NO_VERDICT] += judged.skipped
    for place, verdict in judged.verdicts.items():
        leaf = batch[place]
        if verdict.whole or leaf.document_id is None:
            tally.whole += 1
        else:
            tally.findings.append(finding(leaf, verdict, version=versions[leaf.document_id]))


def _file(context: Context, findings: Sequence[ReviewItem]) -> tuple[ReviewItem, ...]:
    if not findings:
        return ()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        ids = writer.file_review_items(findings, at=context.clock.now())
        return tuple(item for id_ in ids if (item := writer.review_item(id_)) is not None)
