"""What is redacted or refused on its way in stays out of the replies that are kept, the logs and every file."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from evolore.config import Settings
from evolore.domain.secret import SecretsPolicy
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
from server.serving import ADDRESS

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "zu6WC!gyOK9"
TEXT = f"The wifi password is {SECRET}."


@pytest.mark.parametrize("policy", SecretsPolicy)
def test_kept_replies_and_logs_hold_no_secret_that_was_taken_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, policy: SecretsPolicy
) -> None:
    memories = Memories(tmp_path / "store", embedder=HashingEmbedder(), settings=Settings(secrets=policy))
    replies: list[str] = []
    with caplog.at_level(logging.DEBUG), TestClient(create_app(memories), base_url=ADDRESS) as http:

        def send(path: str, **body: object) -> dict[str, str]:
            for _ in range(2):
                came = http.post(path, json=body, headers={"Idempotency-Key": f"once-{path}-{len(body)}"})
                replies.append(came.text)
            return came.json()

        fine = http.post("/api/statements", json={"statements": [{"text": "The bakery opens at seven."}]})
        assert fine.status_code == 201
        send("/api/statements", statements=[{"text": TEXT}])
        send("/api/statements", statements=[{"text": "Fine.", "tags": [f"pw={SECRET}"], "metadata": {"pw": SECRET}}], x=1)
        send("/api/answers", question=TEXT)
    held = b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())
    is_kept = policy is SecretsPolicy.KEEP
    assert (SECRET.encode() in held) is is_kept
    assert SECRET not in caplog.text
