"""Enters a context manager in the background, so that a slow start overlaps with other work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")


class BackgroundContext(Generic[T]):
    """Enters a context manager on a new thread. `result` returns its value or raises its error.

    Leaving the block waits until the context manager is entered, and then exits it. This doesn't depend on a call of `result`.
    """

    def __init__(self, make: Callable[[], AbstractContextManager[T]]) -> None:
        self._make = make
        self._entered = ExitStack()
        self._value: list[T] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._start, name="navitas-background", daemon=True)

    def _start(self) -> None:
        try:
            self._value.append(self._entered.enter_context(self._make()))
        except BaseException as error:
            self._error = error

    def __enter__(self) -> BackgroundContext[T]:
        self._thread.start()
        return self

    def result(self) -> T:
        """Wait until the context manager is entered; return its value or raise its error."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._value[0]

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._thread.join()
        self._entered.__exit__(kind, error, trace)
