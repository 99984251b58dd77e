"""Models that the memories of a process share: one of each kind and settings, however many are open."""

from __future__ import annotations

import os
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar
from weakref import WeakValueDictionary, ref

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from types import TracebackType

P = ParamSpec("P")
Model = TypeVar("Model")


class Turns:
    """A lock by which threads take turns, and which a forked process finds free."""

    def __init__(self) -> None:
        self._lock = Lock()
        if hasattr(os, "register_at_fork"):  # not on Windows, where nothing is forked
            os.register_at_fork(after_in_child=partial(_renew, ref(self)))

    def __enter__(self) -> Self:
        self._lock.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Forget who held it: that thread is not in this process."""
        self._lock = Lock()


def _renew(turns: ref[Turns]) -> None:
    if (left := turns()) is not None:
        left.renew()


_turns = Turns()
_known: WeakValueDictionary[tuple[object, Hashable], Any] = WeakValueDictionary()
_last: dict[object, object] = {}


def shared(make: Callable[P, Model], *args: P.args, **kwargs: P.kwargs) -> Model:
    """Give the model that was made so before, or make it: the same settings give the same model.

    A model lives as long as somebody holds it, and the last one of each kind as long as the process, so that memories
    which are opened one after the other do not load it anew. It has to be safe to use from several threads.

    >>> class Model: ...
    >>> shared(Model) is shared(Model)
    True

    Args:
        make: What makes it, usually its class.
        *args: Its settings; they can be hashed.
        **kwargs: Likewise.
    """
    settings = (args, tuple(sorted(kwargs.items())))
    with _turns:
        model = _known.get((make, settings))
        if model is None:
            model = make(*args, **kwargs)
            _known[make, settings] = model
        _last[make] = model
        return model
