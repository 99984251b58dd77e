"""Names: what a text speaks of, by rule, so that texts which share a name are linked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from evolore.domain.language import Language
from evolore.text.word_files import lazy_pattern

TITLE_MARK = "="
"""Comes before the name of the title above a text; no name begins with it."""

_QUALIFIER = re.compile(r"(?<!\s)\s*+\([^()]*\)\s*$")
_SPACES = re.compile(r"\s+")
_EDGES = " .,:;'\"-_=&・"


def unfolded(text: str) -> str:
    """Bring a text to NFKC with straight apostrophes; its capitals stay."""
    return text.replace("’", "'") if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")


def fold_name(name: str) -> str:
    """Return the one spelling of a name that is in NFKC: case-folded, without an article before it or a possessive after.

    >>> fold_name("The Hudson's  Bay Company's")
    "hudson's bay company"
    """
    folded = _SPACES.sub(" ", name.casefold()).strip(_EDGES)
    folded = folded.removesuffix("'s").removeprefix("the ")
    return folded.strip(_EDGES)


def name_of_title(title: str) -> str:
    """Return the name in a document's title, without the qualifier in parentheses that distinguishes namesakes.

    >>> name_of_title("Pulse (1988 film)"), name_of_title("The Hateful Eight"), name_of_title("銀河 （小説）")
    ('pulse', 'hateful eight', '銀河')
    """
    whole = unfolded(title)
    return fold_name(_QUALIFIER.sub("", whole)) or fold_name(whole)


_FUNCTION_WORDS = """
a about according across after again against all along also although among an and another any are around as at because
been before being below between both but by can could despite did do does during each early even every few finally
following for from furthermore had has have he hello her here hers hey hi him his how however i i'd i'll i'm i've if in
including initially inside instead into is it it's its itself just last later let like many may maybe me might more
moreover most much must my near nevertheless next no nor not now of off oh ok okay on once one only or other others our
over perhaps please recently several shall she should similarly since so some soon still such sure than thanks that
that's the their them then there there's therefore these they this those though through throughout thus to today together
too toward towards two under unlike until up upon us very was we well were what what's when where whereas whether which
while who whom whose why will with within without would wow yeah yes yet you your yours
three four five six seven eight nine ten first second third
january february march april may june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
"""
NO_NAMES = frozenset(_FUNCTION_WORDS.split())
"""English function words, months and weekdays, in lower case: at the ends of a name they are left out."""

_CAPITAL = r"A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶĹĻĽŁŃŅŇŌŐŒŘŚŞŠŢŤŪŮŰŲŹŻŽȘȚ"
_LETTER = r"A-Za-z0-9À-ÖØ-öø-ɏ"
_WORD = rf"(?:(?:[{_CAPITAL}]\.)+|(?:St|Mt|Ft|Dr|Mr|Mrs|Ms|Jr|Sr|Prof)\.|[a-z]?[{_CAPITAL}][{_LETTER}]*(?:['&/+-][{_LETTER}]+)*)"
_SMALL = r"(?:of|the|de|del|della|di|da|do|dos|du|des|van|von|der|den|la|le|el|al|bin|ibn|for|y|&)"
_RUN = lazy_pattern(
    rf"(?<![{_LETTER}]){_WORD}(?: (?:{_SMALL} ){{0,2}}(?:{_WORD}|\d{{1,4}}(?:st|nd|rd|th)?(?![{_LETTER}.,])))*"
)
_QUOTED = re.compile(r'["“«]([^"“”«»\n]{2,60})["”»]')
_WORDS = re.compile(rf"[{_LETTER}][{_LETTER}.+#-]*(?: [{_LETTER}][{_LETTER}.+#-]*)*")
_ENDS = ".!?:;…*•|\n"
_BETWEEN = " \t\"'“‘«([-–—"

_FORMS_OF_ADDRESS = frozenset(("dr", "mr", "mrs", "ms", "prof", "sir"))


def latin_names(text: str) -> Iterator[str]:
    """Yield the names in Latin letters that a text in NFKC spells with capitals.

    Function words, months and weekdays at either end of a run are left out, and so are forms of address before it. A
    lone word that opens a sentence is a name only where the text writes it with a capital elsewhere too.
    """
    opening: list[str] = []
    sure: set[str] = set()
    for match in _RUN().finditer(text):
        words = _trimmed(match.group().split(" "))
        if not words:
            continue
        name = " ".join(words)
        if len(words) == 1 and match.group() == name and name[1:].islower() and _opens_sentence(text, match.start()):
            opening.append(name)
        else:
            sure.add(name)
            yield name
    yield from (name for name in opening if name in sure)
    yield from quoted_works(text)


def quoted_works(text: str) -> Iterator[str]:
    """Yield what is in quotation marks and spelled as a title: first and last word with a capital or a number."""
    for match in _QUOTED.finditer(text):
        words = match[1].strip(" ,.").split(" ")
        if all(word[:1].isupper() or word[:1].isdigit() for word in (words[0], words[-1])):
            yield " ".join(words)


def latin_words(text: str) -> Iterator[str]:
    """Yield the runs of words in Latin letters, capitals or not: in Japanese and Chinese text they are mostly names."""
    for match in _WORDS.finditer(text):
        if not match.group().replace(" ", "").replace(".", "").replace("-", "").isdigit():
            yield match.group()


def _trimmed(words: list[str]) -> list[str]:
    """Leave out what is no name at either end; nothing where only numbers would remain."""
    rest = words[sum(1 for _ in takewhile(_is_no_name, words)) :]
    if len(rest) > 1 and rest[0].lower().rstrip(".") in _FORMS_OF_ADDRESS:
        rest = rest[1:]
    trailing = sum(1 for _ in takewhile(_is_no_name, reversed(rest)))
    rest = rest[: len(rest) - trailing]
    return rest if any(not word[0].isdigit() for word in rest) else []


def _is_no_name(word: str) -> bool:
    return word.lower() in NO_NAMES or word == "&"


def _opens_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 8) : start].rstrip(_BETWEEN)
    return before[-1] in _ENDS if before else start <= 8  # noqa: PLR2004 - as far as was looked back


_HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30fe"
_DOTS = r"\u00b7\u2022\u2027"
_CJK_QUOTED = re.compile(r"[「『《〈“]([^「」『』《》〈〉“”\n]{2,40})[」』》〉”]")
_SENTENCE_MARKS = re.compile(r"[。、，！？；!?;,]")
# The dot between the words of a foreign name is \u30fb in Japanese, where it also lists things, and one of _DOTS in Chinese.
_KANA_RUN = lazy_pattern(rf"[{_KATAKANA}]{{2,}}(?:[・=][{_KATAKANA}]+)*")
_HAN_RUN = lazy_pattern(rf"[{_HAN}]{{2,}}(?:[{_DOTS}][{_HAN}]+)*")
_DOT = re.compile(f"[{_DOTS}]")
_SHORTEST_KATAKANA = 3
_LONGEST_COMPOUND = 8

# Characters that end a compound: particles, conjunctions, pronouns, common verbs. Without a dictionary this cuts some
# names too ("和平"); in return what is left between them is mostly one word or name.
_CHINESE_CUTS = re.compile(
    r"[的了是在和与及或于为对从到由被把将以其这那有而并但也都就又等之他她它们我你您个位名所该此各每很最更还只已曾后前中上下内外时年月日"
    r"不没无会能可要想说去来给让使向往跟同如则虽当至吗呢吧啊么怎哪谁几少些着过得地一二三四五六七八九十]"
)
_JAPANESE_CUTS = re.compile(
    r"(?:時代|年間|年代|[年月日時分秒中後前内外等的化性第各約同本当該毎]|[一二三四五六七八九十〇]+)"
)


def quoted_titles(text: str) -> Iterator[str]:
    """Yield what is in corner or angle brackets or in curved quotation marks, unless it is a sentence."""
    for match in _CJK_QUOTED.finditer(text):
        if not _SENTENCE_MARKS.search(match[1]):
            yield match[1]


def kana_names(text: str) -> Iterator[str]:
    """Yield words in katakana of three characters or more; words joined by a dot are one name."""
    for match in _KANA_RUN().finditer(text):
        if len(match.group()) >= _SHORTEST_KATAKANA:
            yield match.group()


def han_names(text: str, *, language: Language) -> Iterator[str]:
    """Yield compounds of Han characters: in Japanese what is between kana, in Chinese between common words."""
    cuts = _JAPANESE_CUTS if language is Language.JA else _CHINESE_CUTS
    for run in _HAN_RUN().finditer(text):
        for part in cuts.split(run.group()):
            words = _DOT.split(part)
            yield from (word for word in words if 2 <= len(word) <= _LONGEST_COMPOUND)  # noqa: PLR2004 - one is no compound
            if len(words) > 1 and all(words):
                yield part


_MOST_WORDS = 8
_MOST_CHARACTERS = 16
_FEWEST_CHARACTERS = 2
_MENTION_WORD = re.compile(r"[A-Za-z0-9À-ÖØ-öø-ɏ]+(?:['&/.+-][A-Za-z0-9À-ÖØ-öø-ɏ]+)*")
_UNSPACED_RUN = re.compile(r"[\u3005-\u3007\u3041-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff·・=]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A stretch of a question that may spell a name."""

    start: int  #: Where it begins, in characters of the question in NFKC with single spaces.
    end: int  #: Where it ends.
    name: str  #: Its one spelling, as ``find_names`` would return it.
    #: Whether it is a lone word without a capital, or one whose capital may only open the question: a word as likely as
    #: a name.
    is_plain: bool


def possible_names(question: str) -> tuple[Mention, ...]:
    """Return every stretch of a question that may spell a name: up to eight words, or sixteen characters without spaces.

    A question seldom spells names with the capitals of a title, and Chinese and Japanese put nothing between a name and
    the next word. So all stretches are returned, and a caller that knows the names picks from them.

    Returns:
        By where they begin, the longest first; without function words, months and bare numbers by themselves.

    >>> [mention.name for mention in possible_names("who saw Psycho?")]
    ['who saw psycho', 'who saw', 'saw psycho', 'saw', 'psycho']
    """
    text = " ".join(unfolded(question).split())
    folded = text.casefold()
    if len(folded) != len(text):
        text = folded  # a few letters fold to two: then nothing is taken for capitalised
    mentions = [*_of_words(text, folded)]
    for run in _UNSPACED_RUN.finditer(folded):
        for start in range(run.start(), run.end() - 1):
            mentions += (
                Mention(start=start, end=end, name=fold_name(folded[start:end]), is_plain=False)
                for end in range(min(start + _MOST_CHARACTERS, run.end()), start + 1, -1)
            )
    return tuple(sorted(mentions, key=lambda mention: (mention.start, -mention.end)))


def longest_known(mentions: tuple[Mention, ...], known: Container[str]) -> tuple[Mention, ...]:
    """Pick the mentions of known names, from the left the longest; none lies within or across another."""
    picked: list[Mention] = []
    end = 0
    for mention in mentions:
        if mention.start >= end and mention.name in known:
            picked.append(mention)
            end = mention.end
    return tuple(picked)


def _of_words(text: str, folded: str) -> Iterator[Mention]:
    words = [match.span() for match in _MENTION_WORD.finditer(folded)]
    is_no_name = [folded[start:end] in NO_NAMES or folded[start:end].isdigit() for start, end in words]
    for first, (start, _) in enumerate(words):
        for last in range(min(first + _MOST_WORDS, len(words)) - 1, first - 1, -1):
            end = words[last][1]
            name = folded[start:end].removesuffix("'s").removeprefix("the ")
            if len(name) >= _FEWEST_CHARACTERS and not all(is_no_name[first : last + 1]):
                is_plain = " " not in name and not any(map(str.isupper, text[max(start, 1) : end]))
                yield Mention(start=start, end=end, name=name, is_plain=is_plain)


_WORD_UNITS = (
    r"km/h|km|kg|mg|cm|mm|ml|mph|kwh|kw|mw|gb|mb|tb|ghz|mhz|hz|ha|kilomet(?:er|re)s?|met(?:er|re)s?|miles?|feet|foot|inches|"
    r"acres?|hectares?|kilograms?|grams?|tons?|tonnes?|pounds?|lit(?:er|re)s?|gallons?|degrees?|percent|dollars?|euros?|yen|"
    r"yuan|million|billion|trillion|thousand|seats?|students?|people|inhabitants|episodes?"
)
_SIGN_UNITS = r"%|℃|°C|°F|キロメートル|センチメートル|ミリメートル|メートル|キログラム|グラム|トン|リットル|円|人|千米|公里|厘米|毫米|平方公里|米|公斤|千克|吨|元|美元|万人|亿元|万元|户|名"
_AMOUNT = lazy_pattern(
    rf"(?<![A-Za-z0-9.,])(?:[$€£¥] ?)?([0-9][0-9,]*(?:\.[0-9]+)?)(?: ?({_SIGN_UNITS})|[ -]?({_WORD_UNITS})\b)",
    re.IGNORECASE,
)

NAMES_VERSION = "1"
"""Changes whenever ``find_names`` returns other names for some text; what was stored with another version is rebuilt."""

_SHORTEST = 2
_LONGEST = 80


def quantities(text: str) -> Iterator[str]:
    """Yield numbers with their units, one spelling for each: ``850 feet``.

    >>> list(quantities("It is 1,850 feet long, spans 12% and 3 of 4, built in 1996."))
    ['1850 feet', '12 %']
    """
    for match in _AMOUNT().finditer(text):
        number = match[1].replace(",", "")
        yield f"{number} {match[2] or match[3]}"


def find_names(text: str, *, language: Language, title: str | None = None) -> tuple[str, ...]:
    """Return the names in a text: people, places, works, organisations, terms and amounts.

    English: runs of capitalised words with the small words inside them, acronyms, works in quotation marks. Japanese
    and Chinese: what is in 「」『』《》, katakana words, compounds of Han characters between particles, words in
    Latin letters. All: numbers with their units; bare years and numbers are no names. Nothing is known of the world:
    a rule may take a term for a name, and links by what only one text holds lead nowhere.

    Args:
        text: Any text.
        language: What it is written in.
        title: What its document is called; a qualifier in parentheses at its end is left out.

    Returns:
        Each once, in NFKC and case-folded; none shorter than 2 or longer than 80 characters. The title's comes first,
        behind ``TITLE_MARK``; the others as they appear.

    >>> find_names("Ann met Kurt Cobain's band in the city of Aberdeen.", language=Language.EN, title="Nirvana (band)")
    ('=nirvana', 'kurt cobain', 'aberdeen')
    >>> find_names("織田信長は『信長公記』で知られる。", language=Language.JA)
    ('信長公記', '織田信長')
    """
    own = name_of_title(title) if title else ""
    found = dict.fromkeys(map(fold_name, _spelled(unfolded(text), language)))
    found.pop(own, None)
    names = tuple(name for name in found if _SHORTEST <= len(name) <= _LONGEST)
    return (TITLE_MARK + own, *names) if own else names


def _spelled(text: str, language: Language) -> Iterable[str]:
    """Yield names as they are spelled in a text in NFKC."""
    is_unspaced = language in {Language.JA, Language.ZH}
    if not text.isascii():
        yield from quoted_titles(text)
        yield from kana_names(text)
        yield from han_names(text, language=language)
    yield from latin_words(text) if is_unspaced else latin_names(text)
    yield from quantities(text)
