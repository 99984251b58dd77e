"""What `make release-check` goes by holds before anything is built."""

from __future__ import annotations

import hashlib
import re
import runpy
import tomllib
import zipfile
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

RELEASE = Path(__file__).resolve().parents[2] / "release"


@pytest.fixture(scope="module")
def script() -> Mapping[str, Any]:
    return runpy.run_path(str(RELEASE / "check.py"))


@pytest.fixture(scope="module")
def listed() -> Mapping[str, Any]:
    return tomllib.loads((RELEASE / "shipped.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def held(root: Path) -> dict[str, bytes]:
    """What a wheel holds: the source's files without what Python and tools leave among them."""
    found = {
        path.relative_to(root / "src").as_posix(): path.read_bytes()
        for path in sorted((root / "src").rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
    return {"evolore/server/pages/assets/pages.css": b"", **found}  # where nothing was bundled yet


def test_every_data_file_is_listed_and_what_was_fitted_is_what_it_was(
    script: Mapping[str, Any], held: dict[str, bytes], listed: Mapping[str, Any]
) -> None:
    assert script["shipped_faults"](held, listed) == []


def test_a_file_that_is_new_gone_or_changed_is_named(
    script: Mapping[str, Any], held: dict[str, bytes], listed: Mapping[str, Any]
) -> None:
    one, other = listed["fitted"][0]["file"], listed["fitted"][1]["file"]
    changed = {name: content for name, content in held.items() if name != other} | {one: b"0", "evolore/new.bin": b""}
    faults = script["shipped_faults"](changed, listed)
    assert [fault.partition(" ")[0] for fault in faults] == ["evolore/new.bin", other, one]


def test_every_fitted_file_stands_among_the_shipped_parameters(
    pages: dict[str, str], listed: Mapping[str, Any]
) -> None:
    named = re.findall(r"`src/(evolore/\S+\.(?:npz|toml))`", pages["docs/parameters.md"])
    for one in listed["fitted"]:
        assert any(fnmatchcase(one["file"], pattern) for pattern in named), one["file"]


def test_the_lock_file_has_a_digest_for_everything(root: Path) -> None:
    entries = re.split(r"^(?=\S)", (root / "requirements.lock").read_text(encoding="utf-8"), flags=re.MULTILINE)
    packages = [one for one in entries if "==" in one.partition("\n")[0]]
    assert len(packages) > 100
    assert [one.partition("\n")[0] for one in packages if "--hash=sha256:" not in one] == []


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("(MIT OR GPL-3.0-only) AND BSD-3-Clause", True),
        ("(GPL-2.0-only AND MIT) OR AGPL-3.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("", False),
        ("unknown", False),
    ],
)
def test_a_licence_is_lived_with_or_not(script: Mapping[str, Any], expression: str, allowed: bool) -> None:  # noqa: FBT001
    is_allowed = cast("Callable[[str, list[str]], bool]", script["is_allowed"])
    assert is_allowed(expression, ["MIT", "BSD-3-Clause", "Apache-2.0"]) is allowed


@pytest.mark.parametrize(
    ("metadata", "licence"),
    [
        ({"license_expression": "MIT"}, "MIT"),
        ({"license": "Apache 2.0"}, "Apache-2.0"),
        ({"license": "", "classifier": ["License :: OSI Approved :: MIT License"]}, "MIT"),
        ({"license": "Do what you like\nbut ask", "classifier": []}, "Do what you like"),
        ({}, "unknown"),
    ],
)
def test_a_licence_is_read_wherever_metadata_say_it(
    script: Mapping[str, Any], metadata: dict[str, Any], licence: str
) -> None:
    known = tomllib.loads((RELEASE / "allowed.toml").read_text(encoding="utf-8"))
    assert script["licence_of"]({"name": "some-package", **metadata}, known) == licence


def test_the_readme_begins_with_commands_that_run_anywhere(script: Mapping[str, Any], pages: dict[str, str]) -> None:
    commands = script["first_commands"](pages["README.md"])
    assert len(commands) >= script["LEAST_COMMANDS"]
    assert script["first_commands"]("$ evolore stats\n$ evolore undo 01kk8x710g5sabbgw4e5g11v1s\n$ evolore list\n") == [
        "evolore stats"
    ]


def test_a_bill_of_materials_names_what_is_installed_and_what_rests_on_what(
    script: Mapping[str, Any], tmp_path: Path
) -> None:
    wheel = tmp_path / "evolore-0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("evolore/server/pages/assets/licences.txt", "# @a/b 1.2, MIT\n\ntext\n")
    digest = hashlib.sha256(b"").hexdigest()
    installed = [
        {
            "metadata": {"name": name, "version": "1", "requires_dist": needed},
            "download_info": {"archive_info": {"hashes": {"sha256": digest}}},
        }
        for name, needed in (
            ("evolore", ["Some_Thing>=1; python_version > '3'", "not-here; extra == 'x'"]),
            ("some-thing", []),
        )
    ]
    made = script["bill"](wheel, installed, {"evolore": "Apache-2.0", "some-thing": "MIT"}, at=0)
    assert made == script["bill"](wheel, installed, {"evolore": "Apache-2.0", "some-thing": "MIT"}, at=0)
    assert [one["purl"] for one in made["components"]] == ["pkg:pypi/some-thing@1", "pkg:npm/%40a/b@1.2"]
    assert made["dependencies"][0] == {"ref": "pkg:pypi/evolore@1", "dependsOn": ["pkg:pypi/some-thing@1"]}
    assert made["metadata"]["component"]["licenses"] == [{"expression": "Apache-2.0"}]
