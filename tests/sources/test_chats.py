"""Exports of other programs become statements, each once."""

from __future__ import annotations

import json
import mailbox
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import TYPE_CHECKING, Any

import pytest

from evolore import Memory
from evolore.errors import InvalidValue, UnreadableSource
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evolore.domain.episode import Episode

Json = Any


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as opened:
        yield opened


def written(path: Path, value: Json) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def told(one: Episode) -> tuple[str | None, str, datetime | None]:
    return one.speaker, one.text, one.occurred_at


LINES = """
{"text": "I live in Munich.", "speaker": "Mika", "session": "a", "at": "2026-03-01T10:00:00Z", "tags": ["home", "home"]}

{"content": "知道了。", "role": "assistant", "session": "a", "timestamp": 1772359200}
{"text": "x", "at": "soon"}
not json
[1]
{"text": "  "}
{"memory": "Alone."}
"""


def test_lines_of_json_become_statements_and_what_cannot_be_read_is_told_with_its_line(
    memory: Memory, tmp_path: Path
) -> None:
    path = written(tmp_path / "talk.jsonl", LINES.lstrip())
    counted = memory.store.move_in(path, "jsonl", dry_run=True)
    assert (counted.statements, counted.sessions, counted.is_dry_run) == (3, 2, True)
    assert memory.stats().statements == 0
    done = memory.store.move_in(path, "jsonl")
    assert (done.statements, done.known, done.sessions) == (3, 0, 2)
    assert [one.place for one in done.unread] == ["line 4", "line 5", "line 6", "line 7"]
    first, second = memory.outline.conversation("jsonl:a")
    assert told(first) == ("Mika", "I live in Munich.", datetime(2026, 3, 1, 10, tzinfo=UTC))
    assert first.tags == ("home",)
    assert told(second) == ("assistant", "知道了。", datetime(2026, 3, 1, 10, tzinfo=UTC))
    again = memory.store.move_in(path, "jsonl")
    assert (again.statements, again.known) == (0, 3)
    assert memory.stats().statements == 3


def test_a_later_export_brings_what_is_new(memory: Memory, tmp_path: Path) -> None:
    first = [{"id": str(number), "text": f"Boat {number} is in the harbour.", "session": "s"} for number in range(250)]
    path = written(tmp_path / "a.jsonl", "\n".join(map(json.dumps, first[:120])))
    assert memory.store.move_in(path, "jsonl").statements == 120
    written(path, "\n".join(map(json.dumps, first)))
    done = memory.store.move_in(path, "jsonl")
    assert (done.statements, done.known) == (130, 120)
    assert [one.text for one in memory.outline.conversation("jsonl:s")] == [one["text"] for one in first]


def gpt_message(id_: str, role: str, *parts: Json, at: float | None = 1772359200.5) -> dict[str, Json]:
    return {
        "id": id_,
        "author": {"role": role},
        "create_time": at,
        "content": {"content_type": "text", "parts": list(parts)},
    }


def test_of_chatgpt_the_branch_that_a_conversation_stands_at_is_taken(memory: Memory, tmp_path: Path) -> None:
    nodes: Json = {
        "root": {"message": None, "parent": None, "children": ["s"]},
        "s": {"message": gpt_message("s", "system", ""), "parent": "root", "children": ["u1"]},
        "u1": {"message": gpt_message("u1", "user", "Which boat?"), "parent": "s", "children": ["old", "new"]},
        "old": {"message": gpt_message("old", "assistant", "The red one."), "parent": "u1", "children": []},
        "new": {
            "message": gpt_message("new", "assistant", "The blue one.", at=None),
            "parent": "u1",
            "children": ["p"],
        },
        "p": {"message": gpt_message("p", "user", {"asset_pointer": "x"}), "parent": "new", "children": []},
    }
    talk: Json = {"conversation_id": "c1", "title": "Boats", "mapping": nodes, "current_node": "p"}
    written(tmp_path / "export" / "conversations.json", [talk, {"title": "broken"}])
    done = memory.store.move_in(tmp_path / "export", "chatgpt")
    assert (done.statements, [one.place for one in done.unread]) == (2, ["conversation 2"])
    said = memory.outline.conversation("chatgpt:c1")
    assert [told(one)[:2] for one in said] == [("user", "Which boat?"), ("assistant", "The blue one.")]
    assert said[0].metadata["conversation"] == "Boats"
    assert said[0].occurred_at == datetime(2026, 3, 1, 10, 0, 0, 500000, tzinfo=UTC)


def test_of_claude_texts_are_taken_and_calls_of_tools_are_not(memory: Memory, tmp_path: Path) -> None:
    messages: Json = [
        {"uuid": "m1", "sender": "human", "text": "会議はいつ？", "created_at": "2026-03-02T09:00:00.000000Z"},
        {
            "uuid": "m2",
            "sender": "assistant",
            "text": "",
            "content": [{"type": "tool_use", "name": "x"}, {"type": "text", "text": "火曜日です。"}],
            "created_at": "2026-03-02T09:00:05Z",
        },
        {"uuid": "m3", "sender": "assistant", "text": "", "content": [], "created_at": None},
    ]
    path = written(tmp_path / "conversations.json", [{"uuid": "c", "name": "会議", "chat_messages": messages}])
    done = memory.store.move_in(path, "claude")
    assert [one.place for one in done.unread] == ["conversation 1, message 3"]
    assert [told(one)[:2] for one in memory.outline.conversation("claude:c")] == [
        ("human", "会議はいつ？"),
        ("assistant", "火曜日です。"),
    ]


def test_of_slack_threads_are_conversations_and_people_have_their_names(memory: Memory, tmp_path: Path) -> None:
    export = tmp_path / "slack"
    written(export / "users.json", [{"id": "U1", "name": "mika", "profile": {"display_name": "Mika"}}])
    day = [
        {
            "type": "message",
            "user": "U1",
            "text": "Hi <@U1>, see <https://a.example|the page> &amp; more",
            "ts": "1772359200.000100",
        },
        {"type": "message", "subtype": "channel_join", "user": "U1", "text": "joined", "ts": "1772359201.0"},
        {
            "type": "message",
            "user": "U2",
            "text": "In a thread.",
            "ts": "1772359202.0",
            "thread_ts": "1772359200.000100",
        },
    ]
    written(export / "general" / "2026-03-01.json", day)
    written(export / "general" / "2026-03-02.json", "broken")
    done = memory.store.move_in(export, "slack")
    assert (done.statements, [one.place for one in done.unread]) == (2, ["general/2026-03-02.json"])
    (main,) = memory.outline.conversation("slack:general")
    assert told(main)[:2] == ("Mika", "Hi @Mika, see the page & more")
    (reply,) = memory.outline.conversation("slack:general/1772359200.000100")
    assert reply.speaker == "U2"


def test_of_a_mailbox_a_thread_is_a_conversation_and_quotations_are_left_out(memory: Memory, tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "mail.mbox")
    first, second, markup = EmailMessage(), EmailMessage(), EmailMessage()
    first["From"], first["Message-ID"], first["Subject"] = "美香 <mika@a.example>", "<1@a>", "会議"
    first["Date"] = "Sun, 01 Mar 2026 10:00:00 +0900"
    first.set_content("会議は火曜日です。")
    second["From"], second["Message-ID"], second["In-Reply-To"] = "ann@a.example", "<2@a>", "<1@a>"
    second.set_content("Fine.\n\n> 会議は火曜日です。\n")
    markup["From"], markup["Message-ID"] = "Bo <bo@a.example>", "<3@a>"
    markup.set_content("<p>The <b>gate</b> code is 4711.</p>", subtype="html")
    for mail in (first, markup, second):
        box.add(mail)
    box.close()
    done = memory.store.move_in(tmp_path / "mail.mbox", "mbox")
    assert (done.statements, done.unread) == (3, ())
    said = memory.outline.conversation("mbox:<1@a>")
    assert [told(one)[:2] for one in said] == [("美香", "会議は火曜日です。"), ("ann@a.example", "Fine.")]
    assert said[0].occurred_at == datetime(2026, 3, 1, 1, tzinfo=UTC)
    (page,) = memory.outline.conversation("mbox:<3@a>")
    assert "gate" in page.text
    assert "<" not in page.text


def test_of_mem0_and_langgraph_memories_keep_whom_they_are_about(memory: Memory, tmp_path: Path) -> None:
    kept = {
        "results": [{"id": "1", "memory": "Likes ramen", "user_id": "mika", "created_at": "2026-03-01T10:00:00+00:00"}]
    }
    assert memory.store.move_in(written(tmp_path / "m.json", kept), "mem0").statements == 1
    assert told(memory.outline.conversation("mem0:mika")[0])[:2] == ("mika", "Likes ramen")
    items = [
        {"namespace": ["users", "mika"], "key": "food", "value": {"text": "Ramen", "more": ["soy"]}, "created_at": None}
    ]
    assert memory.store.move_in(written(tmp_path / "l.json", items), "langgraph").statements == 1
    assert memory.outline.conversation("langgraph:users/mika")[0].text == "Ramen\nsoy"


@pytest.mark.parametrize(
    ("name", "content", "kind", "error"),
    [
        ("a.json", "{", "mem0", "no JSON"),
        ("a.json", "{}", "claude", "no list"),
        ("a.json", "[" * 100_000, "chatgpt", "no JSON"),
        ("a.zip", "PK", "slack", "archive"),
        ("a.json", "[]", "slack", "no folder"),
        ("missing.json", None, "jsonl", "does not exist"),
    ],
)
def test_what_is_no_export_is_refused(
    memory: Memory, tmp_path: Path, name: str, content: str | None, kind: str, error: str
) -> None:
    path = tmp_path / name if content is None else written(tmp_path / name, content)
    with pytest.raises(UnreadableSource, match=error):
        memory.store.move_in(path, kind)
    with pytest.raises(InvalidValue, match="kind"):
        memory.store.move_in(path, "teams")
    assert memory.stats().statements == 0
