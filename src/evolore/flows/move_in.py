"""``move_in``: import conversations and memories of other programs as statements, each once."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from evolore.domain.episode import MAX_STATEMENT_CHARACTERS, Statement
from evolore.domain.metadata import MetadataValue
from evolore.domain.secret import SecretsPolicy, places_of
from evolore.domain.turn import MovedIn, Turn, Unread
from evolore.flows.browse import conversation
from evolore.flows.context import Context
from evolore.flows.remember.remember import remember
from evolore.text.secret_signs import named_tags, screened

_ID, _TITLE = "imported_id", "conversation"
_AT_ONCE = 100
_LONGEST = 1000


def move_in(context: Context, turns: Iterable[Turn | Unread], *, name: str, is_dry_run: bool = False) -> MovedIn:
    """Remember what an export holds, in its order, with its times, speakers and conversations.

    What was moved in before, recognised by id, is skipped: a stopped move continues where it was, and a later export of
    the same place brings what is new.
    """
    unread: list[Unread] = []
    known = statements = 0
    sessions: set[str] = set()

    def read() -> Iterable[Turn]:
        for one in (_checked(context, turn) for turn in turns):
            if isinstance(one, Unread):
                unread.append(one)
            else:
                yield one

    for session, said in groupby(read(), key=lambda one: f"{name}:{one.session}"[:_LONGEST]):
        here = {one.metadata.get(_ID) for one in conversation(context, session)}
        new: list[Statement] = []
        for turn in said:
            id_ = f"{name}:{turn.id}"[:_LONGEST]
            if id_ in here:
                known += 1
                continue
            here.add(id_)
            new.append(_statement(turn, session, id_))
        statements += len(new)
        sessions |= {session} if new else set()
        for start in range(0, 0 if is_dry_run else len(new), _AT_ONCE):
            remember(context, new[start : start + _AT_ONCE])
    return MovedIn(
        statements=statements, known=known, sessions=len(sessions), unread=tuple(unread), is_dry_run=is_dry_run
    )


def _checked(context: Context, one: Turn | Unread) -> Turn | Unread:
    """Return a turn, or why it is no statement: too long, or with a secret where those are refused."""
    if isinstance(one, Unread):
        return one
    if len(one.text) <= MAX_STATEMENT_CHARACTERS:
        if context.secrets is SecretsPolicy.REFUSE:
            texts, filed = {"text": one.text, **named_tags(one.tags)}, {**one.metadata, _TITLE: one.title}
            if found := screened(texts, filed, SecretsPolicy.KEEP, of="It")[2]:
                return Unread(place=one.id, reason=f"it seems to hold a secret: {places_of(found)}")
        return one
    return Unread(
        place=one.id, reason=f"it has {len(one.text):,} characters: at most {MAX_STATEMENT_CHARACTERS:,} are read"
    )


def _statement(turn: Turn, session: str, id_: str) -> Statement:
    filed: dict[str, MetadataValue] = {**turn.metadata, _ID: id_}
    if turn.title.strip():
        filed[_TITLE] = turn.title.strip()[:_LONGEST]
    return Statement(
        text=turn.text,
        occurred_at=turn.occurred_at,
        speaker=turn.speaker,
        session=session,
        metadata=filed,
        tags=turn.tags,
    )
