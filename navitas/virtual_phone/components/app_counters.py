"""Counters that apps read on the phone, as files, since an app's JVM opens files itself: its storage, and the phone's traffic."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from navitas.virtual_phone.components.traffic import AirTraffic

TRAFFIC_FILE = "dev/socket/traffic"


class AppCounters:
    """Keeps `proc/PID/io` and `dev/socket/traffic` below the phone's root up to date. Files are replaced, so no read is torn."""

    def __init__(self, root: Path) -> None:
        self._proc = root / "proc"
        self._traffic_file = root / TRAFFIC_FILE
        self._traffic: dict[str, AirTraffic] | None = None

    def write_io(self, pid: int, read: Callable[[int], bytes]) -> None:
        """Write what a process read and wrote. Does nothing if it has ended."""
        try:
            replace_file(self._proc / str(pid) / "io", read(pid))
        except OSError:
            return

    def forget(self, pid: int) -> None:
        """Remove the file of an ended process."""
        shutil.rmtree(self._proc / str(pid), ignore_errors=True)

    def write_traffic(self, by_uid: Mapping[tuple[int, str], AirTraffic], interfaces: Mapping[str, AirTraffic]) -> None:
        """Write the traffic of each uid over all interfaces, and of each interface, if it has changed."""
        now = dict(interfaces)
        for (uid, _), traffic in by_uid.items():
            now[str(uid)] = now.get(str(uid), AirTraffic()) + traffic
        if now == self._traffic:
            return
        self._traffic = now
        lines = (f"{name} {one.rx_bytes} {one.rx_packets} {one.tx_bytes} {one.tx_packets}\n" for name, one in now.items())
        replace_file(self._traffic_file, "".join(lines).encode())


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file that apps read, and make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(data)
    part.replace(path)
