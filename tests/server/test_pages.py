from __future__ import annotations

import csv
import html
import re
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from importlib.resources import files
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from evolore.domain.answer import AnswerKind
from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.domain.evolution import GenerationStanding, JobState, MatchOutcome, Operator, TrialStage
from evolore.domain.language import Language
from evolore.domain.outcome import Rating
from evolore.domain.person import StatementState
from evolore.domain.query import Intent
from evolore.domain.review import Priority, ReviewCategory, ReviewStatus
from evolore.evolution.edits import EditKind
from evolore.evolution.fact_proof import Holding
from evolore.models.offline import HashingEmbedder
from evolore.ports import ChangeKind
from evolore.recall.ranking import Term
from evolore.server.app import create_app
from evolore.server.background import Kind
from evolore.server.delivery import TargetKind
from evolore.server.keys import Scope, make_key
from evolore.server.languages import LANGUAGES, words_of
from evolore.server.memories import Memories
from evolore.server.notifications import Notice
from evolore.server.pages import (
    ask,
    care,
    documents,
    effects,
    entry,
    evolution,
    graph,
    jobs,
    notifications,
    rewrite,
    schedules,
    today,
)
from evolore.server.pages.differences import rows_of
from evolore.server.pages.page import MOST_SHOWN
from evolore.server.sessions import IDLE, LONGEST, Sessions
from evolore.store.service import BackgroundJob
from evolving.complaints import complained, open_memory
from evolving.corrections import outdated
from evolving.scripted import NEW, OLD, ScriptedEditor
from laws import tried
from serving.memories import until

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from enum import Enum
    from pathlib import Path

    from fastapi import FastAPI
    from httpx2 import Response

    from evolore.memory import Memory
    from evolore.server.house import House

PLAIN = (
    *("", "/ask", "/documents", "/graph", "/evolution", "/evolution/gaps", "/effects", "/effects.csv", "/review"),
    *("/statements", "/people"),
    *("/running", "/running/schedules", "/running/notifications", "/keys", "/audit", "/reference"),
    "/reference/types",
)
MARK = re.compile(r'name="form_mark" value="([^"]+)"')
NOW = datetime(2026, 3, 3, tzinfo=UTC)
_EVIL = "\u2063evil\u2063"
"""Nobody writes this; a page that shows it escaped shows the string around it."""


@contextmanager
def served(folder: Path) -> Generator[tuple[TestClient, Memory]]:
    """Serve a store as it stands in a folder, with a chat model that edits by a script."""
    memories = Memories(folder / "store", embedder=HashingEmbedder(), chat_model=ScriptedEditor())
    with TestClient(create_app(memories), base_url="http://127.0.0.1", follow_redirects=False) as client:
        yield client, memories.of("default")


def sent(client: TestClient, page: str, to: str, **fields: str) -> Response:
    """Send a form of a page, with the ends of lines that browsers write."""
    found = MARK.search(client.get(f"/admin{page}").text)
    assert found is not None, page
    lines = {name: re.sub("\r?\n", "\r\n", text) for name, text in fields.items()}
    return client.post(f"/admin{to}", data={"form_mark": found[1], **lines})


def asked(client: TestClient, **fields: str) -> Response:
    """Ask by the form, and go where it leads."""
    answer = sent(client, "/ask", "/ask", **fields)
    return client.get(answer.headers["location"]) if answer.status_code == 303 else answer


def log_in(client: TestClient, secret: str, **fields: str) -> Response:
    return sent(client, "/login", "/login", key=secret, **fields)


def key_with(client: TestClient, *scopes: Scope, namespaces: tuple[str, ...] = ()) -> str:
    house: House = cast("FastAPI", client.app).state.house
    secret, _ = make_key(
        house.service, id_=house.new_id(), label="Mika", scopes=scopes, namespaces=namespaces, at=house.now()
    )
    house.keys_changed()
    return secret


class Parsed(HTMLParser):
    """The tags, attributes and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))


def test_every_type_that_the_reference_names_is_on_the_page_of_types(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        operations, types = (client.get(f"/admin{path}").text for path in ("/reference", "/reference/types"))
    named = set(re.findall(r'href="/admin/reference/types#([^"]+)"', operations + types))
    assert len(named) > 40
    assert named <= set(re.findall(r'<details id="([^"]+)"', types))
    assert 'href="#type-' not in operations + types


def test_every_page_of_an_empty_store_is_drawn_in_three_languages(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        for path in PLAIN:
            for language in LANGUAGES:
                page = client.get(f"/admin{path}", params={"lang": language})
                assert page.status_code == 200, (path, page.text)
                assert path.endswith(".csv") or f'<html lang="{language}"' in page.text


def test_every_page_of_a_mixed_store_is_drawn_in_three_languages_and_holds_the_policy(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        job = memory.evolve()[0]
        memory.add_text("経費の上限は５，０００円です。", source="経費.txt")
        memory.add_text("仓库每天八点开门。", source="仓库.txt")
        said = memory.remember("The office is in Berlin.", speaker="Mika", tags=["a"])
        note = memory.review.note("Look here.")
        documents = memory.list().documents
    with served(tmp_path) as (client, _):
        own = [
            f"/evolution/jobs/{job.id}",
            f"/review/{note.id}",
            f"/statements/{said.id}",
            "/people/Mika",
            "/people/No",
        ]
        own += [path for one in documents for path in (f"/documents/{one.id}", f"/documents/{one.id}/versions/1")]
        for path in (*PLAIN, *own):
            for language in LANGUAGES:
                page = client.get(f"/admin{path}", params={"lang": language})
                assert page.status_code == 200, (path, page.text)
                assert "default-src 'self'" in page.headers["content-security-policy"]
                _holds_policy(page.text)


def _holds_policy(text: str) -> None:
    """Nothing is inline and nothing comes from elsewhere; every field has a label."""
    parsed = Parsed(text).tags
    labelled = {values.get("for") for tag, values in parsed if tag == "label"}
    for tag, values in parsed:
        assert tag != "style"
        assert not [name for name in values if name == "style" or name.startswith("on")], (tag, values)
        assert tag != "script" or values.get("src", "").startswith("/admin/assets/")
        assert not re.match(r"[a-z]+:|//", values.get("href", values.get("src", ""))), values
        if tag in {"input", "textarea", "select"} and values.get("type") not in {"hidden", "checkbox"}:
            assert values.get("aria-labelledby") or values["id"] in labelled, values


def test_what_pages_are_drawn_with_is_served_and_nothing_else(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        for name in ("pages.css", "pages.js", "job_log.js", "mark.svg"):
            assert client.get(f"/admin/assets/{name}").status_code == 200
        for name in ("../page.py", "..%2fpage.py", "page.py"):
            assert client.get(f"/admin/assets/{name}").status_code == 404
        assert client.get("/admin/no/such/page").status_code == 404


def test_every_text_stands_in_three_languages() -> None:
    english = words_of("en")
    for language in LANGUAGES:
        words = words_of(language)
        assert words.keys() == english.keys()
        for name, text in words.items():
            assert set(re.findall(r"\{(\w+)\}", text)) == set(re.findall(r"\{(\w+)\}", english[name])), name
            assert text.strip()


GROUPS: tuple[tuple[str, type[Enum]], ...] = (
    ("state", JobState),
    ("operator", Operator),
    ("category", ReviewCategory),
    ("priority", Priority),
    ("review", ReviewStatus),
    ("rating", Rating),
    ("edit", EditKind),
    ("holding", Holding),
    ("stage", TrialStage),
    ("outcome", MatchOutcome),
    ("answer", AnswerKind),
    ("intent", Intent),
    ("term", Term),
    ("standing", GenerationStanding),
    ("scope", Scope),
    ("work", Kind),
    ("told", Notice),
    ("target", TargetKind),
    ("statement_state", StatementState),
    ("state_means", StatementState),
    ("event", ChangeKind),
)


@pytest.mark.parametrize(("group", "kind"), GROUPS, ids=[name for name, _ in GROUPS])
def test_every_word_of_a_closed_set_has_a_text(group: str, kind: type[Enum]) -> None:
    assert {f"{group}.{one.value}" for one in kind} <= words_of("en").keys()


def _templates() -> Iterator[tuple[str, str]]:
    for one in files("evolore.server.pages").joinpath("templates").iterdir():
        yield one.name, one.read_text("utf-8")


def test_no_template_holds_a_text_of_its_own() -> None:
    for name, template in _templates():
        bare = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", template, flags=re.DOTALL)
        shown = re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', bare)
        texts = re.sub(r"<[^>]*>", " ", bare)
        left = set(re.findall(r"[^\W\d_]{2,}", " ".join((texts, *(one for one in shown if one != "2026-03-02")))))
        assert left <= {"Evolore", "CSV", "OpenAPI", "evo"}, (name, left)


def test_every_text_is_used_and_every_used_text_is_there() -> None:
    sources = [template for _, template in _templates()] + _drawings()
    used = {one for text in sources for one in re.findall(r"""\bt\(["']([a-z_]+\.[a-z_]+)["']""", text)}
    assert used <= words_of("en").keys()
    grown = {group for text in sources for group in re.findall(r"""["']([a-z_]+)\.["'] ~""", text)}
    grown |= {group for text in sources for group in re.findall(r"""t\.known\(["']([a-z_]+)""", text)} | {"said"}
    grown |= {group for text in sources for group in re.findall(r"""\bt\(f["']([a-z_]+)\.\{""", text)}
    left = {one for one in words_of("en").keys() - used if one.split(".")[0] not in grown}
    assert left == {"rewrite.moved_since"}  # said from code


def evil_strings() -> list[str]:
    """Give strings that would run as a script, were one of them not escaped."""
    runs = "window.ran=1"
    tags = ("img src=x onerror", "svg onload", "body onload", "input autofocus onfocus", "details open ontoggle")
    tags += ("video src=x onerror", "audio src=x onerror", "marquee onstart", "iframe onload", "a href=# onclick")
    openings = ("", '"', "'", '">', "'>", "</title>", "</textarea>", "-->")
    made = [f"{opening}<{tag}={runs}>" for tag in tags for opening in openings[:5]]
    made += [f"{opening}<script>{runs}</script>" for opening in openings]
    made += [f"<ScRiPt >{runs}</sCrIpT>", f"<script/x>{runs}</script>", f"<<script>{runs}//<</script>"]
    made += [
        f'" onmouseover="{runs}" x="',
        f"' onfocus='{runs}' autofocus='",
        f"javascript:{runs}",
        f"[x](javascript:{runs})",
    ]
    made += [
        "{{ 7 * 7 }}",
        "{% raw %}",
        "{{ page.request }}",
        "&lt;script&gt;",
        "&#60;script&#62;",
        "<base href=//evil.example>",
    ]
    made += ["<style>*{display:none}</style>", "<meta http-equiv=refresh content=0>", "<form action=//evil.example>"]
    made += ["\u202e<b>turned</b>", "<!--", "]]><b>", "＜script＞", "<b\u0000>", "<x y=`z`>"]
    return [one.replace("\u0000", "") for one in made]


def test_nothing_that_people_wrote_becomes_a_tag_or_an_attribute(tmp_path: Path) -> None:
    strings = evil_strings()
    step = tried(3, long=1)  # of the pages of each string, one kind in turn
    assert len(strings) >= 60
    known = {
        "html",
        "head",
        "meta",
        "title",
        "link",
        "script",
        "body",
        "a",
        "header",
        "img",
        "nav",
        "div",
        "form",
        "main",
    }
    with served(tmp_path) as (client, memory):
        paths: list[str] = ["/documents", "/statements", "/people", "/graph", "/review", "/evolution", ""]
        for number, evil in enumerate(strings):
            text = f"# Page {number}\n\n{evil} {_EVIL}\n\nThe desk decides at {number}.\n"
            document = memory.add_text(
                text,
                source=f"{number}{evil}.md",
                title=evil,
                media_type=MediaType.MARKDOWN,
                tags=[evil],
                metadata={"a": evil},
            )
            memory.rate(document.id, "bad", comment=evil, principal=evil[:100])
            note = memory.review.note(evil, priority="urgent", about=document.id)
            said = memory.remember(f"{evil} {_EVIL} said", speaker=evil, session=evil, tags=[evil])
            shown = (f"/documents/{document.id}", f"/review/{note.id}", f"/documents/{document.id}/versions/1")
            shown += (f"/statements/{said.id}", f"/people/{quote(evil, safe='')}")
            paths += shown[number % step :: step]
        for path in paths:
            page = client.get(f"/admin{path}")
            assert page.status_code == 200, path
            _is_harmless(page.text, known)
        for evil in strings[:: tried(9, long=3)]:
            answer = asked(client, question=evil, tags=evil.replace(",", " "), limit="3")
            assert answer.status_code in {200, 422}
            _is_harmless(answer.text, known)
            for path in ("/documents", "/statements", "/people", "/nothing", "/evolution", "/graph"):
                told = client.get(
                    f"/admin{path}", params={"named": evil, "of": evil, "state": evil, "said": evil, "after": evil[:90]}
                )
                _is_harmless(told.text, known)


def _is_harmless(text: str, known: set[str]) -> None:
    """Every tag and attribute is one of our templates, and the parser that reads them is none of ours."""
    ours = _own_tags()
    for tag, values in Parsed(text).tags:
        assert tag in ours | known, tag
        assert not [name for name in values if name.startswith("on") or name == "style"], values
        assert not values.get("href", "").lower().startswith(("javascript:", "data:", "//")), values
    assert "<script>" not in text.lower()


def _own_tags() -> set[str]:
    sources = [template for _, template in _templates()] + _drawings()
    return {tag for one in sources for tag in re.findall(r"<([a-z][a-z0-9]*)", one)} | {"ins", "del", "span"}


def _drawings() -> list[str]:
    folder = files("evolore.server").joinpath("drawings")
    return [one.read_text("utf-8") for one in folder.iterdir() if one.name.endswith(".py")]


def test_a_form_without_its_mark_is_refused(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        job = memory.evolve()[0].id
    with served(tmp_path) as (client, memory):
        assert len(_forms()) >= 26
        for path in _forms():
            to = re.sub(r"\{\w+\}", job, path)
            for fields in ({}, {"form_mark": "0" * 64}, {"form_mark": "ü"}):
                answer = client.post(to, data={**_filled(to), **fields})
                assert answer.status_code == 403, (to, answer.status_code)
        assert memory.evolution.show(job).state is JobState.WAITING
        client.get("/admin/ask")  # now there is a cookie, and still no mark
        assert client.post("/admin/evolution/run", data={}).status_code == 403


def _filled(path: str) -> dict[str, str]:
    """Give what a form must have besides its mark."""
    nothing: dict[str, str] = {}
    fields = {"/login": {"key": "x"}, "/edit": {"text": "x"}, "/rollback": {"promotion": "x"}, "/undo": {"event": "x"}}
    fields |= {"/settle": {"keep": "both"}, "/rate": {"item": "x", "rating": "bad"}}
    return next((values for end, values in fields.items() if path.endswith(end)), nothing)


def _forms() -> list[str]:
    """Give the addresses that forms are sent to."""
    parts = (ask, care, documents, effects, entry, evolution, graph, jobs, notifications, rewrite, schedules, today)
    routes = [one for part in parts for one in part.router.routes]
    return [f"/admin{one.path}" for one in routes if isinstance(one, APIRoute) and "POST" in (one.methods or ())]


def test_somebody_logs_in_and_out_and_a_session_that_ended_is_none(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        secret = key_with(client, Scope.ADMIN)
        asked = client.get("/admin/documents?after=x")
        assert (asked.status_code, asked.headers["location"]) == (303, "/admin/login?next=%2Fdocuments%3Fafter%3Dx")
        assert log_in(client, "evo_wrong").status_code == 401
        entered = log_in(client, secret, next="/documents?after=x")
        assert (entered.status_code, entered.headers["location"]) == (303, "/admin/documents?after=x")
        cookie = next(one for one in entered.headers.get_list("set-cookie") if one.startswith("evolore_session"))
        assert {"HttpOnly", "SameSite=strict", "Path=/admin"} <= {part.strip() for part in cookie.split(";")}
        assert secret not in cookie
        session = client.cookies["evolore_session"]
        assert client.get("/admin/documents").status_code == 200
        assert client.get("/api/keys").status_code == 401, "the API takes no cookie"
        assert sent(client, "", "/logout").status_code == 303
        client.cookies.set("evolore_session", session, domain="127.0.0.1", path="/admin")
        assert client.get("/admin/documents").status_code == 303


def test_the_cookie_of_a_session_goes_over_https_alone_where_that_is_spoken(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        client.base_url = "https://127.0.0.1"
        entered = log_in(client, key_with(client, Scope.READ))
        assert "Secure" in next(one for one in entered.headers.get_list("set-cookie") if "evolore_session" in one)


@pytest.mark.parametrize("where", ["//evil.example", "https://evil.example", "/\\evil.example", "/login", "/a\nb"])
def test_a_log_in_never_leads_elsewhere(tmp_path: Path, where: str) -> None:
    with served(tmp_path) as (client, _):
        entered = log_in(client, key_with(client, Scope.READ), next=where)
        assert entered.headers["location"] == "/admin"


def test_a_session_ends_when_it_is_not_used_and_when_it_is_old() -> None:
    sessions = Sessions()
    name = sessions.begin("k", at=NOW)
    assert sessions.key_id(name, at=NOW + IDLE - timedelta(seconds=1)) == "k"
    assert sessions.key_id(name, at=NOW + 2 * IDLE) is None
    name = sessions.begin("k", at=NOW)
    at = NOW
    while at - NOW < LONGEST:
        assert sessions.key_id(name, at=at) == "k"
        at += IDLE / 2
    assert sessions.key_id(name, at=at) is None
    assert sessions.key_id("", at=NOW) is None


def test_a_key_that_was_taken_back_ends_its_sessions_and_each_does_what_it_may(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        admin, reader = key_with(client, Scope.ADMIN), key_with(client, Scope.READ, namespaces=("default",))
        log_in(client, reader)
        assert client.get("/admin/documents").status_code == 200
        assert client.get("/admin/keys").status_code == 403
        assert client.get("/admin/documents?namespace=other").status_code == 403
        client.cookies.set("evolore_namespace", "other", domain="127.0.0.1", path="/admin")
        assert client.get("/admin/documents").status_code == 200, "what was kept of somebody else is left alone"
        assert sent(client, "/ask", "/evolution/run").status_code == 403
        client.cookies.clear()
        log_in(client, admin)
        page = client.get("/admin/keys").text
        assert reader not in page
        first, last = re.findall(r"/admin/keys/(\w+)/revoke", page)
        answers = {one: sent(client, "/keys", f"/keys/{one}/revoke") for one in (first, last)}
        refused = next(one for one in answers.values() if one.status_code == 422)
        assert "--force" in refused.text, "the last key that administers is kept"
        next_admin = key_with(client, Scope.ADMIN)
        for one in answers:
            assert sent(client, "/keys", f"/keys/{one}/revoke").status_code == 303
        assert client.get("/admin/documents").headers["location"].startswith("/admin/login")
        assert log_in(client, next_admin).status_code == 303


def test_without_a_key_only_this_machine_is_served(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        assert client.get("/admin").status_code == 200
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", ""):
            assert client.get("/admin", headers={"host": host}).status_code == 403
        assert client.get("/admin", headers={"host": "localhost:8080"}).status_code == 200
        assert sent(client, "/keys", "/keys", label="first", scopes="read").status_code == 422, "nobody could make more"
        made = sent(client, "/keys", "/keys", label="first", scopes="admin")
        assert (made.status_code, made.headers["location"]) == (303, "/admin/keys"), "F5 makes no second key"
        assert re.search(r"evo_[\w-]{40,}", client.get("/admin/keys").text), "who made it is logged in with it"
        assert not re.search(r"evo_[\w-]{40,}", client.get("/admin/keys").text), "it is shown once"
        client.cookies.clear()
        assert client.get("/admin").status_code == 303


def test_a_rewrite_is_reviewed_approved_and_rolled_back_by_forms(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()):
        pass
    with served(tmp_path) as (client, memory):
        ran = sent(client, "/evolution", "/evolution/run")
        work = ran.headers["location"].partition("?")[0]
        made = re.compile(r'href="/admin(/evolution/jobs/\w+)"')
        until(lambda: "data-follow" not in client.get(work).text)
        (path,) = made.findall(client.get(work).text)
        assert f'/admin{path}"' in client.get("/admin/review").text, "a rewrite that waits is to be reviewed"
        page = client.get(f"/admin{path}").text
        assert re.search(r'<del class="value"[^>]*>7</del>', page)
        assert re.search(r'<ins class="value"[^>]*>10</ins>', page)
        assert "contradicts it" in page
        assert "says it" in page
        claims = page.partition('<table class="table claims">')[2].partition("</table>")[0]
        assert "Refunds take 10 business days." in claims
        assert "<blockquote><p>Since May refunds take 10 business days.</p>" in claims
        damage = page.partition('<dl class="counts"')[2].partition("</dl>")[0]
        assert '<dt>values lost</dt><dd class="some">1: <bdi>7 business days</bdi></dd>' in damage
        approved = sent(client, path, f"{path}/approve", reason="as the news says")
        assert approved.headers["location"] == f"/admin{path}?said=approved"
        assert NEW in _text(memory)
        promotion = memory.evolution.show(path.rsplit("/", 1)[1]).promotions[0].id
        assert sent(client, path, f"{path}/rollback", promotion=promotion).status_code == 422, "it wants a reason"
        back = sent(client, path, f"{path}/rollback", promotion=promotion, reason="too early")
        assert back.headers["location"].endswith("said=rolled_back")
        assert OLD in _text(memory)
        assert "in case ann?" in client.get(f"/admin{path}").text.partition("data-step")[2].partition("</section>")[0]
        for page in (path, f"/documents/{memory.evolution.show(path.rsplit('/', 1)[1]).documents[0].id}"):
            shown = client.get(f"/admin{page}").text
            assert "too early" in shown
            assert f"<del>{OLD}</del> <ins>{NEW}</ins>" in shown
        assert promotion in client.get("/admin/effects.csv").text


def test_an_edited_text_is_looked_at_by_the_gates_before_it_is_taken_over(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        job = memory.evolve()[0]
        proposed = job.candidates[0].texts[0].text
    path = f"/evolution/jobs/{job.id}"
    with served(tmp_path) as (client, memory):
        wrong = proposed.replace("The desk decides.", "").replace("10 business", "99 business")
        warned = sent(client, path, f"{path}/edit", text=wrong, reason='I "know"')
        assert warned.status_code == 200
        shown = {one["name"]: one.get("value", "") for _, one in Parsed(warned.text).tags if "name" in one}
        assert shown["sure"].count("\n") >= 1, "there is more than one objection"
        again = next(one for _, one in Parsed(warned.text).tags if one.get("id") == "why_edit")
        assert again.get("value") == 'I "know"', "the reason is not asked for twice"
        assert OLD in _text(memory)
        done = sent(client, path, f"{path}/edit", text=wrong, sure=shown["sure"], reason=again["value"])
        assert done.headers["location"].endswith("said=approved_edited")
        assert "99 business" in _text(memory)
        assert "\r" not in _text(memory)


def test_a_proved_text_is_accepted_as_edited_elsewhere_and_only_what_was_added_is_warned_of(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        job = memory.evolve()[0]
        proposed = job.candidates[0].texts[0].text
    path = f"/evolution/jobs/{job.id}"
    with served(tmp_path) as (client, memory):
        warned = sent(client, path, f"{path}/edit", text=f"{proposed}\nA form is needed for 3 weeks.\n")
        assert warned.status_code == 200
        shown = {one["name"]: one.get("value", "") for _, one in Parsed(warned.text).tags if "name" in one}
        assert all("3 weeks" in line for line in shown["sure"].splitlines()), shown["sure"]
        done = sent(
            client, path, f"{path}/edit", text=proposed.replace("The desk decides", "It is the desk that decides")
        )
        assert done.headers["location"].endswith("said=approved_edited")
        assert NEW in _text(memory)


def test_a_rewrite_is_rejected_with_a_reason(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        path = f"/evolution/jobs/{memory.evolve()[0].id}"
    with served(tmp_path) as (client, _):
        assert sent(client, path, f"{path}/reject", reason=" ").status_code == 422
        assert sent(client, path, f"{path}/reject", reason="not so").headers["location"].endswith("said=rejected")
        shown = client.get(f"/admin{path}").text
        assert "not so" in shown
        assert f"<del>{OLD}</del> <ins>{NEW}</ins>" in shown


def test_a_gap_is_shown_taken_and_closed(tmp_path: Path) -> None:
    with served(tmp_path) as (client, memory):
        memory.add_text("# Leave\n\nEverybody has 28 days of leave a year.", source="leave.md")
        for text in ("where may bicycles <stay> overnight", "bicycles stay overnight where"):
            said = memory.answer(text, principal="ann")
            memory.rate(said.id, "bad", principal="ann")
        (gap,) = memory.evolution.gaps()
        page = client.get("/admin/evolution/gaps").text
        assert "where may bicycles &lt;stay&gt; overnight" in page
        path = f"/evolution/gaps/{gap.id}"
        assert sent(client, "/evolution/gaps", f"{path}/take").headers["location"].endswith("said=taken")
        assert memory.evolution.gap(gap.id).state.value == "taken"
        sent(client, "/evolution/gaps", f"{path}/close", reason="no bicycles here")
        assert "Nothing was asked twice" in client.get("/admin/evolution/gaps").text
        assert "no bicycles here" in client.get("/admin/evolution/gaps?state=closed").text


def test_a_document_that_moved_is_shown_in_three_texts_and_not_overwritten(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        path = f"/evolution/jobs/{memory.evolve()[0].id}"
    with served(tmp_path) as (client, memory):
        memory.add_text(
            _text(memory).replace("Call it at noon.", "Call it at one."),
            source="refunds.md",
            media_type=MediaType.MARKDOWN,
        )
        page = client.get(f"/admin{path}").text
        assert "What others changed" in page
        assert "The proposal in the present text" in page
        stopped = sent(client, path, f"{path}/approve", version="1")
        assert (stopped.status_code, "look again" in stopped.text) == (200, True)
        assert sent(client, path, f"{path}/approve", version="2", rebase="true").status_code == 303
        assert NEW in _text(memory)
        assert "at one" in _text(memory)


def test_a_question_is_answered_with_marked_passages_and_rated(tmp_path: Path) -> None:
    with outdated(tmp_path):
        pass
    with served(tmp_path) as (client, memory):
        page = asked(client, question="How long do refunds take?", limit="7")
        assert page.url.path.startswith("/admin/ask/"), "the answer has an address, so that Back and F5 lose nothing"
        assert 'value="7"' in page.text, "what narrowed it stays"
        assert "<mark>" in page.text
        assert 'class="terms"' in page.text
        item = re.search(r'name="item" value="(\w+)"', page.text)
        assert item is not None
        before = len(memory.evolution.feedback())
        rated = sent(client, "/ask", "/ask/rate", item=item[1], rating="bad", comment="It is ten.")
        assert rated.status_code == 303
        assert "<q>It is ten.</q>" in client.get(rated.headers["location"]).text
        assert len(memory.evolution.feedback()) > before
        assert sent(client, "/ask", "/ask", question=" ").status_code == 422
        assert sent(client, "/ask", "/ask", question="x", as_of="never").status_code == 422


def test_what_a_prompt_says_of_a_passage_stands_beside_it_in_the_same_order(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        memory.remember(
            "The office is in Kyoto.", about=("office", "city"), occurred_at=datetime(2026, 3, 1, tzinfo=UTC)
        )
        memory.remember(
            "The office is in Osaka.", about=("office", "city"), occurred_at=datetime(2026, 3, 2, tzinfo=UTC)
        )
        found = memory.recall("Where is the office?", record=False)
    assert any(hit.is_superseded for hit in found.hits)
    with served(tmp_path) as (client, _):
        page = html.unescape(asked(client, question="Where is the office?").text)
        places = [page.index(f'<article class="hit"><h3>{hit.rank}.') for hit in found.shown]
        assert places == sorted(places)
        assert page.count("superseded 2026-03-02 by [1]") == 2, "beside the passage, and in the prompt"
        assert 'class="cite" href="#cited1"' in page
        client.cookies.set("evolore_language", "ja")
        assert "[1]" in asked(client, question="Where is the office?").text


def test_a_document_shows_owner_and_dates_and_is_verified_by_a_button(tmp_path: Path) -> None:
    with served(tmp_path) as (client, memory):
        late = {"owner": "<Mika>", "verify_by": "2020-01-31"}
        page = f"/documents/{memory.add_text('Refunds take a week.', source='a', metadata=late).id}"
        shown = client.get(f"/admin{page}").text
        assert "<bdi>&lt;Mika&gt;</bdi>" in shown
        assert "Overdue" in shown
        done = sent(client, page, f"{page}/verify", until="")
        assert done.headers["location"].endswith("said=verified")
        after = client.get(f"/admin{page}").text
        assert "Last verified" in after
        assert "Overdue" not in after
        sent(client, page, f"{page}/verify", until="2999-01-31")
        assert memory.show("a").metadata["verify_by"] == "2999-01-31"


def test_documents_are_listed_a_page_at_a_time(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        for number in range(120):
            memory.add_text(f"Page {number}.", source=f"p{number}")
    with served(tmp_path) as (client, _):
        seen: list[str] = []
        path = "/admin/documents"
        while path:
            page = client.get(path).text
            seen += re.findall(r"/admin/documents/(\w+)\"", page)
            following = re.search(r'rel="next" href="([^"]+)"', page)
            path = f"/admin/documents{following[1]}" if following else ""
        assert len(seen) == len(set(seen)) == 120
        assert client.get("/admin/documents?named=p7").status_code == 303


def _pages(client: TestClient, path: str, of: str) -> list[str]:
    """Give what a list shows page after page, as far as ``rel="next"`` leads."""
    seen: list[str] = []
    following: str | None = path
    while following:
        page = client.get(following).text
        seen += re.findall(rf"/admin{of}/(\w+)\"", page)
        found = re.search(r'rel="next" href="([^"#]+)', page)
        following = f"{path}{html.unescape(found[1])}" if found else None
    return seen


def test_the_review_queue_is_shown_a_page_at_a_time_in_its_order(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        for number in range(110):
            memory.review.note(f"Look at {number}.", priority=list(Priority)[number % 4])
        wanted = [one.id for one in memory.review.list()]
    with served(tmp_path) as (client, _):
        assert _pages(client, "/admin/review", "/review") == wanted
        assert client.get("/admin/review?after=x").status_code == 422
        assert client.get("/admin/review?after=WyJhIl0").status_code == 422


def test_jobs_and_changes_are_shown_a_page_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        document = memory.list().documents[0].id
        for _ in range(3):
            (job,) = memory.evolve(document)
            text = job.candidates[0].texts[0].text  # what was rolled back before is approved as a person's own
            promotion = memory.evolution.approve(job.id, candidate="1", text=text).promotion
            assert promotion is not None
            memory.evolution.rollback(promotion.id, reason="again")
        wanted = [one.id for one in memory.evolution.jobs()]
        lines = [one.document_id for one in memory.evolution.history()]
    assert (len(wanted), set(lines)) == (3, {document})
    monkeypatch.setattr(evolution, "MOST_SHOWN", 2)
    monkeypatch.setattr("evolore.server.pages.page.MOST_SHOWN", 2)
    with served(tmp_path) as (client, _):
        first, second = (client.get(f"/admin/evolution{more}").text for more in ("", f"?jobs={wanted[1]}"))
        for page, shown in ((first, wanted[:2]), (second, wanted[2:])):
            assert re.findall(r"/admin/evolution/jobs/(\w+)\"", page) == shown
        following = re.search(r'href="(\?history=[^"#]+)', first)
        assert following is not None
        assert client.get(f"/admin/evolution{following[1]}").text.count('class="badge s-rolled_back"') == 3, (
            "two jobs, one change"
        )


def test_the_dashboard_counts_every_job_as_the_jobs_themselves_say(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        (job,) = memory.evolve()
        assert memory.evolution.approve(job.id).promotion is not None
    with served(tmp_path) as (client, memory):
        (job,) = memory.evolution.jobs()
        for _ in range(2):  # the second time from what is known of the job
            told = client.get("/api/evolution/effects").json()
            assert (told["jobs"], told["calls"]) == (1, job.usage.calls)
            (effect,) = told["effects"]
            chosen = job.candidate(job.promotions[0].candidate_id)
            assert chosen is not None
            assert (effect["model"], effect["source"]) == (chosen.model, job.documents[0].source)
            assert sum(one["approved"] for one in told["agreements"]) == 1
        memory.evolution.rollback(job.promotions[0].id, reason="no")
        told = client.get("/api/evolution/effects").json()
        assert (told["rolled_back"]["count"], sum(one["rolled_back"] for one in told["agreements"])) == (1, 1)


def test_a_procedure_is_reviewed_by_its_steps(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        done = memory.remember("Release:\n1. run the checks\n2. tag", kind="procedure")
    with served(tmp_path) as (client, memory):
        page = client.get(f"/admin/review/{done.review_ids[0]}").text
        assert "<p>Release:\n1. run the checks\n2. tag</p>" in page
        assert "only the person who added these steps" in html.unescape(page)
        assert "追加した本人" in client.get(f"/admin/review/{done.review_ids[0]}?lang=ja").text


def test_a_review_item_is_resolved_and_opened_again(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        note = memory.review.note("Look.")
    with served(tmp_path) as (client, memory):
        path = f"/review/{note.id}"
        assert sent(client, path, f"{path}/resolve", note="done").status_code == 303
        assert not memory.review.list()
        assert sent(client, path, f"{path}/reopen").status_code == 303
        assert len(memory.review.list()) == 1


def test_a_trial_is_shown_with_both_orders_and_goes_before_some_people_first(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor()) as memory:
        job = memory.evolve()[0]
        assert job.candidates[0].matches
        won = job.candidate_id
    path = f"/evolution/jobs/{job.id}"
    with served(tmp_path) as (client, memory):
        page = client.get(f"/admin{path}").text
        assert "95 % interval" in page
        assert "Judge, old first" in page
        assert "It says so." in page
        tried = sent(client, path, f"{path}/approve", candidate=won, canary="true")
        assert tried.status_code == 303
        for where in ("/evolution", "", path):
            assert client.get(f"/admin{where}?lang=ja").status_code == 200
        assert memory.evolution.show(job.id).state is JobState.CANARY


def test_two_statements_that_do_not_fit_together_are_settled_and_that_is_undone(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        memory.remember("The office is in Berlin.", speaker="Mika", session="talk")
        memory.remember("The office is in Hamburg.", speaker="Mika", session="talk")
        (item,) = memory.review.list(category="contradiction")
    with served(tmp_path) as (client, memory):
        path = f"/review/{item.id}"
        assert "Berlin" in client.get(f"/admin{path}").text
        settled = sent(client, path, f"{path}/settle", keep="newer")
        assert settled.status_code == 303
        assert not memory.review.list(category="contradiction")
        event = re.search(r"undo=(\w+)", settled.headers["location"])
        assert event is not None
        assert sent(client, path, f"{path}/undo", event=event[1]).status_code == 303
        assert len(memory.review.list(category="contradiction")) == 1


def test_what_the_server_does_by_itself_is_shown_in_its_namespace_alone(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        house: House = cast("FastAPI", client.app).state.house
        for id_, namespace in (("01a", "default"), ("01b", "other")):
            job = BackgroundJob(
                id=id_,
                namespace=namespace,
                kind="evolve",
                subject=f"<b>{namespace}",
                state="waiting",
                body={},
                runs_at=NOW,
                created_at=NOW,
            )
            house.service.put(job)
        house.service.say("01a", ["begun <script>"], at=NOW)
        listed = client.get("/admin/running").text
        assert "&lt;b&gt;default" in listed
        assert "other" not in listed
        assert "begun &lt;script&gt;" in client.get("/admin/running/jobs/01a").text
        assert client.get("/admin/running/jobs/01b").status_code == 404


@pytest.mark.parametrize(
    ("language", "old", "new", "gone", "added"),
    [
        (Language.EN, "It takes 7 days.", "It takes 10 days.", ["7"], ["10"]),
        (Language.JA, "返金は七日かかります。", "返金は十日かかります。", ["七"], ["十"]),
        (Language.ZH, "退款需要七天。", "退款需要十天。", ["七"], ["十"]),
    ],
)
def test_a_line_is_compared_by_words_or_characters(
    language: Language, old: str, new: str, gone: list[str], added: list[str]
) -> None:
    (row,) = rows_of(old, new, language)
    assert [one.text for one in row.old if one.is_changed] == gone
    assert [one.text for one in row.new if one.is_changed] == added
    assert any(one.mark == "value" for one in row.new)


def test_side_by_side_nothing_of_either_text_is_lost() -> None:
    old = "".join(f"line {number}\n" for number in range(60))
    new = old.replace("line 30\n", "line thirty\nmore\n").replace("line 50\n", "")
    rows = rows_of(old, new, Language.EN)
    for side in ("old", "new"):
        shown = ["".join(piece.text for piece in getattr(row, side)) for row in rows if getattr(row, f"{side}_number")]
        assert set(shown) <= set((old if side == "old" else new).splitlines())
    kept = sum(row.skipped for row in rows)
    assert kept + sum(row.old_number is not None for row in rows) == 60
    assert [row.new_number for row in rows if row.is_changed and row.old_number is None] == [32]


def test_templates_words_and_assets_go_with_the_package() -> None:
    package = files("evolore.server.pages")
    for folder, ending in (("templates", ".html"), ("words", ".toml"), ("assets", ".css")):
        assert any(one.name.endswith(ending) for one in package.joinpath(folder).iterdir())


def _text(memory: Memory) -> str:
    text = memory.outline.tree("refunds.md", with_text=True).text
    assert text is not None
    return text


def test_a_link_cannot_say_that_something_was_done(tmp_path: Path) -> None:
    with served(tmp_path) as (client, memory):
        assert "Approved" not in client.get("/admin?said=approved").text
        item = memory.review.note("Look at this.").id
        told = sent(client, f"/review/{item}", f"/review/{item}/resolve", note="fine").headers["location"]
        assert "Resolved." in client.get(told).text
        assert "Resolved." not in client.get(told).text, "it is said once"


def test_a_mistyped_namespace_is_told_and_not_kept(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        page = client.get("/admin/documents?namespace=defalt")
        assert page.status_code == 404
        assert "no namespace 'defalt'" in html.unescape(page.text)
        assert "evolore_namespace" not in client.cookies
        assert 'href="/admin/documents"' in page.text, "an error page keeps the menu"
        assert client.get("/admin/documents").status_code == 200


def test_an_error_page_shows_what_was_written_but_no_secret(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        page = sent(client, "/ask", "/ask", question="A long question\n<b>", as_of="never")
        assert page.status_code == 422
        assert "A long question\n&lt;b&gt;</textarea>" in page.text.replace("\r\n", "\n")
        assert 'href="/admin/ask"' in page.text
        assert 'id="w-form_mark"' not in page.text


def test_documents_are_found_by_words_of_title_and_text(tmp_path: Path) -> None:
    with served(tmp_path) as (client, memory):
        assert "none holds these words" in client.get("/admin/documents?named=refund").text
        memory.add_text("# Returns\n\nA refund takes seven days.", source="returns.md")
        memory.add_text("# Parking\n\nBicycles stand in the yard.", source="parking.md")
        page = client.get("/admin/documents?named=refund").text
        assert "returns.md" in page
        assert client.get("/admin/documents?named=parking.md").status_code == 303, "a source leads there at once"


def test_questions_are_listed_by_rating_language_person_and_week(tmp_path: Path) -> None:
    with served(tmp_path) as (client, memory):
        memory.remember("Refunds take seven days.")
        first = memory.answer("How long do refunds take?", principal="ann")
        memory.answer("返金は何日かかりますか？", principal="ben")
        memory.rate(first.id, "bad", comment="It is ten.", principal="ann")
        every = client.get("/admin/ask/questions").text
        assert f"/admin/ask/{first.id}" in every
        for query, known, other in (
            ("served=bad", "How long", "返金"),
            ("served=unrated", "返金", "How long"),
            ("language=ja", "返金", "How long"),
            ("who=ann", "How long", "返金"),
            ("served=bad&who=&language=&week=", "How long", "返金"),
        ):
            page = client.get(f"/admin/ask/questions?{query}").text
            assert (known in page, other in page) == (True, False), query
        assert "How long" not in client.get("/admin/ask/questions?week=2020-01-06").text
        assert client.get("/admin/ask/01nothing").status_code == 404


def test_the_entrance_leads_to_the_pages_and_names_the_rest(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        assert client.get("/", headers={"accept": "text/html"}).headers["location"] == "/admin"
        told = client.get("/", headers={"accept": "application/json"}).json()
        assert told["pages"] == "/admin"
        assert client.get(told["api"]).status_code == 200


def test_statements_are_listed_by_words_speaker_and_state_a_page_at_a_time(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        memory.remember_many(Statement(text=f"The number is {one}.", session=f"{one}") for one in range(60))
        memory.remember("The office is in Berlin.", speaker="Mika", session="talk")
        memory.remember("The office is in Hamburg.", speaker="Mika", session="talk")
        cat = memory.remember("The cat is called Minka.", speaker="Ada")
        memory.correct(cat.id)
    with served(tmp_path) as (client, _):
        first = client.get("/admin/statements").text
        assert first.index("Minka") < first.index("Hamburg"), "the newest first"
        following = re.search(r'rel="next" href="([^"]+)"', first)
        assert following is not None
        assert "Minka" not in client.get(f"/admin/statements{html.unescape(following[1])}").text
        assert (
            "Hamburg" in client.get("/admin/statements", params={"speaker": "Mika", "state": "conflict_pending"}).text
        )
        assert "Hamburg" not in client.get("/admin/statements", params={"state": "holds"}).text
        assert "Minka" in client.get("/admin/statements", params={"state": "", "before": "", "speaker": ""}).text
        retired = client.get("/admin/statements", params={"state": "revoked", "named": "minka"}).text
        assert "Minka" in retired
        assert "Berlin" not in retired
        assert "Berlin" in client.get("/admin/statements", params={"named": "where is the office"}).text


def test_a_statement_is_corrected_undone_retired_and_forgotten_by_forms(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        old = memory.remember("The cat is called Minka.", speaker="Ada").id
        kept = memory.remember("The dog is called Rex.", speaker="Ada").id
    with served(tmp_path) as (client, memory):
        path = f"/statements/{old}"
        assert sent(client, path, f"{path}/correct", text="").status_code == 422, "an empty text retires nothing"
        done = sent(client, path, f"{path}/correct", text="The cat is called Minna.")
        new = done.headers["location"].partition("?")[0]
        page = client.get(new).text
        assert "Minna" in page
        assert path in page, "what it took the place of"
        assert new in client.get(f"/admin{path}").text, "what took its place"
        event = next(one for one in memory.history(old) if one.kind == "superseded").id
        undone = sent(client, new.removeprefix("/admin"), f"{new.removeprefix('/admin')}/undo", event=event)
        assert undone.headers["location"].startswith(f"/admin{path}?"), "to the statement that holds again"
        assert sent(client, path, f"{path}/retire").status_code == 303
        assert "not found any more" in client.get(f"/admin{path}").text
        assert "statements and passages: 1" in client.get(f"/admin/statements/{kept}").text, "what goes is said first"
        assert sent(client, f"/statements/{kept}", f"/statements/{kept}/forget").status_code == 303
        assert client.get(f"/admin/statements/{kept}").status_code == 404


def test_a_conflict_is_linked_from_both_sides_marked_and_leads_to_the_next(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        for place in ("office", "shop"):
            memory.remember(f"The {place} is in Berlin.", speaker="Mika", session=place)
            memory.remember(f"The {place} is in Hamburg.", speaker="Mika", session=place)
        one, other = memory.review.list(category="contradiction")
    with served(tmp_path) as (client, _):
        for id_ in (one.episode_id, one.other_episode_id):
            assert f"/admin/review/{one.id}" in client.get(f"/admin/statements/{id_}").text
        shown = client.get(f"/admin/review/{one.id}").text
        assert re.search("<del[^>]*>Berlin</del>", shown)
        assert re.search("<ins[^>]*>Hamburg</ins>", shown)
        assert "superseded from the later one" in shown
        settled = sent(client, f"/review/{one.id}", f"/review/{one.id}/settle", keep="newer")
        assert f'rel="next" href="/admin/review/{other.id}"' in client.get(settled.headers["location"]).text


def test_a_person_is_shown_exported_and_erased(tmp_path: Path) -> None:
    name = "Mika / Ö"
    with open_memory(tmp_path) as memory:
        memory.remember("I live in Berlin.", speaker=name)
        memory.remember("The dog is called Rex.", speaker="Ada")
    with served(tmp_path) as (client, memory):
        path = f"/people/{quote(name, safe='')}"
        assert f"/admin{path}" in client.get("/admin/people").text
        assert "Ada" not in client.get("/admin/people", params={"named": "mika"}).text
        assert "I live in Berlin." in client.get(f"/admin{path}").text
        told = client.get("/admin/people.jsonl", params={"name": name})
        assert "I live in Berlin." in told.text
        assert "attachment" in told.headers["content-disposition"]
        assert sent(client, path, "/people", name=name).status_code == 303
        assert [one.speaker for one in memory.list().statements] == ["Ada"]
        assert "Nothing is kept" in client.get(f"/admin{path}").text


def test_a_persons_profile_shows_attributes_conflicts_and_what_is_doubted(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        for day, text in enumerate(("I live in Munich.", "I live in Berlin now.", "Lunch was good."), start=1):
            memory.remember(text, speaker="Nora", occurred_at=f"2026-01-0{day}")
        for city in ("Kyoto", "Osaka"):
            memory.remember(
                f"The office is in {city}.", about=("Nora", "office"), speaker="Ada", occurred_at="2026-01-05"
            )
    with served(tmp_path) as (client, _):
        shown = client.get("/admin/people/Nora").text.partition('id="said"')[0]
        for part in (
            "<bdi>home</bdi>",
            "<bdi>Berlin</bdi>",
            "Possibly replaced",
            "Also said",
            "<bdi>Lunch was good.</bdi>",
        ):
            assert part in shown, part
        assert shown.index("In conflict") < shown.index("The office is in Kyoto.") < shown.index("Lunch was good.")
        assert "<bdi>Ada</bdi>" in shown
        told = client.get("/api/profile", params={"subject": "Nora"}).json()
        assert [len(pair) for pair in told["conflicts"]] == [2]
        assert [fact["said_by"] for fact in told["facts"]] == ["Nora", "Nora"]


def test_a_procedure_is_reviewed_on_its_page(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        done = memory.remember("Release: run the checks, then push.", kind="procedure", principal="ann")
        (item_id,) = done.review_ids
        page = memory.pages.add("How do I release?")
    with served(tmp_path) as (client, memory):
        assert f"/admin/review/{item_id}" in client.get("/admin/review").text
        assert page.id not in client.get("/admin/review").text
        shown = client.get(f"/admin/review/{item_id}").text
        assert "Procedure" in shown
        assert "Release: run the checks, then push." in shown
        assert client.get(f"/admin/review/{page.id}").status_code == 200
        assert client.get("/admin/review", params={"category": "page", "status": "resolved"}).status_code == 200
        assert client.get("/api/pages").json()["pages"][0]["question"] == "How do I release?"
        sent = {
            "statements": [{"text": "Release: run the checks, then push.", "kind": "procedure", "outcome": "worked"}]
        }
        assert client.post("/api/statements", json=sent).json()["episodes"][0]["id"] == done.id
        client.post(f"/api/review/{item_id}/resolve", json={})
        found = client.post("/api/recall", json={"question": "How do I release?"}).json()["hits"]
        assert [hit["outcomes"] for hit in found] == [[1, 1]]


def test_statements_and_people_need_the_scopes_that_the_api_asks_for(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        said = memory.remember("The cat is called Minka.", speaker="Ada").id
        event = memory.history(said)[-1].id
    path = f"/statements/{said}"
    acts = {
        (f"{path}/correct", Scope.WRITE): {"text": "The cat is called Minna."},
        (f"{path}/retire", Scope.WRITE): {},
        (f"{path}/undo", Scope.REVIEW): {"event": event},
        (f"{path}/forget", Scope.ADMIN): {},
        ("/people", Scope.ADMIN): {"name": "Ada"},
    }
    with served(tmp_path) as (client, memory):
        key_with(client, Scope.ADMIN)
        for scope in Scope:
            client.cookies.clear()
            log_in(client, key_with(client, Scope.READ, scope))
            page = client.get(f"/admin{path}").text
            assert (client.get("/admin/people.jsonl", params={"name": "Ada"}).status_code == 403) is (
                scope is not Scope.ADMIN
            )
            for (to, needed), fields in acts.items():
                if scope not in {needed, Scope.ADMIN}:
                    assert sent(client, "/people", to, **fields).status_code == 403, (scope, to)
                    assert f'action="/admin{to}"' not in page
        assert memory.show(said).to_dict()["text"] == "The cat is called Minka."


def test_a_preview_shows_what_an_edit_changes_and_needs_a_proposed_text(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        job = memory.evolve()[0].id
    with served(tmp_path) as (client, _):
        path = f"/evolution/jobs/{job}"
        page = sent(client, path, f"{path}/preview", text="Refunds take 12 <b>days</b>. [x](https://e.example)")
        assert (page.status_code, "https://e.example" in page.text, 'href="https' in page.text) == (200, True, False)
        assert "&lt;b&gt;" in page.text
        assert sent(client, path, "/evolution/jobs/01nothing/preview", text="x").status_code == 404


def test_every_list_comes_as_a_file_that_a_spreadsheet_does_not_run(tmp_path: Path) -> None:
    with served(tmp_path) as (client, memory):
        memory.add_text(source="one.md", text="# =1+1\n\nRefunds take 7 days.")
        memory.remember("@SUM(A1) we moved.", speaker="-Mika")
        memory.recall("Nobody wrote this?")
        memory.evolution.gaps()
        for path in ("documents", "statements", "people", "ask/questions", "review", "running", "evolution", "audit"):
            answer = client.get(f"/admin/{path}?format=csv")
            assert answer.status_code == 200, path
            assert answer.headers["content-type"] == "text/csv; charset=utf-8"
            assert answer.content.startswith(b"\xef\xbb\xbf"), "a spreadsheet takes it for UTF-8 by this mark alone"
            rows = list(csv.reader(answer.content.decode("utf-8-sig").splitlines()))
            assert len({len(row) for row in rows}) == 1, path
            assert not [cell for row in rows for cell in row if cell[:1] in {"=", "+", "-", "@"}], path
            href = re.search(r'href="([^"]*format=csv[^"]*)" download', client.get(f"/admin/{path}").text)
            assert href, path
        (head, row) = csv.reader(client.get("/admin/documents?format=csv").content.decode("utf-8-sig").splitlines())
        found = dict(zip(head, row, strict=True))
        assert (found["title"], found["source"], found["version"]) == ("'=1+1", "one.md", "1")
        assert "'@SUM(A1) we moved." in client.get("/admin/statements?format=csv&speaker=-Mika").text


def test_a_file_has_all_that_a_list_has_and_says_where_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path) as (client, memory):
        for number in range(MOST_SHOWN + 5):
            memory.add_text(source=f"{number}.md", text=f"Text {number}.")
        assert len(client.get("/admin/documents?format=csv").text.splitlines()) == MOST_SHOWN + 6
        monkeypatch.setattr("evolore.server.pages.page._MOST_IN_FILE", 20)
        refused = client.get("/admin/documents?format=csv")
        assert refused.status_code == 422
        assert "more than 20 rows: choose fewer" in refused.text


def test_documents_are_listed_in_the_order_that_is_asked_for(tmp_path: Path) -> None:
    with served(tmp_path) as (client, memory):
        for name, text in (
            ("b", "# Beta\n\nShort."),
            ("a", "# alpha\n\nShort, too."),
            ("c", "# Gamma\n\nThe longest of all."),
        ):
            memory.add_text(source=f"{name}.md", text=text)
        memory.add_text(source="b.md", text="# Beta\n\nNew.")

        def listed(**asked: str) -> list[str]:
            return re.findall(r"<td><bdi>(\w)\.md</bdi>", client.get("/admin/documents", params=asked).text)

        assert listed() == ["b", "a", "c"]
        assert listed(order="changed") == ["b", "c", "a"]
        assert listed(order="title") == ["a", "b", "c"]
        assert listed(order="characters")[0] == "c"
        assert listed(order="title", skip="2") == ["c"]
        assert listed(overdue="true") == []


def test_files_are_uploaded_by_a_form(tmp_path: Path) -> None:
    with served(tmp_path) as (client, memory):
        mark = re.search(r'name="form_mark" value="([^"]+)"', client.get("/admin/documents").text)
        assert mark
        files = [
            ("files", ("a.md", b"# A\n\nRefunds take 7 days.")),
            ("files", ("b.html", b"<title>B</title><p>Post.</p>")),
        ]
        sent = client.post("/admin/documents", data={"form_mark": mark[1]}, files=files[:1])
        assert sent.headers["location"].startswith("/admin/documents/")
        sent = client.post("/admin/documents", data={"form_mark": mark[1]}, files=files)
        assert sent.headers["location"] == "/admin/documents?said=added&order=changed"
        assert [one.source for one in memory.list().documents] == ["a.md", "b.html"]
        refused = client.post(
            "/admin/documents", data={"form_mark": mark[1]}, files=[("files", ("c.exe", b"MZ\x00\x01"))]
        )
        assert refused.status_code == 422
        assert client.post("/admin/documents", files=files).status_code == 403


def test_a_markdown_document_is_read_rendered_and_its_outline_leads_into_it(tmp_path: Path) -> None:
    text = "# Refunds\n\nWe pay **fast**.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## Returns\n\n<script>x</script>\n\nSend it \u202eback."
    with served(tmp_path) as (client, memory):
        found = memory.add_text(source="a.md", text=text)
        shown = client.get(f"/admin/documents/{found.id}").text
        assert "<strong>fast</strong>" in shown
        assert "<table>" in shown
        assert "<script>x" not in shown
        assert "\\u202eback" in shown, "what turns the order of letters is shown"
        leads = re.findall(r'class="row" href="#(c[0-9.]+)"', shown)
        assert leads
        assert [one for one in leads if f'id="{one}"' not in shown] == []
        assert "<strong>" not in client.get(f"/admin/documents/{found.id}?view=chunks").text
        owned = memory.add_text(
            source="b.md", text="---\ntitle: Post\nowner: the desk\n---\n\n# Post\n\nIt leaves at noon."
        )
        article = client.get(f"/admin/documents/{owned.id}").text.partition("<article")[2].partition("</article>")[0]
        assert "It leaves at noon." in article
        assert "owner" not in article, "front matter is no text to read"
