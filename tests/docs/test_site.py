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

STEP = re.compile(r"evolore|add|recall|answer|remember|rate|list|history|undo|forget|--[a-z-]+")
"""What a command of the quickstart is, without what it is told in words."""


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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("forget a person's data", ["forget", "a", "person's", "data"]),
        ("検索、探す", ["検", "索", "探", "す"]),
        ("知识库", ["知", "识", "库"]),
        ("Evoloreの設定", ["Evolore", "の", "設", "定"]),
    ],
)
def test_the_search_divides_texts_of_three_languages(site: Mapping[str, object], text: str, words: list[str]) -> None:
    plugins = cast("Mapping[str, Mapping[str, str]]", site["plugins"])
    assert [part for part in re.split(plugins["search"]["separator"], text) if part] == words


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


def steps(page: str, examples: Examples) -> list[object]:
    """Each block of a page: its kind, the file it is written to, and its commands without what is said in words."""
    return [
        (block.kind, block.file, [[word for word in line.split() if STEP.fullmatch(word)] for line in block.commands])
        for block in examples.blocks(page)
    ]


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_the_quickstarts_have_the_same_steps(pages: dict[str, str], examples: Examples, language: str) -> None:
    english, other = (steps(pages[f"docs/quickstart{name}.md"], examples) for name in ("", f".{language}"))
    assert english == other


def test_what_is_compared_of_a_step_is_no_words(examples: Examples) -> None:
    page = '```console\n$ evolore recall "who is there?" --limit 1\n```\n'
    assert steps(page, examples) == [("console", "", [["evolore", "recall", "--limit"]])]
