"""Servers that a browser reaches, and stores that have something on every page."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import uvicorn

from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.background import Kind
from evolore.server.keys import Scope, make_key
from evolore.server.memories import Memories
from evolore.store.service import BackgroundJob
from evolving.complaints import open_memory
from evolving.corrections import outdated
from evolving.scripted import ScriptedEditor
from serving.memories import until

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from playwright.sync_api import Page

    from evolore.memory import Memory
    from evolore.ports import ChatModel
    from evolore.server.house import House

DEMO = Path(__file__).resolve().parents[2] / "demo" / "documents"
LONG = "https://example.org/" + "a-path-without-an-end/" * 12
RIVALS = ("The office is in Berlin.", "The office is in Hamburg now.")
DISPUTED = ("The shop is in Berlin.", "The shop is in Hamburg.")
SAID = ("経費の上限は五千円です。", "仓库每天八点开门。")
QUESTIONS = {"en": "How long do refunds take?", "ja": "経費の上限は？", "zh": "仓库几点开门？"}
NEVER = datetime(2099, 1, 1, tzinfo=UTC)
WRONG_KEY = "no key of anybody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A page that is opened.

    Args:
        name: What its picture is called.
        path: Its address, below ``/admin``.
        act: What is done there before it is looked at; it gets the page and its language.
        status: What the server answers.
        told: What it answers to what is done there.
    """

    name: str
    path: str
    act: Callable[[Page, str], None] | None = None
    status: int = 200
    told: int = 200


@dataclass
class Site:
    """A server on this machine.

    Args:
        address: Where it is reached.
        house: What it holds.
        memories: Its memories.
        work: The background job that it did.
    """

    address: str
    house: House
    memories: Memories
    work: str = ""

    @property
    def memory(self) -> Memory:
        return self.memories.of("default")

    def key(self, *scopes: Scope) -> str:
        """Make a key; from then on everybody needs one."""
        house = self.house
        secret, _ = make_key(house.service, id_=house.new_id(), label="Mika", scopes=scopes, at=house.now())
        house.keys_changed()
        return secret


@contextmanager
def served(folder: Path, *, model: ChatModel | None = None) -> Generator[Site]:
    """Serve a store on a port that is free."""
    memories = Memories(folder / "store", embedder=HashingEmbedder(), chat_model=model or ScriptedEditor())
    app = create_app(memories)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until(lambda: server.started or not thread.is_alive())
    try:
        house: House = app.state.house
        yield Site(address=f"http://127.0.0.1:{listening.getsockname()[1]}", house=house, memories=memories)
    finally:
        server.should_exit = True
        thread.join()


def fill(folder: Path) -> str:
    """Fill a store; give the job that waits in it."""
    filled, job = _template()
    copytree(filled / "store", folder / "store")
    return job


@cache
def _template() -> tuple[Path, str]:
    """Fill a store once in a process, to be copied."""
    folder = Path(mkdtemp(prefix="evolore-pages-"))
    with outdated(folder):
        pass
    with open_memory(folder) as memory:
        for text in RIVALS:
            memory.remember(text, speaker="Mika", session="talk")
    with outdated(folder, model=ScriptedEditor()) as memory:
        memory.add(DEMO)
        memory.add_text("# Long\n\nA page.\n", source=LONG, title="A title that goes on and on and says little " * 4)
        for text in (*DISPUTED, *SAID):
            memory.remember(text, speaker="Mika", session="talk")
        memory.review.note("Look at the office: Berlin or Hamburg?", priority="high")
        return folder, memory.evolve()[0].id


def begin(site: Site) -> None:
    """Have the server do something by itself, now, by a schedule and never, and tell somebody."""
    house = site.house
    house.schedules.make(Kind.EVOLVE, "default", cron="0 3 * * 1-5", zone="Asia/Tokyo", body={})
    house.notifications.make("default", kind="webhook", address="http://127.0.0.1:9/hook", secret="s" * 26)
    site.work = house.background.begin(Kind.MAINTAIN, "default").id
    until(lambda: not house.background.of(site.work, namespace="default").is_open)
    waits = BackgroundJob(
        id="01waits",
        namespace="default",
        kind="maintain",
        subject="",
        state="waiting",
        body={},
        runs_at=NEVER,
        created_at=house.now(),
    )
    house.service.put(waits)
    house.service.say(waits.id, ["It waits for its turn."], at=house.now())


def decide(memory: Memory, job: str) -> None:
    """Approve what waits, and have people say what they think of it."""
    memory.evolution.approve(job, reason="As the news of May says.", principal="Mika")
    for number, rating in enumerate(("good", "good", "bad", "good", "good")):
        memory.rate("refunds.md", rating, comment="It says ten days now.", principal=f"reader {number}")


def ask(page: Page, language: str) -> None:
    """Ask something in a page's language."""
    page.fill("#question", QUESTIONS[language])
    page.click("main .btn-primary")
    page.wait_for_selector(".answer")
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


def _draw(page: Page, language: str) -> None:
    page.wait_for_selector(".graph-canvas canvas, .graph-none:not([hidden])")


def _try_schedule(page: Page, language: str) -> None:
    page.fill("#cron", "often")
    page.click("main .btn-primary")
    page.wait_for_selector("#problem")


def _try_target(page: Page, language: str) -> None:
    page.fill("#address", "nowhere")
    page.click("main .btn-primary")
    page.wait_for_selector("#problem")


def _edit(page: Page, language: str) -> None:
    page.click("summary[data-letter=e]")
    page.fill("#text", page.input_value("#text").replace("The desk decides.", "").replace("10 business", "99 business"))
    page.click("#text ~ .btn")
    page.wait_for_selector("#decide [role=alert]")


def _open_all(page: Page, language: str) -> None:
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")


def _make_key(page: Page, language: str) -> None:
    page.fill("#label", "A reader")
    page.check("[name=scopes][value=read]")
    page.click("main .btn-primary")
    page.wait_for_selector(".secret")


def _log_in_wrongly(page: Page, language: str) -> None:
    page.fill("#key", WRONG_KEY)
    page.click("main .btn-primary")
    page.wait_for_selector("[role=alert]")


PLAIN = (
    Visit(name="today", path=""),
    Visit(name="ask", path="/ask"),
    Visit(name="documents", path="/documents"),
    Visit(name="questions", path="/ask/questions"),
    Visit(name="statements", path="/statements"),
    Visit(name="people", path="/people"),
    Visit(name="graph", path="/graph"),
    Visit(name="evolution", path="/evolution"),
    Visit(name="effects", path="/effects"),
    Visit(name="review", path="/review"),
    Visit(name="running", path="/running"),
    Visit(name="schedules", path="/running/schedules"),
    Visit(name="notifications", path="/running/notifications"),
    Visit(name="keys", path="/keys"),
    Visit(name="audit", path="/audit"),
    Visit(name="reference", path="/reference"),
    Visit(name="types", path="/reference/types"),
)


def waiting(site: Site, job: str) -> tuple[Visit, ...]:
    """List every page of a store in which a rewrite waits."""
    found = site.memory.list(limit=50).documents
    document = next(one.id for one in found if one.source == "refunds.md")
    handbook = next(one.id for one in found if one.source.endswith("handbook.md"))
    long = next(one.id for one in found if one.source == LONG)
    said = site.memory.list(limit=50).statements
    office, shop = (next(one.id for one in said if one.text == text) for text in (RIVALS[0], DISPUTED[0]))
    items = {str(one.category): one.id for one in site.memory.review.list()}
    return (
        *(one for one in PLAIN if one.name not in {"ask", "graph"}),
        Visit(name="ask", path="/ask", act=ask),
        Visit(name="graph", path="/graph", act=_draw),
        Visit(name="graph-document", path=f"/graph?of={handbook}", act=_draw),
        Visit(name="graph-wrong", path="/graph?of=nothing", act=_draw),
        Visit(name="documents-wrong", path="/documents?named=nothing"),
        Visit(name="document", path=f"/documents/{document}"),
        Visit(name="document-handbook", path=f"/documents/{handbook}", act=_open_all),
        Visit(name="document-long", path=f"/documents/{long}"),
        Visit(name="version", path=f"/documents/{document}/versions/1"),
        Visit(name="statements-found", path="/statements?named=shop&state=conflict_pending"),
        Visit(name="statement-superseded", path=f"/statements/{office}", act=_open_all),
        Visit(name="statement-in-conflict", path=f"/statements/{shop}", act=_open_all),
        Visit(name="person", path="/people/Mika", act=_open_all),
        Visit(name="person-unknown", path="/people/Nobody"),
        Visit(name="rewrite", path=f"/evolution/jobs/{job}"),
        Visit(name="rewrite-edited", path=f"/evolution/jobs/{job}", act=_edit),
        *(Visit(name=f"item-{category}", path=f"/review/{id_}") for category, id_ in items.items()),
        Visit(name="work", path=f"/running/jobs/{site.work}"),
        Visit(name="work-waiting", path="/running/jobs/01waits"),
        Visit(name="schedules-wrong", path="/running/schedules", act=_try_schedule, told=422),
        Visit(name="notifications-wrong", path="/running/notifications", act=_try_target, told=422),
        Visit(name="missing", path="/missing", status=404),
    )


def decided(site: Site, job: str) -> tuple[Visit, ...]:
    """List the pages that look otherwise when a rewrite was approved."""
    document = site.memory.show("refunds.md").id
    return (
        Visit(name="decided-today", path="", act=_open_all),
        Visit(name="decided-evolution", path="/evolution"),
        Visit(name="decided-effects", path="/effects"),
        Visit(name="decided-rewrite", path=f"/evolution/jobs/{job}?said=approved", act=_open_all),
        Visit(name="decided-document", path=f"/documents/{document}", act=_open_all),
        Visit(name="decided-version", path=f"/documents/{document}/versions/2"),
        Visit(name="decided-notifications", path="/running/notifications"),
    )


OUTSIDE = (
    Visit(name="login", path="/login"),
    Visit(name="login-wrong", path="/login", act=_log_in_wrongly, told=401),
)
INSIDE = (
    Visit(name="key-today", path=""),
    Visit(name="key-keys", path="/keys"),
    Visit(name="key-made", path="/keys", act=_make_key),
    Visit(name="key-audit", path="/audit"),
)


def log_in(page: Page, address: str, secret: str) -> None:
    """Log in with a key."""
    page.goto(f"{address}/admin/login")
    page.fill("#key", secret)
    page.click("main .btn-primary")
    page.wait_for_url(f"{address}/admin")
