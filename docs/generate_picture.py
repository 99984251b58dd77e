"""Draw an assistant with and without a memory: ``python docs/generate_picture.py`` writes pictures/with-and-without.svg.

What the right column recalls comes from a run of Evolore. A scripted model plays the chat model in both columns: it
knows its messages and nothing else. A test draws the picture again and compares.
"""

# ruff: noqa: INP001 - a script beside its pages

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path

from evolore import Memory

PICTURE = Path(__file__).resolve().parent / "pictures" / "with-and-without.svg"
NOTES = (
    ("2026-03-02", "Yui is allergic to walnuts."),
    ("2026-03-02", "Our ferry leaves at 9:20."),
    ("2026-03-05", "Our ferry leaves at 9:52."),
)
ASKED_ON = "2026-03-09"
ASKED = ("What can Yui not eat?", "When does our ferry leave?")
NOTE = re.compile(r"^\[\d+\] .* · (\S+)\n(?:\(.*\)\n)?(.+)$", re.MULTILINE)

SECONDS = 12.0
APPEARS = (2.4, 3.2, 4.2, 5.4, 6.4, 8.0, 9.0)
"""When each line of the talk appears; until then the picture holds the whole talk and fades."""
HOLDS, FADED = 1.9, 2.3
WIDTH, COLUMN, GAP, TOP = 900, 436, 28, 52
FONT, LINE, PADDING, ROW_GAP = 21, 27, 14, 8
CHARACTERS = 31  # of a line
NOTED = "A real run. The replies are a scripted model’s, made from what Evolore recalled."
NARROW = " fijlrtI.,:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the talk, in each column.

    Args:
        day: The day it begins, to be named; empty within a day.
        without: The line without a memory.
        recalling: The line with one.
        is_reply: Whether it is the assistant's.
        sources: Which lines the reply rests on, by their place in ``NOTES``.
    """

    day: str = ""
    without: str
    recalling: str
    is_reply: bool = False
    sources: tuple[int, ...] = ()


def talk() -> list[Line]:
    """Hold the talk twice, and return its lines."""
    lines = [
        Line(day=spoken(at) if first else "", without=text, recalling=text)
        for (at, text), first in zip(NOTES, (True, False, True), strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "chat.evolore") as memory:
        for at, text in NOTES:
            memory.remember(text, speaker="Mika", occurred_at=at)
        for place, question in enumerate(ASKED):
            known, asked = memory.recall(question, tokens=1500).as_messages()
            recalled = tuple(text for _, text in NOTE.findall(known["content"]))
            lines.append(Line(day="" if place else spoken(ASKED_ON), without=question, recalling=question))
            lines.append(
                Line(
                    without=reply([asked["content"]]),
                    recalling=reply([known["content"], asked["content"]]),
                    is_reply=True,
                    sources=tuple(number for number, (_, text) in enumerate(NOTES) if text in recalled),
                )
            )
    return lines


def reply(messages: list[str]) -> str:
    """Play a chat model that knows its messages and nothing else."""
    notes = [(f"*{spoken(at)}*", text) for at, text in NOTE.findall(messages[0])]
    match notes:
        case [(day, text)]:
            return f"{text.split()[-1].strip('.').capitalize()}: you told me on {day}."
        case [(day, text), (older, former)] if "(possibly replaced by [1])" in messages[0]:
            time, past = (one.split()[-1].strip(".") for one in (text, former))
            return f"Your notes differ: {time} on {day}, and {past} on {older}. Which one holds?"
        case _:
            return "I do not know. You have not told me in this chat."


def spoken(day: str) -> str:
    """Write a day as people do, not to be broken."""
    at = date.fromisoformat(day)
    return f"{at.day}\N{NO-BREAK SPACE}{at:%B}"


def picture() -> str:
    """Draw the talk."""
    lines = talk()
    drawn: list[str] = []
    y = TOP + 12
    tops: list[int] = []
    for place, line in enumerate(lines):
        texts = [wrapped(line.without), wrapped(line.recalling)]
        height = max(map(len, texts)) * LINE + PADDING
        if line.day and place:
            y += 10
        tops.append(y)
        drawn.append(f'<g class="a a{place}">')
        for column, text in enumerate(texts):
            left = column * (COLUMN + GAP)
            if line.day:
                drawn.append(new_day(left, y, line.day, is_first=not place))
            drawn.append(bubble(left, y, text, is_reply=line.is_reply, recalls=bool(column and line.sources)))
        drawn.extend(ring(tops[source], wrapped(NOTES[source][1])) for source in line.sources)
        drawn.append("</g>")
        y += height + ROW_GAP
    return page(y + 6, drawn)


def wrapped(text: str) -> list[str]:
    """Break a text into lines of a bubble."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if len(longer.replace("*", "")) <= CHARACTERS:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def width(lines: list[str]) -> int:
    """Return how wide a bubble is, so that DejaVu Sans fits, the widest of the usual fonts."""
    em = max(
        sum(0.34 if one in NARROW else 0.9 if one in "mwMW" else 0.63 for one in line.replace("*", ""))
        for line in lines
    )
    return round(em * FONT) + 2 * PADDING


def bubble(left: int, y: int, lines: list[str], *, is_reply: bool, recalls: bool) -> str:
    """Draw a bubble: the person's on the right of a column, the assistant's on the left."""
    wide = width(lines)
    x = left + 14 if is_reply else left + COLUMN - 14 - wide
    kind = "r" if recalls else "n" if is_reply else "p"
    box = f'<rect class="{kind}" x="{x}" y="{y}" width="{wide}" height="{len(lines) * LINE + PADDING}" rx="14"/>'
    at = x + PADDING if is_reply else x + wide // 2
    texts = "".join(
        f'<text class="t{kind}" x="{at}" y="{y + 28 + number * LINE}">{bold(line)}</text>'
        for number, line in enumerate(lines)
    )
    return box + texts


def bold(line: str) -> str:
    """Mark what is between stars."""
    return re.sub(r"\*(.+?)\*", r'<tspan class="d">\1</tspan>', escape(line, quote=False))


def ring(y: int, lines: list[str]) -> str:
    """Mark a source of a reply in the right column."""
    wide = width(lines)
    x = COLUMN + GAP + COLUMN - 14 - wide
    return f'<rect class="o" x="{x}" y="{y}" width="{wide}" height="{len(lines) * LINE + PADDING}" rx="14"/>'


def new_day(left: int, y: int, day: str, *, is_first: bool) -> str:
    """Name a day beside its first line, below a line that parts it from the day before."""
    rule = "" if is_first else f'<path class="l" d="M{left + 14} {y - 9}h{COLUMN - 28}"/>'
    names = [day] if is_first else [day, "new chat"]
    high = y + 37 - 10 * len(names)
    return rule + "".join(
        f'<text class="s" x="{left + 14}" y="{high + 20 * number}">{name}</text>' for number, name in enumerate(names)
    )


def page(height: int, drawn: list[str]) -> str:
    """Put the columns below their headings, with what moves them."""
    headings = "".join(
        f'<rect class="c{column}" x="{x + 1}" y="1" width="{COLUMN - 2}" height="{height - 2}" rx="18"/>'
        f'<text class="h h{column}" x="{x + COLUMN // 2}" y="36">{heading}</text>'
        for column, (x, heading) in enumerate(((0, "Without a memory"), (COLUMN + GAP, "With Evolore")))
    )
    note = f'<text class="s f" x="{WIDTH // 2}" y="{height + 25}">{NOTED}</text>'
    words = (
        "A person says three things, and asks about them in a new chat. Without a memory the assistant knows nothing. "
    )
    alike = "With Evolore it answers with the day, and names both where two notes differ."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height + 34}" width="{WIDTH}" height="{height + 34}" role="img"'
        f' aria-label="{words}{alike}" font-family="system-ui, Segoe UI, Roboto, Helvetica, Arial, sans-serif"'
        f' font-size="{FONT}">\n<style>{STYLE}{movement()}</style>\n{headings}\n'
        + "\n".join(drawn)
        + f"\n{note}\n</svg>\n"
    )


STYLE = """
.c0,.c1{fill:#fff;stroke:#d5dbe3;stroke-width:2}.c1{stroke:#1f5fa8}
.h{font-weight:700;text-anchor:middle}.h0,.s{fill:#566273}.h1{fill:#1f5fa8}.s{font-size:18px}.f{font-size:17px;text-anchor:middle}
.p{fill:#dbe8f8}.tp{fill:#14293f;text-anchor:middle}.n{fill:#eef0f3}.tn{fill:#566273}.r{fill:#1f5fa8}.tr{fill:#fff}.d{font-weight:700}
.o{fill:none;stroke:#1f5fa8;stroke-width:3}.l{stroke:#d5dbe3;stroke-width:2;stroke-dasharray:2 6;stroke-linecap:round}
@media (prefers-color-scheme:dark){.c0,.c1{fill:#141a22;stroke:#39424f}.c1{stroke:#8bbcf5}.h0,.s{fill:#a9b4c2}
.h1{fill:#8bbcf5}.p{fill:#24405f}.tp{fill:#e6eef8}.n{fill:#252c36}.tn{fill:#a9b4c2}.r{fill:#8bbcf5}.tr{fill:#0d1a29}
.o{stroke:#8bbcf5}.l{stroke:#39424f}}
"""


def movement() -> str:
    """Let each line appear at its time, and stay to the end; who wants no movement sees the whole talk."""
    rules = [f".a{{animation-duration:{SECONDS:g}s;animation-iteration-count:infinite}}"]
    for place, at in enumerate(APPEARS):
        held, faded, begins, shown = (
            f"{100 * moment / SECONDS:.1f}%" for moment in (HOLDS, FADED, max(at, FADED + 0.1), at + 0.4)
        )
        hidden = "opacity:0;transform:translateY(10px)"
        rules.append(
            f"@keyframes k{place}{{0%,{held}{{opacity:1;transform:none}}{faded}{{opacity:0;transform:none}}"
            f"{begins}{{{hidden}}}{shown},100%{{opacity:1;transform:none}}}}.a{place}{{animation-name:k{place}}}"
        )
    return "\n".join([*rules, "@media (prefers-reduced-motion:reduce){.a{animation:none}}", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
