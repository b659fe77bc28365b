"""Keys of history items, and the names that they have in every Android release and in both forms.

Names and codes: AOSP's BatteryStats, Android 4.4 to 16 (HISTORY_STATE_DESCRIPTIONS, HISTORY_STATE2_DESCRIPTIONS,
HISTORY_EVENT_NAMES).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

OFF = -1
"""The value that ends a state."""
_FLAGS = {
    "wake_lock": "w", "gps": "g", "wifi_scan": "Ws", "wifi_radio": "Wr", "mobile_radio": "Pr", "audio": "a", "screen": "S",
    "plugged": "BP", "screen_doze": "Sd", "video": "v", "wifi": "W", "flashlight": "fl", "camera": "ca", "ble_scan": "bles",
}  # fmt: skip
_SPANS = {"top": "Etp", "wake_lock_in": "Ewl", "job": "Ejb", "alarm": "Eal"}
_WORDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "brightness": ("Sb", ("dark", "dim", "medium", "light", "bright")),
    "gps_signal_quality": ("Gss", ("poor", "good", "none")),
}
_BATTERY = {"status": "Bs", "plug": "Bp"}
_NOT_USED = frozenset((
    "level", "Bl", "health", "Bh", "temp", "Bt", "temperature", "volt", "Bv", "voltage", "charge", "Bcc",
    "modemRailChargemAh", "Mrc", "wifiRailChargemAh", "Wrc",
    "running", "r", "sensor", "s", "wifi_full_lock", "Wl", "wifi_multicast", "Wm", "phone_scanning", "Psc", "power_save", "ps",
    "lp", "low_power", "wifi_running", "Ww", "charging", "ch", "usb_data", "Ud", "phone_in_call", "Pcl", "bluetooth", "b",
    "cellular_high_tx_power", "Chtp", "soft_ap", "Sap",
    "proc", "Epr", "fg", "Efg", "sync", "Esy", "user", "Eur", "userfg", "Euf", "tmpwhitelist", "Etw", "longwake", "Elw",
    "state", "Esc", "conn", "Ecn", "active", "Eac", "pkginst", "Epi", "pkgunin", "Epu", "stats", "Est", "pkginactive", "Eai",
    "pkgactive", "Eaa", "screenwake", "Esw", "wakeupap", "Ewa", "est_capacity", "Eec", "wake_reason", "wr",
    "data_conn", "Pcn", "phone_state", "Pst", "phone_signal_strength", "Pss", "signal_strength", "phone_signal",
    "wifi_signal_strength", "Wss", "wifi_suppl", "Wsp", "device_idle", "di", "nr_state", "nrs",
))  # fmt: skip
BATTERY_WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "status": (("?", "unknown"), ("c", "charging"), ("d", "discharging"), ("n", "not-charging"), ("f", "full")),
    "plug": (("n", "none"), ("a", "ac"), ("u", "usb"), ("w", "wireless")),
}
"""Words of the battery's items, in both forms. The code of a word is its position."""
WIFI_RADIO_SINCE = 13
"""First checkin version in which `Wr` is the radio. Before, it is what later versions call `Ww` (Android 5 and earlier)."""


class KeyKind(Enum):
    """How an item changes a state."""

    FLAG = 0
    SPAN = 1
    VALUE = 2
    BATTERY = 3
    NOT_USED = 4


STATE_NAMES = (*_BATTERY, *_FLAGS, *_SPANS, *_WORDS)
"""Names of states. The number of a state is its position."""
BATTERY_COUNT = len(_BATTERY)
STATE_NUMBERS = {name: number for number, name in enumerate(STATE_NAMES)}
VALUE_NAMES: Mapping[str, tuple[str, ...]] = {name: words for name, (_, words) in _WORDS.items()}
"""Names of the values of a state. The value is the position. Other states have value 1."""


def _known() -> dict[str, tuple[KeyKind, int]]:
    found: dict[str, tuple[KeyKind, int]] = {}
    words = {name: key for name, (key, _) in _WORDS.items()}
    groups = (
        (KeyKind.FLAG, _FLAGS),
        (KeyKind.SPAN, _SPANS),
        (KeyKind.VALUE, words),
        (KeyKind.BATTERY, _BATTERY),
    )
    for kind, names in groups:
        for name, key in names.items():
            found[name] = found[key] = (kind, STATE_NUMBERS[name])
    return found | dict.fromkeys(_NOT_USED, (KeyKind.NOT_USED, 0))


def _codes() -> dict[int, dict[str, int]]:
    found = {STATE_NUMBERS[name]: {word: code for code, word in enumerate(words)} for name, (_, words) in _WORDS.items()}
    for codes in found.values():
        codes.update({str(code): code for code in set(codes.values())})
    for name, pairs in BATTERY_WORDS.items():
        found[STATE_NUMBERS[name]] = {word: code for code, pair in enumerate(pairs) for word in pair}
    return found


KEYS: Mapping[str, tuple[KeyKind, int]] = _known()
"""Kind and state of each key, in both forms."""
CODES: Mapping[int, Mapping[str, int]] = _codes()
"""Codes of words, by state. Checkin prints numbers for most of them."""
