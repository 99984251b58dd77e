"""Every page in light and dark, in three languages, on a phone and a desk: nothing is complained of, asked elsewhere or too wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser.chromium import THEMES, WIDTHS, Look, Watch, browsed, chromium, tour, untranslated
from browser.sites import served

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = browsed
SAMPLE = frozenset({"today", "ask", "graph-document", "rewrite", "document-long", "schedules-wrong"})


@pytest.mark.long
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", THEMES)
def test_no_page_has_a_fault(tmp_path: Path, theme: str, width: int) -> None:
    with chromium() as browser:
        watch = tour(browser, tmp_path, [Look(theme=theme, width=width)])
    assert watch.faults == []
    assert watch.looked >= 3 * 50


def test_a_sample_of_pages_has_no_fault(tmp_path: Path) -> None:
    looks = (Look(theme="dark", width=390, languages=("ja",)), Look(theme="light", width=1280, languages=("zh",)))
    with chromium() as browser:
        watch = tour(browser, tmp_path, looks, names=SAMPLE)
    assert watch.faults == []
    assert watch.looked == 2 * len(SAMPLE)


def test_each_fault_is_seen_where_there_is_one(tmp_path: Path) -> None:
    with served(tmp_path) as site, chromium() as browser:
        context = browser.new_context()
        watch = Watch(address=site.address)
        watch.over(context)
        page = context.new_page()
        page.goto(f"{site.address}/admin?lang=en")
        assert watch.faults == []
        page.evaluate(
            """() => {
              const script = document.createElement("script");
              script.textContent = "1";
              const wide = document.createElement("p");
              wide.style.width = "3000px";
              wide.textContent = "nav.today";
              document.body.append(script, wide);
              console.error("told");
              setTimeout(() => { throw new Error("thrown"); });
              fetch("http://localhost:9/").catch(() => {});
              alert("asked");
              __hit("ran");
            }"""
        )
        page.wait_for_timeout(200)
        watch.look(page, "en")
        seen = "\n".join(watch.faults)
        for what in (
            "content policy",
            "told",
            "thrown",
            "dialog: asked",
            "executed",
            "too wide",
            "untranslated: nav.today",
        ):
            assert what in seen, (what, seen)
        assert "localhost:9" in seen
        assert len(untranslated(page, "ja")) >= 20, "a page in English is not one in Japanese"
        context.close()
