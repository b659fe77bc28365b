"""The running components: polls the host's counters of the app's processes, and integrates the rails."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from navitas.virtual_phone.components.component_rails import ComponentLoad, ComponentRails
from navitas.virtual_phone.components.device_state import DeviceState
from navitas.virtual_phone.components.effects import AirTime
from navitas.virtual_phone.components.network import LOOPBACK, MOBILE, WIFI, AirTraffic, NetworkCounters, net_dev
from navitas.virtual_phone.components.sock_diag import SockDiag
from navitas.virtual_phone.components.storage import DiskTraffic, StorageCounters, is_on_block_device

TRAFFIC_FILE = "dev/socket/traffic"
_log = logging.getLogger(__name__)

_PERIOD_S = 0.010
_FRESH_NS = 1_000_000
_SAMPLE_NS = 100_000_000
"""The period in which the chip that meters these rails samples them."""


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


@dataclass(eq=False)
class Devices:
    """The components other than the CPU. Thread-safe; call `start` and `stop` once each.

    `network` is None if the host has no sock_diag: then its counters stay at 0, and `notes` names it. `shown` are the files in
    which apps read the counters.
    """

    state: DeviceState
    _rails: ComponentRails
    _network: NetworkCounters | None
    _storage: StorageCounters
    shown: AppCounters | None = None
    clock_ns: Callable[[], int] = time.monotonic_ns
    _pids: set[int] = field(default_factory=set)
    _scans: int = 0
    _network_errors: int = 0

    def __post_init__(self) -> None:
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._busy = threading.Event()
        self._thread = threading.Thread(target=self._run, name="virtual-devices", daemon=True)
        self._now_ns = self._polled_ns = self.clock_ns()
        self._sample = self._now_ns, self._rails.energies_uj()
        self.state.before_change.append(self.advance)

    def start(self) -> None:
        """Begin to poll."""
        self._now_ns = self._polled_ns = self.clock_ns()
        self._thread.start()

    def stop(self) -> None:
        """End polling (idempotent). Counters stay readable."""
        if self._stopping.is_set():
            return
        self.advance(poll=True)
        self._stopping.set()
        self._busy.set()
        if self._thread.is_alive():
            self._thread.join()
        for note in self.notes:
            _log.info("%s", note)
        if self._network is not None:
            self._network.close()

    def add_process(self, pid: int) -> None:
        """Count what a host process transfers from now on."""
        with self._lock:
            self.advance(poll=True)  # connections that ended earlier are not this process's
            self._pids.add(pid)
            if self.shown is not None:
                self.shown.write_io(pid, self._storage.process_io)
        self._busy.set()

    def remove_process(self, pid: int) -> None:
        """Stop counting an ended process. Call it before you reap it."""
        with self._lock:
            if pid in self._pids:
                self.advance(poll=True)
                self._pids.discard(pid)
                self._storage.forget(pid)
                if self.shown is not None:
                    self.shown.forget(pid)
            if not self._pids:
                self._busy.clear()

    def uses_server(self, pid: int, port: int) -> None:
        """Take a process's report that it uses the server at a port of this computer."""
        if self._network is not None:
            self._network.uses_port(pid, port)

    def advance(self, *, poll: bool = False) -> None:
        """Integrate up to now; read the host's counters if the last reading is older than 1 ms, or to `poll`."""
        with self._lock:
            before_ns, self._now_ns = self._now_ns, self.clock_ns()
            wifi = mobile = AirTraffic()
            disk = DiskTraffic()
            if poll or self._now_ns - self._polled_ns >= _FRESH_NS:
                self._polled_ns = self._now_ns
                # Before the sockets: what a process wrote to them until now is then in their counters, so no file's.
                accesses = self._storage.read(self._pids)
                wifi, mobile = self._transferred()
                disk = self._storage.count(accesses)
                self._show()
            scans, self._scans = self.state.wifi_scans - self._scans, self.state.wifi_scans
            uses = list(self.state.uses.values())
            load = ComponentLoad(self.state.switches, uses, wifi, mobile, disk, scans)
            self._rails.step(self._now_ns - before_ns, load)
            if self._now_ns - self._sample[0] >= _SAMPLE_NS:
                self._sample = self._now_ns, self._rails.energies_uj()

    def rails_uj(self) -> dict[str, float]:
        """Return the readings of all rails in µJ."""
        with self._lock:
            self.advance()
            return self._rails.energies_uj()

    def sampled_rails_uj(self) -> tuple[int, dict[str, float]]:
        """Return the metering chip's last sample: its time in ns, and the readings of all rails in µJ at that time."""
        with self._lock:
            self.advance()
            return self._sample

    def net_dev(self) -> str:
        """Return /proc/net/dev."""
        with self._lock:
            self.advance()
            return net_dev(self._network.interfaces if self._network else dict.fromkeys(("lo", WIFI, MOBILE), AirTraffic()))

    def traffic_by_uid(self) -> dict[tuple[int, str], AirTraffic]:
        """Return the traffic of each uid by radio interface."""
        with self._lock:
            self.advance()
            found = self._network.by_uid if self._network else {}
            return {key: traffic for key, traffic in found.items() if key[1] != LOOPBACK}

    def air_times(self) -> dict[str, AirTime]:
        """Return the times of each radio that reports them, by name."""
        with self._lock:
            self.advance()
            return {name: time for name, time in self._rails.air.items() if name in self._rails.power.reporting_radios}

    def diskstats(self) -> str:
        """Return /proc/diskstats."""
        with self._lock:
            self.advance()
            return self._storage.diskstats()

    def disk(self) -> DiskTraffic:
        """Return what the disk has read and written."""
        with self._lock:
            self.advance()
            return self._storage.total

    def process_io(self, pid: int) -> bytes:
        """Return /proc/PID/io of an app's process. Raises `OSError` if it has ended."""
        with self._lock:
            self.advance()
            return self._storage.process_io(pid)

    @property
    def notes(self) -> list[str]:
        """What the phone does not count, and why."""
        notes = []
        if self._network is None:
            notes.append("network traffic is not counted: this system has no sock_diag")
        else:
            if self._network_errors:
                notes.append(f"{self._network_errors} readings of the network traffic failed: it was counted later")
            if self._network.unseen:
                notes.append(f"{self._network.unseen} connections of this computer ended before their process was known")
            if self._network.unrouted:
                notes.append("traffic without Wi-Fi and mobile data is on no interface: the phone cannot prevent it")
        return notes

    def _transferred(self) -> tuple[AirTraffic, AirTraffic]:
        """Return the new traffic of Wi-Fi and of mobile data."""
        if self._network is None or self._stopping.is_set():
            return AirTraffic(), AirTraffic()
        route = self.state.switches.route
        try:
            gain = self._network.poll(self._pids, route)
        except OSError as error:
            self._network_errors += 1
            if self._network_errors == 1:
                _log.warning("a reading of the network traffic failed: %s", error.strerror or error)
            return AirTraffic(), AirTraffic()
        return (
            (gain, AirTraffic()) if route == WIFI else (AirTraffic(), gain) if route == MOBILE else (AirTraffic(), AirTraffic())
        )

    def _show(self) -> None:
        """Write what has changed to the files that apps read."""
        if self.shown is None:
            return
        for pid in self._storage.active:
            self.shown.write_io(pid, self._storage.process_io)
        try:
            if self._network is not None:
                self.shown.write_traffic(self._network.by_uid, self._network.interfaces)
        except OSError as error:
            _log.error("apps do not see their traffic: %s", error)
            self.shown = None

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._busy.wait()
            if self._stopping.wait(_PERIOD_S):
                break
            self.advance()


def make_devices(
    state: DeviceState,
    rails: ComponentRails,
    root: Path,
    *,
    uid_of: Callable[[int], int],
    logged_bytes: Callable[[int], int],
) -> Devices:
    """Return the components of a phone with its files in `root`. `logged_bytes` is what a process wrote to the log."""
    network = _network(uid_of)

    def elsewhere(pid: int) -> int:
        return logged_bytes(pid) + (network.payload_by_pid.get(pid, (0, 0))[1] if network else 0)

    storage = StorageCounters(is_on_block_device(root), elsewhere)
    return Devices(state, rails, network, storage, shown=AppCounters(root))


def _network(uid_of: Callable[[int], int]) -> NetworkCounters | None:
    try:
        return NetworkCounters(SockDiag(), uid_of)
    except OSError as error:
        _log.warning("the phone counts no network traffic: %s", error.strerror or error)
        return None
