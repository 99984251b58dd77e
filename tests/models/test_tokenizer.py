"""Tokens are counted as the library counts them whose file is given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

from evolore import Chunker, ChunkSettings, Memory, Settings
from evolore.chunking.settings import SizeUnit
from evolore.errors import InvalidSetting, MissingExtra
from evolore.models.offline import HashingEmbedder
from evolore.models.tokenizer import TokenizerFile

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "The pump feeds fuel to the engine. " * 30 + "燃料はポンプで送られる。" * 20 + "👍"


@pytest.fixture(scope="module")
def trained() -> Tokenizer:
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    trainer = BpeTrainer(vocab_size=400, show_progress=False, initial_alphabet=ByteLevel.alphabet())
    tokenizer.train_from_iterator([TEXT], trainer)
    tokenizer.enable_truncation(8)  # pyright: ignore[reportUnknownMemberType] - half typed
    return tokenizer


@pytest.fixture
def file(trained: Tokenizer, tmp_path: Path) -> Path:
    trained.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


def test_every_token_is_counted_once_where_it_starts(file: Path, trained: Tokenizer) -> None:
    starts = TokenizerFile(file).token_starts(TEXT)
    trained.no_truncation()
    assert len(starts) == len(trained.encode(TEXT).ids)
    assert starts == sorted(starts)
    assert TokenizerFile(file).token_starts("a\ud800b")


def test_leaves_hold_about_as_many_tokens_as_were_asked_for(file: Path, trained: Tokenizer) -> None:
    settings = ChunkSettings(target_size=60, max_size=100, min_size=10, size_unit=SizeUnit.TOKENS)
    tree = Chunker(settings, tokenizer=TokenizerFile(file)).chunk(TEXT)
    trained.no_truncation()
    counts = [len(trained.encode(leaf.span.of(TEXT)).ids) for leaf in tree.leaves]
    assert all(count <= 101 for count in counts)  # a cut between two characters of one token makes it two
    assert sum(counts) / len(counts) > 30


def test_a_memory_cuts_by_the_tokenizer_that_is_set(file: Path, tmp_path: Path) -> None:
    chunking = ChunkSettings(target_size=20, max_size=40, min_size=5, size_unit=SizeUnit.TOKENS)
    settings = Settings(chunking=chunking, tokenizer=file)
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder(), settings=settings) as memory:
        assert memory.add_text(TEXT, source="a").episode_count > 10


def test_what_is_no_tokenizer_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidSetting, match="which is no file"):
        TokenizerFile(tmp_path / "none.json")
    (tmp_path / "odd.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidSetting, match="which is no tokenizer"):
        TokenizerFile(tmp_path / "odd.json")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtra, match=r"evolore\[tokens\]"):
        TokenizerFile(tmp_path / "odd.json")
