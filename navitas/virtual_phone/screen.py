"""The screen's state for the power manager: awake or asleep (PowerManagerService). It shows nothing."""

from __future__ import annotations

_POWER, _SLEEP, _WAKEUP = "26", "223", "224"
_NAMES = {"KEYCODE_POWER": _POWER, "KEYCODE_SLEEP": _SLEEP, "KEYCODE_WAKEUP": _WAKEUP}


class Screen:
    """On at the start; a key can put it to sleep."""

    def __init__(self) -> None:
        self.awake = True

    def key(self, name: str) -> None:
        """Handle a key, by number or name. All keys except power, sleep and wake-up have no effect."""
        code = _NAMES.get(name, name)
        if code in (_POWER, _SLEEP, _WAKEUP):
            self.awake = {_POWER: not self.awake, _SLEEP: False, _WAKEUP: True}[code]
