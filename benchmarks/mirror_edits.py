"""Print what random edits of mirrored files and of the store lose, and how often a person is asked for nothing.

    python benchmarks/mirror_edits.py [--seeds 20] [--first 0] [--edits 200] [--together 8] [--integrate] [--kill] [--show]

A namespace is mirrored as Markdown. Then lines are edited, added, deleted, moved, nested, joined, wrapped, copied and stripped of their
comments, files renamed, split, merged by git and saved by other editors, while statements are remembered, corrected, retired,
forgotten and brought back in the store. After some edits on both sides the folder is mirrored, and all is compared with a model that
knows the edits alone: the texts that must hold, those that must stay in a file beside what the store says, what was asked,
statements' speakers, tags and sessions, lines that are no statements. Mirrored once more, nothing may change.

With --integrate, equal and similar statements merge and split, so only laws are checked: files show exactly what holds, no text of a
line is missing in the store, and nothing was retired that nobody retired. With --kill, every call is first cut off at a random
write. A store is empty, tiny, mixed or holds long messages, by seed.

The bar: nothing lost, and at most 1 asked that is no conflict.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.config import Settings
from evolore.domain.episode import Episode, EpisodeState
from evolore.episodes.settings import IntegrationSettings
from evolore.integrations import mirror as mirroring
from evolore.integrations.mirror import MirrorDeed, mirror
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from harness import command_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolore.integrations.mirror import Mirrored

MOST_ASKED = 1
MARK = re.compile(r" *<!-- evolore:([0-9a-z]{26}) -->")
SPEAKERS = (None, "Mika", "葵", "李雷", 'a/b: "c" #d', "it's")
SAYINGS = (
    "The gate code of house {} changed.",
    "Ada moved to flat {}, and likes it -- really.",
    "会議室{}は三階です。",
    "猫が{}匹います。",
    "门牌号是{}号。",
    "她每天{}点起床。",
    "1. number {} first",
    "- a list\n- within {}",
    "# no heading {}",
    "A table {}:\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "Code {}:\n\n```python\n- no item\n    x = 1\n```",
    "an arrow --> and <!-- a comment --> in {}",
    "<!-- evolore:01kjpy46cg9r1kwjksxs72ywpk --> quoted in {}",
    "  spaces around {}  \r\nand other line ends  ",
    "> quoted {}\nand more\n\n\nafter two blank lines",
    "[[link {}]] ^block #tag **bold** %% hidden %%",
    "{} ends with a rule\n\n---",
    "emoji 🦊 {} ﬁ Å",
)
PLAIN = tuple(text for text in SAYINGS if "evolore:" not in text)
"""What can be a line without a comment: one that quotes a comment names another statement."""
START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
NOTE = "A note of my own, {}: it is no list item."
_MOST_TRIES = 60


class Cut(Exception):
    """The process ends here."""


def shown_text(text: str) -> str:
    """Return a text as it can be read again from a line."""
    lines = re.split(r"\r\n|\r|\n", text)
    return "\n".join(line.rstrip() for line in lines).strip()


def block_of(lines: list[str], id_: str) -> tuple[int, int]:
    """Return from which line to which a statement goes: to its comment, from the list item above."""
    end = next(place for place, line in enumerate(lines) if f"evolore:{id_} -->" in line)
    start = end
    while not re.match(r"\ufeff?\s*[-*+] ", lines[start]) or (start < end and lines[start].startswith("  ")):
        start -= 1
    return start, end + 1


class World:
    """A store, a folder and what must hold in them."""

    def __init__(self, folder: Path, seed: int, *, integrate: bool, kill: bool) -> None:
        self.random = random.Random(f"mirror {seed}")
        self.kill, self.integrate = kill, integrate
        self.folder = folder / "notes"
        self.memory = Memory.open(
            folder / "store",
            namespace="n",
            embedder=HashingEmbedder(),
            settings=Settings(integration=IntegrationSettings(enabled=integrate)),
            clock=SteppingClock(START, step=timedelta(seconds=7)),
        )
        self.per = "day" if seed % 4 == 3 else "speaker"
        self.number = self.real = self.asked = self.edits = 0
        self.want: dict[str, str] = {}  # by id, as of the last time, or by the number of a new one
        self.beside: set[str] = set()  # texts that must stay in a file, marked
        self.notes: list[str] = []
        self.filed: dict[str, tuple[object, ...]] = {}  # speaker, session and tags, by the number in the text
        self.retired: set[str] = set()
        self.undoable: list[tuple[str, str, str]] = []
        self.faults: list[str] = []
        self.said: set[str] = set()  # every text that a line ever had
        kind = ("empty", "tiny", "mixed", "long")[seed % 4]
        for _ in range({"empty": 0, "tiny": 2, "mixed": 30, "long": 6}[kind]):
            self.remember(long=kind == "long")
        self.mirror()

    # What is said

    def text(self, *, of: tuple[str, ...] = SAYINGS) -> str:
        """Return a text of its own, with a number that no other has."""
        self.number += 1
        return self.random.choice(of).format(f"n{self.number}n")

    def remember(self, *, long: bool = False) -> None:
        """Remember a text in the store."""
        text = self.text() + (" And so on, word for word." * 1000 if long else "")
        speaker = self.random.choice(SPEAKERS)
        session, tags = self.random.choice((None, "s1")), self.random.choice(((), ("t1", "t2")))
        day = self.random.choice((None, START - timedelta(days=self.random.randrange(5))))
        done = self.memory.remember(
            text, speaker=speaker, session=session, tags=tags, occurred_at=day, metadata={"n": self.number}
        )
        self.filed[f"n{self.number}n"] = (speaker, session, tags, {"n": self.number}, done.moment.date())
        self.want[done.id] = shown_text(text)

    # Edits of files

    def files(self) -> list[Path]:
        """List the files."""
        return sorted(self.folder.rglob("*.md"))

    def place(self, id_: str) -> tuple[Path, list[str], int, int] | None:
        """Return the file of a statement, its lines, and which of them are the statement's."""
        for path in self.files():
            lines = path.read_bytes().decode().split("\n")
            if any(f"evolore:{id_} -->" in line for line in lines):
                return path, lines, *block_of(lines, id_)
        return None

    def save(self, path: Path, lines: list[str]) -> None:
        """Write lines to a file."""
        path.write_bytes("\n".join(lines).encode())

    def edit(self, id_: str) -> None:
        """Change a line: at its end, behind its comment, or all of it."""
        path, lines, start, end = self.found(id_)
        tail = "\r" if lines[end - 1].endswith("\r") else ""
        self.number += 1
        if end - start == 1 and self.random.random() < 0.4:
            lines[start] = f"{lines[start].rstrip()} more m{self.number}m{tail}"
            text = f"{self.want[id_]} more m{self.number}m"
        elif end - start > 1 and self.random.random() < 0.6:
            lines[end - 1] = f"  last line m{self.number}m <!-- evolore:{id_} -->{tail}"
            text = f"{self.want[id_]}\nlast line m{self.number}m"
        else:
            text = self.text()
            first, *others = shown_text(text).split("\n")
            block = [f"- {first}", *(line and f"  {line}" for line in others)]
            block = [*block, f"  <!-- evolore:{id_} -->"] if others else [f"{block[0]} <!-- evolore:{id_} -->"]
            lines[start:end] = [line + tail for line in block]
            number = re.findall(r"n\d+n", text)[-1]
            before = re.findall(r"n\d+n", self.want[id_])
            if before and before[-1] in self.filed:
                self.filed[number] = self.filed[before[-1]]
        self.save(path, lines)
        self.mine[id_] = shown_text(text)
        self.said.add(shown_text(text))

    def add(self) -> None:
        """Write a new line at the end of a file."""
        paths = [one for one in self.files() if 'namespace: "n"' in one.read_bytes().decode()]
        if not paths:
            return
        path, text = self.random.choice(paths), shown_text(self.text(of=PLAIN))
        content = path.read_bytes().decode()
        newline = "\r\n" if "\r\n" in content else "\n"
        first, *others = text.split("\n")
        block = newline.join([f"{self.random.choice('-*+')} {first}", *(line and f"  {line}" for line in others)])
        end = "" if content.endswith("\n") else newline
        path.write_bytes((content + end + block + self.random.choice(("", newline))).encode())
        self.fresh.append(text)
        self.said.add(text)

    def delete(self, id_: str) -> None:
        """Delete a line, or empty it."""
        path, lines, start, end = self.found(id_)
        if self.random.random() < 0.2 and end - start == 1:
            lines[start] = f"- <!-- evolore:{id_} -->"
        else:
            del lines[start:end]
        self.save(path, lines)
        self.mine[id_] = ""

    def move(self, id_: str) -> None:
        """Move a line to another place, or to a file of the user's own."""
        path, lines, start, end = self.found(id_)
        block = [line.rstrip("\r").lstrip("\ufeff") for line in lines[start:end]]
        del lines[start:end]
        self.save(path, lines)
        target = self.random.choice([*self.files(), self.folder / "sub" / f"own {self.number}.md"])
        target.parent.mkdir(exist_ok=True)
        lines = target.read_bytes().decode().split("\n") if target.exists() else ["A file of my own.", ""]
        tail = "\r" if any(line.endswith("\r") for line in lines) else ""
        places = [len(lines), *(place for place, line in enumerate(lines) if line.startswith(("- ", "## ")))]
        place = self.random.choice(places)
        if place == len(lines) and lines[-1]:
            lines[-1] += tail  # a last line without an end
        lines[place:place] = [line + tail for line in block]
        self.save(target, lines)

    def strip(self, id_: str) -> None:
        """Lose a comment, as some editors do."""
        path, lines, start, end = self.found(id_)
        if not path.read_bytes().decode().removeprefix("\ufeff").startswith("---") or "evolore:" in self.want[id_]:
            return
        if lines[start].startswith("\t"):
            return
        if lines[end - 1].strip() == f"<!-- evolore:{id_} -->":
            del lines[end - 1]
        else:
            lines[end - 1] = MARK.sub("", lines[end - 1])
        self.save(path, lines)
        self.mine[id_] = self.want[id_]

    def copy(self, id_: str) -> None:
        """Copy a line and change the copy, the comment left in."""
        path, lines, start, end = self.found(id_)
        if end - start > 1:
            return
        self.number += 1
        text = f"A copy, changed n{self.number}n."
        tail = "\r" if lines[start].endswith("\r") else ""
        at = self.random.choice((start, end))
        lines[at:at] = [f"- {text} <!-- evolore:{id_} -->{tail}"]
        if not path.read_bytes().decode().removeprefix("\ufeff").startswith("---"):
            return
        self.save(path, lines)
        self.fresh.append(text)
        self.mine[id_] = self.want[id_]
        self.said.add(text)

    def nest(self, id_: str) -> None:
        """Nest a line below the one above."""
        path, lines, start, end = self.found(id_)
        if end - start > 1 or start == 0 or not lines[start - 1].startswith("- "):
            return
        lines[start] = "\t" + lines[start]
        self.save(path, lines)

    def join(self, id_: str) -> None:
        """Join a line with the one above: both comments are in it."""
        path, lines, start, end = self.found(id_)
        above = MARK.search(lines[start - 1]) if start else None
        if end - start > 1 or not above or not lines[start - 1].startswith("- ") or above[1] in self.mine:
            return
        if above[1] not in self.want or any(MARK.search(text) for text in (self.want[id_], self.want[above[1]])):
            return
        lines[start - 1 : end] = [f"{lines[start - 1].rstrip()} {lines[start].lstrip()[2:]}"]
        self.save(path, lines)
        self.mine[id_] = f"{self.want[above[1]]} {self.want[id_]}"
        self.mine[above[1]] = ""
        for number in re.findall(r"n\d+n", self.want[above[1]]):
            self.filed.pop(number, None)
        self.said.add(self.mine[id_])

    def part(self, id_: str) -> None:
        """Split a line in two; the comment stays with the second half."""
        path, lines, start, end = self.found(id_)
        words = self.want[id_].split(" ")
        if end - start > 1 or len(words) < 4 or MARK.search(self.want[id_]):
            return
        if not path.read_bytes().decode().removeprefix("\ufeff").startswith("---"):
            return
        tail = "\r" if lines[start].endswith("\r") else ""
        head, rest = " ".join(words[:2]), " ".join(words[2:])
        for number in re.findall(r"n\d+n", head):
            self.filed.pop(number, None)  # it moves to a new statement
        if re.match(r"[-*+#]|\d+[.)]|--", rest):
            return
        lines[start:end] = [f"- {head}{tail}", f"- {rest} <!-- evolore:{id_} -->{tail}"]
        self.save(path, lines)
        self.mine[id_] = shown_text(rest)
        self.fresh.append(shown_text(head))
        self.said |= {shown_text(rest), shown_text(head)}

    def whole_file(self) -> None:
        """Rename, split or save a file anew, or write a note into it."""
        paths = self.files()
        if not paths:
            return
        path = self.random.choice(paths)
        content = path.read_bytes().decode()
        match self.random.randrange(6):
            case 0:
                path.rename(path.with_name(f"renamed {self.number}.md"))
            case 1:
                text = content if "\r\n" in content else content.replace("\r", "").replace("\n", "\r\n")
                path.write_bytes(text.encode())
            case 2:
                path.write_bytes(("\ufeff" + content.removeprefix("\ufeff")).encode())
            case 3:
                path.write_bytes(content.rstrip("\r\n").encode())
            case 4:
                lines = content.split("\n")
                heads = [place for place, line in enumerate(lines) if line.startswith("## ")]
                if heads:
                    half = self.random.choice(heads)
                    front = re.match(r"\ufeff?(---\r?\n.*?\n---\r?\n|)", content, re.DOTALL) if self.fresh else None
                    half_path = path.with_name(f"half {self.number}.md")
                    self.save(half_path, ((front[1] if front else "") + "\n".join(lines[half:])).split("\n"))
                    self.save(path, lines[:half])
            case _:
                self.number += 1
                self.notes.append(NOTE.format(self.number))
                newline = "\r\n" if "\r\n" in content else "\n"
                path.write_bytes(f"{content.rstrip()}{newline * 2}{self.notes[-1]}{newline}".encode())
        self.number += 1

    def merge(self) -> None:
        """Edit a file on two branches, and have git merge it; where it cannot, both sides are kept."""
        paths = [one for one in self.files() if len(self.free(one)) > 1]
        if not paths:
            return
        path = self.random.choice(paths)
        base = path.read_bytes()
        first, second = self.random.sample(self.free(path), 2)
        with TemporaryDirectory() as made:
            names = [Path(made, name) for name in ("ours", "base", "theirs")]
            names[1].write_bytes(base)
            for name, id_ in ((names[0], first), (names[2], second)):
                path.write_bytes(base)
                self.edit(id_) if self.random.random() < 0.8 else self.delete(id_)
                name.write_bytes(path.read_bytes())
            paths = [str(one) for one in names]
            done = subprocess.run(["git", "merge-file", "-p", *paths], capture_output=True, check=False)
            if done.returncode:  # beside each other: a person takes one branch
                path.write_bytes(names[0].read_bytes())
                self.said.discard(self.mine.pop(second))
                self.marked = done.stdout, path
            else:
                path.write_bytes(done.stdout)

    def free(self, path: Path) -> list[str]:
        """Return what of a file was not edited since."""
        found = MARK.findall(path.read_bytes().decode())
        return [one for one in found if one in self.want and one not in self.mine and found.count(one) == 1]

    def found(self, id_: str) -> tuple[Path, list[str], int, int]:
        """Return where a statement is, which must be in a file."""
        place = self.place(id_)
        assert place is not None, f"{self.want.get(id_)!r} is in no file"
        return place

    # Edits of the store

    def correct(self, id_: str) -> None:
        """Correct a statement in the store."""
        text = self.text()
        before = re.findall(r"n\d+n", self.want[id_])
        if before and before[-1] in self.filed:
            self.filed[f"n{self.number}n"] = self.filed[before[-1]]
        done = self.memory.correct(id_, text)
        assert done.statement is not None
        self.theirs[id_] = shown_text(text)
        self.undoable.append((done.event_ids[0], done.statement.id, id_))
        self.retired.add(id_)
        self.late[done.statement.id] = shown_text(text)

    def retire(self, id_: str) -> None:
        """Retire a statement in the store."""
        done = self.memory.correct(id_)
        self.theirs[id_] = ""
        self.undoable.append((done.event_ids[0], "", id_))
        self.retired.add(id_)

    def forget(self, id_: str) -> None:
        """Erase a statement."""
        self.memory.forget(id_)
        self.theirs[id_] = ""
        self.said.discard(self.want[id_])

    def undo(self) -> None:
        """Take back what was done before the last mirroring."""
        if not self.undoable:
            return
        event, new, old = self.undoable.pop(self.random.randrange(len(self.undoable)))
        if (new and (new not in self.want or new in self.theirs)) or old in self.want or old in self.theirs:
            return
        episode = self.shown(old)
        if episode is None:
            return
        try:
            self.memory.undo(event)
        except mirroring.InvalidValue:  # what was concluded since depends on it
            return
        self.retired.discard(old)
        if new:
            self.theirs[new] = ""
            self.retired.add(new)
        self.late[old] = shown_text(episode.text)

    def shown(self, id_: str) -> Episode | None:
        """Return a statement in any state; None where it was erased."""
        try:
            found = self.memory.show(id_)
        except mirroring.NotFound:
            return None
        assert isinstance(found, Episode)
        return found

    # Turns

    def turn(self, count: int) -> None:
        """Edit at random, files and store."""
        self.mine: dict[str, str] = {}
        self.theirs: dict[str, str] = {}
        self.late: dict[str, str] = {}
        self.fresh: list[str] = []
        self.marked: tuple[bytes, Path] | None = None
        undoable = self.undoable
        self.undoable = []
        for _ in range(count):
            self.edits += 1
            ids = [id_ for id_ in self.want if id_ not in self.mine]
            theirs = [id_ for id_ in self.want if id_ not in self.theirs]
            pick = self.random.random()
            if pick < 0.12:
                self.add()
            elif pick < 0.2:
                self.whole_file()
            elif pick < 0.24:
                self.merge()
            elif pick < 0.6 and ids:
                kinds: list[Callable[[str], None]] = [self.edit] * 6 + [self.delete] * 2 + [self.move] * 4
                kinds += [self.strip, self.copy, self.nest, self.join, self.part]
                self.random.choice(kinds)(self.random.choice(ids))
            elif pick < 0.75 or not theirs:
                self.keep_late(self.remember)
            elif pick < 0.8:
                old, self.undoable = self.undoable, undoable
                self.undo()
                undoable, self.undoable = self.undoable, old
            else:
                kinds = [self.correct] * 4 + [self.retire, self.forget]
                self.random.choice(kinds)(self.random.choice(theirs))
        self.undoable += undoable

    def keep_late(self, run: Callable[[], None]) -> None:
        """Do what adds a statement that no file shows yet."""
        before = dict(self.want)
        run()
        self.late |= {id_: text for id_, text in self.want.items() if id_ not in before}
        self.want = before

    def expected(self) -> tuple[Counter[str], Counter[str]]:
        """Return the texts that must hold now, and those that must be asked about."""
        hold, ask = Counter(self.fresh), Counter[str]()
        for id_, text in self.want.items():
            mine, theirs = self.mine.get(id_, text), self.theirs.get(id_)
            if theirs is None:
                hold[mine] += bool(mine)
            elif mine not in {text, "", theirs}:
                ask[mine] += 1
        hold.update(self.late.values())
        return hold, ask

    def mirror(self) -> Mirrored:
        """Mirror, where wanted after a call that was cut off."""
        if self.kill:
            self.cut_off()
        return mirror(self.memory, self.folder, per=self.per, yes=True)

    def cut_off(self) -> None:
        """Mirror, and be cut off at a random write, of the store or of a file, before it or after."""
        left = self.random.randrange(12)

        def once(run: Callable[..., object]) -> Callable[..., object]:
            def cut(*given: object, **named: object) -> object:
                nonlocal left
                left -= 1
                if left == 0:
                    raise Cut
                done = run(*given, **named)
                left -= 1
                if left == 0:
                    raise Cut
                return done

            return cut

        replace_file = mirroring.replace_file
        names = ("correct", "remember")
        try:
            mirroring.replace_file = once(replace_file)
            for name in names:
                setattr(self.memory, name, once(getattr(self.memory, name)))
            mirror(self.memory, self.folder, per=self.per, yes=True)
        except Cut:
            pass
        finally:
            mirroring.replace_file = replace_file
            for name in names:
                delattr(self.memory, name)

    def check(self) -> None:
        """Mirror, and compare."""
        if self.marked and self.marked[1].exists():
            self.check_marked(*self.marked)
        hold, ask = self.expected()
        self.real += ask.total()
        done = self.mirror()
        self.retired |= {id_ for id_, text in self.mine.items() if not text}
        conflicts = [one for one in done.steps if one.deed is MirrorDeed.CONFLICT]
        left = [one for one in done.steps if one.deed is MirrorDeed.LEFT]
        self.asked += len(conflicts) + len(left)
        held = self.held()
        if not self.integrate:
            self.compare("held in the store", Counter(shown_text(one.text) for one in held.values()), hold)
            if not self.kill:  # what a cut-off call wrote is not asked about again
                self.compare("asked", Counter(one.text for one in conflicts), ask)
        self.beside |= set(ask)
        self.compare_files(held)
        self.want = {id_: shown_text(one.text) for id_, one in held.items()}
        self.compare_filed(held)
        if self.integrate:
            self.check_laws()
        if left:
            self.faults.append(f"left alone: {left[0]}")
        now = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in self.files()}
        events = self.memory.stats().events
        again = mirror(self.memory, self.folder, per=self.per)
        if again.steps or again.files or self.memory.stats().events != events:
            self.faults.append(f"the second call does something: {again.steps[:2]} {again.files}")
        if now != {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in self.files()}:
            self.faults.append("the second call writes")
        self.settle()

    def check_marked(self, marked: bytes, path: Path) -> None:
        """A file with marks of an unfinished merge is left alone, and nothing is retired."""
        good = path.read_bytes()
        path.write_bytes(marked)
        try:
            done = mirror(self.memory, self.folder, dry_run=True, yes=True)
        finally:
            path.write_bytes(good)
        if any(one.deed is MirrorDeed.RETIRED for one in done.steps):
            self.faults.append("an unfinished merge retires statements")

    def held(self) -> dict[str, Episode]:
        """Return what holds, by id."""
        found = self.memory.list(limit=1_000_000).statements
        return {one.id: one for one in found if one.state is not EpisodeState.SUPERSEDED}

    def compare(self, what: str, found: Counter[str], wanted: Counter[str]) -> None:
        """Note a fault where two counts differ."""
        if found != wanted:
            self.faults.append(f"{what}: missing {dict(wanted - found)}, too much {dict(found - wanted)}")

    def compare_files(self, held: dict[str, Episode]) -> None:
        """Compare what files show, read by a reader of their own, with what holds."""
        contents = [path.read_bytes().decode().replace("\r\n", "\n") for path in self.files()]
        found = Counter(id_ for text in contents for id_ in MARK.findall(text) if id_ != "01kjpy46cg9r1kwjksxs72ywpk")
        self.compare("comments in files", found, Counter(list(held)))
        whole = "\n".join(contents)
        flat = re.sub(r"\n[ \t]+", "\n", whole)
        for one in held.values():
            if re.sub(r"\n[ \t]+", "\n", shown_text(one.text)) not in flat:
                self.faults.append(f"in no file: {one.text!r}")
        for text in self.beside:
            if re.sub(r"\n[ \t]+", "\n", text) not in flat:
                self.faults.append(f"the file's text of a conflict is gone: {text!r}")
        for note in self.notes:
            if whole.count(note) != 1:
                self.faults.append(f"a note is in the files {whole.count(note)} times: {note}")

    def compare_filed(self, held: dict[str, Episode]) -> None:
        """Check that corrections kept what a line does not show."""
        for one in held.values():
            numbers = re.findall(r"n\d+n", one.text)
            if not self.integrate and numbers and (wanted := self.filed.get(numbers[-1])):
                found = (one.speaker, one.session, one.tags, dict(one.metadata), one.moment.date())
                if found != wanted:
                    self.faults.append(f"filed as {found}, not as {wanted}: {one.text[:60]!r}")

    def check_laws(self) -> None:
        """Check that no text is lost, and nothing was retired that nobody retired."""
        stored = {shown_text(one.text) for one in self.everything()}
        missing = [text for text in self.said if text not in stored and text not in self.beside]
        if missing:
            self.faults.append(f"not in the store: {missing[0]!r}")
        revoked = {one.id for one in self.everything() if one.state is EpisodeState.REVOKED} - self.retired
        if revoked:
            self.faults.append(f"retired by nobody: {self.shown(min(revoked))}")

    def everything(self) -> list[Episode]:
        """List every statement, also what was merged, superseded or taken back."""
        with self.memory._context.store.read("n") as reader:  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - also what no verb lists
            return list(reader.held(limit=1_000_000))

    def settle(self) -> None:
        """Decide about some conflicts as a person does: delete the file's text, or the comment."""
        for path in self.files():
            lines = path.read_bytes().decode().split("\n")
            marked = [place for place, line in enumerate(lines) if "evolore:conflict" in line]
            if not marked or self.random.random() < 0.5:
                continue
            start = end = marked[-1]
            while not lines[start].startswith(("- ", "* ", "+ ", "\t- ", "\t* ")):
                start -= 1
            gone = re.sub(r"\n[ \t]+", "\n", "\n".join(lines[start : end + 1]).replace("\r", ""))
            del lines[start : end + 1]
            self.save(path, lines)
            away = {text for text in self.beside if re.sub(r"\n[ \t]+", "\n", text) in gone}
            self.beside -= away
            self.said -= away

    def close(self) -> None:
        """Close the store."""
        self.memory.close()


def run(folder: Path, seed: int, *, edits: int, together: int, integrate: bool = False, kill: bool = False) -> World:
    """Edit, mirror and compare until there were so many edits; return the world, with its faults."""
    world = World(folder, seed, integrate=integrate, kill=kill)
    try:
        while world.edits < edits and not world.faults:
            world.turn(world.random.randint(1, together))
            world.check()
    finally:
        world.close()
    return world


def main() -> None:
    """Run the seeds."""
    parser = command_line(__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--together", type=int, default=8)
    for name in ("integrate", "kill", "show"):
        parser.add_argument(f"--{name}", action="store_true")
    chosen = parser.parse_args()
    edits = real = needless = lost = 0
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        with TemporaryDirectory(prefix="evolore-benchmark-") as made:
            how = {"integrate": chosen.integrate, "kill": chosen.kill}
            world = run(Path(made), seed, edits=chosen.edits, together=chosen.together, **how)
            if chosen.show and world.faults:
                shutil.copytree(world.folder, "/tmp/mirror-faulty", dirs_exist_ok=True)
        edits, real, lost = edits + world.edits, real + world.real, lost + len(world.faults)
        needless += max(0, world.asked - world.real)
        print(
            f"seed {seed}: {world.edits} edits, {world.real} conflicts, {world.asked} asked", *world.faults, sep="\n  "
        )
    print(f"{edits:,} edits over {chosen.seeds} seeds: {lost} faults, {real} conflicts, {needless} asked for nothing")
    if lost or needless > MOST_ASKED:
        sys.exit(1)


if __name__ == "__main__":
    main()
