"""Measure how many planted secrets are told and how many ordinary texts, and what looking costs.

python benchmarks/secret_texts.py [--set=first|second|third] [--blind] [--misses] [FILE.jsonl …]

Reads the three sets tests/data/secrets, secrets_second and secrets_third, or one of them. A planted text is told when what is found covers its
secrets. Prints both halves, and one of them (`--blind` for the other) by kind. With files it counts what is told among their
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

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
SETS = {"first": "secrets", "second": "secrets_second", "third": "secrets_third"}
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


def rows(*, blind: bool, of: str = "first") -> list[dict[str, object]]:
    """Read a half of a set; the places of a planted text's secrets are added, and in the first set it is put together here."""
    lines = (DATA / SETS[of] / f"{'blind' if blind else 'visible'}.jsonl").read_text("utf-8").splitlines()
    read = [json.loads(line) for line in lines]
    for row in read:
        if of != "first":
            places = [(row["text"].index(one["text"]), len(one["text"])) for one in row["secrets"]]
            row["is_secret"], row["kind"] = bool(places), row["secrets"][0]["kind"] if places else "ordinary"
            row["spans"] = [(at, at + length) for at, length in places]
        elif row["is_secret"]:
            secret = "".join(row["secret"])
            row["text"] = row["before"] + secret + row["after"]
            row["spans"] = [(len(row["before"]), len(row["before"]) + len(secret))]
    return read


def is_told(row: dict[str, object]) -> bool:
    """Return whether what is found covers all secrets of a row; of an ordinary one, whether anything is found."""
    found = find_secrets(str(row["text"]))
    if not row["is_secret"]:
        return bool(found)
    return all(
        any(one.start <= start + 4 and one.end >= end - 2 for one in found)
        for start, end in cast("list[tuple[int, int]]", row["spans"])
    )


def count(*, blind: bool, of: str = "first") -> tuple[Counter[str], Counter[str]]:
    """Count rows and those that are told, by kind and language."""
    seen: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for row in rows(blind=blind, of=of):
        what = str(row["kind"]) if row["is_secret"] else "ordinary"
        for key in (f"{what} {row['language']}", "planted" if row["is_secret"] else "ordinary"):
            seen[key] += 1
            told[key] += is_told(row)
    return seen, told


def print_set(of: str, *, blind: bool, misses: bool) -> None:
    """Print the shares of a set: of a half by kind, and of both."""
    for row in rows(blind=False, of=of) if misses else ():
        if is_told(row) is not row["is_secret"]:
            print("missed" if row["is_secret"] else "told", repr(row["text"]))
    for half in ("blind", "visible") if blind else ("visible", "blind"):
        seen, told = count(blind=half == "blind", of=of)
        for key in sorted(seen):
            if (half == "blind") is blind or key in {"planted", "ordinary"}:
                print(f"{f'{of} {half} {key}':30} told {told[key]:4} of {seen[key]:4}: {told[key] / seen[key]:.3f}")


def main() -> None:
    """Print the shares, and the time a megabyte takes."""
    blind = "--blind" in sys.argv
    chosen = [
        one for one in SETS if not any(arg.startswith("--set=") for arg in sys.argv) or f"--set={one}" in sys.argv
    ]
    if not chosen:
        sys.exit(f"--set is one of {', '.join(SETS)}.")
    for of in chosen:
        print_set(of, blind=blind, misses="--misses" in sys.argv and not blind)
    everyday = "\n".join(str(row["text"]) for row in rows(blind=False) if not row["is_secret"])
    everyday = (everyday * (_MEGABYTE // len(everyday.encode()) + 1))[:_MEGABYTE]
    pages = "\n".join(path.read_text("utf-8") for path in sorted((DATA.parents[1] / "docs").rglob("*.md")))[:_MEGABYTE]
    for name, text in {"everyday": everyday, "documentation": pages, **HOSTILE}.items():
        began = process_time()
        find_secrets(text)
        print(f"{name:22} {1000 * (process_time() - began) * _MEGABYTE / len(text.encode()):6.0f} ms a megabyte")
    for path in (Path(one) for one in sys.argv[1:] if not one.startswith("--")):
        texts = [json.loads(line).get("text", "") for line in path.read_text("utf-8").splitlines()]
        found = sum(bool(find_secrets(str(one))) for one in texts)
        print(f"{path.name:22} told {found} of {len(texts):,}")


if __name__ == "__main__":
    main()
