"""The interface for the progress of a profiling."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives progress, and prints or ignores it. Called from one thread."""

    def stage(self, text: str) -> None:
        """A new stage begins: building, installing, running, pulling."""
        ...

    def detail(self, text: str) -> None:
        """Details of the stage, shown on a temporary line."""
        ...

    def warning(self, message: str, remedy: str) -> None:
        """A warning, which is shown at once and stays."""
        ...

    def test(self, number: int, total: int, name: str) -> None:
        """Test `number` of `total` has started."""
        ...
