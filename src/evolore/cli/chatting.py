"""The command that shows whether the chat model can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from evolore.cli.session import EXIT_TRY_AGAIN, JsonOption, NamespaceOption, Session, StoreOption

if TYPE_CHECKING:
    from evolore.flows.chat_check import ChatCheck

_MICROS = 1_000_000


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(name="chat-check")(chat_check)


def chat_check(store: StoreOption = None, namespace: NamespaceOption = None, as_json: JsonOption = False) -> None:
    """Make one small call of the chat model that the settings name, and print what it said, took and cost.

    Nothing of the memory is sent. It ends with exit code 4 where there was no reply.
    """
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        found = memory.chat_check()
        session.show(found, lambda: _render(found))
        if not found.answered:
            raise typer.Exit(EXIT_TRY_AGAIN)


def _render(found: ChatCheck) -> None:
    from evolore.cli.printing import visible  # noqa: PLC0415 - `--help` need not pay for it

    usage = found.usage
    cost = f", cost {usage.cost_micros / _MICROS:.6f}" if usage.cost_micros else ""
    typer.echo(f"{visible(found.model)} {'answered' if found.answered else 'did not answer'}: {visible(found.reply)}")
    typer.echo(
        f"{found.seconds:.2f} seconds, {usage.calls} call, {usage.prompt_tokens} tokens read, "
        f"{usage.reply_tokens} written{cost}."
    )
