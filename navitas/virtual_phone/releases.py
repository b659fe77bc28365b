"""Android releases, and what each keeps from whom: rules as data, so that another release is another number.

Sources: AOSP's sepolicy of each release (public/domain.te, private/app.te, private/app_neverallows.te, public/shell.te,
genfs_contexts) and the modes that the kernel gives its files. Vendors may close more.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

VERSIONS = {
    26: "8.0.0", 27: "8.1.0", 28: "9", 29: "10", 30: "11", 31: "12", 32: "12", 33: "13", 34: "14", 35: "15", 36: "16",
}  # fmt: skip
"""Version by API level."""
DEFAULT_SDK = 34
_FIRST, _LAST = min(VERSIONS), max(VERSIONS)

User = Literal["app", "shell"]


@dataclass(frozen=True, slots=True)
class Denial:
    """Files whose path matches `pattern` (`*` spans `/`) cannot be read by `users` on API levels `since` to `until`."""

    pattern: str
    users: tuple[User, ...]
    since: int = _FIRST
    until: int = _LAST
    errno: int = errno.EACCES


DENIALS = (
    # The hardware's own frequency: mode 0400 (kernel, cpufreq.c).
    Denial("/sys/devices/system/cpu/*/cpuinfo_cur_freq", ("app", "shell")),
    # What tells of other apps: closed to apps since 8 (app_neverallows.te).
    Denial("/proc/stat", ("app",)),
    Denial("/proc/uptime", ("app",)),
    Denial("/proc/loadavg", ("app",)),
    Denial("/proc/vmstat", ("app",)),
    # Closed to apps since 10 (proc_net_type is no longer theirs).
    Denial("/proc/net/dev", ("app",), since=29),
    # The rail monitor is labelled for system services.
    Denial("/sys/bus/iio/*", ("app",)),
)


def denied(path: str, user: User, sdk: int) -> int | None:
    """The error number that reading a normal absolute path gives a user on a release; None when it may be read."""
    for rule in DENIALS:
        if user in rule.users and rule.since <= sdk <= rule.until and fnmatchcase(path, rule.pattern):
            return rule.errno
    return None


SINCE = {
    "thermalservice": 29,
    # PowerProfile.dump, first seen in 13's sources.
    "batterystats --power-profile": 33,
    "battery: Dock powered": 33,
    "battery: Charging policy": 34,
    # libziparchive's ziptool.
    "unzip": 28,
    "perfetto": 28,
    "perfetto --txt": 29,
}
"""API level that brought what has not been there from the first on."""


def has(feature: str, sdk: int) -> bool:
    """Whether a release has a feature of `SINCE`."""
    return sdk >= SINCE[feature]
