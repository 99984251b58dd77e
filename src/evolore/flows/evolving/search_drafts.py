"""The drafts of a search: a document with some of its sections rewritten, and how each did."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evolore.domain.evolving import ProposedText
from evolore.evolution.edits import apply_edits, place_of
from evolore.evolution.reflecting import EarlierRewrite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evolore.domain.proposing import DocumentText
    from evolore.domain.searching import SearchTrace
    from evolore.evolution.edits import SectionEdit
    from evolore.text.sections import Section

_SHOWN_EARLIER = 4


@dataclass(slots=True, kw_only=True)
class Draft:
    """The document as some texts of its sections make it.

    Args:
        proposed: All of it.
        edits: What it changes of the document as it is; none for that itself.
        refusals: Why the free gates refuse it; none where they let it pass, and None before they were asked.
        traces: How it did, by question.
    """

    proposed: ProposedText
    edits: tuple[SectionEdit, ...]
    refusals: tuple[str, ...] | None = None
    traces: dict[str, SearchTrace] = field(default_factory=dict["str", "SearchTrace"])

    @property
    def score(self) -> float:
        """How it did on the mean of the questions it was tried by."""
        scores = [one.score for one in self.traces.values()]
        return sum(scores) / len(scores) if scores else 0.0

    @property
    def earlier(self) -> EarlierRewrite:
        """What whoever writes the next one is told of it."""
        told = self.refusals or tuple(f"{one.question}: {one.feedback}" for one in self.traces.values())
        return EarlierRewrite(sections=tuple(one.text.rstrip() for one in self.edits), found="\n".join(told))


class Drafts:
    """All that a search made of one document.

    Args:
        document: As it is.
        shown: The sections that may be rewritten.
    """

    def __init__(self, document: DocumentText, shown: Sequence[Section]) -> None:
        self._document = document
        self._sections = {place_of(one): one for one in shown}
        self._why: dict[tuple[str, str], SectionEdit] = {}
        self._made: dict[str, Draft] = {}

    def learn(self, edits: Sequence[SectionEdit], parent: Draft) -> None:
        """Keep why sections were rewritten, and by what evidence: also by that of what they were rewritten from."""
        before = {one.place: one.evidence for one in parent.edits}
        for one in edits:
            evidence = tuple(dict.fromkeys((*one.evidence, *before.get(one.place, ()))))
            self._why[one.place, one.text.strip()] = replace(one, evidence=evidence)

    def of(self, texts: Mapping[str, str]) -> Draft:
        """Give the draft that texts of sections make; the same one each time."""
        changed = [
            (section, texts[place].strip())
            for place, section in self._sections.items()
            if texts[place].strip() != section.text.strip()
        ]
        edits = tuple(replace(self._why[place_of(section), text], digest=section.digest) for section, text in changed)
        whole = apply_edits(self._document.text, edits, media_type=self._document.media_type)
        if whole not in self._made:
            document = self._document
            text = ProposedText(text=whole, document_id=document.document_id, base_version=document.version)
            self._made[whole] = Draft(proposed=text, edits=edits)
        return self._made[whole]

    @property
    def rewrites(self) -> tuple[Draft, ...]:
        """All but the document as it is, in the order they were made."""
        return tuple(one for one in self._made.values() if one.edits)

    @property
    def earlier(self) -> tuple[EarlierRewrite, ...]:
        """What whoever writes the next one is told of the last ones."""
        return tuple(one.earlier for one in self.rewrites[-_SHOWN_EARLIER:])

    def best(self, found: Sequence[Mapping[str, str]], *, most: int) -> tuple[Draft, ...]:
        """Give the drafts that are worth proposing, the best first.

        Those that a search found, as it ranks them; where it let none pass, the one that did best of all that were tried: what
        a search accepts decides nothing.
        """
        chosen = {one.proposed.text: one for one in map(self.of, found) if one.edits}
        if not chosen:
            tried = sorted(self.rewrites, key=lambda one: (bool(one.refusals), -one.score))[:1]
            chosen = {one.proposed.text: one for one in tried}
        return tuple(chosen.values())[:most]
