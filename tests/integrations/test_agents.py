"""Coding agents' hooks: installed, replayed with the inputs their documentation describes, and taken back."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from evolore import Memory, Statement
from evolore.errors import EvoloreError, InvalidSetting, InvalidValue, StoreFailed, StoreUnwritable
from evolore.integrations.agents import hook, installing, serving
from evolore.integrations.agents.serving import AgentMemories, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

DECISION = "We decided to keep sessions in Redis and not in cookies, because the mobile app cannot hold cookies."
ASKED = "Where do we keep the sessions of the users, in cookies?"
UNRELATED = "Rename the variable total to amount in the invoice printer."


def claude(name: str, **more: object) -> dict[str, object]:
    return {"transcript_path": "/tmp/none.jsonl", "hook_event_name": name, "permission_mode": "default", **more}


def codex(name: str, **more: object) -> dict[str, object]:
    turn = {} if name == "SessionStart" else {"turn_id": "t1"}
    return {"transcript_path": None, "hook_event_name": name, "model": "gpt-5", **turn, **more}


def cursor(name: str, **more: object) -> dict[str, object]:
    return {"hook_event_name": name, "generation_id": "g1", "model": "m", "cursor_version": "3.20.17", **more}


def gemini(name: str, **more: object) -> dict[str, object]:
    at = "2026-11-29T08:00:00.000Z"
    return {"transcript_path": "/tmp/none.json", "hook_event_name": name, "timestamp": at, **more}


def placed(agent: str, session: str, folder: Path) -> dict[str, object]:
    if agent == "cursor":
        return {"conversation_id": session, "workspace_roots": [str(folder)]}
    return {"session_id": session, "cwd": str(folder)}


SESSIONS: dict[str, tuple[dict[str, object], dict[str, object], list[dict[str, object]]]] = {
    "claude-code": (
        claude("SessionStart", source="startup"),
        claude("UserPromptSubmit"),
        [
            claude("Stop", stop_hook_active=False, last_assistant_message=DECISION),
            claude("PreCompact", trigger="auto", custom_instructions=""),
            claude("SessionEnd", reason="prompt_input_exit"),
        ],
    ),
    "codex": (
        codex("SessionStart", source="startup", permission_mode="default"),
        codex("UserPromptSubmit", permission_mode="default"),
        [
            codex("Stop", stop_hook_active=False, last_assistant_message=DECISION, permission_mode="default"),
            codex("PreCompact", trigger="auto"),
        ],
    ),
    "cursor": (
        cursor("sessionStart", is_background_agent=False, composer_mode="agent"),
        cursor("beforeSubmitPrompt", attachments=[]),
        [
            cursor("afterAgentResponse", text="I look at the session code first."),
            cursor("afterAgentResponse", text=DECISION),
            cursor("stop", status="completed", loop_count=0),
            cursor("sessionEnd", reason="user_close", duration_ms=1200),
        ],
    ),
    "gemini": (
        gemini("SessionStart", source="startup"),
        gemini("BeforeAgent"),
        [
            gemini("AfterAgent", prompt="How?", prompt_response=DECISION, stop_hook_active=False),
            gemini("PreCompress", trigger="auto"),
            gemini("SessionEnd", reason="exit"),
        ],
    ),
}
"""Of each agent: a session's start, a prompt, and what follows it."""
OTHERS = {
    ".claude/settings.json": '{\n    "model": "opus",\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say ü"}]}]}\n}',
    ".claude.json": '{"mcpServers": {"other": {"command": "x"}}, "n": 1e5}\n',
    ".codex/config.toml": '# mine\nmodel = "gpt-5"   # odd spacing\n[mcp_servers.other]\ncommand = "x"',
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}\n\n',
    ".cursor/hooks.json": '{"version": 1,\r\n "hooks": {}}',
    ".cursor/mcp.json": '\ufeff{"mcpServers": {}}',
    ".gemini/settings.json": '{\n\t"theme": "dark"\n}\n',
}
AGENTS = sorted(SESSIONS)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "shop"
    folder.mkdir(parents=True)
    run = ["git", "-C", str(folder), "-c", "user.name=Mika", "-c", "user.email=mika@example.org"]
    subprocess.run([*run, "init", "-q", "-b", "trunk"], check=True)
    (folder / "app.py").write_text("pass\n")
    subprocess.run([*run, "add", "."], check=True)
    subprocess.run([*run, "commit", "-qm", "Begin"], check=True)
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return folder


@pytest.fixture
def runtime(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("r")  # a socket's path is short
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


@contextmanager
def memories(store: Path) -> Generator[Callable[..., str]]:
    """Answer events from a store; what was to be remembered is, when the block ends."""
    opened = AgentMemories(str(store))

    def answer(agent: str, given: dict[str, object], *, patience: bool = True) -> str:
        message = f"{agent}\n{json.dumps(given)}".encode()
        told = opened.answer(message, ask_patience=(lambda: None) if patience else None)
        return context_of(agent, given, told) if told else ""

    try:
        yield answer
    finally:
        opened.close()


def context_of(agent: str, given: dict[str, object], told: str) -> str:
    """Return what an agent puts before its model, from output of the form it documents."""
    read: dict[str, Any] = json.loads(told)
    if agent == "cursor":
        assert set(read) <= {"continue", "additional_context"}
        assert read.get("continue", True) is True
        return read["additional_context"]
    assert set(read) == {"hookSpecificOutput"}
    assert read["hookSpecificOutput"]["hookEventName"] == given["hook_event_name"]
    return read["hookSpecificOutput"]["additionalContext"]


def tree_of(folder: Path) -> dict[str, bytes | None]:
    return {str(one.relative_to(folder)): one.read_bytes() if one.is_file() else None for one in folder.rglob("*")}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_decision_of_one_session_is_before_the_next(agent: str, tmp_path: Path, repository: Path) -> None:
    start, prompt, rest = SESSIONS[agent]
    with memories(tmp_path / "store") as answer:
        one = placed(agent, "one", repository)
        assert answer(agent, start | one) == ""
        assert answer(agent, prompt | one | {"prompt": ASKED}) == ""
        (repository / "store.py").write_text("redis\n")
        assert [answer(agent, event | one) for event in rest] == [""] * len(rest)
    with memories(tmp_path / "store") as answer:
        two = placed(agent, "two", repository)
        began = answer(agent, start | two)
        assert DECISION in began
        assert ASKED in began  # how the last session went
        assert "first" not in began
        assert DECISION in answer(agent, prompt | two | {"prompt": ASKED})
        assert answer(agent, prompt | two | {"prompt": UNRELATED}) == ""
    with Memory.open(tmp_path / "store", namespace=place_of(str(repository)).namespace) as memory:
        said = [one for one in memory.list().statements if one.session == f"{agent}:one"]
        assert [(one.speaker, one.text) for one in said] == [("assistant", DECISION), ("user", ASKED)]
        assert dict(said[0].metadata) | {"imported_id": ""} == {
            "repository": "shop",
            "branch": "trunk",
            "files": "store.py",
            "imported_id": "",
        }


@pytest.mark.parametrize("has_files", [True, False], ids=["with files", "without"])
@pytest.mark.parametrize("agent", AGENTS)
def test_uninstalling_leaves_every_byte_as_it_was(agent: str, home: Path, *, has_files: bool) -> None:
    for name, text in OTHERS.items() if has_files else ():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_bytes(text.encode())
    before = tree_of(home)
    done = installing.install(agent, home, store=None, command="/bin/evolore")
    for path in map(Path, done.files):
        if path.suffix == ".json":
            assert "evolore" in json.dumps(json.loads(path.read_bytes().decode("utf-8-sig")))
        else:
            assert "mcp_servers.evolore" in path.read_text()
    again = installing.install(agent, home, store=None, command="/bin/evolore")
    assert again.files == done.files
    assert installing.uninstall(agent, home).edited == ()
    assert tree_of(home) == before
    assert installing.uninstall(agent, home).files == ()


@pytest.mark.parametrize("agent", AGENTS)
def test_a_file_that_was_edited_since_keeps_the_edit_and_loses_our_entries(agent: str, home: Path) -> None:
    for name, text in OTHERS.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_bytes(text.encode())
    before = {name: (home / name).read_text("utf-8-sig") for name in OTHERS}
    for path in map(Path, installing.install(agent, home, store=None, command="/bin/evolore").files):
        text = path.read_text()
        path.write_text(text.replace("{", '{"new": 1, ', 1) if path.suffix == ".json" else f"{text}new = 1\n")
    assert installing.uninstall(agent, home).edited
    for name, text in before.items():
        now = (home / name).read_text("utf-8-sig")
        assert "evolore" not in now
        if name.endswith(".json"):
            found = json.loads(now)
            assert found.pop("new", 1) == 1
            assert found == json.loads(text)
        elif agent == "codex":
            assert now == f"{text}\nnew = 1\n"


@pytest.mark.parametrize("agent", AGENTS)
def test_without_its_record_an_installation_is_removed_and_never_doubled(agent: str, home: Path) -> None:
    for name, text in OTHERS.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8", newline="")
    done = installing.install(agent, home, store=None, command="/bin/evolore")
    installed = tree_of(home)
    records = Path(os.environ["XDG_DATA_HOME"]) / "evolore/agents"
    shutil.rmtree(records)
    assert installing.install(agent, home, store=None, command="/bin/evolore").files == done.files
    for path in done.files:
        now, before = Path(path).read_bytes(), installed[str(Path(path).relative_to(home))] or b""
        assert [now.count(one) for one in (b"hook.py", b'"mcp"')] == [
            before.count(one) for one in (b"hook.py", b'"mcp"')
        ]
    shutil.rmtree(records)
    assert set(installing.uninstall(agent, home).files) == set(done.files)
    for path in done.files:
        assert b"hook.py" not in Path(path).read_bytes()
        assert b'"mcp"' not in Path(path).read_bytes()
    left = tree_of(home)
    assert installing.uninstall(agent, home).files == ()
    assert tree_of(home) == left


def test_a_link_that_led_nowhere_leads_nowhere_again(home: Path, tmp_path: Path) -> None:
    link = home / ".claude/settings.json"
    link.parent.mkdir()
    link.symlink_to(tmp_path / "dotfiles.json")
    installing.install("claude-code", home, store=None, command="/bin/evolore")
    assert (tmp_path / "dotfiles.json").exists()
    installing.uninstall("claude-code", home)
    assert link.is_symlink()
    assert not (tmp_path / "dotfiles.json").exists()


def test_entries_that_the_user_wrote_stay(home: Path) -> None:
    (home / ".cursor").mkdir()
    own = '{"mcpServers": {"evolore": {"command": "own", "args": ["mcp"]}}}'
    (home / ".cursor/mcp.json").write_text(own)
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text('[mcp_servers.evolore]\ncommand = "own"\n')
    installing.install("cursor", home, store=None, command="/bin/evolore")
    installing.install("codex", home, store=None, command="/bin/evolore")
    assert json.loads((home / ".cursor/mcp.json").read_text()) == json.loads(own)
    assert (home / ".codex/config.toml").read_text() == '[mcp_servers.evolore]\ncommand = "own"\n'


def test_a_file_of_another_form_is_left_alone(home: Path) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text("{ // a comment\n}")
    before = tree_of(home)
    with pytest.raises(InvalidValue, match=r"settings\.json"):
        installing.install("gemini", home, store=None, command="/bin/evolore")
    assert tree_of(home) == before
    with pytest.raises(InvalidValue, match="use claude-code, codex, cursor or gemini"):
        installing.install("vim", home, store=None, command="/bin/evolore")


def test_what_cannot_be_written_is_installed_nowhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree_of(home)
    write = installing.replace_file

    def full(path: Path, content: bytes, mode: int | None = None) -> None:
        if path.name == ".claude.json":
            raise OSError(28, "No space left on device")
        write(path, content, mode)

    monkeypatch.setattr(installing, "replace_file", full)
    with pytest.raises(InvalidSetting, match="No space left"):
        installing.install("claude-code", home, store=None, command="/bin/evolore")
    assert tree_of(home) == before


def test_a_settings_file_that_is_a_link_stays_one(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}")
    kept.chmod(0o640)
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").symlink_to(kept)
    installing.install("gemini", home, store=None, command="/bin/evolore")
    assert "evolore" in kept.read_text()
    assert (home / ".gemini/settings.json").is_symlink()
    assert kept.stat().st_mode & 0o777 == 0o640
    installing.uninstall("gemini", home)
    assert kept.read_text() == "{}"


def test_clones_and_work_trees_of_a_remote_are_one_repository(repository: Path, tmp_path: Path) -> None:
    def remote(folder: Path, address: str) -> str:
        subprocess.run(["git", "-C", str(folder), "config", "remote.origin.url", address], check=True)
        return place_of(str(folder)).namespace

    alone = place_of(str(repository))
    assert alone.name == "shop"
    assert place_of(str(repository / ".." / "shop")).namespace == alone.namespace
    clone = tmp_path / "clone"
    shutil.copytree(repository, clone)
    assert place_of(str(clone)).namespace != alone.namespace
    names = {
        remote(repository, "https://token:secret@git.example.org/team/Shop.git"),
        remote(clone, "git@git.example.org:team/shop.git"),
        remote(clone, "ssh://git@git.example.org/team/shop"),
    }
    (name,) = names
    assert name.startswith("repo-shop-")
    assert remote(clone, "https://git.example.org/other/shop.git") != name
    assert place_of(str(tmp_path / "nowhere")).name == "nowhere"


def test_what_the_person_said_holds_in_every_repository(tmp_path: Path, repository: Path) -> None:
    with Memory.open(tmp_path / "store", namespace=serving.PERSON) as memory:
        memory.remember("Mika wants commit messages in English, in the imperative.")
    start, prompt, _ = SESSIONS["claude-code"]
    about = placed("claude-code", "one", repository)
    with memories(tmp_path / "store") as answer:
        assert "in the imperative" in answer("claude-code", start | about)
        asked = answer("claude-code", prompt | about | {"prompt": "In which language does Mika want commit messages?"})
        assert "in the imperative" in asked


@pytest.mark.parametrize("remotes", [("../base.git", "../base.git"), ("/srv/git/Shop", "/srv/git/shop")])
def test_repositories_whose_remotes_only_look_alike_share_nothing(remotes: tuple[str, str], tmp_path: Path) -> None:
    found: set[str] = set()
    for name, remote in zip("ab", remotes, strict=True):
        folder = tmp_path / name / "shop"
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", remote], check=True)
        found.add(place_of(str(folder)).namespace)
    assert len(found) == 2


@pytest.mark.parametrize(
    "more",
    [
        {
            "prompt": "<task-notification>\n<summary>Sessions are in Redis</summary>\n</task-notification>\nSee the file."
        },
        {"prompt": f"You explore. {ASKED}", "agent_id": "a1", "agent_type": "explorer"},
    ],
    ids=["notification", "subagent"],
)
def test_what_nobody_typed_is_neither_remembered_nor_answered(
    more: dict[str, object], tmp_path: Path, repository: Path
) -> None:
    _, prompt, rest = SESSIONS["claude-code"]
    with memories(tmp_path / "store") as answer:
        answer("claude-code", rest[0] | placed("claude-code", "one", repository))
        until(lambda: said_in(tmp_path / "store", repository) == 1)
        about = placed("claude-code", "two", repository)
        assert answer("claude-code", prompt | about | more) == ""
        assert DECISION in answer("claude-code", prompt | about | {"prompt": ASKED})  # the user's prompt is answered
    with Memory.open(tmp_path / "store", namespace=place_of(str(repository)).namespace) as memory:
        assert {one.text for one in memory.list().statements} == {DECISION, ASKED}


@pytest.mark.parametrize(("bad", "kept"), [("Keep \ud83d it.", 2), ("x" * 1_000_001, 1), ("\x00", 1)])
def test_a_prompt_that_cannot_be_kept_takes_no_reply_along(
    bad: str, kept: int, tmp_path: Path, repository: Path
) -> None:
    _, prompt, rest = SESSIONS["claude-code"]
    about = placed("claude-code", "one", repository)
    with memories(tmp_path / "store") as answer:
        answer("claude-code", prompt | about | {"prompt": bad})
        answer("claude-code", rest[0] | about)
    assert said_in(tmp_path / "store", repository) == kept


def test_files_are_named_as_they_are_written(tmp_path: Path, repository: Path) -> None:
    start, prompt, rest = SESSIONS["claude-code"]
    about = placed("claude-code", "one", repository)
    with memories(tmp_path / "store") as answer:
        answer("claude-code", start | about)
        (repository / "設計.md").write_text("x")
        answer("claude-code", prompt | about | {"prompt": UNRELATED})
        answer("claude-code", rest[0] | about)
    with Memory.open(tmp_path / "store", namespace=place_of(str(repository)).namespace) as memory:
        assert {one.metadata["files"] for one in memory.list().statements} == {"設計.md"}


def test_the_start_keeps_to_its_budget(tmp_path: Path, repository: Path) -> None:
    namespace = place_of(str(repository)).namespace
    with Memory.open(tmp_path / "store", namespace=namespace) as memory:
        for number in range(40):
            memory.remember(
                f"We decided that module {number} never calls module {number + 1}. " * 9, session=f"s{number // 4}"
            )
    with memories(tmp_path / "store") as answer:
        told = answer("codex", SESSIONS["codex"][0] | placed("codex", "one", repository))
    assert "module 39 never" in told
    assert serving.estimate_tokens(told) <= serving.START_TOKENS + 60


def test_what_a_compaction_took_is_recalled_in_the_same_session(tmp_path: Path, repository: Path) -> None:
    about = placed("claude-code", "one", repository)
    start, prompt, rest = SESSIONS["claude-code"]
    with memories(tmp_path / "store") as answer:
        answer("claude-code", start | about)
        answer("claude-code", prompt | about | {"prompt": "What shall we do about cookies?"})
        answer("claude-code", rest[0] | about)
        until(lambda: said_in(tmp_path / "store", repository) == 2)
        assert answer("claude-code", prompt | about | {"prompt": ASKED}) == ""
        answer("claude-code", rest[1] | about)
        assert DECISION in answer("claude-code", prompt | about | {"prompt": f"Again: {ASKED}"})
        assert DECISION in answer("claude-code", start | about | {"source": "compact"})


def test_a_prompt_that_was_found_brings_the_reply_to_it(tmp_path: Path, repository: Path) -> None:
    _, prompt, rest = SESSIONS["claude-code"]
    done = "Two calls in one millisecond got the same key. The fixture passes a uuid4 now; 300 runs, 0 failures."
    with memories(tmp_path / "store") as answer:
        about = placed("claude-code", "one", repository)
        answer("claude-code", prompt | about | {"prompt": "test_pay_twice is flaky on CI"})
        answer("claude-code", rest[0] | about | {"last_assistant_message": done})
    with memories(tmp_path / "store") as answer:
        about = placed("claude-code", "two", repository)
        told = answer("claude-code", prompt | about | {"prompt": "what was the cause of the flaky test_pay_twice?"})
    assert done in told


def test_a_prompt_that_much_of_a_store_bears_on_asks_for_none_of_it(tmp_path: Path, repository: Path) -> None:
    _, prompt, rest = SESSIONS["claude-code"]
    with memories(tmp_path / "store") as answer:
        for name in (
            "boats",
            "berths",
            "prices",
            "seasons",
            "refunds",
            "mails",
            "roles",
            "photos",
            "exports",
            "queues",
        ):
            about = placed("claude-code", name, repository)
            answer("claude-code", prompt | about | {"prompt": f"add a test for the function that lists {name}"})
            done = f"tests/test_{name}.py has a test for the function that lists {name}."
            answer("claude-code", rest[0] | about | {"last_assistant_message": done})
        answer("claude-code", rest[0] | placed("claude-code", "decision", repository))
    with memories(tmp_path / "store") as answer:
        about = placed("claude-code", "new", repository)
        asked = "write a new test for the parser in lib"
        assert answer("claude-code", prompt | about | {"prompt": asked}) == ""
        assert DECISION in answer("claude-code", prompt | about | {"prompt": ASKED})


def said_in(store: Path, repository: Path) -> int:
    with Memory.open(store, namespace=place_of(str(repository)).namespace) as memory:
        return len(memory.list().statements)


def until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ("That is wrong: we deploy on Mondays.", "we deploy on Mondays."),
        ("no, that's not right: we deploy on Mondays.", "we deploy on Mondays."),
        ("それは違います：デプロイは月曜日です。", "デプロイは月曜日です。"),
        ("这不对：我们周一部署。", "我们周一部署。"),
    ],
)
def test_a_person_corrects_what_was_shown_and_may_undo_it(
    wrong: str, text: str, tmp_path: Path, repository: Path
) -> None:
    namespace = place_of(str(repository)).namespace
    old = "We deploy on Fridays."
    with Memory.open(tmp_path / "store", namespace=namespace) as memory:
        memory.remember(old)
    _, prompt, _ = SESSIONS["claude-code"]
    about = placed("claude-code", "one", repository)
    with memories(tmp_path / "store") as answer:
        told = answer("claude-code", prompt | about | {"prompt": wrong})
        assert "was corrected" not in told  # nothing was shown yet
        assert old in answer("claude-code", prompt | about | {"prompt": "On which day do we deploy?"})
        told = answer("claude-code", prompt | about | {"prompt": wrong})
        assert old in told
        assert text in told
        assert "was corrected" in told
        assert "was corrected" not in answer("claude-code", prompt | about | {"prompt": wrong})  # once
    event, _, corrected_in = told.partition("evolore undo ")[2].split()
    with Memory.open(tmp_path / "store", namespace=corrected_in) as memory:
        assert old not in {
            hit.text for hit in memory.recall("On which day do we deploy?").hits if not hit.is_superseded
        }
        memory.undo(event)
        assert old in {hit.text for hit in memory.recall("On which day do we deploy?").hits if not hit.is_superseded}


@pytest.mark.parametrize(
    "said",
    ["That is wrong.", "That is wrong, isn't it: or not?", "I think that is wrong: look", "错了吗", "それは違いますか"],
)
def test_other_prompts_correct_nothing(said: str, tmp_path: Path, repository: Path) -> None:
    namespace = place_of(str(repository)).namespace
    with Memory.open(tmp_path / "store", namespace=namespace) as memory:
        memory.remember("We deploy on Fridays.")
    _, prompt, _ = SESSIONS["codex"]
    about = placed("codex", "one", repository)
    with memories(tmp_path / "store") as answer:
        assert answer("codex", prompt | about | {"prompt": "On which day do we deploy?"})
        assert "corrected" not in answer("codex", prompt | about | {"prompt": said})
    with Memory.open(tmp_path / "store", namespace=namespace) as memory:
        assert not [one for one in memory.history(limit=100) if one.kind == "superseded"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Is there any food we must keep away from the little boy?", "can't have peanuts"),
        ("What do I take for my blood pressure?", "amlodipine"),
    ],
)
def test_facts_of_the_person_are_shown_though_they_are_alike(
    tmp_path: Path, repository: Path, asked: str, told: str
) -> None:
    lines = (Path(__file__).parents[1] / "data/life/everyday/en.jsonl").read_text(encoding="utf-8").splitlines()
    with Memory.open(tmp_path / "store", namespace="person") as memory:
        memory.remember_many(Statement(text=one["text"], speaker="user") for one in json.loads(lines[0])["items"])
    _, prompt, _ = SESSIONS["codex"]
    with memories(tmp_path / "store") as answer:
        assert told in answer("codex", prompt | placed("codex", "one", repository) | {"prompt": asked})


@pytest.mark.parametrize(
    "said", ["the tests must use pytest", "the loop ends one step too early", "use a set, not a list, in parse()"]
)
def test_what_is_wrong_with_the_agents_work_replaces_no_memory(said: str, tmp_path: Path, repository: Path) -> None:
    namespace = place_of(str(repository)).namespace
    with Memory.open(tmp_path / "store", namespace=namespace) as memory:
        memory.remember("We deploy on Fridays.")
    _, prompt, _ = SESSIONS["codex"]
    about = placed("codex", "one", repository)
    with memories(tmp_path / "store") as answer:
        assert answer("codex", prompt | about | {"prompt": "On which day do we deploy?"})
        assert "not corrected" in answer("codex", prompt | about | {"prompt": f"that is wrong: {said}"})
        assert "was corrected" in answer("codex", prompt | about | {"prompt": "that is wrong: on Mondays we deploy"})


def test_a_long_statement_is_not_replaced_by_a_short_one(tmp_path: Path, repository: Path) -> None:
    namespace = place_of(str(repository)).namespace
    with Memory.open(tmp_path / "store", namespace=namespace) as memory:
        kept = memory.remember("We deploy on Fridays. " + "The deployment takes an hour and needs two people. " * 20)
    _, prompt, _ = SESSIONS["gemini"]
    about = placed("gemini", "one", repository)
    with memories(tmp_path / "store") as answer:
        assert answer("gemini", prompt | about | {"prompt": "On which day do we deploy?"})
        told = answer("gemini", prompt | about | {"prompt": "that is wrong: we deploy on Mondays"})
        assert f"evolore correct {kept.id}" in told
    with Memory.open(tmp_path / "store", namespace=namespace) as memory:
        assert not [one for one in memory.history(limit=100) if one.kind == "superseded"]


@pytest.mark.parametrize("error", [StoreFailed, StoreUnwritable])
def test_what_a_store_could_not_take_is_remembered_later(
    error: type[EvoloreError],
    tmp_path: Path,
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    remember = Memory.remember_many
    full = [True]

    def refused(self: Memory, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as it takes them
        if full[0]:
            raise error("the disk is full")
        return remember(self, *arguments, **named)

    monkeypatch.setattr(Memory, "remember_many", refused)
    start, prompt, rest = SESSIONS["claude-code"]
    about = placed("claude-code", "one", repository)
    with memories(tmp_path / "store") as answer:
        for event in (start, prompt | {"prompt": ASKED}, rest[0]):
            assert answer("claude-code", event | about) == ""
        until(lambda: "the disk is full" in capsys.readouterr().err)
        full[0] = False
        assert answer("claude-code", prompt | about | {"prompt": UNRELATED}) == ""
    assert said_in(tmp_path / "store", repository) == 3


# Whole processes


def run_hook(agent: str, given: bytes, store: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    program = [sys.executable, "-I", "-S", hook.__file__, agent, store]
    return subprocess.run(program, input=given, capture_output=True, check=False, env={**os.environ, **environment})


def is_silent(done: subprocess.CompletedProcess[bytes]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@contextmanager
def serving_at(store: str) -> Generator[subprocess.Popen[bytes]]:
    program = [sys.executable, "-m", "evolore", "agent", "serve", "--store", store]
    running = subprocess.Popen(program, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        until(lambda: Path(hook.socket_of(store)).exists() or running.poll() is not None)
        yield running
    finally:
        running.send_signal(signal.SIGTERM)
        running.communicate()


def test_a_whole_day_through_real_processes(
    tmp_path: Path, repository: Path, home: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLORE_HOOK_SECONDS", "30")  # a busy machine shows no speed
    store = str(tmp_path / "store")
    installing.install("claude-code", home, store=store, command="/bin/evolore")
    entries: dict[str, Any] = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    start, prompt, rest = SESSIONS["claude-code"]

    def fire(event: dict[str, object], session: str, **more: object) -> str:
        command = entries[str(event["hook_event_name"])][0]["hooks"][0]["command"]
        given = json.dumps(event | placed("claude-code", session, repository) | more)
        done = subprocess.run(["sh", "-c", command], input=given, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    with serving_at(store):
        path = Path(hook.socket_of(store))
        assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        fire(start, "one")
        fire(prompt, "one", prompt=ASKED)
        for event in rest:
            fire(event, "one")
        until(lambda: said_in(Path(store), repository) == 2)
        assert "Redis" in fire(start, "two")
        assert "Redis" in fire(prompt, "two", prompt=ASKED)
        done = subprocess.run(
            [sys.executable, "-m", "evolore", "agent", "serve", "--store", store],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "It runs already.\n")
    assert not path.exists()


def test_an_event_before_the_process_runs_waits_for_it(
    tmp_path: Path, repository: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(hook, "_start", started.append)
    store = str(tmp_path / "store")
    start, prompt, rest = SESSIONS["claude-code"]
    about = placed("claude-code", "one", repository)
    for event in (start, prompt | {"prompt": ASKED}, rest[0]):
        monkeypatch.setattr(sys, "stdin", Input(json.dumps(event | about).encode()))
        hook.main("claude-code", store)
    assert started == [store] * 3
    assert serving.serve(store, idle_seconds=0.01)
    assert said_in(Path(store), repository) == 2
    assert list(Path(f"{hook.socket_of(store)}.waiting").iterdir()) == []


def test_an_event_that_a_busy_process_cannot_take_waits_for_it(
    tmp_path: Path, repository: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = str(tmp_path / "store")
    _, prompt, rest = SESSIONS["claude-code"]
    about = placed("claude-code", "one", repository)
    path = Path(hook.socket_of(store))
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as first:
        busy.bind(str(path))
        path.chmod(0o600)
        busy.listen(0)
        assert is_silent(run_hook("claude-code", json.dumps(rest[0] | about | {"text": "x" * 500_000}).encode(), store))
        busy.accept()[0].close()  # what came of it is no whole event
        first.connect(str(path))  # and now there is room for no other
        assert is_silent(run_hook("claude-code", json.dumps(prompt | about | {"prompt": UNRELATED}).encode(), store))
    assert len(list(Path(f"{path}.waiting").iterdir())) == 2
    path.unlink()
    module = tmp_path / "serving.py"
    module.touch()
    monkeypatch.setattr(serving, "__file__", str(module))
    running = Thread(target=serving.serve, args=(store,), kwargs={"idle_seconds": 600.0}, daemon=True)
    running.start()
    until(lambda: not list(Path(f"{path}.waiting").iterdir()))
    hook._spool(str(path), b"claude-code\n" + json.dumps(prompt | about | {"prompt": ASKED}).encode())
    run_hook("codex", b"{}", store)  # else it is read after 5 seconds
    until(lambda: not list(Path(f"{path}.waiting").iterdir()))
    module.unlink()  # which ends it
    run_hook("codex", b"{}", store)
    running.join(30)
    assert said_in(Path(store), repository) == 3
    assert list(Path(f"{path}.waiting").iterdir()) == []


@pytest.mark.parametrize("end", ["", "/"])
def test_the_store_that_the_agents_environment_names_is_used(
    end: str, tmp_path: Path, repository: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(hook, "_start", started.append)
    monkeypatch.setenv("EVOLORE_STORE", f"{tmp_path}/store{end}")
    event = SESSIONS["claude-code"][1] | placed("claude-code", "one", repository) | {"prompt": ASKED}
    monkeypatch.setattr(sys, "stdin", Input(json.dumps(event).encode()))
    hook.main("claude-code", "")
    assert started == [str(tmp_path / "store")]
    assert serving.serve(started[0], idle_seconds=0.05)
    assert said_in(tmp_path / "store", repository) == 1


def test_what_waited_was_said_when_it_was_said(
    tmp_path: Path, repository: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(hook, "_start", started.append)
    monkeypatch.setattr(time, "time_ns", lambda: 1_750_000_000_000_000_000)
    store = str(tmp_path / "store")
    event = SESSIONS["claude-code"][1] | placed("claude-code", "one", repository) | {"prompt": ASKED}
    monkeypatch.setattr(sys, "stdin", Input(json.dumps(event).encode()))
    hook.main("claude-code", store)
    assert serving.serve(store, idle_seconds=0.05)
    with Memory.open(store, namespace=place_of(str(repository)).namespace) as memory:
        assert [str(one.occurred_at) for one in memory.list().statements] == ["2025-06-15 15:06:40+00:00"]


def test_the_process_ends_when_another_version_is_installed(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, new = tmp_path / "serving.py", tmp_path / "new.py"
    module.write_text("old")
    new.write_text("new")
    monkeypatch.setattr(serving, "__file__", str(module))
    store = str(tmp_path / "store")
    running = Thread(target=serving.serve, args=(store,), kwargs={"idle_seconds": 600.0}, daemon=True)
    running.start()
    until(Path(hook.socket_of(store)).exists)
    new.replace(module)
    run_hook("codex", b"{}", store)
    running.join(30)
    assert not running.is_alive()


def test_a_runtime_folder_too_long_for_a_socket_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ("x" * 90)
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("TMPDIR", "/tmp")
    assert hook.runtime_folder() == f"/tmp/evolore-{os.getuid()}"


class Input:
    def __init__(self, given: bytes) -> None:
        self.buffer, self._given = self, given

    def read(self, _most: int) -> bytes:
        return self._given


def test_a_session_that_began_too_early_is_told_at_its_first_prompt(tmp_path: Path, repository: Path) -> None:
    with Memory.open(tmp_path / "store", namespace=place_of(str(repository)).namespace) as memory:
        memory.remember(DECISION, session="claude-code:zero", speaker="assistant")
    start, prompt, _ = SESSIONS["claude-code"]
    about = placed("claude-code", "one", repository)
    with memories(tmp_path / "store") as answer:
        assert answer("claude-code", start | about, patience=False) == ""
        assert "## Decided" in answer("claude-code", prompt | about | {"prompt": UNRELATED})
        assert answer("claude-code", prompt | about | {"prompt": UNRELATED}) == ""


def test_a_hook_starts_the_process_by_itself(tmp_path: Path, repository: Path, runtime: Path) -> None:
    store = str(tmp_path / "store")
    start = SESSIONS["gemini"][0] | placed("gemini", "one", repository)
    assert is_silent(run_hook("gemini", json.dumps(start).encode(), store))
    path = Path(hook.socket_of(store))
    until(path.exists)
    lock = path.with_suffix(".lock")
    assert lock.exists()

    def those() -> list[int]:
        return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit() and is_serving(one, store)]

    until(lambda: len(those()) == 1)  # a second one that was begun meanwhile ends by itself
    os.kill(those()[0], signal.SIGTERM)
    until(lambda: not path.exists())


def test_a_signal_to_end_that_something_swallows_ends_the_process_all_the_same(
    tmp_path: Path, repository: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(_memories: AgentMemories, _message: bytes, **_more: object) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
            time.sleep(5)

    waits: list[serving._Hooks] = []

    def wait(server: serving._Hooks) -> None:
        assert not waits, "it goes on"
        waits.append(server)

    store = str(tmp_path / "store")
    monkeypatch.setattr(hook, "_start", list[str]().append)
    monkeypatch.setattr(
        sys, "stdin", Input(json.dumps(SESSIONS["codex"][0] | placed("codex", "one", repository)).encode())
    )
    hook.main("codex", store)
    monkeypatch.setattr(AgentMemories, "answer", answer)
    monkeypatch.setattr(serving._Hooks, "handle_request", wait)
    before = signal.getsignal(signal.SIGTERM)
    try:
        assert serving.serve(store)
    finally:
        signal.signal(signal.SIGTERM, before)


def is_serving(process: Path, store: str) -> bool:
    try:
        return store.encode() in (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def test_input_of_another_form_is_met_with_silence(tmp_path: Path, repository: Path, runtime: Path) -> None:
    store = str(tmp_path / "store")
    start = json.dumps(SESSIONS["codex"][0] | placed("codex", "one", repository)).encode()
    with serving_in_thread(store):
        assert is_silent(run_hook("emacs", start, store))
        for given in (
            b"",
            b"{",
            b"[]",
            b"null",
            b'{"hook_event_name": "Stop"}',
            b'{"hook_event_name": "New"}',
            b"\xff\x00",
        ):
            assert is_silent(run_hook("claude-code", given, store)), given
            assert Path(hook.socket_of(store)).exists(), "the process goes on"
        assert is_silent(run_hook("codex", start, store))


@contextmanager
def serving_in_thread(store: str) -> Generator[None]:
    """Serve until the block ends, however long nobody asks."""
    ended, run = Event(), serving._run

    def run_until_ended(server: serving._Hooks, waiting: Path, _idle_seconds: float) -> None:
        handle = server.handle_request

        def look() -> None:
            server.timeout = 0.02
            handle()
            if ended.is_set():
                server.asked_at = float("-inf")

        server.handle_request = look
        run(server, waiting, 600.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "_run", run_until_ended)
        running = Thread(target=serving.serve, args=(store,))
        running.start()
        try:
            until(Path(hook.socket_of(store)).exists)
            yield
        finally:
            ended.set()
            running.join()


def test_a_folder_or_socket_that_others_may_use_is_not_used(tmp_path: Path, runtime: Path) -> None:
    store = str(tmp_path / "store")
    folder = Path(hook.socket_of(store)).parent
    folder.mkdir()
    folder.chmod(0o755)
    with pytest.raises(InvalidSetting, match="not yours alone"):
        serving.serve(store, idle_seconds=0.01)
    given = json.dumps(SESSIONS["codex"][0] | placed("codex", "one", tmp_path)).encode()
    assert is_silent(run_hook("codex", given, store))
    assert list(folder.iterdir()) == []
    folder.chmod(0o700)
    with listening(hook.socket_of(store)) as heard:
        Path(hook.socket_of(store)).chmod(0o666)
        assert is_silent(run_hook("codex", given, store))
        assert heard == []
        Path(hook.socket_of(store)).chmod(0o600)  # the control: now it is asked
        run_hook("codex", given, store)
        until(lambda: bool(heard))


@contextmanager
def listening(path: str) -> Generator[list[bytes]]:
    """Take connections and answer none."""
    heard: list[bytes] = []
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path)
        one.listen()

        def take() -> None:
            while True:
                try:
                    link, _ = one.accept()
                except OSError:
                    return
                with link:
                    heard.append(link.recv(10))
                    time.sleep(0.5)

        taking = Thread(target=take, daemon=True)
        taking.start()
        yield heard
        one.shutdown(socket.SHUT_RDWR)
        taking.join()


def test_a_process_that_does_not_answer_is_waited_for_no_longer_than_promised(tmp_path: Path, runtime: Path) -> None:
    store = str(tmp_path / "store")
    Path(hook.socket_of(store)).parent.mkdir(mode=0o700)
    given = json.dumps(SESSIONS["codex"][1] | placed("codex", "one", tmp_path)).encode()
    os.umask(0o077)
    with listening(hook.socket_of(store)) as heard:
        assert is_silent(run_hook("codex", given, store))
        assert heard
    Path(hook.socket_of(store)).unlink()


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_goes_on_where_the_program_is_gone(agent: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "__file__", "/gone/evolore/integrations/agents/hook.py")
    done = installing.install(agent, home, store=None, command="/bin/evolore")
    path = next(Path(one) for one in done.files if "hooks" in one or "settings" in one)
    commands = [
        line.partition('"command": ')[2].rstrip(",") for line in path.read_text().splitlines() if "hook.py" in line
    ]
    assert commands
    for command in commands:
        ran = subprocess.run(["sh", "-c", json.loads(command)], input=b"{}", capture_output=True, check=False)
        assert (ran.returncode, ran.stdout) == (0, b"")
    installing.uninstall(agent, home)


def test_a_read_only_runtime_folder_fails_no_agent(tmp_path: Path) -> None:
    given = json.dumps(SESSIONS["codex"][1] | placed("codex", "one", tmp_path)).encode()
    assert is_silent(run_hook("codex", given, "", XDG_RUNTIME_DIR="/proc"))
