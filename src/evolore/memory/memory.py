"""``Memory``: the verbs of a memory, and the nouns that hold the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import copy_context
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Self, Unpack

from evolore import flows
from evolore.answers.settings import HITS
from evolore.domain.answer import Answer
from evolore.domain.chat import ChatBudget
from evolore.domain.checks import checked_word
from evolore.domain.document import Document, MediaType, media_type_of
from evolore.domain.episode import Episode, ProcedureOutcome, Statement, StatementKind
from evolore.domain.evolution import Operator
from evolore.domain.filters import ExpiryRule, Filter, Target
from evolore.domain.health import MAINTAINED_ITEMS
from evolore.domain.metadata import Labels, Metadata, MetadataValue, checked_tags
from evolore.domain.outcome import Rating
from evolore.domain.query import AskOptions, Query, Recall, RecallOptions, check_options
from evolore.domain.times import Moment, read_moment
from evolore.errors import InvalidValue
from evolore.flows.browse import Listing
from evolore.flows.rate import RatedDocument, RatedQuery
from evolore.memory.binding import Bound, labels_of, where_of
from evolore.memory.evolution import Evolution
from evolore.memory.outline import Outline
from evolore.memory.questions import Questions
from evolore.memory.review import ReviewQueue
from evolore.memory.standing_pages import StandingPages
from evolore.memory.store import StoreCare
from evolore.ports import Sources, SourceText

if TYPE_CHECKING:
    from datetime import date

    from evolore.config import Settings
    from evolore.domain.person import SubjectExport
    from evolore.domain.profile import Profile
    from evolore.flows.add import Added, AddProgress, SyncMode
    from evolore.flows.context import Context
    from evolore.flows.correct import Corrected
    from evolore.flows.evolve.show import EvolutionJob
    from evolore.flows.expire import Expired
    from evolore.flows.maintain import Maintained, MaintainProgress
    from evolore.flows.remember.remember import Remembered, RememberedMany
    from evolore.ports import ChatModel, Clock, Embedder, EventRecord, Receipt, Reranker, StoreStats, Undone


def _filed(text: SourceText, labels: Labels) -> SourceText:
    """File a text under labels; None leaves what it has."""
    return replace(
        text,
        metadata=text.metadata if labels.metadata is None else labels.metadata,
        tags=text.tags if labels.tags is None else labels.tags,
    )


class Memory:
    """A long-term memory in one store, bound to one namespace.

    Open one with ``Memory.open`` and close it, or use it in a ``with`` block. Threads may share a memory; a forked
    process starts with connections of its own.

    Args:
        context: The ports it works through.
    """

    def __init__(self, context: Context) -> None:
        self._bound = Bound(context)

    @property
    def _context(self) -> Context:
        return self._bound.context

    @classmethod
    def open(
        cls,
        store: str | PathLike[str] | None = None,
        *,
        namespace: str | None = None,
        embedder: Embedder | str | None = None,
        chat_model: ChatModel | None = None,
        reranker: Reranker | None = None,
        clock: Clock | None = None,
        settings: Settings | None = None,
        read_only: bool | None = None,
    ) -> Self:
        """Open a memory; nothing is made on disk before the first write.

        Args:
            store: The store's folder, or ``postgresql://…``; by default the settings' one.
            namespace: The namespace it is bound to; by default the settings' one, ``default``.
            embedder: What turns texts into vectors: one of your own, or ``"use"``, ``"e5"``, ``"use+e5"``, ``"openai"`` or
                ``"model2vec"``; by default the settings' one, which is ``use``, the offline model that comes with Evolore.
            chat_model: What completes chats; by default the one that `chat.model` names, else none. The settings'
                budgets, prices and tries hold for your own too.
            reranker: What judges the first hits of every recall again; by default the settings' cross-encoder, else the
                chat model where `rerank.chat_calls` is above 0, else nothing.
            clock: Where the time comes from; by default the machine's clock.
            settings: By default what the settings file and the environment say.
            read_only: Whether nothing is written, also nothing beside the database; by default what the settings say.
                A store whose folder cannot be written is read so however it is opened.

        Raises:
            ChatKeyMissing: A chat model is set that needs a key, and the environment holds none.
            InvalidSetting: The settings file or the environment holds a wrong setting, or names no cross-encoder.
            InvalidValue: The namespace is blank, no embedder has the name, or sizes are in tokens and no tokenizer is
                set.
            MissingExtra: What the embedder, tokenizer, cross-encoder or chat model needs is not installed.
        """
        from evolore.memory.opening import open_context  # noqa: PLC0415 - importing this module must stay cheap

        return cls(
            open_context(
                store,
                namespace=namespace,
                embedder=embedder,
                chat_model=chat_model,
                reranker=reranker,
                clock=clock,
                settings=settings,
                read_only=read_only,
            )
        )

    @staticmethod
    def namespaces(store: str | PathLike[str] | None = None) -> tuple[str, ...]:
        """List the namespaces of a store by name; none where there is no store yet.

        It is for the store's operator: no verb of a memory names another namespace than its own.

        Args:
            store: The store's folder, or ``postgresql://…``; by default the settings' one.

        Raises:
            InvalidSetting: It is an address, or the settings are wrong.
            StoreDamaged: What is there is not a store.
            StoreVersionError: Another version of Evolore wrote it.
        """
        from evolore import config  # noqa: PLC0415 - importing this module must stay cheap
        from evolore.store.store import list_namespaces  # noqa: PLC0415 - likewise

        return list_namespaces(where_of(config.load().store if store is None else store))

    @property
    def namespace(self) -> str:
        """The namespace it is bound to."""
        return self._context.namespace

    @cached_property
    def review(self) -> ReviewQueue:
        """What a person should look at: list, show, resolve, settle, and ask a chat model about it."""
        return ReviewQueue(self._bound)

    @cached_property
    def evolution(self) -> Evolution:
        """How documents improve: jobs, candidates, approval, canaries, rollback."""
        return Evolution(self._bound)

    @cached_property
    def questions(self) -> Questions:
        """What was asked, what it rested on, and what use teaches."""
        return Questions(self._bound)

    @cached_property
    def store(self) -> StoreCare:
        """The store as a whole: check, mend, back up, export, import, change the embedder."""
        return StoreCare(self._bound)

    @cached_property
    def outline(self) -> Outline:
        """Documents' outlines, and what is joined to an episode."""
        return Outline(self._bound)

    @cached_property
    def pages(self) -> StandingPages:
        """Questions that are kept answered, each by a page of quotes."""
        return StandingPages(self._bound)

    def add(  # noqa: PLR0913 - what is added, what it is filed under, and which files are meant
        self,
        *sources: str | PathLike[str] | SourceText,
        metadata: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] | None = None,
        principal: str | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        only: Iterable[str | PathLike[str]] | None = None,
        sync: SyncMode | str | None = None,
        follow_links: bool = False,
        workers: int | str = 1,
        progress: AddProgress | None = None,
    ) -> Added:
        """Add files and folders, of any kind that is read, or documents whose texts are at hand.

        Each document is one transaction. An unchanged file is left alone; a changed one becomes its next version, of
        which only the new passages are embedded. Files that cannot be read are listed in the result.

        Args:
            *sources: Files, or folders to walk; or addresses, such as ``"s3://bucket/guides"`` or a page's, which this process asks
                with its own credentials; or texts, each with the name it is to have.
            metadata: What each of them is filed under: names with a text, a number or a bool. It replaces what a
                document had, also where its content is unchanged; by default that stays.
            tags: What each of them is filed under besides; by default that stays too.
            principal: On whose behalf; it stays in the events.
            include: Patterns on paths below the folders given, such as ``"guides/**/*.md"``; of folders only files
                that fit one are taken. A pattern without ``/`` fits a name at any depth.
            exclude: Patterns of what is left out; one that fits a folder leaves out all it holds.
            only: Of these, only files that are one of ``only``, or lie below one, are read, such as those of
                ``git diff --name-only``. A path that is no more is passed over.
            sync: What to do about documents whose files are no longer in the folders given: ``"report"`` them in the
                result, or ``"forget"`` them. Only what fits ``include`` and ``exclude`` is read.
            follow_links: Whether links in the folders may lead to files outside them. By default such a link is listed
                as a failure. Links to folders are never walked.
            workers: How many processes read, cut and embed, or ``"ray:4"`` for so many of Ray's, on the cluster that the
                program is connected to or that ``RAY_ADDRESS`` names; this process alone writes. By default it does all. A
                script calls it below ``if __name__ == "__main__":`` then.
            progress: Hears how far it has come.

        Raises:
            InvalidSetting: No worker can be started.
            InvalidValue: Metadata, a tag, the principal or a pattern is not of its form, or ``sync`` or ``workers`` is
                another word; files and texts are given together; a text cannot be stored: the ones before it are added; or the
                embedder cannot be handed to another process.
            MissingExtra: A package that an address or Ray needs is not installed; nothing is added then.
            UnreadableSource: A path does not exist, or an address leads to nothing; nothing is added then.
            StoreBusy: Another process held the store for too long; documents before stay added.
        """
        labels = labels_of(metadata, tags)
        kinds = Sources.of(sources)
        chosen = flows.prepare.Workers.of(workers)
        context = self._bound.acting(principal)
        if kinds.texts:
            filed = [_filed(one, labels) for one in kinds.texts]
            return flows.add.add_texts(context, filed, progress=progress, workers=chosen)
        where = flows.add.path_filter(include, exclude, follow_links=follow_links)
        if kinds.addresses:
            if sync is not None or only is not None:
                raise InvalidValue("sync and only are for folders of files: leave them out for addresses.")
            return flows.add.add_addresses(
                context, kinds.addresses, where=where, labels=labels, progress=progress, workers=chosen
            )
        return flows.add.add_files(
            context,
            kinds.paths,
            where=where,
            labels=labels,
            only=None if only is None else [Path(one) for one in only],
            sync=flows.add.sync_mode(sync),
            progress=progress,
            workers=chosen,
        )

    def add_text(
        self,
        text: str,
        *,
        source: str,
        title: str = "",
        media_type: MediaType | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] | None = None,
        principal: str | None = None,
    ) -> Document:
        """Add a document whose text is at hand.

        Args:
            text: The whole text, not blank.
            source: What to call it; the same name again makes its next version.
            title: Its title; by default its first heading, else the end of ``source``.
            media_type: By default by ``source``.
            metadata: What it is filed under; by default what it was before.
            tags: What it is filed under besides; by default what it was before.
            principal: On whose behalf.

        Raises:
            InvalidValue: The text is blank or cannot be stored, or metadata, a tag or the principal is not of its form.
        """
        labels = labels_of(metadata, tags)
        source_text = SourceText(
            source=source,
            text=text.removeprefix("\ufeff"),
            title=title,
            media_type=media_type or media_type_of(source),
            metadata=labels.metadata,
            tags=labels.tags,
        )
        return self.add(source_text, principal=principal).documents[0].document

    def remember(  # noqa: PLR0913 - each is a part of what is said
        self,
        text: str,
        *,
        occurred_at: Moment | None = None,
        speaker: str | None = None,
        session: str | None = None,
        arousal: float | None = None,
        about: tuple[str, str] | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] = (),
        kind: StatementKind | str = StatementKind.STATEMENT,
        outcome: ProcedureOutcome | str | None = None,
        principal: str | None = None,
    ) -> Remembered:
        """Remember one statement; return it as an episode, with what became of it.

        ``replaced``, ``possibly_replaced``, ``linked`` and ``conflicts`` name the other statements, each with the reason
        and the event that ``undo`` takes back.

        Args:
            text: What was said, not blank.
            occurred_at: When: a time with a zone, or a text such as ``"2026-03-02"``, ``"2 Mar 2026"`` or ``"令和8年3月2日"``, in UTC without a zone.
            speaker: Who said it.
            session: The conversation it belongs to; its statements are each other's context.
            arousal: How strongly felt, 0–1.
            about: The subject and attribute it states, such as ``("office", "city")``.
            metadata: What it is filed under: names with a text, a number or a bool.
            tags: What it is filed under besides.
            kind: ``"procedure"`` for steps; their goal is ``about``, else the first line.
            outcome: How a procedure turned out: ``"worked"`` or ``"failed"``.
            principal: On whose behalf; it stays in the event.

        Raises:
            InvalidValue: The text is blank or cannot be stored, the time has no zone, a number is out of range,
                metadata, a tag or the principal is not of its form.
        """
        statement = Statement(
            text=text,
            occurred_at=read_moment(occurred_at, "occurred_at"),
            speaker=speaker,
            session=session,
            arousal=arousal,
            about=about,
            metadata=Metadata(metadata),
            tags=checked_tags(tags),
            kind=kind,
            outcome=outcome,
        )
        return self.remember_many([statement], principal=principal).only

    def remember_many(self, statements: Iterable[Statement], *, principal: str | None = None) -> RememberedMany:
        """Remember a conversation: all of its statements in one transaction, in their order.

        Raises:
            InvalidValue: A statement cannot be remembered; then none is.
        """
        return flows.procedures.remember_any(self._bound.acting(principal), statements)

    def correct(self, item_id: str, text: str | None = None, *, principal: str | None = None) -> Corrected:
        """Put a new version in a statement's place or, without a text, retire the statement.

        The new version holds from the old one's time on. What is retired is not found, but not erased. ``undo`` of the
        first event takes it back.

        Args:
            item_id: A statement's id, or its beginning.
            text: What it should say; None to retire it.
            principal: On whose behalf.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
            InvalidValue: It is no statement that holds, or was merged into what says more; or the text is blank or the same.
        """
        return flows.correct.correct(self._bound.acting(principal), item_id, text)

    def recall(self, question: str | Query, *, record: bool | None = None, **options: Unpack[RecallOptions]) -> Recall:
        """Find what answers a question, among the items that match everything named.

        What does not match takes no part: it is not ranked, and lends no context to what does.

        Args:
            question: The question, 1 to 10,000 characters, or a whole ``Query``.
            record: Whether the question is recorded with its hits, so that its answer can be rated: ``Recall.query_id``
                is its id. By default as the settings say: a moment later, unless the store can only be read; a
                killed process loses it. ``True`` records it before anything is returned.
            **options: What narrows it, and what a hit is: ``limit``, ``as_of``, ``where``, ``tags``, ``session``,
                ``speaker``, ``source``, ``path``, ``since``, ``until``, ``depth``, ``principal``, ``also``, ``expand``,
                ``fold_echoes``, ``tokens``, ``level`` and ``least``, as in ``AskOptions`` and ``RecallOptions``.

        Returns:
            Hits, best first, each with its text, place, and the terms its score is the sum of.

        Raises:
            InvalidValue: The question is blank or too long, the limit below 1, or what narrows it not of its form.
            StoreDamaged: Texts have lost their vectors, or a row cannot be read; ``store.doctor`` says more.
        """
        query = Query.of(question, **options)
        context = self._context
        found, vector = flows.recall.recalled(context, query)
        if record:
            found = replace(found, query_id=flows.record.record(self._bound.acting(query.principal), found).id)
        elif record is None and context.settings.queries.record and not context.store.is_read_only:
            found = self._bound.queue.add(found, vector, principal=query.principal)
        if context.score_log is not None:
            context.score_log.add(found, at=context.clock.now())
        return found

    def answer(self, question: str | Query, *, record: bool = True, **options: Unpack[AskOptions]) -> Answer:
        """Answer a question from what is found, each sentence with the passage it rests on.

        With a chat model, it writes the answer, in the question's language, and every sentence cites what it was shown; a
        reply that cites nothing, or states a number, date or address that its passages do not, is not used. Where it fails,
        and without one, the answer is sentences of the sources, word for word. Where these do not say it, neither does the
        answer: ``Answer.kind`` is ``"not_in_sources"``.

        Args:
            question: What is asked, 1 to 10,000 characters, or a whole ``Query``.
            record: Whether question and answer are recorded, so that the answer can be rated by ``Answer.id``;
                not where the store can only be read.
            **options: What narrows it: ``limit``, ``as_of``, ``where``, ``tags``, ``session``, ``speaker``, ``source``,
                ``path``, ``since``, ``until``, ``depth``, ``principal`` and ``also``, as in ``AskOptions``. Nothing
                else is read, quoted or shown to a chat model.

        Raises:
            InvalidValue: The question is blank or too long, the limit below 1, or what narrows it not of its form.
            StoreBusy: Another process held the store for too long; nothing was recorded.
        """
        return self._answered(question, record=record, options=options)

    def answer_stream(
        self, question: str | Query, *, record: bool = True, **options: Unpack[AskOptions]
    ) -> Iterator[str | Answer]:
        """Answer a question as ``answer`` does, and return the words as they come; the last is the ``Answer``.

        The pieces of a chat model are unchecked: without citations, and perhaps not what the answer says in the end. Show
        them as a draft, and put ``Answer.text`` in their place. What no chat model writes, or one that cannot stream,
        comes checked, in one piece. An answer whose pieces are no longer taken is still finished and recorded.

        Args:
            question: As of ``answer``.
            record: As of ``answer``.
            **options: As of ``answer``.

        Raises:
            InvalidValue: As of ``answer``, like the others, with the first piece that is taken.
        """
        return streamed(lambda tell: self._answered(question, record=record, options=options, tell=tell))

    def _answered(
        self, question: str | Query, *, record: bool, options: AskOptions, tell: Callable[[str], None] | None = None
    ) -> Answer:
        check_options(options, AskOptions)
        if isinstance(question, str) and options.get("limit") is None:
            options["limit"] = HITS
        query = Query.of(question, **options)
        context = self._bound.acting(query.principal) if record else replace(self._context, principal=query.principal)
        said = flows.answer.answer(context, query, record=record and not context.store.is_read_only, tell=tell)
        if context.score_log is not None and said.recall is not None:
            context.score_log.add(said.recall, at=context.clock.now())
        return said

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
        """Rate an answer or a document; recall learns from the one, and documents improve by both.

        What an answer rests on is trusted more or less, and the documents among it get feedback; where it rests on
        nothing in particular, the document of the best hit does. A document that is rated itself gets feedback alone.

        A rating that proves a text on trial to be worse withdraws it at once.

        A later rating by the same principal takes the place of the earlier one, whose effect is taken back. However many
        answers one principal rates, it moves the confidence of an episode only a few times.

        Args:
            item_id: The id of an answer, as ``Answer.id`` names it, of a question, as ``Recall.query_id`` and
                ``questions.record`` do, or of a document; or the beginning of it. A document may be named by source or path
                too. Or what ``recall`` returned: its question is recorded then.
            rating: ``"good"`` or ``"bad"``.
            comment: Why.
            cited: The ids of the episodes the answer rests on, or the beginnings of them; by default as said before.
            helpful: Whether a good answer helped with the step it was asked for; then it counts half as much again.
            principal: Who says so; it is kept in the events.

        Raises:
            NotFound: No question, answer or document has the id, or a cited episode was not handed over for it.
            AmbiguousId: It begins several ids.
            InvalidValue: The rating is another word, the comment blank, or a bad answer called helpful; somebody else
                than who asked says otherwise what the answer rests on; or a document has ``cited`` or ``helpful``.
        """
        if not isinstance(item_id, str):
            item_id = item_id.query_id or self.questions.record(item_id).id
        from evolore.flows.evolve.canary import watch  # noqa: PLC0415 - loaded when it is first needed, like `flows`

        done = flows.rate.rate_item(
            self._bound.acting(principal), item_id, rating, comment=comment, cited=cited, is_helpful=helpful
        )
        watch(self._context)
        return done

    def forget(  # noqa: PLR0913 - exactly one of the first is named
        self,
        item_id: str | None = None,
        *,
        document: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        of_principal: str | None = None,
        where: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] = (),
        since: Moment | None = None,
        until: Moment | None = None,
        everything: bool = False,
        dry_run: bool = False,
        principal: str | None = None,
    ) -> Receipt:
        """Erase what is named, everywhere: documents with all their versions, and statements.

        Name exactly one of an id, a document, a session, a speaker, a principal, a filter or everything. ``where``, ``tags``,
        ``since`` and ``until`` are one filter together. It takes statements and, where it holds metadata or tags, whole
        documents; a document's time is that of its present version. Everything is erased in one transaction, and the
        receipt given when no file of the store holds it any more. What people wrote about answers from it goes too.

        Args:
            item_id: The id of a document, a statement, a question, an answer or a review item, or the beginning of one.
                A question goes with its answers, ratings and what it taught of edges; an answer with the comments on it.
            document: A document's id, the beginning of it, its source or its file's path.
            session: The statements of this conversation.
            speaker: All of this person, by exactly this name: statements by or, by an explicit key, about them, and what the
                principal of this name asked, was answered and rated, with comments and all that was learned from it.
            of_principal: The same of a principal: statements that were remembered on their behalf instead of those by a
                speaker. The principal's name stays in the events, as that of the one who acted.
            where: What has this metadata.
            tags: What has all of these tags.
            since: What happened then or later or, where that is unknown, was recorded; a time with a zone, or a
                text in ISO 8601.
            until: What happened before then, in the same form.
            everything: All of the namespace. Its name and its events stay.
            dry_run: Return the receipt of what would go, and change nothing.
            principal: On whose behalf; it is kept in the event.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
            InvalidValue: Nothing was named or too much, or a part of a document.
        """
        wanted = Filter(
            where=Metadata(where),
            tags=checked_tags(tags),
            since=read_moment(since, "since"),
            until=read_moment(until, "until"),
        )
        target = Target(
            item_id=item_id,
            document=document,
            session=session,
            speaker=speaker,
            principal=of_principal,
            filter=wanted,
            everything=everything,
        )
        return flows.forget.forget(self._bound.acting(principal), target, is_dry_run=dry_run)

    def export_subject(self, *, speaker: str | None = None, principal: str | None = None) -> SubjectExport:
        """Return all that is one person's, with dates: what ``forget`` of the same speaker or principal erases.

        Statements by them, or on their behalf, and about them by an explicit key, also those that hold no longer, with
        what was read in them; what they asked, were answered and rated, with comments.

        Args:
            speaker: By exactly this name; the principal of the same name is taken for the same person.
            principal: On whose behalf things were remembered, asked and rated, instead.

        Raises:
            InvalidValue: Neither is named or both are, or a name is blank.
        """
        return flows.transfer.export_subject(self._bound.asked(), speaker=speaker, principal=principal)

    def expire(
        self,
        *,
        older_than_days: float | None = None,
        tag: str | None = None,
        session: str | None = None,
        questions: bool = False,
        dry_run: bool = False,
        principal: str | None = None,
    ) -> Expired:
        """Erase statements by rule, as ``forget`` does: those that meet every rule that is given. Documents stay.

        Args:
            older_than_days: What happened or, where that is unknown, was recorded before so many days ago, above 0.
            tag: What has this tag.
            session: What belongs to this conversation.
            questions: Whether questions, with their answers and ratings, go by age too; they have neither tag nor session.
            dry_run: Report what would go, and change nothing.
            principal: On whose behalf; it is kept in the event.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
            InvalidValue: No rule is given, the days are not above 0, or questions are to go by tag or session.
        """
        rule = ExpiryRule(older_than_days=older_than_days, tag=tag, session=session, questions=questions)
        return flows.expire.expire(self._bound.acting(principal), rule, is_dry_run=dry_run)

    def evolve(
        self,
        *documents: str,
        operators: Sequence[Operator | str] = (),
        calls: int | None = None,
        seed: str | None = None,
        principal: str | None = None,
    ) -> tuple[EvolutionJob, ...]:
        """Start jobs that rewrite documents which enough people rated BAD, and go on with those that were begun.

        A candidate has to pass the gates and to prove on fresh questions that its answers are better; then it waits for
        a person's ``evolution.approve``. If a step fails, the document stays as it is. The next call resumes paused jobs.

        Args:
            *documents: Documents to rewrite in any case, by id, source or path; then no other is considered.
            operators: How candidates are made, such as ``"MUTATION_CLARITY"``; by default as the settings say. A
                crossover takes all the documents named together.
            calls: How many calls of the chat model may be made, all jobs together, beside the budgets in the settings.
            seed: What everything drawn in new jobs is drawn from.
            principal: On whose behalf.

        Returns:
            Every job begun or continued.

        Raises:
            ChatModelMissing: There is something to do, and no chat model.
            NotFound: No document has the id or source.
            AmbiguousId: It begins several ids.
            InvalidValue: Documents and operators do not fit, or a number is below 0.
        """
        from evolore.flows.evolve.jobs import evolve  # noqa: PLC0415 - what reads replies is heavy

        named = [checked_word(Operator, one, "operators") for one in operators]
        return evolve(
            self._bound.acting(principal), documents, operators=named, budget=ChatBudget(calls=calls), seed=seed
        )

    def maintain(
        self,
        *,
        items: int = MAINTAINED_ITEMS,
        seconds: float | None = None,
        redecide: bool = False,
        dry_run: bool = False,
        principal: str | None = None,
        progress: MaintainProgress | None = None,
    ) -> Maintained:
        """Look again at what changed since the last time: merge, split, link, find what does not fit together, prune.

        It goes on where it was; others may read and write meanwhile. ``undo`` takes each change back.

        Args:
            items: How many episodes it may look at, at least 1.
            seconds: How long it may begin new work, above 0; by default until the items are done.
            redecide: Only decide again what a rule of an earlier version superseded.
            dry_run: Only report what it would do.
            principal: On whose behalf; it is kept in the events.
            progress: Hears how far it has come.

        Raises:
            NamespaceNotFound: Nothing was written here yet.
            InvalidValue: A number is out of range.
            StoreBusy: Another process held the store for too long; what was done before stays.
        """
        budget = flows.maintain.Budget(items=items, seconds=seconds)
        return flows.maintain.maintain(
            self._bound.acting(principal), budget=budget, redecide=redecide, is_dry_run=dry_run, progress=progress
        )

    def profile(self, subject: str | None = None, *, tokens: int = 300, as_of: Moment | None = None) -> Profile:
        """Return what holds now of a person or a thing, with dates: attributes, open conflicts, then other statements.

        Args:
            subject: A speaker, for what they say of themselves and others say of them by name, or a thing; None for
                unnamed speakers.
            tokens: How long its text may be, estimated, at least 1; the first line comes in any case.
            as_of: What held then; a time with a zone, or a text in ISO 8601.

        Raises:
            InvalidValue: The subject is no name, ``tokens`` is below 1, or ``as_of`` no time.
        """
        return flows.profile.profile(self._context, subject, tokens=tokens, as_of=as_of)

    def show(self, item_id: str) -> Document | Episode:
        """Return the document or episode that an id, the beginning of one, or a document's source or path names.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
        """
        return flows.browse.show(self._context, item_id)

    def verify(
        self, document: str, *, by: str | None = None, verify_by: date | str | None = None, principal: str | None = None
    ) -> Document:
        """Record in a document's metadata that it was verified today; its version stays.

        Args:
            document: Its id, source or path.
            by: Who verified it; by default the principal.
            verify_by: The next day to verify it by; by default the day stays.
            principal: On whose behalf.

        Raises:
            NotFound: There is no such document.
            InvalidValue: The day is none, or is over.
        """
        return flows.document_version.verify(self._bound.acting(principal), document, by=by, verify_by=verify_by)

    def list(
        self,
        *,
        limit: int = 20,
        where: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] = (),
        overdue: bool = False,
    ) -> Listing:
        """List every document and the newest statements.

        Args:
            limit: How many statements at most, at least 1.
            where: Only what has this metadata, with exactly these values.
            tags: Only what has all of these tags.
            overdue: Whether only documents past their day to be verified.

        Raises:
            InvalidValue: ``limit`` is below 1, or metadata or a tag is not of its form.
        """
        wanted = Filter(where=Metadata(where), tags=checked_tags(tags))
        return flows.browse.list_items(self._context, wanted, limit=limit, is_overdue=overdue)

    def history(self, item_id: str | None = None, *, limit: int | None = None) -> tuple[EventRecord, ...]:
        """Return the events that made, changed or joined an episode or document, or the newest of all, oldest first.

        Args:
            item_id: Its id, the beginning of it, or a document's source or path; None for all events here.
            limit: How many at most, the newest; by default all of an item, and 20 without an id.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
            InvalidValue: ``limit`` is below 1.
        """
        return flows.history.history(self._context, item_id, limit=limit)

    def undo(self, event_id: str, *, cascade: bool = False, principal: str | None = None) -> Undone:
        """Undo what an event did, exactly: a merge, a split, a supersession, a conflict, a change of arousal.

        Undoing is an event too: undoing that does the change again. What a person undid, maintenance does not do again.

        Args:
            event_id: The id that the change was reported with, or the beginning of it; ``history`` shows those of an
                episode.
            cascade: Whether later changes that depend on it are undone first, newest first, all in one transaction.
            principal: On whose behalf; it is kept in the events.

        Raises:
            NotFound: No event that can be undone has the id, or what it changed was erased.
            AmbiguousId: It begins several ids.
            InvalidValue: It was undone already, or later changes depend on it; the message names them.
        """
        return flows.history.undo(self._bound.acting(principal), event_id, cascade=cascade)

    def stats(self) -> StoreStats:
        """Count what this namespace holds, the questions that were asked through this memory among it."""
        return flows.browse.stats(self._bound.asked())

    def close(self) -> None:
        """Write the questions that are not recorded yet, and release files and memory."""
        self._bound.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def streamed(run: Callable[[Callable[[str], None]], Answer]) -> Iterator[str | Answer]:
    """Run a verb in a thread, and yield its pieces, then its answer; without any, its text is one.

    Args:
        run: Receives what to pass pieces to.

    Raises:
        EvoloreError: What the verb raised.
    """
    came: SimpleQueue[str | Answer | BaseException] = SimpleQueue()

    def work() -> None:
        try:
            came.put(run(came.put))
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            came.put(error)

    # A thread whose pieces are no longer taken is not joined: it ends with its answer.
    Thread(target=copy_context().run, args=(work,), name="evolore-answer").start()
    has_told = False
    while True:
        piece = came.get()
        if isinstance(piece, BaseException):
            raise piece
        if isinstance(piece, Answer):
            if not has_told:
                yield piece.text
            yield piece
            return
        has_told = True
        yield piece
