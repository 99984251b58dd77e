"""How values look on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evolore.cli.labels import write_pairs
from evolore.cli.printing import one_line, visible
from evolore.domain.episodes import Episode
from evolore.domain.knowledge import Document

if TYPE_CHECKING:
    from evolore.domain.answers import Hit, Recall, Reranking
    from evolore.flows.browse import Listing
    from evolore.ports import Receipt, StoreStats

_LINE = 70


def _console() -> Console:
    return Console(highlight=False, soft_wrap=True)


def render_recall(found: Recall, *, explain: bool) -> None:
    """Print hits, best first."""
    console = _console()
    if explain:
        console.print(Text(_intent(found), style="dim"))
    if found.reranking is not None and (explain or found.reranking.failure):
        console.print(Text(_reranking(found.reranking), style="dim"))
    if explain:
        console.print()
    if not found.hits:
        console.print("Nothing found.")
    for hit in found.hits:
        console.print(Text(one_line(f"{hit.rank}. {_hit_place(hit)}"), style="bold"), Text(f"score {hit.score:.2f}"))
        console.print(Text(visible(hit.text.strip())))
        for line in _folded(hit):
            console.print(Text(line, style="dim"))
        if explain:
            console.print(Text(_terms(hit), style="dim"))
        console.print()


def _intent(found: Recall) -> str:
    said = f"intent {found.intent}, confidence {found.intent_confidence:.2f}"
    if found.is_intent_by_chat_model:
        return f"{said}, by the chat model"
    return f"{said}, by the rules: {one_line(found.intent_reason)}" if found.intent_reason else said


def _reranking(report: Reranking) -> str:
    name = one_line(report.name)
    return (
        f"not reranked by {name}: {one_line(report.failure)}"
        if report.failure
        else f"{report.items} reranked by {name}"
    )


def _hit_place(hit: Hit) -> str:
    """Say where what is shown stands: an expansion, or the episode."""
    if hit.expansion is None:
        return _place(hit.episode)
    wider = hit.expansion
    path = " › ".join(dict.fromkeys((hit.episode.title or "", *wider.heading_path)))
    whole = wider.outline or "the whole document"
    return f"{path} ({hit.episode.source}, {whole}, characters {wider.span.start}–{wider.span.end})"


def _folded(hit: Hit) -> list[str]:
    """Say which hits stand behind an expansion, a line each, so that nothing is hidden."""
    if hit.expansion is None:
        return []
    return [
        f"   folds no. {one.rank}, score {one.score:.2f}: {one.episode.outline} {one.episode.id}"
        for one in hit.expansion.folded
    ]


def _place(episode: Episode) -> str:
    if episode.document_id is None:
        said = [episode.speaker, episode.session, _day(episode)]
        return " · ".join(part for part in said if part) or "statement"
    path = " › ".join(dict.fromkeys((episode.title or "", *episode.heading_path)))
    span = f", characters {episode.span.start}–{episode.span.end}" if episode.span else ""
    return f"{path} ({episode.source}, {episode.outline}{span})"


def _day(episode: Episode) -> str:
    return (episode.occurred_at or episode.recorded_at).date().isoformat()


def _terms(hit: Hit) -> str:
    return f"   {hit.score:+.3f} = " + " ".join(f"{term.value:+.3f} {term.name}" for term in hit.terms)


def render_listing(listing: Listing) -> None:
    """Print documents and statements, a line each."""
    console = _console()
    for document in listing.documents:
        console.print(Text(item_line(document)))
    for statement in listing.statements:
        console.print(Text(item_line(statement)))
    if not listing.documents and not listing.statements:
        console.print("Nothing here.")


def item_line(item: Document | Episode) -> str:
    """Say in one line what an item is."""
    if isinstance(item, Document):
        return f"{item.id}  document   {one_line(item.title)}  ({one_line(item.source)}, {_count(item.episode_count, 'passage')})"
    text = one_line(item.text)
    shown = text if len(text) <= _LINE else text[: _LINE - 1] + "…"
    who = f"{one_line(item.speaker)}: " if item.speaker else ""
    return f"{item.id}  {item.kind.value:9}  {_day(item)}  {who}{shown}"


def render_item(item: Document | Episode) -> None:
    """Print everything known of one item."""
    console = _console()
    table = Table.grid(padding=(0, 2))
    for name, value in _facts(item).items():
        table.add_row(Text(name, style="dim"), Text(value))
    console.print(table)
    if isinstance(item, Episode):
        console.print()
        console.print(Text(visible(item.text)))


def _facts(item: Document | Episode) -> dict[str, str]:
    if isinstance(item, Document):
        facts: dict[str, object] = {
            "id": item.id,
            "title": item.title,
            "source": item.source,
            "kind": item.media_type,
            "language": item.language,
            "characters": f"{item.characters:,}",
            "version": item.version,
            "recorded at": item.recorded_at.isoformat(),
            "passages": item.episode_count,
        }
    else:
        facts = {
            "id": item.id,
            "kind": item.kind,
            "place": _place(item),
            "language": item.language,
            "speaker": item.speaker,
            "session": item.session,
            "about": " / ".join(item.about) if item.about else None,
            "occurred at": item.occurred_at and item.occurred_at.isoformat(),
            "recorded at": item.recorded_at.isoformat(),
            "state": item.state,
            "confidence": item.confidence,
            "arousal": item.arousal,
        }
    facts |= {"metadata": write_pairs(item.metadata) or None, "tags": ", ".join(item.tags) or None}
    return {name: one_line(str(value)) for name, value in facts.items() if value is not None}


def render_stats(counted: StoreStats) -> None:
    """Print the counts."""
    table = Table.grid(padding=(0, 2))
    for name, value in (
        ("namespace", counted.namespace),
        ("documents", f"{counted.documents:,}"),
        ("chunks", f"{counted.chunks:,} ({counted.leaves:,} of them leaves)"),
        ("statements", f"{counted.statements:,}"),
        ("sessions", f"{counted.sessions:,}"),
        ("characters", f"{counted.characters:,}"),
        ("to review", f"{counted.open_review_items:,}"),
        ("events", f"{counted.events:,}"),
        ("embedding model", f"{counted.model.id} ({counted.model.dimension} dimensions)"),
    ):
        table.add_row(Text(name, style="dim"), Text(value))
    _console().print(table)


def receipt_line(receipt: Receipt) -> str:
    """Count in one line what a receipt is for."""
    counts = (
        _count(receipt.documents, "document"),
        _count(receipt.episodes, "episode"),
        _count(receipt.payloads, "text"),
        _count(receipt.vectors, "vector"),
        *([_count(receipt.review_items, "review item")] if receipt.review_items else []),
    )
    return ", ".join(counts)


def render_receipt(receipt: Receipt) -> None:
    """Print what was erased, or would be."""
    if receipt.is_dry_run:
        _console().print(f"Would erase {receipt_line(receipt)}. Nothing was changed.")
        return
    _console().print(
        f"Erased {receipt_line(receipt)}. Event {receipt.event_id}. Backups and exports made earlier are not covered."
    )
    if receipt.lingering_in:
        _console().print(
            f"{', '.join(receipt.lingering_in)} may still hold erased bytes: another process reads or writes, or the disk "
            "has no room. Once that is over, `evolore doctor --repair` takes them out."
        )


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"
