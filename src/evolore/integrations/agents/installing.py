"""Hooks and MCP entries in the configuration of coding agents: written, and removed byte for byte."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import tomllib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias, cast

from platformdirs import user_data_path

from evolore.domain.result import Result
from evolore.errors import InvalidSetting, InvalidValue
from evolore.integrations.agents import hook

Json: TypeAlias = Any
"""A value read from JSON."""
_Edit: TypeAlias = "Callable[[str], str]"
"""Returns a configuration with our entries in it."""
_BEGIN, _END = "# evolore begin", "# evolore end"
_OURS = re.compile(rb'agents/hook\.py|"agent",\s*"mcp"')
_SECONDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured(Result):
    """The outcome of installing or uninstalling."""

    agent: str  #: Which agent.
    files: tuple[str, ...]  #: The files that were written, or restored.
    #: Those that were edited since: our entries were removed, and the rest was formatted again.
    edited: tuple[str, ...] = ()


def install(agent: str, folder: Path, *, store: str | None, command: str) -> Configured:
    """Write hooks and an MCP entry into an agent's configuration; what else is in it stays.

    Args:
        agent: Which agent.
        folder: The user's home folder, or a repository for it alone.
        store: The store the hooks are to use; None for the default one.
        command: The program ``evolore``.

    Raises:
        InvalidSetting: A file cannot be written; nothing is installed then.
        InvalidValue: A file is not in the form that the agent documents; nothing is written then.
    """
    uninstall(agent, folder)
    made = [(path, _read(path), edit) for path, edit in _edits(agent, folder, store, command)]
    written = [(path, before, _edited(path, before, edit)) for path, before, edit in made]
    try:
        for path, before, after in written:
            _keep(path, before, after)
            replace_file(path, after)
    except OSError as error:
        uninstall(agent, folder)
        raise InvalidSetting(f"Nothing was installed: {error}.") from error
    return Configured(agent=agent, files=tuple(str(path) for path, _, _ in written))


def _keep(path: Path, before: bytes | None, after: bytes) -> None:
    """Record what a file held, to bring it back."""
    folders = [str(one) for one in path.parents if not one.exists()]
    kept = {"path": str(path), "folders": folders, "before": None if before is None else b64encode(before).decode()}
    record = _record(path)
    record.parent.mkdir(parents=True, exist_ok=True)
    replace_file(record, json.dumps({**kept, "after": sha256(after).hexdigest()}).encode(), 0o600)


def uninstall(agent: str, folder: Path) -> Configured:
    """Remove what was installed: a file that was not edited since is as it was, byte for byte."""
    files: list[str] = []
    edited: list[str] = []
    for path, _ in reversed([*_edits(agent, folder, None, "")]):  # folders go with the first file they were made for
        record, now = _record(path), _read(path)
        if not record.exists() and _OURS.search(now or b"") is None:
            continue
        kept: Json = json.loads(record.read_bytes()) if record.exists() else {"before": None, "after": None}
        before = None if kept["before"] is None else b64decode(kept["before"])
        if now is not None and now != before:
            files.append(str(path))
            if sha256(now).hexdigest() != kept["after"]:
                edited.append(str(path))
                replace_file(path, _edited(path, now, partial(_without, path, (before or b"").decode("utf-8-sig"))))
            elif before is None:
                path.resolve().unlink()
                with suppress(OSError):  # something else is in it now
                    for one in kept["folders"]:
                        Path(one).rmdir()
            else:
                replace_file(path, before)
        record.unlink(missing_ok=True)
    return Configured(agent=agent, files=tuple(files), edited=tuple(edited))


def _edits(agent: str, folder: Path, store: str | None, command: str) -> Iterator[tuple[Path, _Edit]]:
    """Yield the files of an agent, each with what is put in."""
    arguments = ["agent", "mcp", *(["--store", store] if store else [])]
    server = {"mcpServers": {"evolore": {"command": command, "args": arguments}}}
    run = " ".join(map(shlex.quote, [sys.executable, "-I", "-S", hook.__file__, agent, *([store] if store else [])]))
    entry: dict[str, Json] = {"type": "command", "command": f"{run} || true", "timeout": _SECONDS}
    match agent:
        case "claude-code":
            events = "SessionStart UserPromptSubmit Stop PreCompact SessionEnd"
            is_home = folder == Path.home()
            yield folder / ".claude/settings.json", partial(_with, {"hooks": _nested(events, entry)})
            yield folder / (".claude.json" if is_home else ".mcp.json"), partial(_with, server)
        case "codex":
            home = os.environ.get("CODEX_HOME") if folder == Path.home() else None
            place = Path(home or folder / ".codex")
            events = "SessionStart UserPromptSubmit Stop PreCompact"
            yield place / "hooks.json", partial(_with, {"hooks": _nested(events, entry)})
            table = f"[mcp_servers.evolore]\ncommand = {json.dumps(command)}\nargs = {json.dumps(arguments)}"
            yield place / "config.toml", partial(_with_table, table)
        case "cursor":
            events = "sessionStart beforeSubmitPrompt afterAgentResponse stop preCompact sessionEnd"
            flat = {name: [{"command": entry["command"], "timeout": _SECONDS}] for name in events.split()}
            yield folder / ".cursor/hooks.json", partial(_with, {"version": 1, "hooks": flat})
            yield folder / ".cursor/mcp.json", partial(_with, server)
        case "gemini":
            events = "SessionStart BeforeAgent AfterAgent PreCompress SessionEnd"
            hooks = _nested(events, {"name": "evolore", **entry, "timeout": _SECONDS * 1000})
            yield folder / ".gemini/settings.json", partial(_with, {"hooks": hooks, **server})
        case _:
            raise InvalidValue(f"{agent!r} is no agent that is known: use claude-code, codex, cursor or gemini.")


def _nested(events: str, entry: dict[str, Json]) -> dict[str, Json]:
    return {name: [{"hooks": [entry]}] for name in events.split()}


def _with_table(table: str, text: str) -> str:
    """Put a table at the end of a TOML text, where the user has no such one."""
    if "evolore" in tomllib.loads(text).get("mcp_servers", {}):
        return text
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{_BEGIN}\n{table}\n{_END}\n"


def _with(ours: Mapping[str, Json], text: str) -> str:
    """Put entries into a JSON text: into its objects, and at the end of its lists."""
    found: Json = json.loads(text) if text.strip() else {}
    _join(found, ours)
    return _laid_out(found, text)


def _join(into: Json, ours: Mapping[str, Json]) -> None:
    for name, one in ours.items():
        there: Json = into.get(name)
        if name == "evolore" and there:  # a server that the user wrote
            continue
        if isinstance(one, dict):
            _join(into.setdefault(name, {}), cast("dict[str, Json]", one))
        elif isinstance(one, list):
            into[name] = [*(there or []), *cast("list[Json]", one)]
        elif there is None:
            into[name] = one


def _laid_out(value: Json, like: str) -> str:
    """Write JSON with the indent of a text."""
    first = next((line for line in like.splitlines()[1:] if line.strip()), "  ")
    indent = first[: len(first) - len(first.lstrip())] or "  "
    end = "\n" if not like or like.endswith("\n") else ""
    return json.dumps(value, indent=indent, ensure_ascii=False) + end


def _without(path: Path, first: str, text: str) -> str:
    """Remove our entries from a file that was edited since they were put in."""
    if path.suffix == ".toml":
        before, begin, rest = text.partition(_BEGIN)
        return before + rest.partition(f"{_END}\n")[2] if begin else text
    return _laid_out(_pruned(json.loads(text), json.loads(first or "{}")), text)


def _pruned(value: Json, first: Json) -> Json:
    """Leave out the hooks that run our hook, our server, and what holds nothing since and was not there at first."""
    if isinstance(value, dict):
        rows = cast("dict[str, Json]", value)
        known = cast("dict[str, Json]", first) if isinstance(first, dict) else {}
        kept = {name: _pruned(one, known.get(name)) for name, one in rows.items() if not _is_ours(name, one)}
        return {name: one for name, one in kept.items() if one or not rows[name] or name in known}
    if isinstance(value, list):
        listed = [(one, _pruned(one, None)) for one in cast("list[Json]", value) if not _is_ours("", one)]
        return [pruned for one, pruned in listed if pruned or not one]
    return value


def _is_ours(name: str, value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    row = cast("dict[str, Json]", value)
    is_server = name == "evolore" and str(row.get("args")).startswith("['agent', 'mcp'")
    return is_server or str(Path(*Path(hook.__file__).parts[-4:])) in str(row.get("command"))


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _edited(path: Path, before: bytes | None, edit: _Edit) -> bytes:
    try:
        return edit((before or b"").decode("utf-8-sig")).encode()
    except (ValueError, AttributeError, TypeError) as error:
        raise InvalidValue(
            f"{path} is not of the form its agent documents ({error}): mend it, and try again."
        ) from error


def _record(path: Path) -> Path:
    name = sha256(str(path.absolute()).encode()).hexdigest()[:16]
    return user_data_path("evolore", appauthor=False) / "agents" / f"{name}.json"


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file whole, where a link leads, with the mode it had."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = mode or (path.stat().st_mode & 0o777 if path.exists() else 0o600)
    part = path.with_name(f"{path.name}.evolore-{os.getpid()}")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as made:
            made.write(content)
        part.chmod(mode)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
