"""Make a release and look at it as a stranger would: ``python release/check.py``, which `make release-check` runs.

Of what is committed, in folders that are gone afterwards:

1. wheel and source distribution are built twice, in different folders, and the wheel once more from the source distribution:
   byte for byte the same;
2. every file in the wheel that is no Python stands in `shipped.toml`, and what was fitted has its digest;
3. the wheel is installed into an empty environment, where the README's first commands run;
4. what it rests on, with every extra, is written down (CycloneDX 1.6), and every licence is one of `allowed.toml`.

What was made lies in `dist/`: both distributions, the bill of materials, the licences, and the digests of all of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
DIST = ROOT / "dist"
TIMEOUT_SECONDS = 600
LEAST_COMMANDS = 2
AN_ID = re.compile(r"\b01[0-9a-z]{24}\b")


class Wrong(Exception):
    """Something is not as a release should be; the text says what."""


def run(*command: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """Run a command, and give what it printed.

    Raises:
        Wrong: It failed.
    """
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    if done.returncode:
        raise Wrong(
            f"{shlex.join(map(str, command))} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-3000:]}"
        )
    return done.stdout


def digest(path: Path) -> str:
    """Give the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def written_at() -> int:
    """Give the moment of the last commit, which everything is dated by."""
    return int(run("git", "log", "-1", "--format=%ct").strip())


def export(folder: Path) -> Path:
    """Write what is committed into a folder, and nothing else."""
    folder.mkdir(parents=True)
    packed = folder.with_suffix(".tar")
    run("git", "archive", "--format=tar", "-o", packed, "HEAD")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    return folder


def build(source: Path, target: Path, *kinds: str) -> dict[str, Path]:
    """Build distributions, and give them by their endings."""
    env = {**os.environ, "SOURCE_DATE_EPOCH": str(written_at())}
    chosen = [part for kind in kinds for part in ("-t", kind)]
    run(sys.executable, "-m", "hatchling", "build", "-d", target, *chosen, cwd=source, env=env)
    return {"sdist" if path.name.endswith(".tar.gz") else "wheel": path for path in target.iterdir()}


def build_thrice(folder: Path) -> dict[str, Path]:
    """Build both twice and the wheel from its source distribution, and compare.

    Raises:
        Wrong: A file differs.
    """
    first, second = (
        build(export(folder / name / "evolore"), folder / name / "dist", "sdist", "wheel") for name in ("a", "another")
    )
    with tarfile.open(first["sdist"]) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    third = build(unpacked, folder / "third", "wheel")
    for kind in ("sdist", "wheel"):
        if digest(first[kind]) != digest(second[kind]):
            raise Wrong(f"Two builds of the {kind} differ: {', '.join(differences(first[kind], second[kind]))}")
    if digest(first["wheel"]) != digest(third["wheel"]):
        raise Wrong(
            f"The wheel from the source distribution differs: {', '.join(differences(first['wheel'], third['wheel']))}"
        )
    return first


def contents(path: Path) -> dict[str, bytes]:
    """Give the files of a distribution."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(path) as archive:
        taken = ((one.name, archive.extractfile(one)) for one in archive.getmembers())
        return {name: file.read() for name, file in taken if file is not None}


def differences(one: Path, other: Path) -> list[str]:
    """Name the files that two distributions do not share byte for byte; "order or dates" where there are none."""
    mine, theirs = contents(one), contents(other)
    return sorted(name for name in mine | theirs if mine.get(name) != theirs.get(name)) or ["order or dates"]


def shipped_faults(held: Mapping[str, bytes], listed: Mapping[str, Any]) -> list[str]:
    """Say which files that are no Python are not listed, are listed and not there, or are not what they were."""
    data = {name for name in held if not name.endswith(".py") and ".dist-info/" not in name}
    fitted = {one["file"]: one for one in listed["fitted"]}
    patterns = [pattern for kind in ("written", "bundled") for one in listed[kind] for pattern in one["files"]]
    return [
        *(f"{name} is not listed" for name in sorted(data - set(fitted)) if not _fits(name, patterns)),
        *(f"{name} is listed and not there" for name in sorted(set(fitted) - data)),
        *(f"{pattern} fits nothing" for pattern in patterns if not any(fnmatchcase(name, pattern) for name in data)),
        *(
            f"{name} is not what was fitted: its digest differs"
            for name in sorted(set(fitted) & data)
            if hashlib.sha256(held[name]).hexdigest() != fitted[name]["sha256"]
        ),
        *(
            f"{one.get('file', one.get('files'))} has no {what}"
            for kind in ("written", "bundled", "fitted")
            for one in listed[kind]
            for what in ("origin", "licence")
            if not one.get(what)
        ),
    ]


def _fits(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def check_shipped(wheel: Path) -> str:
    """Hold the wheel's files against the list.

    Raises:
        Wrong: They differ.
    """
    held = contents(wheel)
    listed = tomllib.loads((HERE / "shipped.toml").read_text(encoding="utf-8"))
    if faults := shipped_faults(held, listed):
        raise Wrong("\n".join(faults))
    return f"{sum(not name.endswith('.py') for name in held)} files that are no Python"


def empty_environment(folder: Path) -> Path:
    """Make an environment with pip alone, and give its Python."""
    run(sys.executable, "-m", "venv", folder)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")  # older ones tell no SPDX expressions
    return python


def first_commands(readme: str) -> list[str]:
    """Give the README's first `evolore` commands, up to one that names what another gave out."""
    commands = [line.removeprefix("$ ") for line in readme.splitlines() if line.startswith("$ evolore ")]
    named = next((at for at, command in enumerate(commands) if AN_ID.search(command)), len(commands))
    return commands[:named]


def install_and_run(python: Path, wheel: Path, folder: Path) -> str:
    """Install the wheel, and run the README's first commands in a folder with the demo, as somebody without settings.

    Raises:
        Wrong: One of them failed, or said nothing.
    """
    run(python, "-m", "pip", "install", "--quiet", wheel)
    run(python, "-m", "pip", "check")
    export(folder)
    commands = first_commands((folder / "README.md").read_text(encoding="utf-8"))
    if len(commands) < LEAST_COMMANDS:
        raise Wrong(f"The README shows {len(commands)} evolore commands, fewer than {LEAST_COMMANDS}.")
    home = {"HOME": str(folder), "PATH": f"{python.parent}{os.pathsep}/usr/bin:/bin", "LANG": "C.UTF-8"}
    for command in commands:
        if not run(*shlex.split(command), cwd=folder, env={**home, "EVOLORE_STORE": str(folder / "store")}).strip():
            raise Wrong(f"{command} says nothing.")
    return f"{len(commands)} commands of the README"


def resolve(python: Path, wheel: Path, extras: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """Ask pip what the wheel with every extra would install: metadata and digests, nothing is installed."""
    told = folder / "report.json"
    wanted = f"{wheel}[{','.join(extras)}]"
    options = ("--quiet", "--dry-run", "--ignore-installed", "--report", told)
    run(python, "-m", "pip", "install", *options, wanted)
    return json.loads(told.read_text(encoding="utf-8"))["install"]


def name_of(metadata: Mapping[str, Any]) -> str:
    """Give a package's name as registries compare it."""
    return str(canonicalize_name(metadata["name"]))


def licence_of(metadata: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Give a package's licence as an SPDX expression, or what its metadata say where that is none."""
    name = name_of(metadata)
    if name in known["said"]:
        return known["said"][name]
    names: Mapping[str, str] = known["names"]
    classifiers = [one.split(" :: ")[-1] for one in metadata.get("classifier", ()) if one.startswith("License ::")]
    told = [one for one in classifiers if one in names]
    candidates = (
        metadata.get("license_expression", ""),
        names.get(metadata.get("license", ""), metadata.get("license", "")),
        " OR ".join(dict.fromkeys(names[one] for one in told)),
    )
    for one in candidates:
        try:
            return canonicalize_license_expression(one) if one else _nothing()
        except InvalidLicenseExpression:
            continue
    return str(metadata.get("license") or classifiers or "unknown").partition("\n")[0]


def _nothing() -> str:
    raise InvalidLicenseExpression


def is_allowed(expression: str, allowed: Iterable[str]) -> bool:
    """Tell whether a licence may be lived with: all of what is joined by AND, one of what is joined by OR."""
    known = set(allowed)
    flat = re.sub(r"\s+WITH\s+[\w.-]+", "", expression).strip()
    while re.fullmatch(r"\([^()]*\)", flat):
        flat = flat[1:-1]
    parts = re.findall(r"\([^()]*\)|[\w.+-]+", flat)
    names = [one for one in parts if one not in {"AND", "OR"}]
    judged = [is_allowed(one, known) if one.startswith("(") else one in known for one in names]
    return bool(judged) and (any(judged) if " OR " in re.sub(r"\([^()]*\)", "", flat) else all(judged))


def bundled(text: str) -> list[dict[str, str]]:
    """Give what the pages' bundle holds, from the list of its licences."""
    heads: list[tuple[str, str, str]] = re.findall(r"^# (\S+) (\S+), (\S+)$", text, re.MULTILINE)
    return [
        {"name": name, "version": version, "licence": "0BSD" if one == "BSD-0-Clause" else one}
        for name, version, one in heads
    ]


def bill(
    wheel: Path, installed: Sequence[Mapping[str, Any]], licences: Mapping[str, str], *, at: int
) -> dict[str, Any]:
    """Give a bill of materials in CycloneDX 1.6: the same for the same wheel and the same packages."""
    names = {name_of(one["metadata"]): one["metadata"] for one in installed}
    refs = {name: f"pkg:pypi/{name}@{one['version']}" for name, one in names.items()}
    hashes = {
        name_of(one["metadata"]): one["download_info"].get("archive_info", {}).get("hashes", {}) for one in installed
    }
    components = [
        {
            "type": "library",
            "bom-ref": refs[name],
            "name": names[name]["name"],
            "version": names[name]["version"],
            "purl": refs[name],
            "licenses": [{"expression": licences[name]}],
            "hashes": [{"alg": "SHA-256", "content": hashes[name]["sha256"]}] if "sha256" in hashes[name] else [],
        }
        for name in sorted(names)
    ]
    rests = [{"ref": refs[name], "dependsOn": sorted(_needs(names[name], refs))} for name in sorted(names)]
    own = next(one for one in components if one["name"] == "evolore")
    parts = bundled(contents(wheel)["evolore/server/pages/assets/licences.txt"].decode("utf-8"))
    pages = [
        {
            "type": "library",
            "bom-ref": f"pkg:npm/{one['name'].replace('@', '%40')}@{one['version']}",
            "name": one["name"],
            "version": one["version"],
            "purl": f"pkg:npm/{one['name'].replace('@', '%40')}@{one['version']}",
            "licenses": [{"expression": one["licence"]}],
        }
        for one in parts
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, digest(wheel) + ''.join(sorted(refs.values())))}",
        "version": 1,
        "metadata": {"timestamp": datetime.fromtimestamp(at, tz=UTC).isoformat(), "component": own},
        "components": [one for one in components if one is not own] + pages,
        "dependencies": rests,
    }


def _needs(metadata: Mapping[str, Any], refs: Mapping[str, str]) -> set[str]:
    needed = (str(canonicalize_name(Requirement(one).name)) for one in metadata.get("requires_dist", ()))
    return {refs[name] for name in needed if name in refs} - {refs[name_of(metadata)]}


def check_licences(wheel: Path, python: Path, folder: Path) -> str:
    """Write the bill of materials and the licences into `dist/`, and hold them against what is allowed.

    Raises:
        Wrong: A licence is not allowed.
    """
    known = tomllib.loads((HERE / "allowed.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = resolve(python, wheel, sorted(project["optional-dependencies"]), folder)
    licences = {name_of(one["metadata"]): licence_of(one["metadata"], known) for one in installed}
    made = bill(wheel, installed, licences, at=written_at())
    name = f"evolore-{project['version']}"
    (DIST / f"{name}.cdx.json").write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    lines = [f"{one['name']} {one['version']}: {one['licenses'][0]['expression']}" for one in made["components"]]
    (DIST / f"{name}.licences.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    refused = [line for line in lines if not is_allowed(line.partition(": ")[2], known["allowed"])]
    if refused:
        raise Wrong("These licences are not in allowed.toml:\n" + "\n".join(refused))
    return f"{len(lines)} packages"


def check_version(wheel: Path) -> str:
    """Hold the wheel's version against the changelog's last one.

    Raises:
        Wrong: They differ.
    """
    version = wheel.name.split("-")[1]
    told = re.search(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if told is None or told[1] != version:
        raise Wrong(f"This is {version}, and the changelog's last version {told[1] if told else 'none'}.")
    return version


def main() -> int:
    """Do all of it, and say how it went."""
    if changed := run("git", "status", "--porcelain").strip():
        print(f"Only what is committed is released; these files are changed:\n{changed}", file=sys.stderr)
    DIST.mkdir(exist_ok=True)
    faults = 0
    with tempfile.TemporaryDirectory(prefix="evolore-release-") as name:
        folder = Path(name)

        def step(what: str, do: Callable[[], str]) -> None:
            nonlocal faults
            began = time.perf_counter()
            try:
                told = do()
            except Wrong as wrong:
                faults += 1
                print(f"WRONG  {what}\n{wrong}", flush=True)
            else:
                print(f"ok     {what}: {told} ({time.perf_counter() - began:.0f} s)", flush=True)

        def keep() -> str:
            for path in build_thrice(folder).values():
                (DIST / path.name).write_bytes(path.read_bytes())
                made.append(DIST / path.name)
            return ", ".join(f"{path.name} {path.stat().st_size / 1e6:.1f} MB" for path in made)

        made: list[Path] = []
        step("built twice, and from the source distribution, byte for byte the same", keep)
        if not made:
            return 1
        wheel = next(path for path in made if path.suffix == ".whl")
        step("the version is that of the changelog", lambda: check_version(wheel))
        step("every file that is no Python is listed", lambda: check_shipped(wheel))
        python = empty_environment(folder / "empty")
        step("installed into an empty environment", lambda: install_and_run(python, wheel, folder / "home"))
        step("bill of materials written, licences allowed", lambda: check_licences(wheel, python, folder))
    named = sorted(path for path in DIST.glob(f"{wheel.name.split('-py3')[0]}*"))
    (DIST / "SHA256SUMS").write_text("".join(f"{digest(path)}  {path.name}\n" for path in named), encoding="utf-8")
    print("dist/SHA256SUMS names what was made." if not faults else f"{faults} of these are wrong.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
