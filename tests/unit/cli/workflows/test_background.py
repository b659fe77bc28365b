"""A background context manager is always exited, and `result` raises its error."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from navitas.base.errors import DeviceError
from navitas.cli.workflows.measurement import in_background


class Thing:
    """A context manager whose start a test can delay."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.go = threading.Event()
        self.said: list[str] = []
        self._error = error

    @contextmanager
    def open(self) -> Iterator[str]:
        self.go.wait(30)
        if self._error is not None:
            raise self._error
        self.said.append("entered")
        try:
            yield "value"
        finally:
            self.said.append("left")


def test_it_starts_in_the_background() -> None:
    thing = Thing()
    with in_background(thing.open) as background:
        assert thing.said == []
        thing.go.set()
        assert background.result() == background.result() == "value"
        assert thing.said == ["entered"]
    assert thing.said == ["entered", "left"]


def test_it_can_be_exited_meanwhile() -> None:
    exits = threading.Event()

    @contextmanager
    def opened() -> Iterator[str]:
        yield "value"
        exits.wait(30)
        raise DeviceError("lost at the end")

    with pytest.raises(DeviceError, match="lost at the end"), ExitStack() as ending:
        with in_background(opened, ending) as background:
            assert background.result() == "value"
        assert not exits.is_set(), "the block does not wait for the exit"
        exits.set()


def test_after_an_error_it_is_exited_at_once() -> None:
    thing = Thing()
    with ExitStack() as ending:
        with pytest.raises(KeyboardInterrupt), in_background(thing.open, ending):
            thing.go.set()
            raise KeyboardInterrupt
        assert thing.said == ["entered", "left"]


def test_it_is_exited_if_the_block_fails() -> None:
    thing = Thing()
    with pytest.raises(KeyboardInterrupt), in_background(thing.open):
        thing.go.set()
        raise KeyboardInterrupt
    assert thing.said == ["entered", "left"]


def test_result_raises_its_error() -> None:
    thing = Thing(DeviceError("no phone"))
    thing.go.set()
    with pytest.raises(DeviceError, match="no phone"), in_background(thing.open) as background:
        background.result()
    with in_background(thing.open):
        pass  # The block doesn't call result.


def test_the_error_of_the_block_reaches_the_context_manager() -> None:
    seen: list[BaseException] = []

    @contextmanager
    def watch() -> Iterator[None]:
        try:
            yield
        except ValueError as error:
            seen.append(error)
            raise

    with pytest.raises(ValueError, match="mine"), in_background(watch) as background:
        background.result()
        raise ValueError("mine")
    assert len(seen) == 1
