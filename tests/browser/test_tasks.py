from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from browser.chromium import Watch, browsed, chromium
from browser.sites import QUESTIONS, ask, begin, fill, log_in, served
from evolore.server.keys import Scope

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from playwright.sync_api import Page, ViewportSize

    from browser.sites import Site

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
        assert "statements and passages: 6" in page.inner_text("details.sure[open] p"), "it shows first what goes"
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


@contextmanager
def _reader(folder: Path) -> Generator[tuple[Page, Site]]:
    """Open the first page of a filled store, as somebody does who was given nothing but its address."""
    fill(folder)
    with served(folder) as site, chromium() as browser:
        page = browser.new_page(viewport=DESK, locale="en")
        watch = Watch(address=site.address)
        watch.over(page.context)
        page.goto(site.address)
        page.wait_for_url("**/admin")
        yield page, site
        assert watch.faults == []


def _go(page: Page, name: str) -> None:
    page.click(f".places a >> text='{name}'")


def test_a_document_is_found_by_a_word_of_it_and_erased_after_a_question(tmp_path: Path) -> None:
    with _reader(tmp_path) as (page, site):
        _go(page, "Documents")
        page.fill("#named", "probation")
        page.press("#named", "Enter")
        assert "handbook" in page.inner_text("main tbody tr >> nth=0")
        page.click("main tbody a >> nth=0")
        assert "Probation lasts four months." in page.inner_text("article.rendered")
        count = len(site.memory.list(limit=50).documents)
        page.click("#forget summary")
        assert "It cannot be undone." in page.inner_text("#forget")
        assert len(site.memory.list(limit=50).documents) == count, "it asks first"
        page.click("#forget .btn-danger")
        page.wait_for_selector(".alert-success")
        assert len(site.memory.list(limit=50).documents) == count - 1


def test_a_hit_says_why_it_came_first(tmp_path: Path) -> None:
    with _reader(tmp_path) as (page, _):
        _go(page, "Ask")
        page.fill("#question", "How long do refunds take?")
        page.press("#question", "Control+Enter")
        page.wait_for_selector(".hit")
        why = page.locator(".hit >> nth=0").locator(".terms tr:visible")
        assert why.count() >= 2
        shares = [
            float(one.replace("−", "-"))
            for one in page.locator(".hit >> nth=0").locator(".terms .number").all_inner_texts()
        ]
        assert shares == sorted(shares, reverse=True)
        assert abs(sum(shares) - float(page.inner_text(".hit p >> nth=0").partition("score ")[2][:4])) < 0.01


def test_a_conflict_is_settled_from_the_first_page_and_undone(tmp_path: Path) -> None:
    with _reader(tmp_path) as (page, site):
        page.click("main a >> text=do not fit together")
        assert page.locator("del").inner_text() == "Berlin"
        page.click("button[value=newer]")
        page.wait_for_selector(".alert-success")
        said = {one.text: one for one in site.memory.list(limit=50).statements}
        assert said["The shop is in Berlin."].valid_to is not None
        page.click("main button >> text=Undo")
        page.wait_for_selector("button[value=newer]")


def test_a_statement_is_corrected_from_its_speaker(tmp_path: Path) -> None:
    with _reader(tmp_path) as (page, site):
        _go(page, "People")
        page.click("main tbody a >> text=Mika")
        page.click("#said a >> text=The office is in Hamburg now.")
        page.fill("#text", "The office is in Bremen now.")
        page.click("#correct .btn-primary")
        page.wait_for_selector(".alert-success")
        assert page.inner_text(".said") == "The office is in Bremen now."
        assert "The office is in Bremen now." in {one.text for one in site.memory.list(limit=50).statements}


def test_what_was_rated_bad_this_week_is_found_with_its_reason(tmp_path: Path) -> None:
    with _reader(tmp_path) as (page, site):
        answer = site.memory.answer("How long do refunds take?", principal="ann")
        site.memory.rate(answer.id, "bad", comment="It is ten days since May.", principal="ann")
        site.memory.rate("refunds.md", "bad", comment="The number is old.", principal="ben")
        page.reload()
        page.click(".trend a")
        assert page.locator(".nav-pills [aria-current]").inner_text() == "Rated BAD"
        assert "The number is old." in page.inner_text("#rated")
        row = page.inner_text("main tbody tr")
        assert "How long do refunds take?" in row
        assert "It is ten days since May." in row
        page.click("main tbody a >> nth=0")
        assert "7 business days" in page.inner_text(".answer")


def test_what_a_background_job_did_is_read(tmp_path: Path) -> None:
    with _reader(tmp_path) as (page, site):
        begin(site)
        _go(page, "Jobs")
        page.click("main tbody a >> text=Maintenance >> nth=-1")
        page.wait_for_selector(".log li")
        assert "Done." in page.inner_text(".log")


def test_a_limited_key_reads_and_writes_nothing(tmp_path: Path) -> None:
    with _reader(tmp_path) as (page, site):
        secret = site.key(Scope.ADMIN)
        log_in(page, site.address, secret)
        _go(page, "Keys")
        page.fill("#label", "A guest")
        page.check("[name=scopes][value=read]")
        page.fill("#days", "7")
        page.click("form[action='/admin/keys'] .btn-primary")
        guest = page.inner_text(".secret")
        assert "read" in page.locator("main tbody tr", has_text="A guest").inner_text()
        page.click("button >> text='Log out'")
        log_in(page, site.address, guest)
        _go(page, "Documents")
        assert page.locator("#files").count() == 0
        assert page.locator(".places a >> text='Keys'").count() == 0


def test_a_rewrite_is_approved_and_rolled_back_from_the_first_page(tmp_path: Path) -> None:
    with _reader(tmp_path) as (page, site):
        page.click("main .btn-primary >> text='Review the next'")
        page.click(".verdict-bar .btn-primary")
        page.wait_for_url("**said=approved*")
        assert "10 business days" in (site.memory.outline.tree("refunds.md", with_text=True).text or "")
        _go(page, "Evolution")
        page.click("#history a, #jobs tbody a >> nth=0")
        page.fill("form[action$=rollback] [name=reason]", "too early")
        page.click("form[action$=rollback] .btn")
        page.wait_for_url("**said=rolled_back")
        assert "7 business days" in (site.memory.outline.tree("refunds.md", with_text=True).text or "")
