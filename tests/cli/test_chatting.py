from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from evolore.cli import app
from offline_server import OfflineChatServer, ServerFault

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "m"))
    for name in ("OPENAI_API_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_model_it_says_what_to_set() -> None:
    result = CliRunner().invoke(app, ["store", "chat-check"])
    assert result.exit_code == 3
    assert "chat.model" in result.stderr


def test_without_a_key_it_says_which_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="openai is not installed")
    monkeypatch.setenv("EVOLORE_CHAT__MODEL", "gpt-4.1-mini")
    result = CliRunner().invoke(app, ["store", "chat-check"])
    assert result.exit_code == 3
    assert "OPENAI_API_KEY is not set" in result.stderr


def test_a_model_that_answers_is_shown_with_what_it_took_and_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="openai is not installed")
    with OfflineChatServer(['{"answer": "Yes, I am."}']) as server:
        monkeypatch.setenv("EVOLORE_CHAT__MODEL", "small")
        monkeypatch.setenv("EVOLORE_CHAT__BASE_URL", server.url)
        monkeypatch.setenv("EVOLORE_CHAT__REPLY_PRICE", "2.5")
        monkeypatch.setenv("EVOLORE_CHAT__API_KEY_ENV", "TEAM_KEY")
        monkeypatch.setenv("TEAM_KEY", KEY)
        shown = CliRunner().invoke(app, ["store", "chat-check"])
        told = json.loads(CliRunner().invoke(app, ["store", "chat-check", "--json"]).stdout)
        headers = {name.lower(): value for name, value in server.headers[0].items()}
    assert shown.exit_code == 0
    assert 'small answered: {"answer": "Yes, I am."}' in shown.stdout
    assert "1 call" in shown.stdout
    assert "cost 0.0000" in shown.stdout
    assert (told["answered"], told["usage"]["calls"], told["usage"]["cost_micros"]) == (True, 1, 10)
    assert headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in shown.output


def test_one_that_does_not_is_an_exit_code_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="openai is not installed")
    with OfflineChatServer([ServerFault.BROKEN]) as server:
        monkeypatch.setenv("EVOLORE_CHAT__MODEL", "small")
        monkeypatch.setenv("EVOLORE_CHAT__BASE_URL", server.url)
        monkeypatch.setenv("EVOLORE_CHAT__TRIES", "1")
        result = CliRunner().invoke(app, ["store", "chat-check"])
    assert result.exit_code == 4
    assert "small did not answer: failed: HTTP 500" in result.stdout
