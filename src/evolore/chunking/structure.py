"""The blocks of a document: what Markdown says about its structure, with character offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evolore.chunking.units import Block, UnitKind
from evolore.text.sections import block_tokens, line_starts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

_KINDS: Final = {
    "front_matter": UnitKind.FRONT_MATTER,
    "fence": UnitKind.CODE,
    "code_block": UnitKind.CODE,
    "html_block": UnitKind.CODE,
    "tr_open": UnitKind.TABLE_ROW,
    "paragraph_open": UnitKind.SENTENCE,
    "hr": UnitKind.SENTENCE,
}


def markdown_blocks(text: str, *, is_beginning: bool = True, fence: str = "") -> list[Block]:
    """Read the blocks of a Markdown document.

    Args:
        text: The document, or a part of it; not empty.
        is_beginning: Whether the document begins here, so that there may be front matter.
        fence: The mark of the listing that the text begins inside of, where it is such a part.

    Returns:
        Blocks in text order, the first at 0. Markers, indents and blank lines belong to the block they stand before
        or, at its end, behind. Headings inside quotes and lists open no section and are read as sentences.
    """
    starts = line_starts(text)
    blocks: list[Block] = []
    if fence:
        # The parser is shown the line that opened the listing; the text begins after it.
        starts = [0, *starts]
        text = f"{fence}\n{text}"
    for line, block in _blocks_by_line(block_tokens(text, is_beginning=is_beginning), starts):
        if not blocks:
            blocks.append(Block(start=0, kind=block.kind, level=block.level, title=block.title))
        elif starts[line] > blocks[-1].start:
            blocks.append(block)
    return blocks or [Block(start=0, kind=UnitKind.SENTENCE)]


def _blocks_by_line(tokens: list[Token], starts: list[int]) -> Iterator[tuple[int, Block]]:
    lists = 0
    rows = 0
    for index, token in enumerate(tokens):
        lists += token.nesting if token.type.startswith("list_item") else 0
        rows = 0 if token.type == "table_open" else rows + (token.type == "tr_open")
        if token.map is None:
            continue
        line = token.map[0]
        if token.type == "heading_open":
            yield line, _heading(token, tokens[index + 1].content, starts[line])
        elif token.type in _KINDS:
            kind = UnitKind.LIST_ITEM if lists and token.type == "paragraph_open" else _KINDS[token.type]
            yield line, Block(start=starts[line], kind=kind, is_table_body=token.type == "tr_open" and rows > 1)


def _heading(token: Token, content: str, start: int) -> Block:
    if token.level:
        return Block(start=start, kind=UnitKind.SENTENCE)
    return Block(start=start, kind=UnitKind.HEADING, level=int(token.tag[1:]), title=content.strip())
