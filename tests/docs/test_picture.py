from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from docs.scripts import Picture


def test_the_picture_shows_what_a_run_recalls(drawing: Picture) -> None:
    assert drawing.PICTURE.read_text(encoding="utf-8") == drawing.picture(), "run: python docs/generate_picture.py"


def test_the_picture_is_small_and_moves_without_a_script(drawing: Picture) -> None:
    drawn = drawing.PICTURE.read_text(encoding="utf-8")
    kinds = {one.tag.rpartition("}")[2] for one in ET.fromstring(drawn).iter()}
    assert kinds == {"svg", "style", "rect", "text", "tspan", "path", "g"}
    assert len(drawn.encode()) < 40_000
    assert "prefers-reduced-motion:reduce" in drawn
    assert "prefers-color-scheme:dark" in drawn
