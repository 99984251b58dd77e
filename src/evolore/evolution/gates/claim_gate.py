"""The claim gate's pure part: no claim is lost, none is invented, and none is turned into another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from evolore.domain.language import Language
from evolore.evolution.gates import claims as reading
from evolore.evolution.gates.claims import Claim, ClaimGroup, Similar
from evolore.evolution.gates.roles import exchanged_roles
from evolore.evolution.gates.steps import lost_steps
from evolore.evolution.gates.turned_claims import ClaimWeights, turned_clauses
from evolore.evolution.gates.verdicts import Concern, Gate, Grade, Ruling
from evolore.text.protected.weighing import weigh_spans
from evolore.text.values import SpanKind, Value
from evolore.text.values.quantities import Quantity, quantity_of, unit_at
from evolore.text.values.spans import fold_text

_OUT_OF_NOWHERE = "Words are neither in the original nor in what is cited"
_INVENTED = "A claim is neither in the original nor in what is cited"
_LATIN_WORD = re.compile(r"[a-z]{4,}")

_FEWEST_WORDS = 3
_UNKNOWN = 0.4
"""How near a sentence is taken to be where nothing measures it: near enough not to be refused, too far to be sure."""

_SAID_AGAIN = 0.8
_FOUND_SHARE = 0.35
"""A sentence is kept, or known, when this share of its content words is found again."""

_RESTATED = 0.5
"""An answer of which this share of its words is known, and another sentence of which more is, is compared with what it restates:
of 34 sound additions 10 are doubted and not refused, of 310 invented ones none."""

_SURE_SIMILAR = 0.42
"""A sentence whose nearest counterpart is less similar than this in meaning may be lost or invented."""


def new_words(claims: Sequence[Claim], known: Sequence[Claim], language: Language) -> Iterator[Concern]:
    """Doubt sentences, however short, that share no word with what is known, and Latin words in Japanese and Chinese.

    A sentence of one or two words is too short to be weighed as a claim; a name, a code or half a secret fits in it.

    >>> from evolore.evolution.gates.claims import read_claims
    >>> before, after = "Open the valve.", "Open the valve. Korvat, zelin."
    >>> found = new_words(read_claims(after, Language.EN), read_claims(before, Language.EN), Language.EN)
    >>> [(one.quote, one.level.value) for one in found]
    [('Korvat, zelin.', 'doubt')]
    """
    words = {word for claim in known for word in claim.words}
    plain = " ".join(fold_text(claim.text).casefold() for claim in known)
    is_spaced = language not in {Language.JA, Language.ZH}
    for claim in claims:
        is_apart = bool(claim.words) and not (claim.asks or claim.is_heading) and words.isdisjoint(claim.words)
        if is_apart or (not is_spaced and _has_new_latin(claim.text, plain)):
            yield Concern(reason=_OUT_OF_NOWHERE, after=claim.span, quote=claim.text, level=Grade.DOUBT)


def _has_new_latin(text: str, known: str) -> bool:
    """Return whether a text has a word in Latin letters that is no unit and is not known."""
    found = _LATIN_WORD.findall(fold_text(text).casefold())
    return any(word not in known and unit_at(word, 0)[1] != len(word) for word in found)


def claim_gate(
    before: str,
    after: str,
    language: Language,
    *,
    evidence: Sequence[str] = (),
    similar: Similar | None = None,
    weights: ClaimWeights | None = None,
) -> Ruling:
    """Return which claims a candidate loses, invents or turns around, as far as words show; a model may judge later.

    Args:
        before: The original; of a crossover, all of them joined.
        after: The candidate.
        language: What both are written in.
        evidence: What the candidate cites: it may say what is there. Feedback is none.
        similar: How near sentences are in meaning, such as cosines of their vectors: a matrix of the first by the second.
        weights: What signs of a turned claim weigh, in place of what ships.
    """
    ours, theirs = reading.read_claims(before, language), reading.read_claims(after, language)
    cited = tuple(claim for text in evidence for claim in reading.read_claims(text, language))
    gone, new = reading.changed_claims(ours, theirs)
    found = [
        Concern(reason="A claim of the original is lost", before=claim.span, quote=claim.text, level=level)
        for claim, level in _uncovered(gone, new, theirs, similar)
    ]
    found += _invented(theirs, (gone, new), (*ours, *cited), language, similar)
    found += new_words(theirs, (*ours, *cited), language)
    found += turned_clauses(ours, theirs, language, cited=reading.words_of(cited), similar=similar, weights=weights)
    found += exchanged_roles(ours, theirs, language)
    found += lost_steps(ours, theirs, language, similar=similar)
    for group in reading.pair_claims(ours, theirs, similar=similar):
        found += exchanged_values(group, language)
    return Ruling(gate=Gate.CLAIMS, findings=tuple(found))


def _uncovered(
    claims: Sequence[Claim], instead: Sequence[Claim], others: Sequence[Claim], similar: Similar | None
) -> Iterator[tuple[Claim, Grade]]:
    """Yield changed sentences without a counterpart: certain if nothing replaces them, or nothing is near in meaning."""
    alone = {claim.span for claim in _alone(claims, others)}
    for claim, nearness in _nearest(claims, others, similar):
        is_alone = claim.span in alone or (not instead and _whole_share(claim, others) < _SAID_AGAIN)
        if is_alone and (not instead or nearness < _SURE_SIMILAR):
            yield claim, Grade.DOUBT if instead else Grade.REFUSE


def _invented(
    after: Sequence[Claim],
    changed: tuple[Sequence[Claim], Sequence[Claim]],
    known: Sequence[Claim],
    language: Language,
    similar: Similar | None,
) -> Iterator[Concern]:
    """Yield new sentences that nothing known says; where nothing is gone, what restates what is known, with its values, is doubted."""
    gone, new = changed
    levels = {
        claim.span: level
        for claim, level in _uncovered(new, gone, known, similar)
        if not claim.asks or claim.hard_values or claim.denials
    }
    answers = [] if gone else _answers(after)
    added = _added_values(known, answers, language)
    levels |= dict.fromkeys(
        (claim.span for claim in answers if any(value in claim.text for value in added)), Grade.REFUSE
    )
    for claim in new if not gone else ():
        if claim.span not in levels or any(value in claim.text for value in added):
            continue
        is_known = claim in answers or _found_share(claim, known) > _RESTATED
        if is_known and _restates(claim, known, language, similar):
            levels[claim.span] = Grade.DOUBT
    for claim in new:
        if claim.span in levels:
            yield Concern(reason=_INVENTED, after=claim.span, quote=claim.text, level=levels[claim.span])


def _answers(claims: Sequence[Claim]) -> list[Claim]:
    """Return the sentences between a question and the next heading or question."""
    found: list[Claim] = []
    is_answer = False
    for claim in claims:
        is_answer = claim.asks or (is_answer and not claim.is_heading)
        found += [claim] if is_answer and not claim.asks else []
    return found


def _added_values(known: Sequence[Claim], new: Sequence[Claim], language: Language) -> list[str]:
    """Return the numbers, dates and names of some sentences that others do not have in any notation."""
    said, more = (" ".join(claim.text for claim in claims) for claims in (known, new))
    changes = weigh_spans(said, f"{said} {more}", language) if more else ()
    return [change.added.quote for change in changes if change.added and not change.lost]


def _restates(claim: Claim, known: Sequence[Claim], language: Language, similar: Similar | None) -> bool:
    """Return whether half of an answer's words are known, and the sentence nearest to it has its values and denies as it does."""
    if _found_share(claim, known) < _RESTATED:
        return False
    near = [reading.dice(Counter(claim.words), Counter(other.words)) for other in known]
    if similar is not None:
        near = similar([claim.text], [other.text for other in known])[0].tolist()
    nearest = known[near.index(max(near))]
    one, other = (reading.reading_of(text, language) for text in (claim.text, nearest.text))
    is_turned = bool(one.denials) is not bool(other.denials) and not (one.other_softeners or other.other_softeners)
    return not is_turned and not _added_values([nearest], [claim], language)


def _nearest(
    claims: Sequence[Claim], others: Sequence[Claim], similar: Similar | None
) -> Iterator[tuple[Claim, float]]:
    """Yield sentences that say something, each with how near the nearest of others is, or two of them together."""
    spoken = [claim for claim in claims if not (claim.is_heading or len(claim.words) < _FEWEST_WORDS)]
    if similar is None or not spoken or not others:
        yield from ((claim, _UNKNOWN) for claim in spoken)
        return
    texts = [other.text for other in others]
    near = similar([claim.text for claim in spoken], [*texts, *map(" ".join, pairwise(texts))])
    yield from zip(spoken, near.max(axis=1).tolist(), strict=True)


def _alone(claims: Sequence[Claim], others: Sequence[Claim]) -> Iterator[Claim]:
    """Yield the sentences of which neither the words nor the protected spans are found again."""
    texts = {other.text for other in others}
    values = frozenset(value for other in others for value in other.hard_values)
    for claim in claims:
        is_there = claim.text in texts or (claim.hard_values and claim.hard_values <= values)
        if not (is_there or claim.is_heading or not claim.words) and _found_share(claim, others) < _FOUND_SHARE:
            yield claim


def _found_share(claim: Claim, others: Sequence[Claim]) -> float:
    """Return how much of a claim's words is in the two neighbouring sentences that hold most of them."""
    bag = Counter(claim.words)
    best = 0
    for index, other in enumerate(others):
        known = set(other.words + (others[index + 1].words if index + 1 < len(others) else ()))
        best = max(best, sum(count for word, count in bag.items() if word in known))
    return best / bag.total()


def _whole_share(claim: Claim, others: Sequence[Claim]) -> float:
    bag = Counter(set(claim.words))
    return (bag & reading.words_of(others)).total() / bag.total()


_UNCHANGED = 0.9
"""How much of their pieces sentences share, values left out, of which nothing but values may have changed."""

_ALIKE = 0.5
_COUNTED = frozenset({SpanKind.NUMBER, SpanKind.DATE, SpanKind.TIME})
_Value = Quantity | tuple[SpanKind, str]


def exchanged_values(group: ClaimGroup, language: Language) -> Iterator[Concern]:
    """Yield where a number, date or name was replaced by another of the document, or two changed places."""
    ours, theirs = (" ".join(claim.text for claim in claims) for claims in (group.before, group.after))
    for change in weigh_spans(ours, theirs, language):
        if change.lost and change.added:
            reason = f"{change.lost.quote.strip()} became {change.added.quote.strip()}"
            is_certain = change.is_certain or (change.lost.kind is SpanKind.RATE and group.share >= _ALIKE)
            yield _of_group(group, reason, Grade.REFUSE if is_certain else Grade.DOUBT)
    yield from _in_place(group)


def _in_place(group: ClaimGroup) -> Iterator[Concern]:
    """Compare the values of sentences that are the same but for these, one by one."""
    ours, theirs = _counted(group.before), _counted(group.after)
    if not ours or len(ours) != len(theirs) or not _is_unchanged(group):
        return
    first, second = ([_value(span) for span in spans] for spans in (ours, theirs))
    gone, new = Counter(first) - Counter(second), Counter(second) - Counter(first)
    if gone and new:
        lost, added = (
            next(span for span in spans if _value(span) in some) for spans, some in ((ours, gone), (theirs, new))
        )
        if (lost.kind is added.kind and not lost.is_same(added)) or _is_of_another(lost, added, group):
            yield _of_group(group, f"{lost.quote.strip()} became {added.quote.strip()}", Grade.REFUSE)
    elif not gone and not new and first != second:
        yield _of_group(group, "Values changed places", Grade.REFUSE)


def _is_of_another(lost: Value, added: Value, group: ClaimGroup) -> bool:
    """Return whether a number that counted something, in a word of its own, has a unit instead: "2 frames", "2 seconds"."""
    sides = ((lost, group.before, group.after), (added, group.after, group.before))
    return any(
        span.kind is SpanKind.NUMBER
        and not quantity_of(span).is_measured
        and (noun := _noun_behind(span, claims))
        and noun not in {piece for claim in others for piece in reading.pieces_of(claim.text)}
        for span, claims, others in sides
    )


def _noun_behind(span: Value, claims: Sequence[Claim]) -> str:
    """Return the word right behind a number, in Latin letters."""
    rest = next(one for one in claims if span in one.spans).text[span.span.end :]
    pieces = reading.pieces_of(rest) if rest.startswith(" ") else []
    return pieces[0] if pieces and pieces[0].isascii() and pieces[0].isalpha() else ""


def _counted(claims: Sequence[Claim]) -> list[Value]:
    return [span for claim in claims for span in claim.spans if span.kind in _COUNTED]


def _value(span: Value) -> _Value:
    return quantity_of(span) if span.kind is SpanKind.NUMBER else (span.kind, span.canonical)


def _is_unchanged(group: ClaimGroup) -> bool:
    first, second = (
        [piece for claim in claims for piece in _without_values(claim)] for claims in (group.before, group.after)
    )
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= _UNCHANGED


def _without_values(claim: Claim) -> list[str]:
    signs = list(claim.text)
    for span in claim.spans:
        if span.kind in _COUNTED:
            signs[span.span.start : span.span.end] = "\0" * (span.span.end - span.span.start)
    return reading.pieces_of("".join(signs).replace("\0", " "))


def _of_group(group: ClaimGroup, reason: str, level: Grade) -> Concern:
    quote = " ".join(claim.text for claim in group.after)
    return Concern(reason=reason, before=group.before[0].span, after=group.after[0].span, quote=quote, level=level)
