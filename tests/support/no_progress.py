"""Progress that is not shown."""

from __future__ import annotations


class NoProgress:
    """Prints nothing."""

    def stage(self, text: str) -> None: ...

    def detail(self, text: str) -> None: ...

    def warning(self, message: str, remedy: str) -> None: ...

    def test(self, number: int, total: int, name: str) -> None: ...
