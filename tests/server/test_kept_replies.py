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
    with caplog.at_level(logging.DEBUG), TestClient(create_app(memories), base_url=ADDRESS) as http:

        def send(path: str, **body: object) -> None:
            for _ in range(2):
                codes.append(
                    http.post(path, json=body, headers={"Idempotency-Key": f"once{len(codes) // 2}"}).status_code
                )

        codes: list[int] = []
        send("/api/statements", statements=[{"text": "The bakery opens at seven."}])
        send("/api/statements", statements=[{"text": TEXT}])
        send("/api/statements", statements=[{"text": "Fine.", "tags": [f"pw={SECRET}"], "metadata": {"pw": SECRET}}])
        send("/api/answers", question=TEXT)
        send("/api/answers", question=TEXT, record=False, with_recall=True)
        send("/api/answers/recorded", question=TEXT, text=TEXT)
    held = b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())
    refused = 422 if policy is SecretsPolicy.REFUSE else 201
    is_kept = policy is SecretsPolicy.KEEP
    assert codes == [201, 201, *(refused,) * 4, *(201,) * 6]
    assert (SECRET.encode() in held) is is_kept
    assert SECRET not in caplog.text
