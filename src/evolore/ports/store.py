"""What keeps everything, in namespaces that are read at one moment and written in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from evolore.domain.filters import Target
    from evolore.domain.health import Backup, ChainCheck, Finding
    from evolore.ports.embedding import EmbeddingModel
    from evolore.ports.indexes import IndexView
    from evolore.ports.records import Receipt, Record
    from evolore.ports.reembedding import Reembedding
    from evolore.ports.store_reader import StoreReader
    from evolore.ports.store_writer import StoreWriter


class Store(Protocol):
    """Keeps everything; one source of truth, and the indexes derived from it."""

    def read(self, namespace: str) -> AbstractContextManager[StoreReader]:
        """Open a snapshot; a namespace that nothing was written to is empty."""
        ...

    @property
    def is_read_only(self) -> bool:
        """Whether nothing of it can be written: so it was asked for, or its place does not allow it."""
        ...

    def new_id(self, at: datetime) -> str:
        """Make the id of what is written later; threads may ask at once."""
        ...

    def has(self, namespace: str) -> bool:
        """Tell whether anything was ever written to a namespace."""
        ...

    def require(self, namespace: str) -> None:
        """Refuse a namespace that nothing was written to, before anything is made of it.

        Raises:
            NamespaceNotFound: Nothing was, or there is no store.
        """
        ...

    def write(self, namespace: str, *, principal: str | None = None) -> AbstractContextManager[StoreWriter]:
        """Open a transaction that commits on leaving and undoes everything on an exception.

        Args:
            namespace: Where to.
            principal: On whose behalf; the events it appends say so.

        Raises:
            StoreBusy: Another process wrote for too long.
        """
        ...

    def erase(
        self, namespace: str, target: Target, *, principal: str | None = None, is_dry_run: bool = False
    ) -> Receipt:
        """Erase documents with all their versions, and statements, from every table and file, in one transaction.

        Args:
            namespace: Where from.
            target: What; an id is whole, and a document is named by its id alone.
            principal: On whose behalf; the event says so.
            is_dry_run: Whether only to count what would go.

        Raises:
            NotFound: It names nothing, or one of its ids does not; then nothing is erased.
            StoreBusy: Another process wrote for too long.
        """
        ...

    def alone_at(self, job_id: str) -> AbstractContextManager[bool]:
        """Hold a job, so that no other process goes on with it meanwhile; False where another does.

        It ends with the process, however that ends.
        """
        ...

    def take_out_erased(self) -> tuple[str, ...]:
        """Take what was erased out of every file; give those that may still hold some of it.

        What erases in a transaction of ``write`` is followed by this; ``erase`` does so itself.
        """
        ...

    def index(self, namespace: str) -> AbstractContextManager[tuple[IndexView, StoreReader]]:
        """Open the indexes, brought up to the last commit, and a snapshot of that same moment.

        Texts on trial take no part in the view, unless it is asked for one in which they do. A namespace that nothing was
        written to is empty.
        """
        ...

    def namespaces(self) -> tuple[str, ...]:
        """List the namespaces by name; none where there is no store yet."""
        ...

    def verify(self, namespace: str) -> ChainCheck:
        """Check the events of one namespace, and the texts they speak of."""
        ...

    def examine(self, namespace: str | None = None) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
        """Look for what is wrong in the file, in the schema, and in the rows of a namespace, or of all.

        Tokens and vectors of texts that are there are not looked at.

        Returns:
            The namespaces whose rows were looked at, by name; none where the store could not be opened.

        Raises:
            NamespaceNotFound: There is no store, and all of it is asked for.
        """
        ...

    def repair(self, namespace: str) -> None:
        """Delete leftovers and orphans of a namespace, and write anew what is derived from its rows.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
            StoreBusy: Another process wrote for too long.
        """
        ...

    def check_record(self, record: Record) -> None:
        """Refuse a record that is not of the form an export has.

        Raises:
            InvalidValue: A field is missing, unknown or of another form.
        """
        ...

    def reembedding(self, model: EmbeddingModel) -> AbstractContextManager[Reembedding]:
        """Open the store to change its embedding model, whichever it has now.

        Raises:
            NamespaceNotFound: There is no store yet.
        """
        ...

    def abandon_reembedding(self) -> tuple[EmbeddingModel | None, int]:
        """Give up a change of the model that was begun.

        Returns:
            The model it was to, None where none was begun, and how many vectors were deleted.

        Raises:
            NamespaceNotFound: There is no store yet.
        """
        ...

    def rebound(self, model: EmbeddingModel) -> Store:
        """Give the same store, opened anew with another model."""
        ...

    def backup(self, target: Path) -> Backup:
        """Copy the whole store as it is now into a new folder, while it is in use.

        Raises:
            InvalidValue: The target is there already.
            StoreUnwritable: It cannot be made.
            StoreFailed: The disk did not do its part.
        """
        ...

    def prepare(self, namespace: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Build what a large namespace is searched by, and wait until it is there; nothing where it is.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
            StoreFailed: The disk is full or failing; recall goes on without it.
        """
        ...

    def close(self) -> None:
        """Let go of files and memory."""
        ...
