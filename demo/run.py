"""Show Evolore at work: real documents in three languages, questions about them, and the passages that answer.

``make demo`` runs it; ``make demo-check`` prints three figures instead (``--check``). Everything happens in a temporary
folder, offline, with the embedder that is installed.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import tempfile
import textwrap
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from evolore import Memory, Recall, Statement

HERE = Path(__file__).resolve().parent
WIDTH = 96
SHOWN = 220
LIMIT = 5
SHOWN_OF = 6  # one question in six is shown, and all are counted
LANGUAGES = {"en": "English", "ja": "Japanese", "zh": "Chinese"}
FORGOTTEN = ("en/handbook.md", "ja/essay.txt", "zh/faq.html")


def main() -> None:
    """Add, remember, ask, and print how often the first passages held the answer."""
    started = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "demo.evolore", namespace="demo") as memory,
    ):
        fill(memory)
        if "--check" in sys.argv:
            check(memory, Path(folder))
        else:
            answerable = [one for one in read("questions.jsonl") if one["expect"]]
            found = [ask(memory, question) for question in answerable[::SHOWN_OF]]
            say(f"\n{sum(found)} of {len(found)} answers are in the first {LIMIT} passages.")
    say(f"{seconds(started)} in all.")


def check(memory: Memory, store: Path) -> None:
    """Print three figures: answers found, questions refused, and what undo and forget leave."""
    questions = read("questions.jsonl")
    compare(memory, [one for one in questions if one["expect"]])
    refused = [not memory.answer(one["question"], record=False).citations for one in questions]
    right = sum(not one["expect"] for one, is_refused in zip(questions, refused, strict=True) if is_refused)
    answerable = sum(bool(one["expect"]) for one in questions)
    say(f"2. Questions the texts do not answer: {right} of {len(questions) - answerable} refused, without a chat model")
    say(f"   Questions they answer: {sum(refused) - right} of {answerable} refused by mistake")
    undo_and_forget(memory, store)


def compare(memory: Memory, asked: list[dict[str, str]]) -> None:
    """Print how often the first passages hold the answer, with Evolore and with keyword search over the same passages."""
    everything = memory.list(limit=100)
    trees = [memory.outline.tree(one.id, with_text=True) for one in everything.documents]
    leaves = [(tree.text or "", node.chunk.span) for tree in trees for node in tree.nodes if node.chunk.is_leaf]
    texts = [text[span.start : span.end] for text, span in leaves] + [one.text for one in everything.statements]
    rows = {
        "Evolore": [place_of(memory.recall(one["question"], limit=LIMIT), one["expect"]) is not None for one in asked],
        "SQLite FTS5, stemmed words": keywords(texts, asked, "porter", r"\w+"),
        "SQLite FTS5, trigrams": keywords(texts, asked, "trigram", r"(?=(...))"),
    }
    say(f"1. Answer in the first {LIMIT} passages   " + "".join(f"{name:>10}" for name in LANGUAGES.values()))
    for name, found in rows.items():
        shares = [[hit for one, hit in zip(asked, found, strict=True) if one["lang"] == lang] for lang in LANGUAGES]
        say(f"   {name:<30}" + "".join(f"{f'{sum(share)} of {len(share)}':>10}" for share in shares))


def keywords(texts: list[str], asked: list[dict[str, str]], tokenizer: str, term: str) -> list[bool]:
    """Ask SQLite's full-text search, ranked by BM25, which answers are in its first passages."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE VIRTUAL TABLE passage USING fts5(text, tokenize = '{tokenizer}')")
        database.executemany("INSERT INTO passage VALUES (?)", [(text,) for text in texts])
        ranked = f"SELECT text FROM passage WHERE passage MATCH ? ORDER BY rank LIMIT {LIMIT}"
        terms = [" OR ".join(f'"{one}"' for one in re.findall(term, question["question"])) for question in asked]
        found = [" ".join(text for (text,) in database.execute(ranked, (words,))) for words in terms]
        return [squeezed(one["expect"]) in squeezed(text) for one, text in zip(asked, found, strict=True)]


def undo_and_forget(memory: Memory, store: Path) -> None:
    """Correct every statement and undo that, forget a document in each language, and print what is left."""
    listed = memory.list(limit=100)
    corrected = [memory.correct(one.id, "Something else.") for one in listed.statements]
    changed = sum(memory.show(one.id) != one for one in listed.statements)
    for one in reversed(corrected):
        memory.undo(one.event_ids[0])
    same = sum(memory.show(one.id) == one for one in listed.statements)
    say(f"3. Undo: {changed} statements corrected; undone, {same} are as before in every field")
    documents = [one.id for one in listed.documents if one.source.endswith(FORGOTTEN)]
    texts = [memory.outline.tree(one, with_text=True).text or "" for one in documents]
    sentences = [one.encode() for text in texts for one in re.findall(r"\w[^\n.。]{9,}", text)]
    before = kept(sentences, store)
    for one in documents:
        memory.forget(one)
    after = kept(sentences, store)
    say(
        f"   Forget {len(documents)} documents: the store's files held {before} of their sentences before, {after} after"
    )


def kept(sentences: list[bytes], store: Path) -> int:
    """Count the sentences that a file of the store holds."""
    files = [path.read_bytes() for path in store.rglob("*") if path.is_file()]
    return sum(any(one in file for file in files) for one in sentences)


def fill(memory: Memory) -> None:
    """Add the demo's documents and statements."""
    started = time.perf_counter()
    added = memory.add(HERE / "documents")
    passages = sum(document.new_leaves for document in added.documents)
    statements = [
        Statement(
            text=line["text"],
            occurred_at=datetime.fromisoformat(line["at"]).replace(tzinfo=UTC),
            speaker=line["speaker"],
        )
        for line in read("statements.jsonl")
    ]
    memory.remember_many(statements)
    counts = f"{len(added.documents)} documents in {passages} passages, and {len(statements)} statements"
    say(f"Added {counts}, in English, Japanese and Chinese ({seconds(started)}).")


def ask(memory: Memory, question: dict[str, str]) -> bool:
    """Ask one question, show the best passage, and return whether one of the first passages holds the answer."""
    started = time.perf_counter()
    recall = memory.recall(question["question"], limit=LIMIT)
    say(f"\n[{question['lang']}] {question['question']}  ({seconds(started)})")
    place = place_of(recall, question["expect"])
    shown = recall.hits[(place or 1) - 1]
    episode = shown.episode
    where = f"{episode.title}, {episode.outline}" if episode.document_id else f"said by {episode.speaker}"
    say(f"  {shown.rank}. {where}  (score {shown.score:.2f})")
    say(textwrap.indent(textwrap.fill(excerpt(episode.text, question["expect"]), WIDTH), "     "))
    if place is None:
        say(f"     The answer, {question['expect']!r}, is not among the first {LIMIT}.")
    return place is not None


def place_of(recall: Recall, expected: str) -> int | None:
    """Return the rank of the first hit that holds the expected words."""
    wanted = squeezed(expected)
    return next((hit.rank for hit in recall.hits if wanted in squeezed(hit.episode.text)), None)


def excerpt(text: str, expected: str) -> str:
    """Cut a passage down to the part around the expected words, from the beginning of a word or clause."""
    flat, wanted = squeezed(text), squeezed(expected)
    begin = max(0, flat.find(wanted) - SHOWN // 2)
    while begin and flat[begin - 1] not in " 。！？；，、":
        begin -= 1
    return ("…" if begin else "") + flat[begin : begin + SHOWN] + ("…" if begin + SHOWN < len(flat) else "")


def squeezed(text: str) -> str:
    """Fold white space to single spaces."""
    return " ".join(text.split())


def read(name: str) -> list[dict[str, str]]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def seconds(started: float) -> str:
    """Say how long ago something started."""
    return f"{time.perf_counter() - started:.2f} s"


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
