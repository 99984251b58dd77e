"""Find exchanged roles: names that change places, and relations that are turned round."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise

from evolore.domain.language import Language
from evolore.evolution.gates.claims import Claim, clauses_of, dice, joined, pieces_of, reading_of
from evolore.evolution.gates.verdicts import Concern, Grade
from evolore.text.protected import protected_spans
from evolore.text.values import SpanKind
from evolore.text.values.spans import fold_text
from evolore.text.word_files import read_words

_NAMING = frozenset({SpanKind.NAME, SpanKind.BODY, SpanKind.IDENTIFIER})
_SAME_CLAUSE = 0.8
"""How much of their pieces two clauses share of which one is the other but for a word or two."""

_NEAR_CLAUSE = 0.6
"""The same of two clauses of which one is the other, worded a little otherwise."""

_LIKE = 0.3
"""How many of their words two clauses share, the parties aside, that speak of one thing."""


@dataclass(frozen=True, slots=True)
class _Scene:
    """A clause with the parties in it, in order, each with its place."""

    text: str
    claim: Claim
    parties: tuple[tuple[str, int, int], ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name, _, _ in self.parties)


@dataclass(frozen=True, slots=True)
class _Bond:
    """Who acts on whom in a clause."""

    first: str
    second: str
    scene: _Scene


def exchanged_roles(before: Sequence[Claim], after: Sequence[Claim], language: Language) -> Iterator[Concern]:
    """Yield where two parties changed places: one named for another, their order turned, or their deeds exchanged.

    Certain where a clause stays word for word but for that; else a doubt, one a sentence.

    >>> from evolore.evolution.gates.claims import read_claims
    >>> texts = "The landlord pays the tenant.", "The tenant pays the landlord."
    >>> found = exchanged_roles(*(read_claims(one, Language.EN) for one in texts), Language.EN)
    >>> [(one.reason, one.level.value) for one in found]
    [('tenant and landlord changed places', 'refuse')]
    """
    ours, theirs = _scenes(before, language), _scenes(after, language)
    known = {name for scene in ours for name in scene.names} & {name for scene in theirs for name in scene.names}
    kept = {_plain(scene.text) for scene in ours}
    changed = [scene for scene in theirs if _plain(scene.text) not in kept]
    found: dict[int, Concern] = {}
    for finding in (
        *_converses(ours, changed, language),
        *_renamed(ours, changed),
        *_turned(ours, changed, known, language),
    ):
        assert finding.after is not None
        place = finding.after.start
        if place not in found or (finding.level is Grade.REFUSE and found[place].level is Grade.DOUBT):
            found[place] = finding
    yield from (finding for _, finding in sorted(found.items()))


def _plain(text: str) -> str:
    return "".join(fold_text(text).split()).casefold()


def _scenes(claims: Sequence[Claim], language: Language) -> list[_Scene]:
    found: list[_Scene] = []
    for claim in claims:
        for part in clauses_of(claim):
            text = fold_text(part)
            found.append(_Scene(text, claim, tuple(_parties(text, language))))
    return found


def _parties(text: str, language: Language) -> list[tuple[str, int, int]]:
    """Return the names, roles and things of a clause, in order; of what lies over another the longer."""
    words = _roles(language)
    spans = [
        (one.span.start, one.span.end, one.quote) for one in protected_spans(text, language) if one.kind in _NAMING
    ]
    if language is Language.EN:
        orders = {match.start("order") for match in _ORDERS.finditer(text)}
        spans = [one for one in spans if one[0] not in orders]
    spans += [(match.start("who"), match.end("who"), match["who"]) for match in words.party.finditer(text)]
    kept: list[tuple[str, int, int]] = []
    for start, end, quote in sorted(spans, key=lambda one: (one[0], -one[1])):
        name = _name(quote, words)
        if name and not words.nobody.fullmatch(name) and (not kept or start >= kept[-1][2]):
            kept.append((name, start, end))
    return kept


def _name(quote: str, words: _Roles) -> str:
    bare = words.title.sub("", quote.strip().casefold()) or quote.strip().casefold()
    if bare.isascii() and bare.isalpha() and len(bare) > 3:  # noqa: PLR2004 - "bus" keeps its s
        return bare.removesuffix("s")
    return bare


@dataclass(frozen=True, slots=True)
class _Roles:
    """Words that mark parties and their roles in a language."""

    party: re.Pattern[str]
    title: re.Pattern[str]
    nobody: re.Pattern[str]
    reverses: re.Pattern[str]
    lesser: re.Pattern[str]
    than: re.Pattern[str]
    converses: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]


@cache
def _roles(language: Language) -> _Roles:
    words = read_words("evolore.evolution", "roles", language)
    is_spaced = language not in {Language.JA, Language.ZH}

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(rf"(?<![A-Za-z])(?:{pattern})(?![A-Za-z])" if is_spaced else pattern, re.IGNORECASE)

    lines = [line.split(" / ") for line in words.lines("converses")]
    return _Roles(
        party=re.compile(words.pattern("party"), re.IGNORECASE),
        title=re.compile(words.pattern("title")),
        nobody=re.compile(words.pattern("nobody")),
        reverses=compiled(words.pattern("reverses")),
        lesser=compiled(words.pattern("lesser")),
        than=compiled(words.pattern("than")),
        converses=tuple((compiled(one), compiled(other)) for one, other in lines),
    )


def _alike(one: _Scene, other: _Scene) -> float:
    return SequenceMatcher(None, pieces_of(one.text), pieces_of(other.text), autojunk=False).ratio()


def _nearest(scene: _Scene, others: Iterable[_Scene]) -> tuple[_Scene, float] | None:
    return max([(other, _alike(other, scene)) for other in others], key=lambda one: one[1], default=None)


def _converses(ours: Sequence[_Scene], changed: Sequence[_Scene], language: Language) -> Iterator[Concern]:
    """Yield where a word became its converse in an otherwise unchanged clause: "older" to "younger"."""
    for scene in changed:
        near = _nearest(scene, ours)
        if near is None or near[1] < _SAME_CLAUSE:
            continue
        gone, new = _differing(near[0].text, scene.text)
        for one, other in _roles(language).converses:
            for first, second in ((one, other), (other, one)):
                if (first.search(gone) and second.search(new)) or (
                    first.search(near[0].text)
                    and second.search(scene.text)
                    and not (second.search(near[0].text) or first.search(scene.text))
                ):
                    yield _finding(near[0], scene, f"{gone} became {new}", Grade.REFUSE)


def _differing(one: str, other: str) -> tuple[str, str]:
    first, second = pieces_of(one), pieces_of(other)
    ops = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    cuts = [(first[a:b], second[c:d]) for what, a, b, c, d in ops if what != "equal"]
    gone, new = ([piece for cut in cuts for piece in cut[side]] for side in (0, 1))
    return joined(gone), joined(new)


def _renamed(ours: Sequence[_Scene], changed: Sequence[_Scene]) -> Iterator[Concern]:
    """Yield where a clause that else stays names another party of the original."""
    known = {name for scene in ours for name in scene.names}
    for scene in changed:
        near = _nearest(scene, ours)
        if near is None or near[1] < _NEAR_CLAUSE:
            continue
        gone, new = near[0].names - scene.names, scene.names - near[0].names
        if gone and new and new <= known and not _is_within(gone, new) and len(near[0].parties) == len(scene.parties):
            reason = f"{', '.join(sorted(gone))} became {', '.join(sorted(new))}"
            yield _finding(near[0], scene, reason, Grade.REFUSE if near[1] >= _SAME_CLAUSE else Grade.DOUBT)


def _is_within(gone: frozenset[str], new: frozenset[str]) -> bool:
    return any(one in other or other in one for one in gone for other in new)


def _turned(
    ours: Sequence[_Scene], changed: Sequence[_Scene], known: set[str], language: Language
) -> Iterator[Concern]:
    """Yield where one of two parties acted on the other, and now the other does."""
    bonds: dict[tuple[str, str], list[_Bond]] = defaultdict(list)
    for scene in ours:
        for bond in _bonds(scene, language):
            bonds[bond.first, bond.second].append(bond)
    for scene in changed:
        for bond in _bonds(scene, language):
            same = bonds.get((bond.first, bond.second), [])
            against = bonds.get((bond.second, bond.first), [])
            if not against or {bond.first, bond.second} - known:
                continue
            best = max([(_likeness(one.scene, scene, language), one) for one in against], key=lambda one: one[0])
            if best[0] < _LIKE or any(_likeness(one.scene, scene, language) >= best[0] for one in same):
                continue
            level = (
                Grade.REFUSE
                if _alike(best[1].scene, scene) >= _SAME_CLAUSE or _is_same_but_order(best[1].scene, scene)
                else Grade.DOUBT
            )
            yield _finding(best[1].scene, scene, f"{bond.first} and {bond.second} changed places", level)


def _is_same_but_order(one: _Scene, other: _Scene) -> bool:
    return sorted(pieces_of(one.text)) == sorted(pieces_of(other.text))


def _likeness(one: _Scene, other: _Scene, language: Language) -> float:
    return dice(reading_of(one.text, language).words, reading_of(other.text, language).words)


def _bonds(scene: _Scene, language: Language) -> Iterator[_Bond]:
    """Yield who acts on whom among neighbours: the first on the second, unless a passive or the like reverses it."""
    if language is Language.JA:
        yield from _particle_bonds(scene)
        return
    words = _roles(language)
    for (one, _, end), (other, start, stop) in pairwise(scene.parties):
        between = scene.text[end:start]
        if one == other or not between.strip() or _JOINS.fullmatch(between.strip()):
            continue
        behind = scene.text[stop:]
        if words.than.search(f"{between}\0{behind}" if language is Language.EN else between) is not None:
            is_turned = words.lesser.search(between if language is Language.EN else behind) is not None
        else:
            is_turned = words.reverses.search(between) is not None
        yield _Bond(other, one, scene) if is_turned else _Bond(one, other, scene)


_ORDERS = re.compile(r"(?P<order>[A-Z][a-z]+) (?:the|an?|your|all|each|every|any|it|them)(?![a-z])")
_JOINS = re.compile(r"and|or|,|&|/|和|与|或|及|、|的|'s|of")
_CASE = re.compile(r"(?:さん|様|氏|先生|医師)?(?:たち|側|の(?:ほう|方))?(?P<case>は|が|も|を|に|へ|から|より)")
_ACTS = frozenset("はがも")
_UPON = frozenset(("に", "へ", "から", "より"))
_LESS_JA = re.compile(r"年下|若|軽|短|小さ|低|少な|狭|遅|弱|細|薄|浅|安|後|下")
_RECEIVES_JA = re.compile(
    r"^から|受け|もら|借り|買[いうっわ]|預か|習|教わ|学[びぶん]|[わかさたなまらがばぱ]れ(?:る|ます|て|た|、|$)|られ(?:る|ます|て|た|$)"
)


def _particle_bonds(scene: _Scene) -> Iterator[_Bond]:
    cases = [(name, match["case"], end) for name, _, end in scene.parties if (match := _CASE.match(scene.text, end))]
    actors = [(name, end) for name, case, end in cases if case in _ACTS]
    others = [(name, case, end) for name, case, end in cases if case in _UPON]
    for actor, place in actors[:1]:
        for other, case, end in others:
            if other == actor:
                continue
            signs = _LESS_JA if case == "より" else _RECEIVES_JA
            rest = scene.text[max(end, place) :]
            yield _Bond(other, actor, scene) if signs.search(rest) else _Bond(actor, other, scene)


def _finding(one: _Scene, other: _Scene, reason: str, level: Grade) -> Concern:
    quote = f"{one.text} / {other.text}"
    return Concern(reason=reason, before=one.claim.span, after=other.claim.span, quote=quote, level=level)
