"""``memory.questions``: what was asked, what it rested on, and what use teaches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evolore import flows
from evolore.domain.answer import Answer
from evolore.domain.outcome import Outcome, QueryRecord
from evolore.domain.query import Recall
from evolore.domain.times import Moment, read_moment
from evolore.memory.binding import Noun
from evolore.ports import Withdrawn

if TYPE_CHECKING:
    from evolore.flows.contexts import EpisodeContexts
    from evolore.flows.resonate import Resonated
    from evolore.queries.contexts import CountedQueries


class Questions(Noun):
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
        """Record a question with what it brought back, so that its answer can be rated and teach something.

        One that was recorded already, as ``recall`` does by default, is completed by these values.

        Args:
            recall: What ``recall`` returned; its hits count as handed over.
            cited: The ids of the hits' episodes that the answer rests on, or the beginnings of them.
            outcome: What it led to, where you know: ``"bypass"`` for an answer from a cache, ``"retrieval"`` or
                ``"insight"``; by default it is derived from the hits, and later from ratings.
            answer_id: The answer it was asked for.
            principal: On whose behalf; by default on that of the question.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
            NotFound: A cited id was not handed over.
            AmbiguousId: It begins several ids of what was.
            InvalidValue: The outcome is another word, a name is blank, the question was asked of another memory, or
                somebody else than who asked says otherwise what the answer rests on.
        """
        context = self._bound.acting(recall.query.principal if principal is None else principal)
        return flows.record.record(context, recall, cited=cited, outcome=outcome, answer_id=answer_id)

    def record_answer(
        self,
        question: str,
        text: str,
        *,
        cited: Iterable[str] = (),
        outcome: Outcome | str | None = None,
        principal: str | None = None,
        answered_at: Moment | None = None,
    ) -> Answer:
        """Record an answer that was produced elsewhere, with its question and what it rests on, so that it can be rated.

        ``rate`` takes its id like that of an answer of ours: what it cites is trusted more or less, recall learns from the
        question, and the documents get feedback.

        Args:
            question: What was asked.
            text: What was answered.
            cited: The ids of the documents, passages or statements it rests on, or their beginnings; documents also by
                source or path. Of a document it rests on the passage that is nearest to question and answer.
            outcome: What it led to, where you know: ``"bypass"``, ``"retrieval"`` or ``"insight"``.
            principal: On whose behalf it was asked.
            answered_at: When it was answered, as ``as_of`` of ``recall``; by default now. Of a document the version of
                then is rated.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
            NotFound: A cited id names nothing here.
            AmbiguousId: It begins several ids.
            InvalidValue: Question or answer is blank, the outcome is another word, or the time is none.
        """
        from evolore.flows.record_answer import record_answer  # noqa: PLC0415 - most never hand in an answer

        moment = read_moment(answered_at, "answered_at")
        context = self._bound.acting(principal)
        return record_answer(context, question, text, cited=cited, outcome=outcome, answered_at=moment)

    def list(self, *, principal: str | None = None, limit: int = 20) -> tuple[QueryRecord, ...]:
        """List the recorded questions, the last first.

        Args:
            principal: Only those asked on this one's behalf; by default all.
            limit: How many at most.

        Raises:
            InvalidValue: The limit is below 1.
        """
        return flows.question_lookup.list_queries(self._bound.asked(), principal=principal, limit=limit)

    def show(self, query_id: str) -> QueryRecord:
        """Return the question that an id, or the beginning of one, names: what was handed over, its outcome and ratings.

        Raises:
            NotFound: It names none.
            AmbiguousId: It begins several ids.
        """
        return flows.question_lookup.query(self._bound.asked(), query_id)

    def contexts(self, episode_id: str, *, queries: CountedQueries | str | None = None) -> EpisodeContexts:
        """Return which contexts an episode belongs to, and whether it would be split; nothing is written.

        Args:
            episode_id: The id of a statement or passage, or the beginning of one.
            queries: Which questions count: ``"none"``, ``"confirmed"``, whose edges are in the graph, or
                ``"with_pending"``, as if those that wait were in it too; by default what the settings say, which is none.

        Raises:
            NotFound: It names nothing, or a document.
            AmbiguousId: It begins several ids.
            InvalidValue: ``queries`` is another word.
        """
        return flows.contexts.contexts_of_episode(self._bound.asked(), episode_id, queries=queries)

    def unlearn(
        self, principal: str | None, *, erase: bool = False, dry_run: bool = False, by: str | None = None
    ) -> Withdrawn:
        """Withdraw everything one principal taught: edges of its questions, its ratings, and what those moved.

        Questions of others stay as if the principal had not rated them. ``undo`` of the event brings all of it back,
        unless it was erased.

        Args:
            principal: Whose; None for what was asked and rated without a principal.
            erase: Whether the questions themselves are erased too, with texts and vectors, for good.
            dry_run: Count what would be taken back, and change nothing; writers are not waited for.
            by: On whose behalf; it is kept in the event.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
            InvalidValue: The principal is blank or too long.
        """
        return flows.lessons.unlearn(self._bound.acting(by), principal, erase=erase, is_dry_run=dry_run)

    def resonate(self, *episode_ids: str, arousal: float, principal: str | None = None) -> Resonated:
        """Record that memories were used, and how strongly that was felt: their arousal moves a fifth of the way there.

        One without a stated arousal starts from its estimate, or from 0.5. If then the mean of all arousals that
        were stated, or moved by use, is above 0.6, all of these are scaled by 0.9. Both are events that ``undo`` takes
        back.

        Args:
            *episode_ids: The ids of statements or passages, or the beginnings of them.
            arousal: How strongly the use was felt, 0–1.
            principal: On whose behalf; it is kept in the events.

        Raises:
            InvalidValue: No id is given, or the arousal is out of range.
            NotFound: An id names nothing, or a document.
            AmbiguousId: It begins several ids.
        """
        return flows.resonate.resonate_with(self._bound.acting(principal), episode_ids, arousal=arousal)
