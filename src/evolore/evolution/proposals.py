"""Candidates as operators make them: their input, the conflicts between documents, and the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from evolore.domain.contest import Complaint, DocumentText, EvidenceText
from evolore.domain.evolution import Operator, ProposedText
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.evolution.edits import SectionEdit, apply_edits
from evolore.evolution.requests import sections_to_show
from evolore.text.protected import protected_spans
from evolore.text.protected.weighing import compare_spans
from evolore.text.scripts import detect_language
from evolore.text.sections import Section, read_sections
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import likeness, text_signature

CROSSOVERS = frozenset({Operator.CROSSOVER_MERGE, Operator.CROSSOVER_EXTRACT})
NOTHING_TO_IMPROVE = "nothing_to_improve"
_LEAST_CROSSED = 2
_SAME_MATTER = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Two sentences about one matter that say different things."""

    path: tuple[str, ...]  #: The headings of the section where the first is.
    first: str  #: The first document's sentence.
    second: str  #: The second document's sentence.
    first_says: tuple[str, ...] = ()  #: What only the first says: its protected spans, as they are written.
    second_says: tuple[str, ...] = ()  #: The same of the second.
    first_document: str = ""  #: The id of the first document; empty if unknown.
    second_document: str = ""  #: The id of the second.
    reason: str = ""  #: What a chat model said of it; empty for one that a rule found.


@dataclass(frozen=True, kw_only=True)
class ProposalPlan:
    """What a candidate is to be made of, and how.

    Raises:
        InvalidValue: Too few documents or too many.
    """

    operator: Operator  #: How.
    #: What is rewritten: one for a mutation, two or more for a crossover, of which a merge keeps the first.
    documents: tuple[DocumentText, ...]
    seed: int  #: What makes the reply the same again, and that of another candidate another.
    complaints: tuple[Complaint, ...] = ()  #: What people said of answers; never evidence.
    evidence: tuple[EvidenceText, ...] = ()  #: Passages from elsewhere that may be cited.
    #: Texts of candidates that were made before: what they changed is not to be written again. Only mutations look at
    #: them; the novelty gate looks at all.
    earlier: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.documents)
        if self.operator in CROSSOVERS and count < _LEAST_CROSSED:
            raise InvalidValue(f"{self.operator.value} has {count} documents: name at least {_LEAST_CROSSED}.")
        if self.operator not in CROSSOVERS and count != 1:
            raise InvalidValue(f"{self.operator.value} has {count} documents: name one.")
        if len({one.document_id for one in self.documents}) != count:
            raise InvalidValue(f"{self.operator.value} names a document twice: name each once.")

    @cached_property
    def shown(self) -> tuple[Section, ...]:
        """The sections of the first document that a mutation shows and may touch; none where not one is short enough."""
        return sections_to_show(self.documents[0], self.complaints, self.evidence)

    @cached_property
    def conflicts(self) -> tuple[Clash, ...]:
        """What a rule finds that the documents say differently."""
        return find_conflicts(self.documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A candidate."""

    operator: Operator  #: How it was made.
    texts: tuple[ProposedText, ...]  #: The next text of each document it changes, and of a new one.
    #: For each text the edits it results from, each with its reason and evidence; none for a new document.
    edits: tuple[tuple[SectionEdit, ...], ...]
    #: Where documents of a crossover disagree, for a person to settle; both sides are in its texts.
    conflicts: tuple[Clash, ...] = ()
    prompt: str = ""  #: With which words it was asked for; empty where no model was, as in versions before.
    model: str = ""  #: Which model wrote it; empty if not recorded.
    length_ratio: float = 1.0  #: Its length, with that of the originals as 1.
    candidate: str = ""  #: Its number in its job, from 1, as text; empty before it has one.


def next_text(document: DocumentText, edits: Sequence[SectionEdit]) -> ProposedText:
    """Return the next text of a document, as edits make it."""
    text = apply_edits(document.text, edits, media_type=document.media_type)
    return ProposedText(text=text, document_id=document.document_id, base_version=document.version)


def find_conflicts(documents: Sequence[DocumentText]) -> tuple[Clash, ...]:
    """List where documents speak of one matter and say different things, pair by pair, by their protected spans.

    Two sentences are of one matter when they share most of their words. Nothing is decided: which of the two holds
    is for a person.
    """
    return tuple(conflict for one, other in combinations(documents, 2) for conflict in _conflicts(one, other))


def _conflicts(one: DocumentText, other: DocumentText) -> Iterator[Clash]:
    language = detect_language(one.text)
    theirs = [(sentence, _matter(sentence)) for _, sentence in _sentences(other.text, language)]
    for path, sentence in _sentences(one.text, language):
        twin, share = _likest(_matter(sentence), theirs)
        if share < _SAME_MATTER:
            continue
        difference = compare_spans(protected_spans(sentence, language), protected_spans(twin, language))
        if difference.lost and difference.added:
            yield Clash(
                path=path,
                first=sentence,
                second=twin,
                first_says=tuple(span.quote for span in difference.lost),
                second_says=tuple(span.quote for span in difference.added),
                first_document=one.document_id,
                second_document=other.document_id,
            )


def _matter(sentence: str) -> frozenset[str]:
    return text_signature(sentence, without_numbers=True)


def _likest(matter: frozenset[str], sentences: Sequence[tuple[str, frozenset[str]]]) -> tuple[str, float]:
    """Return the first sentence that is most like one, and how much; no sentence where there is none."""
    shares = [likeness(matter, other) for _, other in sentences]
    best = max(shares, default=0.0)
    return (sentences[shares.index(best)][0], best) if shares else ("", 0.0)


def _sentences(text: str, language: Language) -> Iterator[tuple[tuple[str, ...], str]]:
    for section in read_sections(text):
        for span in sentence_spans(section.body, language=language):
            sentence = span.of(section.body).strip()
            if sentence:
                yield section.path, sentence
