"""Conversations in English that were never held: one-line turns among friends, and long messages of a language model."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.episode import Statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BEGAN = datetime(2023, 1, 1, tzinfo=UTC)
MESSAGE = 2000
"""How long a message of a language model is, in characters."""

_WHO = (
    "I", "we", "my sister", "my brother", "our landlord", "the new manager", "Maria", "Tom Becker", "the children",
    "my neighbour", "the dentist", "Dr. Hale", "the team", "my mother", "her cousin Yuki", "the builder",
)  # fmt: skip
_DID = (
    "moved", "painted", "repaired", "sold", "bought", "cancelled", "booked", "forgot", "cleaned", "lost", "found",
    "returned", "measured", "planned", "borrowed", "finished", "couldn't find", "didn't like", "never used", "will replace",
)  # fmt: skip
_WHAT = (
    "the red bicycle", "a kitchen table", "the flight to Lisbon", "two concert tickets", "the garden fence",
    "the broken heater", "an old camera", "the birthday cake", "our internet contract", "the piano lessons",
    "a rucksack", "the tax papers", "the blue curtains", "some tomato plants", "the guest room", "a hiking map",
    "the language course", "the parking space", "a violin", "the coffee machine", "the insurance", "three bookshelves",
)  # fmt: skip
_HOW = (
    "yesterday", "last week", "in March 2021", "on 14 May", "for 950 euros", "after work", "with great care",
    "before the holidays", "at the market in Leeds", "because it was too small", "for the third time", "on Sunday",
    "near the station", "without asking anybody", "in about 25 minutes", "and was happy about it", "to save money",
)  # fmt: skip
_THEN = (
    "It was cheaper than we had expected.", "That made me a little sad.", "What do you think?", "We are so excited!",
    "It took longer than planned.", "Have you ever tried that?", "I would do it again.", "Nobody told us about the noise.",
)  # fmt: skip
_FIRST = (
    "Start by writing down", "Compare at least three offers for", "Set a reminder for", "Ask those concerned about",
    "Break down the work on", "Review every Friday", "Avoid changing", "Use version 3.11 of", "Keep 15% of the budget for",
    "Check the contract of", "Describe in one sentence", "Measure before and after", "Delegate", "Look for gaps in",
    "Never underestimate", "Automate", "Document", "Sketch a draft of", "Rank by urgency", "Test with two friends",
)  # fmt: skip
_MATTER = (
    "your monthly expenses", "the notice period", "every open task", "the login form", "your training plan",
    "the database schema", "hidden fees", "the packing list", "your weekly meals", "the error messages", "the cover letter",
    "the opening paragraph", "your savings rate", "the visa documents", "the risks of delay", "the unit tests",
    "the customer feedback", "your sleeping habits", "the seating order", "the deployment script", "an interview question",
)  # fmt: skip
_REASON = (
    "so that nothing is forgotten", "because older ones are not supported any more", "or you cannot tell what helped",
    "since prices rise in summer", "which takes about 30 minutes", "even if it feels tedious at first",
    "as long as the deadline of April 15 holds", "before anybody else does", "and adjust it where it does not hold",
    "to stay below 2,000 dollars", "until you feel confident", "and share it with your manager", "in a shared folder",
    "without spending more than 10% of your time", "while the memory is fresh", "instead of relying on luck",
)  # fmt: skip


class Talk:
    """Makes statements; the same in every run."""

    def __init__(self, seed: int = 17) -> None:
        self._random = np.random.default_rng(seed)

    def sentence(self) -> str:
        """Give a sentence of a person."""
        parts = (self._one(_WHO), self._one(_DID), self._one(_WHAT), self._one(_HOW), self._number())
        who, *rest = (part for part in parts if part)
        return f"{who[0].upper()}{who[1:]} {' '.join(rest)}."

    def line(self) -> str:
        """Give a turn of one or two sentences."""
        return self.sentence() if self._random.random() < 0.5 else f"{self.sentence()} {self._one(_THEN)}"

    def message(self) -> str:
        """Give a message of a language model, with a list under headings, of 2,000 characters."""
        parts = [f"Certainly! You said: {self.sentence()} Here is a plan that may help:"]
        while len("\n".join(parts)) < MESSAGE:
            parts.append(f"\n### Step {len(parts)}: {self._one(_WHAT).title()}")
            parts += [
                f"{place + 1}. **{self._one(_MATTER).title()}**: {self._advice()} {self._advice()}"
                for place in range(3)
            ]
        return "\n".join(parts)[: MESSAGE - 1] + "."

    def lines(self, count: int) -> Iterator[Statement]:
        """Make one-line turns of conversations of 20 turns."""
        for place in range(count):
            yield self._said(place, self.line(), session=f"talk {place // 20}", speaker=f"Person{place % 40}")

    def messages(self, count: int) -> Iterator[Statement]:
        """Make messages of a language model in chats of 10."""
        for place in range(count):
            yield self._said(place, self.message(), session=f"chat {place // 10}", speaker="assistant")

    def _said(self, place: int, text: str, *, session: str, speaker: str) -> Statement:
        at = BEGAN + timedelta(minutes=50 * place)
        return Statement(text=text, session=session, speaker=speaker, occurred_at=at)

    def _advice(self) -> str:
        return f"{self._one(_FIRST)} {self._one(_MATTER)} {self._one(_REASON)}."

    def _number(self) -> str:
        return f"and kept {int(self._random.integers(2, 400))} photos" if self._random.random() < 0.3 else ""

    def _one(self, some: Sequence[str]) -> str:
        return some[int(self._random.integers(len(some)))]
