"""What a phone answers is bounded in time and memory, whatever it says."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from fake_device import FakeDevice

from navitas.base.errors import DeviceError, NavitasError
from navitas.capture.collect import phone_profile, power
from navitas.capture.collect.doctor import examine
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.readings import topology
from navitas.capture.collect.state.condition import parse_battery, parse_thermal
from navitas.capture.collect.state.guard import prepared
from navitas.capture.collect.state.journal import Journal
from navitas.capture.collect.state.settings import SETTINGS, parse_reading
from navitas.capture.device.base import ShellResult
from navitas.power.dump import from_dump

BLANK = "\n" * 300_000
ANSWERS = ["", "\0" * 5000, "9" * 6000, "@1\n" * 100_000, "policy0 0-99999999999 \U0001d7db\n", "\x1b[2J<b>'\"\r\n", BLANK]


def test_blank_lines_and_long_ones_are_read_once() -> None:
    assert parse_battery(BLANK) == parse_battery("") and parse_thermal(BLANK) == parse_thermal("")
    assert from_dump(BLANK) is None
    assert set(parse_reading(SETTINGS, f"@0\n{BLANK}").values()) == {None}
    line = f" a:{' ' * 300_000}{'x ' * 300}"
    assert parse_battery(f"Current Battery Service state:\n{line}\n  level: 50\n  scale: 100\n").level_percent == 50


@dataclass
class OneAnswer(FakeDevice):
    """Says the same to everything, and is unplugged at one of the commands."""

    answer: str = ""
    lost_at: int = -1

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        self.commands.append(command)
        if len(self.commands) > self.lost_at >= 0:
            raise DeviceError("device serial-1 was lost", "reconnect it")
        return ShellResult(0, self.answer.encode(), b"")


@pytest.mark.parametrize("answer", ANSWERS)
def test_any_answer_is_examined_and_settings_are_unchanged(answer: str) -> None:
    assert examine(OneAnswer(answer=answer, pulls=[b""] * 50), "a.b").evidence in ("device", "thread-time")
    warnings: list[str] = []
    with prepared(OneAnswer(answer=answer), lambda _code, message, _remedy: warnings.append(message), radios_off=True) as changed:
        assert not changed
    assert warnings and Journal(FakeDevice().info).read() is None
    with pytest.raises(NavitasError) as caught:
        power.choose(OneAnswer(answer=answer, pulls=[b""] * 50), ProfileOptions(), [])
    assert caught.value.remedy


@pytest.mark.parametrize("lost_at", range(5))
def test_a_phone_lost_at_any_command(lost_at: int) -> None:
    for use in (examine, lambda device: topology.read_cpus(device, topology.read_policies(device))):
        device = OneAnswer(answer="policy0 0", lost_at=lost_at, pulls=[b""] * 9)
        try:
            use(device)
        except DeviceError as error:
            assert error.remedy
    assert Journal(FakeDevice().info).read() is None


def test_cpus_are_bounded() -> None:
    assert topology.read_cpus(FakeDevice({"cat": "0-3,8\n"}), []) == [0, 1, 2, 3, 8]
    assert topology.read_cpus(FakeDevice({"cat": "0-9999,0-9999"}), []) == list(range(4096))
    for text in ("0-99999999999", "9" * 6000):
        with pytest.raises(DeviceError, match="nor"):
            topology.read_cpus(FakeDevice({"cat": text}), [])
    (policy,) = topology.read_policies(FakeDevice({"ls": "policy0 policy" + "7" * 6000, "cat": f"0 1 {'9' * 6000}"}))
    assert (policy.id, policy.cpus) == (0, [0, 1])
    policies = topology.read_policies(FakeDevice({"ls": "policy0 policy1 policy0", "cat": "0 0 4095 4096"}))
    assert [(policy.id, policy.cpus) for policy in policies] == [(0, [0, 4095]), (1, [])]


@dataclass
class Pulls(FakeDevice):
    """Has no `unzip`, and gives a damaged APK."""

    method: int = zipfile.ZIP_DEFLATED

    def pull(self, remote: str, local: Path) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", self.method) as archive:
            archive.writestr("res/xml/power_profile.xml", "<device>" * 100)
        data = bytearray(packed.getvalue())
        data[58:70] = b"\xff" * 12  # within the compressed bytes
        local.write_bytes(data)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_framework_is_none(method: int) -> None:
    device = Pulls({"stat": "1000\n"}, pulls=[b"sh: unzip: not found\n"], method=method)
    assert phone_profile._entry(device, phone_profile.FRAMEWORK) is None


def test_a_journal_that_cannot_be_read_is_a_row() -> None:
    device = OneAnswer(pulls=[b""] * 9, info=replace(FakeDevice().info))
    Journal(device.info).path.mkdir(parents=True)
    row = next(check for check in examine(device).checks if check.name == "settings")
    assert row.status == "problem" and "a folder, not a regular file" in row.found and row.remedy
