"""The metrics of Android vitals, and from when on Google Play calls an app's behaviour bad. All of Play's figures are here.

Source: Android vitals documentation, the page of each metric (`Vital.source`), read in November 2026. Play counts sessions of
24 hours of many users; these limits are those of one session.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VitalName = Literal["wake_locks", "wakeups", "wifi_scans", "mobile_bytes"]
HOUR_MS, DAY_MS = 3_600_000, 86_400_000
_PAGES = "https://developer.android.com/topic/performance/vitals"


@dataclass(frozen=True, slots=True)
class Vital:
    """A metric: the behaviour is bad if `window_ms` has at least `limit` of `unit`, or with `is_exclusive` more than that.

    `least_ms`: rates of a shorter time on battery are not judged. This limit is Navitas's own.
    """

    name: VitalName
    title: str
    unit: Literal["ms", "count", "bytes"]
    limit: float
    is_exclusive: bool
    window_ms: int
    least_ms: int
    source: str


WAKE_LOCKS = Vital(
    "wake_locks", "partial wake locks, screen off", "ms", 2 * HOUR_MS, False, DAY_MS, 6 * HOUR_MS, f"{_PAGES}/excessive-wakelock"
)
WAKEUPS = Vital("wakeups", "wake-ups by alarms", "count", 10, True, HOUR_MS, HOUR_MS, f"{_PAGES}/wakeup")
WIFI_SCANS = Vital("wifi_scans", "Wi-Fi scans in the background", "count", 4, True, HOUR_MS, HOUR_MS, f"{_PAGES}/bg-wifi")
MOBILE_BYTES = Vital(
    "mobile_bytes", "mobile network in the background", "bytes", 50e6, False, DAY_MS, 6 * HOUR_MS, f"{_PAGES}/bg-network-usage"
)
VITALS = (WAKE_LOCKS, WAKEUPS, WIFI_SCANS, MOBILE_BYTES)

EXEMPT_LOCKS = ("AudioMix", "AudioIn", "NetworkLocationLocator", "FusedLocation", "*location*")
"""Beginnings of the names of wake locks that Android holds for audio and location, which Play does not count.

Source: Android documentation, "Identify and optimize wake lock use cases". Play also exempts jobs that a user started; dumps do
not show which ones they are.
"""


def is_exempt(tag: str) -> bool:
    """Whether Play does not count a wake lock of this name."""
    return tag.startswith(EXEMPT_LOCKS)
