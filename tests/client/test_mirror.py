"""A server's memory mirrored as Markdown files: the same verbs, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from starlette.testclient import TestClient

from client.test_conformance import ADDRESS, SETTINGS, Carried
from evolore.client import Client
from evolore.integrations.mirror import mirror
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory


def test_a_servers_memory_is_mirrored_like_a_local_one(tmp_path: Path) -> None:
    app = create_app(Memories(tmp_path / "store", embedder=HashingEmbedder(), settings=SETTINGS))
    with TestClient(app, base_url=ADDRESS) as http, Client(ADDRESS, transport=Carried(http)) as client:
        memory, page = cast("Memory", client), tmp_path / "notes" / "Petra.md"
        oven = memory.remember("The deck oven is lit at four.", speaker="Petra", tags=["oven"])
        memory.remember("The mill closes at noon.", speaker="Petra")
        mirror(memory, page.parent)
        lines = page.read_text(encoding="utf-8").replace("at four", "at five").splitlines(keepends=True)
        page.write_text("".join(line for line in lines if "mill" not in line) + "- Rolls sell out.\n", encoding="utf-8")
        memory.remember("会議室は三階です。", speaker="葵")
        done = mirror(memory, page.parent)
        assert [one.deed.value for one in done.steps] == ["retired", "corrected", "remembered", "written"]
        held = {one.text: one for one in memory.list(limit=100).statements if one.valid_to is None}
        assert sorted(held) == ["Rolls sell out.", "The deck oven is lit at five.", "会議室は三階です。"]
        assert held["The deck oven is lit at five."].tags == ("oven",)
        assert oven.id not in page.read_text(encoding="utf-8")
        assert mirror(memory, page.parent).steps == ()
