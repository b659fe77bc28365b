"""A timer that restarts with every sign of progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_CHECK_S = 1.0


class Watchdog:
    """Calls `expire` if `count()`, for example the bytes received, has not changed for `timeout_s`."""

    def __init__(
        self, timeout_s: float, count: Callable[[], int], expire: Callable[[], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._timeout_s = timeout_s
        self._count = count
        self._expire = expire
        self._clock = clock
        self._last = count()
        self._since = clock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="navitas-watchdog", daemon=True)
        self.fired = False

    def __enter__(self) -> Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def check(self) -> None:
        """Compare with the last value; call `expire` if it has not changed for the whole time."""
        now = self._count()
        if now != self._last:
            self._last, self._since = now, self._clock()
        elif not self.fired and self._clock() - self._since >= self._timeout_s:
            self.fired = True
            self._expire()

    def _watch(self) -> None:
        while not self.fired and not self._stop.wait(min(_CHECK_S, self._timeout_s / 4)):
            self.check()
