"""The interface through which the stages of a profiling report progress."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives progress; implementations print it or drop it. Called from one thread."""

    def stage(self, text: str) -> None:
        """A new stage begins: building, installing, running, pulling."""
        ...

    def detail(self, text: str) -> None:
        """Something within the stage that is worth a temporary line."""
        ...

    def test(self, number: int, total: int, name: str) -> None:
        """Test `number` of `total` has started."""
        ...
