"""Debian's Chromium, and what it says of a page that no page may have."""

from __future__ import annotations

import re
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from playwright.sync_api import sync_playwright

from browser.sites import INSIDE, OUTSIDE, PLAIN, begin, decide, decided, fill, log_in, served, waiting
from evolore.server.keys import Scope
from evolore.server.languages import LANGUAGES, words_of
from evolore.server.pages.page import assets

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request, WebError

    from browser.sites import Site, Visit

EXECUTABLE = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDTHS = (390, 1280)
THEMES = ("light", "dark")
_PATIENCE_MS = 15_000
OWN_WORDS = frozenset(
    [
        "Evolore",
        "English",
        "CSV",
        "cron",
        "http",
        "https",
        "private",
        "webhooks",
        "Webhook",
        "Mika",
        "reader",
        "scripted",
        "editor",
    ]
)

browsed = [
    pytest.mark.skipif(
        not EXECUTABLE.exists(), reason=f"no browser: {EXECUTABLE} is missing, `apt-get install chromium`"
    ),
    pytest.mark.skipif("pages.css" not in assets(), reason="the pages are not bundled: run `make setup`"),
]
"""What every test in a browser needs."""


_OPEN: list[Browser] = []


@contextmanager
def opened_once() -> Generator[None]:
    """Share one browser among all who open one without flags of their own in this block."""
    with chromium() as browser:
        _OPEN.append(browser)
        try:
            yield
        finally:
            _OPEN.clear()


@contextmanager
def chromium(*flags: str) -> Generator[Browser]:
    """Open a browser that asks nobody for anything."""
    if _OPEN and not flags:
        yield _OPEN[0]
        for context in _OPEN[0].contexts:
            context.close()
        return
    with nullcontext(None) if _OPEN else sync_playwright() as playwright:
        kind = _OPEN[0].browser_type if playwright is None else playwright.chromium
        browser = kind.launch(executable_path=EXECUTABLE, args=[*FLAGS, *flags])
        try:
            yield browser
        finally:
            browser.close()


_TELLING = """
  addEventListener("securitypolicyviolation", (one) => console.error(`content policy: ${one.violatedDirective} ${one.blockedURI} ${one.sample}`));
  window.__hit = (what) => console.error(`executed: ${what}`);
"""


@dataclass
class Watch:
    """What a browser complains of, asks of others, and is made to do.

    Args:
        address: The server that pages may ask.
        at: The page that is looked at.
        status: What the server answers it.
        faults: Each with its page.
        looked: How many pages were looked at.
    """

    address: str = ""
    at: str = ""
    status: int = 200
    faults: list[str] = field(default_factory=list[str])
    looked: int = 0

    def over(self, context: BrowserContext) -> None:
        """Take down what the pages of a context do."""
        context.add_init_script(_TELLING)
        context.on("console", self._console)
        context.on("request", self._request)
        context.on("weberror", self._error)
        context.on("dialog", self._dialog)

    def add(self, what: str) -> None:
        """Take down a fault of the page that is looked at."""
        self.faults.append(f"{self.at}: {what}")

    def _console(self, message: ConsoleMessage) -> None:
        is_answer = f"status of {self.status}" in message.text and self.status != 200
        if message.type == "error" and not is_answer:
            self.add(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((f"{self.address}/", "data:")):
            self.add(f"request elsewhere: {request.url}")

    def _error(self, error: WebError) -> None:
        self.add(f"error: {error.error}")

    def _dialog(self, dialog: Dialog) -> None:
        self.add(f"dialog: {dialog.message}")
        dialog.dismiss()

    def visit(self, page: Page, visit: Visit, *, language: str) -> None:
        """Open a page in a language, and look for what no page may have."""
        width = (page.viewport_size or {"width": 0})["width"]
        self.at, self.status = f"{visit.name} {language} {width}", visit.status
        joined = "&" if "?" in visit.path else "?"
        came = page.goto(f"{self.address}/admin{visit.path}{joined}lang={language}")
        if came is None or came.status != visit.status:
            self.add(f"answered {came and came.status}")
        if visit.act is not None:
            self.status = visit.told
            visit.act(page, language)
        self.look(page, language)

    def look(self, page: Page, language: str) -> None:
        """Look for sideways scrolling and texts in another language."""
        self.looked += 1
        over: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            self.add(f"{over} px too wide")
        for text in untranslated(page, language):
            self.add(f"untranslated: {text}")


_TEXTS = """(quoted) => {
  const texts = [];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.currentNode; node; node = walker.nextNode()) {
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (element.closest(quoted) || element.closest("[lang]").lang !== document.documentElement.lang) continue;
    if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
    else for (const name of ["title", "aria-label", "placeholder", "alt"]) if (element.hasAttribute(name)) texts.push(element.getAttribute(name));
  }
  return texts.map((one) => one.trim()).filter(Boolean);
}"""
QUOTED = "title, bdi, q, code, pre, script, textarea, time, .code, .passage, .answer, .tag, .graph-text"
"""What people and models wrote stands in these, in whatever language."""


@cache
def _known(language: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """Give a form of every text's name, and the words in Latin letters that a language's own texts hold."""
    words = words_of(language)
    keys = re.compile("|".join(rf"\b{re.escape(one)}\b" for one in words))
    return keys, frozenset(re.findall(r"[A-Za-z]{2,}", " ".join(words.values())))


def untranslated(page: Page, language: str) -> tuple[str, ...]:
    """Give the texts of a page that are names of texts or, where its language is not English, words of English."""
    keys, known = _known(language)
    texts: list[str] = page.evaluate(_TEXTS, QUOTED)
    wrong = [one for one in texts if keys.search(one)]
    if language != "en":
        own = known | OWN_WORDS | set(LANGUAGES.values())
        wrong += [one for one in texts if set(re.findall(r"[A-Za-z]{2,}", one)) - own]
    return tuple(wrong)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How pages are looked at.

    Args:
        theme: In which colours.
        width: How wide, in pixels.
        languages: In which languages.
    """

    theme: str
    width: int
    languages: tuple[str, ...] = tuple(LANGUAGES)


def tour(
    browser: Browser,
    folder: Path,
    looks: Iterable[Look],
    *,
    then: Callable[[Page, Visit, Look], None] = lambda _page, _visit, _look: None,
    names: frozenset[str] = frozenset(),
) -> Watch:
    """Open every page, of a store with nothing in it, with a rewrite that waits, with one that was approved, and with keys.

    Args:
        browser: The browser.
        folder: Where the stores are made.
        looks: How each page is opened.
        then: What is done with each page.
        names: The pages that are opened; none for all.

    Returns:
        What was wrong.
    """
    watch, looks = Watch(), tuple(looks)

    def go(site: Site, visits: Iterable[Visit], secret: str = "") -> None:
        watch.address = site.address
        chosen = [one for one in visits if not names or one.name in names]
        for look in looks if chosen else ():
            _opened(browser, watch, chosen, look, then=then, secret=secret)

    if not names:
        with served(folder / "empty") as site:
            go(site, [replace(one, name=f"empty-{one.name}") for one in PLAIN])
    job = fill(folder / "full")
    with served(folder / "full") as site:
        begin(site)
        go(site, waiting(site, job))
        decide(site.memory, job)
        go(site, decided(site, job))
        secret = site.key(Scope.ADMIN)
        go(site, OUTSIDE)
        go(site, INSIDE, secret)
    return watch


def _opened(
    browser: Browser,
    watch: Watch,
    visits: Iterable[Visit],
    look: Look,
    *,
    then: Callable[[Page, Visit, Look], None],
    secret: str,
) -> None:
    theme: Literal["light", "dark"] = "dark" if look.theme == "dark" else "light"
    context = browser.new_context(viewport={"width": look.width, "height": 900}, color_scheme=theme)
    context.set_default_timeout(_PATIENCE_MS)
    watch.over(context)
    page = context.new_page()
    if secret:
        log_in(page, watch.address, secret)
    for language in look.languages:
        for visit in visits:
            watch.visit(page, visit, language=language)
            then(page, visit, look)
    context.close()
