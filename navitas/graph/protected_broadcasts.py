"""Broadcasts that only Android may send.

The actions are those of the elements `<protected-broadcast>` in AOSP's frameworks/base, core/res/AndroidManifest.xml, of
Android 8 to 16, without the actions of AOSP's own apps and services, which other apps do not receive. They are in
`protected_broadcasts.txt`, with the sources: a line has a common beginning, a colon, and the ends of actions.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

LIMITED_TO_SENDER = frozenset(f"android.appwidget.action.APPWIDGET_{end}" for end in ("UPDATE", "CONFIGURE"))
"""Broadcasts that Android sends, and that an app may send to itself only (AOSP's ActivityManagerService)."""


@cache
def protected_broadcasts() -> frozenset[str]:
    """All actions."""
    found = set[str]()
    for line in resources.files("navitas.graph").joinpath("protected_broadcasts.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            begin, _, ends = line.partition(":")
            found.update(f"{begin}{end}" for end in ends.split())
    return frozenset(found)
