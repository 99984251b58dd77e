"""The chunker as a LlamaIndex ``NodeParser``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from evolore.chunking.chunker import Chunker
from evolore.chunking.settings import ChunkSettings
from evolore.domain.document import MediaType  # noqa: TC001 - pydantic reads the field
from evolore.errors import MissingExtra
from evolore.integrations.cutting import chunk_metadata, cut

try:
    from llama_index.core.bridge.pydantic import Field
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.node_parser.node_utils import build_nodes_from_splits
    from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, TextNode
    from llama_index.core.utils import get_tqdm_iterable  # pyright: ignore[reportUnknownVariableType] - half typed
except ImportError as error:
    raise MissingExtra('LlamaIndex is not installed: run pip install "evolore[llamaindex]".') from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llama_index.core.schema import Document

    from evolore.domain.document import Chunk

_NOT_FOR_MODELS = ("outline", "tier", "gain_bits")


class EvoloreNodeParser(NodeParser):
    """Parses LlamaIndex documents into nodes, cut where their logic turns.

    The leaf nodes, joined, are the document. Each carries ``outline``, ``tier``, and where there are any ``headings``
    and ``gain_bits``; models are shown the headings alone. Offsets are exact.

    Args:
        settings: How documents are cut.
        media_type: How they are marked up; by default Markdown where the metadata's file name ends so, else plain.
        include_inner: Whether to give inner nodes too, each before its children, with parent and child
            relationships, as ``AutoMergingRetriever`` wants them. Embed the leaves alone (``get_leaf_nodes``).
        tokenizer: What counts tokens, where sizes are in tokens; it is not stored with the parser.
    """

    settings: ChunkSettings = Field(default_factory=ChunkSettings)
    media_type: MediaType | None = None
    include_inner: bool = False
    tokenizer: Any = Field(default=None, exclude=True)

    @classmethod
    def class_name(cls) -> str:
        """Give the name LlamaIndex stores it under."""
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
    """Tell parents of their children and children of their parents, where both are there."""
    for code, node in by_code.items():
        parent = by_code.get(code[:-1])
        if parent is not None:
            node.relationships[NodeRelationship.PARENT] = parent.as_related_node_info()
            parent.relationships[NodeRelationship.CHILD] = [
                *(parent.child_nodes or []),
                node.as_related_node_info(),
            ]
