"""Numbers, sizes and durations as Android prints them, in any locale."""

from __future__ import annotations

import math
import re

NUMBER = r"-?\d[\d.,]*(?:[eE]-?\d{1,3})?"
_NUMBER = re.compile(NUMBER, re.ASCII)
_DURATION = re.compile(r"(\d{1,9})(ms|[dhms])", re.ASCII)
_UNIT_MS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
_SIZE = re.compile(r"(\d[\d.,]*) ?([KMGTP]?)B", re.ASCII)
_LONGEST = 40


def parse_number(text: str) -> float | None:
    """Return a number with a decimal point or comma. None for anything else, infinity and NaN included."""
    text = text.strip().rstrip(",.")
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        return None
    if "," in text:
        text = text.replace(",", "") if "." in text or text.count(",") > 1 else text.replace(",", ".")
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def parse_integer(text: str) -> int | None:
    """Return the nearest integer of a number that fits 48 bits."""
    number = parse_number(text)
    return round(number) if number is not None and abs(number) < 1 << 47 else None


def parse_duration_ms(text: str) -> int | None:
    """Return the milliseconds of `1h 2m 3s 4ms`, with or without spaces; None if there is no duration."""
    text = text.strip().lstrip("+").strip()
    if text == "0":
        return 0
    found = list(_DURATION.finditer(text[: 2 * _LONGEST]))
    if not found or "".join(one[0] for one in found) != text.replace(" ", ""):
        return None
    return sum(int(one[1]) * _UNIT_MS[one[2]] for one in found)


def parse_bytes(text: str) -> float | None:
    """Return the bytes of `1.08MB`. Android prints three digits, so this is rounded."""
    found = _SIZE.fullmatch(text.strip())
    number = parse_number(found[1]) if found else None
    return None if found is None or number is None else number * 1024 ** "KMGTP".index(found[2]) * 1024 if found[2] else number
