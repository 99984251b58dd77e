"""Damage counters: what a rewrite changes, loses or adds beside what its edits name, computed from both texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evolore.domain.document import MediaType
from evolore.domain.language import Language
from evolore.evolution.claim_changes import ClaimChange
from evolore.evolution.edits import EditKind, SectionEdit, find_section
from evolore.evolution.gates.markup import markup_gate
from evolore.text.protected.sides import Variant
from evolore.text.sections import Section, read_sections
from evolore.text.values import SpanKind
from evolore.text.values.marks import FENCE

_VALUES = frozenset({SpanKind.NUMBER, SpanKind.DATE, SpanKind.TIME})
_NO_ANCHOR = re.compile(r"[^\w\- ]")
_TARGET = re.compile(r"\]\(#(?P<anchor>[^)\s]+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """Counters of what a new text changes, loses or adds against its base."""

    stray_bytes: int  #: Bytes changed in sections that no edit names, in UTF-8.
    values_lost: tuple[str, ...]  #: Numbers, dates, times and amounts of the base that the new text has in no notation.
    #: Sentences that are added, and values, that no evidence bears out.
    unproved: tuple[str, ...]
    links_lost: tuple[str, ...]  #: Addresses that are gone, links that are broken, and links to headings that are gone.
    code_changed: int  #: Code blocks of the base that the new text does not have, character for character.
    anchors_lost: tuple[str, ...]  #: Anchors of headings, as GitHub makes them, that the new text does not have.
    length_before: int  #: Characters of the base.
    length_after: int  #: Characters of the new text.


def count_damage(
    before: str,
    after: str,
    *,
    edits: Sequence[SectionEdit],
    claims: Sequence[ClaimChange],
    language: Language,
    evidence: Sequence[str] = (),
    media_type: MediaType = MediaType.MARKDOWN,
) -> Damage:
    """Count what a new text does to its base.

    >>> from evolore.domain.language import Language
    >>> found = count_damage("Wait 30 s.", "Wait.", edits=(), claims=(), language=Language.EN)
    >>> (found.values_lost, found.stray_bytes)
    (('30 s',), 10)
    """
    sections = read_sections(before, media_type=media_type)
    theirs = read_sections(after, media_type=media_type)
    ours, new = Variant((before,), language), Variant((after,), language)
    anchors, kept = list(anchors_of(sections)), set(anchors_of(theirs))
    added = [said for one in claims if not (one.before or one.evidence) for said in one.after if said[0] != "#"]
    values = _missing(new, Variant((before, *evidence), language), _VALUES)
    broken = (one.quote for one in markup_gate(before, after).findings if one.reason.startswith("A link"))
    dead = (f"#{one}" for one in anchors if one not in kept and one in _TARGET.findall(after))
    return Damage(
        stray_bytes=_stray_bytes(sections, after, edits),
        values_lost=tuple(_missing(ours, new, _VALUES)),
        unproved=(*added, *(one for one in values if not any(one in said for said in added))),
        links_lost=(*_missing(ours, new, frozenset({SpanKind.URL, SpanKind.EMAIL})), *broken, *dead),
        code_changed=(_listings(before) - _listings(after)).total(),
        anchors_lost=tuple(one for one in anchors if one not in kept),
        length_before=len(before),
        length_after=len(after),
    )


def anchors_of(sections: Iterable[Section]) -> Iterator[str]:
    r"""Yield the anchor of each heading as GitHub makes it: small letters, hyphens for spaces, a number where it repeats.

    >>> list(anchors_of(read_sections("# What's new?\n\n## 返金 1\n\n## 返金 1\n")))
    ['whats-new', '返金-1', '返金-1-1']
    """
    seen = Counter[str]()
    for section in sections:
        if section.level:
            anchor = _NO_ANCHOR.sub("", section.path[-1].strip().lower()).replace(" ", "-")
            yield f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor
            seen[anchor] += 1


def _stray_bytes(sections: Sequence[Section], after: str, edits: Sequence[SectionEdit]) -> int:
    """Count the bytes of sections that no edit replaces or deletes, and that the new text does not have in order."""
    named = [find_section(sections, edit.place) for edit in edits if edit.kind is not EditKind.INSERT]
    count = place = 0
    for section in sections:
        if section not in named:
            found = after.find(section.text, place)
            count += len(section.text.encode()) if found < 0 else 0
            place = place if found < 0 else found + len(section.text)
    return count


def _missing(one: Variant, other: Variant, kinds: frozenset[SpanKind]) -> Iterator[str]:
    return (span.quote.strip() for span in one.spans if span.kind in kinds and not (span.is_soft or other.says(span)))


def _listings(text: str) -> Counter[str]:
    return Counter(match["inside"] for match in FENCE.finditer(text))
