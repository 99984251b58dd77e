from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from docs.scripts import Examples
    from evolore.models.use import UseEmbedder

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if path.name == "async.md" or not path.relative_to(ROOT).as_posix().startswith(("docs/cli", "docs/python"))
)


@pytest.mark.parametrize("name", NAMES)
def test_examples_run_and_print_what_the_page_shows(name: str, examples: Examples, embedder: UseEmbedder) -> None:
    for block, printed in examples.run((ROOT / name).read_text(encoding="utf-8"), embedder):
        if not examples.is_same(block.body, printed):
            assert block.body == printed, f"run: python docs/generate_output.py {name}"


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("2 passages. 0.9 s.\n", "2 passages. 1.4 s.\n", True),
        ("1 added.\n", "7 of 10 documents, 35.2 kB of 43.6 kB, 0:00:02 left; now faq.html\n1 added.\n", True),
        ("score 3.19\n", "score 3.21\n", True),
        ("score 3.19\n", "score 4.19\n", False),
        ("2 passages\n", "3 passages\n", False),
    ],
)
def test_only_seconds_and_last_digits_may_differ(examples: Examples, shown: str, printed: str, *, same: bool) -> None:
    assert examples.is_same(shown, printed) is same


def test_no_example_names_an_id_that_is_gone(pages: dict[str, str]) -> None:
    stale = "Nothing here has the id '01"
    assert not [name for name, page in pages.items() if stale in page], "write the id that the page itself prints"


def test_the_quickstart_shows_shell_and_python(examples: Examples, pages: dict[str, str]) -> None:
    kinds = [block.kind for block in examples.blocks(pages["docs/quickstart.md"])]
    assert kinds.count("console") >= 5
    assert kinds.count("python") >= 2
