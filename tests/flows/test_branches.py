"""What was promoted goes to a branch of its file's repository, and is followed from there: merged, reverted or dropped."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evolore.domain.evolution import GenerationStanding, JobState, Operator, ProposedText, Standing
from evolore.errors import InvalidValue, MissingExtra, UnreadableSource
from evolore.evolution.settings import EvolutionSettings, GitSettings
from evolore.flows.add import AddOutcome
from evolore.flows.evolve.log import JobLog
from evolore.flows.evolve.promote import Approval, promote
from evolore.sources.git import Repository
from evolving.complaints import BETTER, PEOPLE, TEXT, text_of
from evolving.scripted import NEW, OLD
from flows.test_promotions_last import ELSEWHERE, of_file, told

if TYPE_CHECKING:
    from collections.abc import Generator

    from evolore.memory import Memory

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture(autouse=True)
def own_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the settings of whoever runs the tests out of them."""
    home = tmp_path / "home"
    home.mkdir()
    for name in [one for one in os.environ if one.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode()


def commit(folder: Path, message: str = "x") -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)


@contextmanager
def approved(
    folder: Path, data: bytes = TEXT.encode(), *, name: str = "refunds.md", settings: EvolutionSettings | None = None
) -> Generator[tuple[Memory, Path, str]]:
    """Open a memory with an approved change of a file that is committed."""
    root = folder / "a repository"
    (root / "docs").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for key, value in (("user.name", "Desk"), ("user.email", "desk@example.org")):
        git(root, "config", key, value)
    (root / "other.txt").write_text("other\n", encoding="utf-8")
    (root / ".gitignore").write_text("store/\n", encoding="utf-8")
    with of_file(root, data, name=f"docs/{name}", settings=settings) as (memory, path):
        commit(root, "first")
        (job,) = memory.evolve()
        memory.evolution.approve(job.id, principal="mika")
        yield memory, path, job.id


def state(root: Path) -> tuple[object, ...]:
    """Return all of a repository that a user works in."""
    files = sorted((one, one.read_bytes()) for one in root.glob("docs/*"))
    index = root / ".git" / "index"
    there = (index.read_bytes(), index.stat().st_mtime_ns) if index.exists() else None
    return files, there, (root / ".git" / "HEAD").read_bytes(), git(root, "rev-parse", "main")


def test_a_branch_holds_the_change_and_nothing_else_is_touched(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        root = path.parent.parent
        before = state(root)
        done = memory.evolution.write(str(path), branch=True)
        assert state(root) == before
        assert (done.is_written, done.branch) == (True, f"evolore/refunds-{job_id[:14]}")
        assert git(root, "rev-parse", done.branch).strip() == done.commit
        assert git(root, "rev-parse", f"{done.branch}^") == git(root, "rev-parse", "main")
        assert git(root, "diff", "--name-only", "main", done.branch) == "docs/refunds.md\n"
        assert git(root, "show", f"{done.branch}:docs/refunds.md") == BETTER
        assert git(root, "fsck", "--strict") == ""
        assert [(one.branch, one.commit) for one in memory.evolution.show(job_id).branches] == [
            (done.branch, done.commit)
        ]


def test_the_message_states_reasons_evidence_and_how_many_rated_and_names_nobody(tmp_path: Path) -> None:
    settings = EvolutionSettings(git=GitSettings(author="Bot <bot@example.org>", co_author="Ada <ada@example.org>"))
    with approved(tmp_path, settings=settings) as (memory, path, job_id):
        root = path.parent.parent
        done = memory.evolution.write(str(path), branch="fix")
        generation = memory.evolution.generations(str(path))[0]
        message = git(root, "log", "-1", "--format=%B", "fix")
        subject, edits, rated, trailers = message.strip().split("\n\n")
        assert subject == "The number is old (detail)."
        assert edits.splitlines()[0].startswith("- refunds.md 1.1: The number is old")
        assert edits.splitlines()[1].startswith('  Evidence: news.md: "')
        assert rated == f"BAD ratings by people: {len(PEOPLE)}"
        assert trailers.splitlines() == [
            f"Evolore-Job: {job_id}",
            f"Evolore-Promotion: {generation.promotion.id}",
            "Co-authored-by: Ada <ada@example.org>",
        ]
        assert git(root, "log", "-1", "--format=%(trailers:key=Evolore-Job,valueonly)", "fix").strip() == job_id
        assert git(root, "log", "-1", "--format=%an <%ae> %cn", "fix").strip() == "Bot <bot@example.org> Bot"
        assert not [one for one in (*PEOPLE, "mika", str(tmp_path)) if one in message]
        assert done.branch == "fix"


def test_by_default_git_says_who_commits(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, _):
        memory.evolution.write(str(path), branch="fix")
        assert git(path.parent, "log", "-1", "--format=%an <%ae>", "fix").strip() == "Desk <desk@example.org>"


@pytest.mark.parametrize("person", ["Mika", "<mika@example.org>", "Mika <a@b>\nEvil: x", "Mika <a b>"])
def test_a_person_is_written_as_git_writes_one(person: str) -> None:
    with pytest.raises(InvalidValue, match=r"mika@example\.org"):
        GitSettings(author=person)
    with pytest.raises(InvalidValue, match="co_author"):
        GitSettings(co_author=person)


@pytest.mark.parametrize(
    ("mark", "encoding", "end"),
    [(b"", "utf-8", "\n"), (b"\xef\xbb\xbf", "utf-8", "\r\n"), (b"\xff\xfe", "utf-16-le", "\n")],
)
def test_encoding_line_ends_and_mode_are_kept(tmp_path: Path, mark: bytes, encoding: str, end: str) -> None:
    with approved(tmp_path, mark + TEXT.replace("\n", end).encode(encoding), name="Geld zurück.md") as (
        memory,
        path,
        _,
    ):
        path.chmod(0o755)
        commit(path.parent)
        done = memory.evolution.write(str(path), branch=True)
        assert done.branch.startswith("evolore/Geld-zurück-")
        name = f"{done.branch}:docs/Geld zurück.md"
        shown = subprocess.run(["git", "show", name], cwd=path.parent, check=True, capture_output=True).stdout
        assert shown == mark + BETTER.replace("\n", end).encode(encoding)
        assert git(path.parent, "ls-tree", done.branch, "Geld zurück.md").startswith("100755 ")


def test_where_git_ends_lines_otherwise_in_the_work_tree_the_commit_keeps_its_own(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, _):
        root = path.parent.parent
        git(root, "config", "core.autocrlf", "true")
        path.write_bytes(TEXT.replace("\n", "\r\n").encode())
        memory.add(path)
        done = memory.evolution.write(str(path), branch=True)
        assert git(root, "show", f"{done.branch}:docs/refunds.md") == BETTER
        git(root, "checkout", "-q", "-f", done.branch)
        assert path.read_bytes() == BETTER.replace("\n", "\r\n").encode()


def test_a_branch_with_the_same_content_is_left_alone_and_another_is_refused(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        root = path.parent.parent
        done = memory.evolution.write(str(path), branch=True)
        again = memory.evolution.write(str(path), branch=True)
        assert (again.is_written, again.branch, again.commit) == (False, done.branch, done.commit)
        assert len(memory.evolution.show(job_id).branches) == 1
        git(root, "branch", "taken")
        with pytest.raises(InvalidValue, match="has another text: delete it, or name another"):
            memory.evolution.write(str(path), branch="taken")
        assert git(root, "rev-parse", "taken") == git(root, "rev-parse", "main")


@pytest.mark.parametrize("name", ["a..b", "-x y", "x.lock", "a\nb", "@{-1}"])
def test_what_is_no_name_of_a_branch_is_refused(tmp_path: Path, name: str) -> None:
    with approved(tmp_path) as (memory, path, _):
        with pytest.raises(InvalidValue, match="Nothing was written"):
            memory.evolution.write(str(path), branch=name)
        assert git(path.parent, "branch", "--format=%(refname)") == "refs/heads/main\n"


def test_files_that_are_not_committed_as_they_were_read_are_refused(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, _):
        root = path.parent.parent
        path.write_text(ELSEWHERE, encoding="utf-8")
        memory.add(path)
        with pytest.raises(
            InvalidValue, match="another text in the last commit than was read last: commit your change"
        ):
            memory.evolution.write(str(path), branch="fix")
        commit(root)
        assert memory.evolution.write(str(path), branch="fix").is_written
        assert git(root, "show", "fix:docs/refunds.md") == ELSEWHERE.replace(OLD, NEW)
        git(root, "rm", "-q", "--cached", "docs/refunds.md")
        git(root, "commit", "-qm", "gone")
        with pytest.raises(InvalidValue, match="not in the last commit of its repository: commit it, and add it again"):
            memory.evolution.write(str(path), branch="other")
        shutil.rmtree(root / ".git")
        with pytest.raises(InvalidValue, match="no git repository that can be read"):
            memory.evolution.write(str(path), branch="other")


def test_a_link_is_no_committed_file(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, _):
        path.rename(path.with_name("real.md"))
        path.symlink_to("real.md")
        commit(path.parent)
        with pytest.raises(InvalidValue, match="not in the last commit"):
            memory.evolution.write(str(path), branch="fix")


def test_without_git_the_patch_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with approved(tmp_path) as (memory, path, _):
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(MissingExtra, match="git is not installed: install it, or take the patch"):
            memory.evolution.write(str(path), branch=True)
        assert memory.evolution.write(str(path), patch=True).patch


def test_what_is_no_file_or_becomes_markdown_has_no_branch(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, _):
        page = path.with_name("page.html")
        page.write_text("<h1>Refunds</h1><p>Refunds take 7 business days.</p>", encoding="utf-8")
        commit(path.parent)
        memory.add(page)
        with pytest.raises(UnreadableSource, match="is HTML"):
            memory.evolution.write(str(page), branch=True)
        with pytest.raises(InvalidValue, match="read from no file"):
            memory.evolution.write("news.md", branch=True)
        with pytest.raises(InvalidValue, match="leave out"):
            memory.evolution.write(str(path), branch=True, patch=True)


def test_the_callers_variables_do_not_lead_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    with approved(tmp_path) as (memory, path, _):
        for name, value in {
            "GIT_DIR": other / ".git",
            "GIT_WORK_TREE": other,
            "GIT_INDEX_FILE": other / "index",
            "GIT_OBJECT_DIRECTORY": other / "objects",
            "GIT_NAMESPACE": "elsewhere",
            "GIT_AUTHOR_NAME": "Cara",
        }.items():
            monkeypatch.setenv(name, str(value))
        done = memory.evolution.write(str(path), branch="fix")
        for name in ("DIR", "WORK_TREE", "INDEX_FILE", "OBJECT_DIRECTORY", "NAMESPACE"):
            monkeypatch.delenv(f"GIT_{name}")
        assert git(path.parent, "rev-parse", "refs/heads/fix").strip() == done.commit
        assert git(path.parent, "log", "-1", "--format=%an", "fix").strip() == "Cara"
        assert not (other / "index").exists()


def test_a_hostile_repository_runs_no_program(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, _):
        root, ran = path.parent.parent, tmp_path / "ran"
        program = tmp_path / "program"
        program.write_text(f'#!/bin/sh\necho "$0 $@" >> "{ran}"\ncat\n', encoding="utf-8")
        program.chmod(0o755)
        hooks = root / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("reference-transaction", "post-index-change", "pre-commit", "commit-msg", "post-commit"):
            (hooks / name).symlink_to(program)
        (root / ".git" / "info" / "attributes").write_text("*.md filter=x diff=x text ident\n", encoding="utf-8")
        for key, value in {
            "core.hooksPath": str(hooks),
            "core.fsmonitor": str(program),
            "core.splitIndex": "true",
            "core.pager": str(program),
            "core.editor": str(program),
            "core.sshCommand": str(program),
            "filter.x.clean": str(program),
            "filter.x.smudge": str(program),
            "filter.x.process": str(program),
            "filter.x.required": "true",
            "diff.x.textconv": str(program),
            "commit.gpgsign": "true",
            "gpg.program": str(program),
            "i18n.commitEncoding": "latin1",
            "hook.a=b.command": str(program),
            "hook.a=b.event": "reference-transaction",
            "hook.c.command": str(program),
            "hook.c.event": "post-index-change",
        }.items():
            git(root, "config", key, value)
        ran.unlink(missing_ok=True)
        done = memory.evolution.write(str(path), branch="fix")
        assert not ran.exists()
        assert not list((root / ".git").glob("sharedindex*"))
        git(root, "config", "--unset", "core.fsmonitor")
        assert git(root, "-c", "core.hooksPath=/dev/null", "cat-file", "blob", "fix:docs/refunds.md") == BETTER
        assert "gpgsig" not in git(root, "cat-file", "commit", done.commit)
        git(root, "update-ref", "refs/heads/control", done.commit)
        assert ran.exists(), "the hooks do run for others"


def test_hooks_that_settings_name_are_switched_off(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    for key in ("hook.a=b.command", "hook.c.event"):
        git(tmp_path, "config", key, "x")
    repository = Repository(tmp_path)
    assert [repository.told("config", f"hook.{name}.enabled") for name in ("a=b", "c")] == ["false", "false"]


def test_nothing_is_fetched_for_a_commit(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, _):
        root, ran = path.parent.parent, tmp_path / "ran"
        program = tmp_path / "program"
        program.write_text(f'#!/bin/sh\ntouch "{ran}"\n', encoding="utf-8")
        program.chmod(0o755)
        blob = git(root, "rev-parse", "HEAD:docs/refunds.md").strip()
        (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
        for key, value in {
            "core.repositoryFormatVersion": "1",
            "extensions.partialClone": "origin",
            "remote.origin.url": str(root),
            "remote.origin.promisor": "true",
            "remote.origin.uploadpack": str(program),
            "protocol.allow": "always",
            "protocol.file.allow": "always",
        }.items():
            git(root, "config", key, value)
        with pytest.raises(InvalidValue, match="no git repository that can be read"):
            memory.evolution.write(str(path), branch="fix")
        assert not ran.exists()


def test_documents_that_changed_together_are_in_one_commit(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        faq = path.with_name("faq.md")
        faq.write_text("# Faq\n\nAsk the desk.\n\n## Gifts\n\nGifts are wrapped.\n", encoding="utf-8")
        commit(path.parent)
        added = memory.add(faq).documents[0].document
        (document,) = (one for one in memory.list().documents if one.source == str(path))
        texts = (
            ProposedText(text=BETTER + "\n## Gifts\n\nGifts are wrapped.\n", document_id=document.id, base_version=2),
            ProposedText(
                text="# Faq\n\nAsk the desk.\n\n## Gifts\n\nSee refunds.\n", document_id=added.id, base_version=1
            ),
            ProposedText(text="# Gifts\n\nBlue paper.\n", source="extracted/gifts.md", title="Gifts"),
        )
        log = JobLog(memory._context, job_id)
        candidate = replace(log.job.candidates[0], operator=Operator.CROSSOVER_EXTRACT, texts=texts, edits=((), (), ()))
        second = promote(memory._context, log, candidate, Approval(texts=texts, by="boss"))
        memory.evolution.write(str(faq), branch="both")
        changed = git(path.parent.parent, "diff", "--name-only", "main", "both").split()
        assert changed == ["docs/faq.md", "docs/refunds.md"]
        message = git(path.parent, "log", "-1", "--format=%B", "both")
        assert f"Evolore-Promotion: {second.id}" in message
        assert message.count("Evolore-Promotion") == 2
        assert "no file of this repository: extracted/gifts.md" in message


def merged(path: Path, branch: str) -> None:
    git(path.parent, "merge", "-q", "--no-ff", "-m", "merge", branch)


def counting(memory: Memory, path: Path) -> int:
    return len(memory.evolution.feedback(str(path), unprocessed=True))


def test_a_merge_is_recorded_with_its_time_at_the_next_add(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        done = memory.evolution.write(str(path), branch=True)
        assert memory.evolution.show(job_id).merged_at is None
        merged(path, done.branch)
        added = memory.add(path).documents[0]
        assert told(added) == [(("Refunds", "Time"), Standing.IN_SOURCE)]
        job = memory.evolution.show(job_id)
        assert (job.state, job.merged_at is None) == (JobState.PROMOTED, False)
        (generation,) = memory.evolution.generations(str(path))
        assert (generation.standing, generation.merged_at) == (GenerationStanding.IN_SOURCE, job.merged_at)
        assert memory.evolution.history(str(path))[0].merged_at == job.merged_at
        memory.add(path)
        assert memory.evolution.show(job_id).merged_at == job.merged_at
        assert memory.store.verify().is_whole


def test_a_merge_with_other_changes_is_recorded_too(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        path.write_text(ELSEWHERE.replace(OLD, NEW), encoding="utf-8")
        memory.add(path)
        assert memory.evolution.show(job_id).merged_at is not None


def test_writing_the_file_itself_is_recorded_too(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        assert memory.evolution.write(str(path)).is_written
        assert memory.evolution.show(job_id).merged_at is not None
        path.write_text(TEXT, encoding="utf-8")
        memory.add(path)
        assert memory.evolution.show(job_id).state is JobState.ROLLED_BACK


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_revert_of_what_was_merged_rolls_back(tmp_path: Path, *, elsewhere: bool) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        done = memory.evolution.write(str(path), branch=True)
        merged(path, done.branch)
        memory.add(path)
        assert counting(memory, path) == 0
        git(path.parent, "revert", "-m", "1", "--no-edit", "HEAD")
        if elsewhere:
            path.write_text(ELSEWHERE, encoding="utf-8")
        added = memory.add(path).documents[0]
        assert added.outcome is AddOutcome.CHANGED
        assert "is rolled back: its file says again what it said before" in added.notes[0]
        assert text_of(memory, str(path)) == (ELSEWHERE if elsewhere else TEXT)
        job = memory.evolution.show(job_id)
        assert (job.state, job.closing) == (JobState.ROLLED_BACK, "its file says again what it said before.")
        assert memory.evolution.generations(str(path))[0].standing is GenerationStanding.ROLLED_BACK
        assert counting(memory, path) == len(PEOPLE)
        assert memory.store.verify().is_whole
        assert memory.store.doctor().is_whole


def test_control_a_file_that_is_not_merged_yet_keeps_the_promoted_text(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        memory.evolution.write(str(path), branch=True)
        assert memory.add(path).documents[0].outcome is AddOutcome.UNCHANGED
        path.write_text(ELSEWHERE, encoding="utf-8")
        assert told(memory.add(path).documents[0]) == [(("Refunds", "Time"), Standing.HELD)]
        path.write_text(TEXT, encoding="utf-8")
        memory.add(path)
        assert text_of(memory, str(path)) == BETTER
        assert memory.evolution.show(job_id).state is JobState.PROMOTED


def test_control_another_text_in_its_place_is_no_rollback(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        for text in (BETTER, BETTER.replace("10 business", "12 business")):
            path.write_text(text, encoding="utf-8")
            memory.add(path)
        assert memory.evolution.show(job_id).state is JobState.PROMOTED
        assert memory.evolution.generations(str(path))[0].standing is GenerationStanding.NO_LONGER


def test_a_branch_that_was_deleted_unmerged_rolls_back_at_the_next_add(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        done = memory.evolution.write(str(path), branch=True)
        git(path.parent, "branch", "-D", done.branch)
        added = memory.add(path).documents[0]
        assert f"the branch {done.branch} was deleted" in added.notes[0]
        assert (text_of(memory, str(path)), added.document.version) == (TEXT, 3)
        assert memory.evolution.show(job_id).state is JobState.ROLLED_BACK
        assert counting(memory, path) == len(PEOPLE)
        assert memory.add(path).documents[0].notes == ()


@pytest.mark.parametrize("kept", ["remote", "renamed", "merged", "no repository", "no git"])
def test_control_a_branch_that_lives_on_elsewhere_rolls_nothing_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        done = memory.evolution.write(str(path), branch=True)
        root = path.parent.parent
        if kept == "remote":
            git(root, "update-ref", "refs/remotes/origin/x", done.commit)
        elif kept == "renamed":
            git(root, "branch", "mine", done.branch)
        elif kept == "merged":
            merged(path, done.branch)
        git(root, "branch", "-D", done.branch)
        if kept == "no repository":
            shutil.rmtree(root / ".git")
        elif kept == "no git":
            monkeypatch.setenv("PATH", str(tmp_path))
        memory.add(path)
        assert text_of(memory, str(path)) == BETTER
        assert memory.evolution.show(job_id).state is JobState.PROMOTED


def test_of_several_documents_all_must_go_back(tmp_path: Path) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        faq = path.with_name("faq.md")
        old, new = "# Faq\n\nAsk the desk.\n", "# Faq\n\nAsk nobody.\n"
        faq.write_text(old, encoding="utf-8")
        added = memory.add(faq).documents[0].document
        (document,) = (one for one in memory.list().documents if one.source == str(path))
        texts = (
            ProposedText(text=BETTER + "\n## More\n\nx\n", document_id=document.id, base_version=2),
            ProposedText(text=new, document_id=added.id, base_version=1),
        )
        log = JobLog(memory._context, job_id)
        candidate = replace(log.job.candidates[0], operator=Operator.CROSSOVER_MERGE, texts=texts, edits=((), ()))
        promote(memory._context, log, candidate, Approval(texts=texts, by="boss"))
        for text, said in ((BETTER + "\n## More\n\nx\n", new), (BETTER, new)):
            path.write_text(text, encoding="utf-8")
            faq.write_text(said, encoding="utf-8")
            memory.add(path, faq)
        assert memory.evolution.generations(str(faq))[0].standing is GenerationStanding.IN_SOURCE
        faq.write_text(old, encoding="utf-8")
        assert memory.add(faq).documents[0].notes
        assert memory.evolution.generations(str(faq))[0].standing is GenerationStanding.ROLLED_BACK
