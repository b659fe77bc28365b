"""Runs the stages of reading a source in several threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_MOST_THREADS = 8
"""Each thread needs memory for a block of a source."""

T = TypeVar("T")
R = TypeVar("R")


def in_order(items: Iterator[T], work: Callable[[T], R]) -> Iterator[R]:
    """Yield `work(item)` for each item, in order. A thread takes items, and others work on them, some items ahead.

    Threads run side by side, because Arrow and numpy release Python's lock.
    """
    threads = min(os.cpu_count() or 1, _MOST_THREADS)
    running: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as working, ThreadPoolExecutor(1) as taking:
        taken = taking.submit(_next, items)
        while (item := taken.result()) is not None:
            taken = taking.submit(_next, items)
            running.append(working.submit(work, item[0]))
            if len(running) > threads:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()


def _next(items: Iterator[T]) -> tuple[T] | None:
    """The next item; None at the end."""
    for item in items:
        return (item,)
    return None
