"""For how long the screen was on, and each app in the foreground, since the last charge (BatteryStats.dumpCheckinLocked)."""

from __future__ import annotations

import re
from collections import Counter

COMMAND = "dumpsys batterystats -c | grep -e ',i,uid,' -e ',l,m,' -e ',l,fg,'"
"""Prints the lines that are read. Both kinds of times advance on battery only."""
_PACKAGE = re.compile(r"^\d+,0,i,uid,(\d{1,9}),([\w.]{1,255})\s*$", re.MULTILINE)
_MISC = re.compile(r"^\d+,0,l,m,(\d{1,12}),", re.MULTILINE)
_FOREGROUND = re.compile(r"^\d+,(\d{1,9}),l,fg,(\d{1,12}),", re.MULTILINE)


def use_since_charge(text: str) -> dict[str, object | None]:
    """`screen_on_s` and `foreground_s` of a sample; None where the phone does not report them.

    Apps that share a uid have one common time, so they are left out.
    """
    screen = _MISC.search(text)
    packages = _PACKAGE.findall(text)
    shared = Counter(uid for uid, _ in packages)
    of_uid = {uid: name for uid, name in packages if shared[uid] == 1}
    times = {of_uid[uid]: int(ms) for uid, ms in _FOREGROUND.findall(text) if uid in of_uid}
    return {
        "screen_on_s": None if screen is None else int(screen[1]) / 1000,
        "foreground_s": [f"{name}={ms / 1000}" for name, ms in sorted(times.items())] or None,
    }
