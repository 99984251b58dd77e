"""Whether principals are split between two texts as told; where they are not, something else decides who sees what."""

from __future__ import annotations

from math import erfc, exp, lgamma, log, log1p, sqrt

_EXACT_UP_TO = 1_000


def sample_ratio_p(canary: int, total: int, share: float) -> float:
    """Give the two-sided p of a split: exact (binomial) up to 1,000 principals, chi-square of one degree above.

    It holds for one look at a number set beforehand; `sample_ratio_evidence` is for looking all the time.

    Args:
        canary: How many principals see the new text.
        total: How many there are.
        share: Which share should, above 0 and below 1.
    """
    if total > _EXACT_UP_TO:
        return erfc(sqrt((canary - total * share) ** 2 / (2 * total * share * (1 - share))))
    seen = _log_binomial(canary, total, share)
    # What is as likely but for rounding counts as as likely.
    every = (_log_binomial(count, total, share) for count in range(total + 1))
    return min(1.0, sum(exp(one) for one in every if one <= seen + 1e-9))


def sample_ratio_evidence(canary: int, total: int, share: float) -> float:
    """Give the evidence that the split is not as told: the mean likelihood of all shares over that of the one told.

    Where it is as told, this ever reaches ``1/alpha`` with probability at most alpha, so one may look after every
    principal.
    """
    control = total - canary
    mixed = lgamma(canary + 1) + lgamma(control + 1) - lgamma(total + 2)
    told = canary * log(share) + control * log1p(-share)
    try:
        return exp(mixed - told)
    except OverflowError:
        return float("inf")


def _log_binomial(count: int, total: int, share: float) -> float:
    ways = lgamma(total + 1) - lgamma(count + 1) - lgamma(total - count + 1)
    return ways + count * log(share) + (total - count) * log1p(-share)
