"""Find what a candidate adds, and what of it is in feedback alone."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from evolore.domain.document import MediaType
from evolore.domain.language import Language
from evolore.evolution.gates.claims import content_words
from evolore.text.protected import protected_spans
from evolore.text.sections import read_sections
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import analyse

_NEARLY = 0.95
_FEWEST_WORDS = 2


def adds_nothing(before: str, after: str) -> bool:
    """Return whether a text says no word that another does not, as often: it leaves out, or puts in another order, at most.

    >>> adds_nothing("Wait 30 s. Then call.", "Then call. Wait 30 s.")
    True
    >>> adds_nothing("Wait 30 s.", "Wait 30 s. Then wait again.")
    False
    """
    return not Counter(analyse(after)) - Counter(analyse(before))


def said_again(before: str, after: str, language: Language) -> tuple[str, ...]:
    """List the sentences of a text that another says more often, in their order; headings and what hardly says a word aside.

    >>> from evolore.domain.language import Language
    >>> said_again("Call the desk. Go.", "Call the desk. Go. Call the desk.", Language.EN)
    ('Call the desk.',)
    """
    first, second = _sentences(before, language), _sentences(after, language)
    return tuple(one for one, count in first.items() if second[one] > count)


def _sentences(text: str, language: Language) -> Counter[str]:
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    told = (span.of(lines).strip() for span in sentence_spans(lines, language=language))
    return Counter(one for one in told if len(analyse(one)) >= _FEWEST_WORDS)


def change_alike(one: str, other: str, *, original: str) -> bool:
    """Return whether two texts are the same, or change nearly the same words of an original, as often.

    >>> change_alike("Wait 40 s. Then call.", "Wait 40 s! Then call.", original="Wait 30 s. Then call.")
    True
    >>> change_alike("Wait 40 s. Then call.", "Then call. Wait 30 s.", original="Wait 30 s. Then call.")
    False
    """
    first, second = _changes(one, original), _changes(other, original)
    same, every = (first & second).total(), (first | second).total()
    return one.split() == other.split() or (every > 0 and same / every >= _NEARLY)


def _changes(text: str, original: str) -> Counter[tuple[str, bool]]:
    words, before = Counter(analyse(text)), Counter(analyse(original))
    return Counter(
        {
            (word, is_new): count
            for is_new, some in ((True, words - before), (False, before - words))
            for word, count in some.items()
        }
    )


def with_kept_changes(before: str, after: str, text: str) -> str:
    r"""Return a text with those of its changes made that a third text keeps, line by line.

    A change is not kept if a word that it adds is missing, or every word that it takes out is there again.

    >>> with_kept_changes("Wait 7 days.\nCall.", "Wait 10 days.\nCall Ann.", "Wait 10 days.\nCall at noon.")
    'Wait 10 days.\nCall.'
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    words = Counter(analyse(text))
    back = words - Counter(analyse(after))
    made: list[str] = []
    for was, now in _line_changes(old, new):
        gone, come = (Counter(analyse(one)) - Counter(analyse(other)) for one, other in ((was, now), (now, was)))
        is_kept = not come - words if come else bool(gone - back)
        made.append(now if is_kept else was)
    return "".join(made)


def _line_changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield lines that belong together, as they are in both texts: one at a time where as many replace as many."""
    for _, start, end, begin, until in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        was, now = old[start:end], new[begin:until]
        yield from zip(was, now, strict=True) if len(was) == len(now) else [("".join(was), "".join(now))]


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeChange:
    """The words that a change replaced in one section."""

    section: tuple[str, ...]  #: The titles above it, its own last; empty before the first heading.
    before: str  #: The sentences that went; empty where some were only added.
    after: str  #: The sentences that came; empty where some were only removed.

    @property
    def line(self) -> str:
        """The section, the old words and the new ones."""
        place = f"{' > '.join(self.section)}: " if self.section else ""
        return f"{place}{self.before or '(nothing)'} -> {self.after or '(nothing)'}"


def made_changes(
    before: str, after: str, *, language: Language, media_type: MediaType = MediaType.MARKDOWN
) -> tuple[MadeChange, ...]:
    r"""List what changed between two texts, by section.

    >>> from evolore.domain.language import Language
    >>> before, after = (f"# Time\n\nPlease call us first. {one}\n" for one in ("Wait 3 days.", "Wait 5 days."))
    >>> [one.line for one in made_changes(before, after, language=Language.EN)]
    ['Time: Wait 3 days. -> Wait 5 days.']
    """
    old, new = (_by_section(text, language, media_type) for text in (before, after))
    found: list[MadeChange] = []
    for path in dict.fromkeys((*old, *new)):
        was, now = old.get(path, Counter[str]()), new.get(path, Counter[str]())
        gone, come = (" ".join(some.elements()) for some in (was - now, now - was))
        if gone or come:
            found.append(MadeChange(section=path, before=gone, after=come))
    return tuple(found)


def _by_section(text: str, language: Language, media_type: MediaType) -> dict[tuple[str, ...], Counter[str]]:
    found: dict[tuple[str, ...], Counter[str]] = {}
    for one in read_sections(text, media_type=media_type):
        said = (span.of(one.text).strip() for span in sentence_spans(one.text, language=language))
        found.setdefault(one.path, Counter()).update(sentence for sentence in said if sentence)
    return found


def repeats(change: MadeChange, earlier: MadeChange, language: Language) -> bool:
    """Return whether a change makes an earlier one again: the same values, or most of the same words, in the same section.

    >>> from evolore.domain.language import Language
    >>> earlier = MadeChange(section=("Time",), before="It takes 7 days.", after="It takes 10 days.")
    >>> again = MadeChange(section=("Time",), before="It takes 7 days.", after="Expect 10 days.")
    >>> other = MadeChange(section=("Time",), before="It takes 7 days.", after="It takes 12 days.")
    >>> repeats(again, earlier, Language.EN), repeats(other, earlier, Language.EN)
    (True, False)
    """
    if change.before and earlier.before and change.section != earlier.section:
        return False
    lost, added = _values(earlier, language)
    if not all(one <= mine for one, mine in zip((lost, added), _values(change, language), strict=True)):
        return False
    words = _words(earlier, language)
    return bool(lost and added) or (words & _words(change, language)).total() >= max(1, _REPEATED * words.total())


def states(text: str, change: MadeChange, language: Language) -> bool:
    """Return whether a text states what a change adds: all its values, or if it has none, most of its words."""
    _, added = _values(change, language)
    if added:
        return added <= {span.canonical for span in protected_spans(text, language)}
    new = {word for word, is_new in _words(change, language) if is_new}
    return bool(new) and len(new.intersection(content_words(text, language))) >= _REPEATED * len(new)


_REPEATED = 0.8


def _values(change: MadeChange, language: Language) -> tuple[set[str], set[str]]:
    was, now = ({span.canonical for span in protected_spans(one, language)} for one in (change.before, change.after))
    return was - now, now - was


def _words(change: MadeChange, language: Language) -> Counter[tuple[str, bool]]:
    was, now = (Counter(content_words(one, language)) for one in (change.before, change.after))
    return Counter({(word, is_new): 1 for is_new, some in ((False, was - now), (True, now - was)) for word in some})


_WORDS = 4
_SIGNS = 7
_WORD = re.compile(r"[^\W\d_぀-ヿ㐀-鿿]+|\d+|[぀-ヿ㐀-鿿]")
_CJK = re.compile(r"[぀-ヿ㐀-鿿]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackEchoes:
    """What a candidate has of feedback, and of nothing else."""

    #: Protected values, as the candidate writes them, such as numbers, dates and names; and whole sentences.
    values: tuple[str, ...] = ()
    words: tuple[str, ...] = ()  #: Runs of words.


def echoes_of(
    before: str, after: str, comments: Iterable[str], *, language: Language, evidence: Sequence[str] = ()
) -> FeedbackEchoes:
    """List what is in a candidate and in a comment, but neither in the original nor in the evidence.

    Values count one by one, other words where four in a row are the same, in Japanese and Chinese seven signs.

    >>> from evolore.domain.language import Language
    >>> echoes_of("Wait a day.", "Wait 90 days.", ["It is 90 days!"], language=Language.EN)
    FeedbackEchoes(values=('90 days',), words=())
    """
    known = "\n".join((before, *evidence))
    there = {span.canonical for span in protected_spans(known, language)}
    new = {span.canonical: span.quote for span in protected_spans(after, language) if span.canonical not in there}
    known_runs, new_runs = set(_runs(known)), set(_runs(after))
    comments = tuple(comments)
    told = "\n\n".join(comments)
    values = [new[span.canonical] for span in protected_spans(told, language) if span.canonical in new]
    said = (one for comment in comments for one in _sentences(comment, language))
    values += [one for one in said if _bare(one) in _bare(after) and _bare(one) not in _bare(known)]
    words = [_joined(run) for run in _runs(told) if run in new_runs and run not in known_runs]
    return FeedbackEchoes(values=tuple(dict.fromkeys(values)), words=tuple(dict.fromkeys(words)))


def _bare(text: str) -> str:
    return "".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _joined(run: tuple[str, ...]) -> str:
    return "".join(run) if _CJK.match(run[0]) else " ".join(run)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    for start in range(len(words)):
        length = _SIGNS if _CJK.match(words[start]) else _WORDS
        run = tuple(words[start : start + length])
        if len(run) == length:
            yield run
