"""Progress that is not shown."""

from __future__ import annotations


class NoProgress:
    """Says nothing."""

    def stage(self, text: str) -> None: ...

    def detail(self, text: str) -> None: ...

    def test(self, number: int, total: int, name: str) -> None: ...
