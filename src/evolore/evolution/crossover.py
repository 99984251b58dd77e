"""Crossovers: a chat model makes one document of several, or extracts what they share, and quotes where they disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated

from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.checks import check_text
from evolore.domain.contest import DocumentText
from evolore.domain.evolution import ProposedText
from evolore.domain.language import language_name
from evolore.errors import InvalidValue
from evolore.evolution import requests
from evolore.evolution.edits import EditKind, SectionEdit, find_section, leave_reference, place_of, reference
from evolore.evolution.mutation import EditReply, read_section_edits
from evolore.evolution.proposals import NOTHING_TO_IMPROVE, Clash, Proposal, ProposalPlan, next_text
from evolore.text.alignment import find_quote
from evolore.text.fences import Data, Prompt, ReplyForm
from evolore.text.protected import protected_spans
from evolore.text.protected.weighing import compare_spans
from evolore.text.sections import Section, read_sections, text_digest
from evolore.text.tokens import likeness, text_signature

_MOST_CONFLICTS = 60
_SAME_SECTION = 0.8
_LEAST_DOCUMENTS = 2
_MOST_EDITS = 100
_MOST_TAKEN = 60
_LONGEST_QUOTE = 2_000
_LONGEST_REASON = 500
_LONGEST_TITLE = 120
_UNDERLINES = ({"="}, {"-"})
_SLACK = 500
"""So many characters the common text may have beyond the sections it is made of."""


class ConflictReply(ReplyForm):
    """Two claims that a reply says cannot both be true."""

    first_document: Annotated[int, Field(ge=1)]
    first: Annotated[str, Field(min_length=1, max_length=_LONGEST_QUOTE)]
    second_document: Annotated[int, Field(ge=1)]
    second: Annotated[str, Field(min_length=1, max_length=_LONGEST_QUOTE)]
    reason: Annotated[str, Field(min_length=1, max_length=_LONGEST_REASON)]


def _shown_conflicts(conflicts: Sequence[Clash], documents: Sequence[DocumentText]) -> list[Data]:
    """Return conflicts as they are shown, their documents by number."""
    numbers = {one.document_id: number for number, one in enumerate(documents, start=1)}
    return [
        {
            "first_document": numbers[one.first_document],
            "first": one.first,
            "second_document": numbers[one.second_document],
            "second": one.second,
        }
        for one in conflicts[:_MOST_CONFLICTS]
    ]


def _read_conflicts(
    replies: Sequence[ConflictReply], documents: Sequence[DocumentText], known: Sequence[Clash]
) -> tuple[Clash, ...] | requests.Unusable:
    """Return all conflicts: those a rule found, always, then those of a reply that it did not find.

    A quote that is not in the document it names makes the whole reply unusable: who misquotes may have left out
    what matters.
    """
    found = list(known)
    for reply in replies:
        conflict = _read(reply, documents)
        if isinstance(conflict, requests.Unusable):
            return conflict
        if not any(_is_same(conflict, other) for other in found):
            found.append(conflict)
    return tuple(found)


def _read(reply: ConflictReply, documents: Sequence[DocumentText]) -> Clash | requests.Unusable:
    numbers = (reply.first_document, reply.second_document)
    if max(numbers) > len(documents) or numbers[0] == numbers[1]:
        return requests.Unusable(
            reason=f"The reply lists a conflict of the documents {numbers[0]} and {numbers[1]}: name two others."
        )
    one, other = (documents[number - 1] for number in numbers)
    spans = (find_quote(reply.first, one.text), find_quote(reply.second, other.text))
    for span, quote, number in zip(spans, (reply.first, reply.second), numbers, strict=True):
        if span is None:
            return requests.Unusable(
                reason=f"The reply quotes what is not in document {number}: {requests.one_line(quote)[:80]!r}."
            )
    first, second = spans
    assert first is not None
    assert second is not None
    sections = read_sections(one.text, media_type=one.media_type)
    return Clash(
        path=next((around.path for around in sections if around.span.start <= first.start < around.span.end), ()),
        first=first.of(one.text),
        second=second.of(other.text),
        first_document=one.document_id,
        second_document=other.document_id,
        reason=requests.one_line(reply.reason),
    )


def _is_same(one: Clash, other: Clash) -> bool:
    """Return whether two conflicts are about the same two sentences, in either order; one may quote less of them."""
    straight = (one.first_document, one.second_document) == (other.first_document, other.second_document)
    swapped = (one.first_document, one.second_document) == (other.second_document, other.first_document)
    if straight and _overlap(one.first, other.first) and _overlap(one.second, other.second):
        return True
    return swapped and _overlap(one.first, other.second) and _overlap(one.second, other.first)


def _overlap(one: str, other: str) -> bool:
    return one in other or other in one


def _unsettled(conflicts: Sequence[Clash], documents: Sequence[DocumentText], texts: Sequence[str]) -> str:
    """Return which side of a conflict is gone from the texts a crossover makes; empty if all sides are there.

    A side is there when its sentence is, or what of it must not change: its numbers, dates, names and the like.
    """
    whole = "\n\n".join(texts)
    languages = {one.document_id: one.language for one in documents}
    there = {language: protected_spans(whole, language) for language in set(languages.values())} if conflicts else {}
    sides = [side for one in conflicts for side in ((one.first, one.first_document), (one.second, one.second_document))]
    for side, document in sides:
        if find_quote(side, whole):
            continue
        language = languages[document]
        spans = protected_spans(side, language)
        if not spans or compare_spans(spans, there[language]).lost:
            return (
                f"One side of a conflict is gone, which is for a person to settle: {requests.one_line(side)[:120]!r}."
            )
    return ""


def _request(prompt: Prompt, instructions: str, plan: ProposalPlan, data: Mapping[str, Data]) -> ChatRequest:
    """Ask about documents, numbered from 1, with what is shown besides."""
    documents: list[Data] = [
        {
            "document": number,
            "title": one.title,
            "sections": requests.shown_sections(read_sections(one.text, media_type=one.media_type)),
        }
        for number, one in enumerate(plan.documents, start=1)
    ]
    shown: Data = {"language": language_name(plan.documents[0].language), "documents": documents, **data}
    most_tokens = requests.reply_tokens([one.text for one in plan.documents])
    return prompt.request(instructions, shown, most_tokens=most_tokens, seed=plan.seed)


class MergeReply(ReplyForm):
    """What a reply must be."""

    edits: Annotated[list[EditReply], Field(max_length=_MOST_EDITS)]
    conflicts: Annotated[list[ConflictReply], Field(max_length=_MOST_CONFLICTS)]


MERGE_PROMPT = Prompt(name="merge_documents", version=1, purpose="evolution.merge", marks="documents", form=MergeReply)


def merge_request(instructions: str, plan: ProposalPlan) -> ChatRequest:
    """Ask how the first of several documents takes up all that the others say.

    The data between ``<documents>`` and ``</documents>``: ``language`` of the first (its English name); ``documents``, each
    with ``document`` (its number from 1), ``title`` and ``sections``, each with ``place``, ``path`` and ``text``;
    ``conflicts``, what a rule found, each with ``first_document``, ``first``, ``second_document`` and ``second``;
    ``complaints``, each with ``question`` and ``comment``; ``evidence``, each with ``id``, ``source`` and ``text``. The
    reply is ``MergeReply``.
    """
    data: dict[str, Data] = {
        "conflicts": _shown_conflicts(plan.conflicts, plan.documents),
        "complaints": requests.shown_complaints(plan.complaints),
        "evidence": requests.shown_evidence(plan.evidence),
    }
    return _request(MERGE_PROMPT, instructions, plan, data)


def read_merge(reply: str, plan: ProposalPlan) -> Proposal | requests.Unusable:
    """Return what a reply makes of the first document, with references to it in the others; or why nothing of it is used.

    Of every conflict both sides must be in the merged text: which of them holds is for a person, and the other
    documents are about to go. The evidence of an edit names what was given, and of sections of the other documents the
    document's id and the place: ``ID#2.1``.
    """
    read = requests.read_reply(reply, MergeReply)
    if isinstance(read, requests.Unusable):
        return read
    if not read.edits:
        return requests.Unusable(reason=NOTHING_TO_IMPROVE)
    first, *others = plan.documents
    ids = {  # by what a reply calls a section of another document: ``2:1.1``
        f"{number}:{place_of(section)}": f"{one.document_id}#{place_of(section)}"
        for number, one in enumerate(others, start=2)
        for section in read_sections(one.text, media_type=one.media_type)
    }
    made = read_section_edits(read.edits, first, evidence={*ids, *(one.id for one in plan.evidence)})
    if isinstance(made, requests.Unusable):
        return made
    conflicts = _read_conflicts(read.conflicts, plan.documents, plan.conflicts)
    if isinstance(conflicts, requests.Unusable):
        return conflicts
    edits = tuple(replace(one, evidence=tuple(ids.get(name, name) for name in one.evidence)) for one in made)
    merged = next_text(first, edits)
    reason = _unsettled(conflicts, plan.documents, [merged.text])
    if reason:
        return requests.Unusable(reason=reason)
    left = [leave_reference(one, title=first.title, source=first.source) for one in others]
    return Proposal(
        operator=plan.operator,
        texts=(merged, *map(next_text, others, left)),
        edits=(edits, *left),
        conflicts=conflicts,
        prompt=str(MERGE_PROMPT),
    )


class TakenReply(ReplyForm):
    """A section whose text goes to the new document."""

    document: Annotated[int, Field(ge=1)]
    place: str
    rest: str = ""
    reason: Annotated[str, Field(min_length=1, max_length=_LONGEST_REASON)]


class ExtractReply(ReplyForm):
    """What a reply must be."""

    title: Annotated[str, Field(max_length=_LONGEST_TITLE)]
    text: str
    taken: Annotated[list[TakenReply], Field(max_length=_MOST_TAKEN)]
    conflicts: Annotated[list[ConflictReply], Field(max_length=_MOST_CONFLICTS)]


EXTRACT_PROMPT = Prompt(
    name="extract_common", version=1, purpose="evolution.extract", marks="documents", form=ExtractReply
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    number: int
    section: Section
    reply: TakenReply


def extract_request(instructions: str, plan: ProposalPlan) -> ChatRequest:
    """Ask which sections documents have in common, and for the text that says it once.

    The data between ``<documents>`` and ``</documents>``: ``language`` of the first (its English name); ``documents``, each
    with ``document`` (its number from 1), ``title`` and ``sections``, each with ``place``, ``path`` and ``text``;
    ``alike``, pairs of sections that a rule finds nearly the same, each with ``first_document``, ``first_place``,
    ``second_document`` and ``second_place``; ``conflicts``, what a rule found, each with ``first_document``, ``first``,
    ``second_document`` and ``second``; ``evidence``, each with ``id``, ``source`` and ``text``. The reply is
    ``ExtractReply``.
    """
    data: dict[str, Data] = {
        "alike": _alike(plan.documents),
        "conflicts": _shown_conflicts(plan.conflicts, plan.documents),
        "evidence": requests.shown_evidence(plan.evidence),
    }
    return _request(EXTRACT_PROMPT, instructions, plan, data)


def _alike(documents: Sequence[DocumentText]) -> list[Data]:
    return [
        {
            "first_document": first,
            "first_place": place_of(ours),
            "second_document": second,
            "second_place": place_of(theirs),
        }
        for (first, one), (second, other) in combinations(enumerate(documents, start=1), 2)
        for ours, theirs in common_sections(one.text, other.text)
    ]


def read_extract(reply: str, plan: ProposalPlan) -> Proposal | requests.Unusable:
    """Return what a reply makes of the documents, or why nothing of it is used.

    The edits of the documents are ours: a section that goes keeps its heading, what the reply says only this document has,
    and a reference. Of every conflict between the sections that go, both sides must be in what is written.
    """
    documents = plan.documents
    read = requests.read_reply(reply, ExtractReply)
    if isinstance(read, requests.Unusable):
        return read
    if not read.taken:
        return requests.Unusable(reason=NOTHING_TO_IMPROVE)
    taken = _taken(read.taken, documents)
    if isinstance(taken, requests.Unusable):
        return taken
    reason = _of_text(read, taken, documents[0]) or _of_rests(taken, documents)
    if reason:
        return requests.Unusable(reason=reason)
    here = [one for one in plan.conflicts if _is_among(one, taken, documents)]
    conflicts = _read_conflicts(read.conflicts, documents, here)
    return conflicts if isinstance(conflicts, requests.Unusable) else _extracted(plan, read, taken, conflicts)


def _taken(replies: Sequence[TakenReply], documents: Sequence[DocumentText]) -> tuple[_Taken, ...] | requests.Unusable:
    found: dict[tuple[int, str], _Taken] = {}
    for one in replies:
        if one.document > len(documents):
            return requests.Unusable(
                reason=f"The reply takes a section of document {one.document}, and there are {len(documents)}."
            )
        document = documents[one.document - 1]
        section = find_section(read_sections(document.text, media_type=document.media_type), one.place)
        if section is None:
            return requests.Unusable(reason=f"{one.place!r} names no section of document {one.document}, or several.")
        key = (one.document, place_of(section))
        if key in found:
            return requests.Unusable(
                reason=f"The reply takes the section {one.place!r} of document {one.document} twice."
            )
        found[key] = _Taken(number=one.document, section=section, reply=one)
    if len({number for number, _ in found}) < _LEAST_DOCUMENTS:
        return requests.Unusable(
            reason="The reply takes sections of one document alone: what is in common is in two at least."
        )
    return tuple(found.values())


def _of_text(reply: ExtractReply, taken: Sequence[_Taken], first: DocumentText) -> str:
    """Return what is wrong with the text of the new document."""
    most = min(requests.LONGEST_EDIT, sum(len(one.section.text) for one in taken) + _SLACK)
    if len(reply.text) > most:
        return f"The common text has {len(reply.text):,} characters, and {most:,} may be."
    try:
        check_text(reply.text, "The common text")
        check_text(_title(reply), "The title of the common text")
    except InvalidValue as error:
        return str(error)
    if not requests.is_written_in(f"{reply.title}\n\n{reply.text}", first.language):
        return f"The common text is not written in the documents' language ({language_name(first.language)})."
    if any(one.level == 1 for one in read_sections(reply.text)):
        return "The common text has a heading of rank 1: that is its title."
    return ""


def _title(reply: ExtractReply) -> str:
    return requests.one_line(reply.title).lstrip("# ")


def _of_rests(taken: Sequence[_Taken], documents: Sequence[DocumentText]) -> str:
    for one in taken:
        rest, document = one.reply.rest, documents[one.number - 1]
        if not rest.strip():
            continue
        if len(rest) > len(one.section.text) + _SLACK or any(part.level for part in read_sections(rest)):
            return f"The rest of {one.reply.place!r} is longer than the section was, or has headings."
        if "\x00" in rest or not requests.is_written_in(rest, document.language, beside=one.section.text):
            return f"The rest of {one.reply.place!r} is not written in its document's language."
    return ""


def _is_among(conflict: Clash, taken: Sequence[_Taken], documents: Sequence[DocumentText]) -> bool:
    """Return whether both sides of a conflict are in sections that go."""
    sides = ((conflict.first, conflict.first_document), (conflict.second, conflict.second_document))
    return all(
        any(documents[one.number - 1].document_id == document and side in one.section.text for one in taken)
        for side, document in sides
    )


def _extracted(
    plan: ProposalPlan, reply: ExtractReply, taken: Sequence[_Taken], conflicts: tuple[Clash, ...]
) -> Proposal | requests.Unusable:
    title = _title(reply)
    text = f"# {title}\n\n{reply.text.strip()}\n"
    new = ProposedText(text=text, source=f"extracted/{text_digest(text)}.md", title=title)
    changed = [
        (
            one,
            tuple(
                _edit(some, reference("extracted", title, new.source, one.language))
                for some in taken
                if some.number == number
            ),
        )
        for number, one in enumerate(plan.documents, start=1)
        if any(some.number == number for some in taken)
    ]
    texts = (new, *(next_text(one, edits) for one, edits in changed))
    reason = _unsettled(conflicts, plan.documents, [one.text for one in texts])
    if reason:
        return requests.Unusable(reason=reason)
    return Proposal(
        operator=plan.operator,
        texts=texts,
        edits=((), *(edits for _, edits in changed)),
        conflicts=conflicts,
        prompt=str(EXTRACT_PROMPT),
    )


def _edit(taken: _Taken, reference: str) -> SectionEdit:
    """Return the edit by which a document leaves a section to another document."""
    section = taken.section
    kept = [_heading(section) if section.level else "", taken.reply.rest.strip(), reference]
    return SectionEdit(
        kind=EditKind.REPLACE,
        place=place_of(section),
        digest=section.digest,
        text="\n\n".join(filter(None, kept)),
        reason=requests.one_line(taken.reply.reason),
    )


def _heading(section: Section) -> str:
    """Return the lines of a section's heading: one, or two where the second underlines the first."""
    lines = section.text.splitlines()
    is_underlined = len(lines) > 1 and not lines[0].lstrip().startswith("#") and set(lines[1].strip()) in _UNDERLINES
    return "\n".join(lines[:2] if is_underlined else lines[:1])


def common_sections(first: str, second: str) -> tuple[tuple[Section, Section], ...]:
    """Pair the sections that two documents share: under one heading, or with nearly one text.

    Returns:
        In the order of the first, each section at most once.
    """
    theirs = [one for one in read_sections(second) if one.body]
    found: list[tuple[Section, Section]] = []
    for one in read_sections(first):
        likely = max(theirs, key=lambda other: _likeness(one, other), default=None) if one.body else None
        if likely is not None and _likeness(one, likely) >= _SAME_SECTION:
            found.append((one, likely))
            theirs.remove(likely)
    return tuple(found)


def _likeness(one: Section, other: Section) -> float:
    return likeness(text_signature(one.body), text_signature(other.body))
