"""Pages are written in plain words: the list in CONTRIBUTING.md holds for each of them."""

from __future__ import annotations

import re

import pytest

GENERATED = ("docs/cli/", "docs/python/", "docs/figures.md", "docs/settings.md", "CHANGELOG.md")
ROW = re.compile(r"^\| (`[^|]+`) \| ([^|]+) \|$", re.MULTILINE)
SHOWN = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
CLAUSE = re.compile(r"^#+ (?:What|Which|Who|Whose|Where|When|How)\b(?!.*\?$)", re.MULTILINE)


def listed(contributing: str) -> dict[str, str]:
    """Read the list: each word, and what is written instead."""
    rows = ROW.findall(contributing.partition("## Words")[2].partition("\n## ")[0])
    return {word: instead for words, instead in rows for word in re.findall(r"`([^`]+)`", words)}


def faults(page: str, words: dict[str, str]) -> list[str]:
    """Name the listed words of a page outside examples, and its headings that are clauses."""
    prose = SHOWN.sub(lambda found: "\n" * found[0].count("\n"), page)
    used = [
        f"line {prose[: found.start()].count(chr(10)) + 1}: {word}: write {instead}"
        for word, instead in words.items()
        for found in re.finditer(rf"\b{re.escape(word)}\b", prose, re.IGNORECASE)
    ]
    return used + [f"a clause as a heading: {found[0]}" for found in CLAUSE.finditer(prose)]


def test_pages_use_plain_words(pages: dict[str, str]) -> None:
    words = listed(pages["CONTRIBUTING.md"])
    assert len(words) > 20
    found = {name: faults(page, words) for name, page in pages.items() if not name.startswith(GENERATED)}
    assert {name: some for name, some in found.items() if some} == {}


@pytest.mark.parametrize("text", ["It stands here.", "# What it does", "Nobody is told."])
def test_a_listed_word_and_a_clause_are_found(pages: dict[str, str], text: str) -> None:
    assert faults(text, listed(pages["CONTRIBUTING.md"]))


@pytest.mark.parametrize("text", ["Write `stands` so.", "```text\nstands\n```", "# How good is it?", "It is here."])
def test_examples_and_questions_are_free(pages: dict[str, str], text: str) -> None:
    assert not faults(text, listed(pages["CONTRIBUTING.md"]))
