"""The verbs of ``Memory`` about questions: what was asked, how answers were rated, and what that teaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.flows import asked, belonging, recording, unlearning
from evolore.flows.evolving.canary_watch import watch
from evolore.flows.rating import rate_item
from evolore.verbs.binding import Bound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evolore.domain.answers import Recall
    from evolore.domain.queries import Outcome, QueryRecord, Rating
    from evolore.flows.belonging import EpisodeContexts
    from evolore.flows.rated_documents import RatedDocument
    from evolore.flows.rating import RatedQuery
    from evolore.ports import Withdrawn
    from evolore.queries.contexts import CountedQueries


class MemoryQueries(Bound):
    """What a memory keeps of questions, and learns from them."""

    def record(
        self,
        recall: Recall,
        *,
        cited: Iterable[str] = (),
        outcome: Outcome | str | None = None,
        answer_id: str | None = None,
        principal: str | None = None,
    ) -> QueryRecord:
        """Take down a question with what it brought back, so that its answer can be rated and teach something.

        One that was taken down already, as ``recall`` does by default, is completed by what is said here.

        Args:
            recall: What ``recall`` gave; its hits count as handed over.
            cited: The ids of the hits' episodes that the answer rests on, or the beginnings of them.
            outcome: What it led to, where you know: ``"bypass"`` for an answer from a cache, ``"retrieval"`` or
                ``"insight"``; by default it is told from the hits, and later from ratings.
            answer_id: The answer it was asked for.
            principal: On whose behalf; by default on that of the question.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
            NotFound: A cited id was not handed over.
            AmbiguousId: It begins several ids of what was.
            InvalidValue: The outcome is another word, a name is blank, the question was asked of another memory, or
                somebody else than who asked says otherwise what the answer rests on.
        """
        context = self._for(recall.query.principal if principal is None else principal)
        return recording.record(context, recall, cited=cited, outcome=outcome, answer_id=answer_id)

    def rate(
        self,
        item_id: str | Recall,
        rating: Rating | str,
        *,
        comment: str | None = None,
        cited: Iterable[str] | None = None,
        helpful: bool = False,
        principal: str | None = None,
    ) -> RatedQuery | RatedDocument:
        """Say whether an answer served, or a document; recall learns from the one, and documents improve by both.

        What an answer rests on is trusted more or less, and the documents among it get feedback; where it rests on
        nothing in particular, the document of the best hit does. A document that is rated itself gets feedback alone.

        A rating that proves a text on trial to be worse takes it from everybody at once.

        A later rating by the same principal takes the place of the earlier one, whose effect is taken back. However many
        answers one principal rates, it moves the confidence of an episode only a few times.

        Args:
            item_id: The id of an answer, as ``Answer.id`` gives it, of a question, as ``Recall.query_id`` and ``record``
                do, or of a document; or the beginning of it. A document may be named by source or path too. What
                ``recall`` gave may be handed over itself: its question is taken down then, where it was not.
            rating: ``"good"`` or ``"bad"``.
            comment: Why.
            cited: The ids of the episodes the answer rests on, or the beginnings of them; by default as said before.
            helpful: Whether a good answer helped with the step it was asked for; then it counts half as much again.
            principal: Who says so; it is kept in the events.

        Raises:
            NotFound: No question, answer or document has the id, or a cited episode was not handed over for it.
            AmbiguousId: It begins several ids.
            InvalidValue: The rating is another word, the comment blank, or a bad answer called helpful; somebody else
                than who asked says otherwise what the answer rests on; or a document is said to cite or to help.
        """
        if not isinstance(item_id, str):
            item_id = item_id.query_id or self.record(item_id).id
        done = rate_item(self._for(principal), item_id, rating, comment=comment, cited=cited, is_helpful=helpful)
        watch(self._context)
        return done

    def unlearn(
        self, principal: str | None, *, erase: bool = False, dry_run: bool = False, by: str | None = None
    ) -> Withdrawn:
        """Take back all that one principal taught: edges of its questions, its ratings, and what those moved.

        Questions of others stand as if the principal had not rated them. ``undo`` of the event brings all of it back,
        unless it was erased.

        Args:
            principal: Whose; None for what was asked and rated by nobody in particular.
            erase: Whether the questions themselves are erased too, with texts and vectors, for good.
            dry_run: Count what would be taken back, and change nothing; nobody who writes is waited for.
            by: On whose behalf; it is kept in the event.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
            InvalidValue: The principal is blank or too long.
        """
        return unlearning.unlearn(self._for(by), principal, erase=erase, is_dry_run=dry_run)

    def query(self, query_id: str) -> QueryRecord:
        """Give the question that an id, or the beginning of one, names: what was handed over, its outcome and ratings.

        Raises:
            NotFound: It names none.
            AmbiguousId: It begins several ids.
        """
        return asked.query(self._with_questions(), query_id)

    def queries(self, *, principal: str | None = None, limit: int = 20) -> tuple[QueryRecord, ...]:
        """List the questions that were taken down, the last first.

        Args:
            principal: Only those asked on this one's behalf; by default all.
            limit: How many at the most.

        Raises:
            InvalidValue: The limit is below 1.
        """
        return asked.list_queries(self._with_questions(), principal=principal, limit=limit)

    def contexts(self, episode_id: str, *, queries: CountedQueries | str | None = None) -> EpisodeContexts:
        """Tell to which contexts an episode belongs, and whether it would be split; nothing is written.

        Args:
            episode_id: The id of a statement or passage, or the beginning of one.
            queries: Which questions count: ``"none"``, ``"confirmed"``, whose edges are in the graph, or
                ``"with_pending"``, as if those that wait were in it too; by default what the settings say, which is none.

        Raises:
            NotFound: It names nothing, or a document.
            AmbiguousId: It begins several ids.
            InvalidValue: ``queries`` is another word.
        """
        return belonging.contexts_of_episode(self._with_questions(), episode_id, queries=queries)
