"""The screen, as far as the power manager tells of it: awake or asleep (PowerManagerService); nothing is shown on it."""

from __future__ import annotations

_POWER, _SLEEP, _WAKEUP = "26", "223", "224"
_NAMES = {"KEYCODE_POWER": _POWER, "KEYCODE_SLEEP": _SLEEP, "KEYCODE_WAKEUP": _WAKEUP}


class Screen:
    """On from the start, until a key sends it to sleep."""

    def __init__(self) -> None:
        self.awake = True

    def key(self, name: str) -> None:
        """A key was pressed, by number or name; all but power, sleep and wake-up go to apps, of which none listens."""
        code = _NAMES.get(name, name)
        if code in (_POWER, _SLEEP, _WAKEUP):
            self.awake = {_POWER: not self.awake, _SLEEP: False, _WAKEUP: True}[code]

    def dump_power(self) -> str:
        """Text of `dumpsys power`, in short."""
        return (
            "POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mDirty=0x0\n"
            f"  mWakefulness={'Awake' if self.awake else 'Asleep'}\n  mWakefulnessChanging=false\n"
        )

    def dump_display(self) -> str:
        """Text of `dumpsys display`, in short."""
        return f"DISPLAY MANAGER (dumpsys display)\n  mGlobalDisplayState={'ON' if self.awake else 'OFF'}\n"
