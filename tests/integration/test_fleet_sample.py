"""`navitas fleet sample` on the virtual phone, to a file that is then ingested into a fleet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from support.fleet_samples import stored

from navitas.base.errors import ExitCode
from navitas.capture.device.adb import AdbDevice
from navitas.cli.fleet import sample as fleet_sample
from navitas.cli.main import run


@pytest.fixture
def discharging(phone: AdbDevice) -> Iterator[AdbDevice]:
    """The phone, with a battery that was unplugged and has lost a percent, in different seconds."""
    phone.shell("dumpsys batterystats --reset; dumpsys battery unplug; dumpsys battery set status 3")
    phone.shell("sleep 1.1; dumpsys battery set level 99; sleep 1.1")
    yield phone
    phone.shell("dumpsys battery reset")


def test_fleet_samples_of_the_virtual_phone(
    discharging: AdbDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, fleet = tmp_path / "samples.jsonl", tmp_path / "fleet"
    file.write_text('{"client": "cut')
    monkeypatch.setattr(fleet_sample, "device_of", lambda _serial: nullcontext(discharging))
    assert run(["fleet", "sample", "-o", str(file), "--client", "mine", "--battery-history"]) == ExitCode.OK
    capsys.readouterr()
    assert run(["fleet", "sample", str(fleet), "--client", "mine"]) == ExitCode.OK
    notes = capsys.readouterr().err
    assert "network" not in notes and "screen_on_s" not in notes
    assert stored(fleet)[0]["screen_on_ms"] > 0
    rows = [json.loads(line) for line in file.read_text().splitlines()[1:]]
    assert [row["level"] for row in rows][-2:] == [99, 99]
    assert rows[-2]["state"] == rows[-1]["state"] == "discharging"
    assert {row["client"] for row in rows} == {"mine"} and {row["os"] for row in rows} == {"14"}
    assert rows[-1]["network"] == "wifi"
    assert 0 <= rows[-1]["cpu"] <= 1 and rows[-1]["uptime_s"] > 0
    capsys.readouterr()
    assert run(["fleet", "ingest", str(fleet), str(file), "--json", "-"]) == ExitCode.CHECK_FAILED
    counts = json.loads(capsys.readouterr().out)["total"]
    assert counts["refused"] == {"is not JSON": 1} and counts["rows"] == len(rows) + 1
    assert len(stored(fleet)) == counts["accepted"] + 1
    assert run(["fleet", "sample"]) == run(["fleet", "sample", str(fleet), "-o", str(file)]) == ExitCode.USAGE
