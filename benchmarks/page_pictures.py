"""Take pictures of every page, and look for what no picture may have: sideways scrolling, errors, requests elsewhere.

    PYTHONPATH=src:tests python benchmarks/page_pictures.py FOLDER [--docs | --moving]

Stores of three languages are filled, served on this machine, and opened in Chromium, as the tests in a browser do. Pictures
land in FOLDER; what is wrong is printed. With `--docs` only the four that the documents show are taken,
with `--moving` three moving ones: a rewrite decided, a question answered and rated, a file uploaded.
"""

from __future__ import annotations

import io
import sqlite3
import sys
import tempfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from browser.chromium import THEMES, WIDTHS, Look, chromium, tour
from browser.sites import DEMO, QUESTIONS, ask, decide, fill, served

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from browser.sites import Site, Visit

WIDEST = 1600
MOST_BYTES = 400_000
UPLOADED = "# Parking\n\nThe gate opens at **7:00**. Guests park on level 2.\n\n| level | who |\n|---|---|\n| 1 | staff |\n| 2 | guests |\n"

BAD_OF = ((6, 11), (7, 12), (5, 10), (8, 15), (6, 14), (5, 13), (5, 16), (3, 13), (4, 17), (2, 14), (2, 19))
"""So many BAD ratings of so many, a week, up to the last."""
_RATED = """
insert into feedback (ns, id, document_id, version, query_id, principal, rating, rated_at)
select ns, ?, ?, 1, '', ?, ?, ? from feedback limit 1
"""


def _rate_weeks(stores: Path, document: str) -> None:
    """Have people rate a document for weeks; through a memory they could only do so now."""
    now = datetime.now(UTC)
    rows = [
        (
            f"week{week:02}-{one:02}",
            document,
            f"reader {week}-{one}",
            "bad" if one < bad else "good",
            (now - timedelta(weeks=len(BAD_OF) - week)).isoformat(timespec="microseconds"),
        )
        for week, (bad, count) in enumerate(BAD_OF)
        for one in range(count)
    ]
    with closing(sqlite3.connect(stores / "store" / "evolore.db")) as database, database:
        database.executemany(_RATED, rows)


def main() -> None:
    """Take them."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as stores:
        if "--moving" in sys.argv:
            moving(folder, Path(stores))
        elif "--docs" in sys.argv:
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
                _rate_weeks(stores, handbook)
            page.goto(f"{site.address}/admin{path}")
            if name == "ask":
                ask(page, "en")
            page.wait_for_timeout(500)
            page.screenshot(path=folder / f"{name}.png")
        context.close()


class Film:
    """Frames of a page, and how long each is shown."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._frames: list[Image.Image] = []
        self._times_ms: list[int] = []

    def show(self, seconds: float = 1.5) -> None:
        """Take a frame."""
        self.page.wait_for_timeout(300)
        self._frames.append(Image.open(io.BytesIO(self.page.screenshot())).convert("RGB"))
        self._times_ms.append(int(1000 * seconds))

    def save(self, path: Path) -> None:
        """Write the frames as an animated WebP."""
        first, *rest = self._frames
        first.save(path, save_all=True, append_images=rest, duration=self._times_ms, loop=0, quality=70, method=6)
        size = path.stat().st_size
        sys.stdout.write(f"{path.name}: {len(self._frames)} frames, {size / 1000:.0f} kB\n")
        assert size <= MOST_BYTES, path


def moving(folder: Path, stores: Path) -> None:
    """Take the moving pictures."""
    job = fill(stores)
    with closing(sqlite3.connect(stores / "store" / "evolore.db")) as database, database:
        database.execute("update documents set source = replace(source, ?, '/srv')", (str(DEMO.parent),))
    uploaded = stores / "parking.md"
    uploaded.write_text(UPLOADED, "utf-8")
    with served(stores) as site, chromium() as browser:
        context = browser.new_context(viewport={"width": 1100, "height": 680}, color_scheme="light", locale="en")
        film = Film(context.new_page())
        _question(film, site)
        film.save(folder / "ask.webp")
        film = Film(film.page)
        _upload(film, site, uploaded)
        film.save(folder / "upload.webp")
        film = Film(film.page)
        _rewrite(film, site, job, stores)
        film.save(folder / "rewrite.webp")
        context.close()


def _question(film: Film, site: Site) -> None:
    page, question = film.page, QUESTIONS["en"]
    page.goto(f"{site.address}/admin/ask?lang=en")
    film.show()
    for end in range(8, len(question) + 8, 8):
        page.fill("#question", question[:end])
        film.show(0.3)
    page.press("#question", "Control+Enter")
    page.wait_for_selector(".answer")
    film.show(3)
    page.click("button[value=good]")
    page.wait_for_selector(".alert-success")
    film.show(2)


def _upload(film: Film, site: Site, uploaded: Path) -> None:
    page = film.page
    page.goto(f"{site.address}/admin/documents?lang=en")
    film.show(2)
    page.set_input_files("#files", uploaded)
    film.show()
    page.click("form[enctype] button")
    page.wait_for_selector(".alert-success")
    film.show(3)
    page.click("nav.nav-pills >> text=Chunks")
    page.wait_for_selector(".chunk")
    film.show(2)


def _rewrite(film: Film, site: Site, job: str, stores: Path) -> None:
    page = film.page
    _rate_weeks(
        stores, next(one.id for one in site.memory.list(limit=50).documents if one.source.endswith("handbook.md"))
    )
    page.goto(f"{site.address}/admin?lang=en")
    film.show(2)
    page.click("main .btn-primary")
    page.wait_for_url(f"**/jobs/{job}")
    film.show(3)
    for _ in range(2):
        page.mouse.wheel(0, 520)
        film.show(2)
    page.click(".verdict-bar .btn-primary")
    page.wait_for_selector(".alert-success")
    film.show(3)


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
