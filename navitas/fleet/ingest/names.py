"""App names and versions → package numbers, assigned in order of first occurrence."""

from __future__ import annotations

import re

import pyarrow as pa

from navitas.fleet.schema import PACKAGES_LIMIT

MAX_APP, MAX_VERSION = 255, 100
CONTROL = r"[\x00-\x1f\x7f-\x9f" + "\u2028-\u202e\u2066-\u2069]"
"""Characters that no name has, as a pattern for Python and Arrow: they end a line, steer a terminal or turn text."""
_CONTROL = re.compile(CONTROL)
MISSING = "apps: a name is missing"


class Packages:
    """The packages of a fleet, including new ones."""

    def __init__(self, table: pa.Table) -> None:
        names = zip(table["app"].to_pylist(), table["version"].to_pylist(), strict=True)
        self._number = dict(zip((_joined(*pair) for pair in names), table["id"].to_pylist(), strict=True))
        self._next = max(self._number.values(), default=-1) + 1
        self.changed = False

    def number(self, text: str) -> int:
        """The number of `app@version`, assigned if it is new; −1 if no numbers are left."""
        number = self._number.get(text)
        if number is None:
            key = _joined(*_split(text))
            number = self._number.get(key)
        if number is None:
            if self._next >= PACKAGES_LIMIT:
                return -1
            number = self._number[key] = self._next
            self._next += 1
            self.changed = True
        return number

    def fault(self, text: str) -> str:
        """The fault of a name; empty if it has none."""
        if text in self._number:
            return ""
        app, version = _split(text)
        if not app:
            return MISSING
        if len(app) > MAX_APP or len(version) > MAX_VERSION:
            return f"apps: a name is longer than {MAX_APP} characters, or a version than {MAX_VERSION}"
        return "apps: a name has control characters" if _CONTROL.search(text) else ""

    def table(self) -> pa.Table:
        """All packages by number."""
        parts = [_split(key) for key in self._number]
        return pa.table(
            {
                "id": pa.array(self._number.values(), pa.int32()),
                "app": [app for app, _ in parts],
                "version": [version for _, version in parts],
            }
        )


def _split(text: str) -> tuple[str, str]:
    app, _, version = text.partition("@")
    return app.strip(), version.strip()


def _joined(app: str, version: str) -> str:
    return f"{app}@{version}" if version else app
