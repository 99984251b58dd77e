"""What a candidate changes, line by line; and, where a document moved meanwhile, what that changed and how both fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import TYPE_CHECKING

from evolore.errors import InvalidValue
from evolore.evolution.edits import apply_edits, refused_edits
from evolore.flows.evolving.viewing import chosen_of, view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.evolving import ProposedText
    from evolore.evolution.edits import SectionEdit
    from evolore.flows.context import Context
    from evolore.ports import StoreReader


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDiff:
    """What a candidate changes in one document.

    Args:
        document_id: Which; None for a new one.
        source: Where it came from.
        base_version: The version it was computed against; 0 for a new one.
        version: The version the document has now; None where it is not there.
        lines: What changes, as a unified diff.
        edits: The edits, with reasons and evidence.
        others: What others changed since, as a unified diff; None where nobody did.
        merged: The document as it is now with the candidate's edits made in it; None where that cannot be.
        conflicts: Why not: what the candidate edits and others changed.
    """

    document_id: str | None
    source: str
    base_version: int
    version: int | None
    lines: tuple[str, ...]
    edits: tuple[SectionEdit, ...] = ()
    others: tuple[str, ...] | None = None
    merged: str | None = None
    conflicts: tuple[str, ...] = ()


def diff(context: Context, job_id: str, *, candidate: str = "") -> tuple[TextDiff, ...]:
    """Show what a candidate changes, by default the one that won or is put before a person.

    Raises:
        NotFound: There is no such job.
        AmbiguousId: It begins several ids.
        InvalidValue: It has no such candidate.
    """
    job = view(context, job_id)
    chosen = chosen_of(job, candidate)
    with context.store.read(context.namespace) as reader:
        return tuple(_of_text(reader, text, edits) for text, edits in zip(chosen.texts, chosen.edits, strict=True))


def rebased_text(reader: StoreReader, text: ProposedText, edits: Sequence[SectionEdit]) -> ProposedText:
    """Give a proposed text as its edits make it in the document as it is now.

    Raises:
        InvalidValue: The document is not there any more, or an edit is about what has changed.
    """
    if text.document_id is None:
        return text
    document = reader.document(text.document_id)
    if document is None:
        raise InvalidValue(f"The document {text.document_id} is not there any more: it was forgotten.")
    present = reader.document_text(document.id)
    assert present is not None
    refused = refused_edits(present, edits, media_type=document.media_type)
    if refused or not edits:
        why = refused[0].reason if refused else "it was not made by edits"
        raise InvalidValue(f"The candidate does not fit the document as it is now: {why}")
    return replace(
        text, text=apply_edits(present, edits, media_type=document.media_type), base_version=document.version
    )


def _of_text(reader: StoreReader, text: ProposedText, edits: Sequence[SectionEdit]) -> TextDiff:
    if text.document_id is None:
        return TextDiff(
            document_id=None,
            source=text.source,
            base_version=0,
            version=None,
            lines=difference_lines("", text.text, text.source),
        )
    document = reader.document(text.document_id)
    base = reader.document_text(text.document_id, text.base_version) or ""
    source = text.document_id if document is None else document.source
    shown = TextDiff(
        document_id=text.document_id,
        source=source,
        base_version=text.base_version,
        version=None if document is None else document.version,
        lines=difference_lines(base, text.text, source),
        edits=tuple(edits),
    )
    if document is None or document.version == text.base_version:
        return shown
    present = reader.document_text(document.id) or ""
    refused = refused_edits(present, edits, media_type=document.media_type)
    merged = apply_edits(present, edits, media_type=document.media_type) if edits and not refused else None
    conflicts = tuple(one.reason for one in refused)
    return replace(shown, others=difference_lines(base, present, source), merged=merged, conflicts=conflicts)


def difference_lines(before: str, after: str, name: str) -> tuple[str, ...]:
    """Give what changes between two texts as a unified diff; the name of both has no slash before it."""
    name = name.lstrip("/")  # "a//docs/page.md" is no path anybody wrote
    found = unified_diff(
        before.splitlines(), after.splitlines(), fromfile=f"a/{name}", tofile=f"b/{name}", lineterm="", n=2
    )
    return tuple(found)
