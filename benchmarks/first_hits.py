"""Print how often the right statement is found first, beside a plain product of the same vectors.

Run it as ``.venv/bin/python benchmarks/first_hits.py [FOLDER …] [--blind] [--embedder NAME]``. A file holds stores, a line each:
``{id, lang, kind?, items: [text or {text, lang}], questions: [{text, answer, form?, lang?}]}``, ``answer`` the place of the only item
that is right. A store counts as blind, and all its questions with it, where the CRC-32 of its id is odd; of paraphrases a question does,
where that of the store's id and ``answer`` is.

- *forms*: look-alike statements, asked for by an identifier or a word, to the letter (``exact``) or in another written form.
- *paraphrases*: forty facts of one life, asked for in other words; also cut into stores of 5, 10 and 20.
- *asked*: chats of one person whose questions are kept and whose replies are not (``messages``, in one session, in place of ``items``), asked
  for what a message says (``plain``) or takes for granted in a question (``packed``). A line says itself whether it is blind.
- *mixed*: stores of statements and paragraphs in three languages, asked in each.

``first``: share of questions whose item is the first hit; ``ten``: among the first ten; ``plain``: first by the cosine alone.
"""

from __future__ import annotations

import json
import os
import random
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

from evolore.config import Settings
from evolore.models.embedders import embedder_named
from evolore.ports import TextRole
from evolore_evaluation.measure import RememberingEmbedder
from harness import command_line, is_blind, new_memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.ports import Embedder

Record: TypeAlias = "dict[str, Any]"
DATA = Path(__file__).parent.parent / "tests" / "data"
SETS = tuple(DATA / name for name in ("forms", "paraphrases", "mixed", "asked"))
SIZES = (5, 10, 20, 40)
TEN = 10


def main() -> None:
    """Print the figures of each set by language and kind."""
    parser = command_line(__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=SETS, help="where the sets lie")
    parser.add_argument("--blind", action="store_true", help="the half that nothing is tuned on")
    parser.add_argument("--embedder", default="use", help="the embedder's name, as in the setting")
    given = parser.parse_args()
    embedder = RememberingEmbedder(embedder_named(given.embedder))
    for folder in given.folders:
        tallies: defaultdict[str, list[tuple[bool, bool, bool]]] = defaultdict(list)
        for one in stores(folder, blind=given.blind):
            for key, outcome in outcomes(one, embedder):
                tallies[key].append(outcome)
        for key, found in sorted(tallies.items()):
            first, ten, plain = np.mean(found, axis=0)
            print(
                f"{folder.name:<12} {key:<28} first {first:.3f}  ten {ten:.3f}  plain {plain:.3f}  of {len(found)}",
                flush=True,
            )


def stores(folder: Path, *, blind: bool) -> Iterator[Record]:
    """Read the stores of one half; one of 40 facts comes in smaller ones too."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            if "messages" in one:
                if one["blind"] is blind:
                    yield _chat(one, path.stem[-2:])
                continue
            one["items"] = [item if isinstance(item, str) else item["text"] for item in one["items"]]
            if folder.name == "paraphrases":
                asked = [asked for asked in one["questions"] if is_blind(f"{one['id']}{asked['answer']}") is blind]
                yield from cut(one | {"questions": asked})
            elif is_blind(one["id"]) is blind:
                yield one


def _chat(record: Record, language: str) -> Record:
    """Return a chat as a store, with the kinds of its questions as forms."""
    asked = [one | {"form": one["kind"]} for one in record["questions"]]
    return record | {"lang": language, "kind": "chats", "items": record["messages"], "questions": asked}


def cut(store: Record) -> Iterator[Record]:
    """Cut a store into parts of several sizes, drawn by its id."""
    for size in SIZES:
        order = random.Random(store["id"]).sample(range(len(store["items"])), len(store["items"]))
        for start in range(0, len(order) - size + 1, size):
            place = {number: at for at, number in enumerate(order[start : start + size])}
            asked = [one | {"answer": place[one["answer"]]} for one in store["questions"] if one["answer"] in place]
            items = [store["items"][number] for number in place]
            yield store | {"items": items, "questions": asked, "kind": f"stores of {size:>2}"}


def outcomes(store: Record, embedder: Embedder) -> Iterator[tuple[str, tuple[bool, bool, bool]]]:
    """Ask a store all its questions."""
    texts: Sequence[str] = store["items"]
    vectors = embedder.embed(texts, role=TextRole.PASSAGE)
    with new_memory(embedder=embedder, settings=Settings()) as memory:
        speaker, session = ("Mika", "chat") if "messages" in store else (None, None)
        ids = [memory.remember(text, speaker=speaker, session=session).id for text in texts]
        for asked in store["questions"]:
            hits = memory.recall(asked["text"], limit=TEN, record=False).hits
            places = [{one.id for one in hit.episodes} for hit in hits]
            answer = int(asked["answer"])
            plain = int(np.argmax(vectors @ embedder.embed([asked["text"]], role=TextRole.QUERY)[0]))
            outcome = (
                bool(places) and ids[answer] in places[0],
                any(ids[answer] in one for one in places),
                plain == answer,
            )
            names = (store.get("lang", asked.get("lang", "")), store.get("kind", ""), asked.get("form", ""))
            yield " ".join(name for name in names if name), outcome
            if "form" in asked:
                yield f"{names[0]} {asked['form']}, all kinds", outcome


if __name__ == "__main__":
    main()
