"""Tables of words and numbers: TOML files beside the code that reads them, parsed on first use and never at import."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def read_tables(package: str, path: str) -> Mapping[str, Mapping[str, object]]:
    """Read a TOML file of a package whole."""
    return tomllib.loads(files(package).joinpath(path).read_text(encoding="utf-8"))
