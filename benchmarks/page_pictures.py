"""Take pictures of every page, and look for what no picture may have: sideways scrolling, errors, requests elsewhere.

    PYTHONPATH=src:tests python benchmarks/page_pictures.py FOLDER [--docs]

A store of three languages is filled, served on this machine, and opened in Chromium by `playwright`, which has to be
installed. Pictures land in FOLDER; what is wrong is printed. With `--docs` only the four that the documents show are taken.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.background import Kind
from evolore.server.memories import Memories

if TYPE_CHECKING:
    from evolore.memory import Memory

outdated: Any = import_module("evolving.corrections").outdated  # the tests' own store and model
ScriptedEditor: Any = import_module("evolving.scripted").ScriptedEditor

PORT = 8793
DEMO = Path(__file__).resolve().parent.parent / "demo" / "documents"
LONG = "https://example.org/" + "a-path-without-an-end/" * 12
SAID = ("The office is in Berlin.", "The office is in Hamburg now.", "経費の上限は五千円です。", "仓库每天八点开门。")


def main() -> None:
    """Take them."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as store:
        job = fill(Path(store))
        memories = Memories(Path(store) / "store", embedder=HashingEmbedder(), chat_model=ScriptedEditor())
        app = create_app(memories)
        server = uvicorn.Server(uvicorn.Config(app, port=PORT, log_level="error"))
        threading.Thread(target=server.run, daemon=True).start()
        while not server.started:
            time.sleep(0.05)
        document = memories.of("default").list(limit=1).documents[0].id
        item = memories.of("default").review.list()[0].id
        if "--docs" in sys.argv:
            for_documents(folder, memories.of("default"), job)
            server.should_exit = True
            return
        work = begin(app)
        pages = {
            "today": "",
            "evolution": "/evolution",
            "rewrite": f"/evolution/jobs/{job}",
            "ask": "/ask",
            "documents": "/documents",
            "graph": "/graph",
            "document": f"/documents/{document}",
            "version": f"/documents/{document}/versions/1",
            "effects": "/effects",
            "review": "/review",
            "item": f"/review/{item}",
            "running": "/running",
            "background": f"/running/jobs/{work}",
            "schedules": "/running/schedules",
            "notifications": "/running/notifications",
            "keys": "/keys",
            "audit": "/audit",
            "missing": "/missing",
        }
        taken, wrong = pictures(pages, folder)
        decide(memories.of("default"), job)
        more = {name: pages[name] for name in ("today", "evolution", "rewrite", "document", "effects")}
        more["version"] = f"/documents/{document}/versions/2"
        more_taken, more_wrong = pictures({f"{name}-decided": path for name, path in more.items()}, folder)
        taken, wrong = taken + more_taken, wrong + more_wrong
        sys.stdout.write(f"{taken} pictures, {len(wrong)} faults\n" + "".join(f"{one}\n" for one in wrong))
        server.should_exit = True


def fill(folder: Path) -> str:
    """Fill a store; give the job that waits in it."""
    with outdated(folder, model=ScriptedEditor()) as memory:
        memory.add(DEMO)
        memory.add_text("# Long\n\nA page.\n", source=LONG, title="A title that goes on and on and says little " * 4)
        for text in SAID:
            memory.remember(text, speaker="Mika", session="talk")
        memory.review.note("Look at the office: Berlin or Hamburg?", priority="high")
        return memory.evolve()[0].id


def decide(memory: Memory, job: str) -> None:
    """Approve what waits, and have people say what they think of it."""
    memory.evolution.approve(job, reason="As the news of May says.", principal="Mika")
    for number, rating in enumerate(("good", "good", "bad", "good", "good")):
        memory.rate("refunds.md", rating, comment="It says ten days now.", principal=f"reader {number}")


def begin(app: Any) -> str:  # noqa: ANN401 - a state may hold anything
    """Have the server do something by itself, now and by a schedule, and tell somebody; give the job."""
    house = app.state.house
    house.schedules.make(Kind.EVOLVE, "default", cron="0 3 * * 1-5", zone="Asia/Tokyo", body={})
    return house.background.begin(Kind.MAINTAIN, "default").id


def for_documents(folder: Path, memory: Memory, job: str) -> None:
    """Take the four pictures that the documents show: 1,280 pixels wide, in light colours."""
    driver: Any = import_module("playwright.sync_api")
    with driver.sync_playwright() as playwright:
        browser: Any = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_context(
            viewport={"width": 1280, "height": 760}, color_scheme="light", locale="en"
        ).new_page()
        handbook = next(one.id for one in memory.list(limit=50).documents if one.source.endswith("handbook.md"))
        for name, path in (
            ("ask", "/ask"),
            ("review", f"/evolution/jobs/{job}"),
            ("effects", "/effects"),
            ("graph", f"/graph?of={handbook}"),
        ):
            if name == "effects":
                decide(memory, job)
            page.goto(f"http://127.0.0.1:{PORT}/admin{path}")
            settle(page, name, "en")
            page.screenshot(path=folder / f"{name}.png")
        browser.close()


def settle(page: Any, name: str, language: str) -> None:  # noqa: ANN401 - of a package without types
    """Ask what a page is to answer, and wait for what scripts draw."""
    if name == "ask":
        page.fill(
            "#question", {"ja": "経費の上限は？", "zh": "仓库几点开门？"}.get(language, "How long do refunds take?")
        )
        page.click("main .btn-primary")
        page.wait_for_selector(".answer")
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    if name.startswith(("graph", "today", "effects")):
        page.wait_for_timeout(500)


def listen(page: Any, wrong: list[str]) -> None:  # noqa: ANN401 - of a package without types
    """Take down what a page complains of, and what it asks of others."""

    def complained(message: Any) -> None:  # noqa: ANN401 - likewise
        if message.type == "error" and "404" not in message.text:
            wrong.append(message.text)

    def asked(request: Any) -> None:  # noqa: ANN401 - likewise
        if f"127.0.0.1:{PORT}" not in request.url:
            wrong.append(request.url)

    def broke(error: Any) -> None:  # noqa: ANN401 - likewise
        wrong.append(str(error))

    page.on("console", complained)
    page.on("request", asked)
    page.on("pageerror", broke)


def pictures(pages: dict[str, str], folder: Path) -> tuple[int, list[str]]:
    """Open every page in every language, colours and width; give how many pictures, and what is wrong."""
    taken, wrong = 0, list[str]()
    driver: Any = import_module("playwright.sync_api")  # whoever runs this has it
    with driver.sync_playwright() as playwright:
        browser: Any = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for width in (390, 1280, 1600):
            for theme in ("light", "dark"):
                page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme).new_page()
                listen(page, wrong)
                for language in ("en", "ja", "zh"):
                    for name, path in pages.items():
                        page.goto(f"http://127.0.0.1:{PORT}/admin{path}?lang={language}")
                        settle(page, name, language)
                        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                        if over > 0:
                            wrong.append(f"{name} {language} {width}: {over} px too wide")
                        page.screenshot(path=folder / f"{name}-{language}-{theme}-{width}.png", full_page=True)
                        taken += 1
        browser.close()
    return taken, wrong


if __name__ == "__main__":
    main()
