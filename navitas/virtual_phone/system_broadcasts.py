"""Broadcasts that the phone sends when its state changes, as URIs of intents (Intent.toUri)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote

Extras: TypeAlias = Mapping[str, bool | int | str]

_INTENT = "android.intent.action."
_BATTERY = f"{_INTENT}BATTERY_"
_LOW_PERCENT, OKAY_PERCENT = 15, 20
"""config_lowBatteryWarningLevel, and 5 % more (config_lowBatteryCloseWarningBump)."""
_TYPES = {bool: "B", int: "i", str: "S"}
_REGISTERED_ONLY = 0x40000000
"""Intent.FLAG_RECEIVER_REGISTERED_ONLY."""
_WIFI_STATES = (1, 3)
"""WifiManager.WIFI_STATE_DISABLED and _ENABLED."""
_BLUETOOTH_STATES = (10, 12)
"""BluetoothAdapter.STATE_OFF and STATE_ON."""
_NETWORK_TYPES = {"rmnet0": 0, "wlan0": 1, None: -1}
"""ConnectivityManager.TYPE_MOBILE, TYPE_WIFI and TYPE_NONE."""


@dataclass(frozen=True, slots=True)
class BroadcastState:
    """What the broadcasts report. `battery` are the extras of BATTERY_CHANGED; `network` is the default network's interface."""

    battery: Extras
    is_charging: bool
    is_power_save: bool
    is_awake: bool
    airplane: bool
    wifi_on: bool
    bluetooth_on: bool
    network: str | None


def is_low(level: int, *, is_plugged: bool) -> bool:
    """Return whether a battery's level is low: apps hear of it only without a charger."""
    return not is_plugged and level <= _LOW_PERCENT


def changes(before: BroadcastState, after: BroadcastState) -> list[str]:
    """Return the broadcasts of a change. Those of the battery are in the order of BatteryService.processValuesLocked."""
    intents = []
    plugged, was_plugged = (bool(state.battery["plugged"]) for state in (after, before))
    level, old_level = (int(state.battery["level"]) for state in (after, before))
    if plugged != was_plugged:
        intents.append(_uri(f"{_INTENT}ACTION_POWER_{'CONNECTED' if plugged else 'DISCONNECTED'}"))
    if is_low(level, is_plugged=plugged) and (was_plugged or old_level > _LOW_PERCENT):
        intents.append(_uri(f"{_BATTERY}LOW"))
    elif old_level < OKAY_PERCENT <= level:
        intents.append(_uri(f"{_BATTERY}OKAY"))
    if after.battery != before.battery:
        intents.append(_battery(after))
    if after.is_charging != before.is_charging:
        intents.append(_uri(f"android.os.action.{'' if after.is_charging else 'DIS'}CHARGING"))
    if after.is_power_save != before.is_power_save:
        intents.append(_uri("android.os.action.POWER_SAVE_MODE_CHANGED", flags=_REGISTERED_ONLY))
    if after.is_awake != before.is_awake:
        intents.append(_uri(f"{_INTENT}SCREEN_{'ON' if after.is_awake else 'OFF'}", flags=_REGISTERED_ONLY))
    if after.airplane != before.airplane:
        intents.append(_uri(f"{_INTENT}AIRPLANE_MODE", {"state": after.airplane}))
    if after.wifi_on != before.wifi_on:
        intents.append(_wifi(after))
    if after.bluetooth_on != before.bluetooth_on:
        extra = "android.bluetooth.adapter.extra."
        now, old = (_BLUETOOTH_STATES[state.bluetooth_on] for state in (after, before))
        intents.append(
            _uri("android.bluetooth.adapter.action.STATE_CHANGED", {f"{extra}STATE": now, f"{extra}PREVIOUS_STATE": old})
        )
    if after.network != before.network:
        intents.append(_network(after))
    return intents


def sticky(state: BroadcastState) -> list[str]:
    """Return the last broadcasts that a new receiver gets at once."""
    return [_battery(state), _wifi(state), _network(state)]


def _battery(state: BroadcastState) -> str:
    return _uri(f"{_BATTERY}CHANGED", state.battery, flags=_REGISTERED_ONLY)


def _wifi(state: BroadcastState) -> str:
    extras = {"wifi_state": _WIFI_STATES[state.wifi_on], "previous_wifi_state": _WIFI_STATES[not state.wifi_on]}
    return _uri("android.net.wifi.WIFI_STATE_CHANGED", extras)


def _network(state: BroadcastState) -> str:
    extras = {"networkType": _NETWORK_TYPES[state.network], "noConnectivity": state.network is None}
    return _uri("android.net.conn.CONNECTIVITY_CHANGE", extras)


def _uri(action: str, extras: Extras | None = None, *, flags: int = 0) -> str:
    launch = f"launchFlags=0x{flags:x};" if flags else ""
    texts = (f"{_TYPES[type(value)]}.{quote(name)}={_text(value)};" for name, value in (extras or {}).items())
    return f"intent:#Intent;action={action};{launch}{''.join(texts)}end"


def _text(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else quote(str(value), safe="")
