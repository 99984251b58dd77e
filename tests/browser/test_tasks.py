from __future__ import annotations

from typing import TYPE_CHECKING

from browser.chromium import Watch, browsed, chromium
from browser.sites import QUESTIONS, ask, fill, served
from evolore.server.keys import Scope

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import ViewportSize

pytestmark = browsed
DESK: ViewportSize = {"width": 1280, "height": 800}


def test_a_key_is_made_once_shown_once_copied_and_revoked_after_a_question(tmp_path: Path) -> None:
    with served(tmp_path) as site, chromium() as browser:
        page = browser.new_page(viewport=DESK)
        page.goto(f"{site.address}/admin/keys?lang=en")
        page.fill("#label", "Mika")
        page.check("[name=scopes][value=admin]")
        page.click("main .btn-primary")
        assert page.inner_text(".secret").startswith("evo_")
        page.reload()
        assert page.locator(".secret").count() == 0
        assert page.locator("main tbody tr").count() == 1, "F5 makes no second key"
        site.key(Scope.ADMIN)  # else the last one that administers is kept
        page.click("details.sure summary >> nth=0")
        assert page.locator("main tbody tr").count() == 1, "it asks first"
        page.click("details.sure[open] .btn-danger")
        page.wait_for_url("**/login**")  # who revokes their own key is logged out


def test_an_answer_has_an_address_and_back_loses_nothing(tmp_path: Path) -> None:
    fill(tmp_path)
    with served(tmp_path) as site, chromium() as browser:
        page = browser.new_page(viewport=DESK)
        watch = Watch(address=site.address)
        watch.over(page.context)
        page.goto(f"{site.address}/admin/ask?lang=en")
        page.fill("#question", QUESTIONS["ja"])
        page.press("#question", "Control+Enter")
        page.wait_for_selector(".answer")
        address, answer = page.url, page.inner_text(".answer")
        page.click("button[value=bad]")
        page.wait_for_selector(".alert-success")
        page.click("button[value=good]")
        page.wait_for_selector(".alert-success")
        assert page.locator(".r-good").count() == 1, "a rating can be changed"
        page.goto(f"{site.address}/admin/documents")
        page.go_back()
        assert page.inner_text(".answer") == answer
        assert page.url.partition("?")[0] == address.partition("?")[0]
        ask(page, "en")
        page.goto(f"{site.address}/admin/ask/questions?served=good")
        assert page.locator("main tbody tr").count() == 1
        page.click("main tbody a")
        assert page.inner_text(".answer") == answer
        assert watch.faults == []


def test_a_rewrite_is_decided_by_one_click_without_scrolling(tmp_path: Path) -> None:
    job = fill(tmp_path)
    with served(tmp_path) as site, chromium() as browser:
        page = browser.new_page(viewport=DESK)
        watch = Watch(address=site.address)
        watch.over(page.context)
        page.goto(f"{site.address}/admin/evolution/jobs/{job}?lang=en")
        first = page.locator("main h2").first.inner_text()
        assert first == "What readers complained of"
        box = page.locator(".verdict-bar .btn-primary").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= DESK["height"]
        page.check("[data-unified]")
        assert page.locator(".two .at:visible").count() == 0
        page.click(".verdict-bar [data-reaches=e]")
        page.fill("#text", page.input_value("#text").replace("10 business", "12 business"))
        page.wait_for_selector("#preview .two")
        assert "12" in page.inner_text("#preview .two")
        page.reload()
        page.click(".verdict-bar .btn-primary")
        page.wait_for_url("**said=approved*")
        assert "10 business days" in (site.memory.outline.tree("refunds.md", with_text=True).text or "")
        assert watch.faults == []


def test_a_person_is_found_exported_and_erased_without_a_dead_end(tmp_path: Path) -> None:
    fill(tmp_path)
    with served(tmp_path) as site, chromium() as browser:
        page = browser.new_page(viewport=DESK)
        watch = Watch(address=site.address)
        watch.over(page.context)
        page.goto(f"{site.address}/admin?lang=en")
        page.click(".places a[href='/admin/people']")
        page.fill("#named", "mik")
        page.press("#named", "Enter")
        page.click("main tbody a >> nth=0")
        with page.expect_download() as download:
            page.click("a[download]")
        assert "The office is in Berlin." in download.value.path().read_text("utf-8")
        page.click("details.sure summary")
        assert "statements: 6" in page.inner_text("details.sure[open] p"), "it shows first what goes"
        assert len(site.memory.list(limit=50).statements) == 6, "it asks first"
        page.click("details.sure[open] .btn-danger")
        page.wait_for_selector(".alert-success")
        assert site.memory.list(limit=50).statements == ()
        page.go_back()
        assert page.locator(".alert-success").count() == 0
        assert watch.faults == []


def test_a_document_is_uploaded_read_found_in_an_order_and_listed_in_a_file(tmp_path: Path) -> None:
    written = tmp_path / "返金.md"
    written.write_text("# 返金\n\n返金は **7 営業日** 以内です。\n", "utf-8")
    with served(tmp_path) as site, chromium() as browser:
        page = browser.new_page(viewport=DESK)
        watch = Watch(address=site.address)
        watch.over(page.context)
        page.goto(f"{site.address}/admin/documents?lang=ja")
        page.set_input_files("#files", written)
        page.click("form[enctype] button")
        page.wait_for_selector(".alert-success")
        assert page.inner_text("article.rendered strong") == "7 営業日"
        page.click("nav.nav-pills >> text=チャンク")
        page.wait_for_selector(".chunk")
        page.goto(f"{site.address}/admin/documents")
        page.click("main .nav-link >> nth=1")
        page.wait_for_url("**order=changed**")
        assert page.locator("main tbody tr").count() == 1
        with page.expect_download() as awaited:
            page.click("a[download]")
        saved = awaited.value.path().read_bytes().decode("utf-8-sig")
        assert "返金.md" in saved
        assert watch.faults == []
