"""Settings of maintenance: what it may do by itself besides looking at what changed."""

from __future__ import annotations

from dataclasses import dataclass

from evolore.domain.checks import check_count, check_share


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceSettings:
    """What maintenance does by itself.

    Args:
        auto_calibrate: Whether calibrations are found anew where texts have grown by half.
        prune_enabled: Whether statements that little speaks for are taken out of sight.
        prune_below: The confidence, 0–1, at or below which that may happen.
        prune_unused_days: After how many days in which nothing happened to them, at least 1.
        prune_retention_days: How many days they can be brought back, at least 1; then they are forgotten for good.
    """

    auto_calibrate: bool = True
    prune_enabled: bool = False
    prune_below: float = 0.2
    prune_unused_days: int = 180
    prune_retention_days: int = 30

    def __post_init__(self) -> None:
        check_share(self.prune_below, "prune_below")
        check_count(self.prune_unused_days, "prune_unused_days")
        check_count(self.prune_retention_days, "prune_retention_days")
