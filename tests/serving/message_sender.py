"""A process that sends one message, and dies before it writes so: ``python -m serving.message_sender STORE``."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from evolore.server import notifications
from evolore.server.delivery import TargetKind, send_webhook
from evolore.server.notifications import Notifications
from serving.memories import Hands, memories_of

if TYPE_CHECKING:
    from datetime import datetime

    from evolore.server.delivery import Letter
    from evolore.store.service import Receiver


def hang(target: Receiver, letter: Letter, *, at: datetime, is_private_allowed: bool) -> None:
    send_webhook(target, letter, at=at, is_private_allowed=is_private_allowed)
    sys.stdout.write("there\n")
    sys.stdout.flush()
    Event().wait()


def main() -> None:
    clock = Hands()
    clock.move(seconds=31)
    notifications._SENDERS = {TargetKind.WEBHOOK: hang}
    with memories_of(Path(sys.argv[1]), clock=clock) as memories:
        Notifications(memories, now=clock, private_webhooks=True).send_next()


if __name__ == "__main__":
    main()
