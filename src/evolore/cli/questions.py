"""The commands about questions, ratings and contexts, and how these look on a terminal."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text
from typer import Argument, Option

from evolore.cli.printing import counted, facts_table, lingering_lines, short_source, shortened
from evolore.cli.session import EXIT_TRY_AGAIN, ByOption, CliRun, EpisodeArgument, QuestionArgument
from evolore.cli.show import render_receipt, source_of
from evolore.domain.episode import Episode
from evolore.domain.outcome import Rating
from evolore.errors import NotFound
from evolore.text.display import one_line, visible

if TYPE_CHECKING:
    from rich.console import RenderableType

    from evolore.domain.answer import Answer
    from evolore.domain.outcome import QueryRecord, Rated
    from evolore.domain.standing_page import StandingPage
    from evolore.flows.contexts import EpisodeContexts
    from evolore.flows.rate import RatedDocument, RatedQuery
    from evolore.memory import Memory
    from evolore.ports import Withdrawn

RateableArgument = Annotated[
    str,
    Argument(
        metavar="ID",
        help="What is rated, by its id or the beginning of it: an answer, as `evolore answer` prints it, a question, as "
        "`evolore recall` does, or a document, as `evolore list` does; a document also by source or path.",
    ),
]


def rate(
    session: CliRun,
    item_id: RateableArgument,
    rating: Annotated[str, Argument(metavar="good|bad", help="Whether it served.")],
    comment: Annotated[str | None, Option(help="Why.")] = None,
    cited: Annotated[
        list[str] | None,
        Option("--cited", metavar="ID", help="An episode among the hits that the answer rests on. May be repeated."),
    ] = None,
    helpful: Annotated[
        bool, Option("--helpful", help="A good answer helped with the step it was asked for: it counts half more.")
    ] = False,
    by: ByOption = None,
) -> None:
    """Rate whether an answer served, or a document: what an answer rests on is trusted more or less, and recall learns.

    The documents it rests on get feedback, by which they improve; so does a document that is rated itself. A later rating by the same person takes the place of the earlier one, whose effect is taken back.
    """
    from evolore.flows.rate import RatedDocument  # noqa: PLC0415 - likewise

    with session.memory() as memory:
        rated = memory.rate(item_id, rating, comment=comment, cited=cited or None, helpful=helpful, principal=by)
        if isinstance(rated, RatedDocument):
            session.show(rated, lambda: render_rated_document(rated))
        else:
            session.show(rated, lambda: render_rated(memory, rated))


def list_questions(
    session: CliRun,
    by: Annotated[str | None, Option("--by", metavar="NAME", help="Only what was asked on this one's behalf.")] = None,
    rated: Annotated[Rating | None, Option(metavar="good|bad", help="Only those with such a rating.")] = None,
    limit: Annotated[int, Option(help="How many questions at most, the last first.")] = 20,
) -> None:
    """List the recorded questions."""
    with session.memory() as memory:
        found = memory.questions.list(principal=by, limit=_MOST if rated and limit > 0 else limit)
        if rated is not None:
            found = tuple(one for one in found if any(each.rating is rated for each in one.ratings))[:limit]
        session.show({"queries": found}, lambda: render_queries(found))


def record_answer(
    session: CliRun,
    question: QuestionArgument,
    text: Annotated[str, Argument(metavar="ANSWER", help="What was answered; `-` reads it from standard input.")],
    cited: Annotated[
        list[str] | None,
        Option(
            "--cited",
            metavar="ID",
            help="A document, passage or statement that the answer rests on, by id; a document also by source or path. "
            "May be repeated.",
        ),
    ] = None,
    outcome: Annotated[
        str | None, Option(metavar="WORD", help="What it led to, where you know: `bypass`, `retrieval` or `insight`.")
    ] = None,
    answered_at: Annotated[str | None, Option(help="When it was answered. UTC without a zone; by default now.")] = None,
    by: ByOption = None,
) -> None:
    """Record an answer that was produced elsewhere, with what it rests on, so that `rate` can rate it.

    It prints the id that `rate` takes.
    """
    if question == "-" and text == "-":
        raise typer.BadParameter("Only one of both can be read from standard input.", param_hint="ANSWER")
    with session.memory() as memory:
        kept = memory.questions.record_answer(
            sys.stdin.read() if question == "-" else question,
            sys.stdin.read() if text == "-" else text,
            cited=cited or (),
            outcome=outcome,
            principal=by,
            answered_at=answered_at,
        )
        session.show(kept, lambda: render_recorded(kept))


def show(
    session: CliRun, query_id: Annotated[str, Argument(metavar="QUESTION", help="A question's id, or its beginning.")]
) -> None:
    """Show a question with what was handed over, and how it was rated."""
    with session.memory() as memory:
        one = memory.questions.show(query_id)
        session.show(one, lambda: render_query(memory, one))


def unlearn(
    session: CliRun,
    by: Annotated[
        str | None, Option("--by", metavar="NAME", help="Whose teaching; without it that of unnamed askers.")
    ] = None,
    erase: Annotated[
        bool, Option("--erase", help="Erase the questions themselves too, with texts and vectors, for good.")
    ] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Count what would be taken back, and change nothing.")] = False,
) -> None:
    """Withdraw everything one person taught: edges of questions, ratings, and what they did to confidence and arousal.

    It is one event, which `undo` takes back unless questions were erased.
    """
    with session.memory() as memory:
        done = memory.questions.unlearn(by, erase=erase, dry_run=dry_run)
        session.show(done, lambda: render_withdrawn(done, by, is_dry_run=dry_run, is_erased=erase))
        if done.lingering_in:
            raise typer.Exit(EXIT_TRY_AGAIN)


def contexts(
    session: CliRun,
    episode_id: EpisodeArgument,
    queries: Annotated[
        str | None,
        Option(
            help="Which questions count: `none`, `confirmed`, or `with_pending`; by default as the settings say.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show the contexts an episode belongs to, and how evenly: whether it would be split by them. Nothing is changed."""
    with session.memory() as memory:
        found = memory.questions.contexts(episode_id, queries=queries)
        session.show(found, lambda: render_contexts(memory, found))


_SHOWN = 5
_MOST = 1_000_000  # so many are searched for rated ones


def render_queries(found: Sequence[QueryRecord]) -> Iterator[str]:
    """Yield questions, a line each: id, day, outcome, rating and text."""
    for one in found:
        day = one.recorded_at.astimezone(UTC).date().isoformat()
        rating = one.rating.value if one.rating else "-"
        yield f"{one.id}  {day}  {one.outcome.value:9}  {rating:4}  {shortened(one.text)}"
    if not found:
        yield "No question was recorded here yet: `evolore recall` records them."


def render_query(memory: Memory, one: QueryRecord) -> Iterator[RenderableType]:
    """Yield all that is known of a question."""
    facts = {
        "id": one.id,
        "asked": one.asked_at.isoformat(timespec="seconds"),
        "by": one.principal or "",
        "intent": one.intent.value,
        "outcome": f"{one.outcome.value}{' (stated)' if one.is_stated else ''}",
        "answer": one.answer_id or "",
    }
    rows = [(name, one_line(value)) for name, value in facts.items() if value]
    yield facts_table([*rows, *(("rated", _rated(rated)) for rated in one.ratings)])
    yield ""
    yield Text(one_line(one.text), style="bold")
    for handed in one.given:
        sign = "*" if handed.is_cited else " "
        yield f"{handed.rank:3}{sign} {handed.episode_id}  {_quote(memory, handed.episode_id)}"
    if one.cited_ids:
        yield Text("* the answer rests on it", style="dim")


def render_recorded(kept: Answer) -> Iterator[str | Text]:
    """Yield what an answer that was handed in rests on, and how to rate it."""
    for one in kept.citations:
        yield f"rests on {one.episode_id}  {one_line(short_source(one.source))}  {shortened(one.quote)}"
        if warnings := "; ".join(kept.warnings_of(one)):
            yield Text(f"    {warnings}", style="yellow")
    yield f"Did this help? Type: evolore rate {kept.id} good|bad"


def _rated(rated: Rated) -> str:
    who = f" by {one_line(rated.principal)}" if rated.principal else ""
    return f"{rated.rating.value}{who}{': ' + one_line(rated.comment) if rated.comment else ''}"


def render_rated_document(rated: RatedDocument) -> Iterator[str]:
    """Yield what is kept of a document's rating."""
    document, kept = rated.document, rated.feedback
    yield one_line(f"{document.title} ({short_source(document.source)}), version {kept.version}: {kept.rating.value}.")


def render_rated(memory: Memory, rated: RatedQuery) -> Iterator[str]:
    """Yield what a rating did."""
    said = Counter(one.rating.value for one in rated.query.ratings)
    counts = ", ".join(f"{count} {word}" for word, count in sorted(said.items(), reverse=True))
    yield f"“{shortened(rated.query.text)}”: {counts}; outcome {rated.query.outcome.value}."
    for episode in rated.episodes:
        yield f"confidence {episode.confidence:.2f}  {episode.id}  {shortened(episode.text)}"
    for one in rated.evaluated:
        worth = "they are in the graph now" if one.is_high else "they are kept beside the graph"
        yield f"{one.episode_id}: {one.share:.0%} of its questions led to insight, {worth}."
    for kept in rated.feedback:
        yield f"feedback {kept.rating.value}  {kept.document_id}  {source_of(memory, kept.document_id)}"
    if rated.capped:
        yield f"{rated.capped} unchanged: one person may move it only so often."
    for event_id in rated.event_ids:
        yield f"Undo this effect with: evolore undo {event_id}"
    if rated.query.ratings:
        who = rated.query.ratings[-1].principal
        whose, by = (f"ratings by {one_line(who)}", f" --by {quote(one_line(who))}") if who else ("unnamed ratings", "")
        yield f"Undo the effects of all {whose} with: evolore questions unlearn{by}"


def render_withdrawn(done: Withdrawn, principal: str | None, *, is_dry_run: bool, is_erased: bool) -> Iterator[str]:
    """Yield what was taken back."""
    who = "an unnamed person" if principal is None else one_line(principal)
    if not done.has_taught:
        yield f"Nothing was taught by {who}."
        return
    verb = "Would take back" if is_dry_run else "Took back"
    counts = ", ".join(
        (
            counted(done.queries, "question"),
            counted(done.edges, "edge"),
            counted(done.ratings, "rating"),
            counted(done.episodes, "episode moved back", "episodes moved back"),
            *([counted(done.feedback, "rating of a document", "ratings of documents")] if done.feedback else []),
            *([counted(done.answers, "answer erased", "answers erased")] if done.answers else []),
        )
    )
    yield f"{verb} what {who} taught: {counts}."
    if not is_dry_run and not is_erased:
        yield f"Bring it back with: evolore undo {done.event_id}"
    yield from lingering_lines(done.lingering_in)


def render_contexts(memory: Memory, found: EpisodeContexts) -> Iterator[str | Text]:
    """Yield the contexts of an episode, the largest first."""
    for number, one in enumerate(found.contexts, start=1):
        asked = f", {counted(len(one.query_ids), 'question')}" if one.query_ids else ""
        neighbours = counted(len(one.episode_ids), "neighbour")
        yield Text(f"context {number}: {one.share:.0%}, {neighbours}{asked}", style="bold")
        yield from (f"  {id_}  {_quote(memory, id_)}" for id_ in one.episode_ids[:_SHOWN])
        if len(one.episode_ids) > _SHOWN:
            yield Text(f"  … and {len(one.episode_ids) - _SHOWN} more; --json lists all.", style="dim")
    yield f"Entropy {found.entropy:.2f} of {len(found.contexts)}, {found.conflict.in_words()}."
    verdict = "would be split" if found.would_split else "would stay whole"
    yield f"It {verdict}: {found.reason}."


def _quote(memory: Memory, id_: str) -> str:
    try:
        item = memory.show(id_)
    except NotFound:
        return "(forgotten)"
    return shortened(item.text) if isinstance(item, Episode) else ""


PageArgument = Annotated[str, Argument(metavar="ID", help="A page's id, or the beginning of it.")]


def page_add(session: CliRun, question: QuestionArgument, by: ByOption = None) -> None:
    """Keep a question answered, and show its page."""
    with session.memory() as memory:
        page = memory.pages.add(sys.stdin.read() if question == "-" else question, principal=by)
        session.show(page, lambda: _render_page(page))


def page_list(session: CliRun) -> None:
    """List the pages, the oldest first."""
    with session.memory() as memory:
        pages = memory.pages.list()
        lines = [f"{one.id}  {'stale' if one.is_stale else 'current'}  {one_line(one.question)}" for one in pages]
        session.show(pages, lambda: typer.echo("\n".join(lines) or "There is no page."))


def page_show(session: CliRun, page_id: PageArgument) -> None:
    """Show a page as Markdown, as it is now."""
    with session.memory() as memory:
        page = memory.pages.show(page_id)
        session.show(page, lambda: _render_page(page))


def page_rebuild(session: CliRun, page_id: PageArgument, by: ByOption = None) -> None:
    """Rebuild a page, with the chat model where there is one, and show it."""
    with session.memory() as memory:
        page = memory.pages.rebuild(page_id, principal=by)
        session.show(page, lambda: _render_page(page))


def page_remove(session: CliRun, page_id: PageArgument, by: ByOption = None) -> None:
    """Erase a page; what it quotes stays."""
    with session.memory() as memory:
        receipt = memory.pages.remove(page_id, principal=by)
        session.show(receipt, lambda: render_receipt(receipt))


def _render_page(page: StandingPage) -> None:
    typer.echo(visible(page.text.rstrip()))
    if page.is_stale:
        since = f" since {page.stale_since:%Y-%m-%d %H:%M} UTC" if page.stale_since else ""
        typer.echo(f"What it rests on has changed{since}. Type: evolore page rebuild {page.id}", err=True)
    else:
        typer.echo(f"Page {page.id}, rebuilt {page.rebuilt_at:%Y-%m-%d %H:%M} UTC.", err=True)
