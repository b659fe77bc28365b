"""File accesses of a process, as the phone's disk counts them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from navitas.virtual_phone.components.storage import DiskTraffic, StorageCounters, is_on_block_device

PID = 50


def io(proc: Path, *, read: int = 0, written: int = 0, wchar: int = 0) -> None:
    (proc / str(PID)).mkdir(exist_ok=True)
    (proc / str(PID) / "io").write_text(
        f"rchar: 1\nwchar: {wchar}\nsyscr: 2\nsyscw: 3\nread_bytes: {read}\nwrite_bytes: {written}\ncancelled_write_bytes: 0\n"
    )


def poll(disk: StorageCounters, pid: int) -> DiskTraffic:
    return disk.count(disk.read([pid]))


def test_a_block_device_counts_what_the_host_counts(tmp_path: Path) -> None:
    disk = StorageCounters(True, lambda pid: 0, tmp_path)
    io(tmp_path, read=4096, written=8192, wchar=99_999)
    assert poll(disk, PID) == DiskTraffic(4096, 8192)
    assert poll(disk, PID) == DiskTraffic()
    fields = disk.diskstats().split()
    assert fields[:3] == ["8", "0", "sda"] and len(fields) == 20
    assert (fields[3], fields[5], fields[7], fields[9]) == ("1", "8", "1", "16")
    assert b"write_bytes: 8192\n" in disk.process_io(PID)


def test_in_memory_the_disk_counts_writes_except_those_to_sockets(tmp_path: Path) -> None:
    sent = {PID: 0}
    disk = StorageCounters(False, sent.__getitem__, tmp_path)
    io(tmp_path, wchar=10_000)
    sent[PID] = 4000
    assert poll(disk, PID) == DiskTraffic(0, 6000)
    sent[PID] = 5000  # counted later than the write
    assert poll(disk, PID) == DiskTraffic()
    io(tmp_path, wchar=12_000)
    assert poll(disk, PID) == DiskTraffic(0, 1000)
    assert disk.total == DiskTraffic(0, 7000)
    assert b"write_bytes: 7000\n" in disk.process_io(PID)


def test_ended_and_damaged_processes_count_nothing(tmp_path: Path) -> None:
    disk = StorageCounters(True, lambda pid: 0, tmp_path)
    assert poll(disk, PID) == DiskTraffic()
    (tmp_path / str(PID)).mkdir()
    for text in ("", "write_bytes: x\nread_bytes: 1\nwchar: 1\n", "write_bytes 5"):
        (tmp_path / str(PID) / "io").write_text(text)
        assert poll(disk, PID) == DiskTraffic()


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="this system has no /proc/PID/io")
def test_real_writes_are_counted(tmp_path: Path) -> None:
    is_block = is_on_block_device(tmp_path)
    disk = StorageCounters(is_block, lambda pid: 0)
    poll(disk, os.getpid())
    before = disk.total.written_bytes
    with (tmp_path / "file").open("wb", buffering=0) as file:
        file.write(bytes(1 << 20))
        os.fsync(file.fileno())
    poll(disk, os.getpid())
    assert 1 << 20 <= disk.total.written_bytes - before < (1 << 20) + 65_536
    assert not list(tmp_path.glob(".io-probe"))
