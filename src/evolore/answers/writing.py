"""Requests to a chat model to answer from passages, checks of its replies, and the words for where there is no answer."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, cast

from pydantic import Field, TypeAdapter, ValidationError

from evolore.answers.extraction import Passage
from evolore.domain.chat import ChatRequest
from evolore.domain.language import Language, language_name
from evolore.text.fences import Data, Prompt, ReplyForm, once_each
from evolore.text.protected import protected_spans
from evolore.text.protected.weighing import compare_spans
from evolore.text.scripts import detect_language
from evolore.text.values import SpanKind, Value
from evolore.text.word_files import read_words

PROMPT_VERSION = 1
"""Raised with every change of the words that are asked: a new file, and what was asked before is asked again."""

SEVERAL_PROMPT_VERSION = 1
"""Raised with every change of the words by which several questions are answered in one call."""

_MOST_SENTENCES = 20
_MOST_ANSWERS = 100
_LONGER = 2
"""So many times what it may have makes an answer much too long; a little too long is still an answer."""

_TOKENS_PER_CHARACTER = 2
_MOST_TOKENS = 8_000
"""The longest reply to several questions: what common models write at most in one."""

_TOKENS_AROUND = 256
_SHORTEST_TOLD = 8
"""So few Han characters without kana may be of either language."""

_INVENTED = frozenset(
    {SpanKind.NUMBER, SpanKind.DATE, SpanKind.TIME, SpanKind.URL, SpanKind.EMAIL, SpanKind.VERSION, SpanKind.PATH}
)
_REFERENCE = re.compile(r"\[\d+\]")
_FIGURES = re.compile(r"\d[\d,]*(?:\.\d+)?")
_LATIN = re.compile("[A-Za-z]")
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


class SentenceReply(ReplyForm):
    """What a reply says in one sentence."""

    text: Annotated[str, Field(min_length=1)]
    passages: Annotated[list[int], Field(min_length=1)]


class AnswerReply(ReplyForm):
    """What a reply must be."""

    in_sources: bool
    sentences: Annotated[list[SentenceReply], Field(max_length=_MOST_SENTENCES)]


_PROMPT = Prompt(version=PROMPT_VERSION, purpose="recall.answer", marks="asked", form=AnswerReply)


class NumberedReply(AnswerReply):
    """What a reply says to one of several questions."""

    number: Annotated[int, Field(ge=1)]


class AnswersReply(ReplyForm):
    """What a reply to several questions must be."""

    answers: Annotated[list[NumberedReply], Field(max_length=_MOST_ANSWERS)]


_SEVERAL = Prompt(version=SEVERAL_PROMPT_VERSION, purpose="evolution.answers", marks="asked", form=AnswersReply)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSentence:
    """A sentence of an answer."""

    text: str  #: What it says.
    passages: tuple[int, ...]  #: The places of the passages it rests on, from 0, each once; at least one.


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """An answer that a chat model wrote."""

    sentences: tuple[WrittenSentence, ...]  #: In their order; none where it says that the passages hold no answer.


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusableAnswer:
    """Why a reply is no answer."""

    reason: str  #: One word of small letters and underscores.
    detail: str  #: What is wrong, in a sentence.

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


def answer_prompt(
    instructions: str,
    question: str,
    passages: Sequence[Passage],
    *,
    language: Language,
    most_characters: int,
    seed: int | None = None,
) -> ChatRequest:
    """Ask for an answer from passages, numbered from 1.

    What question and passages say never becomes part of the instructions.
    """
    shown: Data = [_shown(number, one) for number, one in enumerate(passages, 1)]
    asked: Data = {
        "question": question,
        "language": language_name(language) if language is not Language.UND else "the question's own",
        "most_characters": most_characters,
        "passages": shown,
    }
    return _PROMPT.request(
        instructions, asked, most_tokens=_TOKENS_PER_CHARACTER * most_characters + _TOKENS_AROUND, seed=seed
    )


def answers_prompt(
    instructions: str,
    questions: Sequence[str],
    passages: Sequence[Passage],
    *,
    language: Language,
    most_characters: int,
    seed: int | None = None,
) -> ChatRequest:
    """Ask for answers to several questions from the same passages, each by itself; all numbered from 1.

    The data between ``<asked>`` and ``</asked>``: ``questions``, each with ``number`` and ``question``, ``language``,
    ``most_characters`` of one answer, and ``passages`` as in ``answer_prompt``. The reply is ``AnswersReply``.
    """
    shown: Data = [_shown(number, one) for number, one in enumerate(passages, 1)]
    listed: Data = [{"number": number, "question": one} for number, one in enumerate(questions, 1)]
    asked: Data = {
        "questions": listed,
        "language": language_name(language) if language is not Language.UND else "the questions' own",
        "most_characters": most_characters,
        "passages": shown,
    }
    return _SEVERAL.request(
        instructions,
        asked,
        most_tokens=min(_MOST_TOKENS, _TOKENS_PER_CHARACTER * most_characters * len(questions)) + _TOKENS_AROUND,
        seed=seed,
    )


def read_answers(
    reply: str, count: int, passages: Sequence[Passage], *, language: Language, most_characters: int
) -> tuple[Composed | UnusableAnswer, ...]:
    """Read the answers to several questions from a reply, in their order; each is accepted whole or not at all."""
    said = AnswersReply.read(reply)
    if said is None:
        detail = 'The reply is not of the form {"answers": [{"number": …, "in_sources": …, "sentences": […]}]}.'
        return (UnusableAnswer(reason="unusable_reply", detail=detail),) * count
    by_number = once_each(said.answers, lambda one: one.number)
    return tuple(
        _taken(by_number[number], passages, language, most_characters)
        if number in by_number
        else UnusableAnswer(reason="unusable_reply", detail=f"The reply answers question {number} not once.")
        for number in range(1, count + 1)
    )


_OBJECT = TypeAdapter(dict[str, object])


class SentencePieces:
    """Streams the words of an answer while its reply is written; they are not checked, but hold nothing unseen."""

    def __init__(self, tell: Callable[[str], None], language: Language) -> None:
        self._tell, self._language = tell, language
        self._reply = ""
        self._told = ""

    def __call__(self, piece: str) -> None:
        """Add a piece of the reply, which is still incomplete JSON, and pass on what it adds to the text."""
        self._reply += piece
        text = self._text()
        if len(text) > len(self._told) and text.startswith(self._told):
            new, self._told = text[len(self._told) :], text
            self._tell(new)

    def _text(self) -> str:
        try:
            begun = self._reply[max(0, self._reply.find("{")) :]
            said = _OBJECT.validate_json(begun, experimental_allow_partial="trailing-strings")
        except ValidationError:
            return self._told
        listed = said.get("sentences")
        texts = [
            str(cast("dict[str, object]", one).get("text") or "")
            for one in (cast("list[object]", listed) if isinstance(listed, list) else ())
            if isinstance(one, dict)
        ]
        return joined([_UNSHOWN.sub(" ", without_unseen(one)) for one in texts if one], self._language)


def read_answer(
    reply: str, passages: Sequence[Passage], *, language: Language, most_characters: int
) -> Composed | UnusableAnswer:
    """Read the answer from a reply, or return what is wrong with it; it is accepted whole or not at all.

    Up to twice ``most_characters`` is taken.
    """
    said = AnswerReply.read(reply)
    if said is None:
        return UnusableAnswer(
            reason="unusable_reply", detail='The reply is not of the form {"in_sources": …, "sentences": […]}.'
        )
    return _taken(said, passages, language, most_characters)


def _taken(
    said: AnswerReply, passages: Sequence[Passage], language: Language, most_characters: int
) -> Composed | UnusableAnswer:
    if said.in_sources != bool(said.sentences):
        return UnusableAnswer(
            reason="unusable_reply",
            detail=f"The reply says in_sources: {str(said.in_sources).lower()}, and has {len(said.sentences)} sentences.",
        )
    sentences = tuple(
        WrittenSentence(
            text=" ".join(_UNSHOWN.sub(" ", without_unseen(one.text)).split()),
            passages=tuple(dict.fromkeys(number - 1 for number in one.passages)),
        )
        for one in said.sentences
    )
    wrong = next(_wrong(sentences, passages, language=language, most_characters=most_characters), None)
    return Composed(sentences=sentences) if wrong is None else wrong


def _wrong(
    sentences: Sequence[WrittenSentence], passages: Sequence[Passage], *, language: Language, most_characters: int
) -> Iterator[UnusableAnswer]:
    for one in sentences:
        if not one.text:
            yield UnusableAnswer(reason="empty_answer", detail="A sentence of the reply is blank.")
        if unknown := [place + 1 for place in one.passages if not 0 <= place < len(passages)]:
            detail = f"The reply names passage {unknown[0]}, and there are {len(passages)}."
            yield UnusableAnswer(reason="unknown_passage", detail=detail)
    text = " ".join(one.text for one in sentences)
    if len(text) > _LONGER * most_characters:
        detail = f"The answer has {len(text):,} characters, and {most_characters:,} are allowed."
        yield UnusableAnswer(reason="too_long", detail=detail)
    if sentences and not is_in(text, language):
        yield UnusableAnswer(reason="other_language", detail=f"The answer is not in {language_name(language)}.")
    for one in sentences:
        yield from _wrong_words(one, passages)


def _wrong_words(sentence: WrittenSentence, passages: Sequence[Passage]) -> Iterator[UnusableAnswer]:
    if markup := markup_in(sentence.text):
        yield UnusableAnswer(reason="markup", detail=f"The reply holds {markup!r}, which a page would act on.")
    texts = (text for place in sentence.passages for text in (passages[place].text, passages[place].context))
    if invented := address_of_its_own(sentence.text, texts) or _invented(sentence, passages):
        yield UnusableAnswer(reason="invented", detail=f"{invented!r} is not in the passages that are named for it.")


def is_in(text: str, language: Language) -> bool:
    """Return whether a text is in a language, as far as that can be detected; one that has no rules here is any."""
    found = detect_language(text)
    if language is Language.UND:
        return True
    if language is Language.EN:
        return bool(_LATIN.search(text)) and found in {Language.EN, Language.UND}
    return found is language or (len(text) <= _SHORTEST_TOLD and found in {Language.JA, Language.ZH})


def _invented(sentence: WrittenSentence, passages: Sequence[Passage]) -> str | None:
    """Return a sentence's number, date, address or ``[1]`` that is in no passage; None for none."""
    for found in _REFERENCE.findall(sentence.text):
        if all(found not in passages[place].text for place in sentence.passages):
            return found
    language = detect_language(sentence.text)
    spans = protected_spans(sentence.text, language)
    if all(one.kind not in _INVENTED for one in spans):
        return None
    texts = [text for place in sentence.passages for text in (passages[place].text, passages[place].context)]
    sources = [span for text in texts for span in protected_spans(text, detect_language(text))]
    is_translated = any(detect_language(passages[place].text) is not language for place in sentence.passages)
    known = {found for span in sources if span.kind is SpanKind.NUMBER for found in _figures(span)}
    return next(
        (
            one.quote
            for one in compare_spans(sources, spans).added
            if one.kind in _INVENTED and not _is_known(one, known, is_translated=is_translated)
        ),
        None,
    )


def _is_known(one: Value, known: set[str], *, is_translated: bool) -> bool:
    """Return whether a number is in the sources with another unit: where it has none, or a word of another language."""
    is_bare = " " not in one.canonical
    return one.kind is SpanKind.NUMBER and (is_bare or is_translated) and not known.isdisjoint(_figures(one))


def _figures(span: Value) -> frozenset[str]:
    """Return the number of a span as its value has it, and as it is written."""
    written = _FIGURES.search(unicodedata.normalize("NFKC", span.quote))
    return frozenset({span.canonical.partition(" ")[0]} | ({written.group().replace(",", "")} if written else set()))


def _shown(number: int, one: Passage) -> dict[str, Data]:
    facts: dict[str, Data] = {"number": number, "place": one.context, "text": one.text}
    return {name: value for name, value in facts.items() if value != ""}


_UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]+"
)
"""Signs that turn the direction of text, and that are not seen; except the joiners of emoji and scripts."""

_ELEMENTS = """
a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button
canvas caption center cite code col colgroup command content data datalist dd del details dfn dialog dir div dl dt element em
embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image
img input ins isindex kbd keygen label legend li link listing main map mark marquee math menu menuitem meta meter multicol
nav nextid nobr noembed noframes noscript object ol optgroup option output p param picture plaintext portal pre progress q
rb rp rt rtc ruby s samp script search section select shadow slot small source spacer span strike strong style sub summary
sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp
"""
_MARKUP = re.compile(
    rf"<(?:[!?/]|(?:{'|'.join(_ELEMENTS.split())})(?![\w-])|[a-z][\w:-]{{0,80}}[\s/][^<>]{{0,400}}=)|"
    r"(?<![\w-])(?:javascript|vbscript|data|file|blob|about)\s{0,9}:(?=\s{0,9}[^\s\w]|\w{1,40}[(/;,.])",
    re.IGNORECASE,
)
"""Tags of HTML, open or not, and any with an attribute; addresses that run or hold something. ``Vec<T>`` is neither."""

_REST = r"[^\s<>\"'`()\[\]{}、。，！？「」『』（）]"
_ADDRESS = re.compile(
    rf"(?<![\w/\\:])(?:[a-z][a-z0-9+.-]{{0,30}}:)?[/\\]{{2,9}}(?=\w){_REST}{{1,500}}"
    rf"|(?<![\w.@-])(?:[^\W_](?:[\w-]{{0,62}}[^\W_])?\.){{1,9}}(?:xn--[a-z0-9-]{{1,60}}|[^\W\d_]{{2,24}})(?![\w@])(?:[:/?#]{_REST}{{1,500}})?",
    re.IGNORECASE,
)
"""``//host/path`` with and without a scheme, and bare hosts, which many a chat window makes links of."""

_CLOSING = ".,:;!?"


def without_unseen(text: str) -> str:
    """Remove invisible characters and those that turn the direction of what follows."""
    return _UNSEEN.sub("", text)


def markup_in(text: str) -> str | None:
    """Return the first markup of a sentence that a page would act on, also where it is written in entities; None for none.

    >>> markup_in("Use Vec<T>, or <b>bold</b>."), markup_in("a < b"), markup_in("&lt;img src=x&gt;")
    ('<b', None, '<img')
    """
    return next((found.group() for form in _forms(text) if (found := _MARKUP.search(form))), None)


def address_of_its_own(text: str, sources: Iterable[str]) -> str | None:
    """Return a sentence's first address that is in no source; None for none.

    >>> address_of_its_own("See evil.example/x, or docs.example.", ["Read docs.example first."])
    'evil.example/x'
    """
    known = [unicodedata.normalize("NFKC", source).casefold() for source in sources]
    found = (match.group().rstrip(_CLOSING) for form in _forms(text) for match in _ADDRESS.finditer(form))
    return next((one for one in found if not any(one.casefold() in source for source in known)), None)


def _forms(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKC", without_unseen(text))
    read = unicodedata.normalize("NFKC", without_unseen(html.unescape(plain)))
    return (plain,) if read == plain else (plain, read)


_UNSPACED = frozenset({Language.JA, Language.ZH})


def not_in_sources(language: Language) -> str:
    """Return the sentence that says so."""
    return read_words("evolore.answers", "answers", language).texts["not_in_sources"]


def disagreement(first: tuple[int, str], second: tuple[int, str], language: Language) -> str:
    """Return the sentence that says that two citations contradict each other."""
    words = read_words("evolore.answers", "answers", language).texts
    sides = [words["side"].format(number=number, who=who).strip() for number, who in (first, second)]
    return words["disagree"].format(first=sides[0], second=sides[1])


def possibly_replaced(older: int, newer: int, language: Language) -> str:
    """Return the sentence that says that a citation is possibly replaced by another, both by their numbers."""
    return read_words("evolore.answers", "answers", language).texts["possibly"].format(older=older, newer=newer)


def joined(sentences: Iterable[str], language: Language) -> str:
    """Put sentences one behind the other as the language does."""
    return ("" if language in _UNSPACED else " ").join(sentences)
