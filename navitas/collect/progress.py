"""How the stages of a profiling tell what they are doing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives progress; implementations print it or drop it. Called from one thread."""

    def stage(self, text: str) -> None:
        """A new stage begins: building, installing, running, pulling."""
        ...

    def detail(self, text: str) -> None:
        """Something within the stage, worth a line while it lasts."""
        ...

    def test(self, number: int, total: int, name: str) -> None:
        """Test `number` of `total` has started."""
        ...
