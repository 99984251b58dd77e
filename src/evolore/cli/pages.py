"""What pages that a browser opens without a network have in common: their policy, and their block of data."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files


def part_of_page(name: str) -> str:
    """Read a style sheet or script that stands beside this file."""
    return files("evolore.cli").joinpath(name).read_text("utf-8")


def policy_for(*, style: str, script: str) -> str:
    """Write the policy that lets a page use this style sheet and this script, and nothing else."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )


def data_block(value: object) -> str:
    """Write a value as JSON in which no character can end the block it stands in."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode('utf-8')).digest()).decode('ascii')}'"
