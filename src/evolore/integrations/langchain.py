"""The chunker as a LangChain ``TextSplitter``."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from evolore.chunking.chunker import Chunker
from evolore.errors import InvalidValue, MissingExtra
from evolore.integrations.cutting import chunk_metadata, cut

try:
    from langchain_core.documents import Document
    from langchain_text_splitters import TextSplitter
except ImportError as error:
    raise MissingExtra('LangChain is not installed: run pip install "evolore[langchain]".') from error

if TYPE_CHECKING:
    from evolore.chunking.settings import ChunkSettings
    from evolore.domain.document import MediaType
    from evolore.ports import Tokenizer


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

    def create_documents(
        self,
        texts: list[str],
        metadatas: list[dict[Any, Any]] | None = None,
    ) -> list[Document]:
        """Make a document of every piece of every text.

        Args:
            texts: The texts.
            metadatas: What is known of each, one for each text.

        Raises:
            InvalidValue: There are more or fewer metadata than texts.
        """
        known: list[dict[str, object]] = metadatas or [{} for _ in texts]
        if len(known) != len(texts):
            raise InvalidValue(f"metadatas has {len(known)} entries for {len(texts)} texts: give one for each.")
        return [piece for text, metadata in zip(texts, known, strict=True) for piece in self._pieces(text, metadata)]

    def _pieces(self, text: str, metadata: dict[str, object]) -> list[Document]:
        tree = cut(self._chunker, text, metadata, self._media_type)
        return [
            Document(
                page_content=leaf.span.of(text),
                metadata={**deepcopy(metadata), "start_index": leaf.span.start, **chunk_metadata(leaf)},
            )
            for leaf in tree.leaves
        ]
