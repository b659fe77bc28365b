"""Where methods begin in the source code."""

from __future__ import annotations

from typing import NamedTuple


class SourcePlace(NamedTuple):
    """Where a method begins. `line` is 0 if it is unknown."""

    class_name: str
    method: str
    file: str
    line: int

    @property
    def text(self) -> str:
        """Its file, in the folders of its package, and line, such as `org/example/Inbox.java:12`."""
        package = self.class_name.replace(".", "/").rpartition("/")[0]
        return f"{package}/{self.file}".removeprefix("/") + (f":{self.line}" if self.line else "")
