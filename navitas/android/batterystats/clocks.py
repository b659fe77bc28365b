"""Times of history lines → milliseconds. A checkin line has the time since the line before it; text has offsets or dates."""

from __future__ import annotations

import calendar
import re
from enum import Enum

import numpy as np

from navitas.android.batterystats.tables import Integers

OFFSET = rb"\d\d?s\d{3}ms|\d\d?m\d\ds\d{3}ms|\d\d?h\d\dm\d\ds\d{3}ms|\d{1,4}d\d\dh\d\dm\d\ds\d{3}ms|\d{1,3}ms|0"
"""`+1h02m03s004ms` as AOSP's TimeUtils pads it: every field after the first has all its digits."""
STAMP = rb"(?:0\d|1[0-2])-[0-3]\d [0-2]\d:[0-5]\d:[0-6]\d\.\d{3}"
DAY_MS = 86_400_000
LONGEST_MS = 100_000_000_000
"""A longer time between two lines (3 years) is damage."""
LATEST_MS = 9_000_000_000_000
"""Nanoseconds of later times do not fit 64 bits."""
_DATE = re.compile(rb"(\d{4})-(\d\d)-(\d\d)-(\d\d)-(\d\d)-(\d\d)(?:-(\d{3}))?")
_UNITS = b"+ -:.dhms"
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Form(Enum):
    """The forms of a history: differences, offsets from its begin, or dates without year."""

    CHECKIN = 0
    OFFSETS = 1
    DATES = 2


def milliseconds(tokens: list[bytes], form: Form, year: int) -> Integers:
    """Return each token's number: a difference (CHECKIN), or a time from the form's own zero."""
    digits = np.fromstring(b"\n".join(tokens).translate(None, _UNITS), np.int64, sep="\n")
    if form is Form.CHECKIN:
        return digits
    ms, s = digits % 1000, digits // 1000 % 100
    minute, h = digits // 10**5 % 100, digits // 10**7 % 100
    if form is Form.OFFSETS:
        day = digits // 10**9
    else:
        before = np.cumsum([0, *_MONTH_DAYS])[:12] + (np.arange(12) > 1) * calendar.isleap(year)
        day = before[np.clip(digits // 10**11, 1, 12) - 1] + digits // 10**9 % 100 - 1
    return np.asarray(((day * 24 + h) * 60 + minute) * 60_000 + s * 1000 + ms, np.int64)


def offset_token(ms: int) -> bytes:
    """Return an offset in the form that `milliseconds` reads."""
    seconds, rest = divmod(ms, 1000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    return b"%d%02d%02d%02d%03d" % (*divmod(hours, 24), minute, second, rest)


def date_ms(text: bytes) -> int | None:
    """Return milliseconds since 1970 of `2020-10-24-08-18-38`, read as UTC; None if it is no date."""
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    if not (1970 <= year < 2200 and 1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 62):
        return None
    return calendar.timegm((year, month, 1, hour, minute, second)) * 1000 + (day - 1) * DAY_MS + int(found[7] or 0)


def year_days(year: int) -> int:
    """Return the number of days of a year."""
    return 366 if calendar.isleap(year) else 365
