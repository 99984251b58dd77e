from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from evolore.cli import app
from evolore.errors import StoreBusy
from evolore.flows import reembed as reembed_flow
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from typer.testing import Result

    from evolore.ports import TextRole, Vectors


class Better(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__(24)


@pytest.fixture(autouse=True)
def _light_embedders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setattr("evolore.models.e5.E5Embedder", Better)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "team.evolore"
    monkeypatch.setenv("EVOLORE_STORE", str(path))
    evolore("remember", "The red train leaves at nine.")
    evolore("remember", "Elsewhere.", "--namespace", "b")
    return path


def evolore(*arguments: str | Path, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def as_json(*arguments: str | Path, code: int = 0) -> Any:  # noqa: ANN401 - JSON is what these tests look into
    return json.loads(evolore(*arguments, "--json", code=code).stdout)


def test_a_store_is_changed_and_then_refused_with_the_old_embedder(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = evolore("store", "reembed", "--to", "e5", "--dry-run").stdout
    assert "Of 2 texts, 2 would be embedded with hashing-trigrams-24 (24 dimensions). Nothing was changed." in shown
    assert as_json("store", "reembed", "--to", "e5", "--dry-run")["remaining"] == 2
    shown = evolore("store", "reembed", "--to", "e5").stdout
    assert "Changed from hashing-trigrams-64 (64 dimensions) to hashing-trigrams-24 (24 dimensions)" in shown
    assert "2 texts, 2 embedded now. Set embedder = 'e5' in your settings" in shown
    error = as_json("recall", "train", code=3)["error"]
    assert error["kind"] == "EmbedderMismatch"
    assert "hashing-trigrams-24" in error["message"]
    assert "is hashing-trigrams-24 (24 dimensions) already" in evolore("store", "reembed", "--to", "e5").stdout
    monkeypatch.setenv("EVOLORE_EMBEDDER", "e5")
    assert "The red train" in evolore("recall", "train").stdout
    done = as_json("store", "reembed", "--to", "use")
    assert (done["embedded"], done["deleted_vectors"], set(done["events"])) == (
        2,
        3,
        {"b", "default"},
    )  # the question too


def test_what_was_begun_can_be_given_up(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No change of the embedding model was begun." in evolore("store", "reembed", "--abandon").stdout
    monkeypatch.setattr(reembed_flow, "_ROUNDS", 0)
    with Memory.open(store, embedder="use") as memory, pytest.raises(StoreBusy):
        memory.store.reembed("e5")
    shown = evolore("store", "reembed", "--abandon").stdout
    assert "Abandoned the change to hashing-trigrams-24 (24 dimensions): 0 vectors deleted." in shown
    assert as_json("store", "reembed", "--abandon") == {"model": None, "deleted_vectors": 0}
    assert "The red train" in evolore("recall", "train").stdout


def test_wrong_uses_are_told(store: Path, tmp_path: Path) -> None:
    assert "--to use" in as_json("store", "reembed", code=1)["error"]["message"]
    assert "takes no other option" in as_json("store", "reembed", "--to", "e5", "--abandon", code=1)["error"]["message"]
    assert "'use', 'e5'" in as_json("store", "reembed", "--to", "e6", code=1)["error"]["message"]
    assert (
        as_json("store", "reembed", "--to", "e5", "--store", tmp_path / "none", code=1)["error"]["kind"]
        == "NamespaceNotFound"
    )


def test_a_bar_is_shown_on_a_terminal(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.cli.store.sys.stderr.isatty", lambda: True, raising=False)
    assert "Changed from" in evolore("store", "reembed", "--to", "e5").output


def test_ctrl_c_says_what_stands_and_the_same_command_goes_on(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(Better):
        def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
            raise KeyboardInterrupt(len(texts), role)

    monkeypatch.setattr("evolore.models.e5.E5Embedder", Stopped)
    said = evolore("store", "reembed", "--to", "e5", code=130).stderr
    assert "the same command goes on from here, `evolore store reembed --abandon` undoes it" in said
    assert said.endswith("Stopped.\n")
    assert "The red train" in evolore("recall", "train").stdout
    monkeypatch.setattr("evolore.models.e5.E5Embedder", Better)
    assert "2 texts" in evolore("store", "reembed", "--to", "e5").stdout
    assert "goes on from here" not in evolore("store", "reembed", "--to", "e5").stderr
