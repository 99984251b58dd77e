from __future__ import annotations

from hashlib import sha256

import pytest

from evolore.chunking.units import UnitKind, markdown_blocks
from evolore.domain.document import MediaType
from evolore.memory import Memory
from evolore.sources.shown_markdown import read_shown
from growth import assert_in_proportion

SHOWN = {
    "a heading in the middle": ('<h1 align="center">\n  Tea\n</h1>\n\nBoil.\n', "# Tea\n\nBoil.\n"),
    "a heading with text below": ("<h2 id=x>Tea</h2>\nBoil it.\n", "## Tea\n\nBoil it.\n"),
    "a heading with a picture": ('<h1><img src="a.png" alt="Tea"></h1>\n\nBoil.\n', "# Tea\n\nBoil.\n"),
    "below a paragraph": ("Before.\n<h3>Tea</h3>\n", "Before.\n\n### Tea\n"),
    "a table": (
        "<table>\n<tr><th>Tea</th><th>Price</th></tr>\n<tr><td>Sencha</td><td>12</td></tr>\n</table>\n",
        "| Tea | Price |\n| --- | --- |\n| Sencha | 12 |\n",
    ),
    "details": ("<details>\n<summary>More</summary>\n\nText.\n\n</details>\n", "More\n\nText.\n\n"),
    "remark on lines of its own": ("A.\n\n<!--\nhidden\n\nhidden\n-->\n\nB.\n", "A.\n\n\n\nB.\n"),
    "remark in a line": ("A <!-- hidden -->B.\n", "A B.\n"),
    "remark in an item": ("- A\n  <!-- hidden -->\n- B\n", "- A\n  \n- B\n"),
    "remark in a cell": ("| A<!-- hidden --> | B |\n|---|---|\n| 1 | 2 |\n", "| A | B |\n|---|---|\n| 1 | 2 |\n"),
}
KEPT = {
    "code": "```html\n<h1>Tea</h1>\n<!-- shown -->\n```\n",
    "indented code": "Text.\n\n    <h1>Tea</h1>\n",
    "a code span": "Use `<!-- x -->` or ``a ` <!-- y -->`` here.\n",
    "a name in brackets": "<your-name>\n\nand a < b > c.\n",
    "an address": "See <https://example.org>.\n",
    "code that HTML holds": "<details>\n```\na\nb\n```\n</details>\n",
    "no end": "Text <!-- goes on\n",
    "front matter": "---\ntitle: <b>Tea</b>\n---\nText.\n",
}


@pytest.mark.parametrize(("text", "wanted"), SHOWN.values(), ids=SHOWN)
def test_html_in_markdown_becomes_what_a_reader_sees(text: str, wanted: str) -> None:
    assert read_shown(text).text == wanted


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_is_no_html_stays_as_it_is(text: str) -> None:
    assert read_shown(text).text == text


@pytest.mark.parametrize("mark", ["`", "<!--", "<p>", "<!-- ` "])
def test_reading_html_in_markdown_takes_time_in_proportion(mark: str) -> None:
    assert_in_proportion(lambda times: read_shown(f"Text {mark * times}\n"), 10_000)


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
