"""The commands that look into a memory, and how what they find looks on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from functools import partial
from typing import Annotated, cast

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer import Argument, Option

from evolore.cli.printing import facts_table, open_console, print_wrapped, short_source, words
from evolore.cli.session import CliRun, QuestionArgument, WhereOption, WithTagOption, read_pairs, write_pairs
from evolore.cli.show import merged_count
from evolore.domain.citation import episode_place, hit_place, numbered, ranks_of
from evolore.domain.filters import Filter
from evolore.domain.language import Language
from evolore.domain.outline import Relation
from evolore.domain.query import LEAST_LIKELIHOOD, AskOptions, Hit, Recall
from evolore.text.display import one_line, visible


def recall(
    session: CliRun,
    question: QuestionArgument,
    limit: Annotated[
        int | None,
        Option(
            help="How many passages at most; by default 5, or with --tokens as many as fit, up to 100.",
            show_default=False,
        ),
    ] = None,
    tokens: Annotated[
        int | None, Option(help="What they may take of a model's context, in tokens; the best is given in any case.")
    ] = None,
    least: Annotated[
        float | None,
        Option(
            help="Leave out what bears less likely on the question, from 0 to 1; by default nothing, or with --tokens 0.1.",
            show_default=False,
        ),
    ] = None,
    level: Annotated[
        str, Option(help="What a hit is: `episode`, or `session` or `document` for the one it is in.")
    ] = "episode",
    *,
    asked: AskOptions,
    expand: Annotated[
        bool | None,
        Option(
            "--expand/--no-expand",
            help="Show adjacent passages as the chunk above them; by default not.",
            show_default=False,
        ),
    ] = None,
    fold: Annotated[
        bool | None,
        Option(
            "--fold/--no-fold",
            help="Fold passages that only repeat a better one into it; by default so.",
            show_default=False,
        ),
    ] = None,
    record: Annotated[
        bool | None,
        Option(
            "--record/--no-record",
            help="Record the question with its hits, so that `evolore rate` can say whether they served; by default as "
            "the settings say, a moment later.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool, Option("--explain", help="Show what the question was taken for, and what each score is the sum of.")
    ] = False,
) -> None:
    """Find the passages that answer a question, best first.

    Options that begin with "Only" may be combined; what does not match all of them takes no part.
    """
    from evolore.cli.show import sources_in  # noqa: PLC0415 - likewise

    asked["limit"] = limit
    with session.memory() as memory:
        text = sys.stdin.read() if question == "-" else question
        found = memory.recall(
            text, expand=expand, fold_echoes=fold, tokens=tokens, least=least, level=level, record=record, **asked
        )
        session.show(found, lambda: render_recall(found, explain=explain, sources=partial(sources_in, memory)))


def list_items(
    session: CliRun,
    limit: Annotated[int, Option(help="How many statements at most, newest first.")] = 20,
    where: WhereOption = None,
    tag: WithTagOption = None,
    overdue: Annotated[
        bool, Option("--overdue", help="Only documents that are past their day to be verified.")
    ] = False,
) -> None:
    """List the documents and the newest statements, superseded ones marked; with --where and --tag those filed so."""
    from evolore.cli.show import render_listing  # noqa: PLC0415 - `--help` should not pay for it

    with session.memory() as memory:
        listing = memory.list(limit=limit, where=read_pairs(where, "--where"), tags=tag or (), overdue=overdue)
        session.show(listing, lambda: render_listing(listing))


def show(
    session: CliRun,
    item_id: Annotated[
        str, Argument(metavar="ID", help="An id, the beginning of one, or a document's source or path.")
    ],
) -> None:
    """Show one document or episode."""
    from evolore.cli.show import render_item  # noqa: PLC0415 - `--help` should not pay for it
    from evolore.domain.episode import Episode  # noqa: PLC0415 - likewise

    with session.memory() as memory:
        item = memory.show(item_id)

        def render() -> None:
            if isinstance(item, Episode):
                render_item(item, members=memory.outline.members(item.id), heads=memory.outline.standing_for(item.id))
            else:
                render_item(item)

        session.show(item, render)


def profile(
    session: CliRun,
    subject: Annotated[
        str | None, Argument(metavar="SUBJECT", help="A speaker or a thing; without it, unnamed speakers.")
    ] = None,
    tokens: Annotated[int, Option(min=1, help="How long it may be, in estimated tokens.")] = 300,
    as_of: Annotated[str | None, Option(metavar="TIME", help="What held then, such as 2026-03-02.")] = None,
) -> None:
    """Describe what holds now of a person or a thing: attributes, open conflicts, then other statements."""
    with session.memory() as memory:
        found = memory.profile(subject, tokens=tokens, as_of=as_of)
        left = f"\n{found.left_out} more; --tokens makes it longer." if found.left_out else ""
        session.show(found, lambda: typer.echo(f"{found.text or 'Nothing is known.'}{left}"))


def stats(session: CliRun) -> None:
    """Count what the namespace holds."""
    from evolore.cli.show import render_stats  # noqa: PLC0415 - `--help` should not pay for it

    with session.memory() as memory:
        counted = memory.stats()
        session.show(counted, lambda: render_stats(counted))


_NAMED = 5
"""So many sources are named where none fits."""


def render_recall(found: Recall, *, explain: bool, sources: Callable[[], Sequence[str]] = tuple) -> None:
    """Print hits, best first, and where it is asked for what the scores are made of; where there are none, why."""
    console = open_console()
    if explain:
        console.print(explain_question(found))
        console.print()
    console.print(_lead(found), end="")
    if not found.hits:
        for line in why_nothing(found, sources):
            console.print(Text(line))
        return
    found = replace(found, hits=numbered(found.hits))
    for hit in found.hits:
        _print_hit(console, hit, found)
    if found.query.tokens is not None:
        console.print(_taken(found, found.query.tokens))
    if explain:
        _print_terms(console, found.hits)
    if found.query_id is not None:
        console.print(f"Did this help? Type: evolore rate {found.query_id} good|bad")


def _lead(found: Recall) -> str:
    """Report that nothing was found, or that nothing remembered is relevant; empty where something is."""
    if not found.hits:
        return "Nothing remembered is relevant.\n" if found.searched and found.query.floor else "Nothing found.\n"
    is_unlikely = found.likelihood is not None and found.likelihood < LEAST_LIKELIHOOD
    return "Nothing remembered is likely relevant. The nearest:\n" if is_unlikely else ""


def why_nothing(found: Recall, sources: Callable[[], Sequence[str]]) -> Iterator[str]:
    """Yield which parts of the filter let nothing through; other namespaces are not mentioned."""
    wanted = found.query.filter
    if found.searched or found.query.as_of is not None:
        return
    if wanted.is_empty:
        yield "Nothing is here yet: put something in with `evolore add` or `evolore remember`."
    elif not found.unmatched:
        yield "Each option lets something through, and all of them together nothing: leave one out."
    for name in found.unmatched:
        yield from _unmatched(name, found.query.filter, sources)


def _unmatched(name: str, wanted: Filter, sources: Callable[[], Sequence[str]]) -> Iterator[str]:
    match name:
        case "source":
            yield f"No document here has the source {wanted.source!r}, nor lies in a folder of that name."
            yield from _sources(wanted.source or "", [short_source(one) for one in sources()])
        case "path":
            code = (
                f"`evolore outline tree {one_line(wanted.source)}` shows them"
                if wanted.source
                else "`evolore outline tree` shows a document's"
            )
            path = " › ".join(wanted.path) if isinstance(wanted.path, tuple) else wanted.path
            yield f"No passage here is below {str(path)!r}: {code}."
        case "tags":
            yield f"Nothing here has the tag {' and the tag '.join(map(repr, wanted.tags))}."
        case "where":
            yield f"Nothing here has the metadata {one_line(write_pairs(wanted.where))}."
        case _:
            yield f"No statement here has the {name} {getattr(wanted, name)!r}."


def _sources(wanted: str, known: Sequence[str]) -> Iterator[str]:
    near = get_close_matches(wanted, known, n=_NAMED) or list(known[:_NAMED])
    for source in near:
        yield f"  {source}"
    if len(known) > len(near):
        yield f"  and {len(known) - len(near):,} more: `evolore list` shows all."


def _print_hit(console: Console, hit: Hit, found: Recall) -> None:
    from evolore.text.tokens import shared_spans  # noqa: PLC0415 - `--help` need not pay for it

    foreign = "" if hit.namespace in {None, found.namespace} else f"{hit.namespace}: "
    head = Text(one_line(f"{hit.rank}. {foreign}{hit_place(hit, write_source=short_source)}"), style="bold")
    print_wrapped(console, head + Text(f" score {hit.score:.2f}", style="not bold"))
    if signs := "; ".join(_signs(hit, found)):
        console.print(Text(f"   {signs}", style="yellow"))
    shown = Text(visible(hit.text.strip()))
    for start, end in shared_spans(shown.plain, found.query.text):  # bold, which a pipe does not show
        shown.stylize("bold", start, end)
    print_wrapped(console, shown)
    for line in _behind(hit):
        console.print(Text(f"   {one_line(line)}", style="dim"))
    console.print()


def _print_terms(console: Console, hits: Sequence[Hit]) -> None:
    for table in explain_hits(hits, width=console.width):
        console.print(table)
    console.print()
    for hit in hits:
        if hit.relation is not None:
            told = "from the document" if hit.relation.relation is Relation.NONE else hit.relation.relation.value
            console.print(f"hit {hit.rank}: {told} of hit {hit.relation.rank}")
    console.print(SCORE_NOTE)


def _taken(found: Recall, budget: int) -> str:
    taken = f"{'about ' if found.is_estimated else ''}{found.tokens:,} tokens"
    if found.is_over_budget:
        return f"The best hit alone takes {taken}, more than the {budget:,} asked for: it is given whole."
    return f"These take {taken} of {budget:,}."


def _signs(hit: Hit, found: Recall) -> Iterator[str]:
    """Yield what a reader should know of an episode before believing it, in the words that a prompt holds."""
    yield from map(one_line, replace(found.citing, language=Language.EN).marks(hit, ranks_of(found.hits)))
    if hit.whole or hit.expansion:
        return
    if hit.is_in_conflict:
        yield "see `evolore review list`"
    if (count := merged_count(hit.episode, hit.members)) > 1:
        yield f"merged from {count:,} statements"


def _behind(hit: Hit) -> Iterator[str]:
    """Yield which episodes are behind a hit, a line each, so that nothing is hidden."""
    for echo in hit.echoes:
        same = "the same words" if echo.similarity == 1.0 else f"{echo.similarity:.0%} of its words"
        yield f"echo, {same}: {episode_place(echo.episode, write_source=short_source)} {echo.episode.id}"
    for one in hit.expansion.folded if hit.expansion else ():
        yield f"folds no. {one.rank}, score {one.score:.2f}: {one.episode.outline} {one.episode.id}"
    for one in hit.whole.found if hit.whole else ():
        where = one.episode.outline or one.episode.speaker or ""
        yield f"found no. {one.rank}, score {one.score:.2f}: {where} {one.episode.id}"


_HIDDEN = {"query", "hits", "tokens", "is_estimated", "unmatched", "namespace", "language"}
"""What is shown elsewhere."""

SCORE_NOTE = (
    "A score is the sum of its terms. Holding all of the question's words counts\n"
    "for 1 at most: it compares hits of this recall, never hits of two."
)
_NUMBER_WIDTH = 10
_LEAST_COLUMNS = 1


def explain_question(found: Recall) -> Table:
    """Return what a recall reports besides its hits, a line each; what it does not know is left out."""
    return facts_table(
        ("" if number else words(name), shown)
        for name, value in _fields_of(found)
        if name not in _HIDDEN and value is not None and value is not False and value not in ((), "")
        for number, shown in enumerate(_lines(value))
    )


def explain_hits(hits: Sequence[Hit], *, width: int) -> Iterator[Table]:
    """Yield every term of every hit: a row for each term, a column for each hit, so many tables as the width asks for."""
    names = list(dict.fromkeys(term.name for hit in hits for term in hit.terms))
    name_width = max(map(cell_len, [*names, "score"])) + 2
    columns = max(_LEAST_COLUMNS, (width - name_width) // _NUMBER_WIDTH)
    for start in range(0, len(hits), columns):
        yield _terms_table(hits[start : start + columns], names, name_width=name_width)


def _terms_table(hits: Sequence[Hit], names: Sequence[str], *, name_width: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_footer=True, header_style="bold")
    table.add_column("hit", footer="score", min_width=name_width - 2, no_wrap=True)
    for hit in hits:
        table.add_column(
            str(hit.rank), footer=f"{hit.score:+.3f}", justify="right", min_width=_NUMBER_WIDTH - 2, no_wrap=True
        )
    by_hit = [{term.name: term.value for term in hit.terms} for hit in hits]
    for name in names:
        table.add_row(name, *(_signed(terms.get(name)) for terms in by_hit))
    return table


def _signed(value: float | None) -> str:
    if value is None:
        return ""
    return "·" if value == 0.0 else f"{value:+.3f}"


def _fields_of(value: object) -> list[tuple[str, object]]:
    return [] if not is_dataclass(value) else [(field.name, getattr(value, field.name)) for field in fields(value)]


def _lines(value: object) -> list[str]:
    """Write a value on a line, or the values of a tuple on one each."""
    return [_line(one) for one in cast("tuple[object, ...]", value)] if isinstance(value, tuple) else [_line(value)]


def _line(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, tuple):
        return ", ".join(map(_line, cast("tuple[object, ...]", value)))
    parts = [(name, part) for name, part in _fields_of(value) if part is not None and part != ()]
    return ", ".join(f"{words(name)} {_line(part)}" for name, part in parts) if parts else one_line(str(value))
