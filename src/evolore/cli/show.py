"""Display of documents, statements, counts and receipts on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from evolore.cli.printing import (
    counted,
    facts_table,
    lingering_lines,
    open_console,
    print_wrapped,
    short_source,
    shortened,
)
from evolore.cli.session import write_pairs
from evolore.domain.citation import episode_day, episode_place
from evolore.domain.document import Document
from evolore.domain.episode import Episode, EpisodeState
from evolore.errors import NotFound
from evolore.text.display import one_line, visible

if TYPE_CHECKING:
    from rich.table import Table

    from evolore.flows.browse import Listing
    from evolore.flows.expire import Expired
    from evolore.memory import Memory
    from evolore.ports import Receipt, StoreStats

_INDENT = 2


def render_listing(listing: Listing) -> None:
    """Print documents and statements, a line each; on a terminal wrapped to its width."""
    console = open_console()
    for item in (*listing.documents, *listing.statements):
        print_wrapped(console, Text(item_line(item)), indent=_INDENT)
    if not listing.documents and not listing.statements:
        console.print("Nothing here.")


def sources_in(memory: Memory) -> list[str]:
    """List the sources of the documents there are, oldest first."""
    return [document.source for document in memory.list(limit=1).documents]


def source_of(memory: Memory, document_id: str) -> str:
    """Return what a document is called from here, on one line; its id where it was erased meanwhile."""
    try:
        document = memory.show(document_id)
    except NotFound:
        return document_id
    return short_source(document.source) if isinstance(document, Document) else document_id


def item_line(item: Document | Episode) -> str:
    """Describe in one line what an item is."""
    if isinstance(item, Document):
        return f"{item.id}  document   {one_line(item.title)}  ({short_source(item.source)}, {counted(item.episode_count, 'passage')})"
    who = f"{one_line(item.speaker)}: " if item.speaker else ""
    kind, state = "procedure" if item.is_procedure else item.kind.value, state_words(item)
    return f"{item.id}  {kind:9}  {episode_day(item)}  {who}{shortened(item.text)}{state and f'  ({state})'}"


def render_item(item: Document | Episode, *, members: Sequence[Episode] = (), heads: Sequence[str] = ()) -> None:
    """Print everything known of one item."""
    console = open_console()
    console.print(facts_table((_facts(item) | _structure(item, members, heads)).items()))
    if isinstance(item, Episode):
        console.print()
        print_wrapped(console, Text(visible(item.text)))


def _of_document(item: Document) -> dict[str, object]:
    return {
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


def _of_episode(item: Episode) -> dict[str, object]:
    return {
        "id": item.id,
        "kind": item.kind,
        "place": episode_place(item, write_source=short_source),
        "language": item.language,
        "speaker": item.speaker,
        "session": item.session,
        "about": " / ".join(item.about) if item.about else None,
        "occurred at": item.occurred_at and item.occurred_at.isoformat(),
        "recorded at": item.recorded_at.isoformat(),
        "holds from": item.valid_from and item.valid_from.isoformat(),
        "holds to": item.valid_to and item.valid_to.isoformat(),
        "state": state_words(item) or item.state.value,
        "confidence": item.confidence,
        "arousal": item.arousal,
    }


def _facts(item: Document | Episode) -> dict[str, str]:
    facts = _of_document(item) if isinstance(item, Document) else _of_episode(item)
    facts |= {"metadata": write_pairs(item.metadata) or None, "tags": ", ".join(item.tags) or None}
    return {name: one_line(str(value)) for name, value in facts.items() if value is not None}


def state_words(episode: Episode) -> str:
    """Describe an episode that is out of date, or waits for a person; return nothing for one that holds."""
    if episode.state is EpisodeState.SUPERSEDED:
        return f"superseded {episode.valid_to.date().isoformat()}" if episode.valid_to else "superseded"
    if episode.state is EpisodeState.CONFLICT_PENDING:
        return "in conflict: evolore review list"
    return ""


def merged_count(episode: Episode, members: Sequence[Episode]) -> int:
    """Count the statements that an episode says: those it was made of, or itself and what only repeats it."""
    return len(members) + (not episode.is_made) if members else 0


def _structure(item: Document | Episode, members: Sequence[Episode], heads: Sequence[str]) -> dict[str, str]:
    """Return what was merged into an episode, and what replaces it."""
    if isinstance(item, Document):
        return {}
    facts: dict[str, str] = {}
    if members:
        ids = [one.id for one in members]
        ids = ids if item.is_made else sorted({item.id, *ids})
        facts["merged" if len(ids) > 1 else "split from"] = "\n".join((counted(len(ids), "statement"), *ids))
    if heads and item.id not in heads:
        facts["split into" if len(heads) > 1 else "merged into"] = "\n".join(heads)
    return facts


_BY_RULE = "{} superseded by a rule of an earlier version: evolore maintain --redecide --dry-run"


def _maintained(stats: StoreStats) -> str:
    when = "never" if stats.maintained_at is None else f"{stats.maintained_at:%Y-%m-%d %H:%M} UTC"
    return f"{when}; {stats.changed:,} changed since" if stats.changed else when


def render_stats(stats: StoreStats) -> Iterator[Table]:
    """Yield the counts."""
    hidden, rules = stats.hidden_statements, stats.superseded_by_rule
    merged = f" ({hidden:,} more merged into others, split or taken back)" if hidden else ""
    facts = (
        ("namespace", stats.namespace),
        ("documents", f"{stats.documents:,}"),
        ("chunks", f"{stats.chunks:,} ({stats.leaves:,} of them leaves)"),
        ("statements", f"{stats.statements:,}{merged}"),
        *([("to decide again", _BY_RULE.format(counted(rules, "statement")))] if rules else []),
        ("sessions", f"{stats.sessions:,}"),
        ("characters", f"{stats.characters:,}"),
        ("to review", f"{stats.open_review_items:,}"),
        *_questions(stats),
        *_evolution(stats),
        ("maintained", _maintained(stats)),
        ("events", f"{stats.events:,}"),
        ("embedding model", f"{stats.model.id} ({stats.model.dimension} dimensions)"),
    )
    yield facts_table(facts)


def _questions(stats: StoreStats) -> list[tuple[str, str]]:
    """Return how many questions were recorded, where any was."""
    if not stats.queries:
        return []
    waiting, rated = counted(stats.waiting_query_edges, "edge"), counted(stats.ratings, "rating")
    return [("questions", f"{stats.queries:,} ({rated}, {waiting} waiting)")]


def _evolution(stats: StoreStats) -> list[tuple[str, str]]:
    """Return how many answers were made and what resulted, where there are any."""
    said = [("answers", f"{stats.answers:,}")] if stats.answers else []
    if stats.feedback:
        said.append(("feedback", f"{stats.feedback:,}"))
    if stats.open_jobs or stats.promotions:
        taken = f"{counted(stats.open_jobs, 'job')} open, {counted(stats.promotions, 'change')} taken over"
        said.append(("evolution", taken))
    return said


def receipt_line(receipt: Receipt) -> str:
    """Count in one line what a receipt is for."""
    counts = (
        counted(receipt.documents, "document"),
        counted(receipt.episodes, "episode"),
        counted(receipt.payloads, "text"),
        counted(receipt.vectors, "vector"),
        *([counted(receipt.review_items, "review item")] if receipt.review_items else []),
        *([counted(receipt.answers, "answer")] if receipt.answers else []),
        *([counted(receipt.feedback, "piece of feedback", "pieces of feedback")] if receipt.feedback else []),
        *([counted(receipt.queries, "question")] if receipt.queries else []),
        *([counted(receipt.comments, "comment")] if receipt.comments else []),
        *([counted(receipt.ratings, "rating of an answer", "ratings of answers")] if receipt.ratings else []),
        *([counted(receipt.facts, "fact")] if receipt.facts else []),
    )
    again = f"; {counted(receipt.freed, 'statement')} merged with it to be separate again" if receipt.freed else ""
    asked = f"; {counted(receipt.kept_queries, 'question')} about it kept" if receipt.kept_queries else ""
    return ", ".join(counts) + again + asked


def render_receipt(receipt: Receipt) -> Iterator[str]:
    """Yield what was erased, or would be."""
    if receipt.is_dry_run:
        yield f"Would erase {receipt_line(receipt)}. Nothing was changed."
        return
    yield f"Erased {receipt_line(receipt)}. Event {receipt.event_id}. Backups and exports made earlier are not covered."
    yield from lingering_lines(receipt.lingering_in)


def render_expired(done: Expired) -> Iterator[str]:
    """Yield what was over, and its receipt."""
    return iter(["Nothing is over by these rules."]) if done.receipt is None else render_receipt(done.receipt)
