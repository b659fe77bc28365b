"""Times of a recording's manifest, which are untrusted text."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_moment(created_utc: str) -> datetime | None:
    """Return a time in ISO 8601 as one in UTC, which it is if it names no zone. None if it cannot be read."""
    try:
        moment = datetime.fromisoformat(created_utc)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def unix_s(created_utc: str) -> int:
    """Return a time in ISO 8601 in seconds since 1970. 0 if it is earlier or cannot be read."""
    moment = utc_moment(created_utc)
    return max(int(moment.timestamp()), 0) if moment else 0
