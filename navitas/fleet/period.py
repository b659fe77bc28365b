"""A period of time to which a fleet's results are restricted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from navitas.base.errors import UsageError

_EVER_S = 1 << 40


@dataclass(frozen=True, slots=True)
class Period:
    """From `since_s` to before `until_s` (Unix time). The default is all time."""

    since_s: int = 0
    until_s: int = _EVER_S

    @classmethod
    def parse(cls, since: str | None, until: str | None) -> Period:
        """From two dates or times of ISO 8601, in UTC without a zone. Raises `UsageError`."""
        begin, end = (_seconds(text, name, default) for text, name, default in ((since, "since", 0), (until, "until", _EVER_S)))
        if since is None and begin >= end:
            raise UsageError(f"--until {until} is not after 1970-01-01, where time begins", "Give a later --until.")
        if begin >= end:
            raise UsageError(f"--since {since} is not before --until {until}", "Give an earlier --since.")
        return cls(begin, end)

    @property
    def folder(self) -> str:
        """A name for the folder of the period's results; empty for all time."""
        return "" if self == ALL_TIME else f"{self.since_s}-{self.until_s}"

    def has_month(self, month: str) -> bool:
        """Whether a month (`2026-03`) has any time of the period."""
        first = np.datetime64(month, "M")
        begin, end = ((first + step).astype("datetime64[s]").astype(np.int64).item() for step in (0, 1))
        return bool(begin < self.until_s and self.since_s < end)


ALL_TIME = Period()


def _seconds(text: str | None, name: str, default: int) -> int:
    if text is None:
        return default
    try:
        moment = datetime.fromisoformat(text.strip())
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        raise UsageError(f"--{name} {text}: not a date", "Write it as 2026-03-01, or 2026-03-01T12:00.") from None
