from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import evolore
from evolore.domain.language import Language
from evolore.text.word_files import read_tables, read_words

ROOT = Path(evolore.__file__).parent
FILES = sorted(ROOT.rglob("*.toml"))
WIDTH = 120
NOTHING_IS_READ = """
import importlib, pkgutil, evolore
for part in ("text", "chunking", "episodes", "recall", "evolution"):
    package = importlib.import_module(f"evolore.{part}")
    for found in pkgutil.walk_packages(package.__path__, f"evolore.{part}."):
        importlib.import_module(found.name)
from evolore.text import word_files
assert not word_files.read_tables.cache_info().misses
"""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_is_narrow_and_has_tables(path: Path) -> None:
    package = ".".join(("evolore", *path.parent.parent.relative_to(ROOT).parts))
    assert read_tables(package, f"{path.parent.name}/{path.name}")
    lines = path.read_text("utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert [line for line in lines if len(line) > WIDTH or line != line.rstrip()] == []


def test_no_group_is_possessive() -> None:
    """Up to Python 3.11.4 such a group takes less than it should; an atomic group around it does not."""
    possessive = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d+(?:,\d*)?\})\+")
    paths = [*FILES, *ROOT.rglob("*.py")]
    assert [path.name for path in paths if possessive.search(path.read_text("utf-8"))] == []


@pytest.mark.parametrize("path", [path for path in FILES if path.parent.name == "fitted"], ids=lambda path: path.name)
def test_fitted_numbers_name_the_command_that_writes_them(path: Path) -> None:
    assert path.read_text("utf-8").startswith("# Written by `python benchmarks/")


def test_a_language_without_words_of_its_own_reads_the_english_ones() -> None:
    assert read_words("evolore.text", "changes", Language.UND) == read_words("evolore.text", "changes", Language.EN)


def test_importing_the_core_reads_no_file() -> None:
    subprocess.run([sys.executable, "-c", NOTHING_IS_READ], check=True)
