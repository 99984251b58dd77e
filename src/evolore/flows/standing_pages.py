"""``pages``: keep questions answered by pages of quotes, built when they are read, so that no page outlives what it quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any, cast

from evolore.domain.answer import Answer, AnswerKind
from evolore.domain.citation import Citing, as_data, context_words
from evolore.domain.filters import Target
from evolore.domain.profile import Profile
from evolore.domain.query import Query
from evolore.domain.review import Priority, ReviewCategory, ReviewFilter, ReviewItem, ReviewStatus, cause_of
from evolore.domain.standing_page import StandingPage
from evolore.errors import NotFound
from evolore.flows.answer import drafted
from evolore.flows.browse import complete
from evolore.flows.context import Context
from evolore.flows.forget import forget
from evolore.flows.profile import profile
from evolore.ports import ChangeKind, Receipt
from evolore.store.reading import StoreReader
from evolore.text.scripts import detect_language

_HITS, _PROFILE_TOKENS = 12, 1_000
_BEARS = 0.5
"""What is less likely relevant is left out, and silence is an answer. Of everyday facts asked for in other words, .70 are above it
in English, .50 in Japanese, .64 in Chinese; of 40 facts of somebody else, one is with .28, .05 and .25 of the questions."""
_NEWS = 0.9
"""What is new and less likely relevant makes no page stale: of the same facts .55, .49 and .57 would; of somebody else's 40 one
does to .15, .01 and .09 of the pages (.28, .05 and .25 at .5)."""
_MOST_SUBJECTS, _MOST_SPEAKERS = 2, 10_000
_CHANGES = (*(kind.value for kind in ChangeKind if kind is not ChangeKind.CONFIDENCE_CHANGED), "erased")


def add(context: Context, question: str) -> StandingPage:
    """Keep a question answered; one that is asked already is its page."""
    asked = context.screen(" ".join(Query.of(question).text.split()), "question", of="The page")
    item = ReviewItem(
        category=ReviewCategory.PAGE,
        reason=asked,
        priority=Priority.LOW,
        language=detect_language(asked),
        cause=cause_of(ReviewCategory.PAGE, asked.casefold()),
    )
    with context.store.write(context.namespace, principal=context.principal) as writer:
        known = tuple(id_ for id_, one in _items(writer).items() if one.cause == item.cause)
        (id_,) = known or writer.file_review_items([item], at=context.clock.now())
    return rebuild(context, id_)


def pages(context: Context) -> tuple[StandingPage, ...]:
    """List the pages, the oldest first."""
    with context.store.read(context.namespace) as reader:
        items = _items(reader)
    return tuple(_page(context, one) for _, one in sorted(items.items()))


def show(context: Context, page_id: str) -> StandingPage:
    """Build a page from what is remembered now; a chat model is not asked."""
    return _page(context, _item(context, page_id))


def rebuild(context: Context, page_id: str) -> StandingPage:
    """Answer a page's question anew, by the chat model where there is one, and note what it rests on."""
    item, at = _item(context, page_id), context.clock.now()  # what is said while it is written is news
    said = drafted(context, _query(item))
    seen: dict[str, Any] = {"rests_on": _rests_on(said, _profiles(context, item, said)), "reason": said.reason}
    with context.store.write(context.namespace, principal=context.principal) as writer:
        item = _items(writer).get(item.id or "")
        if item is None:
            raise NotFound(f"The page {page_id!r} was removed meanwhile.")
        written = replace(said, id=writer.new_id())
        if said.kind is AnswerKind.WRITTEN and writer.put_answer(written, at=at):
            seen["answer"] = written.id
        writer.set_review_status(item.id or "", ReviewStatus.RESOLVED, note=json.dumps(seen), at=at)
    _erase_answer(context, item)
    return show(context, item.id or "")


def remove(context: Context, page_id: str) -> Receipt:
    """Erase a page."""
    item = _item(context, page_id)
    _erase_answer(context, item)
    return forget(context, Target(item_id=item.id))


def _erase_answer(context: Context, item: ReviewItem) -> None:
    answer_id = _seen(item).get("answer")
    with context.store.read(context.namespace) as reader:
        is_there = isinstance(answer_id, str) and reader.answer(answer_id) is not None
    if is_there:  # else it went with what it cites
        with suppress(NotFound):
            forget(context, Target(item_id=answer_id))


def _items(reader: StoreReader) -> dict[str, ReviewItem]:
    return {one.id or "": one for one in reader.review_items(ReviewFilter(category=ReviewCategory.PAGE))}


def _item(context: Context, page_id: str) -> ReviewItem:
    with context.store.read(context.namespace) as reader:
        items = _items(reader)
    unknown = f"No standing page has the id {page_id!r} here: `evolore page list` shows the ids."
    return items[complete(page_id, lambda begun: tuple(id_ for id_ in items if id_.startswith(begun)), unknown=unknown)]


def _query(item: ReviewItem) -> Query:
    return Query.of(item.reason, limit=_HITS, least=_BEARS, expand=False)


def _seen(item: ReviewItem) -> dict[str, Any]:
    """Return what a page rested on when it was rebuilt last, and the id of what a chat model wrote then."""
    with suppress(ValueError):
        read = json.loads(item.note or "")
        return cast("dict[str, Any]", read) if isinstance(read, dict) else {}
    return {}


def _page(context: Context, item: ReviewItem) -> StandingPage:
    seen, said = _seen(item), drafted(replace(context, chat_model=None), _query(item))
    rebuilt_at = item.resolved_at or item.created_at
    assert rebuilt_at is not None
    profiles = _profiles(context, item, said)
    rests_on, news = _rests_on(said, profiles), _rests_on(said, profiles, least=_NEWS)
    before = frozenset[str](seen.get("rests_on", ()))
    with context.store.read(context.namespace) as reader:
        written = reader.answer(seen["answer"]) if "answer" in seen else None
        told = chain(*reader.histories(before, kinds=_CHANGES).values())
        new = reader.episodes([one for one in news if one not in before])
        times = [one.recorded_at for one in (*new, *told) if one.recorded_at > rebuilt_at]
        there = [one for one in reader.episodes(sorted(before)) if one.document_id is None or one.valid_to is None]
    is_stale = bool(times) or len(there) < len(before)
    answer = said if written is None or is_stale else replace(written, recall=said.recall)
    return StandingPage(
        id=item.id or "",
        question=item.reason,
        text=_text(item, answer, profiles),
        kind=answer.kind,
        rests_on=rests_on,
        rebuilt_at=rebuilt_at,
        is_stale=is_stale,
        stale_since=min(times, default=None),
        reason=seen.get("reason", ""),
    )


def _profiles(context: Context, item: ReviewItem, said: Answer) -> Mapping[str, Profile]:
    """Return what holds of the people and things that a page's question names, the longest names first."""
    with context.store.read(context.namespace) as reader:
        names = {name for name, _, _ in reader.speakers(limit=_MOST_SPEAKERS)}
    names.update(hit.episode.about[0] for hit in (said.recall.hits if said.recall else ()) if hit.episode.about)
    asked = item.reason.casefold()
    held = [
        one
        for one in names
        if one.casefold() in asked and re.search(f"(?<![a-z0-9]){re.escape(one.casefold())}(?![a-z0-9])", asked)
    ]
    chosen = sorted(held, key=lambda name: (-len(name), name))[:_MOST_SUBJECTS]
    return {name: profile(context, name, tokens=_PROFILE_TOKENS, as_of=None) for name in chosen}


def _rests_on(said: Answer, profiles: Mapping[str, Profile], *, least: float = 0.0) -> tuple[str, ...]:
    """Return what a page shows, or what of it is at least so likely relevant or told of whom its question names."""
    cited = () if least else (one.episode_id for one in said.citations)
    hits = said.recall.hits if said.recall else ()
    found = (hit.episode.id for hit in hits if hit.likelihood is None or hit.likelihood >= least)
    told = (
        one.episode_id for known in profiles.values() for one in chain(known.facts, *known.conflicts, known.statements)
    )
    return tuple(dict.fromkeys((*cited, *found, *told)))


def _text(item: ReviewItem, said: Answer, profiles: Mapping[str, Profile]) -> str:
    """Write a page: the answer, what holds of whom its question names, and the quotes with their places and marks."""
    sources = dict(sorted(_sources(item, said)))
    is_told = said.kind is not AnswerKind.NOT_IN_SOURCES or not (sources or profiles)
    parts = [f"# {item.reason}", *(["  \n".join(said.text.splitlines())] if is_told else [])]
    for name, known in profiles.items():
        more = f"\n- … (+{known.left_out})" if known.left_out else ""
        parts.append(f"## {' '.join(name.split())}\n\n{known.text}{more}")
    parts += [f"## {context_words(item.language)['sources']}"] if sources else []
    parts += ["\n".join(f"> {line}  " for line in source.splitlines()) for source in sources.values()]
    # Markdown makes neither HTML nor pictures, which would be fetched, of what others wrote.
    return "\n\n".join(parts).replace("<", "&lt;").replace("![", "&#33;[") + "\n"


def _sources(item: ReviewItem, said: Answer) -> Iterator[tuple[int, str]]:
    """Yield each quote by its number, with its place and what to know before it is believed."""
    numbers = {one.episode_id: one.number for one in reversed(said.citations)}
    hits = said.recall.hits if said.recall else ()
    last = max((one.number for one in said.citations), default=0)
    fresh = (hit.episode.id for hit in hits if hit.episode.id not in numbers)
    numbers |= {id_: number for number, id_ in enumerate(fresh, start=last + 1)}
    citing = Citing(language=item.language, namespace=said.recall.namespace if said.recall else None)
    for one in said.citations:
        yield one.number, f"[{one.number}] {one.source}\n{as_data(one.quote)}"
    for hit in hits:
        yield numbers[hit.episode.id], citing.one(replace(hit, rank=numbers[hit.episode.id]), numbers)
