"""``remember``: statements are embedded and written in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.episodes import Statement
from evolore.errors import InvalidValue
from evolore.flows.keys import keys_of
from evolore.ports import IndexedText, NewStatement
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evolore.domain.episodes import Episode
    from evolore.flows.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What ``remember`` did.

    Args:
        episodes: One for each statement, in their order.
    """

    episodes: tuple[Episode, ...]


def remember(context: Context, statements: Iterable[Statement]) -> Remembered:
    """Remember statements; all of them, or none when one cannot be.

    Statements of one session become neighbours, in the order given, behind what the session holds already.
    """
    new = [_prepare(context, statement) for statement in statements]
    if not new:
        return Remembered(episodes=())
    with context.store.write(context.namespace, principal=context.principal) as writer:
        return Remembered(episodes=writer.put_statements(new, at=context.clock.now()))


def _prepare(context: Context, statement: Statement) -> NewStatement:
    if not isinstance(statement, Statement):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
        raise InvalidValue(f"{statement!r} is not a statement: give Statement(text=…).")
    language = detect_language(statement.text)
    item = IndexedText(
        text=statement.text, language=language, speaker=statement.speaker, occurred_at=statement.occurred_at
    )
    # One at a time: a batch's vectors differ in the last digits, and the same words must give the same decisions.
    (keys,) = keys_of(context, [item])
    return NewStatement(statement=statement, language=language, keys=keys)
