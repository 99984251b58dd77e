"""``verify``: is every event, and every text that is left, as it was written?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.health import Verification

if TYPE_CHECKING:
    from evolore.flows.context import Context


def verify(context: Context, *, all_namespaces: bool = False) -> Verification:
    """Check the event chain of the namespace, or of every namespace, each at one moment.

    Raises:
        StoreDamaged: The database cannot be read.
    """
    names = context.store.namespaces() if all_namespaces else (context.namespace,)
    chains = (context.store.verify(name) for name in names)
    return Verification(chains=tuple(chains))
