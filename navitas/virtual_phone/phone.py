"""The whole virtual phone: files, kernel, processes, packages, log and services."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import time
from collections.abc import Callable
from contextvars import Context
from pathlib import Path

from navitas.base.errors import NavitasError
from navitas.virtual_phone.apk_install import Platform
from navitas.virtual_phone.app_host import AppHost
from navitas.virtual_phone.app_reports import AppReports
from navitas.virtual_phone.apps import RunningApps
from navitas.virtual_phone.battery_stats import PhoneStatistics
from navitas.virtual_phone.components.component_rails import ComponentRails
from navitas.virtual_phone.components.devices import make_devices, replace_file
from navitas.virtual_phone.components.figures import Arrays, Items, component_power
from navitas.virtual_phone.file_tree import FileTree, Node
from navitas.virtual_phone.host_java import JdkList
from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.kernel.live_kernel import Kernel
from navitas.virtual_phone.kernel.sysfs import energy_value
from navitas.virtual_phone.logd import LogDaemon
from navitas.virtual_phone.package_manager import PackageManager
from navitas.virtual_phone.power_monitors import PowerMonitorService
from navitas.virtual_phone.process_table import JobTable, ProcessTable
from navitas.virtual_phone.rail_monitor import RailMonitor
from navitas.virtual_phone.releases import DEFAULT_SDK, FINE_POWER_MONITORS, VERSIONS, has
from navitas.virtual_phone.system_broadcasts import changes
from navitas.virtual_phone.system_state import SystemState, app_text
from navitas.virtual_phone.trace.sessions import Atrace
from navitas.virtual_phone.trace.stack_sampler import StackSampler

_log = logging.getLogger(__name__)

RAILS_PATH = "/sys/bus/iio/devices/iio:device0/energy_value"
_LOG_ADDRESS = "dev/socket/logdw"
_STATE_FILE = "dev/socket/state"
"""What apps can ask, which their processes read (PhoneState.java)."""
_METER_S = 1.0
"""The period in which the battery's meter averages its current."""
PRODUCT = "navitas_virtual"
_BUILD = "NVP1.240101.001"


class Phone:
    """A phone under `root`, on one event loop. Call `start` and `stop` once each."""

    def __init__(
        self,
        root: Path,
        kernel: Kernel,
        *,
        name: str = "default",
        model: str = "Virtual phone",
        voltage_v: float = 3.85,
        properties: dict[str, str] | None = None,
        sdk: int = DEFAULT_SDK,
        power_profile: str = "",
        jdks: Path | None = None,
        items: Items | None = None,
        arrays: Arrays | None = None,
        seed: int = 0,
        hides_rails: bool = False,
    ) -> None:
        """`power_profile` is the text of `dumpsys batterystats --power-profile`; `jdks` lists JDKs for bundles.

        `items` and `arrays` are the power profile. `seed` determines what it does not contain. With `hides_rails`, files, traces
        and `dumpsys` show neither rails nor energy consumers: only power monitors do, if the release has them.
        """
        self.sdk = sdk
        self.power_profile = power_profile
        self.kernel = kernel
        self.files = FileTree(root, sdk)
        self.system = SystemState(voltage_v, sdk)
        self.state = self.system.devices
        rails = ComponentRails(component_power(items or {}, arrays or {}, voltage_v), voltage_v, seed)
        self.devices = make_devices(
            self.state, rails, root, uid_of=self._uid_of, logged_bytes=lambda pid: self.logd.received_bytes[pid]
        )
        self.processes = ProcessTable(kernel, self.devices)
        self.rails = RailMonitor(kernel, self.devices, self._uid_of)
        self.hides_rails = hides_rails
        self.power_monitors = PowerMonitorService(self.rails, seed)
        self.properties = Properties(name, model, properties or {}, sdk)
        history = self.system.battery.history
        self.statistics = PhoneStatistics(self.state, history, self.devices.traffic_by_uid, self.devices.air_times)
        abis = tuple(self.properties.get("ro.product.cpu.abilist").split(","))
        self.packages = PackageManager(self.files, self.processes, Platform(sdk, abis))
        self.packages.after_removal.append(self.system.package_removed)
        self.reports = AppReports(
            root,
            self.system,
            self.processes,
            uses_server=self.devices.uses_server,
            read_monitors=self._read_monitors if has("power monitors", sdk) else None,
        )
        self.logd = LogDaemon(self._uid_of, self._take_report)
        self.log_address = root / _LOG_ADDRESS
        self.stacks = StackSampler(self.processes, self.packages)
        parts = (self.files, self.processes, self.packages, self.logd, self.log_address, JdkList(jdks))
        self.app_host = AppHost(*parts, self.stacks)
        self.apps = RunningApps(self.app_host)
        self._state_file = root / _STATE_FILE
        self._shown_state = ""
        self._is_shown = True
        self._broadcast = self.system.broadcast_state()
        self._voltage_v = voltage_v
        self._meter: asyncio.Task[None] | None = None
        self.state.after_change.append(self._changed)
        self.jobs = JobTable(self.processes)
        self.atrace = Atrace(kernel, self.processes)
        self.files.process_node = self.processes.node
        texts: dict[str, Callable[[], str]] = {
            "/proc/stat": kernel.proc_stat,
            "/proc/uptime": kernel.uptime,
            "/proc/net/dev": self.devices.net_dev,
            "/proc/diskstats": self.devices.diskstats,
        }
        if not hides_rails:
            texts[RAILS_PATH] = lambda: energy_value(self.rails.rails_uj())
        for path, text in texts.items():
            self.files.add_node(path, _live(text, path))

    async def start(self) -> None:
        """Start kernel, components and log."""
        self.kernel.start()
        self.devices.start()
        self.logd.start(self.log_address)
        self._show_state()
        self._meter = asyncio.create_task(self._measure_current(), name="battery meter")

    async def stop(self) -> None:
        """End all jobs and processes, then log, components and kernel."""
        if self._meter is not None:
            self._meter.cancel()
        await self.jobs.stop()
        for process in self.processes.all():
            process.send_signal(signal.SIGKILL)
        await self.apps.stop()
        self.logd.stop()
        self.devices.stop()
        self.kernel.stop()

    def environment(self, who: Identity) -> dict[str, str]:
        """Return the environment of a new shell."""
        return {
            "ANDROID_DATA": "/data",
            "ANDROID_ROOT": "/system",
            "EXTERNAL_STORAGE": "/sdcard",
            "HOME": "/",
            "HOSTNAME": self.properties.get("ro.product.device"),
            "LOGNAME": who.name,
            "PATH": "/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin:/vendor/bin",
            "SHELL": "/system/bin/sh",
            "TMPDIR": "/data/local/tmp",
            "USER": who.name,
        }

    def _changed(self) -> None:
        """Show apps the present state if they can see that it has changed, and broadcast the change."""
        if not self._show_state():
            return
        before, self._broadcast = self._broadcast, self.system.broadcast_state()
        self.statistics.plugged(self.system.battery.is_plugged)
        self.apps.announce(["changed", *(f"broadcast {intent}" for intent in changes(before, self._broadcast))])

    def _show_state(self) -> bool:
        """Write the file of the state. Returns whether it has changed. After a failure, the battery's meter tries again."""
        text = app_text(self.system.app_values())
        if text == self._shown_state:
            return False
        try:
            replace_file(self._state_file, text.encode())
        except OSError as error:
            if self._is_shown:
                _log.error("apps do not see the phone's state: %s", error)
            self._is_shown = False
        else:
            self._shown_state, self._is_shown = text, True
        return True

    async def _measure_current(self) -> None:
        """Measure the battery's current on battery: the mean of all rails since the last measurement."""
        battery = self.system.battery
        last: tuple[float, float] | None = None
        while battery.current_ua is not None:
            try:
                now = None if battery.is_plugged else (time.monotonic(), sum(self.rails.rails_uj().values()))
            except NavitasError as error:
                _log.error("the battery's current is unknown: %s", error)
                battery.current_ua = None
            else:
                battery.current_ua = 0
                if now is not None and last is not None:
                    battery.current_ua = -round((now[1] - last[1]) / (now[0] - last[0]) / self._voltage_v)
                last = now
            if self._is_shown:
                self._show_state()
            else:
                self._changed()
            await asyncio.sleep(_METER_S)

    def _take_report(self, pid: int, kind: str, text: str) -> None:
        """Take an app's report. If a command that reads the log finds it, the command does not wait for what it changes."""
        Context().run(self.reports.take, pid, kind, text)

    def _uid_of(self, pid: int) -> int:
        return self.processes.uid_of(pid)

    def _read_monitors(self, uid: int) -> str:
        return self.power_monitors.answer(uid, fine=self.packages.has_permission(uid, FINE_POWER_MONITORS))


def _live(text: Callable[[], str], path: str) -> Node:
    """Return a kernel text as a node. If the kernel model has failed, reading it is an input/output error."""

    def read() -> bytes:
        try:
            return text().encode()
        except NavitasError as error:
            _log.error("%s", error)
            raise OSError(errno.EIO, os.strerror(errno.EIO), path) from None

    return read


class Properties:
    """The phone's properties. `ro.*` can be set once."""

    def __init__(self, name: str, model: str, extra: dict[str, str], sdk: int = DEFAULT_SDK) -> None:
        release = VERSIONS[sdk]
        self._values = {
            "ro.build.fingerprint": f"navitas/{PRODUCT}/{name}:{release}/{_BUILD}/1:userdebug/test-keys",
            "ro.build.id": _BUILD,
            "ro.build.type": "userdebug",
            "ro.build.version.release": release,
            "ro.build.version.sdk": str(sdk),
            "ro.debuggable": "1",
            "ro.hardware": "navitas",
            "ro.kernel.qemu": "0",
            "ro.navitas.virtual": "1",
            "ro.product.brand": "navitas",
            "ro.product.cpu.abi": "x86_64",
            "ro.product.cpu.abilist": "x86_64",
            "ro.product.device": name,
            "ro.product.manufacturer": "Navitas",
            "ro.product.model": model,
            "ro.product.name": PRODUCT,
            "ro.serialno": f"navitas-{name}",
            "sys.boot_completed": "1",
            "persist.sys.timezone": "UTC",
            **extra,
        }

    def get(self, name: str) -> str:
        """Return the value of a property; empty if unset."""
        return self._values.get(name, "")

    def set(self, name: str, value: str) -> bool:
        """Set a property. Returns False if it is read-only and has a value."""
        if name.startswith("ro.") and name in self._values:
            return False
        self._values[name] = value
        return True

    def all(self) -> dict[str, str]:
        """Return all properties, by name."""
        return dict(sorted(self._values.items()))
