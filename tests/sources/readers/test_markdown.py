from __future__ import annotations

from hashlib import sha256

import pytest

from evolore.chunking.units import UnitKind, markdown_blocks
from evolore.domain.document import MediaType
from evolore.memory import Memory

HEADINGS = {
    "# Pump manual {#top .unnumbered}": "Pump manual",
    '## Priming {.warn data-x="1"}': "Priming",
    "## Notes {-}": "Notes",
    "## Steps {: .no_toc }": "Steps",
    "### **Danger** of *freezing* #": "Danger of freezing",
    "## [Spare parts](https://example.org/parts)": "Spare parts",
    "## The `add_all` command": "The add_all command",
    "## 5 * 3 \\# R&amp;D <a id='x'></a>": "5 * 3 # R&D",
    "## Sets {a, b}": "Sets {a, b}",
    "## {{ title }}": "{{ title }}",
    "## snake_case_name": "snake_case_name",
    "## ![](logo.png)": "![](logo.png)",
}


@pytest.mark.parametrize(("line", "title"), HEADINGS.items())
def test_a_heading_stands_above_passages_in_plain_words(line: str, title: str) -> None:
    blocks = markdown_blocks(f"{line}\n\nText.\n")
    assert [block.title for block in blocks if block.kind is UnitKind.HEADING] == [title]


@pytest.mark.parametrize("text", ["\ufeff# Tea", "\ufeffTea\n===", "\ufeff---\ntitle: Tea\n---\n"])
def test_a_byte_order_mark_is_no_part_of_a_text_at_hand(memory: Memory, text: str) -> None:
    document = memory.add_text(text, source="a", media_type=MediaType.MARKDOWN)
    assert document.content_sha256 == sha256(text[1:].encode()).hexdigest()
