"""A timer that a sign of life starts again."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Watchdog:
    """Calls `expire` when nothing was fed for so long."""

    def __init__(self, timeout_s: float, expire: Callable[[], None]) -> None:
        self._timeout_s = timeout_s
        self._expire = expire
        self._fed = threading.Event()
        self._stop = False
        self.fired = False
        self._thread = threading.Thread(target=self._watch, name="navitas-watchdog", daemon=True)

    def __enter__(self) -> Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop = True
        self._fed.set()
        self._thread.join()

    def feed(self) -> None:
        """A sign of life: the time starts again."""
        self._fed.set()

    def _watch(self) -> None:
        while self._fed.wait(self._timeout_s):
            if self._stop:
                return
            self._fed.clear()
        if not self._stop:
            self.fired = True
            self._expire()
