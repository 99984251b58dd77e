"""Axe finds nothing serious on any page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser.chromium import THEMES, Look, browsed, chromium, tour

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from browser.sites import Visit

AXE = Path(__file__).resolve().parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [
    *browsed,
    pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: run `make setup` in a clone"),
]
SAMPLE = frozenset({"today", "ask", "rewrite"})
_RUN = """async () => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  return found.violations.filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((it) => it.html.slice(0, 160) + " " + (it.any[0]?.message ?? "")).join(" | ")}`);
}"""


def _audited(folder: Path, looks: list[Look], names: frozenset[str] = frozenset()) -> tuple[int, list[str]]:
    wrong: list[str] = []
    source = AXE.read_text("utf-8")

    def audit(page: Page, visit: Visit, look: Look) -> None:
        page.evaluate(source)  # a debugger's scripts are not under the page's policy
        wrong.extend(f"{visit.name} {look.theme} {look.width}: {one}" for one in page.evaluate(_RUN))

    with chromium() as browser:
        watch = tour(browser, folder, looks, then=audit, names=names)
    return watch.looked, wrong


@pytest.mark.long
@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_serious_on_any_page(tmp_path: Path, theme: str) -> None:
    looks = [Look(theme=theme, width=1280, languages=("en",)), Look(theme=theme, width=390, languages=("ja",))]
    looked, wrong = _audited(tmp_path, looks)
    assert wrong == []
    assert looked >= 2 * 50


def test_axe_finds_nothing_serious_on_a_sample_of_pages(tmp_path: Path) -> None:
    looked, wrong = _audited(tmp_path, [Look(theme="dark", width=1280, languages=("en",))], SAMPLE)
    assert wrong == []
    assert looked == len(SAMPLE)


def test_axe_sees_what_is_serious() -> None:
    with chromium() as browser:
        page = browser.new_page()
        page.set_content('<html lang="en"><title>A page</title><main><h1>It</h1><button></button></main></html>')
        page.evaluate(AXE.read_text("utf-8"))
        assert any(one.startswith("button-name") for one in page.evaluate(_RUN))
