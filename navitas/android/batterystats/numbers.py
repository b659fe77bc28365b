"""Numbers, sizes and durations as Android prints them, in any locale."""

from __future__ import annotations

import re

from navitas.android.ids import UIDS_PER_USER

NUMBER = r"-?\d[\d.,]*(?:[eE]-?\d{1,3})?"
_NUMBER = re.compile(NUMBER, re.ASCII)
_COUNT = re.compile(r"\d{1,20}", re.ASCII)
_DURATION = re.compile(r"(\d{1,9})(ms|[dhms])", re.ASCII)
_UNIT_MS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
_SIZE = re.compile(r"(\d[\d.,]*) ?([KMGTP]?)B", re.ASCII)
_LONGEST = 40
_END = 1 << 47
"""No time, counter or charge of a phone is as large: 128 TiB, or 4 years in microseconds."""
_UID = re.compile(r"u(\d{1,4})(ai|a|i|s)(\d{1,5})|(-?\d{1,10})", re.ASCII)
FIRST_APP_UID = 10_000
"""Lower uids, of any user, are those of the system (AOSP: Process.FIRST_APPLICATION_UID)."""
# UserHandle.formatUid: apps, isolated processes, isolated processes of an app zygote, shared and system users.
_FIRST = {"a": FIRST_APP_UID, "i": 99_000, "ai": 90_000, "s": 0}


def parse_number(text: str) -> float | None:
    """Return a number with a decimal point or comma. None for anything else, infinity, NaN and 2⁴⁷ or more included."""
    text = text.strip().rstrip(",.")
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        return None
    if "," in text:
        text = text.replace(",", "") if "." in text or text.count(",") > 1 else text.replace(",", ".")
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < _END else None


def parse_count(text: str) -> int | None:
    """Return a time or counter of `--checkin`, which is an integer and not negative; None for anything else."""
    number = int(text) if _COUNT.fullmatch(text) else _END
    return number if number < _END else None


def parse_duration_ms(text: str) -> int | None:
    """Return the milliseconds of `1h 2m 3s 4ms`, with or without spaces. None for anything else, 2⁴⁷ ms or more included."""
    text = text.strip().lstrip("+").strip()
    if text == "0":
        return 0
    found = list(_DURATION.finditer(text[: 2 * _LONGEST]))
    if not found or "".join(one[0] for one in found) != text.replace(" ", ""):
        return None
    duration_ms = sum(int(one[1]) * _UNIT_MS[one[2]] for one in found)
    return duration_ms if duration_ms < _END else None


def parse_bytes(text: str) -> float | None:
    """Return the bytes of `1.08MB`. Android prints three digits, so this is rounded."""
    found = _SIZE.fullmatch(text.strip())
    number = parse_number(found[1]) if found else None
    if found is None or number is None:
        return None
    size = number * 1024 ** " KMGTP".index(found[2] or " ")
    return size if size < _END else None


def parse_uid(text: str) -> int | None:
    """Return the number of a uid such as `u0a123` (10123), `u10s1000`, or `1000`; None for anything else."""
    found = _UID.fullmatch(text)
    if found is None:
        return None
    if found[4] is not None:
        uid = int(found[4])
        return uid if -1 <= uid < 1 << 31 else None
    uid = int(found[1]) * UIDS_PER_USER + _FIRST[found[2]] + int(found[3])
    return uid if uid < 1 << 31 else None


def is_app(uid: int) -> bool:
    """Whether a uid is that of an app (AOSP: UserHandle.isApp)."""
    return uid % UIDS_PER_USER >= FIRST_APP_UID if uid >= 0 else False
