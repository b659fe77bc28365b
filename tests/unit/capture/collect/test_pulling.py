"""What is pulled after a run: whole event files, the log of this run alone, the runtime's own complaints."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_device import FakeDevice

from navitas.capture.collect.apps.app_files import AppFolder
from navitas.capture.collect.readings.logcat import LogcatCapture, runtime_notes


@pytest.mark.parametrize(
    ("pulls", "missing"),
    [([b"12345"], 0), ([b"12", b"12345"], 0), ([b"12", b"123"], 2), ([b"", b""], 5), ([b"1234", b"12"], 1)],
)
def test_a_truncated_pull_is_tried_again_and_what_is_missing_is_counted(tmp_path: Path, pulls: list[bytes], missing: int) -> None:
    device = FakeDevice({"run-as p stat": "5\n"}, list(pulls))
    assert AppFolder(device, "p").pull("events-1.nvch", tmp_path / "e") == missing
    assert (tmp_path / "e").read_bytes() == max(pulls, key=len)
    assert device.pulls == []


def test_a_file_whose_size_is_unknown_is_taken_as_it_comes(tmp_path: Path) -> None:
    device = FakeDevice({"run-as p stat": "stat: not found\n"}, [b"12"])
    assert AppFolder(device, "p").pull("events-1.nvch", tmp_path / "e") == 0


class LogDevice(FakeDevice):
    """A log with lines from before and after the mark, whatever the clock says."""

    def logged(self, *, with_mark: bool) -> None:
        begin = next(command.split()[-1] for command in self.commands if command.startswith("log -t navitas-collect"))
        mark = f"1700000000.0 I navitas-collect: {begin}\n" if with_mark else ""
        self.pulls = [f"1700000000.0 I old: before\n{mark}1699996400.0 I new: after\n".encode()]


@pytest.mark.parametrize("with_mark", [True, False])
def test_the_log_begins_at_its_mark_even_if_the_clock_was_set_back(tmp_path: Path, with_mark: bool) -> None:
    device = LogDevice()
    with LogcatCapture(device, tmp_path / "log", "files") as capture:
        device.logged(with_mark=with_mark)
    assert capture.failure is None
    text = (tmp_path / "log").read_text()
    assert "after" in text and ("before" in text) is not with_mark
    assert not any("-T" in command for command in device.commands), "times are not trusted"


def test_the_runtimes_complaints_are_found_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "logcat.txt"
    log.write_text(
        "1.0 E AndroidRuntime: navitas: [recording_stopped] recording stops here: writing events failed: no space\n"
        "1.0 W System.err: navitas: [recording_stopped] recording stops here: writing events failed: no space\n"
        "1.0 W System.err: navitas: [records_lost] any words\n"
        "1.0 W System.err: navitas: [thread_stopped] a thread is no longer recorded: no memory\n"
        "1.0 W System.err: navitas: [counter_unreadable] cannot read /proc/x: none\n"
        "1.0 W System.err: navitas: [of_a_newer_runtime] nothing is recorded: records were lost: 17\n"
        "1.0 I other: about navitas: nothing is recorded, records were lost: 17\n"
    )
    assert runtime_notes(log) == [
        "recording stops here: writing events failed: no space",
        "any words",
        "a thread is no longer recorded: no memory",
    ]
    assert runtime_notes(tmp_path / "none") == []
