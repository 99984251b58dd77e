"""Cutting of the frameworks' documents: from a text, and metadata that may name a file, to chunks with metadata."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from evolore.domain.document import Chunk, ChunkTree, MediaType

if TYPE_CHECKING:
    from evolore.chunking.chunker import Chunker

_FILE_FIELDS = ("source", "file_path", "file_name")
_MARKDOWN_ENDINGS = frozenset({".md", ".markdown", ".mdown", ".mkd"})


def cut(chunker: Chunker, text: str, metadata: Mapping[str, object], media_type: MediaType | None) -> ChunkTree:
    """Cut a document of another framework.

    Args:
        chunker: What cuts it.
        text: The document.
        metadata: What the framework knows of it; the file it came from may be under ``source``, ``file_path`` or
            ``file_name``.
        media_type: How it is marked up; None to judge by the file's ending.
    """
    names = (metadata.get(field) for field in _FILE_FIELDS)
    source = next((str(name) for name in names if isinstance(name, (str, PurePath)) and str(name)), "")
    path = source
    if "://" in source:
        try:
            path = urlsplit(source).path
        except ValueError:  # no address after all
            path = source
    judged = MediaType.MARKDOWN if PurePath(path).suffix.lower() in _MARKDOWN_ENDINGS else MediaType.PLAIN
    return chunker.chunk(text, media_type=media_type or judged, source=source)


def chunk_metadata(chunk: Chunk) -> dict[str, str | int | float]:
    """Return what is known of a chunk as flat metadata, which every vector store can hold.

    Returns:
        ``outline`` and ``tier``; ``headings`` joined by ``" > "`` where there are any, ``gain_bits`` where it was
        weighed.
    """
    known: dict[str, str | int | float] = {"outline": str(chunk.outline), "tier": int(chunk.tier)}
    if chunk.heading_path:
        known["headings"] = " > ".join(chunk.heading_path)
    if chunk.gain_bits is not None:
        known["gain_bits"] = round(chunk.gain_bits, 3)
    return known
