"""The shell's loop: which files are in which blocks."""

from __future__ import annotations

import pytest

from navitas.capture.collect.readings.shell_sampler import ShellReads, last_block_command, loop_command

STAT, NET = "/proc/stat", "/proc/net/dev"


def test_without_traffic_all_files_are_in_each_block() -> None:
    command = loop_command(ShellReads([STAT]))
    assert "if [" not in command and command.count(f"cat {STAT}") == 2  # the first block, and the loop's
    assert command.endswith("sleep 0.2; done")


@pytest.mark.parametrize(
    ("traffic_s", "sleep", "own", "other"),
    [
        (0.2, "0.2", None, None),
        (0.1, "0.1", 2, None),
        (0.02, "0.02", 10, None),
        (0.005, "0.02", 10, None),
        (3.0, "0.2", None, 15),
    ],
)
def test_traffic_has_its_own_interval(traffic_s: float, sleep: str, own: int | None, other: int | None) -> None:
    command = loop_command(ShellReads([STAT], [NET], traffic_s))
    assert command.endswith(f"sleep {sleep}; done")
    assert (f"c={own};" in command, "$c" in command) == (own is not None, own is not None)
    assert (f"d={other};" in command, "$d" in command) == (other is not None, other is not None)
    first, _, loop = command.partition("while")
    assert NET in first and NET in loop


def test_the_block_after_the_loop_has_all_files_once() -> None:
    command = last_block_command(ShellReads([STAT], [NET], 3.0), "a.b")
    assert [command.count(text) for text in ('echo "@', f"cat {STAT}", f"cat {NET}", "pidof a.b", "while")] == [1, 1, 1, 1, 0]
    assert "time_in_state" not in last_block_command(ShellReads([STAT]))
