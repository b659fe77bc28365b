"""Ctrl-C as the end of a use, with the signal handlers of the command line."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import suppress

import pytest
from support.capture import Capture

from navitas.capture.collect.runs.app_use import until_ctrl_c
from navitas.cli import main

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """Those of a command, also where this process ignores some of the signals."""
    before = {number: signal.signal(number, main._on_signal) for number in NUMBERS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_ctrl_c_ends_the_use_and_a_second_one_interrupts_the_command() -> None:
    after = []
    with until_ctrl_c():
        signal.raise_signal(signal.SIGINT)
        after.append("the use went on")
    assert after == []
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("first", [signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_does_not_interrupt_the_cleanup_after_another_signal(first: signal.Signals, capfd: Capture) -> None:
    steps = []
    try:
        with suppress(KeyboardInterrupt), until_ctrl_c():
            try:
                signal.raise_signal(first)
            finally:
                signal.raise_signal(signal.SIGINT)
                steps.append("cleanup in the use")
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        pytest.fail("the cleanup after the use is interrupted")
    assert steps == ["cleanup in the use"]
    assert capfd.readouterr().err == 2 * "cleaning up; please wait\n"


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as by nohup
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
