"""Hits: ranked items read from the store once, as far as they are asked for, without echoes, within so many tokens, long ones by their passages."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

import numpy as np

from evolore.domain.citation import CLOSING, OPENING, Citing, episode_day, ranks_of
from evolore.domain.document import Span, Upkeep
from evolore.domain.episode import Episode
from evolore.domain.language import Language
from evolore.domain.query import Echo, Hit, HitWarning, ScoreTerm
from evolore.ports import IndexView, Tokenizer
from evolore.recall.likelihood import Likelihoods
from evolore.recall.ranking import Ranking, Term
from evolore.recall.reader import RecallReader
from evolore.text.changes import MOMENTS
from evolore.text.pipe_tables import row_names
from evolore.text.question_words import AskedWords, held_words
from evolore.text.tokens import analyse, estimate_tokens
from evolore.text.vectors import Float32s, Int32s
from evolore.text.warning_signs import warnings_of
from evolore.text.word_files import read_words

_AHEAD = 4
"""How many times as many are ranked as were wanted first, when more are asked for after all."""


class FoundHits:
    """The hits of a question.

    Args:
        rank_to: Returns a ranking of which the first so many places are right.
        items: What the question may see, as episodes.
        likelihoods: Finds how likely they are relevant to the question; None if unknown.
    """

    def __init__(
        self, rank_to: Callable[[int], Ranking], items: ReadItems, likelihoods: Likelihoods | None = None
    ) -> None:
        self._rank_to = rank_to
        self._likelihoods = likelihoods
        self.likelihood: float | None = None if likelihoods is None else 0.0
        self.items = items
        self._ranking: Ranking | None = None
        self._ranked = 0
        self._read: list[Hit] = []

    def first(self, count: int) -> tuple[Hit, ...]:
        """Return that many hits, best first, or all where there are fewer."""
        ranking = self.ranking_to(count)
        items: list[int] = ranking.order[len(self._read) : count].tolist()
        self._read += self.hits(ranking, items, rank=len(self._read) + 1)
        return tuple(self._read[:count])

    def hits(self, ranking: Ranking, items: Sequence[int], *, rank: int = 1) -> tuple[Hit, ...]:
        """Read these items, and rank them in this order."""
        found = self.items.episodes(items)
        terms = [(term.value, values[list(items)].tolist()) for term, values in ranking.terms.items()]
        likelihoods: Sequence[float | None] = [None] * len(found)
        if self._likelihoods is not None:
            told = self._likelihoods.of(items, [one.language for one in found], ranking)
            likelihoods, self.likelihood = told, max([self.likelihood or 0.0, *told])
        return tuple(
            Hit(
                episode=episode,
                rank=rank + place,
                score=float(ranking.score[item]),
                terms=tuple(ScoreTerm(name=name, value=values[place]) for name, values in terms),
                likelihood=likelihoods[place],
            )
            for place, (episode, item) in enumerate(zip(found, items, strict=True))
        )

    def ranking_to(self, count: int) -> Ranking:
        """Return a ranking of which that many places are right, or all where there are fewer."""
        if self._ranking is None or count > self._ranked:
            self._ranked = count if self._ranking is None else _AHEAD * count
            self._ranking = self._rank_to(self._ranked)
        return self._ranking


class ReadItems:
    """The items a question may see, read as far as they are asked for."""

    def __init__(self, view: IndexView, reader: RecallReader, numbers: Int32s) -> None:
        self._view = view
        self._reader = reader
        self.numbers = numbers
        self._known: dict[str, Episode] = {}

    def ids(self, items: Sequence[int]) -> list[str]:
        """Return the episodes that are these items."""
        return [self._view.episode_ids[int(self.numbers[item])] for item in items]

    def episodes(self, items: Sequence[int]) -> tuple[Episode, ...]:
        """Read these items, in their order."""
        return self.named(self.ids(items))

    def named(self, ids: Sequence[str]) -> tuple[Episode, ...]:
        """Read episodes by their ids, in their order; each is read once, and ids that name none are left out."""
        missing = [id_ for id_ in ids if id_ not in self._known]
        if missing:
            self._known |= {one.id: one for one in self._reader.episodes(missing)}
        return tuple(self._known[id_] for id_ in ids if id_ in self._known)


_ROWS_READ = 10
_ROW_WEIGHT = np.float32(0.15)
"""What a row that is named whole adds, in the unit of scores. Of 119 questions for a cell of a table, 0 finds the right piece
first for 99, 0.15 for 111, 0.25 for 112; reading 20 items instead of 10 changes none."""


def by_rows(ranking: Ranking, question: str, *, items: ReadItems) -> Ranking:
    """Rank the first items again by the share of a row's name in a table that the question says.

    The pieces of a table share their columns, and their rows look alike: the name decides which piece is meant.
    """
    first = ranking.order[:_ROWS_READ].tolist()
    texts = [one.text for one in items.episodes(first)]
    if "|" not in "".join(texts):
        return ranking
    asked = frozenset(analyse(question))
    gain = np.zeros_like(ranking.score)
    gain[first] = [_ROW_WEIGHT * _named_share(text, asked) for text in texts]
    return ranking.with_term(Term.ROW, gain, limit=ranking.order.size) if gain.any() else ranking


def _named_share(text: str, asked: frozenset[str]) -> float:
    names = (frozenset(analyse(name)) for name in row_names(text))
    return max((len(name & asked) / len(name) for name in names if name), default=0.0)


_DECIMALS = 4


def with_members(hits: tuple[Hit, ...], vector: Float32s, *, view: IndexView, reader: RecallReader) -> tuple[Hit, ...]:
    """Return hits with the statements they were made of, those likest to the question first; one read for all."""
    ids = sorted({one.id for hit in hits for one in hit.episodes if one.is_made or one.merge_count})
    if not ids:
        return hits
    members = {id_: _ordered(found, vector, view) for id_, found in reader.members(ids).items()}
    return tuple(_with(hit, members) for hit in hits)


def _with(hit: Hit, members: Mapping[str, tuple[Episode, ...]]) -> Hit:
    expansion, whole = hit.expansion, hit.whole
    return replace(
        hit,
        members=members.get(hit.episode.id, ()),
        echoes=tuple(replace(echo, members=members.get(echo.episode.id, ())) for echo in hit.echoes),
        expansion=expansion and replace(expansion, folded=tuple(_with(one, members) for one in expansion.folded)),
        whole=whole and replace(whole, found=tuple(_with(one, members) for one in whole.found)),
    )


def _ordered(found: tuple[Episode, ...], vector: Float32s, view: IndexView) -> tuple[Episode, ...]:
    known = [one for one in found if one.id in view.numbers]
    numbers = np.array([view.numbers[one.id] for one in known], dtype=np.int32)
    likeness = view.vectors.similarities_of(vector, numbers) if known else np.zeros(0, dtype=np.float32)
    by_id = {one.id: round(float(value), _DECIMALS) for one, value in zip(known, likeness, strict=True)}
    return tuple(sorted(found, key=lambda one: (-by_id.get(one.id, -1.0), one.id)))


def with_warnings(hit: Hit, today: date) -> Hit:
    """Return a hit with what a reader should be wary of: in what is shown of it, in its place, and whether it is overdue."""
    found = warnings_of("\n".join((*_places(hit), hit.text)))
    if hit.episode.document_id and hit.episode.metadata and Upkeep.of(hit.episode.metadata).is_overdue(today):
        found = (*found, HitWarning.OVERDUE)
    return hit if found == hit.warnings else replace(hit, warnings=found)


def _places(hit: Hit) -> Iterator[str]:
    """Yield what others wrote into the lines above a hit's text: who spoke, sessions, titles, headings, sources."""
    for one in (hit.episode, *(echo.episode for echo in hit.echoes)):
        yield from (part for part in (one.speaker, one.session, one.title, *one.heading_path, one.source) if part)
    if hit.expansion is not None:
        yield from hit.expansion.heading_path
    if hit.whole is not None:
        yield hit.whole.name


def count_tokens(text: str, tokenizer: Tokenizer | None) -> int:
    """Count a text's tokens, or estimate them where there is no tokenizer."""
    return estimate_tokens(text) if tokenizer is None else len(tokenizer.token_starts(text))


def within_budget(
    hits: Sequence[Hit], budget: int, *, tokenizer: Tokenizer | None, citing: Citing | None = None
) -> tuple[Hit, ...]:
    """Return hits, best first, as long as what ``citing`` makes of them stays within a budget; the first in any case.

    It ends at the first that does not fit: a shorter one further back does not overtake it.
    """
    citing = citing or Citing()
    ranks = ranks_of(hits)
    taken, left = 0, budget - count_tokens(f"{citing.heading}\n\n{OPENING}\n{CLOSING}\n", tokenizer)
    for hit in hits:
        left -= count_tokens(citing.one(hit, ranks) + "\n\n", tokenizer)
        if left < -1:  # the last has no blank line behind it
            break
        taken += 1
    while taken > 1 and count_tokens(citing.all(hits[:taken]), tokenizer) > budget:
        taken -= 1  # a tokenizer may count the whole differently from its parts, and what is left out is quoted
    return tuple(hits[: max(1, taken)])


_LEAST_FIRST = 0.1
_LEAST_MORE = 0.2
"""Share of the question's words that the best passage holds, or it may be any; and that another adds, or it stays out."""

_MOST = 3


def best_passages(text: str, passages: Sequence[Span], asked: AskedWords) -> tuple[Span, ...]:
    """Choose the passages that say most of what is asked: the best, then what adds words that it lacks.

    Returns:
        At most three, in their order; none where words do not help, as between two languages.
    """
    words = [held_words(span.of(text)) for span in passages]
    covered = frozenset[str]()
    chosen: list[int] = []
    least = _LEAST_FIRST
    while words and len(chosen) < _MOST:
        shares = [asked.covered(covered | own) for own in words]
        best = max(range(len(words)), key=shares.__getitem__)
        if shares[best] - asked.covered(covered) < least:
            break
        chosen.append(best)
        covered |= words[best]
        least = _LEAST_MORE
    return tuple(passages[place] for place in sorted(chosen))


# Scripts written without spaces are compared by the character: no word of theirs is cut wrongly then.
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u303b\u3041-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff"
)
_WORD = re.compile(rf"[0-9]+(?:[.,:/-][0-9]+)*|[^\W\d_{_UNSPACED}]+(?:['’][^\W\d_{_UNSPACED}]+)*|\w|%")
_CAPITALISED = re.compile(rf"[^\W\d_{_UNSPACED}]+(?:['’][^\W\d_{_UNSPACED}]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n\"“”«»()])\s*$")
ECHO_SHARE = 0.8
"""How much of a better hit's words another repeats to be folded into it; what it says besides counts against it anyway."""

_LOOK_BACK = 4
_IS_NUMBER = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What is compared of a text."""

    text: str  #: In one normal form, letters as they were.
    #: Its words in order, folded, without those that carry nothing; single characters in scripts without spaces.
    words: tuple[str, ...]
    #: What has to be the same besides the words: who said it, what it is about, whether it holds.
    origin: Hashable = None
    #: When it was said; it has to be the same too where the text names a time by that moment, as "yesterday" does.
    moment: Hashable = None


def wording(text: str, *, origin: Hashable = None, moment: Hashable = None) -> Wording:
    """Read a text's wording."""
    normal = text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")
    folded = normal.casefold()
    fillers = _fillers()
    words = tuple(word for word in _WORD.findall(folded) if word not in fillers)
    return Wording(text=normal, words=words or (folded.strip(),), origin=origin, moment=moment)


def echo_share(standing: Wording, other: Wording, *, least: float) -> float | None:
    """Return how much of one text another repeats, where that is all it does; None where it is no echo.

    An echo has the words of the kept text in their order, at least ``least`` of them, and no word besides. So a
    changed word is never folded: it may be a changed number, name or date, of which similarity of vectors knows
    nothing ("on Monday" and "on Tuesday" are more alike to an embedder than most paraphrases). Nor may what is left
    out be a number, a negation, a date or a name, or anything else that changes the meaning.

    Returns:
        The share of the kept text's words that the other repeats; 1 for the same words.

    >>> move = wording("We moved to Osaka in May, all five of us.")
    >>> echo_share(move, wording("we moved to Osaka in May – all five of us"), least=0.8)
    1.0
    >>> echo_share(move, wording("We moved to Kyoto in May, all five of us."), least=0.8) is None
    True
    """
    share = len(other.words) / len(standing.words)
    if not least <= share <= 1.0 or standing.origin != other.origin or not _is_within(other.words, standing.words):
        return None
    if standing.moment != other.moment and MOMENTS.search(standing.text.casefold()):
        return None
    return share if share == 1.0 or not _is_turned(standing, other) else None


class Echoes:
    """The hits kept so far, and which of them later ones repeat.

    Laws: every hit is either kept or the echo of exactly one that is kept; those that are kept keep their order.

    The best-ranked is kept, also where a later one is newer: its rank was earned by what was asked, the moment included,
    and its terms must sum to the score it is shown with. The echoes carry their dates.

    Args:
        least: How much of a kept text an echo has to repeat, 0–1.
    """

    def __init__(self, *, least: float = ECHO_SHARE) -> None:
        self._least = least
        self._standing: list[Wording] = []

    def place(self, given: Wording) -> tuple[int, float] | None:
        """Return which kept hit the next one repeats, and how much of it; None where it is kept itself.

        Costs a comparison with each kept hit.
        """
        for number, standing in enumerate(self._standing):
            share = echo_share(standing, given, least=self._least)
            if share is not None:
                return number, share
        self._standing.append(given)
        return None


def _is_turned(standing: Wording, other: Wording) -> bool:
    """Return whether what a shorter text leaves out changes the meaning."""
    left_out = Counter(standing.words) - Counter(other.words)
    found = (match for match in _CAPITALISED.finditer(standing.text) if match.group()[0].isupper())
    names = frozenset(
        match.group().casefold()
        for match in found
        if not _SENTENCE_START.search(standing.text[max(0, match.start() - _LOOK_BACK) : match.start()])
    )
    return any(_turns(word, names) for word in left_out)


def _is_within(shorter: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    """Return whether the words of one are in the other in their order."""
    rest = iter(longer)
    return all(word in rest for word in shorter)


def _turns(word: str, names: frozenset[str]) -> bool:
    """Return whether a text may say something else once this word is left out."""
    if word in names or word in _turning() or word.endswith("n't"):
        return True
    return _IS_NUMBER.search(word) is not None or MOMENTS.search(word) is not None


@cache
def _fillers() -> frozenset[str]:
    return frozenset(read_words("evolore.recall", "echoes", Language.EN).words("fillers"))


@cache
def _turning() -> frozenset[str]:
    """Return English words and Japanese and Chinese characters: a text that lacks one of them says something else."""
    english, japanese, chinese = (
        read_words("evolore.recall", "echoes", language) for language in (Language.EN, Language.JA, Language.ZH)
    )
    return frozenset((*english.words("turning"), *japanese.texts["marked"], *chinese.texts["marked"]))


class EchoFolder:
    """Hits with their echoes, read as far as they are asked for.

    Args:
        first: Returns that many hits, best first, or all where there are fewer.
    """

    def __init__(self, first: Callable[[int], tuple[Hit, ...]]) -> None:
        self._first = first
        self._echoes = Echoes()
        self._standing: list[Hit] = []
        self._seen = 0

    def first(self, count: int) -> tuple[Hit, ...]:
        """Return that many hits that repeat none before them, or all where there are fewer.

        The next ones move up into the places of those that were folded. Ranks are counted again; an echo keeps the
        rank it had.
        """
        wanted = count
        while len(self._standing) < count:
            hits = self._first(wanted)
            for hit in hits[self._seen :]:
                if len(self._standing) == count:
                    break
                self._take(hit)
            if len(hits) < wanted:
                break
            wanted = self._seen + count - len(self._standing)
        return tuple(self._standing[:count])

    def _take(self, hit: Hit) -> None:
        self._seen += 1
        episode = hit.episode
        origin = (episode.speaker, episode.about, episode.state)
        found = self._echoes.place(wording(episode.text, origin=origin, moment=episode_day(episode)))
        if found is None:
            self._standing.append(replace(hit, rank=len(self._standing) + 1))
            return
        number, share = found
        echo = Echo(episode=hit.episode, similarity=share, rank=hit.rank, score=hit.score, terms=hit.terms)
        best = self._standing[number]
        self._standing[number] = replace(best, echoes=(*best.echoes, echo))
