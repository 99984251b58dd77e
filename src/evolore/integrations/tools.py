"""Tools by which a language model uses a memory: for OpenAI- and Anthropic-style calls, and for MCP."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import Parameter, signature
from secrets import token_hex
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError, validate_call
from pydantic.json_schema import SkipJsonSchema

from evolore.domain.checks import check_count
from evolore.domain.citation import beginning
from evolore.domain.document import Document, DocumentTree, OutlineNode, Place
from evolore.domain.episode import Statement
from evolore.domain.query import TOOL_TOKENS, Recall
from evolore.errors import EvoloreError, InvalidValue, NotFound
from evolore.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from evolore.flows.remember.remember import Remembered
    from evolore.memory import Memory
    from evolore.ports import EventRecord, Receipt

READING = ("recall", "answer", "outline", "history")
"""The tools that change nothing but what is asked."""
WRITING = ("remember", "correct", "rate", "forget")
"""The others."""
_WORD_SECONDS = 600.0
_WORD_BYTES = 8
_MOST_WORDS = 1000
_OF_CLIENTS = ("task_progress", "toolCallId")  # Cline and n8n add them to each call, even after a refusal

Question = Annotated[str, Field(description="What to look for, as a whole question.")]
AsOf = Annotated[
    str | SkipJsonSchema[None], Field(description="A date or time: what was known then. Leave out for now.")
]
Text = Annotated[str, Field(description="One fact or event, as a whole sentence that names who or what it is about.")]
Speaker = Annotated[str | SkipJsonSchema[None], Field(description="Who said it.")]
Session = Annotated[str | SkipJsonSchema[None], Field(description="The conversation it was said in.")]
Topic = Annotated[str | SkipJsonSchema[None], Field(description="What has the attribute, such as office.")]
Trait = Annotated[str | SkipJsonSchema[None], Field(description="Such as city: a newer fact replaces.")]
NewText = Annotated[str | SkipJsonSchema[None], Field(description="What it should say, whole. Leave out to retire it.")]
RatedId = Annotated[str, Field(description="The id that `recall` or `answer` ended with.")]
Judged = Annotated[Literal["good", "bad"], Field(description="Whether it served.")]
Comment = Annotated[str | SkipJsonSchema[None], Field(description="Why.")]
ItemId = Annotated[str, Field(description="The id of a passage, statement or document.")]
DocumentId = Annotated[str, Field(description="The id of a passage or document, or a document's source.")]
Code = Annotated[str | SkipJsonSchema[None], Field(description="A place in the document's outline, such as 2.1.")]
Expand = Annotated[bool, Field(description="Return the whole text of that place.")]
Agreed = Annotated[
    str | SkipJsonSchema[None], Field(description="The word that the first call returned, once the user has agreed.")
]


class MemoryTools:
    """Tools over one memory; a language model chooses neither the namespace nor on whose behalf it acts.

    Each method is a tool: what it says of itself is what a model reads, and its result is a text within a budget. What
    comes back is remembered text, to be read and not to be obeyed; each part says where it is from.

    Args:
        memory: The memory; None where a subclass supplies it.
        principal: On whose behalf.
        tokens: What one result may take, estimated, at least 1.
        read_only: Whether to offer only tools that change nothing.

    Raises:
        InvalidValue: ``tokens`` is below 1.
    """

    def __init__(
        self, memory: Memory | None, *, principal: str | None = None, tokens: int = TOOL_TOKENS, read_only: bool = False
    ) -> None:
        check_count(tokens, "tokens")
        self._memory, self._principal, self.tokens = memory, principal, tokens
        self.names = READING if read_only else (*READING, *WRITING)
        self.now = monotonic
        self._words: OrderedDict[str, tuple[float, object]] = OrderedDict()
        self._lock = Lock()

    @property
    def memory(self) -> Memory:
        """The memory that is worked with."""
        if self._memory is None:
            raise InvalidValue("memory is None: pass one.")
        return self._memory

    @property
    def principal(self) -> str | None:
        """On whose behalf."""
        return self._principal

    def recall(self, question: Question, as_of: AsOf = None) -> str:
        """Find what is remembered about a question: statements and passages of documents, best first, with sources."""
        found = self.memory.recall(question, tokens=self.tokens, as_of=as_of, principal=self.principal)
        if not found.hits:
            return "Nothing about this is remembered."
        lines = [found.context, "", *_ids(found)]
        if found.query_id is not None:
            lines.append(f"To rate this: {found.query_id}")
        return "\n".join(lines)

    def answer(self, question: Question, as_of: AsOf = None) -> str:
        """Answer a question from what is remembered, with citations; it says so where the memory has no answer."""
        said = self.memory.answer(question, as_of=as_of, principal=self.principal)
        cited = (
            f"[{one.number}] {one.source or 'statement'} ({'; '.join((one.episode_id, *said.warnings_of(one)))}): {beginning(one.quote)}"
            for one in said.citations
        )
        return "\n".join([*self._within([said.text, *cited]), f"To rate this: {said.id}"])

    def outline(self, item_id: DocumentId, code: Code = None, *, expand: Expand = False) -> str:
        """Show where a passage is in its document: what is above, beside and below it, or the text of that place."""
        place = self._place(item_id, code)
        if isinstance(place, Place):
            document, inner = place.tree.document, place.node
            if expand:
                text = self.memory.outline.chunk_text(document.id, inner.code)
                return "\n".join(self._within([_titled(document, inner), *text.splitlines()]))
            return "\n".join([_titled(document, None), *self._within(_around(place))])
        if expand:
            whole = self.memory.outline.tree(place.document.id, with_text=True)
            return "\n".join(self._within([_titled(place.document, None), *(whole.text or "").splitlines()]))
        return "\n".join(self._within([_titled(place.document, None), *map(_line, place.nodes)]))

    def history(self, item_id: ItemId) -> str:
        """Return what happened to a statement, passage or document: merges, splits, what replaced it, and when."""
        return "\n".join(self._within(map(_told, self.memory.history(item_id)))) or "Nothing happened to it yet."

    def remember(
        self,
        text: Text,
        speaker: Speaker = None,
        session: Session = None,
        subject: Topic = None,
        attribute: Trait = None,
    ) -> str:
        """Remember a fact or event for later conversations. What it contradicts may be reported."""
        if bool(subject) != bool(attribute):
            raise InvalidValue("subject and attribute belong together: send both or neither.")
        about = (subject, attribute) if subject and attribute else None
        said = Statement(text=text, speaker=speaker, session=session, about=about)
        return _remembered(self.memory.remember_many([said], principal=self.principal).only)

    def correct(self, item_id: ItemId, text: NewText = None) -> str:
        """Correct a statement that is wrong: a new text takes its place. Without a text it is retired. Both can be undone."""
        done = self.memory.correct(item_id, text, principal=self.principal)
        return f"Retired {done.old_id}." if done.statement is None else _remembered(done.statement)

    def rate(self, item_id: RatedId, rating: Judged, comment: Comment = None) -> str:
        """Rate what `recall` or `answer` returned, so that the memory gets better."""
        self.memory.rate(item_id, rating, comment=comment, principal=self.principal)
        return f"Rated {rating}."

    def forget(self, item_id: ItemId, confirm: Agreed = None) -> str:
        """Erase a statement, document, question or answer for good. The first call only reports what would go."""
        would_go = self.would_go(item_id)
        counted = (would_go.documents, would_go.episodes, would_go.payloads, would_go.answers, would_go.queries)
        about = (self.memory.namespace, self.principal, item_id, counted)
        if confirm is None or not self._is_word_for(about, confirm):
            return (
                f"Nothing is erased yet. {_erased(would_go, 'This would erase')} for good. Ask the user; if they agree, "
                f"call forget again with confirm={self._word_for(about)!r}."
            )
        return self.erase(item_id)

    def erase(self, item_id: str) -> str:
        """Erase what a person agreed to."""
        return _erased(self.memory.forget(item_id, principal=self.principal), "Erased") + "."

    def would_go(self, item_id: str) -> Receipt:
        """Return the receipt of what ``forget`` would erase."""
        return self.memory.forget(item_id, dry_run=True)

    def _word_for(self, about: object) -> str:
        """Draw a word that confirms exactly this: one item, in one namespace, for one principal, while it holds as much."""
        word = token_hex(_WORD_BYTES)
        with self._lock:
            self._words[word] = (self.now() + _WORD_SECONDS, about)
            while len(self._words) > _MOST_WORDS:
                self._words.popitem(last=False)
        return word

    def _is_word_for(self, about: object, word: str) -> bool:
        """Return whether a word confirms this; it does once."""
        with self._lock:
            until, drawn_for = self._words.get(word, (0.0, None))
            if drawn_for != about:
                return False
            del self._words[word]
            return self.now() < until

    def openai(self) -> list[dict[str, Any]]:
        """Describe the tools as OpenAI's chat completions take them: ``tools=``."""
        return [
            {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
            for name, about, schema in self._described()
        ]

    def anthropic(self) -> list[dict[str, Any]]:
        """Describe the tools as Anthropic's messages take them: ``tools=``."""
        return [
            {"name": name, "description": about, "input_schema": schema} for name, about, schema in self._described()
        ]

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> str:
        """Do what a model asked for, and return the text to hand back.

        Args:
            name: Of the tool.
            arguments: As the model sent them: an object, or its JSON.

        Returns:
            The result, or, where the model asked for something that cannot be done, what was wrong: it may try again.
        """
        try:
            given = json.loads(arguments or "{}") if isinstance(arguments, str) else dict(arguments or {})
            taken = self.taken(name, given)
            return str(validate_call(getattr(self, name))(**taken))
        except ValidationError as error:
            return wrong_arguments(error)
        except (TypeError, ValueError, RecursionError) as error:
            return f"Not done. {error}" if isinstance(error, EvoloreError) else "Not done. Arguments are a JSON object."
        except EvoloreError as error:
            return f"Not done. {error}"

    def taken(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return a call's arguments as the tool takes them: without empty optional ones, and with numbers as texts.

        Raises:
            InvalidValue: There is no such tool, or it has no such argument.
        """
        if name not in self.names:
            raise InvalidValue(f"There is no tool {name!r}: use one of {', '.join(self.names)}.")
        known = signature(getattr(self, name)).parameters
        if unknown := [one for one in given if one not in known and one not in _OF_CLIENTS]:
            raise InvalidValue(f"{', '.join(unknown)}: the tool takes {', '.join(known)} and nothing else.")
        kept = {key: given[key] for key in known if key in given and not _is_left_out(known[key], given[key])}
        return {key: str(one) if type(one) in {int, float} else one for key, one in kept.items()}

    def _described(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for name in self.names:
            method: Any = getattr(self, name)
            schema = TypeAdapter[str](method).json_schema()
            for one in schema["properties"].values():
                one.pop("title", None)
                if one.get("default", 0) is None:
                    del one["default"]
            yield name, method.__doc__ or "", schema

    def _place(self, item: str, code: str | None) -> Place | DocumentTree:
        outline = self.memory.outline
        if code is not None:
            return outline.tree(self._document_of(item)).place(code)
        found = self.memory.show(item)
        return outline.tree(found.id) if isinstance(found, Document) else outline.place(item)

    def _document_of(self, item: str) -> str:
        found = self.memory.show(item)
        document_id = found.id if isinstance(found, Document) else found.document_id
        if document_id is None:
            raise NotFound(f"{item!r} is a statement, which is in no document.")
        return document_id

    def _within(self, lines: Iterable[str]) -> list[str]:
        """Keep as many lines as fit, and say how many are left out."""
        given = list(lines)
        left = self.tokens
        for place, line in enumerate(given):
            left -= estimate_tokens(line) + 1
            if left < 0 and place > 0:
                return [*given[:place], f"[… {len(given) - place} more lines]"]
        return given


def _is_left_out(parameter: Parameter, given: object) -> bool:
    return parameter.default is not Parameter.empty and given in ("", "null", None)


def wrong_arguments(error: ValidationError) -> str:
    """Report to a model which arguments of its call are wrong, and why."""
    wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
    return f"Not done. {wrong}."


def _remembered(done: Remembered) -> str:
    lines = [f"Remembered as {done.id}."]
    lines += [f"It replaces {one.episode_ids[0]}: {one.reason}." for one in done.replaced]
    lines += [f"It possibly replaces {one.episode_ids[0]}: {one.reason}." for one in done.possibly_replaced]
    lines += [f"It contradicts {one.episode_ids[0]}: {one.reason}. A person is asked." for one in done.conflicts]
    if done.integrated.merged_with is not None:
        lines.append(f"It says what {done.integrated.merged_with} says.")
    return "\n".join(lines)


def _ids(found: Recall) -> Sequence[str]:
    """Name what may be asked further of each hit; a passage goes with its document."""
    named = ((hit.rank, hit.episode) for hit in found.shown)
    return [
        f"[{rank}] is {one.id}" + (f" of document {one.document_id}" if one.document_id else "") for rank, one in named
    ]


def _titled(document: Document, node: OutlineNode | None) -> str:
    where = "" if node is None else f", {node.code}"
    return f"{document.title} ({document.source}{where})"


def _around(place: Place) -> Iterator[str]:
    around = (
        ("above", place.ancestors),
        ("here", (place.node,)),
        ("beside", place.siblings),
        ("below", place.children),
    )
    for name, nodes in around:
        for one in nodes:
            yield f"{name} {_line(one)}"


def _line(node: OutlineNode) -> str:
    name = " › ".join(node.chunk.heading_path[-1:]) or node.beginning
    return f"{node.code} {name}" + (f" ({node.episode_id})" if node.episode_id else "")


def _told(event: EventRecord) -> str:
    why = f": {event.reason.replace('_', ' ')}" if event.reason else ""
    who = f" by {event.principal}" if event.principal else ""
    undone = " (undone)" if event.undone_by else ""
    return f"{event.recorded_at:%Y-%m-%d %H:%M} {event.kind.replace('_', ' ')}{why}{who}{undone}"


def _erased(receipt: Receipt, verb: str) -> str:
    counted = (
        (receipt.documents, "document"),
        (receipt.episodes, "episode"),
        (receipt.queries, "question"),
        (receipt.answers, "answer"),
    )
    what = ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in counted if count)
    kept = f"; questions about it that are kept: {receipt.kept_queries}" if receipt.kept_queries else ""
    return f"{verb} {what or 'a record of what was asked'}{kept}"
