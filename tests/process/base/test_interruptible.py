"""Tests of Ctrl-C and of a closed terminal also work where these signals are ignored."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.interruptible import interruptible

TESTS = Path(__file__).resolve().parents[2]
# Each test sends SIGINT in a different way: to a child, or to its own process while a child runs.
INTERRUPTED = (
    "process/base/test_owned_folder.py::test_the_next_process_removes_a_killed_processs_folder[2]",
    "process/capture/build/test_gradle.py::test_ctrl_c_reaches_gradle",
)


def test_tests_of_ctrl_c_pass_where_sigint_is_ignored() -> None:
    tests = [f"{TESTS / name}" for name in INTERRUPTED]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as `nohup make test &` does
    try:
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert ended.returncode == 0 and "2 passed" in ended.stdout, ended.stdout + ended.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_a_process_ignores_no_signal_that_this_one_ignores(number: signal.Signals) -> None:
    program = f"import signal; print(signal.getsignal({number.value}) == signal.SIG_IGN)"
    handler = signal.signal(number, signal.SIG_IGN)
    try:
        with interruptible():
            ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, handler)
    assert ended.stdout == "False\n"
