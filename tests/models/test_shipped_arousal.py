"""What ships for arousal is what the rated sentences give."""

from __future__ import annotations

from importlib.resources import as_file, files

import numpy as np
import pytest

from evolore.errors import MissingExtra
from evolore.flows.arousal import fit_spaces
from evolore.models.named import embedder_named
from evolore.models.shipped import shipped_arousal
from evolore.ports import EmbeddingModel
from evolore.recall.arousal_fitting import LANGUAGES, rated_digest


def test_every_file_was_made_from_the_present_sentences_and_cues() -> None:
    found = [file for file in (files("evolore.models") / "arousal").iterdir() if file.name.endswith(".npz")]
    assert len(found) == 2
    for file in found:
        with as_file(file) as path, np.load(path) as arrays:
            assert str(arrays["digest"]) == rated_digest(), "run: python benchmarks/fit_arousal.py use e5"


@pytest.mark.parametrize("name", ["use", "e5"])
def test_what_ships_is_what_the_embedder_gives(name: str) -> None:
    try:
        embedder = embedder_named(name)
        found = fit_spaces(embedder)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    shipped = shipped_arousal(embedder.model)
    assert set(shipped) == set(found) == set(LANGUAGES)
    for language, space in found.items():
        assert shipped[language] == pytest.approx(space.to_array(), abs=2e-3)


def test_nothing_ships_for_other_models() -> None:
    assert shipped_arousal(EmbeddingModel(id="mine", dimension=8)) == {}
