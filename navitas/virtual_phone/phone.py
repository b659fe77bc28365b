"""The whole virtual phone: files, kernel, processes, packages, log and services."""

from __future__ import annotations

import errno
import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path

from navitas.errors import NavitasError
from navitas.virtual_phone import power_monitors
from navitas.virtual_phone.apk_install import Platform
from navitas.virtual_phone.app_host import AppHost
from navitas.virtual_phone.apps import RunningApps
from navitas.virtual_phone.battery_service import BatteryService
from navitas.virtual_phone.battery_stats import PhoneStatistics
from navitas.virtual_phone.components.app_counters import replace_file
from navitas.virtual_phone.components.component_rails import ComponentRails
from navitas.virtual_phone.components.device_state import WIFI_SCAN, DeviceState, DeviceSwitches, parse_report
from navitas.virtual_phone.components.figures import Arrays, Items, component_power
from navitas.virtual_phone.components.make import make_devices
from navitas.virtual_phone.components.network import SERVER
from navitas.virtual_phone.doze import DeviceIdle
from navitas.virtual_phone.file_tree import FileTree, Node
from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.jdks import JdkList
from navitas.virtual_phone.jobs import JobTable
from navitas.virtual_phone.kernel_port import KernelPort
from navitas.virtual_phone.logd import LogDaemon
from navitas.virtual_phone.package_manager import PackageManager
from navitas.virtual_phone.power_monitors import PowerMonitorService
from navitas.virtual_phone.process_table import ProcessTable
from navitas.virtual_phone.properties import Properties
from navitas.virtual_phone.rail_monitor import RailMonitor
from navitas.virtual_phone.releases import DEFAULT_SDK, FINE_POWER_MONITORS, has
from navitas.virtual_phone.screen import Screen
from navitas.virtual_phone.thermal import ThermalService
from navitas.virtual_phone.trace.sessions import Atrace

_log = logging.getLogger(__name__)

RAILS_PATH = "/sys/bus/iio/devices/iio:device0/energy_value"
_LOG_ADDRESS = "dev/socket/logdw"
_FULL_BRIGHTNESS = 255
_LONGEST_NUMBER = 18
# As on a new phone: automatic brightness, no entries for animations, radios on.
_SYSTEM_SETTINGS = {"screen_brightness": "102", "screen_brightness_mode": "1", "screen_off_timeout": "60000"}
_GLOBAL_SETTINGS = {"bluetooth_on": "1", "mobile_data": "1", "wifi_on": "1", "stay_on_while_plugged_in": "0"}


class Phone:
    """A phone under `root`, on one event loop. Call `start` and `stop` once each."""

    def __init__(
        self,
        root: Path,
        kernel: KernelPort,
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
        self.state = DeviceState(self._switches)
        rails = ComponentRails(component_power(items or {}, arrays or {}, voltage_v), voltage_v, seed)
        self.devices = make_devices(self.state, rails, root, uid_of=self._uid_of, logged_bytes=self._logged_bytes)
        self.processes = ProcessTable(kernel, self.devices)
        self.rails = RailMonitor(kernel, self.devices, self._uid_of)
        self.hides_rails = hides_rails
        self.power_monitors = PowerMonitorService(self.rails, seed)
        self.properties = Properties(name, model, properties or {}, sdk)
        self.battery = BatteryService(voltage_v, sdk)
        self.thermal = ThermalService()
        self.screen = Screen()
        self.doze = DeviceIdle()
        self.settings: dict[str, dict[str, str]] = {
            "system": dict(_SYSTEM_SETTINGS),
            "secure": {},
            "global": dict(_GLOBAL_SETTINGS),
        }
        self.statistics = PhoneStatistics(self.state, self.battery.history, self.devices.traffic_by_uid, self.devices.air_times)
        self.logd = LogDaemon(self._uid_of, self._report)
        self.log_address = root / _LOG_ADDRESS
        abis = tuple(self.properties.get("ro.product.cpu.abilist").split(","))
        self.packages = PackageManager(self.files, self.processes, Platform(sdk, abis))
        self.app_host = AppHost(self.files, self.processes, self.packages, self.logd, self.log_address, JdkList(jdks))
        self.apps = RunningApps(self.app_host)
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
            texts[RAILS_PATH] = self.rails.energy_value
        for path, text in texts.items():
            self.files.add_node(path, _live(text, path))

    async def start(self) -> None:
        """Start kernel, components and log."""
        self.kernel.start()
        self.devices.start()
        self.logd.start(self.log_address)

    async def stop(self) -> None:
        """End all jobs and processes, then log, components and kernel."""
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

    def put_setting(self, namespace: str, name: str, value: str | None) -> bool:
        """Change a setting, or delete it (None). Returns whether it existed."""
        values = self.settings[namespace]
        existed = name in values
        if value is None:
            self.state.change(lambda: values.pop(name, None))
        else:
            self.state.change(lambda: values.__setitem__(name, value))
        return existed

    def press(self, key: str) -> None:
        """Press a key, by number or name."""
        self.state.change(lambda: self.screen.key(key))

    def _switches(self) -> DeviceSwitches:
        switches = self.settings["global"]
        return DeviceSwitches(
            self.screen.awake,
            _brightness(self.settings["system"].get("screen_brightness", "")),
            *(switches.get(name) == "1" for name in ("wifi_on", "mobile_data", "bluetooth_on")),
        )

    def _uid_of(self, pid: int) -> int:
        return self.processes.uid_of(pid)

    def _logged_bytes(self, pid: int) -> int:
        return self.logd.received_bytes[pid]

    def _read_monitors(self, pid: int, number: str) -> None:
        """Answer an app's request for power monitors. An invalid one has no answer."""
        if not has("power monitors", self.sdk) or not number.isdecimal() or len(number) > _LONGEST_NUMBER:
            return
        uid = self._uid_of(pid)
        fine = self.packages.has_permission(uid, FINE_POWER_MONITORS)
        try:
            answer = self.power_monitors.answer(number, uid, fine=fine)
            replace_file(self.files.root / "proc" / str(pid) / power_monitors.ANSWER, answer.encode())
        except (OSError, NavitasError) as error:
            _log.error("process %d gets no power monitors: %s", pid, error)

    def _report(self, pid: int, kind: str, text: str) -> None:
        """Take an app's report that it starts or stops a component, or uses a server."""
        if self.processes.get(pid) is None:
            return  # it has just ended
        if kind == power_monitors.REPORT:
            self._read_monitors(pid, text)
            return
        if kind == WIFI_SCAN:
            self.state.start_wifi_scan()
            return
        if kind == SERVER and text.isdecimal() and len(text) <= _LONGEST_NUMBER:
            self.devices.uses_server(pid, int(text))
            return
        report = parse_report(pid, self._uid_of(pid), kind, text)
        if report is None:
            _log.warning("ignored an invalid report of process %d: %s %s", pid, kind[:40], text[:80])
            return
        starts, use = report
        if starts:
            self.state.start(use)
        else:
            self.state.stop(pid, use.kind, use.key)


def _brightness(text: str) -> float:
    """Return a setting of 0 to 255 as a ratio; the darkest one if it is not a number."""
    try:
        return min(max(float(text) / _FULL_BRIGHTNESS, 0.0), 1.0)
    except ValueError:
        return 0.0


def _live(text: Callable[[], str], path: str) -> Node:
    """Return a kernel text as a node. If the kernel model has failed, reading it is an input/output error."""

    def read() -> bytes:
        try:
            return text().encode()
        except NavitasError as error:
            _log.error("%s", error)
            raise OSError(errno.EIO, os.strerror(errno.EIO), path) from None

    return read
