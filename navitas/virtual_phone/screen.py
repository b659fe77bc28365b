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

    def dump_power(self) -> str:
        """Return an abridged text of `dumpsys power`."""
        return (
            "POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mDirty=0x0\n"
            f"  mWakefulness={'Awake' if self.awake else 'Asleep'}\n  mWakefulnessChanging=false\n"
        )

    def dump_display(self) -> str:
        """Return an abridged text of `dumpsys display`."""
        return f"DISPLAY MANAGER (dumpsys display)\n  mGlobalDisplayState={'ON' if self.awake else 'OFF'}\n"
