"""Print how much room a base install of Evolore takes, and its largest parts.

Run it as ``.venv/bin/python benchmarks/install_size.py``: it builds a fresh environment without pip's own files,
installs the project without extras, and adds up the files.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

MEGABYTE = 1_000_000
SHOWN = 8


def size(path: Path) -> int:
    """Give the bytes of a file or of everything under a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def main() -> None:
    """Install, measure and print."""
    project = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "site"
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target), str(project)], check=True
        )
        parts = sorted(((size(path), path.name) for path in target.iterdir()), reverse=True)
        total = sum(bytes_ for bytes_, _ in parts)
        print(f"base install: {total / MEGABYTE:.0f} MB in {len(list(target.glob('*.dist-info')))} packages")
        for bytes_, name in parts[:SHOWN]:
            print(f"  {bytes_ / MEGABYTE:6.1f} MB  {name}")
        torch = [name for _, name in parts if name.lower().startswith("torch")]
        print(f"torch: {'pulled in: ' + ', '.join(torch) if torch else 'not pulled in'}")


if __name__ == "__main__":
    main()
