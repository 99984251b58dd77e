"""Print how many contradictions between documents ``maintain`` files, with a model that judges pairs.

Run it as ``.venv/bin/python benchmarks/between.py [--blind] [--wrong P] [--calls N] [--real] [--show]``. The set is
``tests/data/between``, whose BRIEF.md describes it. The documents of a house go into a default store, then ``maintain``;
then its statements are remembered, and ``maintain`` again.

The judge is scripted: it reads the set's labels, so the figures say which pairs it is shown, never how well a model
judges. ``--wrong`` turns its answer round for that share of pairs, in both orders at once. ``--real`` asks the model of
the settings instead.

- ``documents``, ``statements``: of what is filed, what is listed (precision); of what is listed, what is filed (recall).
- ``value``, ``other``: the recall of those whose two sentences state another value by the readers, and of the rest.
- ``pairs``: how many the judge was asked about; ``calls``; ``seconds`` of both ``maintain``.
"""

from __future__ import annotations

import os
import random
import re
from json import dumps, loads
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.config import Settings
from evolore.domain.language import Language
from evolore.episodes.differences import number_difference
from evolore.models.offline_chat import ScriptedChatModel
from evolore.text.contrasts.reading import read
from harness import command_line, new_memory, read_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.chat import ChatRequest
    from evolore.memory import Memory

Record: TypeAlias = "dict[str, Any]"
Pair: TypeAlias = "tuple[str, str]"
SET = Path(__file__).parent.parent / "tests" / "data" / "between"
DATA = re.compile(r"<pairs>\s*(.*?)\s*</pairs>", re.DOTALL)


def bare(text: str) -> str:
    """Return the letters and digits of a text."""
    return re.sub(r"[\W_]", "", text)


def overlaps(one: str, other: str) -> bool:
    """Tell whether a sentence is another, or holds it."""
    ours, theirs = bare(one), bare(other)
    return bool(ours and theirs) and (ours in theirs or theirs in ours)


def is_pair(one: Pair, other: Pair) -> bool:
    """Tell whether two pairs are one, in either order."""
    return any(overlaps(one[0], first) and overlaps(one[1], last) for first, last in (other, other[::-1]))


class Judge:
    """Says of pairs what the labels say, but for a share of them."""

    def __init__(self, listed: Sequence[Pair], wrong: float) -> None:
        self._listed = listed
        self._wrong = wrong
        self.pairs = 0

    def reply(self, request: ChatRequest) -> str:
        """Return a label for each pair."""
        found = DATA.search(request.messages[-1].text)
        pairs: list[dict[str, str]] = loads(found[1])["pairs"] if found else []
        self.pairs += len(pairs) // 2
        return dumps({"labels": [self._label(one["premise"], one["hypothesis"]) for one in pairs]})

    def _label(self, premise: str, hypothesis: str) -> str:
        is_wrong = random.Random("\n".join(sorted((premise, hypothesis)))).random() < self._wrong
        says = any(is_pair((premise, hypothesis), one) for one in self._listed)
        return "contradiction" if says != is_wrong else "neutral"


def filed(memory: Memory) -> list[Pair]:
    """Return the two sides of each disagreement that is open."""
    sides = [item.reason.splitlines()[1:] for item in memory.review.list(category="disagreement")]
    quotes = [[re.split("[“「]", line, maxsplit=1)[1][:-1] for line in lines] for lines in sides]
    return [(one[0], one[1]) for one in quotes]


def shares(found: Sequence[Pair], listed: Sequence[Pair], language: str, *, show: bool) -> str:
    """Return precision and recall; print what was found and missed if asked."""
    right = [one for one in found if any(is_pair(one, pair) for pair in listed)]
    hit = [pair for pair in listed if any(is_pair(one, pair) for one in found)]
    for mark, pairs in (("+", right), ("-", [one for one in found if one not in right])) if show else ():
        for pair in pairs:
            print("   ", mark, " / ".join(pair))
    for pair in listed if show else ():
        if pair not in hit:
            print("    missed:", " / ".join(pair))
    kinds: dict[str, list[bool]] = {"value": [], "other": []}
    for pair in listed:
        ours, theirs = (read(text, Language(language)) for text in pair)
        kinds["other" if number_difference(ours, theirs) is None else "value"].append(pair in hit)
    by_kind = "  ".join(f"{name} {sum(one)}/{len(one)}" for name, one in kinds.items())
    return f"precision {len(right)}/{len(found)}  recall {len(hit)}/{len(listed)}  {by_kind}"


def try_house(rows: Sequence[Record], given: Any) -> None:  # noqa: ANN401 - what a parser returns
    """Add a house, and print what is found."""
    language = rows[0]["lang"]
    listed = [tuple(one["sentences"]) for one in rows if one["kind"] == "contradiction"]
    said = [one for one in rows if one["kind"] == "statement"]
    aimed = [(one["text"], one["contradicts"]["sentence"]) for one in said if one["contradicts"]]
    settings = Settings(
        evolution={"entailment_by_chat": True},  # pyright: ignore[reportArgumentType] - pydantic reads it
        maintenance={"review_calls": given.calls},  # pyright: ignore[reportArgumentType]
    )
    judge = Judge([*listed, *aimed], given.wrong)
    model = None if given.real else ScriptedChatModel([judge.reply])
    with new_memory(settings=settings, chat_model=model) as memory:
        for one in rows:
            if one["kind"] == "document":
                memory.add_text(one["text"], source=one["source"])
        started = perf_counter()
        memory.maintain()
        first = filed(memory)
        show = given.show and not given.blind
        print(language, "documents ", shares(first, listed, language, show=show))
        for one in said:
            memory.remember(one["text"])
        memory.maintain()
        texts = {one["text"] for one in said}
        more = [one for one in filed(memory) if not texts.isdisjoint(one)]
        calls = model.calls if model else "?"
        print(language, "statements", shares(more, aimed, language, show=show))
        print(language, f"pairs {judge.pairs}  calls {calls}  seconds {perf_counter() - started:.1f}", flush=True)


def main() -> None:
    """Print the figures of each language."""
    parser = command_line(__doc__)
    parser.add_argument("--blind", action="store_true", help="the half that nothing is tuned on")
    parser.add_argument("--show", action="store_true", help="what was filed, and what was missed")
    parser.add_argument("--wrong", type=float, default=0.0, help="the share of pairs the judge is wrong of")
    parser.add_argument("--calls", type=int, default=100, help="how many calls one maintain may make")
    parser.add_argument("--real", action="store_true", help="ask the model of the settings")
    parser.add_argument("--language", default="en,ja,zh")
    given = parser.parse_args()
    for language in given.language.split(","):
        try_house(read_lines(SET / ("blind" if given.blind else "visible") / f"{language}.jsonl"), given)


if __name__ == "__main__":
    main()
