"""Dates in texts and questions, in English, Japanese and Chinese."""

from __future__ import annotations

from evolore.text.dates.mentions import DATES_VERSION, MOST_PERIODS, mentioned_periods
from evolore.text.dates.questions import asked_period

__all__ = ["DATES_VERSION", "MOST_PERIODS", "asked_period", "mentioned_periods"]
