"""What ships is what the prototypes give."""

from __future__ import annotations

from importlib.resources import as_file, files

import numpy as np
import pytest

from evolore.domain.language import Language
from evolore.flows.intent import IntentSpaces
from evolore.models.shipped_intents import shipped_intents
from evolore.models.use import UseEmbedder
from evolore.ports import EmbeddingModel
from evolore.recall.intent import prototype_digest


def test_every_file_was_made_from_the_present_prototypes() -> None:
    found = [file for file in (files("evolore.models") / "intents").iterdir() if file.name.endswith(".npz")]
    assert len(found) == 2
    for file in found:
        with as_file(file) as path, np.load(path) as arrays:
            assert str(arrays["digest"]) == prototype_digest(), "run: python benchmarks/fit_intents.py use e5"


@pytest.mark.parametrize("language", [Language.EN, Language.JA, Language.ZH])
def test_what_ships_for_the_default_embedder_is_what_it_gives(language: Language) -> None:
    embedder = UseEmbedder()
    shipped = shipped_intents(embedder.model)[embedder.model.id, language]
    assert shipped == pytest.approx(IntentSpaces().of(embedder, language).to_array(), abs=2e-3)


def test_nothing_ships_for_other_models() -> None:
    assert shipped_intents(EmbeddingModel(id="mine", dimension=8)) == {}
