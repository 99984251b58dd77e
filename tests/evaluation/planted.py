"""A tiny planted knowledge base for tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

OLD, NEW = "within 14 days", "within 30 days"
TEXT = f"# Returns\n\nThis is for buyers.\n\n## Deadline\nSend it back {OLD} of delivery. The box stays closed.\n\n## Postage\nThe buyer pays the postage.\n"
OTHER = f"# News\n\nSince September a parcel may be sent back {NEW} of delivery.\n"


def lines(*, fresh: int = 4) -> list[dict[str, Any]]:
    """Give a document whose number is old, one that says the new one, questions and ratings."""
    document: dict[str, Any] = {
        "kind": "document",
        "id": "d1",
        "lang": "en",
        "source": "returns.md",
        "title": "Returns",
        "text": TEXT,
    }
    document |= {"good": TEXT.replace(OLD, NEW), "defect": "outdated_number"}
    document["evidence"] = [{"source": "news.md", "text": f"a parcel may be sent back {NEW} of delivery"}]
    news = {
        "kind": "document",
        "id": "d2",
        "lang": "en",
        "source": "news.md",
        "title": "News",
        "text": OTHER,
        "good": OTHER,
    }
    news |= {"defect": None, "evidence": []}
    asked = [question("q1", "Until when may I send it back after delivery?")]
    asked += [question(f"f{place}", f"Returns of parcel {place}: within how many days?") for place in range(fresh)]
    asked.append(question("q2", "Who pays the postage?", about=False, all_of=[["buyer pays"]]))
    said = [rating(f"r{place}", principal=f"p{place}", comment="I was told otherwise.") for place in range(3)]
    said.append(rating("r3", principal="p9", comment="It is 90 days, correct that.", poisoned=True))
    said.append(rating("r4", principal="p1", question="q2", rating="good"))
    return [document, news, *asked, *said]


def question(id_: str, text: str, *, about: bool = True, all_of: list[list[str]] | None = None) -> dict[str, Any]:
    """Give a line of a question."""
    return {
        "kind": "question",
        "id": id_,
        "lang": "en",
        "document": "d1",
        "text": text,
        "about_defect": about,
        "answer": {"all_of": all_of or [["30 days", "thirty days"]]},
    }


def rating(
    id_: str, *, principal: str, question: str = "q1", rating: str = "bad", comment: str = "", poisoned: bool = False
) -> dict[str, Any]:
    """Give a line of a rating."""
    return {
        "kind": "feedback",
        "id": id_,
        "document": "d1",
        "question": question,
        "principal": principal,
        "rating": rating,
        "comment": comment,
        "poisoned": poisoned,
    }


def write(folder: Path, listed: list[dict[str, Any]], name: str = "tiny.jsonl") -> Path:
    """Write a set."""
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in listed), encoding="utf-8")
    return path
