"""Print what a chat model's keys give that is wrong now and then: ``python benchmarks/scripted_keys.py [--blind] [SHARE]``.

A scripted model answers the prompt of ``integration.extract_keys`` for the pairs of ``tests/data/changes``: of a pair whose newer
statement takes the older one's place it names one key for both, with words of each as the value; of a harmless pair nothing for
the newer one. By a fixed draw it is wrong in SHARE (0.1) of its answers: it keeps silent, names another attribute, gives words that
do not stand there, or takes the harmless one for the same key. Its replies pass the checks of ``read_keys``, and pairs are
decided as ``remember`` decides them. Printed are precision and recall of supersessions by language, with wording and without.
"""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path
from typing import Any

from evolore.domain.language import Language
from evolore.episodes.key_extraction import ShownStatement, read_keys
from evolore.episodes.updates import find_update, keyed_update
from evolore.text.tokens import content_tokens
from harness import is_blind, read_lines

DATA = Path(__file__).resolve().parents[1] / "tests" / "data" / "changes"
WRONG = 0.1
LIKENESS = 0.5
"""The centred cosine that stands for that of vectors, which are not looked at here."""

OURS = re.compile(r"\b(?:i|my|we|our|me|us)\b|私|僕|俺|うち|我|咱", re.IGNORECASE)
OWN_WORD = re.compile(r"[A-Za-z]{3,}")


def main() -> None:
    """Print the table."""
    numbers = [one for one in sys.argv[1:] if not one.startswith("-")]
    share = float(numbers[0]) if numbers else WRONG
    for path in sorted(DATA.glob("*_pairs.jsonl")):
        pairs = read_lines(path)
        wanted = [one for one in pairs if is_blind(one["id"]) is ("--blind" in sys.argv)]
        for name, with_wording in (("keys alone", False), ("keys and wording", True)):
            draw = random.Random(7)
            found = [(is_replaced(one, draw, share, with_wording=with_wording), one["label"]) for one in wanted]
            fired = [label for is_found, label in found if is_found]
            right = fired.count("supersedes")
            total = sum(label == "supersedes" for _, label in found)
            precision = f"{right / len(fired):.1%}" if fired else "-"
            sys.stdout.write(
                f"{path.stem[:2]}  {name:18} fired {len(fired):3}  precision {precision:>6}  recall {right / total:.1%}\n"
            )


def is_replaced(pair: dict[str, Any], draw: random.Random, share: float, *, with_wording: bool) -> bool:
    """Tell whether the newer statement takes the older one's place by what the model says of both."""
    if pair["old_speaker"] != pair["new_speaker"]:
        return False
    language = Language(pair["lang"])
    shown = [ShownStatement(text=pair[side], language=language) for side in ("old", "new")]
    is_same = pair["label"] == "supersedes"
    said = [answer(pair, side, draw, share, is_same=is_same or side == "old") for side in ("old", "new")]
    reply = json.dumps({"facts": [{"number": number, **one} for number, one in enumerate(said, 1) if one]})
    read = read_keys(reply, shown, [])
    if with_wording and find_update(shown[0].text, shown[1].text, language, likeness=LIKENESS) is not None:
        return True
    return keyed_update(read[0], read[1]) is not None


def answer(
    pair: dict[str, Any], side: str, draw: random.Random, share: float, *, is_same: bool
) -> dict[str, str | bool] | None:
    """Give what the model says of one statement; now and then something wrong."""
    own, other = pair[side], pair["new" if side == "old" else "old"]
    subject = subject_of(own, other) if pair["label"] == "supersedes" else "speaker"
    fact: dict[str, str | bool] = {"subject": subject, "attribute": pair["attribute"].replace("_", " ")}
    fact |= {"value": value_of(own, other), "is_over": False}
    if draw.random() >= share:
        return fact if is_same else None
    wrong = draw.choice(["silent", "attribute", "value", "same"])
    if wrong == "silent":
        return None
    if wrong == "attribute":
        return fact | {"attribute": "something else"}
    if wrong == "value":
        return fact | {"value": "nowhere to be found"}
    return fact


def subject_of(own: str, other: str) -> str:
    """Give the speaker where both statements are in the first person; else a word that stands in both, where one does."""
    if all(OURS.search(text) for text in (own, other)):
        return "speaker"
    words = OWN_WORD.findall(min(own, other)) if own.isascii() else [own[at : at + 2] for at in range(len(own) - 1)]
    shared = [one for one in words if one.casefold() in own.casefold() and one.casefold() in other.casefold()]
    fitting = [one for one in shared if content_tokens(one)]
    return max(sorted(fitting), key=len, default="speaker")


def value_of(own: str, other: str) -> str:
    """Give the longest stretch of a statement whose words the other does not hold."""
    shared = {token.casefold() for token in content_tokens(other)}
    words = own.split() if own.isascii() else [own[place : place + 3] for place in range(0, len(own), 3)]
    fresh = [
        one.strip(".,;:!?。、，") for one in words if not set(content_tokens(one)) & shared and content_tokens(one)
    ]
    return max(fresh, key=len, default=words[-1])


if __name__ == "__main__":
    main()
