"""The scripted editor behind a server: it knows what is asked by the words it is asked with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from evolore.flows.prompt_words import prompt_words
from evolore.text.fences import unfenced
from evolving.scripted import ScriptedEditor
from flows.chat_sites import content

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evolore.models.offline_server import ServerFault

WORDS = {
    prompt_words(name, version): made
    for name, version, made in (
        ("reflect_sections", 1, "_evolution_reflect"),
        ("answer_question", 1, "_recall_answer"),
        ("judge_answers", 1, "_evolution_judge"),
        ("judge_claims", 1, "_evolution_judge_claims"),
        ("write_questions", 1, "_evolution_questions"),
    )
}


def served_editor(fault: ServerFault | None = None) -> Callable[[Mapping[str, object]], str]:
    """Answer as the scripted editor does, but for reflections, which meet the fault."""
    editor = ScriptedEditor()

    def said(body: Mapping[str, object]) -> str:
        messages = body["messages"]
        assert isinstance(messages, list)
        made = WORDS[str(messages[0]["content"])]  # pyright: ignore[reportUnknownArgumentType]
        if fault is not None and made == "_evolution_reflect":
            return fault
        return json.dumps(getattr(editor, made)(unfenced(content(body))))

    return said
