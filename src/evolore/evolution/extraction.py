"""Extract: how a chat model is asked for what documents have in common, and what of its reply is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.checks import check_text
from evolore.domain.contest import DocumentText
from evolore.domain.evolution import ProposedText
from evolore.domain.language import language_name
from evolore.errors import InvalidValue
from evolore.evolution.crossover import (
    MOST_CONFLICTS,
    Clash,
    ConflictReply,
    common_sections,
    read_conflicts,
    shown_conflicts,
    shown_documents,
    unsettled,
)
from evolore.evolution.edits import EditKind, SectionEdit, extracted_reference, find_section, place_of
from evolore.evolution.proposals import NOTHING_TO_IMPROVE, Proposal, ProposalPlan, next_text
from evolore.evolution.requests import (
    LONGEST_EDIT,
    PromptName,
    ReplyForm,
    Unusable,
    is_written_in,
    one_line,
    read_reply,
    reply_tokens,
    shown_evidence,
)
from evolore.text.fences import Data, fenced_request
from evolore.text.sections import Section, read_sections, text_digest

EXTRACT_PROMPT = PromptName(name="extract_common", version=1)
_LEAST_DOCUMENTS = 2
_MOST_TAKEN = 60
_LONGEST_TITLE = 120
_LONGEST_REASON = 500
_UNDERLINES = ({"="}, {"-"})
_SLACK = 500
"""So many characters the common text may have beyond the sections it is made of."""


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
    conflicts: Annotated[list[ConflictReply], Field(max_length=MOST_CONFLICTS)]


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
    data: Data = {
        "language": language_name(plan.documents[0].language),
        "documents": shown_documents(plan.documents),
        "alike": _alike(plan.documents),
        "conflicts": shown_conflicts(plan.conflicts, plan.documents),
        "evidence": shown_evidence(plan.evidence),
    }
    return fenced_request(
        "evolution.extract",
        instructions,
        ("documents", data),
        schema=ExtractReply.model_json_schema(),
        most_tokens=reply_tokens([one.text for one in plan.documents]),
        version=EXTRACT_PROMPT.version,
        seed=plan.seed,
    )


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


def read_extract(reply: str, plan: ProposalPlan) -> Proposal | Unusable:
    """Return what a reply makes of the documents, or why nothing of it is used.

    The edits of the documents are ours: a section that goes keeps its heading, what the reply says only this document has,
    and a reference. Of every conflict between the sections that go, both sides must stand in what is written.
    """
    documents = plan.documents
    read = read_reply(reply, ExtractReply)
    if isinstance(read, Unusable):
        return read
    if not read.taken:
        return Unusable(reason=NOTHING_TO_IMPROVE)
    taken = _taken(read.taken, documents)
    if isinstance(taken, Unusable):
        return taken
    reason = _of_text(read, taken, documents[0]) or _of_rests(taken, documents)
    if reason:
        return Unusable(reason=reason)
    here = [one for one in plan.conflicts if _is_among(one, taken, documents)]
    conflicts = read_conflicts(read.conflicts, documents, here)
    return conflicts if isinstance(conflicts, Unusable) else _extracted(plan, read, taken, conflicts)


def _taken(replies: Sequence[TakenReply], documents: Sequence[DocumentText]) -> tuple[_Taken, ...] | Unusable:
    found: dict[tuple[int, str], _Taken] = {}
    for one in replies:
        if one.document > len(documents):
            return Unusable(
                reason=f"The reply takes a section of document {one.document}, and there are {len(documents)}."
            )
        document = documents[one.document - 1]
        section = find_section(read_sections(document.text, media_type=document.media_type), one.place)
        if section is None:
            return Unusable(reason=f"{one.place!r} names no section of document {one.document}, or several.")
        key = (one.document, place_of(section))
        if key in found:
            return Unusable(reason=f"The reply takes the section {one.place!r} of document {one.document} twice.")
        found[key] = _Taken(number=one.document, section=section, reply=one)
    if len({number for number, _ in found}) < _LEAST_DOCUMENTS:
        return Unusable(
            reason="The reply takes sections of one document alone: what is in common stands in two at least."
        )
    return tuple(found.values())


def _of_text(reply: ExtractReply, taken: Sequence[_Taken], first: DocumentText) -> str:
    """Return what is wrong with the text of the new document."""
    most = min(LONGEST_EDIT, sum(len(one.section.text) for one in taken) + _SLACK)
    if len(reply.text) > most:
        return f"The common text has {len(reply.text):,} characters, and {most:,} may be."
    try:
        check_text(reply.text, "The common text")
        check_text(_title(reply), "The title of the common text")
    except InvalidValue as error:
        return str(error)
    if not is_written_in(f"{reply.title}\n\n{reply.text}", first.language):
        return f"The common text is not written in the documents' language ({language_name(first.language)})."
    if any(one.level == 1 for one in read_sections(reply.text)):
        return "The common text has a heading of rank 1: that is its title."
    return ""


def _title(reply: ExtractReply) -> str:
    return one_line(reply.title).lstrip("# ")


def _of_rests(taken: Sequence[_Taken], documents: Sequence[DocumentText]) -> str:
    for one in taken:
        rest, document = one.reply.rest, documents[one.number - 1]
        if not rest.strip():
            continue
        if len(rest) > len(one.section.text) + _SLACK or any(part.level for part in read_sections(rest)):
            return f"The rest of {one.reply.place!r} is longer than the section was, or has headings."
        if "\x00" in rest or not is_written_in(rest, document.language, beside=one.section.text):
            return f"The rest of {one.reply.place!r} is not written in its document's language."
    return ""


def _is_among(conflict: Clash, taken: Sequence[_Taken], documents: Sequence[DocumentText]) -> bool:
    """Return whether both sides of a conflict stand in sections that go."""
    sides = ((conflict.first, conflict.first_document), (conflict.second, conflict.second_document))
    return all(
        any(documents[one.number - 1].document_id == document and side in one.section.text for one in taken)
        for side, document in sides
    )


def _extracted(
    plan: ProposalPlan, reply: ExtractReply, taken: Sequence[_Taken], conflicts: tuple[Clash, ...]
) -> Proposal | Unusable:
    title = _title(reply)
    text = f"# {title}\n\n{reply.text.strip()}\n"
    new = ProposedText(text=text, source=f"extracted/{text_digest(text)}.md", title=title)
    changed = [
        (
            one,
            tuple(
                _edit(some, extracted_reference(title, new.source, one.language))
                for some in taken
                if some.number == number
            ),
        )
        for number, one in enumerate(plan.documents, start=1)
        if any(some.number == number for some in taken)
    ]
    texts = (new, *(next_text(one, edits) for one, edits in changed))
    reason = unsettled(conflicts, plan.documents, [one.text for one in texts])
    if reason:
        return Unusable(reason=reason)
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
        reason=one_line(taken.reply.reason),
    )


def _heading(section: Section) -> str:
    """Return the lines of a section's heading: one, or two where the second underlines the first."""
    lines = section.text.splitlines()
    is_underlined = len(lines) > 1 and not lines[0].lstrip().startswith("#") and set(lines[1].strip()) in _UNDERLINES
    return "\n".join(lines[:2] if is_underlined else lines[:1])
