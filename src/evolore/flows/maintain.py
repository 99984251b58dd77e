"""``maintain``: what changed is looked at again, a little at a time: merged, split, linked, and asked about."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from evolore.domain.checks import check_count
from evolore.errors import InvalidValue, StoreBusy
from evolore.flows.calibrate import calibrate_if_due
from evolore.flows.likeness import Likeness
from evolore.flows.planning import Planner
from evolore.flows.pruning import prune
from evolore.flows.world import World
from evolore.flows.writing_plans import write_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from evolore.flows.calibrate import Calibrated
    from evolore.flows.context import Context
    from evolore.flows.planning import Action, Steps

_TASK = "integrate"
_SLICE = 16
"""How many episodes are looked at before what was found is written."""

_ATTEMPTS = 4
DEFAULT_ITEMS = 1000
