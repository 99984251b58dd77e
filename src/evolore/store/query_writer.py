"""What can be written of questions inside one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.store import query_writing
from evolore.store.batch import Batch
from evolore.store.entering import dismiss, enter
from evolore.store.reading import SqliteReader
from evolore.store.taking_back import take_back
from evolore.store.withdrawing import withdraw

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from evolore.domain.queries import Outcome, Rating
    from evolore.ports import EmbeddingModel, Entering, NewQuery, QueryEdge, Reconsidered, Vectors, Withdrawn
    from evolore.store.ids import IdSource


class QueryWriter(SqliteReader):
    """One namespace's questions inside one write transaction.

    Args:
        connection: The open write transaction.
        ns: The namespace's number.
        name: The namespace's name.
        model: The store's embedding model.
        ids: Where new ids come from.
        now: Where the time of ids comes from that no moment is given for.
        principal: On whose behalf it is opened.
    """

    def __init__(
        self,
        connection: Connection,
        ns: int,
        *,
        name: str,
        model: EmbeddingModel,
        ids: IdSource,
        now: Callable[[], datetime],
        principal: str | None = None,
    ) -> None:
        super().__init__(connection, ns, name=name, model=model)
        self._ids = ids
        self._now = now
        self._principal = principal

    def put_query(self, new: NewQuery, *, at: datetime) -> str:
        """Take a question down, and give its id; what was handed over and is not there any more is left out."""
        return query_writing.put_query(self._batch(at), new, principal=self._principal, model=self._model)

    def set_outcome(
        self, query_id: str, outcome: Outcome, *, is_stated: bool, cited: Collection[str] | None, at: datetime
    ) -> None:
        """Say what a question led to, and which of what was handed over the answer rests on; None leaves that as it is.

        Raises:
            NotFound: No question has the id.
        """
        query_writing.set_outcome(self._batch(at), query_id, outcome, is_stated=is_stated, cited=cited)

    def set_answer_id(self, query_id: str, answer_id: str, *, at: datetime) -> None:
        """Note for which answer a question was asked."""
        query_writing.set_answer_id(self._batch(at), query_id, answer_id)

    def rate_query(self, query_id: str, rating: Rating, *, comment: str | None, at: datetime) -> None:
        """Note what the principal said of an answer, in the place of what the same principal said before.

        Raises:
            NotFound: No question has the id.
        """
        query_writing.rate_query(self._batch(at), query_id, rating, principal=self._principal, comment=comment)

    def put_query_edges(self, edges: Collection[QueryEdge], *, at: datetime) -> None:
        """Let all edges that questions leave wait, in the place of those that do; what was evaluated or is in the graph stays."""
        query_writing.put_query_edges(self._batch(at), edges)

    def enter_query_edges(
        self, target_id: str, entering: Collection[Entering], *, evaluated: bool, reason: str, at: datetime
    ) -> str | None:
        """Let edges to one episode enter the graph, as one event, and give its id; None where none did.

        Raises:
            InvalidValue: An edge leads elsewhere, or the reason is not one word.
        """
        return enter(self._batch(at), target_id, entering, evaluated=evaluated, reason=reason)

    def dismiss_query_edges(self, target_id: str, *, at: datetime) -> str | None:
        """Keep the edges that wait for an episode in the store only, as one event: it was evaluated as of low value."""
        return dismiss(self._batch(at), target_id)

    def withdraw(
        self, principal: str | None, anew: Collection[Reconsidered] = (), *, erase: bool, at: datetime
    ) -> Withdrawn:
        """Take back all that one principal taught, as one event; with ``erase`` delete the questions themselves too."""
        return withdraw(self._batch(at), principal, anew, erase=erase)

    def take_back(self, event_id: str, *, at: datetime) -> str | None:
        """Take back what one event did to confidence or arousal, as if it had never been; None where nothing is left."""
        return take_back(self._batch(at), event_id)

    def put_query_vectors(self, vectors: Mapping[str, Vectors]) -> None:
        """Write the vectors of questions that have none of the store's model, by question."""
        query_writing.put_query_vectors(self._connection, self._ns, vectors, model=self._model)

    def _batch(self, at: datetime) -> Batch:
        return Batch(
            self._connection, self._ns, at=at, ids=self._ids, model_id=self._model.id, principal=self._principal
        )
