"""Static embeddings, from a tiny model that Model2Vec itself saves here: ten words, and a vector for each."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.config import Settings
from evolore.errors import InvalidSetting, MissingExtra
from evolore.memory import Memory
from evolore.models import static
from evolore.models.static import StaticEmbedder
from evolore.ports import TextRole

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("[UNK]", "boat", "ship", "harbour", "bread", "flour", "the", "is", "in", "bakes")
MEANINGS = ((0, 0, 0), (1, 0, 0), (0.9, 0.1, 0), (0.7, 0.3, 0), (0, 1, 0), (0, 0.9, 0.1), *((0, 0, 0.1),) * 4)


def write_model(folder: Path, *, meanings: object = MEANINGS) -> Path:
    """Have Model2Vec save a model of ten words."""
    model2vec = pytest.importorskip("model2vec", reason="model2vec is not installed")
    from tokenizers import Tokenizer  # noqa: PLC0415 - comes with model2vec
    from tokenizers.models import WordLevel  # noqa: PLC0415 - likewise
    from tokenizers.pre_tokenizers import Whitespace  # noqa: PLC0415 - likewise

    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    model2vec.StaticModel(np.array(meanings, dtype=np.float32), tokenizer).save_pretrained(folder)
    return folder


def test_texts_are_the_mean_of_their_words_as_unit_vectors(tmp_path: Path) -> None:
    embedder = StaticEmbedder(write_model(tmp_path / "tiny"))
    boat, ship, bread = embedder.embed(["the boat", "the ship", "bread is in"], role=TextRole.PASSAGE)
    np.testing.assert_allclose(np.linalg.norm([boat, ship, bread], axis=1), 1.0, atol=1e-6)
    assert boat @ ship > 0.95
    assert boat @ bread < 0.5
    assert boat.dtype == np.float32


def test_a_text_of_unknown_words_has_a_direction_all_the_same(tmp_path: Path) -> None:
    embedder = StaticEmbedder(write_model(tmp_path / "tiny"))
    one, other, known = embedder.embed(["𠮷🍜", "\ud800", "bread"], role=TextRole.QUERY)
    assert one.tolist() == other.tolist() == [1.0, 0.0, 0.0]
    assert known @ one < 0.1
    assert embedder.embed([], role=TextRole.QUERY).shape == (0, 3)


def test_another_process_can_be_handed_it(tmp_path: Path) -> None:
    one = StaticEmbedder(write_model(tmp_path / "tiny"))
    handed: StaticEmbedder = pickle.loads(pickle.dumps(one))
    assert handed.model == one.model
    texts = ["bread", "boat"]
    assert handed.embed(texts, role=TextRole.QUERY).tolist() == one.embed(texts, role=TextRole.QUERY).tolist()


def test_the_name_tells_models_apart_that_lie_in_folders_of_one_name(tmp_path: Path) -> None:
    one = StaticEmbedder(write_model(tmp_path / "a" / "tiny"))
    same = StaticEmbedder(write_model(tmp_path / "b" / "tiny"))
    other = StaticEmbedder(write_model(tmp_path / "c" / "tiny", meanings=np.array(MEANINGS) + 0.5))
    assert one.model == same.model != other.model
    assert one.model.id.startswith("model2vec/tiny-")
    assert one.model.dimension == 3


def test_a_folder_without_a_model_is_refused_and_nothing_is_downloaded(tmp_path: Path) -> None:
    pytest.importorskip("model2vec", reason="model2vec is not installed")
    with pytest.raises(InvalidSetting, match="nothing is downloaded"):
        StaticEmbedder(tmp_path / "minishlab" / "potion-base-8M")
    folder = write_model(tmp_path / "tiny")
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    for broken in (b"", b"\xff" * 64, (2).to_bytes(8, "little") + b"{}", (2).to_bytes(8, "little") + b"[]"):
        weights.write_bytes(broken)
        with pytest.raises(InvalidSetting, match="holds no table of vectors"):
            StaticEmbedder(folder)
    weights.write_bytes(whole[:-8])
    with pytest.raises(InvalidSetting, match="cannot be read"):
        StaticEmbedder(folder).embed(["boat"], role=TextRole.QUERY)


def test_without_the_extra_the_message_says_what_to_type(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(name: str) -> None:
        assert name == "model2vec"

    monkeypatch.setattr(static, "find_spec", missing)
    with pytest.raises(MissingExtra, match=r'pip install "evolore\[model2vec\]"'):
        StaticEmbedder(tmp_path)


def test_a_memory_uses_the_folder_that_the_settings_name(tmp_path: Path) -> None:
    settings = Settings(embedder="model2vec", model2vec=write_model(tmp_path / "tiny"))  # pyright: ignore[reportArgumentType] - as from a file
    with Memory.open(tmp_path / "store", settings=settings) as memory:
        memory.remember("The ship is in.")
        memory.remember("Flour bakes.")
        assert memory.recall("boat").hits[0].text == "The ship is in."
    with pytest.raises(InvalidSetting, match="the setting model2vec is empty"):
        Memory.open(tmp_path / "store", embedder="model2vec", settings=Settings())
