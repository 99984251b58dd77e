"""Nothing that people, files or models write runs as a script, on any page that shows it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Error

from browser.chromium import Watch, browsed, chromium
from browser.sites import NEVER, Site, log_in, served
from evolore.domain.document import MediaType
from evolore.errors import EvoloreError
from evolore.server.background import Kind
from evolore.server.keys import Scope, make_key
from evolore.store.service import FAILED, BackgroundJob
from evolving.corrections import outdated
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Page

    from evolore.memory import Memory

pytestmark = browsed
STRINGS = tuple((Path(__file__).parents[1] / "data" / "xss.txt").read_text("utf-8").strip("\n").split("\n"))
_LONGEST_REASON = 9_000


_SAID = '<script>__hit()</script><img src=x onerror=__hit()>" onfocus=__hit() autofocus x="'
"""Models are kept short."""


class EvilEditor(ScriptedEditor):
    """A chat model whose reasons are markup."""

    def _evolution_write(self, data: Any) -> Any:  # noqa: ANN401 - as the model it is made from
        wrote = super()._evolution_write(data)
        return {"edits": [{**one, "reason": _SAID} for one in wrote["edits"]]}

    def _evolution_judge_facts(self, data: Any) -> Any:  # noqa: ANN401 - likewise
        judged = super()._evolution_judge_facts(data)
        return {"pairs": [{**one, "reason": _SAID} for one in judged["pairs"]]}


def _joined(strings: Sequence[str]) -> str:
    return " ".join(strings)[:_LONGEST_REASON]


def _label(evil: str) -> str:
    """Give a string as far as it may be a name: without blanks at its ends and what cannot be seen."""
    return "".join(one for one in evil if one.isprintable()).strip()[:100]


def _plant(memory: Memory, strings: Sequence[str]) -> tuple[list[str], list[str]]:
    """Put strings wherever people write; give the documents and review items that hold them."""
    documents, items = list[str](), list[str]()
    for number, evil in enumerate(strings):
        document = memory.add_text(
            f"# Page {number}\n\n{evil}\n\n## {evil}\n\nThe desk decides at {number}. {evil}\n",
            source=f"{number}{evil}.md",
            title=evil,
            media_type=MediaType.MARKDOWN,
            tags=[_label(evil)],
            metadata={"a": evil},
        )
        id_ = document.id
        assert id_ is not None
        documents.append(id_)
        memory.rate(id_, "bad", comment=evil, principal=_label(evil))
        memory.remember(f"{evil} said {number}", speaker=_label(evil), session=_label(evil), tags=[_label(evil)])
        if number % 4 == 0:
            told = _joined(strings[number : number + 4])
            item = memory.review.note(told, priority="urgent", about=id_).id
            assert item is not None
            items.append(item)
    memory.review.resolve(items[0], note=_joined(strings))
    return documents, items


def _files(folder: Path, strings: Sequence[str]) -> int:
    """Write files that are called so, as far as a file may be; give how many there are."""
    folder.mkdir()
    for evil in strings:
        if "/" not in evil and "\x00" not in evil and len(evil.encode()) < 200:
            (folder / f"{evil}.md").write_text(f"# {evil}\n\nA file. {evil}\n", "utf-8")
    return len(list(folder.iterdir()))


def _work(site: Site, strings: Sequence[str]) -> list[str]:
    """Have jobs, schedules and targets bear strings; give the jobs."""
    house, made = site.house, list[str]()
    for number in range(0, len(strings), 8):
        evil = strings[number : number + 8]
        job = BackgroundJob(
            id=f"01evil{number}",
            namespace="default",
            kind="add",
            subject=f"{number} {_joined(evil)}",
            state=FAILED,
            body={},
            runs_at=NEVER,
            created_at=house.now(),
            error=_joined(evil),
        )
        house.service.put(job)
        house.service.say(job.id, evil, at=house.now())
        made.append(job.id)
        with suppress(EvoloreError):
            house.notifications.make(
                "default", kind="webhook", address=f"http://127.0.0.1:9/{quote(evil[0])}?{evil[-1]}", secret="s" * 26
            )
        with suppress(EvoloreError):
            house.schedules.make(Kind.EVOLVE, "default", cron="0 3 * * *", zone="UTC", body={"documents": list(evil)})
    return made


def _reviewed(memory: Memory, strings: Sequence[str]) -> str:
    """Approve a rewrite, and take it back, with strings for reasons; give its job."""
    job = memory.evolve()[0].id
    memory.evolution.approve(job, reason=_joined(strings), principal=_label(strings[0]))
    promotion = memory.evolution.show(job).promotions[0].id
    memory.evolution.rollback(promotion, reason=_joined(strings), principal=_label(strings[1]))
    return job


def _paths(site: Site, strings: Sequence[str], documents: Sequence[str], items: Sequence[str]) -> Iterator[str]:
    yield from ("", "/documents", "/graph", "/evolution", "/effects", "/review", "/review?status=resolved")
    yield from ("/running", "/running/schedules", "/running/notifications", "/audit")
    yield from (f"/documents/{one}" for one in documents)
    yield from (f"/documents/{one}/versions/1" for one in documents[::6])
    yield from (f"/graph?of={one}" for one in documents[::6])
    yield from (f"/review/{one}" for one in items)
    for evil in strings[::3]:
        said = quote(evil, safe="")
        yield f"/documents?named={said}&said={said}&lang={said}&theme={said}"
        yield f"/graph?of={said}"
    yield from (f"/{quote(evil, safe='')}" for evil in strings[::12])


def _shown_by_all_pages(folder: Path, strings: Sequence[str]) -> tuple[int, list[str]]:
    """Open every page of a store that holds strings; give how many were opened, and what happened."""
    with outdated(folder, model=EvilEditor()) as memory:
        job = _reviewed(memory, strings)
        documents, items = _plant(memory, strings)
        assert _files(folder / "files", strings) >= len(strings) // 3
        memory.add(folder / "files")
        documents += [
            one.id for one in memory.list(limit=500).documents if "A file." in one.title or "/files/" in one.source
        ]
    opened = 0
    with served(folder, model=EvilEditor()) as site, chromium() as browser:
        work = [f"/running/jobs/{one}" for one in _work(site, strings)]
        watch = Watch(address=site.address)
        context = browser.new_context()
        watch.over(context)
        page = context.new_page()
        for path in (f"/evolution/jobs/{job}", *work, *_paths(site, strings, documents, items)):
            opened += _opened(page, watch, path)
        opened += _asked(page, watch, strings)
        opened += _labelled(page, watch, site, strings)
        page.wait_for_timeout(300)
        context.close()
    return opened, watch.faults


def _opened(page: Page, watch: Watch, path: str) -> int:
    watch.at = path[:120]
    watch.status = 200
    came = page.goto("about:blank") or page.goto(f"{watch.address}/admin{path}", wait_until="commit")
    watch.status = came.status if came else 0
    page.wait_for_load_state()
    assert watch.status in {200, 404, 422}, path
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    return 1


def _asked(page: Page, watch: Watch, strings: Sequence[str]) -> int:
    """Ask what is a script itself, and narrow it down by one."""
    watch.status = 200
    page.goto(f"{watch.address}/admin/ask?lang=en")
    asked = strings[::9]
    for evil in asked:
        watch.at = f"ask {evil}"
        page.fill("#question", f"{evil} said")
        with page.expect_response("**/admin/ask"):
            page.click("main .btn-primary")
        page.wait_for_selector(".hit, .empty")
    return len(asked)


def _labelled(page: Page, watch: Watch, site: Site, strings: Sequence[str]) -> int:
    """Make keys that are called so, and look at them and at what they did."""
    house = site.house
    secret = site.key(Scope.ADMIN)
    for evil in strings:
        with suppress(EvoloreError):
            make_key(
                house.service,
                id_=house.new_id(),
                label=evil,
                scopes=[Scope.READ],
                namespaces=[],
                at=house.now(),
                expires_at=None,
            )
    log_in(page, watch.address, secret)
    return sum(_opened(page, watch, path) for path in ("/keys", "/audit", ""))


@pytest.mark.long
def test_no_string_runs_on_any_page(tmp_path: Path) -> None:
    opened, faults = _shown_by_all_pages(tmp_path, STRINGS)
    assert faults == []
    assert opened >= 2 * len(STRINGS)


def test_no_string_of_a_sample_runs_on_any_page(tmp_path: Path) -> None:
    opened, faults = _shown_by_all_pages(tmp_path, STRINGS[::240])
    assert faults == []
    assert opened >= 2 * len(STRINGS[::240])


@pytest.mark.long
def test_many_of_the_strings_would_run() -> None:
    assert len(set(STRINGS)) == len(STRINGS) >= 200
    ran, tried = set[str](), STRINGS[::3]
    with chromium() as browser:
        context = browser.new_context()
        context.set_default_timeout(2000)
        context.route("**/*", lambda route: route.abort())
        watch = Watch()
        watch.over(context)
        for evil in tried:
            watch.faults.clear()
            page = context.new_page()
            with suppress(Error):  # one that leads the page away ends what is written to it
                page.set_content(f'<p title="{evil}">{evil}</p><a href="{evil}">x</a>')
                page.wait_for_timeout(20)
            page.close()
            if any("executed" in one for one in watch.faults):
                ran.add(evil)
    assert len(ran) >= len(tried) // 3
