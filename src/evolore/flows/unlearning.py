"""``unlearn``: everything one principal taught is taken back."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from evolore.domain.checks import check_name

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.ports import Withdrawn


class _Told(Exception):
    """Leaves a transaction of which nothing is to stay; no error."""


def unlearn(context: Context, principal: str | None, *, erase: bool = False, is_dry_run: bool = False) -> Withdrawn:
    """Take back all that one principal taught: edges, ratings, and what they did to confidence and arousal.

    Args:
        context: Where, and on whose behalf.
        principal: Whose; None for what was asked and rated by nobody in particular.
        erase: Whether the questions themselves are erased too, for good.
        is_dry_run: Whether only to tell.

    Raises:
        NamespaceNotFound: Nothing was written to this namespace yet.
        InvalidValue: The principal is blank.
    """
    check_name(principal, "principal")
    with context.store.read(context.namespace):
        pass  # else an unknown namespace would be made by looking for what to take back
    withdrawn: Withdrawn | None = None
    with (
        suppress(_Told),
        context.store.write(context.namespace, principal=context.principal) as writer,
    ):
        withdrawn = writer.withdraw(principal, erase=erase, at=context.clock.now())
        if is_dry_run:
            raise _Told
    assert withdrawn is not None
    return withdrawn
