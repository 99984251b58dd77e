"""The review of chunks: a chat model says of sampled ones whether each is clear on its own; and what items say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from evolore.domain.chat import ChatRequest
from evolore.domain.episode import Episode
from evolore.domain.language import Language, language_name
from evolore.domain.review import Priority, ReviewCategory, ReviewItem, cause_of
from evolore.text.fences import Data, Prompt, ReplyForm, once_each
from evolore.text.scripts import detect_language
from evolore.text.word_files import read_words

_LONGEST_WORDS = 500
_TOKENS_PER_CHUNK = 200
_LATIN = re.compile("[A-Za-z]")
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")

PROMPT_VERSION = 2
"""Raised with every change of the words that are asked, ``check_chunks_2.md``: a new file."""


class PassageVerdict(ReplyForm):
    """What a model says of one passage."""

    number: int
    whole: bool
    reason: str = ""
    suggestion: str = ""


class Verdicts(ReplyForm):
    """What a reply to a request to check must be."""

    verdicts: list[PassageVerdict]


_PROMPT = Prompt(version=PROMPT_VERSION, purpose="chunking.check", marks="passages", form=Verdicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewReply:
    """What one reply said."""

    verdicts: dict[int, PassageVerdict]  #: A verdict for each passage that got exactly one, by its place in the batch.
    skipped: int  #: How many passages got none, or two.


def sampled(ids: Sequence[str], count: int, *, seed: int) -> list[str]:
    """Choose so many of these ids as if by chance, the same for the same seed; in the order given."""

    def drawn(id_: str) -> bytes:
        return blake2b(f"{seed}:{id_}".encode(), digest_size=8).digest()

    chosen = set(sorted(ids, key=drawn)[:count])
    return [id_ for id_ in ids if id_ in chosen]


def judge_prompt(instructions: str, batch: Sequence[Episode]) -> ChatRequest:
    """Ask whether passages of one language are whole.

    Args:
        instructions: The words of the prompt. What the passages say never becomes part of them.
        batch: At least one; numbered from 1.
    """
    passages: Data = [
        {"number": number, "headings": list(leaf.heading_path), "text": leaf.text}
        for number, leaf in enumerate(batch, 1)
    ]
    data: Data = {"language": language_name(batch[0].language), "passages": passages}
    return _PROMPT.request(instructions, data, most_tokens=_TOKENS_PER_CHUNK * len(batch))


def read_verdicts(reply: str, count: int) -> ReviewReply | None:
    """Read from a reply the verdicts that name one passage each; None where it is of another form."""
    said = Verdicts.read(reply)
    if said is None:
        return None
    clear = {n - 1: one for n, one in once_each(said.verdicts, lambda one: one.number).items() if 0 < n <= count}
    return ReviewReply(verdicts=clear, skipped=count - len(clear))


def finding(leaf: Episode, verdict: PassageVerdict, *, version: int) -> ReviewItem:
    """Make a review item of a passage that was found broken."""
    reason, suggestion = (_shown(said, leaf.language) for said in (verdict.reason, verdict.suggestion))
    return ReviewItem(
        category=ReviewCategory.WHOLENESS,
        reason=broken_reason(reason or "-", leaf.language),
        suggestion=suggestion or _text("look_at_it", leaf.language),
        priority=Priority.LOW,
        source=leaf.source or "",
        text_length=len(leaf.text),
        span=leaf.span,
        language=leaf.language,
        cause=cause_of(ReviewCategory.WHOLENESS, leaf.source or "", leaf.text.strip()),
        document_id=leaf.document_id,
        version=version,
        episode_id=leaf.id,
    )


def _shown(text: str, language: Language) -> str:
    """Return a model's words on one line, of bounded length and without what cannot be stored or shown.

    Nothing where they are in another language than the passage.
    """
    flat = " ".join(_UNSHOWN.sub(" ", text).split())
    if not _is_in(flat, language):
        return ""
    return flat if len(flat) <= _LONGEST_WORDS else flat[: _LONGEST_WORDS - 1] + "…"


def _is_in(text: str, language: Language) -> bool:
    if language in {Language.JA, Language.ZH}:
        return detect_language(text) is language
    if language is Language.UND:
        return detect_language(text) in {Language.EN, Language.UND}
    return bool(_LATIN.search(text)) and detect_language(text) in {Language.EN, Language.UND}


def hard_split_reason(length: int, language: Language, *, falls_in_word: bool) -> str:
    """Return the reason that a stretch was cut hard, in words."""
    return _text("inside_words" if falls_in_word else "at_gaps", language).format(length=length)


def hard_split_suggestion(size: int, language: Language) -> str:
    """Return what to do about a stretch that was cut hard."""
    return _text("break_it_up", language).format(size=size)


def broken_reason(reason: str, language: Language) -> str:
    """Return the reason that a passage was found broken, in words."""
    return _text("broken", language).replace("{reason}", reason)


def whole_note(language: Language) -> str:
    """Return the note that a stretch that was cut hard was read again, and is found whole."""
    return _text("found_whole", language)


def broken_note(verdict: PassageVerdict, language: Language) -> str:
    """Return what a model finds broken in a stretch that was cut hard, and what it would do about it."""
    reason, suggestion = (_shown(said, language) for said in (verdict.reason, verdict.suggestion))
    return " ".join(part for part in (broken_reason(reason or "-", language), suggestion) if part)


def _text(name: str, language: Language) -> str:
    return read_words("evolore.chunking", "messages", language).texts[name]
