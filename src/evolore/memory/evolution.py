"""``memory.evolution``: how documents improve: jobs, candidates, approval, canaries, rollback."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from evolore.domain.checks import checked_word
from evolore.domain.evolution import JobState
from evolore.domain.feedback import Feedback
from evolore.errors import InvalidValue
from evolore.memory.binding import Noun

if TYPE_CHECKING:
    from evolore.evolution.gaps import Gap, GapState
    from evolore.flows.evolve.approve import Approved
    from evolore.flows.evolve.canary import CanaryView
    from evolore.flows.evolve.overview import EvolutionCandidates, EvolutionRecord, EvolutionStats
    from evolore.flows.evolve.rollback import RolledBack
    from evolore.flows.evolve.show import DocumentGeneration, EvolutionJob, TextDiff
    from evolore.flows.evolve.write import WrittenFile


class Evolution(Noun):
    """What a memory does about documents that people complained of; ``Memory.evolve`` begins it."""

    def jobs(self, *, states: Iterable[JobState | str] = (), limit: int = 100) -> tuple[EvolutionJob, ...]:
        """List jobs, the newest first; only those in some states, such as ``"waiting"``.

        Raises:
            InvalidValue: A state is another word.
        """
        from evolore.flows.evolve.show import jobs  # noqa: PLC0415 - likewise

        wanted = [checked_word(JobState, one, "states") for one in states]
        return jobs(self._bound.context, states=wanted or None, limit=limit)

    def show(self, job_id: str) -> EvolutionJob:
        """Show a job: its candidates, how each did, what was decided and why.

        Raises:
            NotFound: No job has the id.
            AmbiguousId: It begins several ids.
        """
        from evolore.flows.evolve.show import view  # noqa: PLC0415 - likewise

        return view(self._bound.context, job_id)

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
        from evolore.flows.evolve.show import diff  # noqa: PLC0415 - likewise

        return diff(self._bound.context, job_id, candidate=candidate)

    def gaps(self, *, states: Iterable[GapState | str] = (), least: int = 2, limit: int = 20) -> tuple[Gap, ...]:
        """List what people asked and were not served, the dearest first, each with what is missing.

        A question counts if it was refused, if nothing came back for it, or if most people rated its answer BAD. The
        newest 2,000 recorded questions are looked at.

        Args:
            states: Only those in these states, such as ``"closed"``; by default open and taken ones.
            least: Only those of so many questions or more, at least 1.
            limit: How many at most.

        Raises:
            InvalidValue: A state is another word, or a number is below 1.
        """
        from evolore.flows.evolve.gaps import gaps  # noqa: PLC0415 - likewise

        return gaps(self._bound.asked(), states=tuple(states), least=least, limit=limit)

    def gap(self, gap_id: str) -> Gap:
        """Show the gap that the id of one of its questions, or the beginning of one, names.

        Raises:
            NotFound: It names none.
            AmbiguousId: It begins ids in several gaps.
        """
        from evolore.flows.evolve.gaps import gap  # noqa: PLC0415 - likewise

        return gap(self._bound.asked(), gap_id)

    def take_gap(self, gap_id: str, *, principal: str | None = None) -> Gap:
        """Record that somebody takes a gap up.

        Args:
            gap_id: The id of one of its questions, or the beginning of one.
            principal: Who takes it.

        Raises:
            NotFound: It names none.
            AmbiguousId: It begins ids in several gaps.
        """
        from evolore.flows.evolve.gaps import take  # noqa: PLC0415 - likewise

        return take(self._bound.acting(principal), gap_id)

    def close_gap(self, gap_id: str, *, reason: str = "", principal: str | None = None) -> Gap:
        """Close a gap by hand, as where nothing is missing; who is not served afterwards opens it again.

        Args:
            gap_id: The id of one of its questions, or the beginning of one.
            reason: Why.
            principal: Who closes it.

        Raises:
            NotFound: It names none.
            AmbiguousId: It begins ids in several gaps.
            InvalidValue: The reason is too long.
        """
        from evolore.flows.evolve.gaps import close  # noqa: PLC0415 - likewise

        return close(self._bound.acting(principal), gap_id, reason=reason)

    def stats(self) -> EvolutionStats:
        """Count the ratings of documents and their results, and name the documents that ``evolve`` would take up."""
        from evolore.flows.evolve.overview import stats  # noqa: PLC0415 - likewise

        return stats(self._bound.context)[0]

    def history(self, document: str | None = None, limit: int = 50) -> tuple[EvolutionRecord, ...]:
        """List what evolution changed, the newest first: of all documents, or of one.

        ``generations`` lists one document's line with who approved what and why.

        Args:
            document: The document, by id, source or path; by default all.
            limit: How many at most.

        Raises:
            InvalidValue: The limit is below 1.
            NotFound: No document has the id or source.
            AmbiguousId: It begins several ids.
        """
        from evolore.flows.evolve.overview import history  # noqa: PLC0415 - likewise

        return history(self._bound.context, document, limit=limit)

    def candidates(self, document: str | None = None, limit: int = 50) -> EvolutionCandidates:
        """List the documents that ``evolve`` would take up now, and what open jobs propose, with how that did.

        Args:
            document: The document, by id, source or path; by default all.
            limit: How many open jobs at most, the newest.

        Raises:
            InvalidValue: The limit is below 1.
            NotFound: No document has the id or source.
            AmbiguousId: It begins several ids.
        """
        from evolore.flows.evolve.overview import candidates  # noqa: PLC0415 - likewise

        return candidates(self._bound.context, document, limit=limit)

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
        """Approve a candidate as the next version of its documents: all of them, or none.

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
        from evolore.flows.evolve.approve import approve  # noqa: PLC0415 - likewise

        context = self._bound.acting(principal)
        return approve(context, job_id, candidate=candidate, text=text, rebase=rebase, canary=canary, reason=reason)

    def reject(self, job_id: str, *, reason: str, principal: str | None = None) -> EvolutionJob:
        """Reject what a job proposes, or end one that runs.

        Raises:
            NotFound: No job has the id.
            AmbiguousId: It begins several ids.
            InvalidValue: The reason is blank, or the job is closed.
        """
        from evolore.flows.evolve.approve import reject  # noqa: PLC0415 - likewise

        return reject(self._bound.acting(principal), job_id, reason=reason)

    def rollback(self, promotion_id: str, *, reason: str, principal: str | None = None) -> RolledBack:
        """Restore the texts before a promotion, byte for byte, as versions of their own; its feedback is open again.

        Where a source changed since, the sections that hold say again what the source says.

        A change that is before some people only is taken from them.

        Args:
            promotion_id: The promotion or its job, or the beginning of either id.
            reason: Why.
            principal: Who rolls back.

        Raises:
            NotFound: There is no such promotion, or all its documents were forgotten.
            AmbiguousId: It begins several ids.
            InvalidValue: The reason is blank, it was rolled back already, or its source says by itself what it said.
            StoreBusy: A document changed at this moment.
        """
        from evolore.flows.evolve.rollback import rollback  # noqa: PLC0415 - likewise

        return rollback(self._bound.acting(principal), promotion_id, reason=reason)

    def generations(self, document: str) -> tuple[DocumentGeneration, ...]:
        """Return a document's line: every promotion with the texts before and after, oldest first.

        Raises:
            NotFound: No document has the id or source.
            AmbiguousId: It begins several ids.
        """
        from evolore.flows.evolve.show import generations  # noqa: PLC0415 - likewise

        return generations(self._bound.context, document)

    def write(
        self, document: str, *, to: str | PathLike[str] | None = None, patch: bool = False, branch: bool | str = False
    ) -> WrittenFile:
        """Write what a document says now to the file it came from: whole or not at all, in the encoding it has.

        It is written only if it still is what was read. Where it may not be written, nothing is, and the patch says what is
        to be changed.

        Args:
            document: Its id, source or path.
            to: A new file to write instead, in UTF-8.
            patch: Whether to write nothing, and only return the patch.
            branch: Whether to commit it on a new branch of its git repository instead, or the branch's name. Nothing else
                there changes; the other documents of the same changes are in the commit too.

        Raises:
            NotFound: No document has the id or source.
            AmbiguousId: It begins several ids.
            InvalidValue: Its source is no file, the file changed since it was read, or cannot say it. With ``branch``: the
                file is not committed, or has another text there; or the branch is there with other content.
            UnreadableSource: The file cannot be read, or it is HTML.
            StoreUnwritable: The new file cannot be made.
            MissingExtra: Git is not installed.
        """
        if branch:
            if to is not None or patch:
                raise InvalidValue("A branch is of the document's own file: leave out the other file and the patch.")
            from evolore.flows.evolve.write import write_branch  # noqa: PLC0415 - likewise

            return write_branch(self._bound.context, document, branch="" if branch is True else branch)
        from evolore.flows.evolve.write import write  # noqa: PLC0415 - likewise

        return write(self._bound.context, document, to=None if to is None else Path(to), patch=patch)

    def canaries(self, *, step: bool = False, principal: str | None = None) -> tuple[CanaryView, ...]:
        """List the changes that are before some people only, oldest first, each with how both texts do.

        Args:
            step: Whether to do first what is due at each, as ``maintain`` and every rating do: take a text back that is
                rated worse, end what cannot go on, grow if so set. Those that were moved are given then.
            principal: On whose behalf.
        """
        from evolore.flows.evolve.canary import canaries, canary_step  # noqa: PLC0415 - likewise

        return canary_step(self._bound.acting(principal)) if step else canaries(self._bound.context)

    def canary(self, promotion_id: str, *, grow: bool = False, principal: str | None = None) -> CanaryView:
        """Show how a change did before some people, at any time: stage, BAD rates, evidence, and the split of principals.

        Args:
            promotion_id: The promotion or its job, or the beginning of either id.
            grow: Whether to bring it before the next stage's share of people first, or before everybody.
            principal: On whose behalf it grows.

        Raises:
            NotFound: There is no such promotion.
            AmbiguousId: It begins several ids.
            InvalidValue: It was before everybody at once, what is known of it was forgotten with its documents, or it is
                to grow and does not go on, or may not yet.
            StoreBusy: Another process went on with the job.
        """
        from evolore.flows.evolve import canary  # noqa: PLC0415 - likewise

        if grow:
            return canary.grow(self._bound.acting(principal), promotion_id)
        return canary.canary(self._bound.context, promotion_id)

    def feedback(self, document: str | None = None, *, unprocessed: bool = False) -> tuple[Feedback, ...]:
        """List what people said of documents, oldest first; of one, or only what no job has taken up.

        Raises:
            NotFound: No document has the id or source.
            AmbiguousId: It begins several ids.
        """
        from evolore.flows.browse import document_named  # noqa: PLC0415 - likewise

        with self._bound.context.store.read(self._bound.context.namespace) as reader:
            id_ = None if document is None else document_named(reader, document).id
            return reader.feedback(document_id=id_, unprocessed=unprocessed)
