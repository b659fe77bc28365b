"""Something that takes time to start, started while something else is done."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")


class Ahead(Generic[T]):
    """Enters a context manager on a thread of its own; what it gives, or raises, comes from `get`.

    Leaving the block waits for the start to end, then leaves the context manager, also when `get` was never called.
    """

    def __init__(self, make: Callable[[], AbstractContextManager[T]]) -> None:
        self._make = make
        self._entered = ExitStack()
        self._value: list[T] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._start, name="navitas-ahead", daemon=True)

    def _start(self) -> None:
        try:
            self._value.append(self._entered.enter_context(self._make()))
        except BaseException as error:
            self._error = error

    def __enter__(self) -> Ahead[T]:
        self._thread.start()
        return self

    def get(self) -> T:
        """Wait for the start; raises what it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._value[0]

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._thread.join()
        self._entered.__exit__(kind, error, trace)
