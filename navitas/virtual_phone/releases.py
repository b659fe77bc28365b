"""Android releases and their access rules, as data: to model another release, change the number.

Sources: AOSP's sepolicy of each release (public/domain.te, private/app.te, private/app_neverallows.te, public/shell.te,
genfs_contexts), and the kernel's file modes. Vendors may restrict more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

VERSIONS = {
    26: "8.0.0", 27: "8.1.0", 28: "9", 29: "10", 30: "11", 31: "12", 32: "12", 33: "13", 34: "14", 35: "15", 36: "16", 37: "17",
}  # fmt: skip
"""Version by API level."""
DEFAULT_SDK = 34
FINE_POWER_MONITORS = "android.permission.ACCESS_FINE_POWER_MONITORS"
_FIRST = min(VERSIONS)

User = Literal["app", "shell"]


@dataclass(frozen=True, slots=True)
class Denial:
    """`users` cannot read files whose path matches `pattern` (`*` spans `/`) from the API level `since` on."""

    pattern: str
    users: tuple[User, ...]
    since: int = _FIRST


DENIALS = (
    # The hardware's own frequency has mode 0400 (kernel, cpufreq.c).
    Denial("/sys/devices/system/cpu/*/cpuinfo_cur_freq", ("app", "shell")),
    # Information about other apps is closed to apps since Android 8 (app_neverallows.te).
    Denial("/proc/stat", ("app",)),
    Denial("/proc/uptime", ("app",)),
    Denial("/proc/loadavg", ("app",)),
    Denial("/proc/vmstat", ("app",)),
    # Closed to apps since Android 10, which removed proc_net_type.
    Denial("/proc/net/dev", ("app",), since=29),
    # Closed to the shell since Android 10, which labelled it proc_diskstats; to apps since Android 8.
    Denial("/proc/diskstats", ("app",)),
    Denial("/proc/diskstats", ("shell",), since=29),
    # Mode 0400 and a check as for ptrace (kernel, fs/proc/base.c).
    Denial("/proc/*/io", ("shell",)),
    # The rail monitor has a label for system services.
    Denial("/sys/bus/iio/*", ("app",)),
)


def denied(path: str, user: User, sdk: int) -> bool:
    """Return whether a user of a release cannot read a file at a normalized absolute path (EACCES)."""
    return any(user in rule.users and rule.since <= sdk and fnmatchcase(path, rule.pattern) for rule in DENIALS)


SINCE = {
    "thermalservice": 29,
    # PowerProfile.dump first appears in Android 13's sources.
    "batterystats --power-profile": 33,
    "battery: Dock powered": 33,
    "battery: Charging policy": 34,
    # The AIDL service of power statistics. Earlier phones have a HIDL service, which `lshal debug` shows.
    "android.hardware.power.stats.IPowerStats/default": 31,
    # libziparchive's ziptool.
    "unzip": 28,
    "perfetto": 28,
    "perfetto --txt": 29,
    # SystemHealthManager.getPowerMonitorReadings.
    "power monitors": 35,
    FINE_POWER_MONITORS: 37,
}
"""The API level that introduced a feature."""


def has(feature: str, sdk: int) -> bool:
    """Return whether a release has a feature of `SINCE`."""
    return sdk >= SINCE[feature]
