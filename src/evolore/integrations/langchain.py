"""LangChain: the chunker as a ``TextSplitter``, the memory as a retriever and as a chat's history."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from copy import deepcopy
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field

from evolore.chunking.chunker import Chunker
from evolore.chunking.settings import ChunkSettings
from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.domain.filed import filed, hit_metadata, read_filed
from evolore.errors import InvalidValue, MissingExtra, NamespaceNotFound, NotFound
from evolore.integrations.cutting import chunk_metadata, cut
from evolore.memory import Memory
from evolore.ports import Tokenizer

try:
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
    from langchain_core.retrievers import BaseRetriever
    from langchain_text_splitters import TextSplitter
except ImportError as error:
    raise MissingExtra('LangChain is not installed: run pip install "evolore[langchain]".') from error

if TYPE_CHECKING:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun


class EvoloreTextSplitter(TextSplitter):
    """Splits LangChain documents where their logic turns.

    The pieces, joined, are the document: nothing is stripped, repeated or lost. Each carries the document's metadata
    and its own ``start_index``, ``outline``, ``tier``, and where there are any ``headings`` and ``gain_bits``.

    Args:
        settings: How documents are cut.
        media_type: How they are marked up; by default Markdown where the metadata's ``source`` ends so, else plain.
        tokenizer: What counts tokens, where sizes are in tokens.
    """

    def __init__(
        self,
        settings: ChunkSettings | None = None,
        *,
        media_type: MediaType | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self._chunker = Chunker(settings, tokenizer=tokenizer)
        self._media_type = media_type
        super().__init__(
            chunk_size=self._chunker.settings.max_size, chunk_overlap=0, add_start_index=True, strip_whitespace=False
        )

    def split_text(self, text: str) -> list[str]:
        """Split a text into pieces that are it, joined."""
        return [piece.page_content for piece in self.create_documents([text])]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """Make a document of every piece of every text.

        Args:
            texts: The texts.
            metadatas: What is known of each, one for each text.

        Raises:
            InvalidValue: There are more or fewer metadata than texts.
        """
        known: list[dict[str, object]] = metadatas or [{} for _ in texts]
        if len(known) != len(texts):
            raise InvalidValue(f"metadatas has {len(known)} entries for {len(texts)} texts: pass one for each.")
        return [piece for text, metadata in zip(texts, known, strict=True) for piece in self._pieces(text, metadata)]

    def _pieces(self, text: str, metadata: dict[str, object]) -> list[Document]:
        return [
            Document(
                page_content=leaf.span.of(text),
                metadata={**deepcopy(metadata), "start_index": leaf.span.start, **chunk_metadata(leaf)},
            )
            for leaf in cut(self._chunker, text, metadata, self._media_type).leaves
        ]


class EvoloreRetriever(BaseRetriever):
    """Finds what a memory holds about a question, as LangChain documents.

    Each document is a hit: its text, and under ``metadata`` its id, score, rank, citation, source or speaker, session,
    and time, and whether it is superseded or in conflict.

    Args:
        memory: The memory.
        k: How many to find at most, at least 1.
        options: What narrows the question, as ``Memory.recall`` takes it, such as ``{"tags": ["faq"]}``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory
    k: int = 5
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        del run_manager
        asked: dict[str, Any] = {"limit": self.k if k is None else k, **self.options}
        found = self.memory.recall(query, **asked)
        return [
            Document(id=hit.episode.id, page_content=hit.text, metadata=hit_metadata(hit, found)) for hit in found.shown
        ]


_MESSAGE, _TURN = "lc_message", "lc_turn"  # a correction keeps its turn


class EvoloreChatMessageHistory(BaseChatMessageHistory):
    """Keeps a chat's messages in a memory, where every later question finds them too.

    Each message is a statement of a session, said by its role or name; its other parts, such as tool calls, are kept
    beside it. What becomes of statements (merges, supersessions) changes nothing of the history.

    Args:
        memory: The memory.
        session: The conversation's name.
    """

    def __init__(self, memory: Memory, session: str) -> None:
        self.memory, self.session = memory, session

    @property
    def messages(self) -> list[BaseMessage]:  # pyright: ignore[reportIncompatibleVariableOverride] - a property there too
        """The messages, in their order."""
        kept = {one.metadata.get(_TURN, one.id): one for one in self.memory.outline.conversation(self.session)}
        read = (read_filed(_MESSAGE, one.metadata) for one in kept.values())
        return messages_from_dict([one for one in read if one is not None])

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Remember messages in their order, all or none."""
        self.memory.remember_many(
            Statement(
                text=str(one.text).strip() or f"({one.type})",
                speaker=one.name or one.type,
                session=self.session,
                metadata=filed(_MESSAGE, message_to_dict(one), what=f"A message of {one.type}") | {_TURN: token_hex(8)},
            )
            for one in messages
        )

    def clear(self) -> None:
        """Erase the conversation for good."""
        with suppress(NotFound, NamespaceNotFound):
            self.memory.forget(session=self.session)
