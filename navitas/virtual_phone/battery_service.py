"""The battery service: `dumpsys battery` with unplug, set and reset, which change only what it reports (BatteryService)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from navitas.virtual_phone.battery_history import BatteryHistory
from navitas.virtual_phone.releases import DEFAULT_SDK, has
from navitas.virtual_phone.system_broadcasts import OKAY_PERCENT, Extras, is_low

_STATUS_CHARGING, _HEALTH_GOOD = "2", "2"
_SETTABLE = {
    "ac": "AC powered",
    "usb": "USB powered",
    "wireless": "Wireless powered",
    "dock": "Dock powered",
    "status": "status",
    "level": "level",
    "temp": "temperature",
    "present": "present",
    "counter": "Charge counter",
}
_FLAGS = ("ac", "usb", "wireless", "dock", "present")
_PLUGS = {"AC powered": 1, "USB powered": 2, "Wireless powered": 4, "Dock powered": 8}
"""BatteryManager.BATTERY_PLUGGED_…"""
_INT_END = 1 << 31
_CHARGING_STATES = ("2", "5")
"""Those of a plugged battery that is charging, or full (BatteryManager.isCharging)."""


class BatteryService:
    """A full, plugged battery with constant voltage. Values set by hand stay until `reset`.

    `current_ua` is what the phone uses, as a negative number; None if it is unknown.
    """

    def __init__(self, voltage_v: float, sdk: int = DEFAULT_SDK) -> None:
        self._true: dict[str, str] = {
            "AC powered": "false",
            "USB powered": "true",
            "Wireless powered": "false",
            "Dock powered": "false",
            "Max charging current": "500000",
            "Max charging voltage": "5000000",
            "Charge counter": "3000000",
            "status": _STATUS_CHARGING,
            "health": _HEALTH_GOOD,
            "present": "true",
            "level": "100",
            "scale": "100",
            "voltage": str(round(voltage_v * 1000)),
            "temperature": "250",
            "technology": "Li-ion",
            "Charging state": "0",
            "Charging policy": "0",
        }
        for line in ("Dock powered", "Charging policy"):
            if not has(f"battery: {line}", sdk):
                del self._true[line]
        self.shown = dict(self._true)
        """The values that the service shows, by the keys of its dump."""
        self._stopped = False
        self._is_low = False
        self.current_ua: int | None = 0
        self.history = BatteryHistory()
        self.history.add(self.shown)

    @property
    def is_plugged(self) -> bool:
        """Whether it shows a charger."""
        return self.plug != 0

    @property
    def plug(self) -> int:
        """The charger that it shows, as BatteryManager numbers them; 0 without one."""
        return next((number for name, number in _PLUGS.items() if self.shown.get(name) == "true"), 0)

    @property
    def is_charging(self) -> bool:
        """Whether the battery charges, or a charger keeps it full."""
        return self.is_plugged and self.shown["status"] in _CHARGING_STATES

    def extras(self) -> Extras:
        """Return the extras of ACTION_BATTERY_CHANGED."""
        shown = self.shown
        return {
            "status": int(shown["status"]),
            "health": int(shown["health"]),
            "present": shown["present"] == "true",
            "level": int(shown["level"]),
            "battery_low": self._is_low,
            "scale": int(shown["scale"]),
            "plugged": self.plug,
            "voltage": int(shown["voltage"]),
            "temperature": int(shown["temperature"]),
            "technology": shown["technology"],
            "max_charging_current": int(shown["Max charging current"]),
            "max_charging_voltage": int(shown["Max charging voltage"]),
            "charge_counter": int(shown["Charge counter"]),
        }

    def properties(self) -> Mapping[str, int]:
        """Return the properties of BatteryManager. Energy is the charge at the present voltage. A charger takes the current."""
        shown = self.shown
        charge_uah = int(shown["Charge counter"])
        current_ua = 0 if self.is_plugged else self.current_ua
        return {
            **({} if current_ua is None else {"current_ua": current_ua}),
            "charge_uah": charge_uah,
            "energy_nwh": charge_uah * int(shown["voltage"]),
            "capacity": int(shown["level"]),
            "status": int(shown["status"]),
            "charging": int(self.is_charging),
        }

    def dump(self) -> str:
        """Return the text of `dumpsys battery`."""
        lines = ["Current Battery Service state:"]
        if self._stopped:
            lines.append("  (UPDATES STOPPED -- use 'reset' to restart)")
        return "\n".join([*lines, *(f"  {key}: {value}" for key, value in self.shown.items())]) + "\n"

    def command(self, args: list[str]) -> tuple[int, str]:
        """Run `unplug`, `reset`, `set NAME VALUE` or `get NAME`. Returns exit status and output (silent on success)."""
        args = [argument for argument in args if argument != "-f"]
        actions: dict[str, Callable[[list[str]], tuple[int, str]]] = {
            "unplug": self._unplug,
            "reset": self._reset,
            "set": self._set,
            "get": self._get,
        }
        if not args or args[0] not in actions:
            return 255, f"Unknown command: {args[0] if args else ''}\n"
        answer = actions[args[0]](args[1:])
        level, plugged = int(self.shown["level"]), self.is_plugged
        self._is_low = is_low(level, is_plugged=plugged) or (self._is_low and not plugged and level < OKAY_PERCENT)
        self.history.add(self.shown)
        return answer

    def _unplug(self, args: list[str]) -> tuple[int, str]:
        self.shown |= {name: "false" for name in _PLUGS if name in self.shown}
        self._stopped = True
        return 0, ""

    def _reset(self, args: list[str]) -> tuple[int, str]:
        self.shown = dict(self._true)
        self._stopped = False
        return 0, ""

    def _set(self, args: list[str]) -> tuple[int, str]:
        if len(args) != 2 or _SETTABLE.get(args[0]) not in self._true:
            return 255, f"Unknown set option: {args[0] if args else 'null'}\n"
        name, value = args
        if not re.fullmatch(r"-?\d{1,10}", value, re.ASCII) or not -_INT_END <= int(value) < _INT_END:  # Integer.parseInt
            return 255, f"Bad value: {value}\n"
        self.shown[_SETTABLE[name]] = str(int(value) != 0).lower() if name in _FLAGS else str(int(value))
        self._stopped = True
        return 0, ""

    def _get(self, args: list[str]) -> tuple[int, str]:
        if len(args) != 1 or _SETTABLE.get(args[0]) not in self._true:
            return 255, f"Unknown get option: {args[0] if args else 'null'}\n"
        return 0, self.shown[_SETTABLE[args[0]]] + "\n"
