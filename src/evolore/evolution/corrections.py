"""Corrections and expansions: replace values by evidence and short forms by a glossary; a person decides."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from evolore.domain.contest import EvidenceText
from evolore.domain.document import MediaType
from evolore.domain.language import Language
from evolore.evolution.edits import EditKind, SectionEdit, find_section
from evolore.evolution.gates.claims import changed_claims, content_words, find_opposed, read_claims, reading_of
from evolore.text.protected import protected_spans
from evolore.text.protected.polarity import denials
from evolore.text.protected.weighing import compare_spans
from evolore.text.sections import Section, read_sections
from evolore.text.values import Value

_OWN = "another section of the document"
_STEPS = re.compile(r"^[^\S\n]*(?:\d{1,2}[.)．、]|[（(]\d{1,2}[)）])", re.MULTILINE)
_DIGITS = re.compile(r"\d[\d.,:/-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewValue:
    """What an edit writes instead of a value, as evidence states it, or of a short form, as a glossary has it."""

    before: str  #: As the original writes it.
    after: str  #: As the edit writes it, or what a short form means.
    source: str  #: Where that is stated.
    start: int  #: Where it is in the original.
    evidence_id: str = ""  #: What states it; empty for a short form.

    def __str__(self) -> str:
        became = "became" if self.evidence_id else "is spelled out as"
        return f"{self.before!r} {became} {self.after!r}, as {self.source or self.evidence_id} says"


def corrections_of(
    text: str,
    edits: Sequence[SectionEdit],
    *,
    evidence: Sequence[EvidenceText],
    language: Language,
    media_type: MediaType,
) -> tuple[NewValue, ...]:
    """List the values that edits correct: lost in a section, and there instead another of its kind that its evidence states.

    Args:
        text: The original.
        edits: The edits of it; only those that replace a section can correct anything: by evidence that they name, or by
            what another section of the document states.
        evidence: What they may name.
        language: What all is written in.
        media_type: How the original is marked up.
    """
    sections = read_sections(text, media_type=media_type)
    found: list[NewValue] = []
    for edit in edits:
        section = find_section(sections, edit.place) if edit.kind is EditKind.REPLACE else None
        if section is not None:
            cited = [one for one in evidence if one.id in edit.evidence]
            others = "".join(one.text for one in sections if one is not section)
            own = [EvidenceText(id=_OWN, text=others, source=_OWN)] if others.strip() else []
            values = list(_of_section(section, edit, [*cited, *own], language))
            found += values
            found += _phrases(section, edit, [*cited, *own], language, values)
    return tuple(found)


def corrected(text: str, changes: Sequence[NewValue]) -> str:
    """Return the original with its corrections made, and nothing else: what a candidate is held against.

    Args:
        text: The original.
        changes: What becomes of parts of it; of two that overlap the first counts.
    """
    free = len(text)
    listed = [one for place, one in enumerate(changes) if not any(_overlap(one, first) for first in changes[:place])]
    for one in sorted(listed, key=lambda one: -one.start):
        end = one.start + len(one.before)
        assert end <= free
        text, free = text[: one.start] + one.after + text[end:], one.start
    return text


def _overlap(one: NewValue, other: NewValue) -> bool:
    return one.start < other.start + len(other.before) and other.start < one.start + len(one.before)


def _of_section(
    section: Section, edit: SectionEdit, cited: Sequence[EvidenceText], language: Language
) -> Iterator[NewValue]:
    difference = compare_spans(protected_spans(section.text, language), protected_spans(edit.text, language))
    stated = [(one, {span.canonical for span in protected_spans(one.text, language)}) for one in cited]
    left = [span for span in difference.added if _source(span, stated)]
    steps = {place for found in _STEPS.finditer(section.text) for place in range(*found.span())}
    for lost in difference.lost:
        if lost.span.start in steps:
            continue  # the number of a step moves when another is put in
        fitting = [span for span in left if span.kind is lost.kind and _form(span) == _form(lost)]
        if fitting:
            left.remove(fitting[0])
            source = _source(fitting[0], stated)
            assert source is not None
            yield NewValue(
                before=lost.quote,
                after=fitting[0].quote,
                evidence_id=source.id,
                source=source.source,
                start=section.span.start + lost.span.start,
            )


_WORD = re.compile(r"[A-Za-z0-9\u00c0-\u024f'’-]+|\s+|.", re.DOTALL)
_LEAST_ALIKE = 0.5
_MOST_PHRASES = 2
_LONGEST_PHRASE = 60
_NEAR = 2
"""At most so many unchanged tokens between two replaced ones belong to them: characters two names share by chance."""


def _phrases(
    section: Section, edit: SectionEdit, cited: Sequence[EvidenceText], language: Language, values: Sequence[NewValue]
) -> Iterator[NewValue]:
    """Yield the phrases that evidence replaces in an otherwise unchanged sentence: a name, a place, a day."""
    taken = {(one.start, one.start + len(one.before)) for one in values}
    gone, new = changed_claims(read_claims(section.text, language), read_claims(edit.text, language))
    stated = [(one, frozenset(content_words(one.text, language))) for one in cited]
    for one in gone:
        ways = ((_exchanges(one.text, other.text), other) for other in new)
        alike = [(ratio, swaps) for (ratio, swaps), _ in ways if ratio >= _LEAST_ALIKE and len(swaps) <= _MOST_PHRASES]
        for start, before, after in max(alike, key=lambda way: way[0])[1] if alike else ():
            place = section.span.start + one.span.start + start
            step = _STEPS.match(one.text)
            if step is not None and start < step.end():
                continue
            is_value = any(place < end and begin < place + len(before) for begin, end in taken)
            source = None if is_value else _stating(after, before, stated, language)
            if source is not None:
                yield NewValue(before=before, after=after, evidence_id=source.id, source=source.source, start=place)


def _exchanges(before: str, after: str) -> tuple[float, list[tuple[int, str, str]]]:
    """Return how alike two sentences are, and what is replaced by what: where it is in the first, and both phrases."""
    one, other = _WORD.findall(before), _WORD.findall(after)
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    found: list[tuple[int, int, int, int]] = []
    for tag, start, end, begin, until in matcher.get_opcodes():
        if tag == "equal":
            continue
        if found and start - found[-1][1] <= _NEAR:
            found[-1] = (found[-1][0], end, found[-1][2], until)
        else:
            found.append((start, end, begin, until))
    kept = sum(len("".join(one[block.a : block.a + block.size])) for block in matcher.get_matching_blocks())
    return kept / max(1, min(len(before), len(after))), [
        (len("".join(one[:start])), "".join(one[start:end]), "".join(other[begin:until]))
        for start, end, begin, until in found
    ]


def _stating(
    after: str, before: str, stated: Sequence[tuple[EvidenceText, frozenset[str]]], language: Language
) -> EvidenceText | None:
    """Return the evidence that states what replaces a phrase; None if there is none, or if more than a name changes."""
    is_short = 0 < len(before.strip()) <= _LONGEST_PHRASE and 0 < len(after.strip()) <= _LONGEST_PHRASE
    if not is_short or denials(before, language) or denials(after, language):
        return None
    if find_opposed(reading_of(before, language), reading_of(after, language)) is not None:
        return None
    words, bare = set(content_words(after, language)), _bare(after)
    if not words or words <= set(content_words(before, language)):
        return None
    return next((one for one, known in stated if bare in _bare(one.text) or words <= known), None)


def _bare(text: str) -> str:
    return "".join(sign for sign in _plain(text) if sign.isalnum())


def _source(span: Value, stated: Sequence[tuple[EvidenceText, set[str]]]) -> EvidenceText | None:
    return next((one for one, values in stated if span.canonical in values), None)


def _form(span: Value) -> str:
    """Return what a value is besides its number: its unit, or its form."""
    return _DIGITS.sub("#", span.canonical)


_SENTENCE = re.compile(r"(?<![A-Z])\.\s|[。\n]")
_CLAUSE = re.compile(r"[.;；]|(?:,|，|、)\s*(?:and\s+)?")
_LEAD = re.compile(r"[:：]")
_CAPITAL = re.compile(r"[A-Z]")
_LIST = 3
"""So many explanations in one sentence make a glossary: there a word without capitals counts as a short form too."""

_SAYS = re.compile(
    r"""^\W*(?P<short>[^\s:：=＝是指は]{1,8})
        ['"”」』]?\s*(?:\b(?:is|are|means|stands\sfor)\b|[:：=＝]|就是|是|指的是|指|とは|は|(?=\bthe\b))\s*
        (?:\b(?:the|a|an)\s+)?(?P<long>\S.*?)(?:です|のこと|を指します|の意味です|という意味である)?\W*$""",
    re.VERBOSE,
)
_LONGEST = 60
_QUOTES = "'\"“”「」『』"
_SHORT = re.compile(r"(?=.*[A-Z])[A-Z0-9][A-Z0-9&/+-]{0,7}|(?=.*[A-Z]|\D+$)[A-Z0-9\u3041-\u9fff]{2,4}")
"""Capitals and digits; or up to four signs of Japanese or Chinese, no digit among them but beside capitals."""


def expansions_of(
    text: str, edits: Sequence[SectionEdit], *, evidence: Sequence[EvidenceText], media_type: MediaType
) -> tuple[NewValue, ...]:
    """List the short forms that edits spell out: a section had them, and now has a glossary's words for them.

    Args:
        text: The original.
        edits: The edits of it; only those that replace a section can spell out anything, by evidence that they name, or by
            what another section of the document says.
        evidence: What they may name.
        media_type: How the original is marked up.
    """
    sections = read_sections(text, media_type=media_type)
    found: list[NewValue] = []
    for edit in edits:
        section = find_section(sections, edit.place) if edit.kind is EditKind.REPLACE else None
        if section is None:
            continue
        known = [(one.text, one.source or one.id) for one in evidence if one.id in edit.evidence]
        known += [(one.text, " > ".join(one.path) or "the opening") for one in sections if one is not section]
        found += _expansions_of_section(section, edit.text, known)
    return tuple(found)


def glossary_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the short forms that a text explains and what they mean, each as it writes them.

    >>> list(glossary_of("BH is the backlog, NL the newsletter, and S2 means severity two."))
    [('BH', 'backlog'), ('NL', 'newsletter'), ('S2', 'severity two')]
    """
    for sentence in _SENTENCE.split(text):
        found = [pair for clause in _CLAUSE.split(sentence) for pair in _pair(clause.strip())]
        is_list = len(found) >= _LIST
        yield from (pair for pair in found if is_list or _CAPITAL.search(pair[0]))


def _pair(clause: str) -> Iterator[tuple[str, str]]:
    """Read one explanation: what follows a colon that leads in, else the whole clause."""
    for told in (*_LEAD.split(clause, maxsplit=1)[1:], clause):
        said = _SAYS.match(told.strip())
        short = said["short"].strip(_QUOTES) if said else ""
        if said and len(said["long"]) <= _LONGEST and _SHORT.fullmatch(short):
            yield short, said["long"]
            return


def _expansions_of_section(section: Section, after: str, known: Sequence[tuple[str, str]]) -> Iterator[NewValue]:
    taken: list[tuple[int, int]] = []
    told = [(short, long, source) for text, source in known for short, long in glossary_of(text)]
    for short, long, source in sorted(told, key=lambda one: -len(one[0])):
        if _stands(short, after) or not _is_told(long, after):
            continue
        for found in _standing(short, section.text):
            if not any(start < found[1] and found[0] < end for start, end in taken):
                taken.append(found)
                yield NewValue(
                    before=section.text[found[0] : found[1]],
                    after=long,
                    source=source,
                    start=section.span.start + found[0],
                )


def _is_told(long: str, after: str) -> bool:
    """Return whether most words of what a short form means are there."""
    words = re.findall(r"[a-z0-9]{3,}|[぀-鿿]", _plain(long))
    return bool(words) and 2 * sum(word in _plain(after) for word in words) > len(words)


def _stands(short: str, text: str) -> bool:
    return next(_standing(short, text), None) is not None


def _standing(short: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a short form is, in letters of any width, not as a part of a longer one."""
    ends = {True: "[0-9]", False: "[A-Za-z]" if short[-1].isascii() and short[-1].isalpha() else "(?!)"}
    begins = "(?<![A-Za-z0-9])" if short[0].isascii() else ""
    pattern = rf"{begins}{re.escape(_narrow(short))}(?!{ends[short[-1].isdigit()]})"
    yield from ((one.start(), one.end()) for one in re.finditer(pattern, _narrow(text)))


def _narrow(text: str) -> str:
    """Return a text with letters of half width, as long as it is."""
    return "".join(one if len(one) == 1 else sign for sign in text for one in [unicodedata.normalize("NFKC", sign)])


def _plain(text: str) -> str:
    return _narrow(text).casefold()
