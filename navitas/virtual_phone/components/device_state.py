"""What is switched on: the screen, radios, and the components that apps use. Every change is reported to listeners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

WIFI_SCAN = "wifiscan"
"""The word of an app's report of a scan, which ends by itself."""


class UseKind(StrEnum):
    """A component that an app starts and stops. The values are the words of the app's reports."""

    GNSS = "gnss"
    CAMERA = "camera"
    FLASHLIGHT = "flashlight"
    AUDIO = "audio"
    VIDEO = "video"
    SENSOR = "sensor"
    WAKE_LOCK = "wakelock"
    BLE_SCAN = "blescan"
    BLE_LINK = "blelink"
    WIFI_LOCK = "wifilock"


@dataclass(frozen=True, slots=True)
class ComponentUse:
    """One use of a component by a process. `name` is its tag, mode or sensor; `current_ma` the sensor's own figure."""

    pid: int
    uid: int
    kind: UseKind
    key: str
    name: str = ""
    current_ma: float = 0.0


@dataclass(frozen=True, slots=True)
class DeviceSwitches:
    """The state of the phone's own switches. `brightness` is 0 to 1."""

    screen_on: bool = True
    brightness: float = 0.4
    wifi_on: bool = True
    mobile_on: bool = True
    bluetooth_on: bool = True

    @property
    def route(self) -> str | None:
        """The interface to other hosts."""
        return "wlan0" if self.wifi_on else "rmnet0" if self.mobile_on else None


Listener = Callable[[], None]
_Result = TypeVar("_Result")


class DeviceState:
    """All uses and switches. `before_change` runs before each change, so that energy is integrated up to it."""

    def __init__(self, switches: Callable[[], DeviceSwitches]) -> None:
        self._switches = switches
        self.uses: dict[tuple[int, str, str], ComponentUse] = {}
        """The present uses, by process, kind and key."""
        self.before_change: list[Listener] = []
        self.after_change: list[Listener] = []
        self.wifi_scans = 0
        """The number of Wi-Fi scans that were started."""

    @property
    def switches(self) -> DeviceSwitches:
        """The present switches."""
        return self._switches()

    def of(self, kind: UseKind) -> list[ComponentUse]:
        """Return the present uses of a component, in the order of their start."""
        return [use for use in list(self.uses.values()) if use.kind is kind]

    def start(self, use: ComponentUse) -> None:
        """Begin a use. Starting it again changes nothing."""
        if (use.pid, use.kind, use.key) not in self.uses:
            self.change(lambda: self.uses.__setitem__((use.pid, use.kind, use.key), use))

    def stop(self, pid: int, kind: UseKind, key: str) -> None:
        """End a use, if it has begun."""
        if (pid, kind, key) in self.uses:
            self.change(lambda: self.uses.pop((pid, kind, key)))

    def process_ended(self, pid: int) -> None:
        """End all uses of a process, as the system does when a process dies."""
        for _, kind, key in [key for key in self.uses if key[0] == pid]:
            self.stop(pid, UseKind(kind), key)

    def start_wifi_scan(self) -> bool:
        """Start a scan. Returns False if Wi-Fi is off."""
        if not self.switches.wifi_on:
            return False
        self.change(self._scan)
        return True

    def change(self, action: Callable[[], _Result]) -> _Result:
        """Change something that uses energy, or that apps can ask for. Returns the action's result."""
        for listener in self.before_change:
            listener()
        result = action()
        for listener in self.after_change:
            listener()
        return result

    def _scan(self) -> None:
        self.wifi_scans += 1


def parse_report(pid: int, uid: int, kind: str, text: str) -> tuple[bool, ComponentUse] | None:
    """Return whether an app starts a use, and the use; None for an invalid report.

    A report is `+KEY CURRENT_MA NAME` or `-KEY`.
    """
    sign, rest = text[:1], text[1:]
    key, _, more = rest.partition(" ")
    current, _, name = more.partition(" ")
    try:
        use = ComponentUse(pid, uid, UseKind(kind), key, name, float(current or 0.0))
    except ValueError:
        return None
    if sign not in ("+", "-") or not key or not 0 <= use.current_ma < 1e4:
        return None
    return sign == "+", use
