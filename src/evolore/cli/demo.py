"""``evolore demo``: what Evolore does, played on documents that come with it, offline."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text
from typer import Option

from evolore.cli.printing import open_console, print_wrapped
from evolore.cli.session import CliRun, JsonOption
from evolore.text.display import visible

if TYPE_CHECKING:
    from evolore_evaluation.evolution.demo import DemoStep

demo_app = typer.Typer(
    help="See it work on documents that come with it, offline.", no_args_is_help=True, add_completion=False
)


@demo_app.callback()
def demo() -> None:
    """See it work on documents that come with it, offline."""


@demo_app.command()
def evolution(
    store: Annotated[
        Path | None,
        Option(
            metavar="FOLDER",
            help="Keep the memory in this folder, which must not be there yet; by default it is thrown away.",
        ),
    ] = None,
    lang: Annotated[str, Option(help="What the documents are written in: `en`, `ja` or `zh`.")] = "en",
    as_json: JsonOption = False,
) -> None:
    """Play how documents improve: add, ask, rate, evolve, prove, compare, approve, ask again, roll back.

    A scripted model replaces the chat model: nothing is asked over the network, no key is needed, and your own store is
    not touched. It takes some seconds.
    """
    from evolore_evaluation.evolution.demo import play_evolution  # noqa: PLC0415 - `--help` should not pay for it

    session = CliRun(None, None, as_json)
    steps: list[DemoStep] = []
    started = monotonic()
    with session.explaining():
        for number, step in enumerate(play_evolution(store=store, language=lang), start=1):
            steps.append(step)
            if not as_json:
                render_step(number, step)
        if not as_json:
            kept = f"Look around with: evolore evolution history --store {store}" if store else "Nothing was kept."
            open_console().print(Text(f"Played in {monotonic() - started:.1f} s. {kept}"), soft_wrap=True)
        session.show({"steps": steps}, lambda: None)


def render_step(number: int, step: DemoStep) -> None:
    """Print a step of a demo."""
    console = open_console()
    console.print(Text(f"{number}. {step.name}", style="bold"))
    console.print(Text(f"   $ {visible(step.command)}", style="dim"), soft_wrap=True)
    for line in step.told:
        print_wrapped(console, Text(f"   {visible(line)}"))
    console.print()
