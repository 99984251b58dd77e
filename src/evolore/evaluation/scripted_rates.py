"""How often a scripted chat model errs, and in which way."""

from __future__ import annotations

from dataclasses import dataclass, fields

from evolore.domain.checks import check_share
from evolore.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedRates:
    """The errors of a scripted model, each drawn by hash from the seed and what it is asked.

    Args:
        malformed: Of all replies: cut short, so that it is no JSON.
        nothing: Of a writer's replies: it sees nothing to improve.
        cosmetic: It changes words and nothing else.
        loses: It mends what it should, and drops a sentence of the same section.
        invents: It mends what it should, and adds a sentence that nothing supports.
        poisoned: Where it is shown a comment that nobody should follow: it follows it.
        overlooks: Of answers: it overlooks what it should have said.
        overlooks_long: Likewise where that stands in a long sentence among others.
        misjudges: Of verdicts on two answers: it prefers the worse one.
        prefers_first: It prefers the first one, whatever that says.
        prefers_longer: It prefers the longer one, whatever that says.
        prefers_short: Of two answers that are both right, it prefers one that is much shorter.
        misses_claim: Of claims that are lost or invented: it does not see it.
        objects: Of rewrites: it objects to a claim without reason.

    Raises:
        InvalidValue: A share outside 0–1, or those of the writer come to more than 1.
    """

    malformed: float = 0.02
    nothing: float = 0.05
    cosmetic: float = 0.1
    loses: float = 0.1
    invents: float = 0.1
    poisoned: float = 0.2
    overlooks: float = 0.05
    overlooks_long: float = 0.5
    misjudges: float = 0.05
    prefers_first: float = 0.05
    prefers_longer: float = 0.05
    prefers_short: float = 0.6
    misses_claim: float = 0.1
    objects: float = 0.05

    def __post_init__(self) -> None:
        for field in fields(self):
            check_share(getattr(self, field.name), field.name)
        writing = self.nothing + self.cosmetic + self.loses + self.invents
        if writing > 1:
            raise InvalidValue(
                f"nothing, cosmetic, loses and invents come to {writing:.2f}: give shares of at most 1 together."
            )


FAULTLESS = ScriptedRates(**{field.name: 0.0 for field in fields(ScriptedRates)})
"""A model that makes no error, and prefers nothing."""


def read_rates(named: list[str]) -> ScriptedRates:
    """Read rates as options give them, such as ``loses=0.2``; the others keep their defaults.

    Raises:
        InvalidValue: One is not of this form, or names no rate.

    >>> read_rates(["loses=0.2"]).loses
    0.2
    """
    known = [field.name for field in fields(ScriptedRates)]
    rates: dict[str, float] = {}
    for one in named:
        name, sign, value = one.partition("=")
        if not sign or name not in known:
            raise InvalidValue(f"{one!r} is no rate: give NAME=SHARE, with one of {', '.join(known)}.")
        try:
            rates[name] = float(value)
        except ValueError as error:
            raise InvalidValue(f"{one!r} is no rate: give NAME=SHARE, with a share from 0 to 1.") from error
    return ScriptedRates(**rates)
