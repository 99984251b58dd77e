"""Keep the statements of a namespace as Markdown files, and take edits of the files back as corrections.

Everything goes through the verbs of a memory, so a store in PostgreSQL and a server's memory are mirrored alike. The text of
an id never changes, so the text a line was written with can be read again: a line differs from it because it was edited.
Only deletions need a record of what was written, which is kept in ``.evolore`` inside the folder.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from evolore.domain.checks import MAX_COUNT, checked_word
from evolore.domain.episode import Episode, EpisodeKind, EpisodeState
from evolore.domain.result import Result
from evolore.errors import AmbiguousId, InvalidValue, NotFound, StoreFailed, StoreUnwritable, UnreadableSource
from evolore.flows.correct import Corrected
from evolore.integrations.agents.installing import replace_file
from evolore.ports import ChangeKind
from evolore.text.sections import front_matter

if TYPE_CHECKING:
    from evolore.flows.remember.remember import Remembered
    from evolore.memory import Memory


class FilePer(StrEnum):
    """What a file of a mirror is for."""

    SPEAKER = "speaker"
    DAY = "day"


_STATE = Path(".evolore", "mirror.json")
_MANY, _FEW = 10, 2
"""More statements than ``_MANY``, or more than ``_FEW`` and a third of all, do not vanish at once without a yes."""

_COMMENT = re.compile(r"<!--[ \t]{0,9}evolore:[ \t]{0,9}([0-9a-z]+)(?: [^<>\n]{0,200})?[ \t]{0,9}-->")
_MARK = re.compile(rb"evolore:[ \t]{0,9}([0-9a-z]{20,})")
_BROKEN = re.compile(r"<!--\s{0,9}evolore|evolore:\s{0,9}[0-9a-z]{20}")
_CONFLICT = "conflict"
_ASKED = "the store changed this too: write yours into the line above and delete this one, or delete only this one"
_TAKEN = "this was {} in the store: delete the line, or only this comment to remember it anew"
_ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])( {1,4}(?=\S)|[ \t]|$)")
# A list item whose text begins with a rule, as front matter does, is no rule.
_RULE = re.compile(r"(?![-*] [-*_]{2,99}\n(?:\t|  )[ \t]*\S)(?:[-*_][ \t]{0,9}){3,99}$", re.MULTILINE)
_SHIELD = re.compile(r"\A(\\?)(?=\\*(?:[-*_][ \t]{0,9}){2,98}$)", re.MULTILINE)  # behind "- " it were a rule
_BLOCK = re.compile(r"#{1,6}(?:\s|$)|>|\||<|```|~~~|%%|(?:[-*_][ \t]{0,9}){3,99}$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,}|<!--(?!.*-->)|%%(?!.*%%))")
_MERGING = re.compile(r"^(?:<<<<<<<|>>>>>>>) ", re.MULTILINE)
_EARLIER = re.compile(r" ?" + _COMMENT.pattern)
_UNFIT = re.compile(r'[\x00-\x1f\\/:*?"<>|#^\[\]]+')

_SAID = ("occurred_at", "speaker", "session", "arousal", "about", "metadata", "tags")
_LONGEST_NAME, _UNNAMED = 50, "Statements"
_FOLLOWED = frozenset(
    {ChangeKind.MERGED, ChangeKind.SPLIT, ChangeKind.SUPERSEDED, ChangeKind.CONFLICT_SETTLED, ChangeKind.PRUNED}
    | {ChangeKind.RESTORED, "undone"}
)


class MirrorDeed(StrEnum):
    """What mirroring did about a line or a statement."""

    REMEMBERED = "remembered"
    CORRECTED = "corrected"
    RETIRED = "retired"
    WRITTEN = "written"
    REMOVED = "removed"
    CONFLICT = "conflict"
    LEFT = "left"


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorStep(Result):
    """One thing that mirroring did, or would do."""

    deed: MirrorDeed  #: What.
    place: str  #: The file below the folder, and where it is known the line.
    text: str = ""  #: The text it is about.
    statement_id: str | None = None  #: The statement, as it is shown now; of a retirement the one that was retired.
    event_id: str | None = None  #: The event that ``undo`` takes back; None where nothing is to be undone.
    reason: str = ""  #: Why a line was left alone or removed.


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirrored(Result):
    """The outcome of mirroring."""

    steps: tuple[MirrorStep, ...] = ()  #: What was done: first to the store, then to the files.
    files: tuple[str, ...] = ()  #: The files that were written, below the folder.
    statements: int = 0  #: How many statements hold.
    is_dry_run: bool = False  #: Whether nothing was changed.

    @property
    def needs_a_look(self) -> bool:
        """Whether a line was left alone, or a conflict was written."""
        return any(one.deed in {MirrorDeed.CONFLICT, MirrorDeed.LEFT} for one in self.steps)


def mirror(
    memory: Memory,
    folder: str | os.PathLike[str],
    *,
    per: FilePer | str | None = None,
    dry_run: bool = False,
    yes: bool = False,
    principal: str | None = None,
) -> Mirrored:
    """Bring the statements of a memory and the Markdown files of a folder in line, in both directions.

    An edited line becomes a correction, a new one a statement, a deleted one is retired. ``undo`` takes corrections and
    retirements back; delete a new line again to retire it. What changed in the store is written to the files. Where
    both changed, both texts stay in the file, marked. A call that was cut off is completed by the next.

    Args:
        memory: The memory; one that ``evolore.client.connect`` returned works too.
        folder: The folder; it is made if it is missing.
        per: Whether new lines go to a file a ``"speaker"`` or a ``"day"``; by default as the last time, at first a speaker.
        dry_run: Report what would be done in both directions, and change nothing.
        yes: Retire statements, or remove lines, also where many vanished at once.
        principal: On whose behalf; it is kept in the events.

    Raises:
        InvalidValue: The folder mirrors another namespace, or many statements vanished at once; nothing was changed.
        UnreadableSource: The folder cannot be read.
        StoreUnwritable: The folder cannot be written; nothing was changed.
        StoreFailed: A file could not be written, as on a full disk; run it again.
    """
    run = _Run(memory, Path(folder).expanduser().resolve(), principal, is_dry_run=dry_run)
    run.per = run.per if per is None else checked_word(FilePer, per, "per")
    run.plan(yes=yes)
    run.apply()
    files = run.write()
    return Mirrored(steps=tuple(run.steps), files=files, statements=len(run.held), is_dry_run=dry_run)


def _normal(text: str) -> str:
    """Return a text as its line shows it: no white space around, nor at ends of lines."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def _comment(id_: str) -> str:
    return f"<!-- evolore:{id_} -->"


@dataclass(slots=True, eq=False)
class _Item:
    """A list item: one statement, or what is to become one."""

    page: _Page
    lines: list[str]
    heading: str
    number: int = 0
    id: str = ""  # in its last comment; "?" where that is broken
    text: str = ""
    shown: list[tuple[str, str]] | None = None  # texts and comments instead of its lines; None for these as they are
    now: str = ""  # the statement its line shows, or one that became what it shows

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.number}"

    def read(self) -> None:
        lead, marker, space = cast("re.Match[str]", _ITEM.match(self.lines[0])).groups()
        lines = [line.rstrip("\r\n").removeprefix(lead) for line in self.lines]
        width = len(marker + space)
        indents = [min(width, len(line) - len(line.lstrip(" "))) for line in lines[1:]]
        others = [line[line.startswith("\t") or indent :] for line, indent in zip(lines[1:], indents, strict=True)]
        body = "\n".join([lines[0][width:], *others])
        if found := [*_COMMENT.finditer(body)]:
            self.id, before, after = found[-1][1], body[: found[-1].start()], body[found[-1].end() :]
            body = (before.rstrip() if after[:1].isspace() else before) + after
        elif _BROKEN.search(body):
            self.id = "?"
        self.text = _SHIELD.sub("", _normal(body))

    def __str__(self) -> str:
        if self.shown is None:
            return "".join(self.lines)
        lead, marker, _ = cast("re.Match[str]", _ITEM.match(self.lines[0])).groups()
        text = "".join(_rendered(*one, self.page.newline, lead, marker) for one in self.shown)
        return text if self.lines[-1].endswith("\n") else text.removesuffix(self.page.newline)


def _rendered(text: str, comment: str, newline: str, lead: str = "", marker: str = "-") -> str:
    first, *others = _SHIELD.sub(r"\\\1", _normal(text)).split("\n")
    lead = "" if others else lead  # nested, its first line would be taken for a part of the item above
    indent = " " * (len(marker) + 1)
    ends = [first, *(line and indent + line for line in others), indent + comment] if others else [f"{first} {comment}"]
    return f"{lead}{marker} " + "".join(line + newline for line in ends)


class _Page:
    """A Markdown file: its list items, and all else as it is; ``raw`` is None where it is to be made.

    Raises:
        UnreadableSource: It is no UTF-8, or holds an unfinished merge of git.
    """

    def __init__(self, name: str, raw: bytes | None, text: str = "") -> None:
        try:
            text = text if raw is None else raw.decode()
        except UnicodeDecodeError as error:
            raise UnreadableSource(f"it is not UTF-8 at byte {error.start:,}: save it as UTF-8") from error
        if _MERGING.search(text):
            raise UnreadableSource("it holds an unfinished merge: resolve it first")
        bare = text.removeprefix("\ufeff")
        self.name, self.raw, self.front = name, raw, front_matter(bare)
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.parts: list[str | _Item] = ["\ufeff"] if bare != text else []
        self.unlisted: dict[str, int] = {}  # ids outside of list items, with their lines
        self._parse(re.findall(r"[^\n]*\n|[^\n]+$", bare))
        self.items = [one for one in self.parts if isinstance(one, _Item)]
        for item in self.items:
            item.read()

    def _parse(self, lines: list[str]) -> None:
        heading, closing, blanks = "", lines[0].rstrip() if self.front else "", list[str]()
        item: _Item | None = None
        for number, line in enumerate(lines, start=1):
            bare = line.rstrip()
            if not closing and _is_item(bare, *lines[number : number + 1]):
                item = _Item(self, [line], heading, number)
                self.parts += [*blanks, item]
                blanks = []
            elif item and not bare:
                blanks.append(line)
            elif item and (line.startswith(("\t", "  ")) or (not blanks and _goes_on(item, bare))):
                item.lines += [*blanks, line]
                blanks = []
            else:
                closing = _closing(closing, bare) if number > 1 else closing or _closing("", bare)
                heading = heading if closing else _title(line) or heading
                self.parts += [*blanks, line]
                self.unlisted |= dict.fromkeys(_ids_in(line.encode()), number)
                item, blanks = None, []
        self.parts += blanks

    def put(self, text: str, heading: str) -> None:
        """Put a rendered statement behind the last one below a heading; the heading is made if it is missing."""
        last, newline = str(self.parts[-1]) if self.parts else "\n", self.newline
        if not last.endswith("\n"):
            end = self.parts[-1]
            (end.lines if isinstance(end, _Item) else self.parts).append(newline)
        titles = [one.heading if isinstance(one, _Item) else _title(one) for one in self.parts]
        if heading not in titles:
            self.parts += [newline if last.strip() else "", f"## {heading}{newline}"]
            titles += ["", heading]
        place = len(titles) - titles[::-1].index(heading)
        apart = [] if isinstance(self.parts[place - 1], _Item) else [newline]
        self.parts[place:place] = [*apart, _Item(self, [text], heading)]


def _title(line: str) -> str:
    return line.strip().lstrip("#").strip() if line.startswith("#") else ""


def _closing(closing: str, bare: str) -> str:
    """Return what ends the stretch that a line is in: front matter, code, or a comment over several lines."""
    if closing:
        return "" if closing in bare else closing
    fence = _FENCE.match(bare)
    return {"<": "-->", "%": "%%"}.get(fence[1][0], fence[1]) if fence else ""


def _is_item(bare: str, below: str = "") -> bool:
    """Return whether a line begins a list item: of nested ones only those that are statements by themselves."""
    marker = _ITEM.match(bare)
    return bool(marker) and not _RULE.match(f"{bare}\n{below}") and (not marker[1] or bool(_COMMENT.search(bare)))


def _goes_on(item: _Item, bare: str) -> bool:
    """Return whether a line without indentation goes on with an item: wrapped text, or its comment."""
    return bool(_COMMENT.fullmatch(bare)) or not (_COMMENT.search(item.lines[-1]) or _BLOCK.match(bare))


def _as_day(text: str) -> date | None:
    with suppress(ValueError):
        return date.fromisoformat(text)
    return None


def _ids_in(text: bytes) -> Iterator[str]:
    return (found.decode() for found in _MARK.findall(text))


def _front_text(**values: str | None) -> str:
    pairs = (f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items() if value)
    return f"---\n{''.join(pairs)}---\n"


def _read_again(name: str, value: str) -> str:
    """Return a value as it is read from front matter."""
    return front_matter(_front_text(**{name: value})).get(name, "")


class _Run:
    """One synchronisation: read both sides, decide, change the store, write the files.

    No decision is kept: a run that was cut off is decided again, and finds what was done.
    """

    def __init__(self, memory: Memory, folder: Path, principal: str | None, *, is_dry_run: bool) -> None:
        self._memory, self._folder, self._by, self._is_dry_run = memory, folder, principal, is_dry_run
        self._namespace = memory.stats().namespace
        self.per, self.steps = FilePer.SPEAKER, list[MirrorStep]()
        self._has_base, self._base = False, dict[str, str]()  # digests of what was written the last time, by id
        self._read_state()
        self._raw: dict[str, bytes] = {}  # what is in each file now
        self._mentioned = set[str]()  # ids in what is not read as items too: nothing there counts as deleted
        self._troubles: list[str] = []  # what was not read whole: nothing is retired meanwhile
        self._pages = [*self._read_pages()]
        self._items = [item for page in self._pages for item in page.items]
        self._mentioned.update(item.id for item in self._items)
        self._edits, self._new = list[_Item](), list[_Item]()
        self._gone: dict[str, None] = {}  # statements whose lines were deleted, in order
        self._conflicts, self._claimed = set[_Item](), set[str]()  # claimed: what represents lines that this run edited
        self._list()

    def _read_state(self) -> None:
        try:
            kept = json.loads((self._folder / _STATE).read_bytes())
            namespace, per, base = kept["namespace"], FilePer(kept["per"]), dict[str, str](kept["statements"])
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, ValueError, TypeError, KeyError):
            self._left(str(_STATE), "it cannot be read: what was deleted since the last time is written again")
            return
        if namespace != self._namespace:
            problem = f"the folder mirrors the namespace {namespace!r}, not {self._namespace!r}: name another folder."
            raise InvalidValue(problem)
        self._has_base, self.per, self._base = True, per, base

    def _read_pages(self) -> Iterator[_Page]:
        for path in self._paths():
            name = path.relative_to(self._folder).as_posix()
            try:
                self._raw[name] = path.read_bytes()
                page = _Page(name, self._raw[name])
            except (OSError, UnreadableSource) as error:
                self._trouble(name, str(error))
                self._mentioned.update(_ids_in(self._raw.get(name, b"")))
            else:
                self._mentioned.update(page.unlisted)
                yield page

    def _paths(self) -> Iterator[Path]:
        def refuse(error: OSError) -> None:
            raise UnreadableSource(f"{error.filename} cannot be read: {error.strerror}. Nothing was changed.")

        for where, folders, names in os.walk(self._folder, onerror=refuse if self._folder.exists() else None):
            folders[:] = sorted(one for one in folders if not one.startswith("."))
            files = {one for one in names if one.lower().endswith(".md")}
            for path in (Path(where, name) for name in [*folders, *sorted(files)]):
                if path.is_symlink() and not path.resolve().is_relative_to(self._folder):
                    self._trouble(path.relative_to(self._folder).as_posix(), "it is a link out of the folder")
                elif path.name in files and not path.is_symlink():
                    yield path

    def _list(self) -> None:
        holding = {EpisodeState.ACTIVE, EpisodeState.CONFLICT_PENDING}
        found = (one for one in self._memory.list(limit=MAX_COUNT).statements if one.state in holding)
        self.held = {one.id: one for one in sorted(found, key=lambda one: (one.moment, one.id))}
        self._known: dict[str, Episode | None] = dict(self.held)
        names = {one.speaker or "" for one in self.held.values()}
        self._speakers = {_read_again("speaker", name): name for name in names}

    def plan(self, *, yes: bool) -> None:
        """Decide what is to become of each line and of each statement without one."""
        unseen = [id_ for id_ in self.held if id_ not in self._mentioned]
        self._gone = dict.fromkeys(id_ for id_ in self._base if id_ in self.held and id_ not in self._mentioned)
        self._waiting: dict[str, list[str]] = {}  # statements without a line, by text, first those of deleted lines
        for id_ in sorted(unseen, key=lambda id_: id_ not in self._gone):
            self._waiting.setdefault(_normal(self.held[id_].text), []).append(id_)
        gone_from_both = (id_ for id_ in self._base if id_ not in self.held and id_ not in self._mentioned)
        self._lost = {self._base[id_]: id_ for id_ in gone_from_both}
        # Of several lines with one id, the unchanged one shows the statement, or else the first.
        holders = {item.id: item for item in self._items[::-1]}
        for item in self._items:
            if self._is_unchanged(item):
                holders[item.id] = item
            else:
                item.text = _normal(_EARLIER.sub(self._unless_shown, item.text))
        for item in self._items:
            is_copy = holders[item.id] is not item and not self._is_unchanged(item)
            self._plan(item, is_new=not item.id or is_copy)
        for page in self._pages:
            for id_ in sorted(page.unlisted.keys() & self.held.keys() - holders.keys()):
                reason = 'it is no list item, so it is not read: begin the line with "- ", or delete its comment'
                self._left(f"{page.name}:{page.unlisted[id_]}", reason, self.held[id_].text)
        self._check(yes=yes)

    def _is_unchanged(self, item: _Item) -> bool:
        return item.text == self._text_of(item.id) or _digest(item.text) == self._base.get(item.id)

    def _unless_shown(self, found: re.Match[str]) -> str:
        """Return an earlier comment in an item as it is, unless it is of a line that was joined with the item's."""
        return "" if found[1] in self.held or found[1] in self._base else found[0]

    def _plan(self, item: _Item, *, is_new: bool) -> None:
        if item.id == _CONFLICT or (is_new and not item.text):
            pass  # asked already, or no statement
        elif item.id and item.id not in self._base and not self._episode(item.id):
            if not self._finds(item):
                what = "its comment is broken" if item.id == "?" else "the store does not know its id"
                reason = f"{what}: mend it, or delete the comment to remember the line as new"
                self._trouble(item.place, reason, item.text)
        elif is_new and item.page.front.get("namespace") == _read_again("namespace", self._namespace):
            self._plan_new(item)
        elif is_new and any(other.id in self._base or self._episode(other.id) for other in item.page.items):
            reason = f"new lines are read in files that begin with ---, namespace: {self._namespace} and --- as lines"
            self._left(item.place, reason, item.text)
        elif not is_new:
            (self._plan_held if item.id in self.held else self._plan_outdated)(item)

    def _finds(self, item: _Item) -> bool:
        """Find the statement whose comment a line lost, or did not get yet; return whether there is one."""
        same, (speaker, _) = self._waiting.get(item.text, []), self._said(item)
        found = next((id_ for id_ in same if id_ in self._gone or self.held[id_].speaker == speaker), None)
        if found:
            same.remove(found)
            self._gone.pop(found, None)
            item.now, item.shown = found, []
        return bool(found)

    def _plan_new(self, item: _Item) -> None:
        if not self._finds(item):
            item.id = self._lost.pop(_digest(item.text), "")
            (self._plan_outdated if item.id else self._new.append)(item)

    def _plan_held(self, item: _Item) -> None:
        item.now = item.id
        if not item.text:
            self._gone[item.id] = None
            item.now, item.shown = "", []
        elif not self._is_unchanged(item):
            self._edits.append(item)

    def _plan_outdated(self, item: _Item) -> None:
        """Decide about a line whose statement does not hold any more."""
        old, heirs = self._text_of(item.id), self._heirs(item.id)
        is_same = not item.text or self._is_unchanged(item)
        copies = [id_ for id_ in heirs if id_ in self.held and self._text_of(id_) == old]
        deleted = [id_ for id_ in heirs if id_ in self._gone]
        is_put_back = is_same and item.text and self._has_base and item.id not in self._base
        if is_put_back and len(deleted) != 1:
            undo = [one.id for one in self._memory.history(item.id)[-1:] if one.kind == ChangeKind.RETIRED]
            how = f"retired: `evolore undo {undo[0]}` brings it back" if undo else "changed or merged"
            self._left(item.place, f"it was {how}; delete the comment to remember the line as new", item.text)
        elif is_put_back:
            del self._gone[deleted[0]]
            item.id = item.now = deleted[0]
            self._edits.append(item)
        elif copies and not is_same:
            item.id = item.now = copies[0]
            (self._new if copies[0] in self._mentioned else self._edits).append(item)
        else:
            item.now, item.shown = item.id, []
            if not is_same and item.text not in map(self._text_of, heirs):
                self._conflicts.add(item)

    def _check(self, *, yes: bool) -> None:
        """Refuse what looks like an accident, and retire nothing while a file cannot be read whole."""
        self._kept, of = dict(self._gone), len(self._base)  # kept: not written again, whatever becomes of them
        if self._troubles and self._gone:
            told = f"{len(self._gone)} statements are in no file; none is retired before this is mended"
            self._left(self._troubles[0], told)
            self._gone = {}
        erased = [id_ for id_ in self._base if id_ in self._mentioned and self._episode(id_) is None]
        for ids, problem in (
            ([*self._gone], "are in no file any more: bring their lines back, or add --yes to retire them"),
            (erased, "are not in the store any more: use the store they are from, or add --yes to remove their lines"),
        ):
            is_many = len(ids) > _MANY or (len(ids) > _FEW and 3 * len(ids) > of) or (ids and not self._pages)
            told = f"{len(ids)} of {of} statements {problem}. Nothing was changed."
            if is_many and not yes and not self._is_dry_run:
                raise InvalidValue(told)
            if is_many and not yes:
                self._left("", told)

    def apply(self) -> None:
        """Change the store: first retire, so that nothing is merged into what is to go."""
        if self._is_dry_run or self._gone or self._edits or self._new:
            self._prepare()
        for id_ in self._gone:
            self._do(MirrorDeed.RETIRED, self.held[id_].text, None, partial(self._memory.correct, id_))
        for item in self._edits:
            self._do(MirrorDeed.CORRECTED, item.text, item, partial(self._correct, self.held[item.id], item.text))
        for item in self._new:
            speaker, day = self._said(item)
            run = partial(self._memory.remember, item.text, speaker=speaker, occurred_at=day)
            self._do(MirrorDeed.REMEMBERED, item.text, item, run)
        if not self._is_dry_run:
            self._list()

    def _do(self, deed: MirrorDeed, text: str, item: _Item | None, run: Callable[..., Corrected | Remembered]) -> None:
        """Ask the memory, and report it; what it refuses is left as it is in the file."""
        place, id_, event_id = item.place if item else "", None, None
        try:
            done = None if self._is_dry_run else run(principal=self._by)
        except (InvalidValue, NotFound) as error:
            self._left(place, str(error), text)
            return
        if isinstance(done, Corrected):
            id_, event_id, done = done.old_id, done.event_ids[0], done.statement
        if item and done:
            id_ = item.now = done.integrated.episode_id
            self._claimed.add(id_)
            item.shown = []
        self.steps.append(MirrorStep(deed=deed, place=place, text=text, statement_id=id_, event_id=event_id))

    def _correct(self, old: Episode, text: str, *, principal: str | None) -> Corrected | Remembered:
        """Correct a statement; one that represents another line by now is left for that line, and the text is a new one."""
        now = self._episode(old.id, again=True)
        if (now and not now.stands) or old.id in self._claimed:
            said: dict[str, Any] = {name: getattr(old, name) for name in _SAID}
            return self._memory.remember(text, principal=principal, **said)
        return self._memory.correct(old.id, text, principal=principal)

    def write(self) -> tuple[str, ...]:
        """Write what holds to the files, and record it; return the files that changed."""
        placed = {item.now for item in self._items if item.shown is None}
        for item in self._items:
            if item.shown is not None:
                ids = [item.now] if item.now in self.held else self._heirs(item.now)
                fresh = [id_ for id_ in dict.fromkeys(ids) if id_ in self.held and id_ not in placed]
                placed.update(fresh)
                self._replace(item, fresh)
        for id_, one in self.held.items():
            if id_ not in placed and id_ not in self._mentioned and id_ not in self._kept:
                page, heading = self._page_for(one)
                page.put(_rendered(one.text, _comment(id_), page.newline), heading)
                self._tell(MirrorDeed.WRITTEN, page.name, one.text, id_)
        self._ask()
        contents = [(page, "".join(map(str, page.parts)).encode()) for page in self._pages]
        planned = {item.page for item in (*self._edits, *self._new)} if self._is_dry_run else ()
        changed = [(page, content) for page, content in contents if content != page.raw or page in planned]
        for page, content in changed if not self._is_dry_run else ():
            path = self._folder / page.name
            if (path.read_bytes() if path.exists() else None) != page.raw:
                self._left(page.name, "it was edited at this moment: run this again")
            else:
                self._save(path, content)
                self._raw[page.name] = content
        if not self._is_dry_run:
            self._save_state()
        return tuple(page.name for page, _ in changed)

    def _replace(self, item: _Item, ids: list[str]) -> None:
        """Show statements in a line's place, and report what the line did not say."""
        item.shown = [(self.held[id_].text, _comment(id_)) for id_ in ids]
        for id_ in ids:
            if _normal(self.held[id_].text) != item.text:
                self._tell(MirrorDeed.WRITTEN, item.place, self.held[id_].text, id_)
        if item not in self._conflicts and not ids and item.text:
            self._tell(MirrorDeed.REMOVED, item.place, item.text)

    def _ask(self) -> None:
        """Write the texts of conflicts behind what the store says, and report where they are now."""
        for item in (one for one in self._items if one in self._conflicts):
            above = "".join(map(str, item.page.parts[: item.page.parts.index(item) + 1])).removesuffix("\n")
            if not self._is_dry_run:
                item.number = above.count("\n") + 1 + bool(above)
            how = "retired or merged" if self._episode(item.now) else "forgotten"
            asked = _ASKED if item.shown else _TAKEN.format(how)
            item.shown = [*(item.shown or []), (item.text, _comment(f"{_CONFLICT} {asked}"))]
            self._tell(MirrorDeed.CONFLICT, item.place, item.text)

    def _page_for(self, one: Episode) -> tuple[_Page, str]:
        """Return the file that a statement belongs into, which is made if it is missing, and the heading."""
        speaker, day = one.speaker or "", one.moment.date().isoformat()
        key, value, heading = ("speaker", speaker, day) if self.per is FilePer.SPEAKER else ("date", day, speaker)
        heading = " ".join(heading.split()) or _UNNAMED
        text = _front_text(namespace=self._namespace, **{key: value})
        wanted = [front_matter(text).get(name) for name in ("namespace", key)]
        for page in self._pages:
            if [page.front.get(name) for name in ("namespace", key)] == wanted:
                return page, heading
        name = _UNFIT.sub("-", value)[:_LONGEST_NAME].strip(" .-") or _UNNAMED
        here = (path.name for path in self._folder.glob("*"))
        taken = {one.casefold() for one in (*here, *(page.name for page in self._pages))}
        names = (f"{name}{f' {number}' if number > 1 else ''}.md" for number in range(1, MAX_COUNT))
        self._pages.append(_Page(next(one for one in names if one.casefold() not in taken), None, text))
        return self._pages[-1], heading

    def _save_state(self) -> None:
        ids = {id_ for text in self._raw.values() for id_ in _ids_in(text)}
        held = {id_: _digest(_normal(one.text)) for id_, one in self.held.items()}
        base = {id_: held.get(id_, digest) for id_, digest in self._base.items() if id_ in ids}
        base |= {id_: digest for id_, digest in held.items() if id_ in ids or id_ in self._kept}
        kept = {"namespace": self._namespace, "per": self.per, "statements": dict(sorted(base.items()))}
        text = (json.dumps(kept, ensure_ascii=False, indent=0) + "\n").encode()
        path = self._folder / _STATE
        if not path.exists() or path.read_bytes() != text:
            self._save(path, text)

    def _prepare(self) -> None:
        """Refuse to begin where files cannot be written."""
        folders = {self._folder, *((self._folder / page.name).parent for page in self._pages)}
        if locked := [one for one in folders if one.exists() and not os.access(one, os.W_OK)]:
            raise StoreUnwritable(f"{locked[0]} cannot be written; nothing was changed. Name another folder.")

    def _save(self, path: Path, content: bytes) -> None:
        try:
            replace_file(path, content, None if path.exists() else 0o644)
            ignored = self._folder / _STATE.parent / ".gitignore"
            if not ignored.exists():
                replace_file(ignored, b"*\n", 0o644)  # what git does to the files is an edit like any other
        except OSError as error:
            raise StoreFailed(f"{path} could not be written: {error.strerror}. Mend that; run this again.") from error

    def _episode(self, id_: str, *, again: bool = False) -> Episode | None:
        if again or id_ not in self._known:
            self._known[id_] = None
            with suppress(NotFound, AmbiguousId, InvalidValue):
                found = self._memory.show(id_)
                if isinstance(found, Episode) and found.id == id_ and found.kind is EpisodeKind.STATEMENT:
                    self._known[id_] = found
        return self._known[id_]

    def _text_of(self, id_: str) -> str | None:
        found = self._episode(id_)
        return found and _normal(found.text)

    def _heirs(self, id_: str) -> list[str]:
        """Return what became of a statement, the nearest first: what it was corrected to, merged or split into."""
        found = [id_]
        for one in found:
            if one and one not in self.held and self._episode(one):
                for event in self._memory.history(one):
                    if event.kind in _FOLLOWED:
                        fresh = [other for other in event.episode_ids if other not in found]
                        found += [other for other in fresh if other in self.held] or fresh
        return found[1:]

    def _said(self, item: _Item) -> tuple[str | None, str | None]:
        """Return who said a new line, and on which day, by the file and the heading it is below."""
        front = item.page.front
        in_day = item.heading if "date" in front and item.heading in self._speakers else ""
        speaker = front.get("speaker") or in_day
        day = _as_day(front.get("date", "")) or _as_day(item.heading)
        if day == datetime.now(UTC).date():  # then it is dated as it is recorded
            day = None
        return self._speakers.get(speaker, speaker) or None, day and day.isoformat()

    def _trouble(self, place: str, reason: str, text: str = "") -> None:
        self._troubles.append(place)
        self._left(place, reason, text)

    def _left(self, place: str, reason: str, text: str = "") -> None:
        self.steps.append(MirrorStep(deed=MirrorDeed.LEFT, place=place, text=text, reason=reason))

    def _tell(self, deed: MirrorDeed, place: str, text: str, id_: str | None = None) -> None:
        self.steps.append(MirrorStep(deed=deed, place=place, text=text, statement_id=id_))
