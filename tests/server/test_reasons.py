"""What is stored in English is read in the language of a page."""

from __future__ import annotations

import ast
import html
import re
from html.parser import HTMLParser
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from fastapi.testclient import TestClient

from browser.sites import Site, begin, decide, decided, fill, waiting
from evolore.chunking.review import broken_note, hard_split_reason, hard_split_suggestion, whole_note
from evolore.chunking.review_replies import PassageVerdict
from evolore.domain.language import Language
from evolore.episodes.contradictions import conflict_reason, disagreement_reason, disagreement_suggestion
from evolore.evolution.edits import both_changed
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.languages import LANGUAGES
from evolore.server.memories import Memories
from evolore.server.pages.reasons import forms, plainly, worded
from evolore.text.word_files import read_words
from evolving.complaints import complained
from evolving.corrections import outdated
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI

    from evolore.server.house import House

OTHERS = ("ja", "zh")
_PART = re.compile(r"\{(\w+)\}")


def test_every_form_has_every_language_with_the_same_parts() -> None:
    seen: set[str] = set()
    for form in forms():
        assert form.keys() == LANGUAGES.keys()
        parts = _PART.findall(form["en"])
        assert len(set(parts)) == len(parts), form
        for text in form.values():
            assert text.strip()
            assert sorted(_PART.findall(text)) == sorted(parts), form
        assert form["en"] not in seen, "the second of two forms is never reached"
        seen.add(form["en"])


def test_a_reason_is_worded_with_what_it_names() -> None:
    told = worded("'7 days' became '10 <b>days', as docs/May.md says", "ja")
    assert told == "<bdi>docs/May.md</bdi> の記述に従い、<q>7 days</q> を <q>10 &lt;b&gt;days</q> に改めました"
    line = "claims: doubt: A denial is lost (not): Do not open it. (candidate, character 1,204)"
    assert plainly(line, "zh") == "论断：（存疑）否定丢失了（not）：Do not open it.（候选第 1,204 个字符）"
    assert plainly("refunds.md: original_stays, 2 candidates, 12 calls", "ja") == (
        "refunds.md：原文のまま、候補 2 件、呼び出し 12 回"
    )
    several = "no candidate could be made: nothing was found to improve; unusable reply: The model <said> so."
    assert plainly(several, "zh").endswith("没有发现可改进之处 ／ 回复无法使用：The model <said> so.")


def test_what_no_form_fits_is_shown_as_it_was_written() -> None:
    assert worded("Nobody <knows>", "ja") == '<span lang="en">Nobody &lt;knows&gt;</span>'
    assert worded("Nobody <knows>", "en") == "Nobody &lt;knows&gt;"
    assert worded("as the news says", "zh", is_ours=False) == "<bdi>as the news says</bdi>"
    assert worded("a" * 300, "zh", most=160, is_ours=False) == f"<bdi>{'a' * 159}…</bdi>"
    assert len(worded(f"it does not keep {'x; y: z ' * 400!r}", "ja", most=100)) < 300


_SPOKEN = ("evolution/gates/*", "evolution/policy", "evolution/fact_proof", "evolution/corrections", "evolution/mutation")
_SPOKEN += ("evolution/crossover", "evolution/edits", "flows/evolve/promote", "flows/evolve/proof", "flows/evolve/jobs")
_NAMES = frozenset({"reason", "why", "detail", "TRIPPED", "GONE", "MOVED"})
_SHORT = frozenset({"no operator is left", "an unnamed person", "is spelled out as", "another section of the document"})


def _sentences() -> Iterator[tuple[str, str]]:
    """Find what is said by the modules that say why, with a value in each place."""
    root = Path(str(files("evolore")))
    for path in (path for one in _SPOKEN for path in sorted(root.glob(f"{one}.py"))):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)):
                given = node.value
            elif isinstance(node, ast.keyword) and node.arg in _NAMES:
                given = node.value
            elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in _NAMES:
                given = node.value
            else:
                continue
            for text in _texts(given):
                if re.search(r"[a-z]+ [a-z]+ ", f"{text} ") and text not in _SHORT:
                    yield f"{path.name}:{node.lineno}", text


def _texts(node: ast.expr | None) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(
            str(one.value)
            if isinstance(one, ast.Constant)
            else "'date'"
            if cast("ast.FormattedValue", one).conversion == ord("r")
            else "date"
            for one in node.values
        )
    elif isinstance(node, ast.IfExp):
        yield from (*_texts(node.body), *_texts(node.orelse))
    elif isinstance(node, ast.BoolOp):
        yield from (text for one in node.values for text in _texts(one))
    elif isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        yield from _texts(node.elt)


def test_every_sentence_that_says_why_has_a_form() -> None:
    found = list(_sentences())
    assert len(found) > 80
    left = [one for one in found if "<span" in worded(one[1], "ja")]
    assert not left, "\n".join(map(str, left))
