"""Take pictures of every page, and look for what no picture may have: sideways scrolling, errors, requests elsewhere.

    PYTHONPATH=src:tests python benchmarks/page_pictures.py FOLDER [--docs]

Stores of three languages are filled, served on this machine, and opened in Chromium, as the tests in a browser do. Pictures
land in FOLDER; what is wrong is printed. With `--docs` only the four that the documents show are taken.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from browser.chromium import THEMES, WIDTHS, Look, chromium, tour
from browser.sites import ask, decide, fill, served

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from browser.sites import Visit

WIDEST = 1600


def main() -> None:
    """Take them."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as stores:
        if "--docs" in sys.argv:
            for_documents(folder, Path(stores))
        else:
            pictures(folder, Path(stores))


def for_documents(folder: Path, stores: Path) -> None:
    """Take the four pictures that the documents show: 1,280 pixels wide, in light colours."""
    job = fill(stores)
    with served(stores) as site, chromium() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 760}, color_scheme="light", locale="en")
        page = context.new_page()
        handbook = next(one.id for one in site.memory.list(limit=50).documents if one.source.endswith("handbook.md"))
        for name, path in (
            ("ask", "/ask"),
            ("review", f"/evolution/jobs/{job}"),
            ("effects", "/effects"),
            ("graph", f"/graph?of={handbook}"),
        ):
            if name == "effects":
                decide(site.memory, job)
            page.goto(f"{site.address}/admin{path}")
            if name == "ask":
                ask(page, "en")
            page.wait_for_timeout(500)
            page.screenshot(path=folder / f"{name}.png")
        context.close()


def pictures(folder: Path, stores: Path) -> None:
    """Open every page in every language, colours and width; print how many, and what is wrong."""

    def take(page: Page, visit: Visit, look: Look) -> None:
        if page.locator(".graph-canvas, .trend").count():
            page.wait_for_timeout(500)
        language = page.locator("html").get_attribute("lang")
        name = f"{visit.name}-{language}-{look.theme}-{look.width}.png"
        page.screenshot(path=folder / name, full_page=True)

    looks = [Look(theme=theme, width=width) for width in (*WIDTHS, WIDEST) for theme in THEMES]
    with chromium() as browser:
        watch = tour(browser, stores, looks, then=take)
    sys.stdout.write(f"{watch.looked} pages looked at, {len(watch.faults)} faults\n")
    sys.stdout.writelines(f"{one}\n" for one in watch.faults)


if __name__ == "__main__":
    main()
