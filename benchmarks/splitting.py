"""Print how episodes of several matters are split: ``python benchmarks/splitting.py [--calibrated] PATH…``.

A set has lines ``{id, lang, sentences, boundaries}``; episodes are mixed from its sections, by docs/protocols.md.
Printed are how often they are split by what they are mixed of, the F1 of the parts' sentences, and how often a held-out
sentence's nearest vector is its episode's, before and after. ``--calibrated`` refits the calibration from the set's own
chunks first; ``--limit N`` takes so many episodes of each kind, ``--predictions FILE`` writes each prediction, ``--json``
prints every figure. With your settings and the default embedder.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from statistics import fmean, median

import numpy as np

from evolore import config
from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.episodes.calibration import Calibration, Piece, Sample, fit
from evolore.episodes.settings import EpisodeSettings
from evolore.episodes.splitting import Portion, plan_split, split_vectors
from evolore.flows.embedding import embed
from evolore.models.embedders import shipped_calibration
from evolore.models.use import UseEmbedder
from evolore.ports import Embedder, EmbeddingModel, TextRole
from evolore.text.scripts import detect_language
from evolore.text.sentences import sentence_spans
from evolore.text.vectors import Vectors
from evolore_evaluation.measure import ALL_VISIBLE, Measure, MeasuredSet, RememberingEmbedder, Run
from evolore_evaluation.reports import Json, Report
from evolore_evaluation.segmentation import SEGMENTATION_SETS, SegmentedText
from labelled import cpu_timed
from measuring import COUNT, SHARE, TIME, options, show

COLUMNS = {
    "episodes": ("episodes", COUNT),
    "split_rate": ("split", SHARE),
    "sentence_b_cubed_f1": ("B³ F1 split", SHARE),
    "sentence_b_cubed_f1_all": ("B³ F1 all", SHARE),
    "questions": ("asked", COUNT),
    "r1_unsplit": ("R@1 whole", SHARE),
    "r1_split": ("R@1 split", SHARE),
    "p50_ms": ("p50 ms", TIME),
}
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
class DividedSection:
    """A section of a document, divided into what an episode says, what lies around it and what is asked for."""

    document: int  #: The number of its document in the set.
    start: int  #: The number of its first sentence in the document.
    text: tuple[str, ...]  #: Its first four sentences, or eight.
    chunks: tuple[str, ...]  #: The rest in chunks of two sentences, in an order drawn by lot, at most six.
    #: The first sentence of the rest that is long enough to be looked for; it is in no chunk. None where taking it out
    #: would leave fewer than two chunks.
    question: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NearChunk:
    """A chunk that lies around an episode."""

    text: str  #: Its text.
    document: int  #: The number of its document: what a user's store knows of a chunk, and of no episode.
    section: int  #: The first sentence of its section in that, which is also known.


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedEpisode:
    """An episode, and what only the scorer knows."""

    id: str  #: Its kind and number.
    mix: Mix  #: Its kind.
    sentences: tuple[str, ...]  #: What it says, shuffled.
    topics: tuple[int, ...]  #: The topic of each sentence, from 0.
    neighbours: tuple[NearChunk, ...]  #: What lies around it, shuffled.
    questions: tuple[str, ...]  #: One held-out sentence a topic, where the section has one.

    @property
    def text(self) -> str:
        """Its text, as the system under test gets it: a sentence a line."""
        return "\n".join(self.sentences)


def mix_episodes(texts: Sequence[SegmentedText], *, limit: int | None = None) -> tuple[MixedEpisode, ...]:
    """Mix the episodes of a set, the same ones every time.

    Of documents with two or more sections of at least eight sentences; a section is in one episode of a kind at most.
    """
    chance = random.Random(0)
    sections = _sections(texts, chance)
    most = EPISODES if limit is None else min(limit, EPISODES)
    return tuple(
        _mix(f"{mix}-{number}", mix, topics, chance)
        for mix, found in {
            Mix.CLEAN: _alone(sections, chance),
            Mix.NEAR2: _near(sections, chance),
            Mix.FAR2: _far(sections, 2, chance),
            Mix.FAR3: _far(sections, 3, chance),
            Mix.CLEAN8: _alone(_sections(texts, chance, shortest=_LONG_SECTION, said=_LONG_TEXT_SENTENCES), chance),
        }.items()
        for number, topics in enumerate(found[:most], start=1)
    )


def _sections(
    texts: Sequence[SegmentedText],
    chance: random.Random,
    *,
    shortest: int = _SHORTEST_SECTION,
    said: int = _TEXT_SENTENCES,
) -> list[DividedSection]:
    """Divide the sections of documents that have two or more of a length, each into core and surroundings."""
    found: list[DividedSection] = []
    for document, text in enumerate(texts):
        cuts = pairwise((0, *text.boundaries, len(text.sentences)))
        inside = {start: text.sentences[start:end] for start, end in cuts if end - start >= _SHORTEST_SECTION}
        language = detect_language("\n".join(text.sentences))
        for start, sentences in inside.items() if len(inside) > 1 else ():
            if len(sentences) >= shortest:
                rest, question = _hold_out(sentences[said:], language)
                between = "" if language in _UNSPACED else " "
                places = range(0, len(rest) - _CHUNK_SENTENCES + 1, _CHUNK_SENTENCES)
                chunks = [between.join(rest[place : place + _CHUNK_SENTENCES]) for place in places]
                section = DividedSection(
                    document=document,
                    start=start,
                    text=tuple(sentences[:said]),
                    chunks=tuple(chance.sample(chunks, min(_MOST_CHUNKS, len(chunks)))),
                    question=question,
                )
                found.append(section)
    return found


def _hold_out(rest: Sequence[str], language: Language) -> tuple[list[str], str | None]:
    """Separate a sentence to ask for from the rest of a section, where enough remains."""
    left = list(rest)
    long = [place for place, one in enumerate(left) if len(one) >= _SHORTEST_QUESTION[language]]
    return (left, None) if not long or len(left) <= _FEWEST_CHUNKS * _CHUNK_SENTENCES else (left, left.pop(long[0]))


def _alone(sections: Sequence[DividedSection], chance: random.Random) -> list[tuple[DividedSection, ...]]:
    """Draw sections with as many chunks as an episode needs neighbours."""
    fit = [section for section in sections if len(section.chunks) >= _ENOUGH_FOR_CLEAN]
    return [(section,) for section in chance.sample(fit, len(fit))]


def _near(sections: Sequence[DividedSection], chance: random.Random) -> list[tuple[DividedSection, ...]]:
    """Draw pairs of sections of one document."""
    by_document: dict[int, list[DividedSection]] = {}
    for section in chance.sample(sections, len(sections)):
        by_document.setdefault(section.document, []).append(section)
    pairs = [
        (left, right) for inside in by_document.values() for left, right in zip(inside[::2], inside[1::2], strict=False)
    ]
    return chance.sample(pairs, len(pairs))


def _far(sections: Sequence[DividedSection], count: int, chance: random.Random) -> list[tuple[DividedSection, ...]]:
    """Draw sections of ``count`` documents, as long as there are any."""
    left = chance.sample(sections, len(sections))
    found: list[tuple[DividedSection, ...]] = []
    while True:
        chosen: list[DividedSection] = []
        for section in left:
            if len(chosen) < count and all(section.document != other.document for other in chosen):
                chosen.append(section)
        if len(chosen) < count:
            return found
        found.append(tuple(chosen))
        left = [section for section in left if section not in chosen]


def _mix(name: str, mix: Mix, topics: Sequence[DividedSection], chance: random.Random) -> MixedEpisode:
    told = [(sentence, topic) for topic, section in enumerate(topics) for sentence in section.text]
    around = [
        NearChunk(text=chunk, document=section.document, section=section.start)
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


def neighbours_of(episodes: Sequence[MixedEpisode]) -> tuple[NearChunk, ...]:
    """List what lies around all of them, each once: the corpus of the owner of these episodes.

    The chunks around long texts of one section are left out: they overlap with the others.
    """
    around = (episode.neighbours for episode in episodes if episode.mix is not Mix.CLEAN8)
    return tuple(dict.fromkeys(chain.from_iterable(around)))


_SEVERAL = (Mix.FAR2, Mix.FAR3)
_EMBEDDED_AT_ONCE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Handled:
    """An episode and what became of it."""

    episode: MixedEpisode  #: The episode.
    parts: int  #: In how many parts it is now; 1 where it was left whole.
    found: tuple[int, ...]  #: The part of each of its sentences.
    whole: Vectors  #: The vector of its text, shape (dimension,).
    vectors: Vectors  #: Of its parts, shape (parts, dimension).
    ms: float  #: CPU time of the decision without any embedding, in milliseconds.


def evaluate_splitting(
    paths: Sequence[Path],
    run: Run = ALL_VISIBLE,
    *,
    embedder: Embedder,
    settings: EpisodeSettings | None = None,
    calibrated: bool = False,
) -> Report:
    """Measure splitting on sets of ``{id, lang, sentences, boundaries}``, whose sections are mixed into episodes.

    By kind (``clean``, ``clean8``, ``near2``, ``far2``, ``far3``): ``split_rate``. Of episodes of several documents' sections:
    ``sentence_b_cubed_f1`` of the sentences of those that were split, ``sentence_b_cubed_f1_all`` of all of them, and
    ``r1_unsplit`` and ``r1_split``, how often a held-out sentence's nearest vector is its episode's, or a part's of
    it. The system under test gets an episode's text and its neighbours' texts, and goes by the calibration that ships.

    Args:
        paths: Files, or folders of them.
        run: How much is measured, so many episodes of each kind; predictions are ``{"set", "id", "parts"}``, the part of
            each sentence.
        embedder: What embeds the texts.
        settings: The thresholds; by default the user's, from ``evolore.config.load``. How long a text must be, or how often merged, is left aside.
        calibrated: Whether that is refitted from the neighbour chunks first, of which a store would know section and
            document.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
        EmbedderBroken: The vectors are not what an embedder must return.
    """
    chosen = settings or config.load().episodes
    trial = _SplitTrial(embedder, chosen, calibrated=calibrated)
    measure = Measure(
        system="splitting",
        read=lambda path: mix_episodes(SEGMENTATION_SETS.read(path), limit=run.limit),
        begin=partial(_splitting, trial),
        figures=partial(_kind_figures, trial),
        groups=_by_kind,
        whole=partial(_whole_figures, trial),
    )
    told: dict[str, Json] = {
        "embedder": embedder.model.id,
        "episodes": asdict(chosen),
        "calibrated": calibrated,
        "limit": run.limit,
    }
    return measure.report(SEGMENTATION_SETS.find(paths), run, told)


def _splitting(trial: _SplitTrial, episodes: MeasuredSet[MixedEpisode]) -> Callable[[MixedEpisode], _Handled]:
    trial.calibrate(episodes.cases)

    def attempt(episode: MixedEpisode) -> _Handled:
        one = trial.handle(episode)
        episodes.write({"id": episode.id, "parts": one.found})
        return one

    return attempt


def _by_kind(handled: Sequence[_Handled]) -> dict[str, list[_Handled]]:
    kinds = {mix.value: [one for one in handled if one.episode.mix is mix] for mix in Mix}
    return {kind: some for kind, some in kinds.items() if some}


def _whole_figures(trial: _SplitTrial, handled: Sequence[_Handled]) -> dict[str, float]:
    figures = _figures([one for one in handled if one.episode.mix in _SEVERAL], trial)
    return {"episodes": len(handled), **figures, **({"p50_ms": median(one.ms for one in handled)} if handled else {})}


class _SplitTrial:
    """The system under test: it is given texts, and never where an episode's sentences come from."""

    def __init__(self, embedder: Embedder, settings: EpisodeSettings, *, calibrated: bool) -> None:
        self._embedder = RememberingEmbedder(embedder)
        self._settings = settings
        self._is_refitted = calibrated
        self._calibrations: dict[Language, Calibration] = {}

    def calibrate(self, episodes: Sequence[MixedEpisode]) -> None:
        """Set the calibrations: those that ship, or those refitted from the neighbours of a set's episodes."""
        self._calibrations = (
            fitted_to(self._embedder, episodes) if self._is_refitted else _shipped(self._embedder.model)
        )

    def embed(self, texts: Sequence[str], role: TextRole = TextRole.PASSAGE) -> Vectors:
        """Return unit vectors, shape (texts, dimension)."""
        return embed(self._embedder, texts, role=role)

    def handle(self, episode: MixedEpisode) -> _Handled:
        """Split an episode, or leave it whole."""
        text, around = episode.text, [neighbour.text for neighbour in episode.neighbours]
        spans = [span for span in sentence_spans(text) if span.of(text).strip()]
        sentences = self._pieces([span.of(text).strip() for span in spans])
        neighbours = self._pieces(around)
        dimension = self._embedder.model.dimension
        calibration = self._calibrations.get(detect_language(text)) or Calibration.unknown(dimension)
        weighed, ms = cpu_timed(
            lambda: plan_split(
                sentences, neighbours, calibration=calibration, settings=self._settings, among=len(neighbours)
            )
        )
        plan = weighed.parts if len(weighed.parts) > 1 else None
        whole = self.embed([text])
        vectors = whole
        if plan:
            texts = ["\n".join(sentences[place].text for place in part.sentences) for part in plan]
            vectors = split_vectors(self.embed(texts), self.embed(around), plan, own_share=self._settings.own_share)
        found = _parts_of_lines(episode, spans, plan)
        return _Handled(episode=episode, parts=len(vectors), found=found, whole=whole[0], vectors=vectors, ms=ms)

    def _pieces(self, texts: Sequence[str]) -> list[Piece]:
        return [Piece(text=text, vector=vector) for text, vector in zip(texts, self.embed(texts), strict=True)]


def _shipped(model: EmbeddingModel) -> dict[Language, Calibration]:
    return {language: Calibration.from_arrays(arrays) for language, arrays in shipped_calibration(model).items()}


def fitted_to(embedder: Embedder, episodes: Sequence[MixedEpisode]) -> dict[Language, Calibration]:
    """Refit what ships from the neighbours of episodes, as ``maintain`` would from a user's chunks."""
    corpus = neighbours_of(episodes)
    shipped = _shipped(embedder.model)
    dimension = embedder.model.dimension
    languages = [detect_language(neighbour.text) for neighbour in corpus]
    for language in dict.fromkeys(languages):
        own = [neighbour for neighbour, spoken in zip(corpus, languages, strict=True) if spoken is language]
        sections = [(neighbour.document, neighbour.section) for neighbour in own]
        numbers = {section: number for number, section in enumerate(dict.fromkeys(sections))}
        texts = [neighbour.text for neighbour in own]
        parts = [texts[start : start + _EMBEDDED_AT_ONCE] for start in range(0, len(own), _EMBEDDED_AT_ONCE)]
        sample = Sample(
            vectors=np.concatenate([embed(embedder, part, role=TextRole.PASSAGE) for part in parts]),
            matters=np.array([numbers[section] for section in sections], dtype=np.int64),
            documents=np.array([neighbour.document for neighbour in own], dtype=np.int64),
            copies=np.empty((0, dimension), dtype=np.float32),
        )
        shipped[language] = fit(sample, before=shipped.get(language) or Calibration.unknown(dimension))
    return shipped


def _parts_of_lines(episode: MixedEpisode, spans: Sequence[Span], plan: Sequence[Portion] | None) -> tuple[int, ...]:
    """Return the part that holds the beginning of each of the episode's sentences."""
    if plan is None:
        return (0,) * len(episode.sentences)
    part_of = {place: number for number, part in enumerate(plan) for place in part.sentences}
    found: list[int] = []
    start = 0
    for sentence in episode.sentences:
        before = [place for place, span in enumerate(spans) if span.start <= start]
        found.append(part_of[before[-1] if before else 0])
        start += len(sentence) + 1
    return tuple(found)


def _kind_figures(trial: _SplitTrial, handled: Sequence[_Handled]) -> dict[str, float]:
    figures: dict[str, float] = {
        "episodes": len(handled),
        "split_rate": sum(one.parts > 1 for one in handled) / len(handled),
    }
    return figures | (_figures(handled, trial) if handled[0].episode.mix in _SEVERAL else {})


def _figures(handled: Sequence[_Handled], trial: _SplitTrial) -> dict[str, float]:
    """Score episodes of several documents' sections."""
    scores = [(one.parts > 1, b_cubed_f1(one.found, one.episode.topics)) for one in handled]
    figures: dict[str, float] = {}
    if scores:
        figures["sentence_b_cubed_f1_all"] = fmean(score for _, score in scores)
    if any(is_split for is_split, _ in scores):
        figures["sentence_b_cubed_f1"] = fmean(score for is_split, score in scores if is_split)
    kinds = [[one for one in handled if one.episode.mix is mix] for mix in _SEVERAL]
    ranked = [hit for kind in kinds for hit in _first_hits(kind, trial)]
    figures["questions"] = len(ranked)
    if ranked:
        figures["r1_unsplit"] = fmean(unsplit for unsplit, _ in ranked)
        figures["r1_split"] = fmean(split for _, split in ranked)
    return figures


def _first_hits(handled: Sequence[_Handled], trial: _SplitTrial) -> list[tuple[bool, bool]]:
    """Return of each held-out sentence whether its nearest vector among those of all episodes is its own one's."""
    asked = [(number, question) for number, one in enumerate(handled) for question in one.episode.questions]
    if not asked:
        return []
    questions = trial.embed([question for _, question in asked], TextRole.QUERY)
    owners = np.array([number for number, one in enumerate(handled) for _ in one.vectors])
    whole = (questions @ np.stack([one.whole for one in handled]).T).argmax(axis=1)
    parts = owners[(questions @ np.concatenate([one.vectors for one in handled]).T).argmax(axis=1)]
    return [
        (bool(unsplit == number), bool(split == number))
        for (number, _), unsplit, split in zip(asked, whole, parts, strict=True)
    ]


def b_cubed_f1(found: Sequence[int], true: Sequence[int]) -> float:
    """Return the B-cubed F1 of a division of items against the true one (Bagga & Baldwin 1998).

    Of each item: the precision, the share of its found group that is of its true one, and the recall, the share of its
    true group that was found with it; the F1 of their means.

    >>> b_cubed_f1([0, 0, 1, 1], [5, 5, 6, 6])
    1.0
    >>> round(b_cubed_f1([0, 0, 0, 0], [5, 5, 6, 6]), 3)
    0.667
    """
    together = Counter(zip(found, true, strict=True))
    by_found, by_true = Counter(found), Counter(true)
    precision = sum(count * count / by_found[group] for (group, _), count in together.items()) / len(found)
    recall = sum(count * count / by_true[group] for (_, group), count in together.items()) / len(found)
    return 2.0 * precision * recall / (precision + recall)


def main() -> None:
    """Measure every set, and print a table."""
    parser = options(__doc__)
    parser.add_argument("--calibrated", action="store_true", help="refit the calibration from the set's chunks first")
    given = parser.parse_args()
    show(partial(evaluate_splitting, given.paths, embedder=UseEmbedder(), calibrated=given.calibrated), given, COLUMNS)


if __name__ == "__main__":
    main()
