"""Bring every generated part of the pages up to date: ``python docs/generate.py``."""

# ruff: noqa: INP001 - a script beside the pages it writes, not a package

from __future__ import annotations

import runpy
from pathlib import Path

for name in (
    "generate_cli.py",
    "generate_python.py",
    "generate_settings.py",
    "generate_seeds.py",
    "generate_figures.py",
    "generate_output.py",
    "generate_picture.py",
):
    runpy.run_path(str(Path(__file__).resolve().parent / name), run_name="__main__")
