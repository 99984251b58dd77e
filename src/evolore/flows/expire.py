"""``expire``: erase what has expired by rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from evolore.domain.filters import ExpiryRule, Target
from evolore.domain.result import Result
from evolore.flows.context import Context
from evolore.flows.forget import erase_named
from evolore.ports import Receipt
from evolore.store.reading import StoreReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired(Result):
    """What went because it was over, or would go."""

    before: datetime | None = None  #: What happened before then was too old; None where age was no matter.
    statement_ids: tuple[str, ...] = ()  #: The statements.
    question_ids: tuple[str, ...] = ()  #: The questions; their answers and ratings go with them.
    answer_ids: tuple[str, ...] = ()  #: Answers of that age whose questions were not recorded.
    receipt: Receipt | None = None  #: What it came to, with all that is made of it; None where nothing was over.
    is_dry_run: bool = False  #: Whether nothing was changed.

    @property
    def ids(self) -> tuple[str, ...]:
        """All of them."""
        return self.statement_ids + self.question_ids + self.answer_ids


def expire(context: Context, rule: ExpiryRule, *, is_dry_run: bool = False, limit: int | None = None) -> Expired:
    """Erase the statements and questions that are over by a rule, in one transaction; documents stay.

    Raises:
        NamespaceNotFound: Nothing was written to this namespace yet.
        StoreBusy: Another process held the store for too long; nothing was erased.
    """
    context.store.require(context.namespace)
    at = context.clock.now()

    def found(reader: StoreReader) -> Expired:
        cutoff = rule.cutoff(at)
        asked = reader.asked_before(cutoff, limit=limit) if rule.questions and cutoff is not None else ((), ())
        return Expired(
            before=cutoff,
            statement_ids=reader.expired_statements(rule.filter(at), limit=limit),
            question_ids=asked[0],
            answer_ids=asked[1],
            is_dry_run=is_dry_run,
        )

    with context.store.read(context.namespace) as reader:
        over = found(reader)
    if not over.ids:
        return over
    if is_dry_run:
        receipt = context.store.erase(context.namespace, Target(item_ids=over.ids), is_dry_run=True)
        return replace(over, receipt=receipt)
    taken: list[Expired] = []

    def name(reader: StoreReader) -> Target | None:
        """Look again: somebody may have forgotten some of it meanwhile."""
        taken.append(found(reader))
        return Target(item_ids=taken[-1].ids) if taken[-1].ids else None

    receipt = erase_named(context, name)
    return replace(taken[-1], receipt=receipt)
