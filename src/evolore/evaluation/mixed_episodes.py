"""Episodes mixed by a seeded rule from the sections of documents, as splitting is measured on them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.evaluation.segmentation_sets import SegmentedText

EPISODES = 200
"""How many of each kind are mixed from a set, where it has sections enough."""

_SHORTEST_SECTION = 8
_TEXT_SENTENCES = 4
_LONG_SECTION = 20
_LONG_TEXT_SENTENCES = 8
_CHUNK_SENTENCES = 2
_MOST_CHUNKS = 6
_FEWEST_CHUNKS = 2
_ENOUGH_FOR_CLEAN = 3
_PER_TOPIC = {1: _MOST_CHUNKS, 2: 3, 3: 2}
_UNSPACED = frozenset({Language.JA, Language.ZH})
_SHORTEST_QUESTION = {Language.EN: 30, Language.UND: 30, Language.JA: 12, Language.ZH: 12}


class Mix(StrEnum):
    """What an episode is mixed of."""

    CLEAN = "clean"
    CLEAN8 = "clean8"
    NEAR2 = "near2"
    FAR2 = "far2"
    FAR3 = "far3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of a document, divided into what an episode says, what lies around it and what is asked for.

    Args:
        document: The number of its document in the set.
        start: The number of its first sentence in the document.
        text: Its first four sentences, or eight.
        chunks: The rest in chunks of two sentences, in an order drawn by lot, at most six.
        question: The first sentence of the rest that is long enough to be looked for; it is in no chunk. None where
            taking it out would leave fewer than two chunks.
    """

    document: int
    start: int
    text: tuple[str, ...]
    chunks: tuple[str, ...]
    question: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A chunk that lies around an episode.

    Args:
        text: Its text.
        document: The number of its document: what a user's store knows of a chunk, and of no episode.
        section: The first sentence of its section in that, which is known likewise.
    """

    text: str
    document: int
    section: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedEpisode:
    """An episode, and what only whoever scores it knows.

    Args:
        id: Its kind and number.
        mix: Its kind.
        sentences: What it says, shuffled.
        topics: The topic of each sentence, from 0.
        neighbours: What lies around it, shuffled.
        questions: One held-out sentence a topic, where the section has one.
    """

    id: str
    mix: Mix
    sentences: tuple[str, ...]
    topics: tuple[int, ...]
    neighbours: tuple[Neighbour, ...]
    questions: tuple[str, ...]

    @property
    def text(self) -> str:
        """Its text, as the system under test gets it: a sentence a line."""
        return "\n".join(self.sentences)


def mix_episodes(texts: Sequence[SegmentedText], *, limit: int | None = None) -> tuple[MixedEpisode, ...]:
    """Mix the episodes of a set, the same ones every time.

    Of documents with two or more sections of at least eight sentences; a section is in one episode of a kind at most.

    Args:
        texts: The documents.
        limit: Mix so many of each kind at the most.
    """
    chance = random.Random(0)  # noqa: S311 - a seeded draw that anyone can repeat
    sections = _sections(texts, chance)
    most = EPISODES if limit is None else min(limit, EPISODES)
    drawn = {
        Mix.CLEAN: _alone(sections, chance),
        Mix.NEAR2: _near(sections, chance),
        Mix.FAR2: _far(sections, 2, chance),
        Mix.FAR3: _far(sections, 3, chance),
        Mix.CLEAN8: _alone(_sections(texts, chance, shortest=_LONG_SECTION, said=_LONG_TEXT_SENTENCES), chance),
    }
    return tuple(
        _mix(f"{mix}-{number}", mix, topics, chance)
        for mix, found in drawn.items()
        for number, topics in enumerate(found[:most], start=1)
    )


def _sections(
    texts: Sequence[SegmentedText],
    chance: random.Random,
    *,
    shortest: int = _SHORTEST_SECTION,
    said: int = _TEXT_SENTENCES,
) -> list[Section]:
    """Divide the sections of documents that have two or more of a length, each into what is said and what is around."""
    found: list[Section] = []
    for document, text in enumerate(texts):
        cuts = pairwise((0, *text.boundaries, len(text.sentences)))
        inside = {start: text.sentences[start:end] for start, end in cuts if end - start >= _SHORTEST_SECTION}
        language = detect_language("\n".join(text.sentences))
        for start, sentences in inside.items() if len(inside) > 1 else ():
            if len(sentences) >= shortest:
                rest, question = _hold_out(sentences[said:], language)
                chunks = _chunks(rest, language)
                section = Section(
                    document=document,
                    start=start,
                    text=tuple(sentences[:said]),
                    chunks=tuple(chance.sample(chunks, min(_MOST_CHUNKS, len(chunks)))),
                    question=question,
                )
                found.append(section)
    return found


def _hold_out(rest: Sequence[str], language: Language) -> tuple[list[str], str | None]:
    """Take a sentence to ask for out of the rest of a section, where enough remains."""
    left = list(rest)
    long = [place for place, one in enumerate(left) if len(one) >= _SHORTEST_QUESTION[language]]
    if not long or len(left) <= _FEWEST_CHUNKS * _CHUNK_SENTENCES:
        return left, None
    question = left.pop(long[0])
    return left, question


def _chunks(sentences: Sequence[str], language: Language) -> list[str]:
    between = "" if language in _UNSPACED else " "
    places = range(0, len(sentences) - _CHUNK_SENTENCES + 1, _CHUNK_SENTENCES)
    return [between.join(sentences[place : place + _CHUNK_SENTENCES]) for place in places]


def _alone(sections: Sequence[Section], chance: random.Random) -> list[tuple[Section, ...]]:
    """Draw sections with as many chunks as an episode needs neighbours."""
    fit = [section for section in sections if len(section.chunks) >= _ENOUGH_FOR_CLEAN]
    return [(section,) for section in chance.sample(fit, len(fit))]


def _near(sections: Sequence[Section], chance: random.Random) -> list[tuple[Section, ...]]:
    """Draw pairs of sections of one document."""
    by_document: dict[int, list[Section]] = {}
    for section in chance.sample(sections, len(sections)):
        by_document.setdefault(section.document, []).append(section)
    pairs = [
        (left, right) for inside in by_document.values() for left, right in zip(inside[::2], inside[1::2], strict=False)
    ]
    return chance.sample(pairs, len(pairs))


def _far(sections: Sequence[Section], count: int, chance: random.Random) -> list[tuple[Section, ...]]:
    """Draw sections of ``count`` documents, as long as there are any."""
    left = chance.sample(sections, len(sections))
    found: list[tuple[Section, ...]] = []
    while True:
        chosen: list[Section] = []
        for section in left:
            if len(chosen) < count and all(section.document != other.document for other in chosen):
                chosen.append(section)
        if len(chosen) < count:
            return found
        found.append(tuple(chosen))
        left = [section for section in left if section not in chosen]


def _mix(name: str, mix: Mix, topics: Sequence[Section], chance: random.Random) -> MixedEpisode:
    told = [(sentence, topic) for topic, section in enumerate(topics) for sentence in section.text]
    around = [
        Neighbour(text=chunk, document=section.document, section=section.start)
        for section in topics
        for chunk in section.chunks[: _PER_TOPIC[len(topics)]]
    ]
    chance.shuffle(told)
    chance.shuffle(around)
    return MixedEpisode(
        id=name,
        mix=mix,
        sentences=tuple(sentence for sentence, _ in told),
        topics=tuple(topic for _, topic in told),
        neighbours=tuple(around),
        questions=tuple(section.question for section in topics if section.question is not None),
    )


def neighbours_of(episodes: Sequence[MixedEpisode]) -> tuple[Neighbour, ...]:
    """List what lies around all of them, each once: the corpus of whoever owns these episodes.

    The chunks around long texts of one section are left out: they overlap with the others.
    """
    around = (episode.neighbours for episode in episodes if episode.mix is not Mix.CLEAN8)
    return tuple(dict.fromkeys(chain.from_iterable(around)))
