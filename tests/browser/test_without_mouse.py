"""What is done by keyboard alone, without a reload, and without a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser.chromium import Watch, browsed, chromium
from browser.sites import QUESTIONS, fill, served
from evolving.corrections import outdated
from evolving.scripted import NEW, OLD, ScriptedEditor

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from browser.sites import Site

pytestmark = browsed
MOST_KEYS = 120


def _tab_to(page: Page, selector: str) -> int:
    """Press Tab until something has the focus; give how often."""
    for count in range(1, MOST_KEYS):
        page.keyboard.press("Tab")
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            page.wait_for_function(_IS_SEEN, timeout=3000)  # pages scroll softly
            return count
    raise AssertionError(f"no key leads to {selector}")


_IS_SEEN = """() => {
  const one = document.activeElement, look = getComputedStyle(one), place = one.getBoundingClientRect();
  return look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2 && place.bottom > 0 && place.top < innerHeight;
}"""


def _text(site: Site) -> str:
    return site.memory.outline.tree("refunds.md", with_text=True).text or ""


def test_a_rewrite_is_reviewed_approved_and_rolled_back_by_keyboard_alone(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        job = memory.evolve()[0].id
    with served(tmp_path) as site, chromium() as browser:
        page = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en").new_page()
        watch = Watch(address=site.address)
        watch.over(page.context)
        page.goto(f"{site.address}/admin")
        _tab_to(page, f"a[href$='/jobs/{job}']")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/jobs/{job}")
        steps = page.locator("[data-step]").count()
        for _ in range(steps):
            page.keyboard.press("j")
        assert page.evaluate("document.activeElement.id") == "decide"
        page.keyboard.press("k")
        assert page.evaluate("document.activeElement.id") != "decide"
        page.keyboard.press("e")
        assert page.evaluate("document.activeElement.id") == "text"
        page.keyboard.press("Escape")
        page.keyboard.press("r")
        assert page.evaluate("document.activeElement.id") == "why_not"
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        page.keyboard.type("as the news says")
        _tab_to(page, "form[action$=approve] .btn-primary")
        page.keyboard.press("Enter")
        page.wait_for_url("**said=approved")
        assert NEW in _text(site)
        _tab_to(page, "form[action$=rollback] [name=reason]")
        page.keyboard.type("too early")
        page.keyboard.press("Enter")
        page.wait_for_url("**said=rolled_back")
        assert OLD in _text(site)
        assert "too early" in page.inner_text("main")
        assert watch.faults == []


@pytest.mark.long
def test_an_edited_rewrite_is_approved_all_the_same_with_the_reason_that_was_typed(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        job = memory.evolve()[0].id
    with served(tmp_path) as site, chromium() as browser:
        page = browser.new_page()
        page.goto(f"{site.address}/admin/evolution/jobs/{job}?lang=en")
        page.click("summary[data-letter=e]")
        text = page.input_value("#text").replace("The desk decides.", "").replace("10 business", "99 business")
        page.fill("#text", text)
        page.fill("#why_edit", "I know")
        page.click("#text ~ .btn")
        page.wait_for_selector("#decide [role=alert]")
        page.click("#text ~ .btn")
        page.wait_for_url("**said=approved_edited*")
        assert "99 business" in _text(site)
        assert "I know" in page.inner_text("main")


def test_a_question_is_answered_and_rated_without_a_script(tmp_path: Path) -> None:
    fill(tmp_path)
    with served(tmp_path) as site, chromium() as browser:
        page = browser.new_context(java_script_enabled=False).new_page()
        page.goto(f"{site.address}/admin/ask?lang=ja")
        page.fill("#question", QUESTIONS["ja"])
        page.click("main .btn-primary")
        assert "五千円" in page.inner_text(".answer")
        assert page.locator(".hit").count() >= 1
        page.click("button[value=good]")
        page.wait_for_selector(".alert-success")
        page.goto(f"{site.address}/admin/graph")
        assert page.locator(".graph-list li").count() >= 10
        assert page.locator(".graph-canvas").is_hidden()


@pytest.mark.long
def test_a_graph_is_drawn_beside_a_list_that_keys_reach(tmp_path: Path) -> None:
    fill(tmp_path)
    with served(tmp_path) as site, chromium() as browser:
        page = browser.new_page()
        watch = Watch(address=site.address)
        watch.over(page.context)
        page.goto(f"{site.address}/admin/graph?lang=en")
        page.wait_for_selector(".graph-canvas canvas")
        assert page.locator(".graph-canvas").is_visible()
        assert page.evaluate(_PAINTED), "something is drawn"
        _tab_to(page, ".graph-find input")
        page.keyboard.type("Hamburg")
        shown = page.locator(".graph-list li[data-node]:visible")
        assert 1 <= shown.count() <= 3
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.press("Delete")
        _tab_to(page, ".graph-list li[data-node], .graph-list li[data-node] *")
        assert page.locator(".graph-list .chosen").count() == 1
        assert watch.faults == []


_PAINTED = """() => {
  // What WebGL drew is gone after its frame; names are drawn on a plain canvas.
  const names = document.querySelector(".graph-canvas canvas.sigma-labels");
  return names.getContext("2d").getImageData(0, 0, names.width, names.height).data.some((one) => one > 0);
}"""


@pytest.mark.long
def test_where_no_graph_can_be_drawn_its_list_says_the_same(tmp_path: Path) -> None:
    fill(tmp_path)
    with served(tmp_path) as site, chromium("--disable-3d-apis") as browser:
        page = browser.new_page()
        page.goto(f"{site.address}/admin/graph?lang=en")
        page.wait_for_selector(".graph-none:visible")
        assert page.locator(".graph-canvas").is_hidden()
        assert page.locator(".graph-list li[data-node]").count() >= 10
