"""What ships is what the prototypes give."""

from __future__ import annotations

from importlib.resources import as_file, files

import numpy as np
import pytest

from evolore.domain.language import Language
from evolore.errors import MissingExtra
from evolore.flows.intent import fit_space
from evolore.models.embedders import embedder_named, shipped_intents
from evolore.ports import EmbeddingModel
from evolore.recall.question import prototype_digest


def test_every_file_was_made_from_the_present_prototypes() -> None:
    found = [file for file in (files("evolore.models") / "intents").iterdir() if file.name.endswith(".npz")]
    assert len(found) == 2
    for file in found:
        with as_file(file) as path, np.load(path) as arrays:
            assert str(arrays["digest"]) == prototype_digest(), "run: python benchmarks/fit_intents.py use e5"


@pytest.mark.parametrize("language", [Language.EN, Language.JA, Language.ZH])
@pytest.mark.parametrize("name", ["use", "e5"])
def test_what_ships_is_what_the_embedder_gives(name: str, language: Language) -> None:
    try:
        embedder = embedder_named(name)
        found = fit_space(embedder, language)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    assert shipped_intents(embedder.model)[language] == pytest.approx(found.to_array(), abs=2e-3)


def test_nothing_ships_for_other_models() -> None:
    assert shipped_intents(EmbeddingModel(id="mine", dimension=8)) == {}
