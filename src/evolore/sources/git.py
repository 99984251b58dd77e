"""Commits on new branches, made by the installed git: no work tree, index, hook, filter, signature or network takes part."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from evolore.errors import InvalidValue, MissingExtra
from evolore.ports import OriginalFile, TrackedFile

_SAFE: Final = (
    "-c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.splitIndex=false -c commit.gpgsign=false "
    "-c i18n.commitEncoding=UTF-8 --literal-pathspecs --no-replace-objects"
)
_IDENTITY: Final = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
"""Of the caller's variables for git, those that only say who commits; the others may name another repository."""
_CLOSED: Final = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
"""A missing object is not fetched: a repository's settings name programs for that."""
_SECONDS: Final = 60


class _GitFailed(Exception):
    """Carry what git printed."""


class Repository:
    """Git in one folder.

    Raises:
        MissingExtra: Git is not installed.
    """

    def __init__(self, folder: Path) -> None:
        program = shutil.which("git")
        if program is None:
            raise MissingExtra("git is not installed: install it, or take the patch with `--patch` (`patch=True`).")
        self._command = [program, *_SAFE.split(), "-C", str(folder)]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _IDENTITY}
        self._environment = kept | _CLOSED
        # Since 2.54 settings name hooks too; a name may hold "=", which `-c` does not take.
        keys = self.told("config", "-z", "--name-only", "--get-regexp", r"^hook\..*\.(command|event)$").split("\0")[:-1]
        for number, key in enumerate(keys):
            self._environment[f"GIT_CONFIG_KEY_{number}"] = f"{key.rpartition('.')[0]}.enabled"
            self._environment[f"GIT_CONFIG_VALUE_{number}"] = "false"
        self._environment["GIT_CONFIG_COUNT"] = str(len(keys))

    def run(self, *words: str, stdin: bytes = b"", **environment: str) -> bytes:
        """Run a command of git and return what it prints.

        Raises:
            _GitFailed: It failed.
        """
        command, variables = [*self._command, *words], self._environment | environment
        try:
            done = subprocess.run(  # noqa: S603 - the installed git
                command, input=stdin, capture_output=True, check=True, timeout=_SECONDS, env=variables
            )
        except subprocess.CalledProcessError as error:
            raise _GitFailed(" ".join(error.stderr.decode("utf-8", "replace").split())) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _GitFailed(str(error)) from error
        return done.stdout

    def line(self, *words: str, stdin: bytes = b"", **environment: str) -> str:
        """Return what a command prints, as ``run`` does, without the line end behind it."""
        return os.fsdecode(self.run(*words, stdin=stdin, **environment)).removesuffix("\n")

    def told(self, *words: str) -> str:
        """Return what a command prints, as ``line`` does; nothing where it fails."""
        try:
            return self.line(*words)
        except _GitFailed:
            return ""

    def entry(self, commit: str, name: str) -> tuple[str, ...]:
        """Return mode, kind and object of a file in a commit; nothing where it has no such file."""
        found = self.told("ls-tree", "-z", "--full-tree", commit, "--", name).partition("\t")[0]
        return tuple(found.split(" ")) if found.startswith("100") else ()  # neither a folder nor a link

    def commit_of(self, name: str) -> str:
        """Return the commit that a name means; empty for none."""
        return self.told("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")


def read_tracked(path: Path, decode: Callable[[bytes], OriginalFile]) -> TrackedFile:
    """Read a file from the commit that is checked out, byte for byte, and decode it."""
    git = Repository(path.parent)
    try:
        root, name = git.line("rev-parse", "--show-toplevel"), git.line("rev-parse", "--show-prefix") + path.name
        head = git.commit_of("HEAD")
        entry = git.entry(head, name)
        if not entry:
            raise InvalidValue(f"{path} is not in the last commit of its repository: commit it, and add it again.")
        original = decode(git.run("cat-file", "blob", entry[2]))
    except _GitFailed as error:
        raise InvalidValue(f"{path} is in no git repository that can be read: {error}") from error
    return TrackedFile(root=Path(root), name=name, mode=entry[0], head=head, original=original)


def make_branch(
    files: Sequence[tuple[TrackedFile, bytes]], *, branch: str, message: str, author: str, at: datetime
) -> tuple[str, bool]:
    """Commit new bytes of files on a new branch from the commit they were read from.

    Returns:
        The commit, and whether it was made; it was not where the branch is there with these bytes.
    """
    git, head, ref = Repository(files[0][0].root), files[0][0].head, f"refs/heads/{branch}"
    who: dict[str, str] = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{int(at.timestamp())} +0000")
    if author:
        name, _, mail = author.rstrip(">").partition(" <")
        who |= dict(zip(_IDENTITY, (name, mail) * 2, strict=True))
    try:
        git.run("check-ref-format", ref)
        blobs = [git.line("hash-object", "-w", "--no-filters", "--stdin", stdin=data) for _, data in files]
        entries = [(one.name, (one.mode, "blob", blob)) for (one, _), blob in zip(files, blobs, strict=True)]
        if present := git.commit_of(ref):
            if all(git.entry(present, name) == entry for name, entry in entries):
                return present, False
            raise InvalidValue(f"The branch {branch} has another text: delete it, or name another with --branch.")
        with TemporaryDirectory() as folder:
            index = str(Path(folder) / "index")
            git.run("read-tree", head, GIT_INDEX_FILE=index)
            lines = b"".join(os.fsencode(f"{' '.join(entry)}\t{name}\0") for name, entry in entries)
            git.run("update-index", "-z", "--index-info", stdin=lines, GIT_INDEX_FILE=index)
            tree = git.line("write-tree", GIT_INDEX_FILE=index)
        commit = git.line("commit-tree", tree, "-p", head, "-F", "-", stdin=message.encode(), **who)
        git.run("update-ref", "--no-deref", "-m", "evolore", ref, commit, "0" * len(commit))
    except _GitFailed as error:
        raise InvalidValue(f"git does not make the branch {branch!r}: {error}. Nothing was written.") from error
    return commit, True


def is_branch_dropped(root: Path, branch: str, commit: str) -> bool:
    """Return whether a branch is gone and no other branch or tag holds its commit; False where that cannot be found out."""
    try:
        git = Repository(root)
        if not git.commit_of("HEAD") or git.commit_of(f"refs/heads/{branch}"):
            return False
        return not (git.commit_of(commit) and git.run("for-each-ref", "--count=1", "--contains", commit))
    except (MissingExtra, _GitFailed):
        return False
