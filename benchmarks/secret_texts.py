"""Measure how many planted secrets are told and how many ordinary texts, and what looking costs.

python benchmarks/secret_texts.py [--blind] [--misses] [FILE.jsonl …]

Reads tests/data/secrets. A planted secret is told when what is found covers it. With files it counts what is told among their
texts (a field `text` a line), at the natural rate. `--misses` lists what is wrong, of the visible half alone.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from time import process_time
from typing import cast

from evolore.text.secret_signs import find_secrets

SETS = Path(__file__).resolve().parents[1] / "tests" / "data" / "secrets"
_MEGABYTE = 1_000_000
HOSTILE = {
    "letter": "a" * _MEGABYTE,
    "digits": "4" * _MEGABYTE,
    "grouped digits": "4444 " * (_MEGABYTE // 5),
    "passwords": "password " * (_MEGABYTE // 9),
    "joined passwords": "password" * (_MEGABYTE // 8),
    "assignments": "token=" * (_MEGABYTE // 6),
    "addresses": "://a:" * (_MEGABYTE // 5),
    "JWT": "eyJ" * (_MEGABYTE // 3),
    "JWT parts": "eyJaaaaaaaaaaa." * (_MEGABYTE // 15),
    "PEM": "-----BEGIN PRIVATE KEY-----\n" * (_MEGABYTE // 28),
    "パスワード": "パスワードは" * (_MEGABYTE // 18),
    "İ": "İpassword: " * (_MEGABYTE // 12),
}


def rows(*, blind: bool) -> list[dict[str, object]]:
    """Read a half of the set; a planted text is put together here, and its secret's place added."""
    lines = (SETS / f"{'blind' if blind else 'visible'}.jsonl").read_text("utf-8").splitlines()
    read = [json.loads(line) for line in lines]
    for row in read:
        if row["is_secret"]:
            secret = "".join(row["secret"])
            row["text"] = row["before"] + secret + row["after"]
            row["span"] = (len(row["before"]), len(row["before"]) + len(secret))
    return read


def is_told(row: dict[str, object]) -> bool:
    """Return whether what is found covers the secret of a row; of an ordinary one, whether anything is found."""
    found = find_secrets(str(row["text"]))
    if not row["is_secret"]:
        return bool(found)
    start, end = cast("tuple[int, int]", row["span"])
    return any(one.start <= start + 4 and one.end >= end - 2 for one in found)


def count(*, blind: bool) -> tuple[Counter[str], Counter[str]]:
    """Count rows and those that are told, by kind and language."""
    seen: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for row in rows(blind=blind):
        what = str(row["kind"]) if row["is_secret"] else "ordinary"
        for key in (f"{what} {row['language']}", "planted" if row["is_secret"] else "ordinary"):
            seen[key] += 1
            told[key] += is_told(row)
    return seen, told


def main() -> None:
    """Print the shares, and the time a megabyte takes."""
    blind = "--blind" in sys.argv
    if "--misses" in sys.argv and not blind:
        for row in rows(blind=False):
            if is_told(row) is not row["is_secret"]:
                print("missed" if row["is_secret"] else "told", repr(row["text"]))
    seen, told = count(blind=blind)
    for key in sorted(seen):
        print(f"{key:22} told {told[key]:4} of {seen[key]:4}: {told[key] / seen[key]:.3f}")
    everyday = "\n".join(str(row["text"]) for row in rows(blind=False) if not row["is_secret"])
    everyday = (everyday * (_MEGABYTE // len(everyday.encode()) + 1))[:_MEGABYTE]
    for name, text in {"everyday": everyday, **HOSTILE}.items():
        began = process_time()
        find_secrets(text)
        print(f"{name:22} {1000 * (process_time() - began) * _MEGABYTE / len(text.encode()):6.0f} ms a megabyte")
    for path in (Path(one) for one in sys.argv[1:] if not one.startswith("--")):
        texts = [json.loads(line).get("text", "") for line in path.read_text("utf-8").splitlines()]
        found = sum(bool(find_secrets(str(one))) for one in texts)
        print(f"{path.name:22} told {found} of {len(texts):,}")


if __name__ == "__main__":
    main()
