"""What is checked before a measurement, and what its caller hears and keeps."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from support.golden import GOLDEN

from navitas.base.errors import DeviceError, UsageError
from navitas.capture.collect.options import ProfileOptions
from navitas.cli.workflows.measurement import Caller, RunOptions


def test_a_recording_is_replaced_only_on_request(recording: Path) -> None:
    with pytest.raises(UsageError, match="already contains a recording"):
        RunOptions(output=recording).check(ProfileOptions())
    RunOptions(output=recording, replace=True).check(ProfileOptions())


def test_options_that_contradict_each_other_are_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--baseline"):
        RunOptions(output=tmp_path / "rec").check(ProfileOptions(baseline=True, granularity="test"))


@pytest.mark.parametrize("has_data", [False, True])
def test_only_an_empty_folder_is_removed_after_an_error(tmp_path: Path, has_data: bool) -> None:
    folder = tmp_path / "rec"
    folder.mkdir()
    if has_data:
        (folder / "manifest.json").write_text("{}")
    with pytest.raises(DeviceError), Caller().recording(folder):
        raise DeviceError("the device was lost")
    assert folder.exists() == has_data


def test_a_script_hears_of_warnings_by_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="navitas"):
        progress = Caller().progress
        progress.stage("building")
        progress.warning("a module is left out", "name it")
        progress.test(1, 2, "a.B#c")
    assert [(one.levelname, one.message) for one in caplog.records] == [
        ("INFO", "building"),
        ("WARNING", "a module is left out (name it)"),
        ("INFO", "1/2 a.B#c"),
    ]


def test_turns_go_on_until_the_interval_is_narrow() -> None:
    options = ProfileOptions(until_percent=1000.0)
    assert Caller().is_enough([GOLDEN], ProfileOptions()) is None
    narrow, wide = Caller().is_enough([GOLDEN], options), Caller().is_enough([GOLDEN], ProfileOptions(until_percent=0.1))
    assert narrow is not None and wide is not None
    assert not wide()
