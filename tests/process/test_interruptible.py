"""Tests of Ctrl-C and of a closed terminal also work where these signals are ignored."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.interruptible import interruptible

TESTS = Path(__file__).resolve().parents[1]
# Each test sends SIGINT in a different way: to a child, or to its own process while a child runs.
INTERRUPTED = (
    "process/test_owned_folder.py::test_the_next_process_removes_a_killed_processs_folder[2]",
    "process/build/test_gradle.py::test_ctrl_c_reaches_gradle",
)


@pytest.mark.parametrize("name", INTERRUPTED)
def test_tests_of_ctrl_c_pass_where_sigint_is_ignored(name: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"{TESTS / name}"]
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as `nohup make test &` does
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert ended.returncode == 0 and "1 passed" in ended.stdout, ended.stdout + ended.stderr


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


def test_every_test_that_sends_sigint_restores_its_default_action() -> None:
    sends = re.compile(r"(kill|send_signal|interrupt)\(.*\bsignal\.SIGINT|Signals = signal\.SIGINT|\[.*\bsignal\.SIGINT.*\]")
    senders = {path.name: path.read_text("utf-8") for path in TESTS.rglob("*.py") if path != Path(__file__).resolve()}
    senders = {name: text for name, text in senders.items() if sends.search(text)}
    assert {"command_line.py", "test_owned_folder.py", "test_fleet_engines.py", "test_phone_state.py"} <= set(senders)
    # `start` of support.command_line uses it for all its callers.
    missing = {name for name, text in senders.items() if "interruptible()" not in text and "command_line import" not in text}
    assert missing == set()
