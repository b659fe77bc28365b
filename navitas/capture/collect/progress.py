"""The interface for the progress of a profiling, and the one of scripts, which logs it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Protocol

_LOG = logging.getLogger("navitas")


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


@dataclass(frozen=True)
class LoggedProgress:
    """Logs to the logger `navitas`: stages, details and tests as information, warnings as warnings."""

    def stage(self, text: str) -> None:
        _LOG.info("%s", text)

    def detail(self, text: str) -> None:
        _LOG.debug("%s", text)

    def warning(self, message: str, remedy: str) -> None:
        _LOG.warning("%s%s", message, f" ({remedy})" if remedy else "")

    def test(self, number: int, total: int, name: str) -> None:
        _LOG.info("%d/%d %s", number, total, name)
