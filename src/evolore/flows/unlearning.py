"""``unlearn``: everything one principal taught is taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.domain.checks import check_name
from evolore.flows.reconsidering import reconsidered

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.ports import Withdrawn


def unlearn(context: Context, principal: str | None, *, erase: bool = False, is_dry_run: bool = False) -> Withdrawn:
    """Take back all that one principal taught: edges, ratings, and what they did to confidence and arousal.

    The questions that others asked and the principal rated stand as if the principal had not: outcome and edges follow
    from the other ratings. What then waits in numbers is evaluated by the next question or ``maintain``.

    Args:
        context: Where, and on whose behalf.
        principal: Whose; None for what was asked and rated by nobody in particular.
        erase: Whether the questions themselves are erased too, for good.
        is_dry_run: Whether only to tell; then nobody who writes is waited for.

    Raises:
        NamespaceNotFound: Nothing was written to this namespace yet.
        InvalidValue: The principal is blank.
    """
    check_name(principal, "principal")
    settings = context.query_settings
    context.store.require(context.namespace)  # it would be made by writing to it
    if is_dry_run:
        with context.store.read(context.namespace) as reader:
            anew = reconsidered(reader, principal, settings=settings)
            return reader.foresee_withdrawal(principal, anew, erase=erase)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        anew = reconsidered(writer, principal, settings=settings)
        withdrawn = writer.withdraw(principal, anew, erase=erase, at=context.clock.now())
    if not (erase and withdrawn.has_taught):
        return withdrawn
    return replace(withdrawn, lingering_in=context.store.take_out_erased())
