"""Mutations: how a chat model is asked for section edits of one document, and what of its reply is taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Annotated

from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.checks import check_text
from evolore.domain.contest import DocumentText
from evolore.domain.evolution import Operator
from evolore.domain.language import language_name
from evolore.errors import InvalidValue
from evolore.evolution import requests
from evolore.evolution.edits import EditKind, SectionEdit, apply_edits, find_section, place_of, refused_edits
from evolore.evolution.proposals import NOTHING_TO_IMPROVE, Proposal, ProposalPlan, next_text
from evolore.text.fences import Data, Prompt, ReplyForm
from evolore.text.sections import Section, read_sections

AIMS = {
    Operator.MUTATION_CLARITY: "clarity",
    Operator.MUTATION_DETAIL: "detail",
    Operator.MUTATION_SIMPLIFY: "simplify",
    Operator.MUTATION_QA_FORMAT: "qa_format",
}
MADE_BEFORE = "made_before"
"""Why there is no candidate where the reply makes an earlier one again."""

_MOST_EDITS = 60
_MOST_EVIDENCE = 40
_LONGEST_REASON = 500
_LONGEST_PLACE = 500
_MOST_ELSEWHERE = 200


class EditReply(ReplyForm):
    """One edit of a reply."""

    kind: EditKind
    place: Annotated[str, Field(max_length=_LONGEST_PLACE)]
    text: str = ""
    reason: Annotated[str, Field(min_length=1, max_length=_LONGEST_REASON)]
    evidence: Annotated[list[str], Field(max_length=_MOST_EVIDENCE)] = []  # noqa: RUF012 - pydantic copies it


class EditsReply(ReplyForm):
    """What a writer's reply must be."""

    edits: Annotated[list[EditReply], Field(max_length=_MOST_EDITS)]


WRITE_PROMPT = Prompt(name="write_edits", version=1, purpose="evolution.write", marks="task", form=EditsReply)


def write_request(instructions: str, plan: ProposalPlan) -> ChatRequest:
    """Ask for section edits of one document.

    The data between ``<task>`` and ``</task>``: ``aim`` (``clarity``, ``detail``, ``simplify``, ``qa_format``),
    ``language`` (its English name), ``most_sections`` (how many may be touched), ``document`` with ``title``,
    ``sections``, each with ``place``, ``path`` (titles joined by " > ") and ``text``, and ``elsewhere`` (the paths of
    sections that are not shown, where the document is too long); ``complaints``, each with
    ``question`` and ``comment``; ``evidence``, each with ``id``, ``source`` and ``text``; ``earlier``, for each earlier
    candidate the list of the section texts it changed. The reply is ``EditsReply``.
    """
    (document,) = plan.documents
    sections = read_sections(document.text, media_type=document.media_type)
    elsewhere: list[Data] = [" > ".join(one.path) for one in sections if one not in plan.shown and one.path]
    data: Data = {
        "aim": AIMS[plan.operator],
        "language": language_name(document.language),
        "most_sections": requests.most_sections(len(sections)),
        "document": {
            "title": document.title,
            "sections": requests.shown_sections(plan.shown),
            "elsewhere": elsewhere[:_MOST_ELSEWHERE],
        },
        "complaints": requests.shown_complaints(plan.complaints),
        "evidence": requests.shown_evidence(plan.evidence),
        "earlier": [_changed(sections, text, document) for text in plan.earlier],
    }
    return WRITE_PROMPT.request(
        instructions, data, most_tokens=requests.reply_tokens([one.text for one in plan.shown]), seed=plan.seed
    )


def _changed(sections: Sequence[Section], text: str, document: DocumentText) -> Data:
    known = {one.text.strip() for one in sections}
    written = read_sections(text, media_type=document.media_type)
    return [one.text.rstrip() for one in written if one.text.strip() not in known]


def read_edits(reply: str, plan: ProposalPlan) -> Proposal | requests.Unusable:
    """Return what the edits of a reply make of the document; or why the reply is not used.

    Only sections that were shown may be touched. Only detail adds, and each of its edits names its evidence.
    """
    (document,) = plan.documents
    read = requests.read_reply(reply, EditsReply)
    if isinstance(read, requests.Unusable):
        return read
    if not read.edits:
        return requests.Unusable(reason=NOTHING_TO_IMPROVE)
    reason = _of_detail(read.edits) if plan.operator is Operator.MUTATION_DETAIL else ""
    reason = reason or _unfit_places(read.edits, document, plan.shown)
    if reason:
        return requests.Unusable(reason=reason)
    edits = read_section_edits(read.edits, document, evidence={one.id for one in plan.evidence})
    if isinstance(edits, requests.Unusable):
        return edits
    text = next_text(document, edits)
    if text.text.split() in [one.split() for one in plan.earlier]:
        return requests.Unusable(reason=MADE_BEFORE)
    return Proposal(operator=plan.operator, texts=(text,), edits=(edits,), prompt=str(WRITE_PROMPT))


def _of_detail(edits: Sequence[EditReply]) -> str:
    for one in edits:
        if one.kind is EditKind.DELETE:
            return f"The edit of {one.place!r} deletes, and detail only adds."
        if not one.evidence:
            return f"The edit of {one.place!r} names no evidence, and detail adds only what evidence says."
    return ""


def _unfit_places(edits: Sequence[EditReply], document: DocumentText, shown: Sequence[Section]) -> str:
    """Return which section may not be touched, or that too many are; nothing where all is well."""
    sections = read_sections(document.text, media_type=document.media_type)
    touched = {one.place: find_section(sections, one.place) for one in edits}
    hidden = next((place for place, section in touched.items() if section is not None and section not in shown), None)
    if hidden is not None:
        return f"{hidden!r} names a section that was not shown."
    if len(touched) > (most := requests.most_sections(len(sections))):
        return (
            f"The reply touches {len(touched)} of {len(sections)} sections, and {most} may be: it is no edit any more."
        )
    return ""


def read_section_edits(
    edits: Sequence[EditReply], document: DocumentText, *, evidence: Collection[str]
) -> tuple[SectionEdit, ...] | requests.Unusable:
    """Return the edits of a reply to a document, in their order, either all or none.

    Edits that change nothing are left out; of the others each must name a section that is there and evidence that was
    given, be written in the document's language, and leave the headings in order.
    """
    sections = read_sections(document.text, media_type=document.media_type)
    made: list[SectionEdit] = []
    for one in edits:
        edit = _edit(one, find_section(sections, one.place), document, evidence=evidence)
        if isinstance(edit, requests.Unusable):
            return edit
        if edit is not None:
            made.append(edit)
    if not made:
        return requests.Unusable(reason=NOTHING_TO_IMPROVE)
    refused = refused_edits(document.text, made, media_type=document.media_type)
    if refused:
        return requests.Unusable(reason=refused[0])
    reason = _of_whole(apply_edits(document.text, made, media_type=document.media_type), document)
    return requests.Unusable(reason=reason) if reason else tuple(made)


def _edit(
    edit: EditReply, section: Section | None, document: DocumentText, *, evidence: Collection[str]
) -> SectionEdit | requests.Unusable | None:
    """Return the edit; None where it would change nothing."""
    if section is None:
        return requests.Unusable(reason=f"{edit.place!r} names no section of the document, or several.")
    if edit.kind is EditKind.REPLACE and edit.text.strip() == section.text.strip():
        return None
    reason = _of_evidence(edit, evidence) or _of_text(edit, section, document)
    if reason:
        return requests.Unusable(reason=reason)
    try:
        return SectionEdit(
            kind=edit.kind,
            place=place_of(section),
            digest=section.digest,
            text=edit.text,
            reason=requests.one_line(edit.reason),
            evidence=tuple(dict.fromkeys(edit.evidence)),
        )
    except InvalidValue as error:
        return requests.Unusable(reason=str(error))


def _of_evidence(edit: EditReply, evidence: Collection[str]) -> str:
    unknown = next((one for one in edit.evidence if one not in evidence), None)
    return (
        ""
        if unknown is None
        else f"The edit of {edit.place!r} names the evidence {unknown[:80]!r}, which was not given."
    )


def _of_text(edit: EditReply, section: Section, document: DocumentText) -> str:
    if edit.kind is EditKind.DELETE:
        return ""
    if len(edit.text) > requests.LONGEST_EDIT:
        return f"The edit of {edit.place!r} writes {len(edit.text):,} characters, and {requests.LONGEST_EDIT:,} may be."
    try:
        check_text(edit.text, f"The edit of {edit.place!r}")
    except InvalidValue as error:
        return str(error)
    if not requests.is_written_in(edit.text, document.language, beside=section.text):
        return f"The edit of {edit.place!r} is not written in the document's language ({language_name(document.language)})."
    return _of_heading(edit, section, document)


def _of_heading(edit: EditReply, section: Section, document: DocumentText) -> str:
    """A section that is replaced keeps a heading of its rank, and nothing written takes sections behind it below itself."""
    if not section.level:
        return ""
    inside = read_sections(edit.text.strip(), media_type=document.media_type)
    if edit.kind is EditKind.INSERT:
        is_above = any(0 < one.level < section.level for one in inside)
        return f"The edit of {edit.place!r} writes a heading above rank {section.level}." if is_above else ""
    if not inside or inside[0].level != section.level:
        return f"The edit of {edit.place!r} does not begin with a heading of rank {section.level}, as the section does."
    if any(0 < one.level <= section.level for one in inside[1:]):
        return f"The edit of {edit.place!r} writes more than one section of rank {section.level} or above."
    return ""


def _of_whole(text: str, document: DocumentText) -> str:
    try:
        check_text(text, "The document with its edits")
    except InvalidValue as error:
        return str(error)
    before = _paths(document.text, document)
    for path, count in _paths(text, document).items():
        if path and count > max(1, before[path]):
            return f"With the edits the heading {' > '.join(path)!r} occurs {count} times: a section was written twice."
    return ""


def _paths(text: str, document: DocumentText) -> Counter[tuple[str, ...]]:
    return Counter(one.path for one in read_sections(text, media_type=document.media_type))
