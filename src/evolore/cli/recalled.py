"""How what was recalled looks on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from evolore.cli.explaining import SCORE_NOTE, explain_hits, explain_question
from evolore.cli.printing import one_line, open_console, visible
from evolore.cli.show import merged_count, state_words
from evolore.domain.citing import episode_place, hit_place
from evolore.domain.episodes import EpisodeState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from rich.console import Console

    from evolore.domain.answers import Hit, Recall

_NOTHING_SEARCHED = "Nothing found. Nothing was searched: check --store, --namespace and what narrows the search."


def render_recall(found: Recall, *, explain: bool) -> None:
    """Print hits, best first, and where it is asked for what the scores are made of."""
    console = open_console()
    if explain:
        console.print(explain_question(found))
        console.print()
    if not found.hits:
        console.print("Nothing found." if found.searched else _NOTHING_SEARCHED)
        return
    for hit in found.hits:
        _print_hit(console, hit, found.query.as_of)
    if found.query.tokens is not None:
        console.print(_taken(found, found.query.tokens))
    if explain:
        _print_terms(console, found.hits)
    if found.query_id is not None:
        console.print(f"Say whether this served with: evolore rate {found.query_id} good|bad")


def _print_hit(console: Console, hit: Hit, as_of: datetime | None) -> None:
    console.print(Text(one_line(f"{hit.rank}. {hit_place(hit)}"), style="bold"), Text(f"score {hit.score:.2f}"))
    if signs := "; ".join(_signs(hit, as_of)):
        console.print(Text(f"   {signs}", style="yellow"))
    console.print(Text(visible(hit.text.strip())))
    for line in _behind(hit):
        console.print(Text(f"   {one_line(line)}", style="dim"))
    console.print()


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
        yield f"echo no. {echo.rank}, {same}: {episode_place(echo.episode)} {echo.episode.id}"
    for one in hit.expansion.folded if hit.expansion else ():
        yield f"folds no. {one.rank}, score {one.score:.2f}: {one.episode.outline} {one.episode.id}"
    for one in hit.whole.found if hit.whole else ():
        where = one.episode.outline or one.episode.speaker or ""
        yield f"found no. {one.rank}, score {one.score:.2f}: {where} {one.episode.id}"
