"""The command for changes that are before some people only, and how these look on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from evolore.cli.printing import short_source
from evolore.cli.session import ByOption, CliRun
from evolore.text.display import one_line

if TYPE_CHECKING:
    from evolore.evolution.canary import ArmResult
    from evolore.flows.evolve.canary import CanaryView


def canary(
    session: CliRun,
    promotion_id: Annotated[
        str | None,
        Argument(
            metavar="PROMOTION",
            help="A promotion's id or its job's, or the beginning of either; by default all that go on.",
        ),
    ] = None,
    grow: Annotated[
        bool, Option("--grow", help="Give it to the next stage's share of people, or to everyone.")
    ] = False,
    by: ByOption = None,
) -> None:
    """Show the changes that only some people get yet: how both texts are rated, and whether more people may get them.

    A new text that is rated worse is withdrawn by itself; `evolore evolution rollback` withdraws any.
    """
    if grow and promotion_id is None:
        raise typer.BadParameter("--grow needs the canary that is meant: name it.")
    with session.memory() as memory:
        if promotion_id is None:
            found = memory.evolution.canaries()
            session.show({"canaries": found}, lambda: render_canaries(found))
            return
        one = memory.evolution.canary(promotion_id, grow=grow, principal=by)
        session.show(one, lambda: render_canaries([one]))


_MOST = 1_000_000


def render_canaries(found: Sequence[CanaryView]) -> Iterator[str]:
    """Yield canaries, a few lines each."""
    for one in found:
        standing = f"{one.percent} % (stage {one.stage} of {len(one.stages)})" if one.is_running else "over"
        yield f"{one.id}  {standing}  {', '.join(map(short_source, filter(None, one.sources)))}"
        yield from (f"  {line}" for line in _lines(one))
    if not found:
        yield "There is no canary here."


def _lines(one: CanaryView) -> Iterator[str]:
    if one.reason:
        yield one_line(one.reason)
    if one.result is not None:
        yield _arm("old text", one.result.control)
        yield _arm("new text", one.result.canary)
        yield f"evidence that the new one is worse {_number(one.result.worse_evidence)}, better {_number(one.result.better_evidence)}"
    if one.next_percent is not None:
        yield f"ready for {one.next_percent} %: evolore evolution canary {one.id} --grow"
    if one.is_running:
        yield f"withdraw it with: evolore evolution rollback {one.id} --reason …"


def _arm(name: str, arm: ArmResult) -> str:
    rated, rate = arm.rated, arm.bad_rate
    share = f"{rated.bad / rated.asked:.0%} ({rate.low:.0%} to {rate.high:.0%})" if rated.asked else "nothing yet"
    return f"{name}: {rated.bad} of {rated.asked} answers rated BAD, {share}"


def _number(evidence: float) -> str:
    return f"{evidence:.2f}" if evidence < _MOST else f"above {_MOST:,}"
