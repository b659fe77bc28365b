"""The target SDK of an installed app, on which it depends what Android delivers to it."""

from __future__ import annotations

import re
import shlex

from navitas.device.base import Device

_TARGET = re.compile(r"\btargetSdk=([0-9]{1,5})\b")


def target_sdk(device: Device, package: str) -> int | None:
    """Return what the phone says; None if it says nothing."""
    found = _TARGET.search(device.shell(f"dumpsys package {shlex.quote(package)} | grep targetSdk=").text)
    return int(found[1]) if found else None
