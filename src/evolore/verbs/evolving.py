"""The verbs of ``Memory`` by which documents improve: jobs, candidates, approval, rollback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.chats import ChatBudget
from evolore.domain.checks import checked_word
from evolore.domain.evolving import JobState
from evolore.domain.lineage import Operator
from evolore.verbs.binding import Bound

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.feedback import Feedback
    from evolore.flows.evolving.approving import Approved
    from evolore.flows.evolving.canaries import CanaryView
    from evolore.flows.evolving.differences import TextDiff
    from evolore.flows.evolving.lineage import DocumentGeneration
    from evolore.flows.evolving.rolling_back import RolledBack
    from evolore.flows.evolving.viewing import EvolutionJob


class MemoryEvolution(Bound):
    """What a memory does about documents that people complained of."""

    def evolve(
        self,
        *documents: str,
        operators: Sequence[Operator | str] = (),
        calls: int | None = None,
        seed: str | None = None,
        principal: str | None = None,
    ) -> tuple[EvolutionJob, ...]:
        """Have documents rewritten that enough people rated BAD, and go on with what was begun.

        A candidate has to pass the gates and to prove on fresh questions that its answers are better; then it waits for
        a person's ``approve``. Whatever fails, the document stays as it is; a job that pauses goes on with the next call.

        Args:
            *documents: Documents to rewrite in any case, by id, source or path; then no other is looked at.
            operators: How candidates are made, such as ``"MUTATION_CLARITY"``; by default as the settings say. A
                crossover takes all the documents named together.
            calls: How many calls of the chat model may be made, all jobs together, beside the budgets in the settings.
            seed: What everything drawn in new jobs is drawn from.
            principal: On whose behalf.

        Returns:
            Every job that was gone on with or begun; none where there was nothing to do.

        Raises:
            ChatModelMissing: There is something to do, and no chat model.
            NotFound: No document has the id or source.
            AmbiguousId: It begins several ids.
            InvalidValue: Documents and operators do not fit, or a number is below 0.
        """
        from evolore.flows.evolving.running import evolve  # noqa: PLC0415 - what reads replies is heavy

        named = [checked_word(Operator, one, "operators") for one in operators]
        return evolve(self._for(principal), documents, operators=named, budget=ChatBudget(calls=calls), seed=seed)

    def jobs(self, *, states: Iterable[JobState | str] = (), limit: int = 100) -> tuple[EvolutionJob, ...]:
        """List jobs, the newest first; only those in some states, such as ``"waiting"``.

        Raises:
            InvalidValue: A state is another word.
        """
        from evolore.flows.evolving.viewing import jobs  # noqa: PLC0415 - likewise

        wanted = [checked_word(JobState, one, "states") for one in states]
        return jobs(self._context, states=wanted or None, limit=limit)

    def job(self, job_id: str) -> EvolutionJob:
        """Show a job: its candidates, how each did, what was decided and why.

        Raises:
            NotFound: No job has the id.
            AmbiguousId: It begins several ids.
        """
        from evolore.flows.evolving.viewing import view  # noqa: PLC0415 - likewise

        return view(self._context, job_id)

    def diff(self, job_id: str, *, candidate: str = "") -> tuple[TextDiff, ...]:
        """Show what a candidate changes; where a document moved meanwhile, also what that changed and how both fit.

        Args:
            job_id: The job, or the beginning of its id.
            candidate: Its number; by default the one that won or is put before a person.

        Raises:
            NotFound: No job has the id.
            AmbiguousId: It begins several ids.
            InvalidValue: It has no such candidate.
        """
        from evolore.flows.evolving.differences import diff  # noqa: PLC0415 - likewise

        return diff(self._context, job_id, candidate=candidate)

    def approve(
        self,
        job_id: str,
        *,
        candidate: str = "",
        text: str | None = None,
        rebase: bool = False,
        canary: bool | None = None,
        reason: str = "",
        principal: str | None = None,
    ) -> Approved:
        """Take a candidate over as the next version of its documents: all of them, or none.

        As a ``canary`` it comes before a growing share of principals first, beside the text there is; ``canary`` shows how
        both do.

        Where a document changed since the job began, nothing is taken over and the job ends as ``superseded``; with
        ``rebase`` the candidate's edits are made in the document as it is now, if they fit.

        Args:
            job_id: The job, or the beginning of its id.
            candidate: Its number; by default the one that won or is put before a person.
            text: The text to take over instead, as you edited it; of a job about one document.
            rebase: Whether to make its edits in the document as it is now.
            canary: Whether it comes before some people first; by default as the settings say.
            reason: Why.
            principal: Who approves.

        Raises:
            NotFound: No job has the id.
            AmbiguousId: It begins several ids.
            InvalidValue: Nothing is to be approved, a gate refused the candidate, or its edits do not fit.
            StoreBusy: Another process went on with the job.
        """
        from evolore.flows.evolving.approving import approve  # noqa: PLC0415 - likewise

        context = self._for(principal)
        return approve(context, job_id, candidate=candidate, text=text, rebase=rebase, canary=canary, reason=reason)

    def canaries(self) -> tuple[CanaryView, ...]:
        """List the changes that are before some people only, oldest first, each with how both texts do."""
        from evolore.flows.evolving.canaries import canaries  # noqa: PLC0415 - likewise

        return canaries(self._context)

    def canary(self, promotion_id: str) -> CanaryView:
        """Show how a change did before some people, at any time: stage, BAD rates, evidence, and the split of principals.

        Args:
            promotion_id: The promotion or its job, or the beginning of either id.

        Raises:
            NotFound: There is no such promotion.
            AmbiguousId: It begins several ids.
            InvalidValue: It was before everybody at once, or what is known of it was forgotten with its documents.
        """
        from evolore.flows.evolving.canaries import canary  # noqa: PLC0415 - likewise

        return canary(self._context, promotion_id)

    def grow_canary(self, promotion_id: str, *, principal: str | None = None) -> CanaryView:
        """Bring a change before the next stage's share of people, or before everybody.

        Args:
            promotion_id: The promotion or its job, or the beginning of either id.
            principal: On whose behalf.

        Raises:
            NotFound: There is no such promotion.
            AmbiguousId: It begins several ids.
            InvalidValue: It does not go on, or may not grow yet.
            StoreBusy: Another process went on with the job.
        """
        from evolore.flows.evolving.canary_moves import grow  # noqa: PLC0415 - likewise

        return grow(self._for(principal), promotion_id)

    def canary_step(self) -> tuple[CanaryView, ...]:
        """Do what is due at every canary: take a text back that is rated worse, end what cannot go on, grow if so set.

        ``maintain`` and every rating do the same.

        Returns:
            The canaries that were moved.
        """
        from evolore.flows.evolving.canary_moves import canary_step  # noqa: PLC0415 - likewise

        return canary_step(self._for(None))

    def reject(self, job_id: str, *, reason: str, principal: str | None = None) -> EvolutionJob:
        """Say no to what a job proposes, or end one that runs.

        Raises:
            NotFound: No job has the id.
            AmbiguousId: It begins several ids.
            InvalidValue: The reason is blank, or the job is closed.
        """
        from evolore.flows.evolving.approving import reject  # noqa: PLC0415 - likewise

        return reject(self._for(principal), job_id, reason=reason)

    def rollback(self, promotion_id: str, *, reason: str, principal: str | None = None) -> RolledBack:
        """Restore the texts before a promotion, byte for byte, as versions of their own; its feedback is open again.

        A change that is before some people only is taken from them.

        Args:
            promotion_id: The promotion or its job, or the beginning of either id.
            reason: Why.
            principal: Who rolls back.

        Raises:
            NotFound: There is no such promotion, or all its documents were forgotten.
            AmbiguousId: It begins several ids.
            InvalidValue: The reason is blank, it was rolled back already, or its source changed a document since.
            StoreBusy: A document changed at this moment.
        """
        from evolore.flows.evolving.rolling_back import rollback  # noqa: PLC0415 - likewise

        return rollback(self._for(principal), promotion_id, reason=reason)

    def generations(self, document: str) -> tuple[DocumentGeneration, ...]:
        """Give a document's line: every promotion with the texts before and after, oldest first.

        Raises:
            NotFound: No document has the id or source.
            AmbiguousId: It begins several ids.
        """
        from evolore.flows.evolving.lineage import generations  # noqa: PLC0415 - likewise

        return generations(self._context, document)

    def feedback(self, document: str | None = None, *, unprocessed: bool = False) -> tuple[Feedback, ...]:
        """List what people said of documents, oldest first; of one, or only what no job has taken up.

        Raises:
            NotFound: No document has the id or source.
            AmbiguousId: It begins several ids.
        """
        from evolore.flows.browse import document_named  # noqa: PLC0415 - likewise

        with self._context.store.read(self._context.namespace) as reader:
            id_ = None if document is None else document_named(reader, document).id
            return reader.feedback(document_id=id_, unprocessed=unprocessed)
