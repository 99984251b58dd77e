"""LlamaIndex: the chunker as a ``NodeParser``, the memory as a retriever and as a chat's memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from secrets import token_hex
from typing import Any, Self, cast

from evolore.chunking.chunker import Chunker
from evolore.chunking.settings import ChunkSettings
from evolore.domain.document import Chunk, MediaType
from evolore.domain.episode import Statement
from evolore.domain.filed import filed, hit_metadata, read_filed
from evolore.errors import InvalidValue, MissingExtra, NamespaceNotFound, NotFound
from evolore.integrations.cutting import chunk_metadata, cut
from evolore.memory import Memory
from evolore.text.tokens import estimate_tokens

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.memory import BaseMemory
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.node_parser.node_utils import build_nodes_from_splits
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import MetadataMode, NodeRelationship, NodeWithScore, TextNode
    from llama_index.core.utils import get_tqdm_iterable  # pyright: ignore[reportUnknownVariableType] - half typed
except ImportError as error:
    raise MissingExtra('LlamaIndex is not installed: run pip install "evolore[llamaindex]".') from error

from llama_index.core.schema import BaseNode, Document, QueryBundle

_NOT_FOR_MODELS = ("outline", "tier", "gain_bits")


class EvoloreNodeParser(NodeParser):
    """Parses LlamaIndex documents into nodes, cut where their logic turns.

    The leaf nodes, joined, are the document. Each carries ``outline``, ``tier``, and where there are any ``headings``
    and ``gain_bits``; models are shown the headings alone. Offsets are exact.

    Args:
        settings: How documents are cut.
        media_type: How they are marked up; by default Markdown where the metadata's file name ends so, else plain.
        include_inner: Whether to return inner nodes too, each before its children, with parent and child
            relationships, as ``AutoMergingRetriever`` wants them. Embed the leaves alone (``get_leaf_nodes``).
        tokenizer: What counts tokens, where sizes are in tokens; it is not stored with the parser.
    """

    settings: ChunkSettings = Field(default_factory=ChunkSettings)
    media_type: MediaType | None = None
    include_inner: bool = False
    tokenizer: Any = Field(default=None, exclude=True)

    @classmethod
    def class_name(cls) -> str:
        """Return the name LlamaIndex stores it under."""
        return "EvoloreNodeParser"

    def _parse_nodes(
        self,
        nodes: Sequence[BaseNode],
        show_progress: bool = False,  # noqa: FBT001, FBT002 - LlamaIndex's signature
        **kwargs: Any,  # noqa: ANN401 - likewise
    ) -> list[BaseNode]:
        del kwargs
        chunker = Chunker(self.settings, tokenizer=self.tokenizer)
        wrapped = cast("Iterable[BaseNode]", get_tqdm_iterable(nodes, show_progress, "Parsing nodes"))
        return [made for node in wrapped for made in self._of_one(chunker, node)]

    def _of_one(self, chunker: Chunker, node: BaseNode) -> list[TextNode]:
        text = node.get_content(metadata_mode=MetadataMode.NONE)
        tree = cut(chunker, text, node.metadata, self.media_type)
        chunks = tree.chunks if self.include_inner else tree.leaves
        made = build_nodes_from_splits(
            [chunk.span.of(text) for chunk in chunks],
            node,
            id_func=self.id_func,  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] - likewise
        )
        for one, chunk in zip(made, chunks, strict=True):
            _describe(one, chunk)
        _relate({chunk.outline.parts: one for one, chunk in zip(made, chunks, strict=True)})
        return made

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        offsets = [(one.start_char_idx, one.end_char_idx) for one in nodes if isinstance(one, TextNode)]
        made = super()._postprocess_parsed_nodes(nodes, parent_doc_map)
        # It searches for each node's text and may find an earlier place that says the same; ours are known.
        for one, (start, end) in zip(made, offsets, strict=True):
            if isinstance(one, TextNode):
                one.start_char_idx, one.end_char_idx = start, end
        return made


def _describe(node: TextNode, chunk: Chunk) -> None:
    node.start_char_idx, node.end_char_idx = chunk.span.start, chunk.span.end
    node.metadata = dict(chunk_metadata(chunk))
    node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *_NOT_FOR_MODELS]
    node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, *_NOT_FOR_MODELS]


def _relate(by_code: dict[tuple[int, ...], TextNode]) -> None:
    """Link parents to their children and children to their parents, where both are there."""
    for code, node in by_code.items():
        parent = by_code.get(code[:-1])
        if parent is not None:
            node.relationships[NodeRelationship.PARENT] = parent.as_related_node_info()
            parent.relationships[NodeRelationship.CHILD] = [*(parent.child_nodes or []), node.as_related_node_info()]


class EvoloreRetriever(BaseRetriever):
    """Finds what a memory holds about a question, as LlamaIndex nodes with scores.

    Args:
        memory: The memory.
        similarity_top_k: How many to find at most, at least 1.
        options: What narrows the question, as ``Memory.recall`` takes it.
    """

    def __init__(
        self, memory: Memory, *, similarity_top_k: int = 5, options: dict[str, Any] | None = None, **named: object
    ) -> None:
        self._memory = memory
        self._options: dict[str, Any] = {"limit": similarity_top_k, **(options or {})}
        super().__init__(**cast("dict[str, Any]", named))  # pyright: ignore[reportUnknownMemberType] - half typed

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._memory.recall(query_bundle.query_str, **self._options)
        return [
            NodeWithScore(
                node=TextNode(id_=hit.episode.id, text=hit.text, metadata=hit_metadata(hit, found)), score=hit.score
            )
            for hit in found.shown
        ]


_MESSAGE, _TURN = "li_message", "li_turn"  # a correction keeps its turn


class EvoloreMemory(BaseMemory):
    """A chat's memory: the last messages as they were, and before them what is known about the new one.

    Each message is a statement of a session. ``get(input)`` returns a system message with what the memory knows about
    the input, where it knows anything, and the last messages that fit the budget beside it.

    Args:
        session: The conversation's name.
        tokens: What the messages may take, estimated, at least 1; a third of it is for what is known.
    """

    session: str
    tokens: int = 3000
    _memory: Memory = PrivateAttr()

    @classmethod
    def class_name(cls) -> str:
        """Return the name LlamaIndex stores it under."""
        return "EvoloreMemory"

    @classmethod
    def from_defaults(cls, memory: Memory | None = None, session: str = "chat", tokens: int = 3000) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride] - each kind takes its own
        """Make one over a memory.

        Raises:
            InvalidValue: There is no memory.
        """
        if memory is None:
            raise InvalidValue("memory is None: pass a Memory.")
        made = cls(session=session, tokens=tokens)
        made._memory = memory
        return made

    def get(self, input: str | None = None, **_more: object) -> list[ChatMessage]:  # noqa: A002 - LlamaIndex's name
        """Return the messages for a chat model beside the new one."""
        told: list[ChatMessage] = []
        left = self.tokens
        if input is not None and input.strip():
            found = self._memory.recall(input, tokens=max(1, self.tokens // 3))
            if found.hits:
                known = found.as_messages()[0]["content"]
                told, left = [ChatMessage(role=MessageRole.SYSTEM, content=known)], left - found.tokens
        last: list[ChatMessage] = []
        for message in reversed(self.get_all()):
            left -= estimate_tokens(message.content or "") + 1
            if left < 0 and last:
                break
            last.append(message)
        return [*told, *reversed(last)]

    def get_all(self) -> list[ChatMessage]:
        """Return every message of the conversation, in its order."""
        kept = {one.metadata.get(_TURN, one.id): one for one in self._memory.outline.conversation(self.session)}
        read = (read_filed(_MESSAGE, one.metadata) for one in kept.values())
        return [ChatMessage.model_validate(one) for one in read if one is not None]

    def put(self, message: ChatMessage) -> None:
        """Remember a message."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Remember messages in their order, all or none."""
        self._memory.remember_many(self._statements(messages))

    def _statements(self, messages: Iterable[ChatMessage]) -> Iterator[Statement]:
        for one in messages:
            message = filed(_MESSAGE, one.model_dump(mode="json"), what=f"A message of {one.role.value}")
            text = (one.content or "").strip() or f"({one.role.value})"
            metadata = message | {_TURN: token_hex(8)}
            yield Statement(text=text, speaker=one.role.value, session=self.session, metadata=metadata)

    def set(self, messages: list[ChatMessage]) -> None:
        """Replace the conversation by these messages; one that cannot be kept leaves it as it is."""
        statements = [*self._statements(messages)]
        self.reset()
        self._memory.remember_many(statements)

    def reset(self) -> None:
        """Erase the conversation for good."""
        with suppress(NotFound, NamespaceNotFound):
            self._memory.forget(session=self.session)
