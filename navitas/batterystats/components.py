"""Names of components in Android's estimates, the same for all releases.

Source: AOSP's CHECKIN_POWER_COMPONENT_LABELS, BatterySipper.DrainType and BatteryConsumer.
"""

from __future__ import annotations

_NAMES = {
    "ambi": "ambient_display", "cell": "mobile_radio", "blue": "bluetooth", "scrn": "screen", "uid": "app",
    "unacc": "unaccounted", "over": "overcounted", "over-counted": "overcounted", "cell_standby": "mobile_radio",
    "radio": "mobile_radio", "phone_calls": "phone", "bt": "bluetooth", "wake": "wakelock", "gps": "gnss",
    "sensor": "sensors", "???": "unknown",
}  # fmt: skip


def component_name(text: str) -> str:
    """Return the common name of a component. Names that only one release has stay as they are."""
    name = text.strip().lower().replace(" ", "_")
    return _NAMES.get(name, name)
