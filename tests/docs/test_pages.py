from __future__ import annotations

import re
from typing import TYPE_CHECKING

import evolore
from evolore.recall.ranking import Term

if TYPE_CHECKING:
    from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
OF_A_MACHINE = re.compile(r"/(?:work|root|tmp|usr|mnt|opt|Users)/|/home/(?!mika\b)|[A-Z]:\\\\|\blocalhost\b")
HOST = re.compile(r"https?://([\w.-]+)")
KNOWN_HOSTS = {
    *("keepachangelog.com", "semver.org"),
    *("127.0.0.1", "api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com"),
}
MUST_BE_NAMED = (
    *("store", "namespace", "document", "chunk", "leaf", "outline code", "span", "boundary", "tier", "hard split"),
    *("review item", "review queue", "episode", "statement", "session", "speaker", "confidence", "arousal", "recall"),
    *("query", "hit", "score", "score term", "neighbour", "payload", "event", "receipt", "index log", "merge", "split"),
    *(
        "context entropy",
        "conflict",
        "contradiction",
        "insight",
        "query edge",
        "decay",
        "cost",
        "mutation",
        "crossover",
    ),
    *("candidate", "winner", "generation", "pairwise comparison", "match", "intent", "judge", "forget", "embedder"),
)


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_the_first_thirty_lines_name_both_commands_and_show_their_output(pages: dict[str, str]) -> None:
    first = pages["README.md"].splitlines()[:30]
    for command in ("make demo", "make test"):
        assert f"$ {command}" in first
        assert first[first.index(f"$ {command}") + 1].strip("` "), f"{command} shows no output"


def test_links_between_pages_resolve(pages: dict[str, str], root: Path) -> None:
    broken: list[str] = []
    for name, page in pages.items():
        for target in LINK.findall(FENCED.sub("", page)):
            if target.startswith("https://"):
                continue
            place, _, section = target.partition("#")
            path = (root / name).parent / place if place else root / name
            if not path.exists() or (
                section and section not in map(anchor, HEADING.findall(path.read_text(encoding="utf-8")))
            ):
                broken.append(f"{name}: {target}")
    assert not broken


def test_every_page_can_be_reached_from_the_readme(pages: dict[str, str], root: Path) -> None:
    reached, waiting = set[str](), ["README.md"]
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        for target in LINK.findall(pages[name]):
            path = ((root / name).parent / target.partition("#")[0]).resolve()
            if path.is_relative_to(root) and path.relative_to(root).as_posix() in pages:
                waiting.append(path.relative_to(root).as_posix())
    assert set(pages) <= reached


def test_no_page_names_a_place_on_a_machine_or_an_unknown_host(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        assert not OF_A_MACHINE.search(page), f"{name}: {OF_A_MACHINE.search(page)}"
        assert set(HOST.findall(page)) <= KNOWN_HOSTS, name


def test_no_brief_names_a_place_on_a_machine(root: Path) -> None:
    briefs = list((root / "tests" / "data").rglob("*.md"))
    assert briefs
    assert not [path for path in briefs if OF_A_MACHINE.search(path.read_text(encoding="utf-8"))]


def test_the_patterns_find_what_they_are_for() -> None:
    assert OF_A_MACHINE.search("see /root/x")
    assert OF_A_MACHINE.search("/home/someone/x")
    assert not OF_A_MACHINE.search("/home/mika/handbook.md")
    assert HOST.findall("see https://example.org/x") == ["example.org"]
    assert anchor("What is there, and what is not yet") == "what-is-there-and-what-is-not-yet"


def test_the_glossary_has_every_term_in_three_languages(pages: dict[str, str]) -> None:
    rows = [line.split("|")[1:-1] for line in pages["docs/glossary.md"].splitlines() if line.startswith("| **")]
    named = {term.strip() for row in rows for term in re.findall(r"\*\*([^*]+)\*\*", row[0])}
    assert not set(MUST_BE_NAMED) - named
    for row in rows:
        assert len(row) == 4, row
        assert all(cell.strip() for cell in row[1:]), row


def test_the_glossary_names_what_exists(pages: dict[str, str]) -> None:
    classes = set(re.findall(r"`([A-Z][a-z]\w+)`", pages["docs/glossary.md"]))
    elsewhere = set(re.findall(r"^\| `evolore[\w.]*` \| `(\w+)` \|", pages["docs/python/modules.md"], re.MULTILINE))
    assert classes <= set(evolore.__all__) | elsewhere


def test_every_term_of_a_score_is_explained(pages: dict[str, str]) -> None:
    explained = " ".join(re.findall(r"^\| ((?:`\w+`,? ?)+)\|", pages["docs/ranking.md"], re.MULTILINE))
    assert [term for term in Term if f"`{term.value}`" not in explained] == []


def test_the_licence_is_named(pages: dict[str, str], root: Path) -> None:
    assert "Apache-2.0" in pages["README.md"]
    assert "Apache License" in (root / "LICENSE").read_text(encoding="utf-8")


def test_decisions_are_listed_and_have_their_three_parts(pages: dict[str, str]) -> None:
    decisions = {name: page for name, page in pages.items() if re.search(r"decisions/\d{4}-", name)}
    assert len(decisions) >= 6
    for name, page in decisions.items():
        assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == ["Context", "Choice", "Price"], name
        title = page.splitlines()[0].partition(". ")[2]
        assert f"[{title}]({name.rsplit('/', 1)[-1]})" in pages["docs/decisions/README.md"]
