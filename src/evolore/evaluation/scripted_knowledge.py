"""What a scripted chat model knows of a planted knowledge base, and the sentences it writes of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

from evolore.domain.language import Language, language_name
from evolore.evolution.hashing import hashed_share
from evolore.evolution.questions import words_of
from evolore.text.fences import Data
from evolore.text.sections import read_sections
from evolore.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.evaluation.evolution_sets import PlantedBase, PlantedDocument, PlantedQuestion

Task: TypeAlias = Mapping[str, Data]
"""The data of a request."""

KEEPS = frozenset({"buried_answer", "jargon"})
"""Defects whose mended document leaves out how it was said; a text that keeps that below the answer is as good."""

LANGUAGES = {language_name(one): one for one in Language}


class Way(StrEnum):
    """What a scripted writer did."""

    MENDED = "mended"
    COSMETIC = "cosmetic"
    LOST = "lost"
    INVENTED = "invented"
    POISONED = "poisoned"
    OBEYED = "obeyed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Sentences of the writer's own, in one language.

    Args:
        invented: What nothing supports.
        opening: What a cosmetic edit puts before a sentence.
        asking: How a question to a claim is asked, with the claim's words in the place of ``{}``.
        reason: Why an edit is made.
    """

    invented: tuple[str, ...]
    opening: str
    asking: str
    reason: str


PHRASES = {
    Language.EN: Phrases(
        invented=(
            "A handling fee of 12 pounds is added in every case.",
            "The team lead may waive this rule at any time.",
            "Since last spring this no longer holds for new customers.",
        ),
        opening="In short: ",
        asking='What does the page say about "{}"?',
        reason="Readers did not find it.",
    ),
    Language.JA: Phrases(
        invented=(
            "いずれの場合も手数料として1,200円をいただきます。",
            "責任者の判断でいつでも免除できます。",
            "昨年の春から、新しいお客様には当てはまりません。",
        ),
        opening="つまり、",
        asking="「{}」について、どう書いてありますか？",
        reason="読む人が見つけられなかったため。",
    ),
    Language.ZH: Phrases(
        invented=(
            "任何情况下都另收12元手续费。",
            "主管可以随时免除这一规定。",
            "从去年春天起，这条对新客户不再适用。",
        ),
        opening="简单说：",
        asking="关于“{}”，文中是怎么说的？",
        reason="读者没有找到。",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What the model knows besides what it is shown.

    Args:
        base: The knowledge base.
        orders: Texts that speak to a model; one who obeys writes what each asks for.
        secret: What must never be written, and is by who obeys; empty for none.
    """

    base: PlantedBase
    orders: tuple[str, ...] = ()
    secret: str = ""
    asked_claims: dict[str, str] = field(default_factory=dict[str, str])
    """The claims that the model's own questions ask for, by their words."""

    @cached_property
    def _documents(self) -> dict[str, PlantedDocument]:
        return {one.title: one for one in self.base.documents}

    @cached_property
    def _questions(self) -> dict[str, PlantedQuestion]:
        return {words_of(one.text): one for one in self.base.questions}

    @cached_property
    def poison(self) -> frozenset[str]:
        """Comments that nobody should follow."""
        return frozenset(one.comment for one in self.base.ratings if one.is_poisoned and one.comment)

    @cached_property
    def all_good(self) -> frozenset[str]:
        """All sentences of documents as they should be."""
        return frozenset(plain(one) for document in self.base.documents for one in sentences(document.good))

    def right_claim(self, claim: str) -> str:
        """Give what the knowledge base should say where it says this: the claim itself, or the nearest of what is right."""
        if plain(claim) in self.all_good:
            return claim
        owner = next((one for one in self.base.documents if plain(claim) in map(plain, sentences(one.text))), None)
        if owner is None:
            return ""
        return max(sentences(owner.good), key=lambda one: SequenceMatcher(None, claim, one).ratio(), default="")

    def document(self, title: str) -> PlantedDocument | None:
        """Give the document with a title."""
        return self._documents.get(title)

    def question(self, text: str) -> PlantedQuestion | None:
        """Give the question with these words."""
        return self._questions.get(words_of(text))


def sentences(text: str, language: Language | None = None) -> list[str]:
    """Give the sentences of a text without headings, as they stand."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [one for span in sentence_spans(lines, language=language) if (one := span.of(lines).strip())]


def plain(sentence: str) -> str:
    """Give a sentence without what tells nothing: case, spaces, the opening of a cosmetic edit."""
    bare = sentence.strip()
    for phrases in PHRASES.values():
        bare = bare.removeprefix(phrases.opening)
    return "".join(bare.split()).casefold()


def good_sections(document: PlantedDocument) -> dict[str, str]:
    """Give the sections of a document as it should be, by their path."""
    return {" > ".join(one.path): one.text.rstrip() for one in read_sections(document.good)}


def is_as_it_should_be(document: PlantedDocument, text: str) -> bool:
    """Tell whether a text mends a document: it says what that should say, drops nothing else, and adds nothing.

    Of an answer that was buried, or stood in short forms, the document as it should be leaves out how it was said; a text
    that keeps that, and begins the section with the answer, is as good.
    """
    before, good, after = (_plain_sentences(one) for one in (document.text, document.good, text))
    if after == good:
        return True
    is_answer_first = any(_begins_with_answer(document, one.text) for one in read_sections(text))
    return document.defect in KEEPS and before <= after <= before | good and is_answer_first


def _begins_with_answer(document: PlantedDocument, section: str) -> bool:
    old = {plain(one) for one in sentences(document.text)}
    first = sentences(section)[:1]
    return bool(first) and plain(first[0]) not in old and plain(first[0]) in _plain_sentences(document.good)


def _plain_sentences(text: str) -> set[str]:
    return {plain(one) for one in sentences(text)}


def drawn(seed: str, *parts: str) -> float:
    """Give the number from 0 to below 1 that belongs to a seed and what is asked."""
    return hashed_share("evolore.scripted", seed, *parts)


def picked(options: Sequence[str], share: float) -> str:
    """Give the option at a share of the way."""
    return options[int(share * len(options))]


def text_of(task: Task, key: str) -> str:
    """Give a text of the data."""
    return str(task.get(key, ""))


def items_of(task: Task, key: str) -> list[Task]:
    """Give the objects of a list in the data."""
    return cast("list[Task]", task.get(key) or [])
