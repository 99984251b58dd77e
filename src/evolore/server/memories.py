"""The memories a server has open: one a namespace, of one store, that share models."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime
from functools import partial
from os import PathLike
from threading import Lock

from evolore.chat.budget import BudgetedChat
from evolore.config import Settings
from evolore.domain.model_server import ProxySettings
from evolore.domain.secret import SecretsPolicy
from evolore.errors import NamespaceNotFound
from evolore.flows.evolve.show import EvolutionJob
from evolore.memory import Memory
from evolore.ports import ChatModel, Clock, Embedder
from evolore.store.service import Service

MOST_OPEN = 256
"""So many memories stay open; the one that was not used for longest is let go of."""


class Memories:
    """Opens memories of a store as they are asked for; its threads may share it.

    A memory that is let go of is not closed while a request may still use it: its connections go with it.
    """

    def __init__(
        self,
        store: str | PathLike[str] | None = None,
        *,
        embedder: Embedder | str | None = None,
        chat_model: ChatModel | None = None,
        clock: Clock | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._embedder = embedder
        self._opened = partial(Memory.open, store, chat_model=chat_model, clock=clock, settings=settings)
        self._open: OrderedDict[str, Memory] = OrderedDict()
        self._lock = Lock()
        self._own = self._opened(namespace="default", embedder=embedder)

    @property
    def service(self) -> Service:
        """What the server keeps in the store."""
        return self._own._context.store.service()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - the server is of the house

    @property
    def place(self) -> str:
        """Where the store lies."""
        return str(self._own._context.store.where)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - likewise

    @property
    def maintenance_schedule(self) -> str:
        """When namespaces are maintained, as a cron line in UTC; empty for never."""
        return self._own._context.settings.maintenance.schedule  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - likewise

    @property
    def proxy(self) -> ProxySettings:
        """Where chat calls are passed on to."""
        return self._own._context.settings.proxy  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - likewise

    @property
    def secrets(self) -> SecretsPolicy:
        """What becomes of secrets in what is taken in."""
        return self._own._context.secrets  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - likewise

    def new_id(self, at: datetime) -> str:
        """Return an id, ordered by time."""
        return self._own._context.store.new_id(at)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - likewise

    def of(self, namespace: str) -> Memory:
        """Return the memory of a namespace; one that nothing was written to is empty, and kept open for no further request."""
        with self._lock:
            found = self._open.get(namespace)
            if found is None:
                found = self._opened(namespace=namespace, embedder=self._embedder)
                if not found._context.store.has(namespace):  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - likewise
                    return found
                self._open[namespace] = found
                if len(self._open) > MOST_OPEN:
                    self._open.popitem(last=False)
            self._open.move_to_end(namespace)
            return found

    def namespaces(self) -> tuple[str, ...]:
        """List the namespaces that something was written to."""
        return self._own._context.store.namespaces()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - likewise

    def evolution_jobs(self, namespace: str, *, since: datetime) -> tuple[EvolutionJob, ...]:
        """List the jobs of evolution of a namespace that changed at a time or later."""
        memory = self.of(namespace)
        context = memory._context  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - likewise
        try:
            with context.store.read(namespace) as reader:
                ids = [one.id for one in reader.jobs() if one.updated_at >= since]
        except NamespaceNotFound:
            return ()
        return tuple(memory.evolution.show(one) for one in ids)

    def share_spent(self) -> float | None:
        """Return what share of today's budget of the chat model is spent; None where there is no model or no limit."""
        model = self._own._context.chat_model  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - likewise
        return model.share_spent() if isinstance(model, BudgetedChat) else None

    def use_embedder(self, embedder: str) -> None:
        """Open memories with another embedder from now on: the store has changed to it."""
        with self._lock:
            self._embedder = embedder
            self._open.clear()

    def close(self) -> None:
        """Close them all."""
        with self._lock:
            every = [*self._open.values(), self._own]
            self._open.clear()
        for one in every:
            one.close()
