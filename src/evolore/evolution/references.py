"""References: what a document says where its text went to another document, in its own language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.knowledge import MediaType
from evolore.domain.language import Language
from evolore.evolution.edits import EditKind, SectionEdit, place_of
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from evolore.domain.proposing import DocumentText

_MERGED = {
    Language.EN: "This document is now part of “{title}” ({source}).",
    Language.JA: "この文書は「{title}」({source})に統合されました。",
    Language.ZH: "本文档已并入“{title}”({source})。",
}
_EXTRACTED = {
    Language.EN: "See “{title}” ({source}).",
    Language.JA: "「{title}」({source})を参照してください。",
    Language.ZH: "请参阅“{title}”({source})。",
}
_WHY_MERGED = {
    Language.EN: "Its text is now part of “{title}”.",
    Language.JA: "本文は「{title}」に統合されました。",
    Language.ZH: "其内容已并入“{title}”。",
}


def merged_reference(title: str, source: str, language: Language) -> str:
    """Say that a document is part of another now.

    >>> merged_reference("Refunds", "refunds.md", Language.EN)
    'This document is now part of “Refunds” (refunds.md).'
    """
    return _said(_MERGED, title, source, language)


def extracted_reference(title: str, source: str, language: Language) -> str:
    """Say where a section's text stands now.

    >>> extracted_reference("返金", "refunds.md", Language.JA)
    '「返金」(refunds.md)を参照してください。'
    """
    return _said(_EXTRACTED, title, source, language)


def leave_reference(document: DocumentText, *, title: str, source: str) -> tuple[SectionEdit, ...]:
    """Give the edits by which nothing is left of a document but its title and where its text went.

    Args:
        document: Which; it has a text.
        title: What the other document is called.
        source: Where it comes from.
    """
    reason = _said(_WHY_MERGED, title, source, document.language)
    said = merged_reference(title, source, document.language)
    heading = f"# {document.title}" if document.media_type is MediaType.MARKDOWN else document.title
    first, *others = read_sections(document.text, media_type=document.media_type)
    kept = SectionEdit(
        kind=EditKind.REPLACE,
        place=place_of(first),
        digest=first.digest,
        text=f"{heading}\n\n{said}" if document.title.strip() else said,
        reason=reason,
    )
    gone = (SectionEdit(kind=EditKind.DELETE, place=place_of(one), digest=one.digest, reason=reason) for one in others)
    return (kept, *gone)


def _said(table: dict[Language, str], title: str, source: str, language: Language) -> str:
    words = table.get(language, table[Language.EN])
    return words.format(title=" ".join(title.split()) or source, source=" ".join(source.split()))
