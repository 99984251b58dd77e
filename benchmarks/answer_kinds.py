"""Print how often a question is answered by what only looks like an answer: ``python benchmarks/answer_kinds.py [--blind]``.

Asks the small memories of ``tests/data/kinds`` (does a sentence say the kind of thing that is asked?) and ``tests/data/whose`` (is
it said by, or of, whom the question is about?), each question on behalf of who asks it, without a chat model. Printed by
language are the share of answerable questions whose answer cites the right statement, of the others those rightly refused,
how well the likelihood tells them apart (AUC), and of the others those whose answer cites a look-alike.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolore import Memory, Statement, config
from evolore.domain.answer import AnswerKind
from evolore.models.embedders import embedder_named
from harness import is_blind, read_lines, store_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore import Embedder

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it was answered."""

    has_answer: bool
    is_refused: bool
    cited: frozenset[str]
    wanted: str | None
    alike: frozenset[str]
    likelihood: float


def main() -> None:
    """Print the table."""
    blind = "--blind" in sys.argv
    settings = config.load()
    embedder = embedder_named(settings.embedder)
    for folder in ("kinds", "whose"):
        for path in sorted((DATA / folder).glob("*.jsonl")):
            lines = read_lines(path)
            chosen = [one for one in lines if is_blind(one["id"]) is blind]
            with store_folder() as store:
                asked = [found for one in chosen for found in ask(one, store, embedder)]
            sys.stdout.write(f"{folder:6} {path.stem}  {told(asked)}\n")


def ask(case: dict[str, Any], store: Path, embedder: Embedder) -> list[Asked]:
    """Fill a memory and ask its questions."""
    settings = config.load()
    settings = settings.model_copy(update={"answer": replace(settings.answer, chat_calls=0)})
    with Memory.open(store / "store", namespace=case["id"], embedder=embedder, settings=settings) as memory:
        names: dict[str, str] = {}
        for item in case["items"]:
            said = Statement(text=item["text"], speaker=item.get("speaker"), occurred_at=item["occurred_at"])
            names[memory.remember_many([said]).episodes[0].id] = item["id"]
        found: list[Asked] = []
        for question in case["questions"]:
            answer = memory.answer(question["text"], principal=question.get("by"), record=False)
            is_refused = answer.kind is AnswerKind.NOT_IN_SOURCES
            cited = {names.get(one.episode_id, "") for one in answer.citations}
            found.append(
                Asked(
                    has_answer=question["answer"] is not None,
                    is_refused=is_refused,
                    cited=frozenset() if is_refused else frozenset(cited),
                    wanted=question["answer"],
                    alike=frozenset(question.get("not", ())),
                    likelihood=answer.likelihood or 0.0,
                )
            )
        return found


def told(asked: Sequence[Asked]) -> str:
    """Give the figures of a set on a line."""
    able = [one for one in asked if one.has_answer]
    unable = [one for one in asked if not one.has_answer]
    right = sum(one.wanted in one.cited for one in able) / max(len(able), 1)
    wrongly = sum(one.is_refused for one in able) / max(len(able), 1)
    refused = sum(one.is_refused for one in unable) / max(len(unable), 1)
    misled = sum(bool(one.cited & one.alike) for one in asked) / max(len(asked), 1)
    pairs = [(yes.likelihood, no.likelihood) for yes in able for no in unable]
    auc = sum((yes > no) + 0.5 * (yes == no) for yes, no in pairs) / max(len(pairs), 1)
    return (
        f"answerable {len(able):3}: right {right:.1%}, refused {wrongly:.1%};  "
        f"others {len(unable):3}: refused {refused:.1%};  AUC {auc:.2f};  look-alikes cited {misled:.1%}"
    )


if __name__ == "__main__":
    main()
