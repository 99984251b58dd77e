from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore import config
from evolore.errors import InvalidSetting
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "settings.toml"
    monkeypatch.setenv("EVOLORE_CONFIG", str(path))
    return path


def test_without_a_file_everything_has_its_default() -> None:
    settings = config.load()
    assert settings.namespace == "default"
    assert settings.store.name == "memory.evolore"
    assert settings == config.Settings()


def test_the_environment_goes_before_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('namespace = "from file"\n[chunking]\nmax_size = 800\n[recall]\nspeaker_bonus = 0.5\n', "utf-8")
    assert config.load().namespace == "from file"
    assert config.load().chunking.max_size == 800
    assert config.load().recall.speaker_bonus == 0.5
    monkeypatch.setenv("EVOLORE_NAMESPACE", "from environment")
    monkeypatch.setenv("EVOLORE_CHUNKING__MAX_SIZE", "900")
    assert config.load().namespace == "from environment"
    assert config.load().chunking.max_size == 900


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("[chunking]\nmax_size = -3\n", "max_size"),
        ('[recall]\nwindow_share = "much"\n', "recall.window_share"),
        ("colour = 3\n", r"colour is 3: there is no such setting\. Change it"),
        ("[chunking]\ncolour = 3\n", r"chunking\.colour is 3: there is no such setting\. Change it"),
        ("tiers = 3\n", r"tiers is 3: it is a table of settings, not one value\. Change it"),
        ("this is no toml", "not readable as TOML"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(file: Path, written: str, named: str) -> None:
    file.write_text(written, encoding="utf-8")
    with pytest.raises(InvalidSetting, match=named) as caught:
        config.load()
    assert str(file) in str(caught.value)


def test_a_memory_takes_its_store_and_namespace_from_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "here"))
    monkeypatch.setenv("EVOLORE_NAMESPACE", "mine")
    with Memory.open(embedder=HashingEmbedder()) as memory:
        memory.remember("x")
        assert memory.namespace == "mine"
    assert (tmp_path / "here" / "evolore.db").is_file()
