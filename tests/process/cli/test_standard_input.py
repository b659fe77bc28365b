"""The end of standard input interrupts the command."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import signal, sys, time
from navitas.cli.profile.command import interrupt_at_end
signal.signal(signal.SIGTERM, signal.default_int_handler)
interrupt_at_end()
try:
    print("ready", flush=True)
    time.sleep(float(sys.argv[1]))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def start(seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, str(seconds)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_the_end_of_standard_input_interrupts_the_command() -> None:
    process = start(6000)
    assert process.communicate("some input before\n") == ("interrupted\n", "")


def test_the_command_ends_with_open_standard_input() -> None:
    process = start(0)
    assert process.wait() == 0
    assert process.communicate() == ("", "")
