"""The JDKs that the virtual phone may run: those that its owner's process has allowed. A bundle cannot allow one.

The list is a file outside of the phone's root, so nothing that arrives over adb can change it.
"""

from __future__ import annotations

from pathlib import Path

from navitas.trusted_paths import change_fault, owner_fault, replace_fault, resolved_steps

LIST_NAME = "jdks"
"""The name of the list's file in a phone's state folder."""


def program(home: str) -> Path:
    """Return the path of a JDK's `java`."""
    return Path(home) / "bin" / "java"


def why_not(home: str) -> str:
    """Return why a JDK's `java` must not run; empty if it exists and no other user can have put it there.

    Every part of its path, including links and their targets, must be trusted (`trusted_paths`).
    """
    path = program(home)
    try:
        if not path.is_file():
            return "there is no such JDK on this machine"
        faults = (owner_fault(part) or replace_fault(part) for part in resolved_steps(path))
        return next(filter(None, faults), "") or change_fault(path.resolve(strict=True))
    except OSError as error:
        return f"{error.filename}: {error.strerror}"


class JdkList:
    """The JDKs that a phone may run, in a file (None: only the default one)."""

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def allow(self, home: str) -> None:
        """Add a JDK, unless `why_not` gives a reason. The phone reports the reason if it needs that JDK."""
        if self._file is not None and "\n" not in home and not why_not(home):
            with self._file.open("a", encoding="utf-8", errors="surrogateescape") as out:
                out.write(f"{home}\n")

    def why_not(self, home: str) -> str:
        """Return why a phone must not run a JDK now; empty if it may."""
        reason = why_not(home)
        if reason or self._is_listed(home):
            return reason
        return "this phone's owner has not allowed it"

    def _is_listed(self, home: str) -> bool:
        try:
            text = self._file.read_text("utf-8", "surrogateescape") if self._file is not None else ""
        except FileNotFoundError:
            return False
        return home in text.split("\n")
