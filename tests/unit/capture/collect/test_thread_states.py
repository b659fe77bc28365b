"""Threads' time_in_state in the shell's loop: only what has changed is kept."""

from __future__ import annotations

import re

from navitas.capture.collect.readings.shell_sampler import ChangedThreads, ShellReads, loop_command

PATH = b"# /proc/10/task/%d/time_in_state\n"


def block(*ticks: int) -> list[bytes]:
    lines = [b"@ 1.5\n", b"# /proc/stat\n", b"cpu 1\n"]
    for tid, value in enumerate(ticks):
        lines += [PATH % tid, b"cpu0\n", b"500000 %d\n" % value]
    return lines


def test_only_threads_that_ran_are_kept() -> None:
    changed = ChangedThreads()
    assert list(changed.lines_of(block(1, 2))) == block(1, 2)
    assert list(changed.lines_of(block(1, 3))) == [*block(), PATH % 1, b"cpu0\n", b"500000 3\n"]
    assert list(changed.lines_of(block(1, 3))) == block()
    assert list(changed.lines_of(block(2, 3))) == [*block(), PATH % 0, b"cpu0\n", b"500000 2\n"]
    assert list(changed.lines_of([])) == []


def test_only_threads_that_live_are_remembered() -> None:
    changed = ChangedThreads()
    list(changed.lines_of(block(1, 2)))
    assert list(changed.lines_of(block())) == block(), "a block without a pass: nothing is forgotten"
    assert list(changed.lines_of(block(1))) == block()
    assert list(changed.lines_of(block(1, 2))) == [*block(), PATH % 1, b"cpu0\n", b"500000 2\n"]
    for first in range(3):  # more threads than ever live at once
        many = [line for tid in range(first * 50_000, first * 50_000 + 50_000) for line in (PATH % tid, b"500000 1\n")]
        assert list(changed.lines_of(many)) == many
        assert list(changed.lines_of(many)) == []


def test_without_a_package_no_threads_are_read() -> None:
    assert "task" not in loop_command(ShellReads(["/proc/stat"]))
    assert "pidof a.b" in loop_command(ShellReads(["/proc/stat"]), "a.b")


def test_parts_of_the_loop_use_variables_of_their_own() -> None:
    """The threads_reading of threads sets e, n, p, q, s, w, x and f."""
    loop = loop_command(ShellReads(["/proc/stat"], ["/proc/net/dev"], 1.0, True), "a.b")
    counted = re.findall(r"(\w)=\$\(\(\1-1\)\)", loop)
    assert sorted(counted) == ["d", "g", "n", "w"]
    assert "dumpsys android.hardware.power.stats" in loop and "dumpsys" not in loop_command(ShellReads(["/proc/stat"]), "a.b")
