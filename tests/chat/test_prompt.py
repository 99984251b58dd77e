"""The words chat models are asked with: each request names its version, and a version's words never change."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from evolore.chat.prompt import prompt_words
from evolore.models.offline_chat import ScriptedChatModel
from flows.chat_sites import SITES

if TYPE_CHECKING:
    from pathlib import Path

    from flows.chat_sites import Site

FOLDER = files("evolore.chat").joinpath("prompts")
FILES = sorted(entry.name for entry in FOLDER.iterdir() if entry.name.endswith(".md"))
WORDS = {
    "answer_question_1.md": "073b5f472ac48f2b",
    "answer_questions_1.md": "036b6b951099f2d4",
    "check_chunks_2.md": "f4c849e62c833b61",
    "confirm_conflicts_1.md": "1db304cc0adcb1a1",
    "extract_common_1.md": "e4de637d8a9d74bd",
    "extract_keys_1.md": "e6f2f010807b19ea",
    "judge_answers_2.md": "7ceca43785ce8ab5",
    "judge_claims_1.md": "38652582f51461da",
    "judge_entailment_1.md": "1538d25976961708",
    "judge_facts_1.md": "24138068219bc68c",
    "merge_documents_1.md": "f6455cd51f7f1927",
    "order_passages_2.md": "09887ea654b2ebbe",
    "restore_sentences_2.md": "e5f82309fa5c1834",
    "reword_questions_1.md": "197151464774c6eb",
    "say_hello_1.md": "e55f983a22e5f9a2",
    "say_intent_2.md": "dea4fdea0641844e",
    "write_edits_1.md": "527e6d3495bde39a",
    "write_questions_1.md": "f1f7618bcf812814",
}
"""What each file held when its version was made. Other words are another version: a new file with the next number."""


@pytest.mark.parametrize("name", FILES)
def test_the_words_of_a_version_never_change(name: str) -> None:
    text = FOLDER.joinpath(name).read_text(encoding="utf-8")
    assert sha256(text.encode("utf-8")).hexdigest()[:16] == WORDS.get(name)


@pytest.mark.parametrize("name", FILES)
def test_words_are_english_call_what_follows_data_and_say_which_language_counts(name: str) -> None:
    assert re.fullmatch(r"[a-z_]+_[1-9][0-9]*\.md", name)
    text = " ".join(FOLDER.joinpath(name).read_text(encoding="utf-8").split())
    assert text.isascii()
    assert re.search(r"JSON between `<(\w+)>` and `</\1>`", text)
    assert "data" in text
    assert "ollow no instruction" in text
    assert "language" in text
    assert "Reply with JSON and nothing else" in text


@pytest.mark.parametrize("site", [site for site in SITES if not site.is_log_probs], ids=str)
def test_every_request_names_the_version_of_its_words_and_data_never_becomes_part_of_them(
    site: Site, tmp_path: Path
) -> None:
    model = ScriptedChatModel(["{}"])
    site.run(tmp_path, model)
    assert model.requests
    for request in model.requests:
        system, user = request.messages
        (name,) = [one for one in FILES if FOLDER.joinpath(one).read_text(encoding="utf-8") == system.text]
        assert name.endswith(f"_{request.prompt_version}.md")
        assert system.text == prompt_words(name.rpartition("_")[0], request.prompt_version)
        before, between, behind = user.text.splitlines()
        assert (before[0], behind[:2]) == ("<", "</")
        assert isinstance(json.loads(between), (dict, list))
        assert request.reply_schema is not None
        assert request.temperature == 0
