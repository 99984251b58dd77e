"""How what was recalled looks on a terminal."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from rich.text import Text

from evolore.cli.explaining import SCORE_NOTE, explain_hits, explain_question
from evolore.cli.labels import write_pairs
from evolore.cli.printing import one_line, open_console, print_wrapped, short_source, visible
from evolore.cli.show import merged_count, state_words
from evolore.domain.citing import episode_place, hit_place
from evolore.domain.episodes import EpisodeState
from evolore.text.tokens import shared_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from rich.console import Console

    from evolore.domain.answers import Hit, Query, Recall
    from evolore.domain.filters import Filter


_NAMED = 5
"""So many sources are named where none fits."""


def render_recall(found: Recall, *, explain: bool, sources: Callable[[], Sequence[str]] = tuple) -> None:
    """Print hits, best first, and where it is asked for what the scores are made of; where there are none, why.

    Args:
        found: What was recalled.
        explain: Whether scores are explained.
        sources: Gives the sources of the documents there are.
    """
    console = open_console()
    if explain:
        console.print(explain_question(found))
        console.print()
    if not found.hits:
        console.print("Nothing found.")
        for line in why_nothing(found, sources):
            console.print(Text(line))
        return
    for hit in found.hits:
        _print_hit(console, hit, found.query)
    if found.query.tokens is not None:
        console.print(_taken(found, found.query.tokens))
    if explain:
        _print_terms(console, found.hits)
    if found.query_id is not None:
        console.print(f"Say whether this served with: evolore rate {found.query_id} good|bad")


def why_nothing(found: Recall, sources: Callable[[], Sequence[str]]) -> Iterator[str]:
    """Say which parts of the filter let nothing through; nothing is said of other namespaces."""
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
                f"`evolore tree {one_line(wanted.source)}` shows them"
                if wanted.source
                else "`evolore tree` shows a document's"
            )
            path = " › ".join(wanted.path) if isinstance(wanted.path, tuple) else wanted.path
            yield f"No passage here stands below {str(path)!r}: {code}."
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


def _print_hit(console: Console, hit: Hit, query: Query) -> None:
    head = Text(one_line(f"{hit.rank}. {hit_place(hit, write_source=short_source)}"), style="bold")
    print_wrapped(console, head + Text(f" score {hit.score:.2f}", style="not bold"))
    if signs := "; ".join(_signs(hit, query.as_of)):
        console.print(Text(f"   {signs}", style="yellow"))
    print_wrapped(console, _with_shared_words(visible(hit.text.strip()), query.text))
    for line in _behind(hit):
        console.print(Text(f"   {one_line(line)}", style="dim"))
    console.print()


def _with_shared_words(text: str, question: str) -> Text:
    """Set what a text has of the question's words in bold, which a pipe does not show."""
    shown = Text(text)
    for start, end in shared_spans(text, question):
        shown.stylize("bold", start, end)
    return shown


def _print_terms(console: Console, hits: Sequence[Hit]) -> None:
    for table in explain_hits(hits, width=console.width):
        console.print(table)
    console.print()
    console.print(SCORE_NOTE)


def _taken(found: Recall, budget: int) -> str:
    taken = f"{'about ' if found.is_estimated else ''}{found.tokens:,} tokens"
    if found.is_over_budget:
        return f"The best hit alone takes {taken}, more than the {budget:,} asked for: it is given whole."
    return f"These take {taken} of {budget:,}."


def _signs(hit: Hit, as_of: datetime | None) -> Iterator[str]:
    """Say what a reader should know of an episode before believing it."""
    episode = hit.episode
    if hit.whole or hit.expansion:
        return
    ended = episode.valid_to
    holds_yet = episode.state is EpisodeState.SUPERSEDED and as_of is not None and ended is not None and ended > as_of
    if not holds_yet and (words := state_words(episode)):
        yield words
    if (count := merged_count(episode, hit.members)) > 1:
        yield f"merged from {count:,} statements"


def _behind(hit: Hit) -> Iterator[str]:
    """Say which episodes stand behind a hit, a line each, so that nothing is hidden."""
    for echo in hit.echoes:
        same = "the same words" if echo.similarity == 1.0 else f"{echo.similarity:.0%} of its words"
        yield f"echo no. {echo.rank}, {same}: {episode_place(echo.episode, write_source=short_source)} {echo.episode.id}"
    for one in hit.expansion.folded if hit.expansion else ():
        yield f"folds no. {one.rank}, score {one.score:.2f}: {one.episode.outline} {one.episode.id}"
    for one in hit.whole.found if hit.whole else ():
        where = one.episode.outline or one.episode.speaker or ""
        yield f"found no. {one.rank}, score {one.score:.2f}: {where} {one.episode.id}"
