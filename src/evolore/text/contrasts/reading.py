"""Reading of a text for what another, worded almost alike, may say otherwise, and what of two is left without their common words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property, lru_cache
from itertools import islice

from evolore.domain.language import Language
from evolore.text.contrasts import words_of
from evolore.text.numerals import read_count
from evolore.text.tokens import analyse
from evolore.text.values import NUMBER_WORDS, SpanKind, Value, read_values

_WORD = re.compile(r"\w+")
_BEGINNING = re.compile(r"(\w+)(\??)(?=$|[ '-])")

MOST_READ = 2000
"""How many characters of a text are read."""

STUB = 3
"""Words that are the same, or spelled alike, begin with the same three letters."""

_REMEMBERED, _STEMMED = 1 << 12, 1 << 14
_HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LATIN_WORD = re.compile(r"[^\W\d_]+(?:['.&-][^\W\d_]+)*\.?[\w+#]*")
_COUNTING = re.compile(rf"\d|(?<![a-z])(?:{'|'.join(sorted(NUMBER_WORDS))})(?![a-z])")
_CJK_UNIT = re.compile(rf"[ァ-ヺー]+|[{_HAN}]|[ぁ-ん]|[a-z][a-z0-9+#.-]*")
_CJK_RUN = re.compile(rf"([{_HAN}ァ-ヺーa-z0-9]+)(から|まで|より|[がをにでへはもとの])?")
_CASES = {"は": "が", "も": "が", "へ": "に"}
_CONTRACTED = (
    ("can't", "can not"), ("cannot", "can not"), ("won't", "will not"), ("shan't", "shall not"), ("n't", " not"),
    ("'re", " are"), ("'ve", " have"), ("'ll", " will"), ("'m", " am"), ("'d", " would"),
)  # fmt: skip
_ENGLISH_WORD = re.compile(r"[a-z]{3,}")
_POSSESSIVE = re.compile(r"'s?\b")
_CAPITALISED = re.compile(r"(?:(?<![.!?:\"“]\s)|(?<=\b[DM]r\.\s)|(?<=\bM[rs]s\.\s))(?<!^)\b[A-Z][\w'-]+")
_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕施张孔曹严华金魏陶姜戚谢邹喻苏潘葛范彭鲁韦马苗方俞任袁柳唐罗薛贺倪汤殷毕"
    "邵顾孟黄萧尹姚汪毛江胡高夏蔡田樊凌霍梁宋沈徐丁杜叶董程卢林郭骆庄熊裴翁崔龚邓石段侯白戴关邱廖章鲍史龙万武乔温阎"
)
_CJK_NAME = re.compile(
    rf"[a-z][a-z0-9+#.-]+|(?<![ァ-ヺー])[ァ-ヺー]{{3,}}+(?=[さ様氏君])|[{_HAN}]{{1,4}}(?=さん|様|氏|くん|ちゃん|先生|部長|課長|社長|教授)"
    rf"|(?:(?<=^)|(?<=[,。、，的是归由叫找跟和让请给]))(?:小|老|阿)[{_HAN}](?=[,。、，是管负来在做的说]|$)"
    rf"|(?<=[是归由叫找跟和让请给])[{_SURNAMES}][{_HAN}]{{1,2}}(?=[,。、，管负来做的]|$)|[{_HAN}]{{1,2}}(?=先生|女士|老师|经理|主任|医生|教授|总(?![是在共有要会之]))"
)


def content_stems(quote: str) -> frozenset[str]:
    """Return the stems, or the single characters and katakana words, of what a reading quoted.

    >>> sorted(content_stems("running"))
    ['run']
    """
    kana = "".join(one for one in quote if one not in "ーッ")
    return frozenset([*analyse(quote), *analyse(kana), *(one for one in quote if not one.isascii())])


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text, as a word boundary of a pattern sees them."""
    return frozenset(_WORD.findall(text))


def first_words(patterns: Iterable[str]) -> frozenset[str] | None:
    """Return the words with which what these patterns match, as whole words, can begin; None where that is not said.

    >>> sorted(first_words(["sleeps?|at rest", "on the (?:desk|table)"]))
    ['at', 'on', 'sleep', 'sleeps']
    >>> first_words(["gr[ae]y"])
    """
    found: set[str] = set()
    for pattern in patterns:
        for wording in _outer_alternatives(pattern):
            beginning = _BEGINNING.match(wording)
            if beginning is None:
                return None
            word, may_be_shorter = beginning.groups()
            found |= {word, word[:-1]} if may_be_shorter else {word}
    return None if "" in found else frozenset(found)


def _outer_alternatives(pattern: str) -> Iterator[str]:
    """Yield the parts between the bars outside brackets."""
    depth = start = 0
    for place, character in enumerate(pattern):
        depth += (character == "(") - (character == ")")
        if character == "|" and not depth:
            yield pattern[start:place]
            start = place + 1
    yield pattern[start:]


class Reading:
    """What a text says; each part is read when it is first asked for.

    One or two parts distinguish most pairs of statements, and a message of 2,000 characters takes 6 ms to read whole.
    """

    def __init__(self, normal: str, language: Language) -> None:
        self._normal, self._language = normal, language
        self._is_cjk = language in {Language.JA, Language.ZH}
        self.text = _folded(normal, is_spaced=not self._is_cjk)
        """In lower case, contractions written out."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its content words in order, in one spelling each.

        English stems; in Japanese and Chinese single Han characters, katakana words and words of letters.
        """
        if self._is_cjk:
            text = self._same
            for value in self.values:
                text = f"{text[: value.span.start]}{' ' * len(value.quote)}{text[value.span.end :]}"
            for denial in _negations(text, self._language):
                text = text.replace(denial, " ") if len(denial) > 1 else text
            fillers = words_of(self._language).fillers
            units = (_spelling(unit) for unit in _CJK_UNIT.findall(text))
            return tuple(unit for unit in units if unit and unit not in fillers)
        bare = tuple(_bare_words(self._same))
        numbers = _in_numbers(self.values) if any(map(may_count, bare)) else frozenset[str]()
        return tuple(stem for word in bare if word not in numbers for stem in _stems(word))

    @property
    def says_anything(self) -> bool:
        """Return whether it has content words or values."""
        return self.has_words(1) or bool(self.values)

    def has_words(self, least: int) -> bool:
        """Return whether it has so many content words; for most texts the first words decide."""
        if self._is_cjk or "words" in self.__dict__:
            return len(self.words) >= least
        sure = (stem for word in _bare_words(self._same) if not may_count(word) for stem in _stems(word))
        return sum(1 for _ in islice(sure, least)) >= least or len(self.words) >= least

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each word occurs."""
        return Counter(self.words)

    @cached_property
    def stubs(self) -> Counter[str]:
        """How often a word begins with each three letters: words that count as one begin alike."""
        return Counter(word[:STUB] for word in self.words)

    @cached_property
    def negations(self) -> tuple[str, ...]:
        """What denies."""
        return _negations(self.text, self._language)

    @cached_property
    def supposed(self) -> str:
        """What shows that it is planned, wished or supposed; empty where nothing does."""
        return _first(words_of(self._language).supposed, self.text)

    @cached_property
    def past(self) -> str:
        """What shows that it was so; empty where nothing does."""
        return _first(words_of(self._language).past, self.text)

    @cached_property
    def is_present(self) -> bool:
        """Whether something shows that it is so; always where a language has no sign of it."""
        return re.search(words_of(self._language).present, self.text) is not None

    @cached_property
    def tenses(self) -> Mapping[str, str]:
        """In English, the stems that are in the past ("ed") or in the present ("s", "")."""
        return {} if self._is_cjk else _tenses(self.text)

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Its amounts, dates and times."""
        return read_values(self._same, self._language)

    @cached_property
    def names(self) -> frozenset[str]:
        """Words written like names."""
        return frozenset(_CJK_NAME.findall(self.text)) if self._is_cjk else _latin_names(self._normal)

    @cached_property
    def sides(self) -> Mapping[int, Mapping[int, str]]:
        """Which alternatives it holds of each group of opposites it holds any of, and where it says so."""
        groups = opposites_of(self._language)
        places = sorted(_places_of(self._language).find(self._there))
        return {place: held for place in places if (held := _sides(self.text, groups[place]))}

    @cached_property
    def cases(self) -> Mapping[str, frozenset[str]]:
        """In Japanese, the particles behind each run."""
        return _cases(self._same) if self._language is Language.JA else {}

    @property
    def asks(self) -> bool:
        """Whether it is a question."""
        return self.text.rstrip().endswith(("?", "吗", "か。", "ですか", "ますか"))

    @cached_property
    def _there(self) -> frozenset[str]:
        return words_in(self.text)

    @cached_property
    def _same(self) -> str:
        """The text with one wording for all that say the same."""
        return _replaced(self.text, self._there, self._language)


@lru_cache(maxsize=_REMEMBERED)
def read(text: str, language: Language) -> Reading:
    """Read a text; of a long one the first 2,000 characters.

    >>> read("The dogs aren't barking.", Language.EN).words
    ('dog', 'bark')
    >>> read("犬が二匹いる。", Language.JA).words
    ('犬',)
    """
    return Reading(unicodedata.normalize("NFKC", text[:MOST_READ]).replace("’", "'").replace("‘", "'"), language)


def _folded(normal: str, *, is_spaced: bool) -> str:
    folded = normal.casefold()
    if not is_spaced:
        return folded
    for short, long in _CONTRACTED:
        folded = folded.replace(short, long)
    return _POSSESSIVE.sub("", folded)


def is_definite(reading: Reading, language: Language) -> bool:
    """Return whether a text says something of a definite thing: "my rent", "the office", "I", 「会議は」."""
    return re.search(words_of(language).definite, reading.text) is not None


def is_small_talk(text: str, language: Language) -> bool:
    """Return whether a text is no more than a greeting, thanks, assent or another turn of conversation."""
    bare = re.sub(r"[^\w\s']", " ", text.casefold()).strip()
    turns = _small_talk(language)
    reached = {0}
    for start in range(len(bare)):
        if start in reached:
            reached.update(found.end() for turn in turns if (found := turn.match(bare, start)))
            reached.discard(start)
            if not reached:
                return False
    return bool(bare) and len(bare) in reached


@cache
def _small_talk(language: Language) -> tuple[re.Pattern[str], ...]:
    """Return each turn by itself: repeated in one expression, they part a text in twice as many ways with every turn."""
    return tuple(re.compile(rf"(?:{turn})\s*+") for turn in _alternatives(words_of(language).small_talk))


def _alternatives(pattern: str) -> Iterator[str]:
    """Yield the parts between the bars, also of a group that is the whole pattern."""
    for part in _outer_alternatives(pattern):
        inside = part.removeprefix("(?:").removesuffix(")")
        is_one_group = len(inside) == len(part) - 4 and re.fullmatch(r"[^()]*+(?>(?:\([^()]*+\)[^()]*+)*)", inside)
        yield from _alternatives(inside) if is_one_group else (part,)


@dataclass(frozen=True, slots=True)
class Opposites:
    """A group of things of which one rules out the others."""

    is_strict: bool
    is_apart: bool
    wordings: tuple[re.Pattern[str], ...]
    any_of_them: re.Pattern[str]
    first_words: frozenset[str] | None


@cache
def opposites_of(language: Language) -> tuple[Opposites, ...]:
    """Return a language's groups of opposites, in their order."""
    is_spaced = language not in {Language.JA, Language.ZH}
    groups: list[Opposites] = []
    for line in words_of(language).opposites:
        sides = line.lstrip("!~ ").strip().split(" / ")
        patterns = tuple(re.compile(rf"\b(?:{side})\b" if is_spaced else side) for side in sides)
        whole = re.compile("|".join(f"(?:{pattern.pattern})" for pattern in patterns))
        first = first_words(sides) if is_spaced else None
        groups.append(Opposites(line.startswith("!"), line.startswith("~"), patterns, whole, first))
    return tuple(groups)


class _ByWord:
    """Finds the rules that a text may fulfil by the words each begins with; one of None is always tried."""

    def __init__(self, begun: Sequence[frozenset[str] | None]) -> None:
        self._always = frozenset(place for place, words in enumerate(begun) if words is None)
        self._places: dict[str, set[int]] = {}
        for place, words in enumerate(begun):
            for word in words or ():
                self._places.setdefault(word, set()).add(place)

    def find(self, there: frozenset[str]) -> frozenset[int]:
        """Return the places of the rules for a text of these words."""
        return self._always.union(*(self._places[word] for word in there & self._places.keys()))


@cache
def _places_of(language: Language) -> _ByWord:
    return _ByWord([group.first_words for group in opposites_of(language)])


def _sides(text: str, group: Opposites) -> Mapping[int, str]:
    if not group.any_of_them.search(text):  # one search for most groups, which no text holds a word of
        return {}
    found = ((number, pattern.search(text)) for number, pattern in enumerate(group.wordings))
    return {number: match.group() for number, match in found if match}


@cache
def _negation_of(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = words_of(language)
    return re.compile(words.negation), re.compile(words.no_negation)


def _negations(text: str, language: Language) -> tuple[str, ...]:
    denies, only_looks = _negation_of(language)
    return tuple(match.group() for match in denies.finditer(only_looks.sub(" ", text)))


def _first(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match.group() if match else ""


@cache
def _same_of(language: Language) -> tuple[tuple[re.Pattern[str], str, frozenset[str] | None], ...]:
    is_spaced = language not in {Language.JA, Language.ZH}
    rules: list[tuple[re.Pattern[str], str, frozenset[str] | None]] = []
    for line in words_of(language).same:
        first, *others = line.split("|")
        pattern = "|".join(sorted(others, key=len, reverse=True))
        whole = re.compile(rf"\b(?:{pattern})\b" if is_spaced else pattern)
        rules.append((whole, first.replace("?", ""), first_words(others) if is_spaced else None))
    return tuple(rules)


@cache
def _places_of_same(language: Language) -> _ByWord:
    return _ByWord([begins_with for _, _, begins_with in _same_of(language)])


def _replaced(text: str, there: frozenset[str], language: Language) -> str:
    if not _places_of_same(language).find(there):
        return text
    for pattern, first, begins_with in _same_of(language):
        if begins_with is None or not there.isdisjoint(begins_with):
            replaced = pattern.sub(first, text)
            if replaced != text:
                text, there = replaced, words_in(replaced)
    return text


@lru_cache(maxsize=_STEMMED)
def _stems(word: str) -> tuple[str, ...]:
    return tuple(analyse(word))


def _bare_words(text: str) -> Iterator[str]:
    fillers = words_of(Language.EN).fillers
    bare = (match.group().strip(".-'&") for match in _LATIN_WORD.finditer(text))
    return (word for word in bare if word and word not in fillers)


@lru_cache(maxsize=_STEMMED)
def may_count(word: str) -> bool:
    """Return whether a word may be part of a number or time; where none may, a text's words are read without its values.

    >>> may_count("twenty-five"), may_count("noon"), may_count("well-kept")
    (True, True, False)
    """
    return not word.isascii() or _COUNTING.search(word) is not None


def _in_numbers(values: tuple[Value, ...]) -> frozenset[str]:
    return frozenset(word for value in values if value.kind is not SpanKind.DATE for word in _number_words(value))


def _number_words(value: Value) -> Iterator[str]:
    """Return the words of a value that say how many: its first, and every small number."""
    words = _LATIN_WORD.findall(value.quote)
    yield from words[: value.quote[0].isalpha()]
    yield from (word for word in words if read_count(word) is not None)


def _spelling(unit: str) -> str:
    return re.sub("[ーッ]", "", unit) if "ァ" <= unit[0] <= "ー" else unit.strip(".-")


def _tenses(text: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for word in _ENGLISH_WORD.findall(text):
        if not word.endswith("ing"):
            found[_stems(word)[0]] = "ed" if word.endswith("ed") else ""
    return found


def _latin_names(text: str) -> frozenset[str]:
    found = (word.casefold().replace("’", "'").removesuffix("'s") for word in _CAPITALISED.findall(text))
    return frozenset(stem for word in found if word != "i" and not word.startswith("i'") for stem in analyse(word))


def _cases(text: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for match in _CJK_RUN.finditer(text):
        run, particle = match[1], match[2]
        if particle:
            found.setdefault(run, set()).add(_CASES.get(particle, particle))
    return {run: frozenset(particles) for run, particles in found.items()}


_ALIKE = 0.75
"""Two spellings of a word share so much of their letters."""

_READ = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u9fff]+|\d+(?:[.:]\d+)*|[\u3040-\u30ff\u3400-\u9fff]")
_JOINING = frozenset(("and", "or", "と", "や", "和", "跟", "与", "或"))
_MOVES_FREELY = ("the", "了", "的")
_ARTICLES = (["a"], ["an"])
_SHORTEST_MOVED = 2
"""A phrase of so many words, or one more in characters, may move as a whole; a single "only" or 也 may not."""

_SHORTEST_SPELLING = 4
_DIGIT = re.compile(r"\d")
_SAME_BEGINNING = 5


def left_over(a: Reading, b: Reading) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the content words that only the one text holds and those that only the other does, each in its order.

    Words of four letters or more that are spelled almost alike count as one ("ホットドック" and "ホットドッグ").

    >>> from evolore.domain.language import Language
    >>> from evolore.text.contrasts.reading import read
    >>> left_over(read("A woman cuts an onion.", Language.EN), read("A woman peels an onion.", Language.EN))
    (('cut',), ('peel',))
    """
    ours, theirs = _lacking(a, b), _lacking(b, a)
    begun = {word[:STUB] for word in theirs}
    for one in tuple(ours):
        if one[:STUB] not in begun:  # so no other is spelled alike
            continue
        twin = next((other for other in theirs if _is_spelled_alike(one, other)), None)
        if twin is not None:
            ours.remove(one)
            theirs.remove(twin)
    return tuple(ours), tuple(theirs)


def _in_order(words: Sequence[str], counts: Mapping[str, int]) -> list[str]:
    """Return the first so many of each word, in order."""
    left = dict(counts)
    found: list[str] = []
    for word in words if left else ():
        if left.get(word, 0) > 0:
            left[word] -= 1
            found.append(word)
    return found


def _lacking(a: Reading, b: Reading) -> list[str]:
    """Return the words that the first text holds more often than the second, the first so many of each, in order."""
    held = b.counts
    return _in_order(
        a.words, {word: count - held.get(word, 0) for word, count in a.counts.items() if count > held.get(word, 0)}
    )


def _is_spelled_alike(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _SHORTEST_SPELLING or one[0] != other[0]:
        return False
    if _DIGIT.search(one) or _DIGIT.search(other):  # "w3x130" and "w3x137" are two things
        return False
    begins = _SAME_BEGINNING if one.isascii() else _SAME_BEGINNING - 2
    return one.startswith(other[:begins]) and SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def shared_share(a: Reading, b: Reading) -> float:
    """Return how much of both texts' content words the two have in common, 0–1: Dice's measure."""
    total = len(a.words) + len(b.words)
    if not total:
        return 0.0
    ours, theirs = left_over(a, b)
    return 1.0 - (len(ours) + len(theirs)) / total


def is_reordered(a: Reading, b: Reading) -> bool:
    """Return whether the first common content words have another order: who did it, and to whom."""
    ours = [word for word in a.words if word in b.counts]
    theirs = [word for word in b.words if word in a.counts]
    return ours != theirs and sorted(ours) == sorted(theirs) and not _is_joined(ours, theirs, a, b)


def changes_places(a: str, b: str) -> bool:
    """Return whether two texts say the same words with two of them changed over: "the 1st … the 5th".

    A phrase that was moved as a whole, and what "and" joins, may have another order. Words of letters and numbers are
    compared, and single characters where words are not spaced; those that one text lacks are left aside.

    >>> changes_places("An A in maths and a B in French.", "A B in maths and an A in French.")
    True
    >>> changes_places("We moved to Leeds last year.", "Last year we moved to Leeds!")
    False
    >>> changes_places("Only Dario knows the code.", "Dario knows only the code.")
    True
    >>> changes_places("东门十点关，西门开着", "西门十点关，东门开着"), changes_places("Ann and Bob came", "Bob and Ann came")
    (True, False)
    """
    ours, theirs = ([word for word in _READ.findall(_plain(text)) if word not in _MOVES_FREELY] for text in (a, b))
    common = Counter(ours) & Counter(theirs)
    if _longest_common(ours, theirs) >= common.total():
        return False
    ours, theirs = _in_order(ours, common), _in_order(theirs, common)
    start = next((place for place, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other), None)
    if start is None:
        return False
    end = len(ours) - next(
        place for place, (one, other) in enumerate(zip(ours[::-1], theirs[::-1], strict=True)) if one != other
    )
    ours, theirs = ours[start:end], theirs[start:end]
    shortest = _SHORTEST_MOVED + (not ours[0].isascii())
    for place in range(1, len(ours)):
        moved = min(ours[:place], ours[place:], key=len)
        if (len(moved) >= shortest or moved in _ARTICLES) and ours[place:] + ours[:place] == theirs:
            return False
    return not any(
        word in _JOINING and [*ours[place + 1 :], word, *ours[:place]] == theirs for place, word in enumerate(ours)
    )


def _longest_common(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """Return how many words both hold in the same order: the longest common subsequence, with bits for places (Hyyrö)."""
    places: dict[str, int] = {}
    for place, word in enumerate(ours):
        places[word] = places.get(word, 0) | 1 << place
    every = left = (1 << len(ours)) - 1
    for word in theirs:
        found = left & places.get(word, 0)
        left = (left + found | left - found) & every
    return len(ours) - left.bit_count()


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _is_joined(ours: list[str], theirs: list[str], a: Reading, b: Reading) -> bool:
    """Return whether what changed places is joined by "and", or was moved together with its preposition."""
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    kept = {place for block in blocks for place in range(block.a, block.a + block.size)}
    moved = [word for place, word in enumerate(ours) if place not in kept]
    if len(moved) > max(1, len(ours) // 3):
        return False
    are_listed = " and " in a.text and " and " in b.text
    return are_listed or all(_is_in_phrase(word, a.text) and _is_in_phrase(word, b.text) for word in moved)


def _is_in_phrase(word: str, text: str) -> bool:
    start = re.escape(word[:_SHORTEST_SPELLING])
    return re.search(rf"\b(?:in|on|at|from|with|for|near|during|since|until)\s+(?:\w+\s+)?{start}", text) is not None
