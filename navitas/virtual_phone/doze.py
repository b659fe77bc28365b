"""Doze: `cmd deviceidle` (DeviceIdleController). The phone never enters it; only the settings and exemptions change."""

from __future__ import annotations

from collections.abc import Mapping

_KINDS = ("light", "deep")
_USAGE = (
    "Device idle controller (deviceidle) commands:\n"
    "  enabled|enable|disable [light|deep|all]\n"
    "  get [light|deep|force|screen|charging|network]\n"
    "  whitelist [{+|-}PACKAGE...]\n"
)


class DeviceIdle:
    """The kinds of doze that are enabled, and the packages that are exempt from it, with their uids."""

    def __init__(self) -> None:
        self._enabled = dict.fromkeys(_KINDS, True)
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
