"""All commands sent to a device are in docs/device-commands.md. tests/lint/test_documented_commands.py reads the source."""

from __future__ import annotations

import pytest
from support.device_commands import ServiceRecorder, simple_commands, unlisted
from support.lab import Lab

from navitas.capture.collect.doctor import examine
from navitas.capture.collect.readings.battery_sample import pull_history, take_sample


@pytest.mark.extended
def test_all_sent_commands_are_documented(lab: Lab) -> None:
    recorder = ServiceRecorder(lab.phone)
    measured = Lab(recorder, lab.bundles, lab.folder)
    measured.profile("*#passes", name="files", prepare=True, radios_off=True, force=True, isolate=True)
    measured.profile("*#passes", name="logcat", transport="logcat", record="both")
    examine(recorder, None)
    take_sample(recorder, "")
    pull_history(recorder, lab.folder / "history.txt")
    sent = simple_commands(recorder.services)
    assert len(sent) > 50
    assert unlisted(sent) == []
