"""The table of verbs: what of a memory and its nouns is asked of a server, by which route, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from os import PathLike
from typing import Annotated, Unpack, cast

from pydantic import Field

from evolore.client.plain_verbs import ID, LOOK, Asking, Json, Request, Served, Verb, every, listed, part, plain, said
from evolore.domain.answer import Answer
from evolore.domain.document import Document, DocumentTree
from evolore.domain.episode import MAX_STATEMENT_CHARACTERS, Episode, ProcedureOutcome, Statement, StatementKind
from evolore.domain.evolution import PromotionStanding
from evolore.domain.feedback import Feedback
from evolore.domain.health import MAINTAINED_ITEMS
from evolore.domain.metadata import Metadata, MetadataValue, checked_tags
from evolore.domain.outcome import QueryRecord, Rating
from evolore.domain.person import SubjectExport
from evolore.domain.profile import Profile
from evolore.domain.query import AskOptions, Query, Recall, RecallOptions, check_options
from evolore.domain.result import from_json, reader_of, to_json
from evolore.domain.review import Priority, ReviewCategory, ReviewItem, ReviewStatus
from evolore.domain.standing_page import StandingPage
from evolore.domain.times import Moment
from evolore.errors import InputError, InvalidValue
from evolore.evolution.gaps import Gap
from evolore.flows.add import Added, AddedDocument, AddProgress, SourceFailure, left_out_of
from evolore.flows.browse import DocumentVersion, Listing
from evolore.flows.correct import Corrected
from evolore.flows.evolve.approve import Approved
from evolore.flows.evolve.canary import CanaryView
from evolore.flows.evolve.overview import EvolutionStats
from evolore.flows.evolve.rollback import RolledBack
from evolore.flows.evolve.show import DocumentGeneration, EvolutionJob, TextDiff
from evolore.flows.evolve.write import WrittenFile
from evolore.flows.expire import Expired
from evolore.flows.maintain import Maintained
from evolore.flows.rate import RatedDocument, RatedQuery
from evolore.flows.rebase import PromotionConflict, SettledPromotion
from evolore.flows.remember.remember import Remembered, RememberedMany
from evolore.flows.review import Settled
from evolore.memory.evolution import Evolution
from evolore.memory.memory import Memory
from evolore.memory.outline import Outline
from evolore.memory.questions import Questions
from evolore.memory.review import ReviewQueue
from evolore.memory.standing_pages import StandingPages
from evolore.ports import EventRecord, PathFilter, Receipt, Sources, SourceText, StoreStats, Undone
from evolore.sources.addresses import AddressReader
from evolore.sources.files import FileReader

_GAP = {
    "id": ID,
    "state": "open",
    "missing": "no_document",
    "questions": ["Where may I leave my bicycle?"],
    "people": 4,
}
_BERLIN = {"attribute": "home", "value": "Berlin", "since": "2026-03-02T00:00:00+00:00", "episode_id": ID}


class Verbs:
    """Verbs of a memory that a server keeps; those that are not plain are written out.

    ``add`` reads files here and sends one after the other, ``remember`` and ``recall`` build their values first, ``rate`` and
    ``show`` return one of two kinds, ``list`` and ``history`` read two routes, and ``maintain`` reports no progress.
    """

    @Verb
    def add(
        self,
        *sources: str | PathLike[str] | SourceText,
        metadata: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] | None = None,
        principal: str | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        follow_links: bool = False,
        progress: AddProgress | None = None,
    ) -> Asking[Added]:
        """Add files and folders of this machine, or documents whose texts are at hand, as ``Memory.add`` does.

        ``progress`` hears of each before it is sent, but not of the server's progress within one.

        Raises:
            InvalidValue: Metadata, a tag or the principal is not of its form.
            UnreadableSource: A path does not exist; nothing is added then.
        """
        labels = {"metadata": metadata, "tags": None if tags is None else checked_tags(tags)}
        given = {name: value for name, value in labels.items() if value is not None}
        reader = FileReader()
        where = PathFilter(include=tuple(include), exclude=tuple(exclude), follow_links=follow_links)
        kinds = Sources.of(sources)
        done = Added(left_out=reader.left_out(kinds.paths, where=where) if kinds.paths else ())
        remote = AddressReader()
        found = [remote.find(one, where=where) for one in kinds.addresses]
        if found:
            done = replace(done, left_out=left_out_of(found))
        items: list[tuple[str, Callable[[], SourceText]]] = [
            *((str(path), partial(reader.read, path)) for path in reader.find(kinds.paths, where=where)),
            *((remote.name(one), partial(remote.read, one)) for some in found for one in some.addresses),
        ]
        count = len(kinds.texts) + len(items)
        for at, text in enumerate(kinds.texts):
            _tell(progress, text.source, at, count)
            reply = yield _upload(replace(text, **given), principal)
            done = replace(done, documents=(*done.documents, *_added(reply)))
        for at, (name, read_item) in enumerate(items, start=len(kinds.texts)):
            _tell(progress, name, at, count)
            try:
                reply = yield _upload(replace(read_item(), **given), principal)
            except InputError as error:
                done = replace(done, failures=(*done.failures, SourceFailure(source=name, reason=str(error))))
            else:
                done = replace(done, documents=(*done.documents, *_added(reply)))
        return done

    add_text = plain(Memory.add_text, "PUT /documents", Document)

    @Verb
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
    ) -> Asking[Remembered]:
        """Remember one statement, as ``Memory.remember`` does."""
        statement = Statement(
            text=text,
            occurred_at=occurred_at,
            speaker=speaker,
            session=session,
            arousal=arousal,
            about=about,
            metadata=Metadata(metadata),
            tags=checked_tags(tags),
            kind=kind,
            outcome=outcome,
        )
        done = yield from _remembered([statement], principal)
        return done.only

    @Verb
    def remember_many(self, statements: Iterable[Statement], *, principal: str | None = None) -> Asking[RememberedMany]:
        """Remember a conversation in one transaction, as ``Memory.remember_many`` does; of at most a thousand."""
        return (yield from _remembered(statements, principal))

    correct = plain(
        Memory.correct,
        "POST /items/{item_id:path}/correct",
        Corrected,
        served=Served(
            "Correct a statement, or retire it",
            "statements items",
            "write",
            {
                "old_id": ID,
                "event_ids": [ID],
                "statement": {"id": ID, "kind": "statement", "text": "We moved to Postgres 18.", "speaker": "Mika"},
            },
            takes={"text": Annotated[str | None, Field(min_length=1, max_length=MAX_STATEMENT_CHARACTERS)]},
            body={"text": "We moved to Postgres 17."},
            links={"/event_ids/0": ("statements_undo event_id",)},
        ),
    )

    @Verb
    def recall(
        self, question: str | Query, *, record: bool | None = None, **options: Unpack[RecallOptions]
    ) -> Asking[Recall]:
        """Find what answers a question, as ``Memory.recall`` does."""
        query = Query.of(question, **options)
        reply = yield Request(
            method="POST", path="/recall", body=_asked(query, record=record), principal=query.principal
        )
        return from_json(Recall, reply)

    @Verb
    def answer(self, question: str | Query, *, record: bool = True, **options: Unpack[AskOptions]) -> Asking[Answer]:
        """Answer a question with citations, as ``Memory.answer`` does."""
        reply = yield answer_request(question, record=record, options=options)
        return from_json(Answer, reply)

    @Verb
    def rate(
        self,
        item_id: str | Recall,
        rating: Rating | str,
        *,
        comment: str | None = None,
        cited: Iterable[str] | None = None,
        helpful: bool = False,
        principal: str | None = None,
    ) -> Asking[RatedQuery | RatedDocument]:
        """Rate an answer or a document, as ``Memory.rate`` does.

        Raises:
            InvalidValue: A recall is handed over that was not recorded.
        """
        id_ = item_id if isinstance(item_id, str) else item_id.query_id
        if id_ is None:
            raise InvalidValue("The question was not recorded, so it cannot be rated: recall with record=True.")
        body = said(
            {"rating": rating, "comment": comment, "cited": None if cited is None else list(cited), "helpful": helpful}
        )
        reply = yield Request(method="POST", path=f"/ratings/{part(id_)}", body=body, principal=principal)
        return from_json(RatedQuery, reply) if "query" in reply else from_json(RatedDocument, reply)

    forget = plain(Memory.forget, "POST /forget", Receipt)
    export_subject = plain(
        Memory.export_subject,
        "GET /subject",
        SubjectExport,
        served=Served(
            "Export everything of one person",
            "statements items",
            "admin",
            {"speaker": "Mika", "principal": None, "records": [{"kind": "statement", "text": "We moved."}]},
            name="subject",
            takes={
                "speaker": Annotated[str | None, Field(max_length=500, description="By what they said.")],
                "principal": Annotated[str | None, Field(max_length=500, description="Or by whom it was done for.")],
            },
        ),
    )
    expire = plain(Memory.expire, "POST /expire", Expired)
    verify = plain(
        Memory.verify,
        "POST /documents/{document:path}/verify",
        Document,
        served=Served(
            "Record that a document is current",
            "documents",
            "write",
            {"id": ID, "metadata": {"last_verified": "2026-03-02", "verify_by": "2026-12-31"}},
            takes={
                "by": Annotated[str | None, Field(max_length=500, description="Who verified it.")],
                "verify_by": Annotated[str | None, Field(max_length=64, description="The next day to verify it by.")],
            },
            body={"verify_by": "2026-12-31"},
        ),
    )
    evolve = plain(Memory.evolve, "POST /evolve", tuple[EvolutionJob, ...], inside="jobs")

    @Verb
    def maintain(
        self,
        *,
        items: int = MAINTAINED_ITEMS,
        seconds: float | None = None,
        redecide: bool = False,
        dry_run: bool = False,
        principal: str | None = None,
    ) -> Asking[Maintained]:
        """Look again at what changed since the last time, as ``Memory.maintain`` does."""
        body = said({"items": items, "seconds": seconds, "redecide": redecide, "dry_run": dry_run})
        reply = yield Request(method="POST", path="/maintain", body=body, principal=principal)
        return from_json(Maintained, reply)

    @Verb
    def show(self, item_id: str) -> Asking[Document | Episode]:
        """Return the document or episode that an id, the beginning of one, or a source names."""
        reply = yield Request(method="GET", path=f"/items/{part(item_id)}")
        return from_json(Document, reply) if "media_type" in reply else from_json(Episode, reply)

    @Verb
    def list(
        self,
        *,
        limit: int = 20,
        where: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] = (),
        overdue: bool = False,
    ) -> Asking[Listing]:
        """List every document and the newest ``limit`` statements, or those that are filed so, as ``Memory.list`` does."""
        wanted: dict[str, str | Sequence[str]] = {} if where is None else {"where": json.dumps(dict(Metadata(where)))}
        if labels := checked_tags(tags):
            wanted["tag"] = labels
        late = {"overdue": "true"} if overdue else {}
        documents = yield from every("/documents", "documents", None, wanted | late)
        statements: Sequence[Json] = () if overdue else (yield from every("/statements", "statements", limit, wanted))
        return Listing(
            documents=tuple(from_json(Document, one) for one in documents),
            statements=tuple(from_json(Episode, one) for one in statements),
        )

    @Verb
    def history(self, item_id: str | None = None, *, limit: int | None = None) -> Asking[tuple[EventRecord, ...]]:
        """Return the events of an item, or the newest of all, oldest first, as ``Memory.history`` does."""
        path = "/events" if item_id is None else f"/items/{part(item_id)}/history"
        reply = yield Request(method="GET", path=path, params=None if limit is None else {"limit": str(limit)})
        return tuple(from_json(EventRecord, one) for one in reply["events"])

    undo = plain(
        Memory.undo,
        "POST /events/{event_id}/undo",
        Undone,
        served=Served(
            "Undo an event",
            "statements items",
            "review",
            {"undone_ids": [ID], "event_ids": [ID]},
            takes={
                "cascade": Annotated[
                    bool, Field(description="Whether later changes that depend on it are undone first.")
                ]
            },
            body={"cascade": False},
        ),
    )

    @Verb
    def namespaces(self) -> Asking[tuple[str, ...]]:
        """List the namespaces that something was written to and that the key may enter."""
        reply = yield Request(method="GET", path="/namespaces")
        return tuple(reply["namespaces"])

    profile = plain(
        Memory.profile,
        "GET /profile",
        Profile,
        served=Served(
            "Show what holds of a person or a thing",
            "statements",
            "read",
            {
                "subject": "Mika",
                "facts": [_BERLIN],
                "conflicts": [],
                "statements": [],
                "text": "- home: I live in Berlin now. (2026-03-02)",
            },
            takes={"subject": str | None, "tokens": Annotated[int, Field(ge=1, le=100_000)], "as_of": str | None},
        ),
    )
    stats = plain(
        Memory.stats,
        "GET /stats",
        StoreStats,
        served=Served(
            "Count what the namespace holds",
            "statements care",
            LOOK,
            {"namespace": "default", "documents": 3, "statements": 12},
        ),
    )


def _remembered(statements: Iterable[Statement], principal: str | None) -> Asking[RememberedMany]:
    told = [said(cast("dict[str, object]", to_json(one))) for one in statements]
    if not told:
        return RememberedMany(episodes=())
    reply = yield Request(method="POST", path="/statements", body={"statements": told}, principal=principal)
    return from_json(RememberedMany, reply)


def _tell(progress: AddProgress | None, source: str, at: int, count: int) -> None:
    if progress is not None:
        progress(source, documents_done=at, documents=count, bytes_done=0, bytes_total=0, bytes_skipped=0)


def _added(reply: Json) -> tuple[AddedDocument, ...]:
    guarded = {"Document": Document, "PromotionStanding": PromotionStanding, "Receipt": Receipt}  # by its module
    reader_of(Added).rebuild(_types_namespace=guarded)
    return from_json(Added, reply).documents


def _upload(text: SourceText, principal: str | None) -> Request:
    form: dict[str, str | list[str]] = {"source": text.source, "media_type": text.media_type.value}
    if text.title:
        form["title"] = text.title
    if text.metadata is not None:
        form["metadata"] = json.dumps(to_json(text.metadata))
    if text.tags:
        form["tags"] = [*text.tags]
    data = text.text.encode("utf-8", "surrogatepass")
    return Request(method="POST", path="/documents", form=form, file=("text", data), principal=principal)


def answer_request(question: str | Query, *, record: bool, options: AskOptions) -> Request:
    """Return the request for an answer."""
    check_options(options, AskOptions)
    query = Query.of(question, **options)
    body = _asked(query, record=record)
    if isinstance(question, str) and options.get("limit") is None:
        del body["limit"]  # the server knows how many are read for an answer
    return Request(method="POST", path="/answers", body={**body, "with_recall": True}, principal=query.principal)


def _asked(query: Query, *, record: bool | None) -> dict[str, Json]:
    """Return a question as the server takes it."""
    plain_ones = {"limit", "as_of", "depth", "expand", "fold_echoes", "tokens", "also", "least"}
    plainly = {one.name: getattr(query, one.name) for one in fields(query) if one.name in plain_ones}
    narrowed = {one.name: getattr(query.filter, one.name) for one in fields(query.filter)}
    level = {} if query.level == _LEVEL else {"level": query.level}
    body = {"question": query.text, "record": record, **plainly, **narrowed, **level}
    return cast("dict[str, Json]", {name: to_json(value) for name, value in said(body).items() if value != ()})


_LEVEL = Query(text="-").level


ITEM = {
    "id": ID,
    "category": "contradiction",
    "status": "open",
    "priority": "normal",
    "reason": "Two statements name two cities for the office.",
}
Note = Annotated[str | None, Field(max_length=10_000, description="What was done about it.")]


class ReviewVerbs:
    """Verbs of ``Memory.review``; files and calls of a chat model are the server's own matter."""

    @Verb
    def list(
        self,
        *,
        status: ReviewStatus | str | None = ReviewStatus.OPEN,
        category: ReviewCategory | str | None = None,
        priority: Priority | str | None = None,
        document: str | None = None,
        unresolved_for_days: int | None = None,
        limit: int | None = None,
    ) -> Asking[tuple[ReviewItem, ...]]:
        """List the review queue, the most urgent first, as ``Memory.review.list`` does."""
        wanted = {
            "status": "any" if status is None else status,
            "category": category,
            "priority": priority,
            "document": document,
            "unresolved_for_days": unresolved_for_days,
        }
        found = yield from every(
            "/review", "items", limit, {name: str(value) for name, value in wanted.items() if value is not None}
        )
        return tuple(from_json(ReviewItem, one) for one in found)

    show = plain(
        ReviewQueue.show, "GET /review/{item_id}", ReviewItem, served=Served("Show a review item", "review", LOOK, ITEM)
    )
    resolve = plain(
        ReviewQueue.resolve,
        "POST /review/{item_id}/resolve",
        ReviewItem,
        served=Served(
            "Resolve a review item",
            "review",
            "review",
            {**ITEM, "status": "resolved"},
            takes={"note": Note},
            body={"note": "Cut by hand."},
        ),
    )
    reopen = plain(
        ReviewQueue.reopen,
        "POST /review/{item_id}/reopen",
        ReviewItem,
        served=Served(
            "Open a review item again", "review", "review", ITEM, takes={"note": Note}, body={"note": "Cut by hand."}
        ),
    )
    note = plain(
        ReviewQueue.note,
        "POST /review",
        ReviewItem,
        served=Served(
            "File a note",
            "review",
            "review",
            {**ITEM, "category": "note"},
            takes={
                "text": Annotated[str, Field(min_length=1, max_length=10_000)],
                "priority": Annotated[str, Field(max_length=40)],
                "about": Annotated[str | None, Field(max_length=4096)],
            },
            body={"text": "Is this price still right?", "about": "prices.md"},
            status=201,
            links={"/id": ("review_show item_id", "review_resolve item_id", "review_reopen item_id")},
        ),
    )
    settle = plain(ReviewQueue.settle, "POST /review/{item_id}/settle", Settled)
    conflict = plain(
        ReviewQueue.conflict,
        "GET /review/{item_id}/conflict",
        PromotionConflict,
        served=Served(
            "Show a section that was promoted and changed by its source",
            "review",
            LOOK,
            {"base": "7 days", "promoted": "10 days", "source": "9 days"},
        ),
    )
    settle_promotion = plain(ReviewQueue.settle_promotion, "POST /review/{item_id}/settle", SettledPromotion)


class EvolutionVerbs:
    """Verbs of ``Memory.evolution``; ``approve`` accepts a job as it is now, even if it changed since it was seen."""

    gaps = plain(
        Evolution.gaps,
        "GET /evolution/gaps",
        tuple[Gap, ...],
        inside="gaps",
        served=Served(
            "List what people asked and were not served",
            "evolution",
            LOOK,
            {"gaps": [_GAP]},
            takes={
                "states": Annotated[list[Annotated[str, Field(max_length=20)]], Field(max_length=3)],
                "least": Annotated[int, Field(ge=1, le=1000)],
                "limit": Annotated[int, Field(ge=1, le=100)],
            },
        ),
    )
    gap = plain(
        Evolution.gap, "GET /evolution/gaps/{gap_id}", Gap, served=Served("Show a gap", "evolution", LOOK, _GAP)
    )
    take_gap = plain(
        Evolution.take_gap,
        "POST /evolution/gaps/{gap_id}/take",
        Gap,
        served=Served("Take a gap up", "evolution", "review", {**_GAP, "state": "taken"}),
    )
    close_gap = plain(
        Evolution.close_gap,
        "POST /evolution/gaps/{gap_id}/close",
        Gap,
        served=Served(
            "Close a gap",
            "evolution",
            "review",
            {**_GAP, "state": "closed"},
            takes={"reason": Annotated[str, Field(max_length=10_000)]},
            body={"reason": "Asked of another house."},
        ),
    )
    jobs = listed(Evolution.jobs, "/evolution/jobs", "jobs", EvolutionJob, called={"states": "state"})
    show = plain(Evolution.show, "GET /evolution/jobs/{job_id}", EvolutionJob)
    diff = plain(
        Evolution.diff,
        "GET /evolution/jobs/{job_id}/diff",
        tuple[TextDiff, ...],
        inside="diffs",
        served=Served(
            "Show what a candidate changes",
            "evolution",
            LOOK,
            {"diffs": [{"document_id": ID, "base_version": 1, "version": 1, "lines": ["-7 days", "+10 days"]}]},
            takes={"candidate": Annotated[str, Field(max_length=40)]},
        ),
    )
    approve = plain(Evolution.approve, "POST /evolution/jobs/{job_id}/approve", Approved, headers={"If-Match": "*"})
    reject = plain(Evolution.reject, "POST /evolution/jobs/{job_id}/reject", EvolutionJob)
    rollback = plain(
        Evolution.rollback,
        "POST /evolution/promotions/{promotion_id}/rollback",
        RolledBack,
        served=Served(
            "Roll a change back",
            "evolution",
            "review",
            {"promotion": {"id": ID, "rolled_back_at": "2026-03-09T09:30:00+00:00"}},
            takes={"reason": Annotated[str, Field(min_length=1, max_length=10_000)]},
            body={"reason": "Nine days, not ten."},
        ),
    )
    generations = plain(
        Evolution.generations,
        "GET /documents/{document:path}/generations",
        tuple[DocumentGeneration, ...],
        inside="generations",
        served=Served(
            "Show what evolution made of a document",
            "documents",
            LOOK,
            {"generations": [{"number": 1, "before": "7 days", "after": "10 days"}]},
        ),
    )
    feedback = listed(Evolution.feedback, "/feedback", "feedback", Feedback)

    @Verb
    def stats(self) -> Asking[EvolutionStats]:
        """Count the ratings of documents and their results, as ``Memory.evolution.stats`` does."""
        reply = yield Request(method="GET", path="/evolution/stats")
        told = reply["stats"]
        heard, evolution = told["feedback"], told["evolution"]
        return EvolutionStats(
            good=heard["good"],
            bad=heard["bad"],
            pending_bad=heard["pendingBad"],
            eligible_document_ids=tuple(evolution["eligibleDocumentIds"]),
            total_evolutions=evolution["totalEvolutions"],
            successful_evolutions=evolution["successfulEvolutions"],
            threshold=evolution["threshold"],
            documents=told["documents"]["total"],
        )

    @Verb
    def write(self, document: str, *, patch: bool = False) -> Asking[WrittenFile]:
        """Return the patch for the file that a document came from, as ``Memory.evolution.write`` does with ``patch=True``.

        Raises:
            InvalidValue: A file is to be written: it is the server's.
        """
        if not patch:
            raise InvalidValue("A server writes no file for a client: ask for what is to be changed with patch=True.")
        reply = yield Request(method="GET", path=f"/documents/{part(document)}/patch")
        return from_json(WrittenFile, reply)

    @Verb
    def canaries(self) -> Asking[tuple[CanaryView, ...]]:
        """List the changes that are before some people only, as ``Memory.evolution.canaries`` does."""
        reply = yield Request(method="GET", path="/evolution/canaries")
        return tuple(from_json(CanaryView, one) for one in reply["canaries"])

    @Verb
    def canary(self, promotion_id: str, *, grow: bool = False, principal: str | None = None) -> Asking[CanaryView]:
        """Show how a change does before some people, or bring it before more, as ``Memory.evolution.canary`` does."""
        path = f"/evolution/canaries/{part(promotion_id)}"
        shown = Request(method="GET", path=path)
        reply = yield Request(method="POST", path=f"{path}/grow", principal=principal) if grow else shown
        return from_json(CanaryView, reply)


class QuestionVerbs:
    """Verbs of ``Memory.questions``."""

    record_answer = plain(Questions.record_answer, "POST /answers/recorded", Answer)
    list = listed(Questions.list, "/questions", "questions", QueryRecord, called={"principal": "of"})
    show = plain(
        Questions.show,
        "GET /questions/{query_id}",
        QueryRecord,
        served=Served(
            "Show a question that was asked",
            "recall",
            "read",
            {"id": ID, "text": "How long do refunds take?", "ratings": []},
            name="question",
        ),
    )


class OutlineVerbs:
    """Verbs of ``Memory.outline``."""

    tree = plain(Outline.tree, "GET /documents/{document}/outline", DocumentTree, called={"with_text": "text"})
    versions = listed(Outline.versions, "/documents/{document}/versions", "versions", DocumentVersion)


_PAGE = {"id": ID, "question": "Who is Hoshino?", "text": "# Who is Hoshino?\n\nA customer. [1]\n", "is_stale": False}


def _page(
    summary: str, scopes: str = "write", reply: Mapping[str, object] = _PAGE, body: Mapping[str, object] | None = None
) -> Served:
    takes = {"question": Annotated[str, Field(min_length=1, max_length=10_000)]} if body else {}
    return Served(summary, "pages", scopes, reply, takes, body, 201 if body else 200)


class PageVerbs:
    """Verbs of ``Memory.pages``."""

    add = plain(
        StandingPages.add,
        "POST /pages",
        StandingPage,
        served=_page("Keep a question answered", body={"question": "Who is Hoshino?"}),
    )
    list = plain(
        StandingPages.list,
        "GET /pages",
        tuple[StandingPage, ...],
        inside="pages",
        served=_page("List the standing pages", "read", {"pages": [_PAGE]}),
    )
    show = plain(StandingPages.show, "GET /pages/{page_id}", StandingPage, served=_page("Show a page", "read"))
    rebuild = plain(
        StandingPages.rebuild, "POST /pages/{page_id}/rebuild", StandingPage, served=_page("Rebuild a page")
    )
    remove = plain(
        StandingPages.remove,
        "DELETE /pages/{page_id}",
        Receipt,
        served=_page("Erase a page", reply={"event_id": ID, "review_items": 1}),
    )
