from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from docs.scripts import Examples

KINDS = ["Evolore", "Tutorials", "How to", "Reference", "Explanation"]
AN_OPTION = re.compile(r'\s*[a-zA-Z]\w*="[^"]*"')
"""What the site reads behind a block's language. Anything else breaks the block, and the headings behind it."""


@pytest.fixture(scope="module")
def site(root: Path) -> Mapping[str, object]:
    project = tomllib.loads((root / "zensical.toml").read_text(encoding="utf-8"))["project"]
    return cast("Mapping[str, object]", project)


def leaves(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        for below in cast("dict[str, object]", entry).values():
            yield from leaves(below)
    else:
        for below in cast("list[object]", entry):
            yield from leaves(below)


def test_every_page_stands_once_in_the_navigation(pages: dict[str, str], site: Mapping[str, object]) -> None:
    written = sorted(name.removeprefix("docs/") for name in pages if name.startswith("docs/"))
    assert sorted(leaves(site["nav"])) == written


def test_the_navigation_has_four_kinds(site: Mapping[str, object]) -> None:
    assert [name for entry in cast("list[dict[str, object]]", site["nav"]) for name in entry] == KINDS


def test_the_site_fetches_no_font(site: Mapping[str, object]) -> None:
    assert cast("Mapping[str, object]", site["theme"])["font"] is False


def test_no_page_links_out_of_the_site(pages: dict[str, str], root: Path) -> None:
    for name, page in pages.items():
        if name.startswith("docs/"):
            for target in re.findall(
                r"\]\((?!https?:)([^)#\s]+)", re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
            ):
                assert ((root / name).parent / target).resolve().is_relative_to(root / "docs"), f"{name}: {target}"


def test_blocks_are_written_as_the_site_reads_them(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        for more in re.findall(r"^```+\w+\b(.+)$", page, re.MULTILINE):
            assert AN_OPTION.fullmatch(more), f"{name}: {more}"


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_the_quickstarts_show_shell_and_python(pages: dict[str, str], examples: Examples, language: str) -> None:
    kinds = [block.kind for block in examples.blocks(pages[f"docs/quickstart.{language}.md"])]
    assert kinds.count("console") >= 5
    assert kinds.count("python") >= 2
