"""Measuring what recall learns from rated questions, by the protocol of docs/protocols.md."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache, partial
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter

from evolore import config
from evolore.config import Settings
from evolore.domain.checks import checked_word
from evolore.domain.language import Language
from evolore.domain.outcome import Rating
from evolore.domain.tables import read_tables
from evolore.flows.lessons import NEAR_PROBABILITY
from evolore.jobs.clock import SteppingClock, SystemClock
from evolore.memory import Memory
from evolore.memory.opening import embedder_of
from evolore.models.embedders import shipped_matter
from evolore.ports import Embedder, TextRole
from evolore.queries.lessons import same_matter, shared_words
from evolore.recall.dense import MatterSpace, MatterSpaces
from evolore.recall.question import plain_question
from evolore.text.scripts import detect_language
from evolore.text.tokens import query_tokens
from evolore.text.vectors import centred
from evolore_evaluation.measure import ALL_VISIBLE, Measure, MeasuredSet, Run
from evolore_evaluation.records import check_count
from evolore_evaluation.reports import Json, Report
from evolore_evaluation.retrieval import RANKING_LENGTH, ranked_items, take_in
from evolore_evaluation.retrieval_sets import (
    Collection,
    Question,
    average,
    find_retrieval_sets,
    read_collections,
    score_ranking,
)

WHO = "somebody else"
_PRAISED = 3


class Attack(StrEnum):
    """What somebody does who rates against the evidence.

    ``ASKS``: asks what others asked, and praises what is no evidence. ``RATES``: rates the answers that others were given,
    praises those that hold no evidence, and blames the others.
    """

    ASKS = "asks"
    RATES = "rates"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedAnswer:
    """A question that was asked and rated."""

    question: Question  #: Its text and evidence.
    query_id: str  #: It as it was recorded.
    is_served: bool  #: Whether evidence was handed over, so that its answer was rated GOOD.
    wrong_ids: tuple[str, ...]  #: The episodes handed over that hold no evidence, best first.


def attack(
    memory: Memory,
    answered: Sequence[RatedAnswer],
    items_of: Mapping[str, tuple[str, ...]],
    *,
    way: Attack,
    times: int,
    tokens: int,
) -> None:
    """Rate against the evidence as one person, so many times."""
    for place in range(times):
        one = answered[place % len(answered)]
        if way is Attack.ASKS:
            _ask(memory, one.question, items_of, tokens=tokens)
        else:
            _rate(memory, one)


def _ask(memory: Memory, question: Question, items_of: Mapping[str, tuple[str, ...]], *, tokens: int) -> None:
    """Ask again, and praise the last of what was handed over that is no evidence."""
    query = question.query
    found = memory.recall(query.text, tokens=tokens, as_of=query.as_of, principal=WHO, record=True)
    wrong = [hit for hit in found.hits if not question.evidence & frozenset(ranked_items([hit], items_of))]
    if found.query_id is not None and wrong:
        memory.rate(found.query_id, Rating.GOOD, cited=[hit.episode.id for hit in wrong[-_PRAISED:]], principal=WHO)


def _rate(memory: Memory, one: RatedAnswer) -> None:
    """Blame an answer that rests on evidence; of another, praise the last of what was handed over."""
    if one.is_served:
        memory.rate(one.query_id, Rating.BAD, principal=WHO)
    elif one.wrong_ids:
        memory.rate(one.query_id, Rating.GOOD, cited=one.wrong_ids[-_PRAISED:], principal=WHO)


_CJK = frozenset({Language.JA, Language.ZH})
_WORD = re.compile(r"[A-Za-z]+")
_LINES = re.compile(r"\n+")
_KINDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _OtherWords:
    frames: tuple[str, ...]
    words: Mapping[str, str]


def paraphrase(text: str, number: int) -> str:
    """Ask a question in other words.

    Four ways, by ``number``: in a frame ("Could you tell me: …"); with other words for common ones, in a frame; in
    small letters without its mark at the end, in a frame; of several lines the last first, of a single one its second
    half first, as people speak when the matter comes to mind before the question.

    Returns:
        Other than ``text``.

    >>> paraphrase("When did Ana buy the house?", 1)
    'I was wondering, When did Ana purchase the house?'
    >>> paraphrase("When did Ana buy the house?", 3)
    'buy the house? When did Ana'
    """
    language = detect_language(text)
    kind = number % _KINDS
    if kind == _KINDS - 1 and (turned := _turned(text, language)) != text:
        return turned
    said = _in_other_words(text, language) if kind == 1 else text
    if kind == _KINDS // 2:
        said = said.lower().rstrip("?？。.!！ ")
    frames = _other_words(language).frames
    return frames[number % len(frames)].format(said)


@cache
def _other_words(language: Language) -> _OtherWords:
    name = language if language in _CJK else Language.EN
    words = read_tables("evolore_evaluation", "words/paraphrases.toml")[name.value]
    return TypeAdapter(_OtherWords).validate_python(words)


def _in_other_words(text: str, language: Language) -> str:
    if language in _CJK:
        for word, other in _other_words(language).words.items():
            text = text.replace(word, other)
    english = _other_words(Language.EN).words
    return _WORD.sub(lambda found: english.get(found[0], found[0]), text)


def _turned(text: str, language: Language) -> str:
    """Put the last line first, or the second half of a single line."""
    lines = _LINES.split(text)
    if len(lines) > 1:
        return "\n".join((lines[-1], *lines[:-1]))
    if language in _CJK:
        middle = len(text) // 2
        return text[middle:] + text[:middle]
    words = text.split()
    middle = len(words) // 2
    return " ".join((*words[middle:], *words[:middle]))


DEFAULT_TOKENS = 2000
"""What the reader of a first answer is handed, in tokens of context."""

_PRINCIPALS = 10
_FIGURES = {Attack.ASKS: "adversary", Attack.RATES: "rater"}


def evaluate_learning(
    paths: Sequence[Path],
    run: Run = ALL_VISIBLE,
    *,
    tokens: int = DEFAULT_TOKENS,
    adversary: int = 0,
    way: Attack | str = Attack.ASKS,
    embedder: Embedder | None = None,
) -> Report:
    """Measure on memory sets ``{id, lang, items, questions}`` how recall changes once questions were rated.

    Half of the questions of a memory, chosen by a hash of their ids, are asked by ten people in turn; each is handed
    what fits into ``tokens``, rates the answer GOOD where that holds evidence, citing it, else BAD. Nothing that was not
    handed over is ever taught. Asked before and after that are the rated questions in other words (``paraphrased``), the other
    questions that share evidence with a rated one (``shared``), and those that share none: ``unrelated`` where no rated
    question is about the same matter at P ≥ 0.5, else ``mistaken``.

    Figures: ``recall_before``, ``recall_after`` and ``gain_related`` of the first two groups together; each group's own
    gain of recall@10; ``recall_at_10`` and others by group, before and after.

    With an adversary, somebody who was never heard of asks the rated questions again, so many times in a memory, and
    rates each answer GOOD for the last three of what was handed over and is no evidence. ``adversary_moved`` counts the
    hits among the first ten of unrelated questions that are at another place afterwards, or are no longer there;
    ``adversary_gain_GROUP`` is what that does to recall@10. With the other attack, ``rates``, that person asks nothing
    and rates the answers that others were given: BAD where evidence was handed over, else GOOD for the last three.
    The figures are then called ``rater_moved`` and ``rater_gain_GROUP``.

    Args:
        paths: Files, or folders of them.
        run: How many memories of each set are taken; predictions are ``{"set", "memory", "question", "group", "before",
            "after"}``.
        tokens: What the reader of a first answer is handed.
        adversary: How often somebody rates against the evidence in each memory; 0 for none.
        way: What that person does.
        embedder: What embeds; by default the settings' own.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    check_count(tokens, "tokens")
    way = checked_word(Attack, way, "attack")
    if adversary:
        check_count(adversary, "adversary")
    chosen = config.load()
    embedder = embedder_of(embedder, settings=chosen)
    settings: dict[str, Json] = {
        "embedder": embedder.model.id,
        "tokens": tokens,
        "adversary": adversary,
        "attack": way.value,
        "limit": run.limit,
        "queries": asdict(chosen.queries),
    }
    space = MatterSpaces(shipped_matter).of(embedder.model)
    replay = _Replay(embedder=embedder, settings=chosen, space=space, tokens=tokens, adversary=adversary, way=way)
    return Measure(
        system="learning",
        read=lambda path: [one for one in read_collections(path) if one.questions][: run.limit],
        begin=partial(_replaying, replay),
        figures=lambda replayed: _figures(_trials(replayed)),
        groups=_by_group,
        whole=partial(_whole_figures, attack_name=_FIGURES[way] if adversary else None),
    ).report(find_retrieval_sets(paths), run, settings)


def _replaying(replay: _Replay, memories: MeasuredSet[Collection]) -> Callable[[Collection], _Replayed]:
    def attempt(collection: Collection) -> _Replayed:
        with TemporaryDirectory(prefix="evolore-evaluate-") as folder:
            replayed = replay.of_memory(Path(folder) / "store", collection)
        for one in replayed.trials:
            memories.write(
                {
                    "memory": collection.id,
                    "question": one.asked.question.id,
                    "group": one.asked.group.value,
                    "before": one.before,
                    "after": one.after,
                }
            )
        return replayed

    return attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replay:
    """Replays streams of questions."""

    embedder: Embedder
    settings: Settings
    space: MatterSpace
    tokens: int
    adversary: int
    way: Attack

    def of_memory(self, store: Path, collection: Collection) -> _Replayed:
        """Ask, rate and ask again, in a fresh store."""
        clock = SystemClock() if collection.began_at is None else SteppingClock(collection.began_at)
        opened = Memory.open(store, namespace="learning", embedder=self.embedder, clock=clock, settings=self.settings)
        with closing(opened) as memory:
            items_of = take_in(memory, collection.items, advance=lambda _steps: None)
            rated = [one for one in collection.questions if is_rated(one)]
            again = self._asked_again(collection.questions, rated)
            before = [_ranking(memory, one, items_of) for one in again]
            answered = [
                self._rate(memory, question, items_of, principal=f"reader {place % _PRINCIPALS}")
                for place, question in enumerate(rated)
            ]
            after = [_ranking(memory, one, items_of) for one in again]
            attacked = after
            if self.adversary and answered:
                attack(memory, answered, items_of, way=self.way, times=self.adversary, tokens=self.tokens)
                attacked = [_ranking(memory, one, items_of) for one in again]
        rankings = zip(again, before, after, attacked, strict=True)
        return _Replayed(
            trials=tuple(
                LearningTrial(asked=one, before=was, after=now, attacked=then) for one, was, now, then in rankings
            ),
            ratings=Counter(Rating.GOOD if one.is_served else Rating.BAD for one in answered),
        )

    def _rate(
        self, memory: Memory, question: Question, items_of: Mapping[str, tuple[str, ...]], *, principal: str
    ) -> RatedAnswer:
        """Ask a question for somebody, read what is handed over, and rate whether it served."""
        query = question.query
        found = memory.recall(query.text, tokens=self.tokens, as_of=query.as_of, principal=principal, record=True)
        assert found.query_id is not None
        cited = [hit.episode.id for hit in found.hits if question.evidence & frozenset(ranked_items([hit], items_of))]
        wrong = tuple(hit.episode.id for hit in found.hits if hit.episode.id not in cited)
        memory.rate(found.query_id, Rating.GOOD if cited else Rating.BAD, cited=cited or None, principal=principal)
        return RatedAnswer(question=question, query_id=found.query_id, is_served=bool(cited), wrong_ids=wrong)

    def _asked_again(self, questions: Sequence[Question], rated: Sequence[Question]) -> list[RepeatedQuestion]:
        """Return what is asked before and after: the rated in other words, and the others as they are."""
        said_again = [
            RepeatedQuestion(question=one, text=paraphrase(one.query.text, way_of(one)), group=Cohort.PARAPHRASED)
            for one in rated
        ]
        others = [one for one in questions if not is_rated(one)]
        known = frozenset[str]().union(*(one.evidence for one in rated))
        is_near = self._are_near([one.query.text for one in others], [one.query.text for one in rated])
        return said_again + [
            RepeatedQuestion(
                question=one,
                text=one.query.text,
                group=Cohort.SHARED if one.evidence & known else Cohort.MISTAKEN if near else Cohort.UNRELATED,
            )
            for one, near in zip(others, is_near, strict=True)
        ]

    def _are_near(self, texts: Sequence[str], rated: Sequence[str]) -> list[bool]:
        """Return of each text whether a rated question is about the same matter, as recall sees it."""
        if not (texts and rated):
            return [False] * len(texts)
        asked, known = (
            self.embedder.embed([plain_question(text) for text in some], role=TextRole.QUERY) for some in (texts, rated)
        )
        own_centre = known.mean(axis=0)
        words = [frozenset(query_tokens(text)) for text in rated]
        is_near: list[bool] = []
        for text, vector in zip(texts, asked, strict=True):
            centre = self.space.centres.get(detect_language(text), own_centre)
            cosines = centred(known, centre) @ centred(vector[None, :], centre)[0]
            likely = same_matter(cosines, shared_words(frozenset(query_tokens(text)), words))
            is_near.append(bool((likely >= NEAR_PROBABILITY).any()))
        return is_near


def _ranking(memory: Memory, asked: RepeatedQuestion, items_of: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    hits = memory.recall(asked.text, limit=RANKING_LENGTH, as_of=asked.question.query.as_of, record=False).hits
    return ranked_items(hits, items_of)[:RANKING_LENGTH]


def _number(question: Question) -> int:
    """Return a number that is the same in every run."""
    return int.from_bytes(sha256(question.id.encode()).digest()[:4], "big")


def way_of(question: Question) -> int:
    """Return the way of paraphrasing a repeated question: drawn from other bits than whether it is rated."""
    return _number(question) // 2


def is_rated(question: Question) -> bool:
    """Return whether a question belongs to the half that is asked first and rated."""
    return _number(question) % 2 == 0


_SHOWN = 10
_MEASURES = ("recall_at_1", "recall_at_5", "recall_at_10", "mrr")


class Cohort(StrEnum):
    """What a question that is asked again has to do with what was rated."""

    PARAPHRASED = "paraphrased"
    SHARED = "shared"
    UNRELATED = "unrelated"
    MISTAKEN = "mistaken"


_RELATED = frozenset((Cohort.PARAPHRASED, Cohort.SHARED))


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedQuestion:
    """A question that is asked before and after others were rated."""

    question: Question  #: Its evidence, time and category.
    text: str  #: As it is asked.
    group: Cohort  #: What it has to do with what was rated.


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningTrial:
    """The result of one."""

    asked: RepeatedQuestion  #: Which.
    before: tuple[str, ...]  #: The ranking of items before anything was rated.
    after: tuple[str, ...]  #: That afterwards.
    attacked: tuple[str, ...]  #: That once somebody rated against the evidence; as ``after`` otherwise.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replayed:
    """The result of the questions of one memory, and how their answers were rated."""

    trials: tuple[LearningTrial, ...]
    ratings: Counter[Rating]


def damage(trials: Sequence[LearningTrial], *, name: str) -> dict[str, float]:
    """Return what somebody who rated against the evidence did to what is found, in figures that begin with a name."""
    unrelated = [one for one in trials if one.asked.group is Cohort.UNRELATED]
    moved = sum(was != now for one in unrelated for was, now in zip_longest(one.after[:_SHOWN], one.attacked[:_SHOWN]))
    found: dict[str, float] = {f"{name}_moved": moved}
    for group in Cohort:
        some = [one for one in trials if one.asked.group is group]
        if some:
            before, after = _scores(some, lambda one: one.after), _scores(some, lambda one: one.attacked)
            found[f"{name}_gain_{group.value}"] = after["recall_at_10"] - before["recall_at_10"]
    return found


def _scores(trials: Sequence[LearningTrial], ranking_of: Callable[[LearningTrial], Sequence[str]]) -> dict[str, float]:
    return average([score_ranking(ranking_of(one), one.asked.question.evidence) for one in trials])


def _trials(replayed: Sequence[_Replayed]) -> list[LearningTrial]:
    return [one for memory in replayed for one in memory.trials]


def _by_group(replayed: Sequence[_Replayed]) -> dict[str, list[_Replayed]]:
    """Return the result of each group's questions."""
    trials = _trials(replayed)
    found = {group.value: tuple(one for one in trials if one.asked.group is group) for group in Cohort}
    return {group: [_Replayed(trials=some, ratings=Counter())] for group, some in found.items() if some}


def _whole_figures(replayed: Sequence[_Replayed], *, attack_name: str | None) -> dict[str, float]:
    trials, ratings = _trials(replayed), sum((one.ratings for one in replayed), Counter[Rating]())
    counts = {f"rated_{rating.value}": ratings[rating] for rating in Rating}
    return {**gains(trials), **counts, **(damage(trials, name=attack_name) if attack_name else {})}


def gains(trials: Sequence[LearningTrial]) -> dict[str, float]:
    """Return what the questions of a set gained: those that have to do with rated ones, the others, and each group."""
    related = _figures([one for one in trials if one.asked.group in _RELATED])
    others = _figures([one for one in trials if one.asked.group not in _RELATED])
    by_group = {group: _figures([one for one in trials if one.asked.group is group]) for group in Cohort}
    return {
        "questions": len(trials),
        "recall_before": related.get("before_recall_at_10", 0.0),
        "recall_after": related.get("after_recall_at_10", 0.0),
        "gain_related": related.get("gain", 0.0),
        "gain_others": others.get("gain", 0.0),
        **{f"gain_{group.value}": figures["gain"] for group, figures in by_group.items() if figures},
    }


def _figures(trials: Sequence[LearningTrial]) -> dict[str, float]:
    """Return averages before and after, and what they differ by; nothing where nothing was asked."""
    if not trials:
        return {}
    before, after = _scores(trials, lambda one: one.before), _scores(trials, lambda one: one.after)
    found = {"questions": float(len(trials))}
    for measure in _MEASURES:
        found[f"before_{measure}"], found[f"after_{measure}"] = before[measure], after[measure]
    return {**found, "gain": after["recall_at_10"] - before["recall_at_10"]}
