"""What the memories of a test spent, as their stores say afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.chat import ChatUsage
from evolore.store.chat_ledger import StoredSpendLog

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from evolore.store.opening import OpenStore


class Spent:
    """Holds on to the spend logs that stores make, one a store: two of one store say the same.

    Args:
        monkeypatch: Of the test.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.logs: dict[Path, StoredSpendLog] = {}
        logs = self.logs

        class Kept(StoredSpendLog):
            def __init__(self, opened: OpenStore) -> None:
                super().__init__(opened)
                logs[opened.folder] = self

        monkeypatch.setattr("evolore.store.store.StoredSpendLog", Kept)

    @property
    def usage(self) -> ChatUsage:
        """What was spent in all of them."""
        return sum((log.spent(day) for log in self.logs.values() for day in log.days()), ChatUsage())
