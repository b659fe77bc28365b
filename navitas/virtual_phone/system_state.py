"""The state that the shell, dumps and apps show and change: battery, screen, radios, settings, and what belongs to them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from navitas.virtual_phone.battery_service import BatteryService
from navitas.virtual_phone.components.device_state import DeviceState, DeviceSwitches
from navitas.virtual_phone.system_broadcasts import BroadcastState, sticky

_SKIN_CELSIUS = 30.0
_POWER, _SLEEP, _WAKEUP = "26", "223", "224"
_SCREEN_KEYS = {"KEYCODE_POWER": _POWER, "KEYCODE_SLEEP": _SLEEP, "KEYCODE_WAKEUP": _WAKEUP}
_DOZE_KINDS = ("light", "deep")
_DOZE_USAGE = (
    "Device idle controller (deviceidle) commands:\n"
    "  enabled|enable|disable [light|deep|all]\n"
    "  get [light|deep|force|screen|charging|network]\n"
    "  whitelist [{+|-}PACKAGE...]\n"
)
RADIOS = {"wifi": "wifi_on", "data": "mobile_data", "bluetooth": "bluetooth_on"}
"""The global setting of each radio. Its value 2 is on in spite of airplane mode (WifiSettingsStore, BluetoothManagerService)."""
AIRPLANE, POWER_SAVE = "airplane_mode_on", "low_power"
_FULL_BRIGHTNESS = 255
# As on a new phone: automatic brightness, no entries for animations, radios on.
_SETTINGS = {
    "system": {"screen_brightness": "102", "screen_brightness_mode": "1", "screen_off_timeout": "60000"},
    "secure": {"android_id": "2c4e91d07ab35f68", "location_mode": "3"},
    "global": {
        AIRPLANE: "0", "bluetooth_on": "1", POWER_SAVE: "0", "mobile_data": "1", "wifi_on": "1", "stay_on_while_plugged_in": "0",
    },
}  # fmt: skip


@dataclass(slots=True)
class ThermalService:
    """The thermal status: 0, or the value of `cmd thermalservice override-status` (ThermalManagerService)."""

    override: int | None = None

    def dump(self) -> str:
        """Return the text of `dumpsys thermalservice`."""
        status = self.override or 0
        temperature = f"Temperature{{mValue={_SKIN_CELSIUS}, mType=3, mName=skin, mStatus={status}}}"
        return (
            f"IsStatusOverride: {str(self.override is not None).lower()}\n"
            "ThermalEventListeners:\n\tcallbacks: 0\n\tkilled: false\n\tbroadcasts count: -1\n"
            f"Thermal Status: {status}\n"
            f"Cached temperatures:\n\t{temperature}\n"
            "HAL Ready: true\nHAL connection:\n\tThermalHAL 2.0 connected: yes\n"
            f"Current temperatures from HAL:\n\t{temperature}\n"
            "Current cooling devices from HAL:\n"
        )


class Screen:
    """The screen for the power manager: on at the start; a key can put it to sleep (PowerManagerService)."""

    def __init__(self) -> None:
        self.awake = True

    def key(self, name: str) -> None:
        """Handle a key, by number or name. All keys except power, sleep and wake-up have no effect."""
        code = _SCREEN_KEYS.get(name, name)
        if code in (_POWER, _SLEEP, _WAKEUP):
            self.awake = {_POWER: not self.awake, _SLEEP: False, _WAKEUP: True}[code]


class DeviceIdle:
    """The kinds of doze that are enabled, and the packages that are exempt from it, with their uids (DeviceIdleController)."""

    def __init__(self) -> None:
        self._enabled = dict.fromkeys(_DOZE_KINDS, True)
        self.exempt: dict[str, int] = {}

    def whitelist(self, args: list[str], uids: Mapping[str, int]) -> tuple[int, str]:
        """Change the exemptions of installed packages, or list them. Returns exit status and output."""
        if not args:
            return 0, "".join(f"user,{package},{uid}\n" for package, uid in sorted(self.exempt.items()))
        text = ""
        for word in args:
            sign, package = word[:1], word[1:]
            if sign not in ("+", "-") or not package:
                return 255, f"{text}Package must be prefixed with +, -, or =: {word}\n"
            if sign == "-":
                text += f"Removed: {package}\n" if self.exempt.pop(package, None) is not None else ""
            elif package in uids:
                self.exempt[package] = uids[package]
                text += f"Added: {package}\n"
            else:
                text += f"Unknown package: {package}\n"
        return 0, text

    def command(self, args: list[str], *, screen_on: bool, charging: bool) -> tuple[int, str]:
        """Run a command. Returns exit status and output."""
        action, kind = [*args, "", ""][:2]
        kinds = _DOZE_KINDS if kind in ("", "all") else (kind,) if kind in _DOZE_KINDS else ()
        if action == "enabled" and kinds:
            return 0, f"{int(all(self._enabled[one] for one in kinds))}\n"
        if action in ("enable", "disable") and kinds:
            changed = [one for one in reversed(kinds) if self._enabled[one] != (action == "enable")]
            self._enabled.update(dict.fromkeys(changed, action == "enable"))
            return 0, "".join(f"{one.capitalize()} idle mode {action}d\n" for one in changed)
        states = {
            "light": "ACTIVE",
            "deep": "ACTIVE",
            "force": "false",
            "screen": str(screen_on).lower(),
            "charging": str(charging).lower(),
            "network": "true",
        }
        if action == "get" and kind in states:
            return 0, f"{states[kind]}\n"
        return 255, f"Unknown command: {action}\n{_DOZE_USAGE}" if action else _DOZE_USAGE


class SystemState:
    """All of it. `devices` is the part that uses energy; its listeners hear of every change."""

    def __init__(self, voltage_v: float, sdk: int) -> None:
        self.battery = BatteryService(voltage_v, sdk)
        self.screen = Screen()
        self.doze = DeviceIdle()
        self.thermal = ThermalService()
        self.settings = {namespace: dict(values) for namespace, values in _SETTINGS.items()}
        self.devices = DeviceState(self._switches)

    def put_setting(self, namespace: str, name: str, value: str | None) -> bool:
        """Change a setting, or delete it (None). Returns whether it existed."""
        values = self.settings[namespace]
        existed = name in values

        def put() -> None:
            if value is None:
                values.pop(name, None)
            else:
                values[name] = value
            if (namespace, name) == ("global", AIRPLANE) and value != "1":  # what was on in spite of it is simply on
                values.update({radio: "1" for radio in RADIOS.values() if values.get(radio) == "2"})

        self.devices.change(put)
        return existed

    def switch_radio(self, radio: str, on: bool) -> None:
        """Switch a radio, by the keys of `RADIOS`. Wi-Fi and Bluetooth can be on in airplane mode."""
        in_spite = self.settings["global"].get(AIRPLANE) == "1" and radio != "data"
        self.put_setting("global", RADIOS[radio], ("2" if in_spite else "1") if on else "0")

    def set_power_save(self, on: bool) -> None:
        """Switch the battery saver. A phone with a charger refuses to switch it on (BatterySaverStateMachine)."""
        if not (on and self.battery.is_plugged):
            self.put_setting("global", POWER_SAVE, str(int(on)))

    def package_removed(self, name: str) -> None:
        """Forget what belongs to a package."""
        self.devices.change(lambda: self.doze.exempt.pop(name, None))

    def press(self, key: str) -> None:
        """Press a key, by number or name."""
        self.devices.change(lambda: self.screen.key(key))

    def battery_command(self, args: list[str]) -> tuple[int, str]:
        """Run a command of the battery service. Returns exit status and output. A charger ends the battery saver.

        So does what the setting requested while there was a charger: it does not start when the charger is unplugged.
        """

        def end_power_save() -> None:
            if self.battery.is_plugged and self.settings["global"].get(POWER_SAVE) == "1":
                self.settings["global"][POWER_SAVE] = "0"

        def command() -> tuple[int, str]:
            end_power_save()
            answer = self.battery.command(args)
            end_power_save()
            return answer

        return self.devices.change(command)

    def override_thermal_status(self, status: int | None) -> None:
        """Set the thermal status, or (None) end that."""
        self.devices.change(lambda: setattr(self.thermal, "override", status))

    @property
    def is_power_save(self) -> bool:
        """Whether the battery saver is on. The setting alone does not switch it on while there is a charger."""
        return self.settings["global"].get(POWER_SAVE) == "1" and not self.battery.is_plugged

    def broadcast_state(self) -> BroadcastState:
        """Return what broadcasts report."""
        switches = self._switches()
        return BroadcastState(
            self.battery.extras(), self.battery.is_charging, self.is_power_save, switches.screen_on,
            self.settings["global"].get(AIRPLANE) == "1", switches.wifi_on, switches.bluetooth_on, switches.route,
        )  # fmt: skip

    def app_values(self) -> Mapping[str, str]:
        """Return what an app can ask, by the names that its process uses (PhoneState.java)."""
        switches, broadcasts = self._switches(), self.broadcast_state()
        values = {
            "interactive": str(int(switches.screen_on)),
            "power_save": str(int(self.is_power_save)),
            "wifi": str(int(switches.wifi_on)),
            "bluetooth": str(int(switches.bluetooth_on)),
            "network": switches.route or "",
            "thermal": str(self.thermal.override or 0),
            "idle_exempt": " ".join(sorted(self.doze.exempt)),
            **{f"battery.{name}": str(value) for name, value in self.battery.properties().items()},
            **{f"sticky.{number}": intent for number, intent in enumerate(sticky(broadcasts))},
        }
        for namespace, settings in self.settings.items():
            values |= {f"{namespace}.{name}": value for name, value in settings.items()}
        return values

    def _switches(self) -> DeviceSwitches:
        settings = self.settings["global"]
        on = ("2",) if settings.get(AIRPLANE) == "1" else ("1", "2")
        brightness = _brightness(self.settings["system"].get("screen_brightness", ""))
        return DeviceSwitches(self.screen.awake, brightness, *(settings.get(name) in on for name in RADIOS.values()))


def app_text(values: Mapping[str, str]) -> str:
    """Return values as lines for an app's process: a name, a space, and the value, percent-encoded bytes of the shell."""
    return "".join(" ".join(quote(text, errors="surrogateescape") for text in pair) + "\n" for pair in values.items())


def _brightness(text: str) -> float:
    """Return a setting of 0 to 255 as a ratio; the darkest one if it is not a number."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return min(max(value / _FULL_BRIGHTNESS, 0.0), 1.0) if math.isfinite(value) else 0.0
