"""A memory where a program calls mem0."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

import evolore
from evolore.errors import InvalidValue
from evolore.integrations.mem0 import AsyncMemory, Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ANN = {"user_id": "ann"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with evolore.Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as kept:
        yield Memory(kept)


def texts(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    return [one["memory"] for one in found["results"]]


def test_what_is_added_is_got_listed_and_found_in_its_scope(memory: Memory) -> None:
    told = memory.add("I am allergic to shellfish.", user_id="ann", metadata={"kind": {"of": ["health"]}})["results"]
    memory.add("I am allergic to pollen.", user_id="bob")
    assert [(one["memory"], one["event"]) for one in told] == [("I am allergic to shellfish.", "ADD")]
    one = memory.get(told[0]["id"])
    assert one is not None
    assert (one["memory"], one["user_id"], one["role"]) == ("I am allergic to shellfish.", "ann", "user")
    assert (one["metadata"], one["created_at"] == one["updated_at"]) == ({"kind": {"of": ["health"]}}, True)
    assert texts(memory.get_all(filters=ANN)) == ["I am allergic to shellfish."]
    found = memory.search("What am I allergic to?", filters=ANN)
    assert texts(found) == ["I am allergic to shellfish."]
    assert found["results"][0]["score"] > 0
    assert memory.get("nothing") is memory.get("") is None
    assert memory.get(told[0]["id"][:10]) is None


def test_a_conversation_is_kept_by_who_spoke_and_without_the_system(memory: Memory) -> None:
    talk = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "I like green tea."},
        {"role": "assistant", "content": "I will order some."},
        {"role": "user", "name": "Cleo", "content": "I prefer coffee."},
    ]
    memory.add(talk, user_id="ann", agent_id="helper", run_id="monday")
    kept = memory.get_all(filters={"run_id": "monday"})["results"][::-1]
    assert [(one["memory"], one["role"]) for one in kept] == [
        ("I like green tea.", "user"),
        ("I will order some.", "assistant"),
        ("I prefer coffee.", "user"),
    ]
    assert [one.speaker for one in memory.memory.outline.conversation("monday")] == ["ann", "helper", "Cleo"]
    assert kept[2]["actor_id"] == "Cleo"


def test_what_is_said_again_is_known_and_what_is_corrected_supersedes(memory: Memory) -> None:
    (first,) = memory.add("I live in Munich.", user_id="ann")["results"]
    (again,) = memory.add("I live in Munich.", user_id="ann")["results"]
    assert (again["event"], again["id"]) == ("NONE", first["id"])
    new, old = memory.add("I live in Berlin, not in Munich.", user_id="ann")["results"]
    assert (new["event"], old["event"], old["id"]) == ("ADD", "SUPERSEDE", first["id"])
    assert texts(memory.get_all(filters=ANN)) == ["I live in Berlin, not in Munich."]
    assert texts(memory.search("Where do I live?", filters=ANN)) == ["I live in Berlin, not in Munich."]
    assert memory.get(first["id"]) is not None


@pytest.mark.parametrize("text", ["Ann plays tennis on weekends.", "Ann plays tennis."])
def test_an_update_keeps_the_id_and_the_history(memory: Memory, text: str) -> None:
    (one,) = memory.add("Ann plays tennis.", user_id="ann", metadata={"a": 1})["results"]
    before = memory.get(one["id"])
    assert memory.update(one["id"], text=text, metadata={"b": 2}) == {"message": "Memory updated successfully!"}
    memory.update(memory_id=one["id"], data="Ann plays badminton.", expiration_date="2999-01-01")
    after = memory.get(one["id"])
    assert before is not None
    assert after is not None
    assert (after["memory"], after["metadata"]) == ("Ann plays badminton.", {"a": 1, "b": 2})
    assert (after["created_at"], after["expiration_date"]) == (before["created_at"], "2999-01-01")
    assert [one["id"] for one in memory.get_all(filters=ANN)["results"]] == [one["id"]]
    assert [(step["old_memory"], step["new_memory"], step["event"]) for step in memory.history(one["id"])] == [
        (None, "Ann plays tennis.", "ADD"),
        ("Ann plays tennis.", text, "UPDATE"),
        (text, "Ann plays badminton.", "UPDATE"),
    ]


def test_what_is_deleted_is_erased(memory: Memory, tmp_path: Path) -> None:
    (one,) = memory.add("The code is tamarind.", user_id="ann")["results"]
    memory.update(one["id"], text="The code was tamarind, once.")
    assert memory.delete(one["id"]) == {"message": "Memory deleted successfully!"}
    assert (memory.get(one["id"]), memory.history(one["id"])) == (None, [])
    assert b"tamarind" not in b"".join(path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    with pytest.raises(ValueError, match="not found"):
        memory.delete(one["id"])
    memory.add("One.", user_id="ann")
    memory.add("Two.", user_id="bob")
    memory.delete_all(user_id="ann")
    memory.delete_all(user_id="ann")
    assert (texts(memory.get_all(filters=ANN)), texts(memory.get_all(filters={"user_id": "bob"}))) == ([], ["Two."])
    memory.reset()
    memory.reset()
    assert memory.memory.stats().statements == 0


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"n": 2}, "2"),
        ({"n": {"gt": 1}}, "32"),
        ({"n": {"gte": 1, "lt": 3}}, "21"),
        ({"n": {"in": [1, 3]}}, "31"),
        ({"n": {"nin": [1, 3]}}, "2"),
        ({"n": {"ne": 1}}, "32"),
        ({"word": {"contains": "Two"}}, "2"),
        ({"word": {"icontains": "TWO"}}, "2"),
        ({"other": {"gt": 1}}, ""),
        ({"word": "*"}, "2"),
        ({"OR": [{"n": 1}, {"n": 2}]}, "21"),
        ({"$or": [{"n": 1}, {"n": 2}]}, "21"),
        ({"AND": [{"n": {"gt": 1}}, {"NOT": [{"n": 3}]}]}, "2"),
        ({"role": "assistant"}, ""),
    ],
)
def test_filters_compare_metadata(memory: Memory, wanted: dict[str, Any], found: str) -> None:
    for number in (1, 2, 3):
        metadata = {"n": number} | ({"word": "word Two"} if number == 2 else {})
        memory.add(f"Note {number} of the desk {'abc'[number - 1] * 9}.", user_id="ann", metadata=metadata)
    listed = memory.get_all(filters={**ANN, **wanted})
    assert "".join(text.split()[1] for text in texts(listed)) == found
    searched = memory.search("note of the desk", filters={**ANN, **wanted}, top_k=1 + len(found))
    assert sorted(texts(searched)) == sorted(texts(listed))


def test_only_what_people_and_assistants_said_in_words_is_kept(memory: Memory) -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    image = {"type": "image_url", "image_url": {"url": "data:"}}
    parts = [{"type": "text", "text": "I have a dog."}, image]
    told = memory.add([call, {"role": "tool", "content": "{}"}, {"role": "user", "content": parts}], user_id="ann")
    assert texts(told) == ["I have a dog."]
    assert (
        texts(memory.add([call], user_id="ann"))
        == texts(memory.add([{"role": "user", "content": [image]}], user_id="ann"))
        == []
    )


def test_what_expired_is_hidden_unless_asked_for(memory: Memory) -> None:
    memory.add("Milk is on sale.", user_id="ann", expiration_date="2020-01-01")
    assert texts(memory.get_all(filters=ANN)) == texts(memory.search("milk", filters=ANN)) == []
    assert texts(memory.get_all(filters=ANN, show_expired=True)) == ["Milk is on sale."]
    assert texts(memory.search("milk", filters=ANN, show_expired=True, threshold=2.0)) == []


def test_what_was_moved_in_from_mem0_is_found_in_its_scope(memory: Memory, tmp_path: Path) -> None:
    day = "2026-03-01T10:00:00+00:00"
    rows = [
        {"id": "m1", "memory": "Likes ramen", "user_id": "mika", "metadata": {"kind": "food"}, "created_at": day},
        {"id": "m2", "memory": "Ships on Fridays", "run_id": "r1", "agent_id": "bot"},
    ]
    (tmp_path / "m.json").write_text(json.dumps({"results": rows}), encoding="utf-8")
    assert memory.memory.store.move_in(tmp_path / "m.json", "mem0").statements == 2
    (kept,) = memory.get_all(filters={"user_id": "mika", "kind": "food"})["results"]
    assert (kept["id"], kept["metadata"], kept["created_at"]) == ("m1", {"kind": "food"}, day)
    assert texts(memory.search("What ships?", filters={"run_id": "r1", "agent_id": "bot"})) == ["Ships on Fridays"]
    memory.update("m1", "Likes soba")
    assert texts(memory.get_all(filters={"user_id": "mika"})) == ["Likes soba"]
    memory.delete_all(user_id="mika")
    assert memory.get_all(filters={"user_id": "mika"}) == {"results": []}


def test_what_mem0_refuses_is_refused(memory: Memory) -> None:
    bad: Any = ["Words."]
    calls: list[Any] = [
        lambda: memory.add("Words."),
        lambda: memory.add(bad, user_id="ann"),
        lambda: memory.add([], user_id="ann"),
        lambda: memory.add("Words.", user_id="ann", timestamp=1),
        lambda: memory.add("Words.", user_id="ann", expiration_date="soon"),
        lambda: memory.search("words"),
        lambda: memory.search("words", filters={"n": 1}),
        lambda: memory.search("words", user_id="ann"),
        lambda: memory.search(" ", filters=ANN),
        lambda: memory.get_all(filters={**ANN, "n": {"like": 1}}),
        lambda: memory.get_all(filters={**ANN, "$nor": [{"n": 1}]}),
        memory.delete_all,
        lambda: memory.update("nothing", text="Words."),
        lambda: memory.update("nothing"),
    ]
    memory.add("Words.", user_id="ann", metadata={"n": 1})
    for call in calls:
        with pytest.raises(InvalidValue):
            call()


def test_its_configuration_is_taken_and_what_is_unused_told(tmp_path: Path) -> None:
    said = {"evolore": {"store": tmp_path / "store", "namespace": "n"}, "llm": {}, "vector_store": {}}
    with pytest.warns(UserWarning, match="llm, vector_store"), Memory.from_config(said) as memory:
        memory.add("Words.", user_id="ann")
    with evolore.Memory.open(tmp_path / "store", namespace="n") as kept:
        assert kept.stats().statements == 1


def test_the_same_calls_are_awaited(memory: Memory) -> None:
    async def talk() -> tuple[list[str], list[str]]:
        other = AsyncMemory(memory.memory)
        told = await other.add("I like tea.", user_id="ann")
        await other.update(told["results"][0]["id"], text="I like green tea.")
        return texts(await other.search("tea", filters=ANN)), texts(await other.get_all(filters=ANN))

    assert asyncio.run(talk()) == (["I like green tea."], ["I like green tea."])
