"""One turn of a chat beside a memory, for hooks, wrapped clients and the proxy: what bears on it, and what it corrects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from logging import getLogger
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from evolore.domain.checks import check_name, check_text
from evolore.domain.citation import as_data, numbered
from evolore.domain.episode import EpisodeState, Statement
from evolore.domain.language import Language
from evolore.domain.query import Hit, bearing
from evolore.recall.hits import within_budget
from evolore.sources.transcripts import storable
from evolore.text.tokens import content_tokens
from evolore.text.word_files import read_words

if TYPE_CHECKING:
    from evolore.domain.query import Recall
    from evolore.memory import Memory

Json: TypeAlias = Any
"""A value read from JSON, or an object of a client with the same fields."""
LEAST = 0.5
"""A hit below this likelihood is not shown for a prompt."""
PROMPT_TOKENS, HITS = 600, 8
_LOOKED_AT, _OTHER, _UNLIKELY = 24, 12, 1e-4
"""Of the first 24 hits, the twelfth stands for all else that a store holds. Where that is likelier than 0.0001, the words of the prompt are
common there, and a hit is held to more than ``LEAST``: to odds of ``√(the other's odds / 0.0001)``. In six
public histories .95 to .98 instead of .86 to .95 of prompts with nothing to add were left alone; questions of the label set found
.58 and blind .60 instead of .58 and .52 (``benchmarks/agent_sessions.py``)."""
_LONGEST_PROMPT = 2000
_LONGEST_CORRECTED = 500
_FEWEST_WORDS = 3
"""A prompt of fewer words with a meaning of their own asks for nothing; a question has one less."""
_ENDS = {"stop", "length", "end_turn", "max_tokens", "stop_sequence", "completed", "max_output_tokens"}
"""How a reply ends that is for the user: not for a tool, and not refused."""
_SYSTEM = ("system", "developer")
_LOG = getLogger(__name__)


def asks_something(prompt: str) -> bool:
    """Return whether a prompt has enough words for a memory to be asked."""
    return len(set(content_tokens(prompt))) >= _FEWEST_WORDS - prompt.endswith(("?", "？"))


def standing_out(memory: Memory, prompt: str, also: Iterable[str]) -> Recall:
    """Return what bears on a prompt more than the rest does, and after each prompt the reply to it; the prompt is not recorded.

    For sessions of work, where a prompt has words in common with many others. What is known of a person is all alike: asked for
    one of 60 facts, the right one would be shown for 33 instead of 45 of 60 questions. So a further namespace keeps ``LEAST``.
    """
    found = memory.recall(prompt[:_LONGEST_PROMPT], limit=_LOOKED_AT, least=0.0, also=also, record=False)
    own = [hit for hit in found.hits if hit.namespace == found.namespace]
    others = [hit for hit in found.hits if hit.namespace != found.namespace]
    likelihoods = sorted((hit.likelihood or 0.0 for hit in own), reverse=True)
    other = min(max((_UNLIKELY, *likelihoods[_OTHER - 1 : _OTHER])), 1 - _UNLIKELY)
    odds = (other / (1 - other) / _UNLIKELY) ** 0.5
    at_place, hits = {(hit.episode.session, hit.episode.position): hit for hit in found.hits}, dict[str, Hit]()
    for hit in (*bearing(own, max(LEAST, odds / (1 + odds))), *bearing(others, LEAST)):
        reply = at_place.get((hit.episode.session, (hit.episode.position or 0) + 1), hit)
        hits |= {one.episode.id: one for one in (hit, reply) if one is hit or one.episode.speaker == "assistant"}
    return replace(found, hits=within_budget(tuple(hits.values())[:HITS], PROMPT_TOKENS, tokenizer=None))


def correction(prompt: str) -> str | None:
    """Return what a prompt such as "That is wrong: …" says instead; None where it says no such thing."""
    found = cue("wrong").fullmatch(prompt)
    return next(filter(None, found.groups()), "").strip() if found else None


def meant_by(memory: Memory, correction: str, shown: Collection[str], also: Iterable[str]) -> Hit | None:
    """Return the one of the statements shown last that a correction is about; None where that is unclear, or it is long."""
    found = memory.recall(correction, limit=50, also=also, record=False)
    near = next((hit for hit in found.hits if hit.episode.id in shown and not hit.is_superseded), None)
    alone = len(shown) == 1  # of 13 corrections in other words 10 are likelier than .05, of 9 about something else none
    is_sure = near is not None and (alone if near.likelihood is None else near.likelihood >= (0.05 if alone else LEAST))
    return near if near is not None and is_sure and len(near.episode.text) <= _LONGEST_CORRECTED else None


def report_of(before: str, after: str) -> str:
    """Return what a model reads of a correction that was made."""
    return (
        f"The memory was corrected. Tell the user so, and how to undo it.\nIt said: {as_data(before)}\n"
        f"It says now: {as_data(after)}\nTo undo it: "
    )


@cache
def cue(name: str) -> re.Pattern[str]:
    """Return the pattern of a cue in all languages."""
    read = (read_words("evolore.integrations", "agents", one) for one in (Language.EN, Language.JA, Language.ZH))
    # Groups have names, of which a pattern may hold each once.
    return re.compile(
        "|".join(f"(?:{one.pattern(name)})" for one in read).replace("(?P<text>", "("), re.IGNORECASE | re.DOTALL
    )


def plain(text: str) -> str:
    """Return a text without what sets two tellings of the same words apart."""
    return re.sub(r"\W+", " ", text).strip().casefold()


def text_of(content: Json) -> str:
    """Return the text of a message's content; of several parts, that of those which are text."""
    if isinstance(content, str) or not isinstance(content, Sequence):
        return content if isinstance(content, str) else ""
    return "\n".join(str(text) for one in cast("Sequence[Json]", content) if (text := field_of(one, "text")))


def field_of(one: Json, name: str) -> Json:
    """Return a field of a mapping or an object; None where there is none."""
    return cast("dict[str, Json]", one).get(name) if isinstance(one, dict) else getattr(one, name, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPlace:
    """Whose chat it is, and the memory beside it."""

    memory: Memory  #: Where it is remembered.
    user: str  #: Who speaks.
    session: str | None = None  #: The conversation; None for one that is named after its first message and the day.
    also: tuple[str, ...] = ()  #: Further namespaces that are read.
    replies: bool = True  #: Whether what the assistant says is remembered too.
    others: bool = False  #: Whether what other people said in the memory's own namespace is shown.

    def __post_init__(self) -> None:
        check_text(self.user, "user")
        check_name(self.user, "user")
        check_name(self.session, "session")

    @property
    def assistant(self) -> str:
        """Who says the replies: one for each user, so that what was said to one neither merges with nor replaces another's."""
        return f"assistant to {self.user}"


class ChatTurn:
    """A call of a chat model. A fault of the memory is logged, and never raised.

    Args:
        place: Whose chat it is.
        messages: What the model is sent.
    """

    def __init__(self, place: ChatPlace, messages: Sequence[Json]) -> None:
        self.place, self.messages = place, messages
        texts = [
            (one, text_of(field_of(one, "content")).strip()) for one in messages if field_of(one, "role") == "user"
        ]
        said = [(one, storable(text)) for one, text in texts if text]
        self._asked = [text for _, text in said]
        self._is_new = bool(said) and said[-1][0] is messages[-1]  # else the model goes on with results of its tools
        self._heard: list[str] = []
        self._is_whole, self._is_one, self._is_over = False, True, False

    def told(self) -> str:
        """Return what the model is to read beside the messages; empty for nothing."""
        return _safely(self._corrected) or _safely(self._recalled)

    def hear(self, part: Json) -> None:
        """Read a reply, or one part of a stream: an object of a client, or bytes of JSON."""
        if self.place.replies:
            _safely(lambda: self._hear(part))

    def remember(self) -> None:
        """Remember the turn, once, and a reply that was heard to its end: each by itself, as one may be refused."""
        if not self._is_over:
            self._is_over, now = True, datetime.now(UTC)
            _safely(lambda: self._remember(self.place.user, self._asked[-1] if self._is_new else "", now))
            reply = self._heard if self._is_whole and self._is_one else []
            _safely(lambda: self._remember(self.place.assistant, "".join(reply), now))

    def _recalled(self) -> str:
        if not self._asked or not asks_something(self._asked[-1]):
            return ""
        found, hits = self._hits(self._asked[-1])
        return replace(found, hits=numbered(hits)).as_messages(cited=False)[0]["content"] if hits else ""

    def _hits(self, asked: str) -> tuple[Recall, list[Hit]]:
        """Return what bears on a text within the budget: the user's own, and what nobody said; not what the messages hold."""
        place = self.place
        found = place.memory.recall(asked[:_LONGEST_PROMPT], limit=50, least=LEAST, also=place.also, record=False)
        known = {plain(text_of(field_of(one, "content"))) for one in self.messages}
        mine = found.hits if place.others else found.said_by((place.user, place.assistant))
        hits = [hit for hit in mine if plain(hit.text) not in known][:HITS]
        return found, list(within_budget(hits, PROMPT_TOKENS, tokenizer=None))

    def _corrected(self) -> str:
        """Correct what was shown for the message before this one; return the report, empty where nothing was."""
        meant = correction(self._asked[-1]) if self._is_new and len(self._asked) > 1 else None
        if not meant:
            return ""
        memory, (found, hits) = self.place.memory, self._hits(self._asked[-2])
        speakers = (None, self.place.user, self.place.assistant)
        mine = (hit for hit in hits if hit.namespace == found.namespace and hit.episode.speaker in speakers)
        own = [hit for hit in mine if hit.episode.document_id is None]
        now = (hit.superseded_by or hit.episode for hit in own)
        if any(one.text == meant and one.state is EpisodeState.ACTIVE for one in now):  # the call is made again
            self._is_new = False
            return f"The memory was corrected already. Tell the user so.\nIt says now: {as_data(meant)}"
        hit = meant_by(memory, meant, [hit.episode.id for hit in own], self.place.also)
        if hit is None:
            return ""
        done = memory.correct(hit.episode.id, meant, principal=self.place.user)
        self._is_new = False  # what it says is remembered
        return f"{report_of(hit.episode.text, meant)}memory.undo({done.event_ids[0]!r})"

    def _hear(self, part: Json) -> str:
        part = json.loads(part) if isinstance(part, bytes) else part
        delta = field_of(part, "delta")
        choices: Sequence[Json] = field_of(part, "choices") or ()
        response = field_of(part, "response") or part
        last = [*(field_of(response, "output") or [None])][
            -1
        ]  # what is said to the user, or a tool's call, or a thought
        told = field_of(last, "content") if field_of(last, "role") == "assistant" else ""
        self._heard += [text_of(field_of(part, "content")), field_of(delta, "text") or "", text_of(told)]
        ends = {field_of(part, "stop_reason"), field_of(delta, "stop_reason"), field_of(response, "status")}
        ends.add(field_of(field_of(response, "incomplete_details"), "reason"))
        for one in choices:
            self._heard.append(text_of(field_of(field_of(one, "delta") or field_of(one, "message"), "content")))
            ends.add(field_of(one, "finish_reason"))
        self._is_whole |= bool(ends & _ENDS)
        self._is_one &= all(not field_of(one, "index") for one in choices)  # of several, which is read is not known
        return ""

    def _remember(self, who: str, text: str, now: datetime) -> str:
        said = storable(text)
        if said and self._asked:
            digest = sha256(f"{now.date()}\n{self._asked[0]}".encode("utf-8", "replace")).hexdigest()
            session = self.place.session or f"chat-{digest[:8]}"
            self.place.memory.remember_many([Statement(text=said, occurred_at=now, speaker=who, session=session)])
        return ""


def _safely(act: Callable[[], str]) -> str:
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - the chat goes on without the memory
        _LOG.warning("A chat call goes on without the memory: %s", type(error).__name__)
        return ""


def with_system(messages: Sequence[Json], told: str) -> list[Json]:
    """Return messages with one more behind those of the system, and in their role."""
    place = next((at for at, one in enumerate(messages) if field_of(one, "role") not in _SYSTEM), len(messages))
    role = field_of(messages[0], "role") if place else "system"
    return [*messages[:place], {"role": role, "content": told}, *messages[place:]]
