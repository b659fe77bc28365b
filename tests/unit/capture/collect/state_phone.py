"""A phone that understands what is sent to set its state, and that can refuse any of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from fake_device import FakeDevice

from navitas.base.errors import DeviceError
from navitas.capture.device.base import ShellResult


@dataclass
class StatePhone(FakeDevice):
    """`values`: settings by `namespace key`; `missing`: commands (beginnings) that this phone does not know;
    `stubborn`: commands that it takes without doing anything; `lost_from`: the call from which on it does not answer."""

    values: dict[str, str] = field(
        default_factory=lambda: {"system screen_brightness": "77", "system screen_brightness_mode": "1", "global wifi_on": "2"}
    )
    missing: tuple[str, ...] = ()
    stubborn: tuple[str, ...] = ()
    lost_from: int = 10**9
    awake: str = "Asleep"
    unplugged: bool = False
    doze: dict[str, str] = field(default_factory=lambda: {"deep": "1", "light": "1"})
    calls: int = 0
    done: list[str] = field(default_factory=list)

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        self.calls += 1
        if self.calls >= self.lost_from:
            raise DeviceError(f"device {self.info.serial} was lost", "connect it")
        out, silent = [], False
        for part in re.split(r"; ", command):
            silent = silent or part.startswith("{")
            text = self._run(part.strip("{} ").removesuffix("2>&1").strip())
            out.append("" if silent else text)
            if "} >/dev/null" in part:
                silent = False
        return ShellResult(0, "".join(out).encode(), b"")

    def _run(self, command: str) -> str:
        command = command.partition("}")[0].strip()
        self.done.append(command)
        if any(command.startswith(start) for start in self.missing):
            return "cmd: Can't find service: none\n"
        if any(command.startswith(start) for start in self.stubborn):
            return ""
        word, *args = command.split(" ")
        services: dict[str, Callable[[list[str]], str]] = {
            "echo": lambda args: args[0].strip("'") + "\n",
            "settings": self._settings,
            "dumpsys": self._dumpsys,
            "input": self._input,
            "cmd": self._doze,
            "svc": self._svc,
        }
        return services[word](args) if word in services else ""

    def _settings(self, args: list[str]) -> str:
        action, space, key, *value = args
        name = f"{space} {key}"
        if action == "get":
            return self.values.get(name, "null") + "\n"
        if action == "put":
            self.values[name] = value[0]
            return ""
        return f"Deleted {int(self.values.pop(name, None) is not None)} rows\n"

    def _dumpsys(self, args: list[str]) -> str:
        if args[0] == "power":
            return f"  mWakefulness={self.awake}\n"
        if len(args) > 1:
            self.unplugged = args[1] == "unplug"
            return ""
        frozen = "  (UPDATES STOPPED -- use 'reset' to restart)\n" if self.unplugged else ""
        return f"Current Battery Service state:\n{frozen}  USB powered: {str(not self.unplugged).lower()}\n  level: 50\n"

    def _input(self, args: list[str]) -> str:
        self.awake = {"224": "Awake", "223": "Dozing"}.get(args[1], self.awake)
        return ""

    def _doze(self, args: list[str]) -> str:
        _, action, kind = args
        if action == "enabled":
            return self.doze[kind] + "\n"
        self.doze[kind] = str(int(action == "enable"))
        return ""

    def _svc(self, args: list[str]) -> str:
        if args[0] == "wifi":
            self.values["global wifi_on"] = str(int(args[1] == "enable"))
        return ""

    def state(self) -> object:
        """Everything that can be set."""
        return dict(self.values), self.awake == "Awake", self.unplugged, dict(self.doze)
