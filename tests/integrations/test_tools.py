"""A memory's verbs as tools for a language model."""

from __future__ import annotations

import json
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from evolore import MediaType, Memory
from evolore.errors import InvalidValue
from evolore.integrations.tools import READING, MemoryTools
from evolore.models.offline import HashingEmbedder
from evolore.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MANUAL = "# Refunds\n\n" + "".join(
    f"## Case {number}\n\nIn case {number} a refund takes {number} days after the parcel has come back to us.\n\n"
    for number in range(1, 80)
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", namespace="team", embedder=HashingEmbedder()) as opened:
        yield opened


def id_in(text: str) -> str:
    return next(word.strip(".,") for word in text.split() if len(word.strip(".,")) == 26)


def test_openai_and_anthropic_get_the_same_tools_as_objects_of_plain_types(memory: Memory) -> None:
    tools = MemoryTools(memory)
    openai = [one["function"] for one in tools.openai()]
    anthropic = tools.anthropic()
    assert [one["name"] for one in openai] == [one["name"] for one in anthropic] == list(tools.names)
    for ours, theirs in zip(openai, anthropic, strict=True):
        assert ours["parameters"] == theirs["input_schema"]
        assert ours["description"] == theirs["description"]
        assert estimate_tokens(ours["description"]) <= 40
        assert all(
            one["type"] in {"string", "boolean"} and one["description"]
            for one in ours["parameters"]["properties"].values()
        )
    json.dumps(openai)


def test_no_tool_lets_a_model_choose_a_namespace_or_a_principal(memory: Memory) -> None:
    named = {name for one in MemoryTools(memory).openai() for name in one["function"]["parameters"]["properties"]}
    assert not named & {"namespace", "principal", "also", "store"}


def test_what_is_remembered_is_found_answered_rated_and_told_of(memory: Memory) -> None:
    tools = MemoryTools(memory, principal="mika")
    first = tools.call("remember", {"text": "I live in Munich.", "speaker": "Mika"})
    second = tools.call("remember", '{"text": "I live in Berlin now.", "speaker": "Mika"}')
    assert id_in(first) in second.split("possibly replaces")[1]
    found = tools.call("recall", {"question": "Where does Mika live?"})
    assert f"is {id_in(second)}" in found
    assert "possibly replaced by" in found
    said = tools.call("answer", {"question": "Where does Mika live?"})
    assert tools.call("rate", {"item_id": said.split()[-1], "rating": "good"}) == "Rated good."
    assert "likely superseded: stated anew by mika" in tools.call("history", {"item_id": id_in(first)})


def test_a_fact_with_subject_and_attribute_replaces_the_earlier_one(memory: Memory) -> None:
    tools = MemoryTools(memory)
    city = {"subject": "office", "attribute": "city"}
    first = tools.call("remember", {"text": "The office is in Munich.", **city})
    assert f"It replaces {id_in(first)}" in tools.call("remember", {"text": "The office is in Berlin.", **city})
    assert "subject and attribute belong" in tools.call("remember", {"text": "It is big.", "subject": "office"})


def test_a_statement_is_corrected_and_retired(memory: Memory) -> None:
    tools = MemoryTools(memory, principal="mika")
    said = id_in(tools.call("remember", {"text": "The gate code is 4711."}))
    new = tools.call("correct", {"item_id": said, "text": "The gate code is 4712."})
    assert f"It replaces {said}: it corrects it." in new
    assert "superseded: corrected by mika" in tools.call("history", {"item_id": said})
    assert tools.call("correct", {"item_id": id_in(new)}) == f"Retired {id_in(new)}."
    assert "correct that one" in tools.call("correct", {"item_id": said})
    assert (
        MemoryTools(memory, read_only=True).call("correct", {"item_id": said}).startswith("Not done. There is no tool")
    )


def test_results_keep_within_the_budget_and_say_what_is_left_out(memory: Memory) -> None:
    memory.add_text(MANUAL, source="refunds.md", media_type=MediaType.MARKDOWN)
    tools = MemoryTools(memory, tokens=300)
    for name, given in (
        ("recall", {"question": "How long does a refund take?"}),
        ("answer", {"question": "How long does a refund take in case 7?"}),
        ("outline", {"item_id": "refunds.md"}),
        ("outline", {"item_id": "refunds.md", "expand": True}),
    ):
        said = tools.call(name, given)
        assert estimate_tokens(said) <= 300 + 150, (name, said)  # ids and what is rated stand below
    assert "more lines]" in tools.call("outline", {"item_id": "refunds.md"})


def test_an_outline_leads_from_a_passage_to_what_is_around_it_and_to_its_text(memory: Memory) -> None:
    memory.add_text(MANUAL, source="refunds.md", media_type=MediaType.MARKDOWN)
    tools = MemoryTools(memory)
    passage = memory.recall("case 7", limit=1).hits[0].episode
    around = tools.call("outline", {"item_id": passage.id})
    assert f"here {passage.outline}" in around
    assert "above 1 " in around
    assert "beside" in around
    text = tools.call("outline", {"item_id": passage.id, "code": str(passage.outline), "expand": True})
    assert passage.text.strip().splitlines()[-1] in text


def test_nothing_is_erased_before_somebody_says_the_word_for_exactly_this(memory: Memory) -> None:
    tools = MemoryTools(memory)
    first, second = (memory.remember(f"The code of gate {gate} is {gate}7.") for gate in (1, 2))
    asked = tools.call("forget", {"item_id": first.id})
    word = asked.split("confirm=")[1].strip("'.")
    assert "Nothing is erased yet" in asked
    assert "Nothing is erased yet" in tools.call("forget", {"item_id": first.id, "confirm": "yes"})
    assert "Nothing is erased yet" in tools.call("forget", {"item_id": second.id, "confirm": word})
    assert memory.stats().statements == 2
    assert tools.call("forget", {"item_id": first.id, "confirm": word}).startswith("Erased 1 episode")
    assert memory.stats().statements == 1


def test_no_model_works_out_the_word_and_none_holds_twice_or_for_long(memory: Memory) -> None:
    tools, others = MemoryTools(memory), MemoryTools(memory)
    said = memory.remember("The gate code is 4711.")

    def word(of: MemoryTools = tools) -> str:
        return of.call("forget", {"item_id": said.id}).split("confirm=")[1].strip("'.")

    def is_erased(confirm: str) -> bool:
        return tools.call("forget", {"item_id": said.id, "confirm": confirm}).startswith("Erased")

    known = json.dumps(["team", said.id, [0, 1, 1, 0, 0]])  # what a model knows before it is told a word
    assert not is_erased(sha256(known.encode()).hexdigest()[:8])
    assert word() != word()
    assert not is_erased(word(others))
    first = word()
    tools.now = lambda: monotonic() + 601
    assert not is_erased(first), "it ended"
    other = MemoryTools(memory, principal="mika").call("forget", {"item_id": said.id})
    assert not is_erased(other.split("confirm=")[1].strip("'."))
    last = word()
    assert is_erased(last)
    said = memory.remember("The gate code is 4712.")
    assert not is_erased(last)


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("drop", {}, "There is no tool 'drop'"),
        ("recall", {}, "question"),
        ("recall", {"question": "x", "namespace": "other"}, "namespace"),
        ("recall", {"question": " "}, "blank"),
        ("recall", "no json", "JSON object"),
        ("recall", "[1]", "JSON object"),
        ("recall", "[" * 100_000, "JSON object"),
        ("rate", {"item_id": "zzz", "rating": "fine"}, "good"),
        ("history", {"item_id": "zzz"}, "zzz"),
        ("outline", {"item_id": "zzz"}, "zzz"),
    ],
)
def test_a_wrong_call_is_told_to_the_model(memory: Memory, name: str, given: object, told: str) -> None:
    said = MemoryTools(memory).call(name, given)  # pyright: ignore[reportArgumentType] - as models do
    assert told in said
    assert memory.stats().statements == 0


@pytest.mark.parametrize("empty", ["", "null", None])
def test_empty_optional_arguments_are_left_out_and_numbers_are_texts(memory: Memory, empty: str | None) -> None:
    tools = MemoryTools(memory)
    tools.call("remember", {"text": 4711, "speaker": empty, "session": 7, "subject": empty, "attribute": empty})
    (said,) = memory.list(limit=1).statements
    assert (said.text, said.speaker, said.session) == ("4711", None, "7")
    assert "4711" in tools.call("recall", {"question": "4711", "as_of": empty})


@pytest.mark.parametrize("own", ["task_progress", "toolCallId"])
def test_what_a_client_adds_of_its_own_is_left_out(memory: Memory, own: str) -> None:
    assert MemoryTools(memory).call("remember", {"text": "It rains.", own: "call_1"}).startswith("Remembered as")


def test_a_reading_set_changes_nothing(memory: Memory) -> None:
    tools = MemoryTools(memory, read_only=True)
    assert tools.names == READING
    assert "no tool" in tools.call("remember", {"text": "It rains."})
    assert memory.stats().statements == 0


def test_a_budget_below_one_token_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidValue, match="tokens is 0"):
        MemoryTools(memory, tokens=0)
