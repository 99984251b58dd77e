"""``serve``: the API, background work and the pages, in one process; and its keys."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from evolore.cli.session import CliRun
from evolore.domain.checks import checked_word
from evolore.domain.times import read_moment
from evolore.errors import InvalidValue, MissingExtra

if TYPE_CHECKING:
    from evolore.server.memories import Memories
    from evolore.store.service import ApiKey


def serve(
    session: CliRun,
    host: Annotated[str, Option(help="Where to listen; without any key only this machine itself.")] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="On which port; 0 for any that is free.")] = 8765,
    rate: Annotated[str, Option(help="How often a key may ask, such as 600/minute.")] = "600/minute",
    address: Annotated[str, Option(metavar="URL", help="Where people reach the server, for links in messages.")] = "",
    private_webhooks: Annotated[
        bool, Option("--private-webhooks", help="Send to webhooks within this network too, such as 10.0.0.5.")
    ] = False,
    add_from: Annotated[
        list[Path] | None,
        Option(metavar="FOLDER", help="Allow jobs to add files of this folder of the machine. May be repeated."),
    ] = None,
    fetch_addresses: Annotated[
        bool, Option("--fetch-addresses", help="Allow jobs to add pages at public http:// and https:// addresses.")
    ] = False,
    log: Annotated[str, Option(help="How requests are logged on standard error: json or off.")] = "off",
) -> None:
    """Serve the API, background work and the pages of a store, in one process, until it is stopped."""
    with _memories(session) as memories:
        from evolore.server.app import create_app  # noqa: PLC0415 - an extra, and `--help` should not pay for it
        from evolore.server.observation import LogForm  # noqa: PLC0415 - likewise
        from evolore.server.reach import Reach  # noqa: PLC0415 - likewise
        from evolore.server.running import run  # noqa: PLC0415 - likewise
        from evolore.store.service import ApiKey  # noqa: PLC0415 - likewise

        has_keys = memories.service.count(ApiKey) > 0
        if not has_keys and not _is_loopback(host):
            raise InvalidValue(
                f"--host is {host}, and there is no key yet: make one with `evolore server key`, or listen on 127.0.0.1, "
                "where only this machine asks."
            )
        reached = Reach(
            add_from=tuple(add_from or ()), fetch_addresses=fetch_addresses, private_webhooks=private_webhooks
        )
        form = checked_word(LogForm, log, "--log")
        app = create_app(
            memories,
            default_namespace=session.namespace or "default",
            rate=rate,
            address=address,
            reach=reached,
            log=form,
        )
        run(app, host=host, port=port, log=form)


def key(
    session: CliRun,
    label: Annotated[str, Argument(metavar="LABEL", help="Whose it is, such as `support bot`.")],
    scope: Annotated[list[str], Option("--scope", help="read, write, rate, review or admin. May be repeated.")],
    spaces: Annotated[
        list[str] | None, Option("--in", metavar="NAMESPACE", help="Only in this namespace. May be repeated.")
    ] = None,
    expires: Annotated[str | None, Option(metavar="TIME", help="When it ends, such as 2027-01-01.")] = None,
) -> None:
    """Make a key for the server, and print it: it is not shown again."""
    with _memories(session) as memories:
        from evolore.server.keys import make_key, shown_key  # noqa: PLC0415 - likewise

        at = datetime.now(UTC)
        secret, made = make_key(
            memories.service,
            id_=memories.new_id(at),
            label=label,
            scopes=scope,
            namespaces=spaces or (),
            at=at,
            expires_at=read_moment(expires, "--expires"),
        )
        session.show({**shown_key(made), "key": secret}, lambda: typer.echo(secret))


def keys(session: CliRun) -> None:
    """List the keys of the server: what they may do, where, and when they were last used."""
    with _memories(session) as memories:
        from evolore.server.keys import shown_key  # noqa: PLC0415 - likewise
        from evolore.store.service import ApiKey  # noqa: PLC0415 - likewise

        found = memories.service.find(ApiKey)
        session.show({"keys": [shown_key(one) for one in found]}, lambda: _render(found))


def revoke(
    session: CliRun,
    key_id: Annotated[str, Argument(metavar="KEY", help="The id of a key, as `keys` lists it.")],
    force: Annotated[bool, Option("--force", help="Revoke the last key that administers, too.")] = False,
) -> None:
    """Revoke a key: requests with it are refused from then on."""
    with _memories(session) as memories:
        from evolore.server.keys import revoke_key, shown_key  # noqa: PLC0415 - likewise

        gone = revoke_key(memories.service, key_id, at=datetime.now(UTC), force=force)
        session.show(shown_key(gone), lambda: typer.echo(f"{gone.prefix}… is revoked."))


@contextmanager
def _memories(session: CliRun) -> Generator[Memories]:
    """Open what the server would, and explain what goes wrong."""
    with session.explaining():
        if find_spec("fastapi") is None or find_spec("uvicorn") is None:
            raise MissingExtra('The server needs packages that are not installed. Type: pip install "evolore[server]"')
        from evolore.server.memories import Memories  # noqa: PLC0415 - likewise

        memories = Memories(session.store)
        try:
            yield memories
        finally:
            memories.close()


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _render(found: Sequence[ApiKey]) -> None:
    for one in found:
        ended = "  taken back" if one.revoked_at else f"  until {one.expires_at.date()}" if one.expires_at else ""
        used = f"used {one.used_at.date()}" if one.used_at else "never used"
        where = ", ".join(one.namespaces) or "every namespace"
        typer.echo(f"{one.id}  {one.prefix}…  {', '.join(one.scopes)}  {where}  {used}{ended}  {one.label}")
    if not found:
        typer.echo("There is no key: `evolore server key LABEL --scope read` makes one.")
