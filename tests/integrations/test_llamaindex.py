"""The chunker where LlamaIndex expects a node parser."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.schema import Document, MetadataMode, NodeRelationship, TextNode

from evolore import ChunkSettings
from evolore.chunking.chunker import Chunker
from evolore.domain.document import MediaType
from evolore.integrations.llamaindex import EvoloreNodeParser

SMALL = ChunkSettings(target_size=200, max_size=400, min_size=40)
GUIDE = "# Guide\n\nRead it first.\n\n" + "".join(
    f"## Part {part}\n\n" + "".join(f"Sentence {line} of part {part} says a thing. " for line in range(20)) + "\n\n"
    for part in "abc"
)


@given(
    st.lists(
        st.sampled_from(["A sentence. ", "第二の文。", "三句。", "\n\n", "# H\n\n", "- item\n", "x" * 500]), max_size=40
    )
)
def test_the_leaves_joined_are_the_document_and_their_offsets_exact(parts: list[str]) -> None:
    text = "".join(parts)
    nodes = EvoloreNodeParser(settings=SMALL, include_inner=True).get_nodes_from_documents([Document(text=text)])
    assert "".join(node.get_content(MetadataMode.NONE) for node in get_leaf_nodes(nodes)) == text
    for node in nodes:
        assert isinstance(node, TextNode)
        assert text[node.start_char_idx : node.end_char_idx] == node.text


def test_inner_nodes_hold_their_children() -> None:
    document = Document(text=GUIDE, metadata={"file_name": "guide.md", "owner": "Mika"})
    nodes = EvoloreNodeParser(settings=SMALL, include_inner=True).get_nodes_from_documents([document])
    tree = Chunker(SMALL).chunk(GUIDE, media_type=MediaType.MARKDOWN)
    assert [node.metadata["outline"] for node in nodes] == [str(chunk.outline) for chunk in tree.chunks]
    by_id = {node.node_id: node for node in nodes}
    inner = [node for node in nodes if NodeRelationship.CHILD in node.relationships]
    assert len(inner) == len(tree.chunks) - len(tree.leaves) > 0
    for node in inner:
        children = [by_id[child.node_id] for child in node.child_nodes or []]
        assert "".join(child.get_content(MetadataMode.NONE) for child in children) == node.get_content(
            MetadataMode.NONE
        )
        assert all(child.parent_node is not None and child.parent_node.node_id == node.node_id for child in children)


def test_leaves_follow_each_other_and_keep_the_documents_metadata() -> None:
    document = Document(text=GUIDE, metadata={"file_name": "guide.md", "owner": "Mika"})
    nodes = IngestionPipeline(transformations=[EvoloreNodeParser(settings=SMALL)]).run(documents=[document])
    assert "".join(node.get_content(MetadataMode.NONE) for node in nodes) == GUIDE
    assert all(node.metadata["owner"] == "Mika" for node in nodes)
    assert all(node.ref_doc_id == document.doc_id for node in nodes)
    first, second = nodes[:2]
    assert first.next_node is not None
    assert first.next_node.node_id == second.node_id


def test_models_are_shown_headings_and_no_numbers() -> None:
    document = Document(text=GUIDE, metadata={"file_name": "guide.md"})
    nodes = EvoloreNodeParser(settings=SMALL).get_nodes_from_documents([document])
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        shown = nodes[-1].get_content(mode)
        assert "headings: Guide > Part c" in shown
        assert "outline" not in shown
        assert "tier" not in shown


def test_its_settings_survive_being_stored() -> None:
    parser = EvoloreNodeParser(settings=SMALL, include_inner=True)
    stored = parser.to_dict()
    del stored["id_func"]  # LlamaIndex writes its name and cannot read it, of its own parsers neither
    restored = EvoloreNodeParser.from_dict(stored)
    assert (restored.settings, restored.include_inner) == (SMALL, True)
