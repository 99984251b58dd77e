"""Matches: a judge asked blindly in both orders, how far it is to be believed, and what the counts say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import exp, log, log1p, sqrt
from typing import Annotated, Any, TypeAlias, cast

from pydantic import Field

from evolore.domain import contest
from evolore.domain.chat import ChatRequest
from evolore.domain.checks import check_least, check_text
from evolore.domain.evolution import Match, MatchOutcome, TrialStage
from evolore.domain.language import Language, language_name
from evolore.domain.result import from_json
from evolore.errors import InvalidValue
from evolore.evolution.gates.injection import find_injections
from evolore.evolution.requests import Unusable, read_reply
from evolore.text.fences import Data, Prompt, ReplyForm, once_each
from evolore.text.word_files import read_tables

_EVEN_LENGTH = 1.1
"""Answers whose lengths differ by less than this factor are of one length."""


_MOST_POSITION_SHARE = 0.3
_MOST_LONGER_SHARE = 0.7
_MOST_SILENT_SHARE = 0.2
_LEAST_CONTROLS = 6
_MOST_PADDED_SHARE = 0.2
"""Above these shares of matches decided by position alone, of decided ones won by the longer answer, and of matches without a
verdict, a judge is not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchKey:
    """Names one match."""

    stage: TrialStage  #: What it is played for.
    candidate_id: str  #: Whose answer is compared with that of the original.
    question: str  #: What both answer.
    #: 0 for the first time; above, it is played again, with new answers and verdicts, from no cache.
    attempt: int = 0

    @property
    def requests(self) -> tuple[JudgeRequest, JudgeRequest]:
        """What is asked of the judge: both orders, the original first."""
        return (
            JudgeRequest(match=self, order=contest.Order.ORIGINAL_FIRST),
            JudgeRequest(match=self, order=contest.Order.CANDIDATE_FIRST),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """The answers of original and candidate to a question are to be compared, shown as the first and the second."""

    match: MatchKey  #: Which.
    order: contest.Order  #: Which of them is shown first; hidden from the judge.


HeardVerdict: TypeAlias = tuple[JudgeRequest, contest.JudgeReply]
"""What was said to a request."""


def judged_form(request: JudgeRequest, reply: contest.JudgeReply) -> dict[str, object]:
    """Return what a judge said to a request, as a step holds it."""
    match reply:
        case contest.SameAnswer():
            said: dict[str, object] = {"is_same": True}
        case contest.NoVerdict(reason=reason):
            said = {"silence": reason}
        case verdict:
            said = {"verdict": verdict}
    return {"match": request.match, "order": request.order, **said}


def read_judged(body: Mapping[str, Any]) -> HeardVerdict:
    """Read it back."""
    request = from_json(JudgeRequest, body)
    if "is_same" in body:
        return request, contest.SameAnswer()
    if "silence" in body:
        return request, contest.NoVerdict(reason=body["silence"])
    return request, from_json(contest.Verdict, body["verdict"])


class Doubt(StrEnum):
    """Why a judge is not believed."""

    POSITION = "position"
    LENGTH = "length"
    SILENCE = "silence"


def match_of(key: MatchKey, replies: Sequence[contest.JudgeReply]) -> Match:
    """Make a match of the replies in both orders, the one with the original first leading.

    A candidate wins what it wins in both orders; what only one of them says, or position decided, is a tie. Where a
    verdict is missing the original wins, so that nothing can be confirmed by silence.
    """
    original_first, candidate_first = replies
    return Match(
        candidate_id=key.candidate_id,
        question=key.question,
        outcome=_outcome(original_first, candidate_first),
        stage=key.stage,
        attempt=key.attempt,
        replies=(original_first, candidate_first),
    )


def _outcome(original_first: contest.JudgeReply, candidate_first: contest.JudgeReply) -> MatchOutcome:
    if isinstance(original_first, contest.NoVerdict) or isinstance(candidate_first, contest.NoVerdict):
        return MatchOutcome.A
    if isinstance(original_first, contest.SameAnswer) or isinstance(candidate_first, contest.SameAnswer):
        return MatchOutcome.TIE
    sides = (original_first.counted, candidate_first.counted)
    if sides == (contest.Side.SECOND, contest.Side.FIRST):
        return MatchOutcome.B
    return MatchOutcome.A if sides == (contest.Side.FIRST, contest.Side.SECOND) else MatchOutcome.TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReport:
    """How a judge behaved over all matches of a job."""

    matches: int  #: How many.
    ties: int  #: How many neither won.
    silent: int  #: How many lack a verdict.
    contradictory: int  #: How many verdicts preferred the answer with the lower scores; they count for neither.
    by_position: int  #: How many matches position decided: the first answer in both orders, or the second in both.
    position_share: Interval  #: 95 % interval of the share of matches that position decided.
    by_length: int  #: How many were won by one of two answers of clearly different length.
    longer_share: Interval  #: 95 % interval of the share of those that the longer won.
    original: contest.Scores | None  #: Mean scores of the original's answers; None where there are no verdicts.
    candidates: tuple[tuple[str, contest.Scores], ...]  #: Mean scores of the candidates' answers, by candidate.
    judges: tuple[str, ...]  #: Names and versions that returned verdicts.
    doubts: tuple[Doubt, ...]  #: Why it is not believed; nothing may be approved without a person then.


def report_judge(matches: Sequence[Match], *, control: LengthControl | None = None) -> JudgeReport:
    """Measure position bias, ties and length bias of a judge; of what it was not asked nothing is counted.

    A bias is doubted once the lower end of its interval is above what is allowed. A judge that prefers the longer answer
    looks like a good one while every longer answer is better; control pairs distinguish them. Without these a
    person decides.

    Args:
        matches: What it judged.
        control: What it made of control pairs; None where it was not asked.
    """
    matches = [match for match in matches if not match.is_same]
    kinds = Counter(_by_position(match) for match in matches)
    by_position = kinds[contest.Side.FIRST] + kinds[contest.Side.SECOND]
    silent = sum(any(isinstance(reply, contest.NoVerdict) for reply in match.replies) for match in matches)
    longer = [won for won in map(_longer_won, matches) if won is not None]
    measured = {
        Doubt.POSITION: (wilson(by_position, len(matches)), _MOST_POSITION_SHARE),
        Doubt.LENGTH: (wilson(sum(longer), len(longer)), _MOST_LONGER_SHARE),
        Doubt.SILENCE: (wilson(silent, len(matches)), _MOST_SILENT_SHARE),
    }
    verdicts = [reply for match in matches for reply in match.replies if isinstance(reply, contest.Verdict)]
    return JudgeReport(
        matches=len(matches),
        ties=sum(match.outcome is MatchOutcome.TIE for match in matches),
        silent=silent,
        contradictory=sum(verdict.contradicts_itself for verdict in verdicts),
        by_position=by_position,
        position_share=measured[Doubt.POSITION][0],
        by_length=len(longer),
        longer_share=measured[Doubt.LENGTH][0],
        original=mean_scores(scores for match in matches for scores, _ in _scores(match)),
        candidates=_by_candidate(matches),
        judges=tuple(sorted({verdict.judge for verdict in verdicts})),
        doubts=tuple(
            doubt
            for doubt, (interval, most) in measured.items()
            if interval.low > most and not (doubt is Doubt.LENGTH and control is not None and not control.is_doubted)
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthControl:
    """What a judge made of control pairs: the same answer, plain and padded."""

    judge: str  #: Name and version of the judge and its words.
    pairs: int  #: How many pairs it judged in both orders.
    padded: int  #: Of these, where the padded answer was preferred in both.

    @property
    def is_doubted(self) -> bool:
        """Whether it prefers length: it was hardly asked, or preferred the padded answer of one pair in five or more."""
        return self.pairs < _LEAST_CONTROLS or self.padded >= _MOST_PADDED_SHARE * self.pairs


def control_pairs(language: Language) -> tuple[Pair, ...]:
    """Return the control pairs of a language, each in both orders, the plain answer first leading; English ones for any other."""
    listed = read_tables("evolore.evolution", "words/controls.toml")
    spoken = language.value if language.value in listed else Language.EN.value
    found: list[Pair] = []
    for one in cast("list[Mapping[str, str]]", listed[spoken]):
        gap = " " if spoken == Language.EN.value else ""
        plain, padded = one["answer"], f"{one['answer']}{gap}{one['padding']}"
        found.append(Pair(question=one["question"], first=plain, second=padded, language=language))
        found.append(Pair(question=one["question"], first=padded, second=plain, language=language))
    return tuple(found)


def control_of(replies: Sequence[contest.JudgeReply], *, judge: str) -> LengthControl:
    """Count what a judge made of control pairs, in the order of ``control_pairs``."""
    both = [
        (first.preferred, second.preferred)
        for first, second in zip(replies[::2], replies[1::2], strict=True)
        if isinstance(first, contest.Verdict) and isinstance(second, contest.Verdict)
    ]
    padded = sum(one == (contest.Side.SECOND, contest.Side.FIRST) for one in both)
    return LengthControl(judge=judge, pairs=len(both), padded=padded)


def _verdicts(match: Match) -> tuple[contest.Verdict, contest.Verdict] | None:
    """Return both verdicts, the one with the original first leading; None where one is missing."""
    found = [reply for reply in match.replies if isinstance(reply, contest.Verdict)]
    return (found[0], found[1]) if len(found) == 2 else None  # noqa: PLR2004 - both orders


def _by_position(match: Match) -> contest.Side | None:
    """Return which position won in both orders; None where none did."""
    both = _verdicts(match)
    if both is None or both[0].preferred is contest.Side.TIE or both[0].preferred is not both[1].preferred:
        return None
    return both[0].preferred


def _longer_won(match: Match) -> bool | None:
    """Return whether the longer answer won; None where there is no winner or no longer answer."""
    both = _verdicts(match)
    if both is None or match.outcome is MatchOutcome.TIE:
        return None
    original, candidate = both[0].first_characters, both[0].second_characters
    if max(original, candidate) < _EVEN_LENGTH * min(original, candidate) or original == candidate:
        return None
    return (candidate > original) is (match.outcome is MatchOutcome.B)


def _scores(match: Match) -> list[tuple[contest.Scores, contest.Scores]]:
    """Return the scores of original and candidate, in each order that has a verdict."""
    found: list[tuple[contest.Scores, contest.Scores]] = []
    for place, reply in enumerate(match.replies):
        if isinstance(reply, contest.Verdict):
            found.append((reply.first, reply.second) if place == 0 else (reply.second, reply.first))
    return found


def _by_candidate(matches: Sequence[Match]) -> tuple[tuple[str, contest.Scores], ...]:
    means = {
        name: mean_scores(scores for match in matches if match.candidate_id == name for _, scores in _scores(match))
        for name in dict.fromkeys(match.candidate_id for match in matches)
    }
    return tuple((name, mean) for name, mean in means.items() if mean is not None)


def mean_scores(scores: Iterable[contest.Scores]) -> contest.Scores | None:
    """Return the mean of scores; None of none."""
    every = list(scores)
    if not every:
        return None
    return contest.Scores(
        helpfulness=sum(one.helpfulness for one in every) / len(every),
        correctness=sum(one.correctness for one in every) / len(every),
        coherence=sum(one.coherence for one in every) / len(every),
    )


PAIRS_PER_CALL = 8
"""How many pairs are judged in one call, all in one order, so that no call sees a pair in both."""

LONGEST_JUDGED = 12_000
"""Characters of one answer. A longer one is not judged, because it would be cut off."""

LONGEST_REFERENCE = 12_000
"""Characters of the passages that both answers are held against."""

_LONGEST_REASON = 1_000
_REPLY_TOKENS = 400
_MOST_PAIRS = 100
Score = Annotated[float, Field(ge=contest.LEAST_SCORE, le=contest.MOST_SCORE, allow_inf_nan=False)]


class ScoresReply(ReplyForm):
    """A reply's scores of one answer."""

    helpfulness: Score
    correctness: Score
    coherence: Score


class PairReply(ReplyForm):
    """What a reply says of one pair."""

    number: Annotated[int, Field(ge=1)]
    reason: Annotated[str, Field(max_length=_LONGEST_REASON)]
    first: ScoresReply
    second: ScoresReply
    preferred: contest.Side


class MatchReply(ReplyForm):
    """What a judge's reply must be."""

    pairs: Annotated[list[PairReply], Field(max_length=_MOST_PAIRS)]


JUDGE_PROMPT = Prompt(name="judge_answers", version=2, purpose="evolution.judge", marks="match", form=MatchReply)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two answers to one question; whose they are is hidden from the judge."""

    question: str  #: What was asked.
    first: str  #: The answer that is shown first.
    second: str  #: The other.
    language: Language  #: What they are written in.
    attempt: int = 0  #: 0 for the first time; above, it is judged again.
    reference: str = ""  #: Passages that both are held against; empty for none.

    def __post_init__(self) -> None:
        check_text(self.question, "The question")
        check_least(0, attempt=self.attempt)

    @property
    def unfit(self) -> str:
        """Why it is not shown to a judge; empty where it is.

        What cannot be shown whole is not judged, nor an answer that speaks to a model, as far as its wording is known:
        its author must stay hidden, so it wins nothing, and nothing is won against it.
        """
        if max(len(self.first), len(self.second)) > LONGEST_JUDGED or len(self.reference) > LONGEST_REFERENCE:
            return "too_long"
        spoken = find_injections(self.first) or find_injections(self.second)
        return f"speaks_to_a_model: {spoken[0].reason}" if spoken else ""


def judge_request(instructions: str, pairs: Sequence[Pair]) -> ChatRequest:
    """Ask which of two answers is better, of some pairs with one language, reference and attempt.

    The data between ``<match>`` and ``</match>``: ``language`` (its English name), ``pairs``, each with ``number`` from 1,
    ``question``, ``first`` and ``second`` (the answers), and ``reference`` (passages; left out where there are none). The
    reply is ``MatchReply``. The request's seed is the attempt.
    """
    first = pairs[0]
    shown: list[Data] = [
        {"number": number, "question": one.question, "first": one.first, "second": one.second}
        for number, one in enumerate(pairs, start=1)
    ]
    data: dict[str, Data] = {"language": language_name(first.language), "pairs": shown}
    if first.reference:
        data["reference"] = first.reference
    return JUDGE_PROMPT.request(instructions, data, most_tokens=_REPLY_TOKENS * len(pairs), seed=first.attempt)


def read_matches(reply: str, pairs: Sequence[Pair], *, judge: str) -> tuple[contest.Verdict | contest.NoVerdict, ...]:
    """Return the verdict on each pair, or why there is none; one that contradicts itself is a verdict all the same."""
    read = read_reply(reply, MatchReply)
    if isinstance(read, Unusable):
        return (contest.NoVerdict(reason=read.reason),) * len(pairs)
    said = once_each(read.pairs, lambda one: one.number)
    return tuple(_verdict(said.get(number), pair, judge) for number, pair in enumerate(pairs, start=1))


def _verdict(one: PairReply | None, pair: Pair, judge: str) -> contest.Verdict | contest.NoVerdict:
    if one is None:
        return contest.NoVerdict(reason="The reply does not judge the pair once.")
    return contest.Verdict(
        preferred=one.preferred,
        first=contest.Scores(**one.first.model_dump()),
        second=contest.Scores(**one.second.model_dump()),
        first_characters=len(pair.first),
        second_characters=len(pair.second),
        judge=judge,
        reason=" ".join(one.reason.split()),
    )


_Z95 = 1.959963984540054
_BISECTIONS = 34
_BETS = (0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A range that holds the true share, 0–1."""

    low: float  #: Its lower end.
    high: float  #: Its upper end.


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How matches of one candidate ended.

    Raises:
        InvalidValue: A count is below 0.
    """

    wins: int = 0  #: Won by the candidate.
    losses: int = 0  #: Won by the original.
    ties: int = 0  #: By neither.

    def __post_init__(self) -> None:
        if min(self.wins, self.losses, self.ties) < 0:
            raise InvalidValue(f"{self.wins}, {self.losses}, {self.ties} are no counts: use whole numbers from 0 on.")

    @property
    def played(self) -> int:
        """How many there were."""
        return self.wins + self.losses + self.ties

    @property
    def decided(self) -> int:
        """How many somebody won."""
        return self.wins + self.losses

    @property
    def win_rate(self) -> Fraction:
        """The share that was won, a tie counting half, exactly; one half of none."""
        return Fraction(2 * self.wins + self.ties, 2 * self.played) if self.played else Fraction(1, 2)

    def after(self, outcome: MatchOutcome) -> Tally:
        """Count one more."""
        return Tally(
            wins=self.wins + (outcome is MatchOutcome.B),
            losses=self.losses + (outcome is MatchOutcome.A),
            ties=self.ties + (outcome is MatchOutcome.TIE),
        )


def evidence(wins: int, losses: int, bets: Sequence[float]) -> float:
    """Return what 1 came to by betting on the candidate, the mean over several bets.

    ``E = mean over λ of (1 + λ)^wins · (1 - λ)^losses``; a tie leaves it as it is. Where each next pair is at most as
    likely to be won as lost, given all before, E is a nonnegative supermartingale, so it ever reaches ``1/alpha`` with
    probability at most alpha (Ville 1939; Shafer 2021; Ramdas et al. 2023): one may look after every pair.
    """
    return sum((1 + bet) ** wins * (1 - bet) ** losses for bet in bets) / len(bets)


def wilson(successes: float, total: int) -> Interval:
    """Return the 95 % interval of a share whose number of trials was set beforehand (Wilson 1927).

    Args:
        successes: How many, a tie counting half, which makes the interval wider than it need be.
        total: Of how many; the interval of none is all of 0–1.
    """
    if not total:
        return Interval(low=0.0, high=1.0)
    share = successes / total
    shrink = 1 + _Z95**2 / total
    centre = (share + _Z95**2 / (2 * total)) / shrink
    half = _Z95 * sqrt(share * (1 - share) / total + _Z95**2 / (4 * total**2)) / shrink
    return Interval(
        low=0.0 if successes <= 0 else max(0.0, centre - half),
        high=1.0 if successes >= total else min(1.0, centre + half),
    )


def anytime_interval(tally: Tally, *, alpha: float, bets: Sequence[float] = _BETS) -> Interval:
    """Return an interval of the win rate that holds however often one looks and whenever one stops.

    Either end is where the bets against that win rate come to ``1/alpha`` (betting confidence sequence, Waudby-Smith
    and Ramdas 2024), so the lower end is above one half exactly when `evidence` with the same bets has passed ``1/alpha``.
    Each end is missed with probability at most alpha.
    """

    def low(wins: int, losses: int) -> float:
        if not wins and not tally.ties:
            return 0.0
        return _lowest(lambda rate: _log_evidence_against(rate, wins, losses, tally.ties, bets), -log(alpha))

    return Interval(low=low(tally.wins, tally.losses), high=1.0 - low(tally.losses, tally.wins))


def _log_evidence_against(rate: float, wins: int, losses: int, ties: int, bets: Sequence[float]) -> float:
    """Bet that the mean of results 1, ½, 0 is above a rate; the logarithm of what it came to falls as the rate grows."""
    gain, middle = (1 - rate) / rate, (0.5 - rate) / rate
    logs = [wins * log1p(bet * gain) + ties * log1p(bet * middle) + losses * log1p(-bet) for bet in bets]
    most = max(logs)
    return most + log(sum(exp(one - most) for one in logs) / len(logs))


def _lowest(against: Callable[[float], float], most: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if against(middle) >= most else (low, middle)
    return low
