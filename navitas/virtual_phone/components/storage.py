"""The app's real file accesses as the phone's storage counts them, from the host's /proc/PID/io."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

SECTOR_BYTES = 512
DEVICE = (8, 0, "sda")  # UFS is a SCSI disk
_PROBE_BYTES = 4096


@dataclass(frozen=True, slots=True)
class DiskTraffic:
    """Bytes that the storage device read and wrote."""

    read_bytes: int = 0
    written_bytes: int = 0

    def __add__(self, other: DiskTraffic) -> DiskTraffic:
        return DiskTraffic(self.read_bytes + other.read_bytes, self.written_bytes + other.written_bytes)


class StorageCounters:
    """Counters of the phone's disk.

    On a block device the host counts written pages. On tmpfs it does not. There, what a process writes is what it passes to
    write(2), minus what `elsewhere` (bytes by pid) counts as written to sockets and to the log.
    """

    def __init__(self, on_block_device: bool, elsewhere: Callable[[int], int], proc: Path = Path("/proc")) -> None:
        self._on_block_device = on_block_device
        self._elsewhere = elsewhere
        self._proc = proc
        self._counted: dict[int, DiskTraffic] = {}
        self.total = DiskTraffic()
        self.active: list[int] = []
        """Processes that accessed the disk between the last two polls."""
        self.accesses = [0, 0]
        """Polls in which the disk read, and in which it wrote: the number of requests, since requests are merged."""

    def read(self, pids: Iterable[int]) -> dict[int, DiskTraffic]:
        """Return what each process has read and written by now, on tmpfs anywhere."""
        return {pid: traffic for pid in pids if (traffic := self._read(pid)) is not None}

    def count(self, accesses: Mapping[int, DiskTraffic]) -> DiskTraffic:
        """Count what `read` returned, and return what is new since the last time. Bring `elsewhere` up to date in between."""
        gained = DiskTraffic()
        self.active.clear()
        for pid, now in accesses.items():
            last = self._counted.get(pid, DiskTraffic())
            written = now.written_bytes - (0 if self._on_block_device else self._elsewhere(pid))
            # `elsewhere` is read later, so the difference may go back for an instant.
            gain = DiskTraffic(max(now.read_bytes - last.read_bytes, 0), max(written - last.written_bytes, 0))
            self._counted[pid] = last + gain
            if gain != DiskTraffic():
                self.active.append(pid)
            gained += gain
        self.total += gained
        self.accesses[0] += gained.read_bytes > 0
        self.accesses[1] += gained.written_bytes > 0
        return gained

    def forget(self, pid: int) -> None:
        """Forget an ended process."""
        self._counted.pop(pid, None)

    def process_io(self, pid: int) -> bytes:
        """Return /proc/PID/io of a process: the host's, with the bytes that this disk wrote. Raises `OSError`."""
        text = (self._proc / str(pid) / "io").read_text()
        written = (self._counted.get(pid) or DiskTraffic()).written_bytes
        lines = (f"write_bytes: {written}" if line.startswith("write_bytes:") else line for line in text.splitlines())
        return ("\n".join(lines) + "\n").encode()

    def diskstats(self) -> str:
        """Return /proc/diskstats (Documentation/admin-guide/iostats.rst), without times: the disk takes none."""
        major, minor, name = DEVICE
        read, written = (-(-count // SECTOR_BYTES) for count in (self.total.read_bytes, self.total.written_bytes))
        return f"{major:4d} {minor:7d} {name} {self.accesses[0]} 0 {read} 0 {self.accesses[1]} 0 {written} 0 0 0 0 0 0 0 0 0 0\n"

    def _read(self, pid: int) -> DiskTraffic | None:
        try:
            text = (self._proc / str(pid) / "io").read_text()
        except OSError:  # it ended, or the host has no such counters
            return None
        fields = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
        try:
            read, written, wchar = (int(fields[name]) for name in ("read_bytes", "write_bytes", "wchar"))
        except (KeyError, ValueError):
            return None
        return DiskTraffic(read, written if self._on_block_device else wchar)


def is_on_block_device(folder: Path) -> bool:
    """Return whether the host's kernel counts writes to this folder as writes to a disk."""
    probe = folder / ".io-probe"
    try:
        before = _own_written_bytes()
        with probe.open("wb") as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
        return _own_written_bytes() - before >= _PROBE_BYTES
    except (OSError, ValueError):
        return False
    finally:
        probe.unlink(missing_ok=True)


def _own_written_bytes() -> int:
    for line in Path("/proc/self/io").read_text().splitlines():
        name, _, value = line.partition(": ")
        if name == "write_bytes":
            return int(value)
    raise ValueError("no write_bytes")
