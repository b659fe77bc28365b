"""What is printed about the recording of a measurement that ends with an error."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.capture import Capture
from support.golden import GOLDEN

from navitas.base.errors import DeviceError
from navitas.cli.habits.shared_options import ReportOptions
from navitas.cli.profile.measuring import report_partial_on_error


@pytest.mark.parametrize(
    ("state", "error", "said"),
    [
        ("complete", DeviceError("an app cannot be restored"), "recording kept"),
        ("complete", KeyboardInterrupt(), "recording kept"),
        ("partial", DeviceError("the device was lost"), "partial recording kept"),
        ("partial", KeyboardInterrupt(), "partial recording kept"),
    ],
)
def test_only_an_unfinished_recording_is_partial(
    tmp_path: Path, capsys: Capture, state: str, error: BaseException, said: str
) -> None:
    recording = tmp_path / "rec"
    with pytest.raises(type(error)), report_partial_on_error(recording, ReportOptions()):
        shutil.copytree(GOLDEN, recording)
        manifest = json.loads((recording / "manifest.json").read_text()) | {"state": state}
        (recording / "manifest.json").write_text(json.dumps(manifest))
        raise error
    assert capsys.readouterr().err.splitlines()[-1] == f"{said}: {recording} (navitas report {recording})"
    assert (recording / "report.json").exists() == isinstance(error, DeviceError)


def test_a_recording_from_before_is_not_mentioned(recording: Path, capsys: Capture) -> None:
    with pytest.raises(DeviceError), report_partial_on_error(recording, ReportOptions()):
        raise DeviceError("no device")
    assert capsys.readouterr().err == ""
