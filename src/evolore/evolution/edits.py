"""Section edits: how a document is changed, section by section, each change with its reason and its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from evolore.domain.contest import DocumentText
from evolore.domain.document import MediaType
from evolore.domain.evolution import ProposedText
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.text.sections import Section, read_sections
from evolore.text.word_files import read_words


class EditKind(StrEnum):
    """What an edit does with its section."""

    REPLACE = "replace"
    INSERT = "insert"
    DELETE = "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionEdit:
    """A change of one section.

    Raises:
        InvalidValue: A deletion that writes, another edit that writes nothing, or no reason.
    """

    #: Replace the section's own text, heading included; insert a section behind it and all below it; or delete it.
    kind: EditKind
    #: Which section: its outline code, such as "2.1"; or the titles above it, its own last, joined by " > ", where only
    #: one section has them. Empty for what is before the first heading.
    place: str
    digest: str  #: The digest of the section's text as it was when the edit was made.
    reason: str  #: Why, for the person who approves.
    text: str = ""  #: What is written; empty for a deletion.
    evidence: tuple[str, ...] = ()  #: The ids of what it relies on.

    def __post_init__(self) -> None:
        if self.kind is EditKind.DELETE and self.text:
            raise InvalidValue(f"The deletion of {self.place!r} writes a text: leave it empty, or replace the section.")
        if self.kind is not EditKind.DELETE and not self.text.strip():
            raise InvalidValue(f"The edit of {self.place!r} writes nothing: write a text, or delete the section.")
        if not self.reason.strip():
            raise InvalidValue(f"The edit of {self.place!r} has no reason: say why the section is changed.")


def place_of(section: Section) -> str:
    """Return what names a section independently of its titles: its outline code, or nothing for the opening."""
    return str(section.code) if section.code else ""


def find_section(sections: Sequence[Section], place: str) -> Section | None:
    """Find the section that a place names; None where none has it, or several."""
    named = [one for one in sections if place in {place_of(one), " > ".join(one.path)} and (place or not one.code)]
    return named[0] if len(named) == 1 else None


def refused_edits(
    text: str, edits: Sequence[SectionEdit], *, media_type: MediaType = MediaType.MARKDOWN
) -> tuple[str, ...]:
    """List the edits that cannot be applied: those of no section, of one that has changed, and those that overlap."""
    sections = read_sections(text, media_type=media_type)
    named = [(edit, find_section(sections, edit.place)) for edit in edits]
    wanted = Counter((edit.kind is EditKind.INSERT, section) for edit, section in named)
    gone = {section for edit, section in named if edit.kind is EditKind.DELETE}
    refused: list[str] = []
    for edit, section in named:
        reason = _unfit(edit, section, sections)
        if not reason and wanted[edit.kind is EditKind.INSERT, section] > 1:
            reason = f"Two edits overlap at the section {edit.place!r}: join them into one."
        if not reason and edit.kind is EditKind.DELETE and section:
            reason = _orphaning(edit, [one for one in sections if one.is_below(section) and one not in gone])
        if reason:
            refused.append(reason)
    return tuple(refused)


def apply_edits(text: str, edits: Sequence[SectionEdit], *, media_type: MediaType = MediaType.MARKDOWN) -> str:
    """Return the document as its edits make it; their order does not matter.

    Sections that no edit names stay as they are, character for character. The white space behind a section is the
    document's own, and so is how its lines end.

    Raises:
        InvalidValue: An edit cannot be applied; ``refused_edits`` lists them all.
    """
    refused = refused_edits(text, edits, media_type=media_type)
    if refused:
        raise InvalidValue(refused[0])
    sections = read_sections(text, media_type=media_type)
    if not sections:
        return text
    gap = gap_of(text)
    changes = {(edit.kind is EditKind.INSERT, find_section(sections, edit.place)): edit for edit in edits}
    inserts = {
        _last_below(section, sections): edit for (is_insert, section), edit in changes.items() if is_insert and section
    }
    written: list[str] = []
    for index, section in enumerate(sections):
        is_last = index == len(sections) - 1
        edit = changes.get((False, section))
        written.append(section.text if edit is None else _written(edit, section, gap, is_last=is_last))
        if index in inserts:
            before, own = gap_behind("".join(written), gap), _lines(inserts[index].text, gap)
            written += [before, own, gap[: len(gap) // 2] if is_last else gap]
    return "".join(written)


def _unfit(edit: SectionEdit, section: Section | None, sections: Sequence[Section]) -> str:
    if section is None:
        several = [str(one.code) for one in sections if " > ".join(one.path) == edit.place and one.code]
        if len(several) > 1:
            return f"{edit.place!r} names {len(several)} sections: use one of the codes {', '.join(several)}."
        return f"{edit.place!r} names no section of the document: use a code or a path of headings that it has."
    if section.digest != edit.digest:
        return (
            f"The section {edit.place!r} has the digest {section.digest}, and the edit was made for {edit.digest}: "
            "make it again from the section as it is now."
        )
    return ""


def _orphaning(edit: SectionEdit, left: Sequence[Section]) -> str:
    codes = ", ".join(str(one.code) for one in left)
    return f"Deleting {edit.place!r} would leave {codes} without the heading above: delete these too." if left else ""


def _last_below(section: Section, sections: Sequence[Section]) -> int:
    return max(index for index, one in enumerate(sections) if one == section or one.is_below(section))


def _written(edit: SectionEdit, section: Section, gap: str, *, is_last: bool) -> str:
    if edit.kind is EditKind.DELETE:
        return ""
    own = section.text[len(section.text.rstrip()) :]
    return _lines(edit.text, gap) + (own if is_last or own else gap)


def gap_of(text: str) -> str:
    """Return what a document puts between its sections: a blank line, with lines ended as all of it ends them."""
    return "\r\n\r\n" if "\r\n" in text and "\n" not in text.replace("\r\n", "") else "\n\n"


def gap_behind(text: str, gap: str) -> str:
    """Return what is missing of the gap behind a text; nothing behind none."""
    if not text or text.endswith(("\n\n", gap)):
        return ""
    return gap[: len(gap) // 2] if text.endswith("\n") else gap


def _lines(text: str, gap: str) -> str:
    plain = text.strip("\r\n").rstrip().replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if gap.startswith("\r") else plain


def leave_reference(document: DocumentText, *, title: str, source: str) -> tuple[SectionEdit, ...]:
    """Return the edits by which nothing is left of a document but its title and where its text went."""
    reason = reference("why_merged", title, source, document.language)
    said = reference("merged", title, source, document.language)
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


def both_changed(title: str, language: Language) -> tuple[str, str]:
    """Return the note that a section was promoted and changed at its source, and what to do.

    >>> from evolore.domain.language import Language
    >>> both_changed("Time", Language.EN)[0]
    "“Time” was promoted, and its source changed it too. The source's text stands."
    """
    words = read_words("evolore.evolution", "references", language).texts
    shown = " ".join(title.split()) or words["opening"]
    return words["both_changed"].format(title=shown), words["both_changed_settle"]


def reference(sentence: str, title: str, source: str, language: Language) -> str:
    """Return a sentence that names where a text is now.

    >>> from evolore.domain.language import Language
    >>> reference("merged", "Refunds", "refunds.md", Language.EN)
    'This document is now part of “Refunds” (refunds.md).'
    >>> reference("extracted", "返金", "refunds.md", Language.JA)
    '「返金」(refunds.md)を参照してください。'
    """
    words = read_words("evolore.evolution", "references", language).texts[sentence]
    return words.format(title=" ".join(title.split()) or source, source=" ".join(source.split()))


_BETWEEN = "\n\n"


def compared_texts(documents: Sequence[DocumentText], texts: Sequence[ProposedText]) -> tuple[str, str]:
    """Return what the documents say before a candidate and after it, each as one text.

    A document that the candidate leaves alone is on both sides, and a new one on the second. Of several documents the
    titles come first on both sides: a crossover may name them. References that it leaves behind are no claims: they
    are ours, and left out where they are in a line of their own.
    """
    proposed = {one.document_id: one.text for one in texts if one.document_id is not None}
    new = [one.text for one in texts if one.document_id is None]
    ours = frozenset(_references(documents, texts))
    titles = [one.title for one in documents] if len(documents) > 1 else []
    after = [*new, *(proposed.get(one.document_id, one.text) for one in documents)]
    return (
        _BETWEEN.join([*titles, *(one.text for one in documents)]),
        _BETWEEN.join([*titles, *(_without(text, ours) for text in after)]),
    )


def _references(documents: Sequence[DocumentText], texts: Sequence[ProposedText]) -> Iterator[str]:
    for document in documents:
        yield reference("merged", documents[0].title, documents[0].source, document.language)
        for one in texts:
            if one.document_id is None:
                yield reference("extracted", one.title, one.source, document.language)


def _without(text: str, ours: frozenset[str]) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if line.strip() not in ours)
