"""Print what a memory finds in its first days: ``python benchmarks/life.py [--blind] PATH…``.

A set has lines ``{id, items, questions}``, whose questions have ``words``, ``first`` and ``last``, ``sense``, or ``better``
(docs/protocols.md). Printed are, for everyday facts, how often the fact is the first hit in stores of 5, 10, 20 and 40, and
the same by a plain product of vectors; how many of the first hits lie in the time, or have the sense, asked for; and how
often the founding scenario's first hit is right. ``--blind`` measures the blind half too, and prints both halves;
``--limit N`` takes so many questions of each set, ``--predictions FILE`` writes each prediction, ``--json`` prints every
figure. Each memory is filled and asked in a fresh temporary store, with your settings.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TypeAlias, assert_never

from evolore import config
from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.flows.embedding import meaning_weights
from evolore.memory import Memory
from evolore.memory.opening import embedder_of
from evolore.ports import Embedder, TextRole
from evolore.recall.question import plain_question
from evolore_evaluation.measure import ALL_VISIBLE, Case, Measure, MeasuredSet, RememberingEmbedder, Run, groups_by
from evolore_evaluation.records import Record, find_sets, read_records, set_name
from evolore_evaluation.reports import Json, Report, snake_case
from evolore_evaluation.retrieval import ranked_items
from evolore_evaluation.retrieval_sets import average
from measuring import COUNT, SHARE, options, show

_Tried: TypeAlias = "tuple[LifeQuestion, Mapping[str, float]]"

STORE_SIZES = (5, 10, 20, 40)
"""How many everyday facts a memory holds when it is asked for one of them."""

COLUMNS = {
    "questions": ("asked", COUNT),
    **{f"first_right_{size}": (f"first@{size}", SHARE) for size in STORE_SIZES},
    "first_right": ("first", SHARE),
    **{f"plain_product_first_right_{size}": (f"plain@{size}", SHARE) for size in STORE_SIZES},
    "difference_to_plain": ("difference", SHARE),
    "inside": ("inside", SHARE),
    "subject_first_right": ("subject first", SHARE),
    "sense": ("sense", SHARE),
    "plain_product_sense": ("plain sense", SHARE),
    "scenario": ("scenario", SHARE),
}

_HITS = 5
_SENSE_HITS = 4
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_FORM = '{"id", "items", "questions"} with questions that have "words", "first" and "last", "sense", or "better"'

Item: TypeAlias = tuple[str, Statement]
"""The id of what is remembered, and what is remembered."""


class Form(StrEnum):
    """What a record plays."""

    EVERYDAY = "everyday"
    TIMES = "times"
    SENSES = "senses"
    SEED = "seed"


_FIELDS: Mapping[Form, frozenset[str]] = {
    Form.EVERYDAY: frozenset({"evidence", "words"}),
    Form.TIMES: frozenset({"first", "last"}),
    Form.SENSES: frozenset({"sense"}),
    Form.SEED: frozenset({"better"}),
}
"""The fields of a question that identify a record's form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What one person has a memory remember."""

    id: str  #: Its name in its set.
    form: Form  #: What is played with it.
    items: tuple[Item, ...]  #: In the order of the record.
    as_of: datetime | None  #: The moment it is asked from, in the asker's zone; None if absent.

    @property
    def ids(self) -> frozenset[str]:
        """The ids of its items."""
        return frozenset(name for name, _ in self.items)

    def dealt(self, size: int, *, fact: str) -> tuple[Item, ...]:
        """Return the items of the store that holds a fact, when all are shuffled and dealt into stores of one size."""
        order = list(self.items)
        random.Random(self.id).shuffle(order)  # a seeded draw that anyone can repeat
        place = [name for name, _ in order].index(fact)
        start = place - place % size
        return tuple(order[start : start + size])


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeQuestion(Case):
    """A question of which it is known what answers it."""

    life: Life  #: What is remembered.
    text: str  #: The question.
    kind: str  #: What it tests; it groups figures and decides nothing.
    right: frozenset[str]  #: The items that answer it, are of its sense, or must come first.
    #: The items whose own local date lies in the time asked for; empty where none is.
    in_range: frozenset[str] = frozenset()

    @property
    def is_held_back(self) -> bool:
        """Whether it is measured only where the blind half is asked for: the founding scenario never is."""
        return self.is_blind and self.life.form is not Form.SEED


def evaluate_life(paths: Sequence[Path], run: Run = ALL_VISIBLE, *, embedder: Embedder | None = None) -> Report:
    """Measure on records ``{id, items, questions}`` what a memory finds in its first days.

    ``first_right_5`` to ``first_right_40`` and their mean ``first_right``: everyday facts that are the first hit in a memory
    of so many; ``difference_to_plain``: what that is above a plain product of vectors. ``inside``: hits in the time asked
    for. ``sense``: hits of the sense asked for. ``scenario``: the founding scenario's first hits that are right. Stores
    are temporary, and filled through the public facade.

    Args:
        paths: Files, or folders of them; a set is called by its folder and its file.
        run: How much is measured; predictions are ``{"set", "id", "items", "ranking"}``, one for each store asked.
        embedder: What embeds; by default the settings' own.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    found = find_sets(paths, fits=lambda first: _form(first) is not None, form=_FORM, name_of=_name)
    chosen = config.load()
    model = RememberingEmbedder(embedder_of(embedder, settings=chosen))
    settings: dict[str, Json] = {
        "blind": run.blind,
        "limit": run.limit,
        "embedder": model.model.id,
        "meaning": asdict(meaning_weights(model.model)),
        "intent": asdict(chosen.intent),
        "decay": asdict(chosen.decay),
    }
    return Measure(
        system="life",
        read=lambda path: run.chosen(read_life_questions(path)),
        begin=partial(_playing, model, chosen),
        figures=lambda tried: {"questions": float(len(tried)), **average([scores for _, scores in tried])},
        groups=lambda tried: groups_by(tried, lambda one: _labels(one[0], blind=run.blind)),
        name_of=_name,
    ).report(found, run, settings)


def read_life_questions(path: Path) -> tuple[LifeQuestion, ...]:
    """Read the questions of a whole set, record by record.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, names an item it does not hold, or two have one id.
    """
    asked: dict[str, tuple[LifeQuestion, ...]] = {}
    for record in read_records(path):
        name = record.name("id")
        if name in asked:
            raise record.refuse("id", "an id that no other line has")
        asked[name] = _questions(record)
    return tuple(question for questions in asked.values() for question in questions)


def _name(path: Path) -> str:
    """Call a set by its folder too: the four folders of one hand hold files of the same names."""
    return f"{path.resolve().parent.name}_{set_name(path)}"


def _form(record: Record) -> Form | None:
    if not {"id", "items", "questions"} <= record.fields.keys():
        return None
    fields = next((question.fields.keys() for question in record.records("questions")), frozenset[str]())
    return next((form for form, own in _FIELDS.items() if own <= fields), None)


def _questions(record: Record) -> tuple[LifeQuestion, ...]:
    form = _form(record)
    if form is None:
        raise record.refuse("questions", 'questions with "words", "first" and "last", "sense", or "better"')
    items = tuple(_item(one, is_timed=form is not Form.SENSES) for one in record.records("items"))
    as_of = _moment(record, "as_of") if form in {Form.TIMES, Form.SEED} else None
    life = Life(id=record.name("id"), form=form, items=items, as_of=as_of)
    if len(life.ids) < len(items):
        raise record.refuse("items", "items that each have an id of their own")
    asked = tuple(_question(one, life) for one in record.records("questions"))
    if len({one.id for one in asked}) < len(asked):
        raise record.refuse("questions", "questions that each have an id of their own")
    return asked


def _item(record: Record, *, is_timed: bool) -> Item:
    arousal = None if record.fields.get("arousal") is None else record.share("arousal")
    occurred_at = _moment(record, "occurred_at") if is_timed else None
    text = record.text("text")
    with record.placing():
        statement = Statement(text=text, occurred_at=occurred_at, arousal=arousal)
    return record.name("id"), statement


def _question(record: Record, life: Life) -> LifeQuestion:
    text = record.filled("text", "a question")
    ask = partial(LifeQuestion, id=f"{life.id}/{record.name('id')}", life=life, text=text)
    match life.form:
        case Form.EVERYDAY:
            return ask(kind=record.name("words"), right=_known(record, "evidence", life, most=1))
        case Form.TIMES:
            evidence = _known(record, "evidence", life) if "evidence" in record.fields else frozenset[str]()
            return ask(kind=record.name("kind"), right=evidence, in_range=_in_range(record, life))
        case Form.SENSES:
            sense = record.name("sense")
            items = frozenset(name for name in life.ids if name.startswith(sense))
            if not items:
                raise record.refuse("sense", 'what the ids of some items begin with, such as "a" for "a1"')
            return ask(kind="", right=items)
        case Form.SEED:
            return ask(kind=str(len(life.items)), right=_better(record, life))
        case _:
            assert_never(life.form)


def _known(record: Record, key: str, life: Life, *, most: int | None = None) -> frozenset[str]:
    names = frozenset(record.names(key))
    if not names or not names <= life.ids or len(names) > (most or len(names)):
        raise record.refuse(key, "the id of one item" if most == 1 else "the ids of one or more items")
    return names


def _better(record: Record, life: Life) -> frozenset[str]:
    better = record.name("better")
    if better not in life.ids - _known(record, "worse", life):
        raise record.refuse("better", "the id of an item that is not among the worse")
    return frozenset({better})


def _in_range(record: Record, life: Life) -> frozenset[str]:
    first, last = _date(record, "first"), _date(record, "last")
    times = [(name, statement.occurred_at) for name, statement in life.items]
    items = frozenset(name for name, at in times if at is not None and first <= at.date() <= last)
    if not items:
        raise record.refuse("last", "the end of a time in which an item lies")
    return items


def _date(record: Record, key: str) -> date:
    try:
        return date.fromisoformat(record.text(key))
    except ValueError as error:
        raise record.refuse(key, "a date such as 2026-03-02") from error


def _moment(record: Record, key: str) -> datetime:
    """Read a time in its own zone, which says what day it was for the writer."""
    try:
        moment = datetime.fromisoformat(record.text(key))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise record.refuse(key, "a time with its zone, such as 2026-03-02T09:00:00+09:00")
    return moment


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """The items that were found, best first, and those that the first hit is made of: itself, and what was merged with it."""

    ranking: tuple[str, ...]
    first: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Player:
    """Fills stores below a folder, each once, and asks them; of those filled it keeps the item of each episode."""

    folder: Path
    embedder: Embedder
    settings: Settings
    write: Callable[[Mapping[str, Json]], None]
    filled: dict[tuple[str, frozenset[str]], tuple[Path, Mapping[str, tuple[str, ...]]]]

    def scores(self, question: LifeQuestion) -> dict[str, float]:
        match question.life.form:
            case Form.EVERYDAY:
                (fact,) = question.right
                ours: dict[str, float] = {}
                plain: dict[str, float] = {}
                for size in STORE_SIZES:
                    items = question.life.dealt(size, fact=fact)
                    ours[f"first_right_{size}"] = float(fact in self._ask(question, items, limit=_HITS).first)
                    plain[f"plain_product_first_right_{size}"] = float(self._plain_order(question, items)[0] == fact)
                mean, plain_mean = (sum(scores.values()) / len(STORE_SIZES) for scores in (ours, plain))
                return {**ours, "first_right": mean, **plain, "difference_to_plain": mean - plain_mean}
            case Form.TIMES:
                answer = self._ask(question, question.life.items, limit=_HITS)
                scores = {"inside": _share(answer.ranking, question.in_range, first=_HITS)}
                if question.right:
                    scores["subject_first_right"] = float(not answer.first.isdisjoint(question.right))
                return scores
            case Form.SENSES:
                return self._senses(question)
            case Form.SEED:
                ranking = self._ask(question, question.life.items, limit=len(question.life.items)).ranking
                return {"scenario": float(ranking[:1] == tuple(question.right))}
            case _:
                assert_never(question.life.form)

    def _senses(self, question: LifeQuestion) -> dict[str, float]:
        items = question.life.items
        return {
            "sense": _share(self._ask(question, items, limit=len(items)).ranking, question.right, first=_SENSE_HITS),
            "plain_product_sense": _share(self._plain_order(question, items), question.right, first=_SENSE_HITS),
        }

    def _ask(self, question: LifeQuestion, items: Sequence[Item], *, limit: int) -> _Answer:
        """Ask the store of some items, which is filled first where nothing was asked of it yet."""
        key = (question.life.id, frozenset(name for name, _ in items))
        if key not in self.filled:
            self.filled[key] = self._fill(items)
        folder, items_of = self.filled[key]
        with closing(self._open(folder)) as memory:
            hits = memory.recall(question.text, limit=limit, as_of=question.life.as_of, record=False).hits
        ranking = ranked_items(hits, items_of)
        self.write({"id": question.id, "items": len(items), "ranking": ranking})
        merged = [one.id for hit in hits[:1] for one in (hit.episode, *hit.members)]
        return _Answer(ranking=ranking, first=frozenset(name for one in merged for name in items_of.get(one, ())))

    def _fill(self, items: Sequence[Item]) -> tuple[Path, Mapping[str, tuple[str, ...]]]:
        in_order = sorted(items, key=lambda item: item[1].occurred_at or _EARLIEST)
        folder = self.folder / str(len(self.filled))
        with closing(self._open(folder)) as memory:
            episodes = memory.remember_many([statement for _, statement in in_order]).episodes
        return folder, {one.id: (name,) for one, (name, _) in zip(episodes, in_order, strict=True)}

    def _open(self, folder: Path) -> Memory:
        return Memory.open(folder, namespace="life", embedder=self.embedder, settings=self.settings)

    def _plain_order(self, question: LifeQuestion, items: Sequence[Item]) -> tuple[str, ...]:
        """Return the items by the plain product of their vectors and the question's; ties keep their order."""
        texts = self.embedder.embed([statement.text for _, statement in items], role=TextRole.PASSAGE)
        (asked,) = self.embedder.embed([plain_question(question.text)], role=TextRole.QUERY)
        cosines: list[float] = (texts @ asked).tolist()
        return tuple(name for _, (name, _) in sorted(zip(cosines, items, strict=True), key=lambda one: -one[0]))


def _share(ranking: Sequence[str], right: frozenset[str], *, first: int) -> float:
    """Return the share of the first items that are right, of so many as can be."""
    count = min(first, len(right))
    return len(right.intersection(ranking[:count])) / count


def _playing(
    embedder: Embedder, settings: Settings, asked: MeasuredSet[LifeQuestion]
) -> Callable[[LifeQuestion], _Tried]:
    player = _Player(folder=asked.new_folder(), embedder=embedder, settings=settings, write=asked.write, filled={})
    return lambda question: (question, player.scores(question))


def _labels(question: LifeQuestion, *, blind: bool) -> tuple[str, ...]:
    """Return the kind of a question and, where both halves were measured, its half, and its kind in that."""
    kind, half = snake_case(question.kind), question.half
    if not blind or question.life.form is Form.SEED:
        return (kind,)
    return kind, half, f"{half}_{kind}" if kind else ""


def main() -> None:
    """Measure every set, and print a table."""
    parser = options(__doc__)
    parser.add_argument("--blind", action="store_true", help="measure the blind half too, and print both halves")
    given = parser.parse_args()
    show(partial(evaluate_life, given.paths), given, COLUMNS)


if __name__ == "__main__":
    main()
