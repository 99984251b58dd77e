"""Settings of the indexes of a store."""

from __future__ import annotations

from dataclasses import dataclass, fields

from evolore.domain.checks import check_least


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """How much memory indexes take, and from when on they are kept in files."""

    #: What the indexes of all open namespaces may take together; those not used for longest are let go of. The one in
    #: use is never among them, however large. At least 0.
    memory_bytes: int = 1_000_000_000
    #: What the indexes of one namespace may take when they are read in, above 0; a namespace of which they would take
    #: more is refused before. None for no bound.
    namespace_bytes: int | None = None
    #: At most how many vectors of a namespace are compared one by one; where there are more, they are held in half
    #: the memory, and searched by a snapshot. At least 0.
    exact_up_to: int = 10_000
    #: The part of a namespace's vectors that may lie outside its snapshot before the next is built, above 0.
    tail_share: float = 0.1

    def __post_init__(self) -> None:
        for field in fields(self):
            check_least(0, **{field.name: getattr(self, field.name)})
