"""Take pictures of every page, and look for what no picture may have: sideways scrolling, errors, requests elsewhere.

    PYTHONPATH=src:tests python benchmarks/page_pictures.py FOLDER

A store of three languages is filled, served on this machine, and opened in Chromium by `playwright`, which has to be
installed. Pictures land in FOLDER; what is wrong is printed.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn
from evolving.corrections import outdated
from evolving.scripted import ScriptedEditor
from playwright.sync_api import sync_playwright  # pyright: ignore[reportMissingImports] - whoever runs this has it

from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories

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
        server = uvicorn.Server(uvicorn.Config(create_app(memories), port=PORT, log_level="error"))
        threading.Thread(target=server.run, daemon=True).start()
        while not server.started:
            time.sleep(0.05)
        document = memories.of("default").list(limit=1).documents[0].id
        item = memories.of("default").review.list()[0].id
        pages = {
            "today": "",
            "evolution": "/evolution",
            "rewrite": f"/evolution/jobs/{job}",
            "ask": "/ask",
            "documents": "/documents",
            "document": f"/documents/{document}",
            "version": f"/documents/{document}/versions/1",
            "effects": "/effects",
            "review": "/review",
            "item": f"/review/{item}",
            "running": "/running",
            "keys": "/keys",
            "audit": "/audit",
            "missing": "/missing",
        }
        taken, wrong = pictures(pages, folder)
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
        job = memory.evolve()[0].id
    return job


def pictures(pages: dict[str, str], folder: Path) -> tuple[int, list[str]]:
    """Open every page in every language, colours and width; give how many pictures, and what is wrong."""
    taken, wrong = 0, list[str]()
    with sync_playwright() as playwright:
        browser: Any = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for width in (390, 1280, 1600):
            for theme in ("light", "dark"):
                page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme).new_page()
                page.on("console", lambda one: wrong.append(one.text) if one.type == "error" and "404" not in one.text else None)
                page.on("pageerror", lambda one: wrong.append(str(one)))
                page.on("request", lambda one: None if f"127.0.0.1:{PORT}" in one.url else wrong.append(one.url))
                for language in ("en", "ja", "zh"):
                    for name, path in pages.items():
                        page.goto(f"http://127.0.0.1:{PORT}/admin{path}?lang={language}")
                        if name == "ask":
                            page.fill("#question", {"ja": "経費の上限は？", "zh": "仓库几点开门？"}.get(language, "How long do refunds take?"))
                            page.click("main button.main")
                            page.wait_for_selector(".answer")
                        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                        if over > 0:
                            wrong.append(f"{name} {language} {width}: {over} px too wide")
                        page.screenshot(path=folder / f"{name}-{language}-{theme}-{width}.png", full_page=True)
                        taken += 1
        browser.close()
    return taken, wrong


if __name__ == "__main__":
    main()
