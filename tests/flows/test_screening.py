"""A secret is reported where it comes in and, as the settings say, kept, redacted or refused, before anything is written."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.domain.secret import SecretKind, SecretsPolicy
from evolore.errors import InvalidValue
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "zu6WC!gyOK9"
TEXTS = (f"The wifi password is {SECRET}.", f"パスワードは{SECRET}です。", f"登录密码改成了{SECRET}，别忘了。")
MARK = "[redacted: password]"


def opened(folder: Path, policy: SecretsPolicy = SecretsPolicy.KEEP) -> Memory:
    return Memory.open(folder / "store", embedder=HashingEmbedder(), settings=Settings(secrets=policy))


def held(folder: Path) -> bytes:
    return b"".join(one.read_bytes() for one in (folder / "store").rglob("*") if one.is_file())


@pytest.mark.parametrize("text", TEXTS)
def test_by_default_a_secret_is_kept_and_reported(tmp_path: Path, text: str) -> None:
    with opened(tmp_path) as memory:
        done = memory.remember(text)
        (found,) = done.secrets
        assert done.text == text
        assert found.kind is SecretKind.PASSWORD
        assert text[found.start : found.end] == SECRET
        assert memory.remember("The bakery opens at seven.").secrets == ()


def test_each_statement_of_a_conversation_has_its_own(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        done = memory.remember_many([Statement(text="What is it?", session="s"), Statement(text=TEXTS[0], session="s")])
        assert [len(one) for one in done.secrets] == [0, 1]


def test_what_is_redacted_reaches_no_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "router.md"
    file.write_text("# Router\n\n" + "\n\n".join(TEXTS), encoding="utf-8")
    with caplog.at_level(logging.DEBUG), opened(tmp_path, SecretsPolicy.REDACT) as memory:
        said = [memory.remember(text, metadata={"password": SECRET}) for text in TEXTS]
        corrected = memory.correct(said[0].id, f"The wifi password is {SECRET}x.")
        added = memory.add(file).documents[0]
        memory.add_text(TEXTS[1], source="note")
        recalled = memory.recall(TEXTS[0], record=True)
        assert all(MARK in one.text and one.metadata == {"password": MARK} for one in said)
        assert corrected.statement is not None
        assert corrected.statement.secrets
        assert len(added.secrets) == len(TEXTS)
        assert recalled.query_id is not None
        assert MARK in memory.questions.show(recalled.query_id).text
        assert not memory.add(file).documents[0].new_leaves
    assert SECRET.encode() not in held(tmp_path)
    assert SECRET not in caplog.text


def test_the_control_finds_what_is_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember(TEXTS[0])
    assert SECRET.encode() in held(tmp_path)


def test_tags_and_comments_are_redacted_too(tmp_path: Path) -> None:
    with opened(tmp_path, SecretsPolicy.REDACT) as memory:
        said = memory.remember("The bakery opens at seven.", tags=("bakery", f"password={SECRET}"))
        assert said.tags == ("bakery", f"password={MARK}")
        assert [one.where for one in said.secrets] == ["tags.1"]
        filed = memory.add_text("# B\n\nThe library opens at nine.\n", source="note", tags=(f"pw={SECRET}",))
        assert filed.tags == (f"pw={MARK}",)
        query = memory.recall("When does the bakery open?", record=True).query_id
        assert query is not None
        memory.rate(query, "bad", comment=TEXTS[0])
        memory.rate(filed.id, "bad", comment=TEXTS[1])
        assert [one.comment for one in memory.evolution.feedback(filed.id)] == [TEXTS[1].replace(SECRET, MARK)]
    assert SECRET.encode() not in held(tmp_path)


def test_a_comment_with_a_secret_is_refused_and_rates_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, SecretsPolicy.REFUSE) as memory:
        document = memory.add_text("# B\n\nThe bakery opens at seven.\n", source="note")
        with pytest.raises(InvalidValue, match=r"The rating seems to hold a secret \(password in comment, line 1"):
            memory.rate(document.id, "bad", comment=TEXTS[0])
        assert not memory.evolution.feedback(document.id)
    assert SECRET.encode() not in held(tmp_path)


@pytest.mark.parametrize("policy", [SecretsPolicy.REDACT, SecretsPolicy.REFUSE])
def test_an_export_with_a_secret_is_not_imported(tmp_path: Path, policy: SecretsPolicy) -> None:
    with opened(tmp_path / "kept") as memory:
        memory.remember("The bakery opens at seven.")
        memory.store.export(tmp_path / "fine.jsonl", with_vectors=True)
        memory.remember(TEXTS[0])
        memory.store.export(tmp_path / "all.jsonl")
    with opened(tmp_path, policy) as memory:
        with pytest.raises(
            InvalidValue, match=r"Line \d+: it seems to hold a secret \(password in text, line 1"
        ) as refused:
            memory.store.import_(tmp_path / "all.jsonl")
        assert SECRET not in str(refused.value)
        assert memory.store.import_(tmp_path / "fine.jsonl").episodes == 1
    assert SECRET.encode() not in held(tmp_path)


def test_what_is_refused_does_not_stop_a_move(tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text(
        "\n".join(json.dumps({"text": text}) for text in (TEXTS[0], "We met in Kyoto."))
    )
    with opened(tmp_path, SecretsPolicy.REFUSE) as memory:
        moved = memory.store.move_in(tmp_path / "chat.jsonl", "jsonl")
        assert moved.statements == 1
        assert [one.reason for one in moved.unread] == ["it seems to hold a secret: password in text, line 1"]
    assert SECRET.encode() not in held(tmp_path)


def test_what_is_refused_leaves_nothing_and_the_other_files_are_added(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(f"# A\n\npassword: {SECRET}\n")
    (tmp_path / "docs" / "b.md").write_text("# B\n\nThe bakery opens at seven.\n")
    with opened(tmp_path, SecretsPolicy.REFUSE) as memory:
        with pytest.raises(InvalidValue, match=r"Statement 2 seems to hold a secret \(password in text, line 1\)"):
            memory.remember_many([Statement(text="Fine."), Statement(text=TEXTS[0])])
        assert memory.stats().events == 0
        with pytest.raises(InvalidValue, match="'note' seems to hold"):
            memory.add_text(TEXTS[0], source="note")
        added = memory.add(tmp_path / "docs")
        assert [one.document.title for one in added.documents] == ["B"]
        assert "password in text, line 3" in added.failures[0].reason
        assert SECRET not in added.failures[0].reason
    assert SECRET.encode() not in held(tmp_path)


def test_workers_redact_alike(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in "ab":
        (tmp_path / "docs" / f"{name}.md").write_text(f"# {name}\n\npassword: {SECRET}\n")
    with opened(tmp_path, SecretsPolicy.REDACT) as memory:
        added = memory.add(tmp_path / "docs", workers=2)
        assert [len(one.secrets) for one in added.documents] == [1, 1]
    assert SECRET.encode() not in held(tmp_path)


def test_a_redacted_file_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "router.md"
    file.write_text(before := f"# Router\n\npassword: {SECRET}\n")
    with opened(tmp_path, SecretsPolicy.REDACT) as memory:
        memory.add(file)
        with pytest.raises(InvalidValue, match="not what was read last"):
            memory.evolution.write(str(file))
    assert file.read_text() == before
