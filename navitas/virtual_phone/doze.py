"""Doze: `cmd deviceidle` (DeviceIdleController). The phone never enters it; only the settings change."""

from __future__ import annotations

_KINDS = ("light", "deep")
_USAGE = (
    "Device idle controller (deviceidle) commands:\n"
    "  enabled|enable|disable [light|deep|all]\n"
    "  get [light|deep|force|screen|charging|network]\n"
)


class DeviceIdle:
    """The kinds of doze that are enabled."""

    def __init__(self) -> None:
        self._enabled = dict.fromkeys(_KINDS, True)

    def command(self, args: list[str], *, screen_on: bool, charging: bool) -> tuple[int, str]:
        """Run a command. Returns exit status and output."""
        action, kind = [*args, "", ""][:2]
        kinds = _KINDS if kind in ("", "all") else (kind,) if kind in _KINDS else ()
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
        return 255, f"Unknown command: {action}\n{_USAGE}" if action else _USAGE
