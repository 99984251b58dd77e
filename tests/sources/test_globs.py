from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from evolore.errors import InvalidValue
from evolore.ports import PathFilter
from evolore.sources.files import takes


@pytest.mark.parametrize(
    ("pattern", "taken", "left"),
    [
        ("*.md", ["a.md", "b/c.md", ".md"], ["a.mdx", "a.md.txt"]),
        ("/*.md", ["a.md"], ["b/a.md"]),
        ("guides/*.md", ["guides/a.md"], ["guides/b/a.md", "old/guides/a.md"]),
        ("guides/**/*.md", ["guides/a.md", "guides/b/c/a.md"], ["a.md"]),
        ("drafts", ["drafts/a.md", "b/drafts/c/d.md", "drafts"], ["draft/a.md", "drafts2/a.md"]),
        ("drafts/", ["drafts/a.md", "b/drafts/a.md"], ["draft.md"]),
        ("./b/**", ["b/a.md", "b/c/d.md"], ["c/a.md"]),
        ("chapter-?.md", ["chapter-1.md", "x/chapter-é.md"], ["chapter-10.md", "chapter-/.md"]),
        ("[ab]*.md", ["a.md", "bc.md"], ["c.md"]),
        ("[!a]*.md", ["b.md"], ["a.md"]),
        ("[0-9].md", ["7.md"], ["a.md", "-.md"]),
        ("a+(b).md", ["a+(b).md"], ["aab.md"]),
        ("[", ["["], ["a"]),
        ("日本*", ["日本語.md", "x/日本/a.md"], ["中国.md"]),
        ("README.MD", ["README.MD"], ["readme.md"]),
    ],
)
def test_a_pattern_takes_what_it_says(pattern: str, taken: list[str], left: list[str]) -> None:
    where = PathFilter(include=(pattern,))
    assert [path for path in taken if not takes(where, PurePosixPath(path))] == []
    assert [path for path in left if takes(where, PurePosixPath(path))] == []
    without = PathFilter(exclude=(pattern,))
    assert not any(takes(without, PurePosixPath(path)) for path in taken)
    assert all(takes(without, PurePosixPath(path)) for path in left)


def test_what_is_left_out_is_left_out_though_it_is_included() -> None:
    where = PathFilter(include=("*.md", "*.txt"), exclude=("old",))
    assert [path for path in ("a.md", "b.txt", "c.html", "old/a.md") if takes(where, PurePosixPath(path))] == [
        "a.md",
        "b.txt",
    ]


def test_a_blank_pattern_is_refused() -> None:
    with pytest.raises(InvalidValue, match="pattern is blank"):
        PathFilter(exclude=(" ",))
