"""The verbs that put a question to a memory: what is found, and what it says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.domain.answers import Query, Recall, default_limit
from evolore.domain.levels import Level, read_level
from evolore.domain.moments import read_moment
from evolore.flows import (
    answering,
    recall,
    recording,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evolore.domain.answering import Answer
    from evolore.domain.metadata import MetadataValue
    from evolore.domain.moments import Moment
    from evolore.domain.outline import OutlineCode

from evolore.verbs.binding import Bound
from evolore.verbs.given import filter_of


class MemoryAsking(Bound):
    """How a memory is asked."""

    def recall(  # noqa: PLR0913 - each narrows what is searched, and none depends on another
        self,
        text: str,
        *,
        limit: int | None = None,
        as_of: Moment | None = None,
        where: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] = (),
        session: str | None = None,
        speaker: str | None = None,
        source: str | None = None,
        path: str | OutlineCode | Sequence[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        depth: int | None = None,
        expand: bool | None = None,
        fold_echoes: bool | None = None,
        tokens: int | None = None,
        level: Level | str = Level.EPISODE,
        record: bool | None = None,
        principal: str | None = None,
    ) -> Recall:
        """Find what answers a question, among the items that match everything named.

        What does not match takes no part: it is not ranked, and lends no context to what does.

        Args:
            text: The question, 1 to 10,000 characters.
            limit: How many hits at the most, at least 1; by default 5, or with ``tokens`` as many as fit, up to 100.
            as_of: The moment it is asked from, a time with a zone or a text in ISO 8601: what happened later is not seen, nor what was recorded
                later where it is not known when it happened. "Yesterday" is the day before it in that zone; by default
                the day before this one in the machine's zone, or in that of the ``clock`` the memory was opened with.
            where: Metadata of the statement or document, with exactly these values.
            tags: Tags of the statement or document, all of them.
            session: Only statements of this conversation.
            speaker: Only statements of this speaker.
            source: Only passages of the document with this source or path, or of those in this folder.
            path: Only passages at or below this outline code of ``source``, such as ``"1.2"``, or below these
                headings, such as ``"Handbook › Going live"`` or a tuple of them; a document's title counts as one.
            since: Only what happened then or later or, where that is unknown, was recorded; as ``as_of``.
            until: Only what did before then; likewise, later than ``since``.
            depth: Prefer passages this deep in their outlines, from 1 for the top.
            expand: Whether hits that are siblings in an outline come back as the chunk above them, with the hits it
                stands for in ``Hit.expansion``; by default what the settings say.
            fold_echoes: Whether hits that only repeat a better one are folded into it and stand in ``Hit.echoes``; by
                default what the settings say.
            tokens: What the hits may take as ``Recall.context`` gives them, in tokens of the tokenizer that is set, or
                estimated; at least 1. The best hit is given in any case; ``Recall.is_over_budget`` says so then.
            level: What a hit is: ``"episode"``, or ``"session"`` or ``"document"`` for the one it stands in, each once,
                ranked by the best episode in it, with its text and what was found in it in ``Hit.whole``.
            record: Whether the question is taken down with its hits, so that its answer can be rated: ``Recall.query_id``
                says under which id. By default what the settings say, which is to do so, unless the store can only be
                read: a moment later, together with other questions, so that nobody waits for the disk. What a process
                that is killed has not written is lost. ``True`` takes it down before anything is given back.
            principal: On whose behalf; it stands in the query of what comes back, and beside what is taken down.

        Returns:
            Hits, best first, each with its text, place, and the terms its score is the sum of.

        Raises:
            InvalidValue: The question is blank or too long, the limit below 1, or what narrows it not of its form.
            StoreDamaged: Texts have lost their vectors, or a row cannot be read; ``doctor`` says more.
        """
        wanted = filter_of(
            where=where,
            tags=tags,
            session=session,
            speaker=speaker,
            source=source,
            path=path,
            since=since,
            until=until,
        )
        query = Query(
            text=text,
            limit=default_limit(tokens) if limit is None else limit,
            as_of=read_moment(as_of, "as_of"),
            filter=wanted,
            principal=principal,
            depth=depth,
            expand=expand,
            fold_echoes=fold_echoes,
            tokens=tokens,
            level=read_level(level),
        )
        found, vector = recall.recalled(self._context, query)
        if record:
            return replace(found, query_id=recording.record(self._for(principal), found).id)
        context = self._context
        if record is False or not context.query_settings.record or context.store.is_read_only:
            return found
        return self._questions.add(found, vector, principal=principal)

    def answer(  # noqa: PLR0913 - each narrows what is searched, and none depends on another
        self,
        question: str,
        *,
        limit: int | None = None,
        as_of: Moment | None = None,
        where: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] = (),
        session: str | None = None,
        speaker: str | None = None,
        source: str | None = None,
        path: str | OutlineCode | Sequence[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        depth: int | None = None,
        record: bool = True,
        principal: str | None = None,
    ) -> Answer:
        """Answer a question from what is found, each sentence with the passage it rests on.

        With a chat model, it writes the answer, in the question's language, and every sentence cites what it was shown; a
        reply that cites nothing, or states a number, date or address that its passages do not, is not used. Where it fails,
        and without one, the answer is sentences of the sources, word for word. Where these do not say it, neither does the
        answer: ``Answer.kind`` is ``"not_in_sources"``.

        Args:
            question: What is asked, 1 to 10,000 characters.
            limit: How many hits are read at the most, at least 1; by default what the settings say, which is 8.
            as_of: As ``recall`` takes it; so are all that narrow what is searched: nothing else is read, quoted or shown to
                a chat model.
            where: Metadata of the statement or document, with exactly these values.
            tags: Tags of the statement or document, all of them.
            session: Only statements of this conversation.
            speaker: Only statements of this speaker.
            source: Only passages of the document with this source or path, or of those in this folder.
            path: Only passages at or below this place of ``source``.
            since: Only what happened then or later.
            until: Only what did before then.
            depth: Prefer passages this deep in their outlines, from 1 for the top.
            record: Whether question and answer are taken down, so that the answer can be rated by ``Answer.id``; where
                the store can only be read, they are not.
            principal: On whose behalf; it is kept with the answer.

        Raises:
            InvalidValue: The question is blank or too long, the limit below 1, or what narrows it not of its form.
            StoreBusy: Another process held the store for too long; nothing was taken down.
        """
        query = Query(
            text=question,
            limit=self._context.answer_settings.hits if limit is None else limit,
            as_of=read_moment(as_of, "as_of"),
            filter=filter_of(
                where=where,
                tags=tags,
                session=session,
                speaker=speaker,
                source=source,
                path=path,
                since=since,
                until=until,
            ),
            principal=principal,
            depth=depth,
        )
        context = self._for(principal) if record else replace(self._context, principal=principal)
        return answering.answer(context, query, record=record and not context.store.is_read_only)
