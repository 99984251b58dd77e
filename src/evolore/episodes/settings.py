"""Settings of the life of episodes: when they become one, when they are split, what maintenance does by itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import isclose

from evolore.domain.checks import check_above_zero, check_count, check_least, check_share, checked_word
from evolore.domain.filters import ExpiryRule
from evolore.errors import InvalidValue

_FEWEST_PARTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeSettings:
    """When an episode is split; the defaults are the seed's."""

    conflict_threshold: float = 0.7  #: An episode whose conflict reaches this is split, 0–1.
    min_connections: int = 3  #: What has fewer neighbours is never split, at least 1.
    max_splits: int = 3  #: Into how many parts an episode is split at most, at least 2.
    split_decay: float = 0.8  #: What a part keeps of the confidence of the whole, 0–1.
    #: The shares of the semantic, directional and cluster conflict of a long or merged episode in their sum, at least 0
    #: each, 1 together. A short note is cut by a product of the three, which they do not change.
    conflict_weights: tuple[float, float, float] = (0.5, 0.3, 0.2)
    own_share: float = 0.7  #: The share of a part's own text in its vector, 0–1; the rest is that of its neighbours.
    auto_split_enabled: bool = True  #: Whether episodes are split at all.
    candidate_characters: int = 500  #: A text of at least so many characters may be split, at least 1.
    merges_first: int = 5  #: What was merged so often may be split at any length, at least 1.

    def __post_init__(self) -> None:
        shares = {name: getattr(self, name) for name in ("conflict_threshold", "split_decay", "own_share")}
        check_share(**shares, **dict(zip(("semantic", "directional", "cluster"), self.conflict_weights, strict=True)))
        if not isclose(sum(self.conflict_weights), 1.0, abs_tol=1e-6):
            raise InvalidValue(f"conflict_weights is {self.conflict_weights}: name three shares that sum to 1.")
        for name in ("min_connections", "max_splits", "candidate_characters", "merges_first"):
            check_count(getattr(self, name), name)
        if self.max_splits < _FEWEST_PARTS:
            raise InvalidValue(
                f"max_splits is {self.max_splits}: use at least {_FEWEST_PARTS}, or switch splitting off "
                "with auto_split_enabled."
            )


class Conclude(StrEnum):
    """What the wording of a statement may change of older ones."""

    SURE = "sure"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationSettings:
    """When statements merge and when they are linked."""

    enabled: bool = True  #: Whether what is remembered is integrated at all; else it is only kept beside the rest.
    #: ``"sure"``: what a statement says in words of an older one, that it was wrong, takes its place; what only seems
    #: to replace or contradict it is marked so. ``"nothing"``: no wording changes or marks anything. Explicit keys,
    #: persons and chat models decide either way, and each decision can be undone.
    conclude: Conclude = Conclude.SURE
    #: Whether the chat model, where there is one, is asked what statements state: one call for up to 24 statements that
    #: are remembered at once.
    extract_keys: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "conclude", checked_word(Conclude, self.conclude, "conclude"))


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceSettings:
    """What maintenance does by itself."""

    #: When `serve` maintains each namespace, as a cron line in UTC; empty for never. `watch` maintains once a day, unless
    #: it is empty. A schedule of the server of the kind `maintain` replaces it for its namespace.
    schedule: str = "0 3 * * *"
    auto_calibrate: bool = True  #: Whether calibrations are found again where texts have grown by half.
    prune_enabled: bool = False  #: Whether statements that little speaks for are taken out of sight.
    prune_unused_days: int = 180  #: After how many days in which nothing happened to them, at least 1.
    #: How many days they can be brought back, at least 1; then they are forgotten for good.
    prune_retention_days: int = 30
    #: How many calls of the chat model, where there is one, one `maintain` may take to read again what was cut hard, and
    #: as many to compare documents, at least 0; with 0 none.
    review_calls: int = 4
    #: After how many days events are condensed in the log that had no result, or whose results were all forgotten;
    #: above 0.
    log_days: float = 180

    def __post_init__(self) -> None:
        check_least(0, review_calls=self.review_calls)
        check_count(self.prune_unused_days, "prune_unused_days")
        check_count(self.prune_retention_days, "prune_retention_days")
        check_above_zero(log_days=self.log_days)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionSettings:
    """What `maintain` erases because it is over; nothing by default. Documents stay."""

    #: Statements that are older, by when they happened or, where that is unknown, were recorded; above 0. With none,
    #: nothing is erased.
    days: float | None = None
    tag: str | None = None  #: Only those with this tag.
    session: str | None = None  #: Only those of this conversation.
    #: Whether questions of that age go too, with their answers and ratings; not together with a tag or a session, which
    #: they do not have.
    questions: bool = False

    def __post_init__(self) -> None:
        self.rule()

    def rule(self) -> ExpiryRule | None:
        """Return what is over; None where nothing ever is."""
        if self.days is None:
            return None
        return ExpiryRule(older_than_days=self.days, tag=self.tag, session=self.session, questions=self.questions)
