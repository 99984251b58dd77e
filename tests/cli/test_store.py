from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from builders import damage
from evolore.cli import app
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def _light_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the commands on the shipped stand-in: what they show does not depend on the model."""
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "team.evolore"
    monkeypatch.setenv("EVOLORE_STORE", str(path))
    evolore("remember", "The red train leaves at nine.")
    return path


def evolore(*arguments: str | Path, code: int = 0, given: bytes | None = None) -> Result:
    result = RUNNER.invoke(app, [str(argument) for argument in arguments], input=given)
    assert result.exit_code == code, result.output
    return result


def as_json(*arguments: str | Path, code: int = 0) -> Any:  # noqa: ANN401 - JSON is what these tests look into
    return json.loads(evolore(*arguments, "--json", code=code).stdout)


@pytest.mark.parametrize("all_namespaces", [(), ("--all",)])
def test_verify_refuses_a_store_that_is_not_there(tmp_path: Path, all_namespaces: tuple[str, ...]) -> None:
    shown = evolore("store", "verify", *all_namespaces, "--store", tmp_path / "typo", code=1).output
    assert "There is no store at" in shown
    assert not (tmp_path / "typo").exists()


def test_audit_lists_what_should_not_be_there_and_shows_no_secret(store: Path) -> None:
    assert evolore("store", "audit").stdout == "Looked at 1 text. Findings: 0.\n"
    said = evolore("remember", "The wifi password is Otter42!x.")
    assert "It seems to hold a secret: password in text, line 1." in said.stderr
    shown = evolore("store", "audit", code=1).stdout
    assert f"secret: {said.stdout.strip()}: A statement: password in text, line 1." in shown
    assert f"  evolore forget {said.stdout.strip()}" in shown
    assert "Otter42" not in shown
    assert as_json("store", "audit", code=1)["findings"][0]["kind"] == "secret"
    (note := store.parent / "note.md").write_text("password: zu6WC!gyOK9\n")
    assert "It seems to hold a secret: password in text, line 1." in evolore("add", note).stderr


def test_verify_says_whether_everything_is_as_it_was_written(store: Path) -> None:
    assert evolore("store", "verify").stdout == "default: whole; 1 event, 1 text compared, 0 forgotten.\n"
    evolore("remember", "Elsewhere.", "--namespace", "b")
    assert [chain["namespace"] for chain in as_json("store", "verify", "--all")["chains"]] == ["b", "default"]
    damage(store, "update payloads set text = 'The red train leaves at ten.'")
    shown = evolore("store", "verify", code=1).stdout
    assert "texts were changed" in shown
    assert "not as it was written: 01" in shown
    damage(store, "update events set body = '{}'")
    assert "broken at event 1" in evolore("store", "verify", "--namespace", "b", code=1).stdout
    assert as_json("store", "verify", code=1)["chains"][0]["broken_event"] == 1
    assert "none: whole; 0 events" in evolore("store", "verify", "--namespace", "none").stdout


def test_doctor_finds_repairs_and_says_what_it_cannot(store: Path) -> None:
    assert evolore("store", "doctor").stdout == "Checked: default. Nothing is wrong.\n"
    damage(store, "delete from index_log")
    shown = evolore("store", "doctor", code=1).stdout
    assert "index_log: default: " in shown
    assert "`evolore store doctor --repair` mends it." in shown
    assert "Findings: 1." in shown
    assert as_json("store", "doctor", code=1)["findings"][0]["can_be_repaired"] is True
    assert "Repaired." in evolore("store", "doctor", "--repair").stdout
    assert as_json("store", "doctor")["findings"] == []
    damage(store, "delete from payloads")
    shown = evolore("store", "doctor", "--repair", code=1).stdout
    assert "text_lost: default: " in shown
    assert "backup" in shown
    evolore("remember", "Elsewhere.", "--namespace", "b")
    assert as_json("store", "doctor", "--namespace", "b")["namespaces"] == ["b"]


def test_a_backup_is_a_store_like_any_other(store: Path, tmp_path: Path) -> None:
    assert "Copied to" in evolore("store", "backup", tmp_path / "copy").stdout
    assert "The red train" in evolore("recall", "train", "--store", tmp_path / "copy").stdout
    assert as_json("store", "backup", tmp_path / "copy", code=1)["error"]["kind"] == "InvalidValue"
    assert as_json("store", "backup", tmp_path / "again")["path"] == str(tmp_path / "again")


def test_an_export_is_imported_from_a_file_or_a_pipe(store: Path, tmp_path: Path) -> None:
    shown = evolore("store", "export", tmp_path / "out.jsonl", "--vectors").stdout
    assert shown == "Exported 0 documents, 1 episode and 1 event of default.\n"
    piped = evolore("store", "export", "-", "--vectors").stdout_bytes
    assert piped == (tmp_path / "out.jsonl").read_bytes()
    shown = evolore("store", "import", tmp_path / "out.jsonl", "--namespace", "b").stdout
    assert shown == "Imported 0 documents, 1 episode and 1 event into b; 0 texts embedded.\n"
    evolore("store", "import", "-", "--namespace", "c", given=piped)
    assert "The red train" in evolore("recall", "train", "--namespace", "c").stdout
    assert "not empty" in as_json("store", "import", tmp_path / "out.jsonl", code=1)["error"]["message"]
    assert as_json("store", "import", tmp_path / "none.jsonl", code=1)["error"]["kind"] == "UnreadableSource"
    assert as_json("store", "import", tmp_path / "out.jsonl", "--namespace", "d")["embedded"] == 0
    assert as_json("store", "export", tmp_path / "more.jsonl")["has_vectors"] is False


def test_a_store_that_is_up_to_date_needs_no_upgrade(store: Path, tmp_path: Path) -> None:
    assert "nothing to do" in evolore("store", "upgrade").stdout
    assert as_json("store", "upgrade", "--dry-run")["steps"] == []
    evolore("store", "upgrade", "--no-backup", "--backup", tmp_path / "x", code=2)
    assert store.is_dir()
