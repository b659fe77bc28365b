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
    "running": "r", "wake_lock": "w", "sensor": "s", "gps": "g", "wifi_full_lock": "Wl", "wifi_scan": "Ws",
    "wifi_multicast": "Wm", "wifi_radio": "Wr", "mobile_radio": "Pr", "phone_scanning": "Psc", "audio": "a", "screen": "S",
    "plugged": "BP", "screen_doze": "Sd", "power_save": "ps", "video": "v", "wifi_running": "Ww", "wifi": "W",
    "flashlight": "fl", "charging": "ch", "usb_data": "Ud", "phone_in_call": "Pcl", "bluetooth": "b", "camera": "ca",
    "ble_scan": "bles", "cellular_high_tx_power": "Chtp", "soft_ap": "Sap",
}  # fmt: skip
_SPANS = {
    "proc": "Epr", "fg": "Efg", "top": "Etp", "sync": "Esy", "wake_lock_in": "Ewl", "job": "Ejb", "user": "Eur",
    "userfg": "Euf", "alarm": "Eal", "tmpwhitelist": "Etw", "longwake": "Elw", "state": "Esc",
}  # fmt: skip
_MOMENTS = {
    "conn": "Ecn", "active": "Eac", "pkginst": "Epi", "pkgunin": "Epu", "stats": "Est", "pkginactive": "Eai",
    "pkgactive": "Eaa", "screenwake": "Esw", "wakeupap": "Ewa", "est_capacity": "Eec", "wake_reason": "wr",
}  # fmt: skip
_WORDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "brightness": ("Sb", ("dark", "dim", "medium", "light", "bright")),
    "data_conn": ("Pcn", (
        "none", "gprs", "edge", "umts", "cdma", "evdo_0", "evdo_A", "1xrtt", "hsdpa", "hsupa", "hspa", "iden", "evdo_b",
        "lte", "ehrpd", "hspap", "gsm", "td_scdma", "iwlan", "lte_ca", "nr", "emngcy", "other", "oos",
    )),
    "phone_state": ("Pst", ("in", "out", "emergency", "off")),
    "phone_signal_strength": ("Pss", ("none", "poor", "moderate", "good", "great")),
    "wifi_signal_strength": ("Wss", ("0", "1", "2", "3", "4")),
    "wifi_suppl": ("Wsp", (
        "invalid", "disconn", "disabled", "inactive", "scanning", "authenticating", "associating", "associated",
        "4-way-handshake", "group-handshake", "completed", "dormant", "uninit",
    )),
    "device_idle": ("di", ("off", "light", "full", "???")),
    "gps_signal_quality": ("Gss", ("poor", "good", "none")),
    "nr_state": ("nrs", ("none", "restricted", "not_restricted", "connected")),
}  # fmt: skip
_SHORT_WORDS = {
    "phone_state": {"em": 2},
    "wifi_suppl": {
        "inv": 0, "dsc": 1, "dis": 2, "inact": 3, "scan": 4, "auth": 5, "ascing": 6, "asced": 7, "4-way": 8, "group": 9,
        "compl": 10, "dorm": 11,
    },
}  # fmt: skip
_BATTERY = {"status": "Bs", "plug": "Bp"}
_NOT_USED = {
    "level": "Bl", "health": "Bh", "temp": "Bt", "volt": "Bv", "charge": "Bcc", "modemRailChargemAh": "Mrc",
    "wifiRailChargemAh": "Wrc",
}  # fmt: skip
BATTERY_WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "status": (("?", "unknown"), ("c", "charging"), ("d", "discharging"), ("n", "not-charging"), ("f", "full")),
    "plug": (("n", "none"), ("a", "ac"), ("u", "usb"), ("w", "wireless")),
}
"""Words of the battery's items, in both forms. The code of a word is its position."""
_ALIASES = {
    "lp": "power_save", "low_power": "power_save", "signal_strength": "phone_signal_strength",
    "phone_signal": "phone_signal_strength", "temperature": "temp", "voltage": "volt",
}  # fmt: skip
WIFI_RADIO_SINCE = 13
"""First checkin version in which `Wr` is the radio. Before, it is what later versions call `Ww` (Android 5 and earlier)."""


class KeyKind(Enum):
    """How an item changes a state."""

    FLAG = 0
    SPAN = 1
    MOMENT = 2
    VALUE = 3
    BATTERY = 4
    NOT_USED = 5


STATE_NAMES = (*_BATTERY, *_FLAGS, *_SPANS, *_MOMENTS, *_WORDS)
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
        (KeyKind.MOMENT, _MOMENTS),
        (KeyKind.VALUE, words),
        (KeyKind.BATTERY, _BATTERY),
    )
    for kind, names in groups:
        for name, key in names.items():
            found[name] = found[key] = (kind, STATE_NUMBERS[name])
    found.update(dict.fromkeys((*_NOT_USED, *_NOT_USED.values()), (KeyKind.NOT_USED, 0)))
    for alias, name in _ALIASES.items():
        found[alias] = found[name]
    return found


def _codes() -> dict[int, dict[str, int]]:
    found = {STATE_NUMBERS[name]: {word: code for code, word in enumerate(words)} for name, (_, words) in _WORDS.items()}
    for number, codes in found.items():
        codes.update({str(code): code for code in set(codes.values())})
        codes.update(_SHORT_WORDS.get(STATE_NAMES[number], {}))
    for name, pairs in BATTERY_WORDS.items():
        found[STATE_NUMBERS[name]] = {word: code for code, pair in enumerate(pairs) for word in pair}
    return found


KEYS: Mapping[str, tuple[KeyKind, int]] = _known()
"""Kind and state of each key, in both forms."""
CODES: Mapping[int, Mapping[str, int]] = _codes()
"""Codes of words, by state. Checkin prints numbers for most of them."""
