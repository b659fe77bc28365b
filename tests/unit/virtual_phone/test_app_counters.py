"""Counters that apps read as files below the phone's root."""

from __future__ import annotations

from pathlib import Path

from support.raising import raising

from navitas.virtual_phone.components.devices import TRAFFIC_FILE, AppCounters
from navitas.virtual_phone.components.network import AirTraffic


def test_a_process_reads_its_own_storage_counters(tmp_path: Path) -> None:
    counters = AppCounters(tmp_path)
    counters.write_io(12, lambda pid: f"write_bytes: {pid}\n".encode())
    assert (tmp_path / "proc/12/io").read_text() == "write_bytes: 12\n"

    counters.write_io(12, raising(ProcessLookupError()))
    assert (tmp_path / "proc/12/io").read_text() == "write_bytes: 12\n"
    counters.forget(12)
    assert not (tmp_path / "proc/12").exists()


def test_the_traffic_of_a_uid_is_that_of_all_its_interfaces(tmp_path: Path) -> None:
    counters = AppCounters(tmp_path)
    counters.write_traffic({}, {"lo": AirTraffic()})
    assert (tmp_path / TRAFFIC_FILE).read_text() == "lo 0 0 0 0\n"
    counters.write_traffic(
        {(10057, "wlan0"): AirTraffic(1, 2, 3, 4), (10057, "rmnet0"): AirTraffic(10, 20, 30, 40), (10058, "wlan0"): AirTraffic()},
        {"wlan0": AirTraffic(1, 2, 3, 4)},
    )
    assert (tmp_path / TRAFFIC_FILE).read_text() == "wlan0 1 2 3 4\n10057 11 22 33 44\n10058 0 0 0 0\n"
    assert [path.name for path in (tmp_path / TRAFFIC_FILE).parent.iterdir()] == ["traffic"]
