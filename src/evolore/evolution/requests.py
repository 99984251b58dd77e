"""Requests to chat models about documents: what they are shown, the form of replies, and their language."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from pydantic import ValidationError

from evolore.domain.chat import ChatReply, ChatRequest
from evolore.domain.contest import Complaint, DocumentText, EvidenceText
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.evolution.edits import place_of
from evolore.evolution.gates.claims import content_words
from evolore.text.fences import Data, ReplyForm, unfenced
from evolore.text.scripts import detect_language
from evolore.text.sections import Section, read_sections
from evolore.text.tokens import estimate_tokens
from evolore.text.values.marks import FENCE

LONGEST_DOCUMENT = 24_000
"""Characters of one document that a mutation is shown; of a longer one it is shown what has most to do with the complaints."""

LONGEST_JOINED = 40_000
"""Characters of all documents of a crossover together, which are shown whole or not at all."""

LONGEST_EDIT = 8_000
"""Characters that one edit may write."""

_MOST_REPLY_TOKENS = 8_000
"""The longest reply, in the model's tokens: what common models write at most in one."""

_MOST_SECTIONS_SHARE = 0.5
_LEAST_SECTIONS = 2
"""A mutation touches at most half of a document's sections, and may touch two in any case: whole rewrites lose content."""


def most_sections(sections: int) -> int:
    """Return how many of a document's sections a mutation may touch.

    >>> [most_sections(count) for count in (1, 3, 9)]
    [2, 2, 5]
    """
    return max(_LEAST_SECTIONS, math.ceil(sections * _MOST_SECTIONS_SHARE))


Form = TypeVar("Form", bound=ReplyForm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """Why nothing of a reply is used, or no model was asked."""

    reason: str  #: What is wrong, for the person who looks at the job.


def read_data(request: ChatRequest) -> Mapping[str, Data]:
    """Return the data that a request holds: what a scripted model answers by.

    The builder of each request documents its contents: ``write_request``, ``merge_request``, ``extract_request``,
    ``judge_request``, ``claims_request`` and ``questions_request``.

    Raises:
        InvalidValue: The request is of another kind.
    """
    try:
        data = unfenced(request.messages[-1].text)
    except ValueError as error:
        raise InvalidValue(f"The request for {request.purpose!r} holds no data between marks: {error}") from error
    if not isinstance(data, dict):
        raise InvalidValue(f"The request for {request.purpose!r} holds a {type(data).__name__}: use one with names.")
    return cast("Mapping[str, Data]", data)


def read_reply(reply: ChatReply | str, form: type[Form]) -> Form | Unusable:
    """Read a reply of a form strictly; nothing is mended by guessing."""
    text = reply if isinstance(reply, str) else reply.text
    try:
        return form.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        return Unusable(
            reason=f"The reply is not of the form asked for: {place + ': ' if place else ''}{first['msg']}."
        )


_TOKENS_AROUND = 600


def choose_sections(
    sections: Sequence[Section], about: Iterable[str], *, language: Language, longest: int
) -> tuple[Section, ...]:
    """Choose the sections to be shown, whole ones only: all where they fit, else the likeliest first.

    A section counts for every different content word it shares with what it is to be about, the more the fewer sections
    hold the word: ``log(1 + sections / sections that hold it)``. Of equals the earlier comes first.

    Returns:
        In the document's order; none where not even one fits.
    """
    if sum(len(one.text) for one in sections) <= longest:
        return tuple(sections)
    wanted = {word for text in about for word in content_words(text, language)}
    words = [wanted.intersection(content_words(one.text, language)) for one in sections]
    holders = Counter(word for some in words for word in some)
    scores = [sum(math.log1p(len(sections) / holders[word]) for word in sorted(some)) for some in words]
    chosen: set[int] = set()
    left = longest
    for place in sorted(range(len(sections)), key=lambda place: (-scores[place], place)):
        if len(sections[place].text) <= left:
            chosen.add(place)
            left -= len(sections[place].text)
    return tuple(one for place, one in enumerate(sections) if place in chosen)


def sections_to_show(
    document: DocumentText, complaints: Sequence[Complaint], evidence: Sequence[EvidenceText]
) -> tuple[Section, ...]:
    """Return the sections of a document that a writer is shown, and may touch; none where not one is short enough."""
    return choose_sections(
        read_sections(document.text, media_type=document.media_type),
        (*(text for one in complaints for text in (one.question, one.comment)), *(one.text for one in evidence)),
        language=document.language,
        longest=LONGEST_DOCUMENT,
    )


def shown_sections(sections: Sequence[Section]) -> list[Data]:
    """Return sections as they are shown: their place, their path and what they say."""
    return [{"place": place_of(one), "path": " > ".join(one.path), "text": one.text.rstrip()} for one in sections]


def shown_complaints(complaints: Sequence[Complaint]) -> list[Data]:
    """Return complaints as they are shown; who made them is not."""
    return [{"question": one.question, "comment": one.comment} for one in complaints]


def shown_evidence(evidence: Sequence[EvidenceText]) -> list[Data]:
    """Return evidence as it is shown."""
    return [{"id": one.id, "source": one.source, "text": one.text} for one in evidence]


def reply_tokens(texts: Sequence[str]) -> int:
    """Return how long a reply may be: all of what is shown in JSON twice over, within the settings."""
    return min(_MOST_REPLY_TOKENS, 2 * sum(map(estimate_tokens, texts)) + _TOKENS_AROUND)


def one_line(text: str) -> str:
    """Return a text on one line, without signs that are not shown."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


_CODE = re.compile(r"`[^`\n]+`|https?://\S+|(?<!\S)[^\s@]++@[^\s.]++\.\S+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_CJK = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_SHORT = 40
"""A Japanese heading or a row of a table this long may hold no kana."""

_LEAST_LATIN_SHARE = 0.5
_FEW_WORDS = 15
"""Shorter English may lack its commonest words: a heading, a list of names."""


def is_written_in(text: str, language: Language, *, beside: str = "") -> bool:
    """Return whether a text is in a language, by its script and commonest words; code and addresses do not count.

    Args:
        text: What was written.
        language: What it was to be written in.
        beside: What it takes the place of, which may be in another language than its document.

    >>> is_written_in("返金は14日以内です。", Language.EN)
    False
    >>> is_written_in("Refunds take 14 days.", Language.EN)
    True
    """
    plain = _plain(text)
    letters = len(_LETTER.findall(plain))
    if not letters or _fits(plain, letters, language):
        return True
    spoken = detect_language(_plain(beside)) if beside else language
    return spoken is not language and _fits(plain, letters, spoken)


def _plain(text: str) -> str:
    return _CODE.sub(" ", FENCE.sub(" ", text))


def _fits(text: str, letters: int, language: Language) -> bool:
    spoken = detect_language(text)
    if language is Language.JA:
        return spoken is Language.JA or (spoken is Language.ZH and len(text.strip()) <= _SHORT)
    if language is Language.ZH:
        return spoken is Language.ZH
    is_short = len(_LATIN.findall(text)) >= _LEAST_LATIN_SHARE * letters and len(_WORD.findall(text)) < _FEW_WORDS
    if language is Language.EN:
        return spoken is Language.EN or (is_short and spoken is Language.UND)
    return spoken is Language.UND or (is_short and not _CJK.search(text))
