"""Broadcasts that the phone sends when its charger, battery level or default network changes."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.virtual_phone.phone import Phone

CONNECTED = "android.intent.action.ACTION_POWER_CONNECTED"
DISCONNECTED = "android.intent.action.ACTION_POWER_DISCONNECTED"
LOW = "android.intent.action.BATTERY_LOW"
OKAY = "android.intent.action.BATTERY_OKAY"
CONNECTIVITY = "android.net.conn.CONNECTIVITY_CHANGE"
_LOW_PERCENT, _OKAY_PERCENT = 15, 20
"""config_lowBatteryWarningLevel, and 5 % more (config_lowBatteryCloseWarningBump)."""


@dataclass(frozen=True, slots=True)
class BroadcastState:
    """What the broadcasts report."""

    is_plugged: bool
    level: int
    network: str
    """`wifi`, `mobile`, or nothing."""


def condition_of(phone: Phone) -> BroadcastState:
    """Return the present condition of a phone."""
    switches = phone.state.switches
    network = "wifi" if switches.wifi_on else "mobile" if switches.mobile_on else ""
    return BroadcastState(phone.battery.is_plugged, int(phone.battery.shown["level"]), network)


def changes(before: BroadcastState, after: BroadcastState) -> list[str]:
    """Return the actions of the broadcasts, in the order of BatteryService.processValuesLocked."""
    actions = []
    if before.is_plugged != after.is_plugged:
        actions.append(CONNECTED if after.is_plugged else DISCONNECTED)
    is_low = not after.is_plugged and after.level <= _LOW_PERCENT
    if is_low and (before.is_plugged or before.level > _LOW_PERCENT):
        actions.append(LOW)
    elif before.level < _OKAY_PERCENT <= after.level:
        actions.append(OKAY)
    if before.network != after.network:
        actions.append(CONNECTIVITY)
    return actions
