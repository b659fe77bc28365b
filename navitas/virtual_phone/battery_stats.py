"""The statistics of batterystats: for how long each uid used each component, and its traffic, while on battery (BatteryStats)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from navitas.virtual_phone.battery_history import BRIGHTNESS, BatteryHistory, uid_name
from navitas.virtual_phone.components.device_state import ComponentUse, DeviceState, UseKind
from navitas.virtual_phone.components.effects import AirTime
from navitas.virtual_phone.components.network import AirTraffic

_GPS_HANDLE = -10000
_FLAG_OF = {
    UseKind.GNSS: "gps", UseKind.SENSOR: "sensor", UseKind.CAMERA: "camera", UseKind.FLASHLIGHT: "flashlight",
    UseKind.AUDIO: "audio", UseKind.VIDEO: "video", UseKind.BLE_SCAN: "ble_scan",
    UseKind.WIFI_LOCK: "wifi_full_lock",
}  # fmt: skip
_CHECKIN_OF = {UseKind.AUDIO: "aud", UseKind.VIDEO: "vid", UseKind.FLASHLIGHT: "fla", UseKind.CAMERA: "cam"}
_TEXT_OF = {UseKind.AUDIO: "Audio", UseKind.VIDEO: "Video", UseKind.FLASHLIGHT: "Flashlight", UseKind.CAMERA: "Camera"}
_CONTROLLERS = {"wifi": ("gwfcd", 1), "modem": ("gmcd", 5)}
"""Checkin type of each radio's controller, and the number of its power levels."""
_CHECKIN_VERSION, _PARCEL_VERSION = 36, 214

TrafficByUid = Mapping[tuple[int, str], AirTraffic]


@dataclass(frozen=True, slots=True)
class _Key:
    """What a timer measures: a uid's use of a component. `name` is a wake lock's tag or a sensor."""

    uid: int
    kind: UseKind
    name: str


@dataclass(eq=False)
class PhoneStatistics:
    """Timers and counters since the last reset. They advance on battery only; the history is always recorded."""

    _state: DeviceState
    _history: BatteryHistory
    _traffic: Callable[[], TrafficByUid]
    _air_times: Callable[[], Mapping[str, AirTime]]
    _clock_ns: Callable[[], int] = time.monotonic_ns
    _on_battery: bool = False
    _active: set[_Key] = field(default_factory=set)
    _locks: set[tuple[int, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.reset()
        self._state.before_change.append(self._settle)
        self._state.after_change.append(self._changed)
        self._changed()

    def reset(self) -> None:
        """Clear all timers and counters."""
        self._reset_ns = self._now_ns = self._clock_ns()
        self._spent_ns: Counter[_Key] = Counter()
        self._counts: Counter[_Key] = Counter(self._active)
        self._screen_ns = self._battery_ns = 0
        self._bins_ns = [0] * len(BRIGHTNESS)
        self._transferred: dict[tuple[int, str], AirTraffic] = {}
        self._seen = dict(self._traffic())
        self._seen_air = dict(self._air_times())
        self._air = dict.fromkeys(self._seen_air, AirTime())

    def reset_all(self, shown: Mapping[str, str]) -> None:
        """Run `dumpsys batterystats --reset`, with the present values of the battery service."""
        self.reset()
        self._history.reset()
        self._history.add(shown)
        for use in self._state.of(UseKind.WAKE_LOCK):
            self._history.wake_lock(use.uid, use.name, True)
        self._record_states()

    def plugged(self, is_plugged: bool) -> None:
        """Set whether the battery service shows a charger."""
        self._settle()
        self._on_battery = not is_plugged

    def checkin(self, packages: Mapping[int, str], build: str) -> str:
        """Return all statistics for checkin, without the history."""
        self._settle()
        elapsed_ms = (self._now_ns - self._reset_ns) // 1_000_000
        on_ms, screen_ms = self._battery_ns // 1_000_000, self._screen_ns // 1_000_000
        lines = [f"9,0,i,uid,{uid},{name}" for uid, name in sorted(packages.items())]
        start_ms = time.time_ns() // 1_000_000 - elapsed_ms
        off_ms = on_ms - screen_ms
        lines.append(f"9,0,l,bt,0,{on_ms},{on_ms},{elapsed_ms},{elapsed_ms},{start_ms},{off_ms},{off_ms},0,-1,-1,0")
        lines.append("9,0,l,gn," + ",".join(map(str, [*self._network(None)[:8], 0, 0])))
        lock_ms = sum(ns for key, ns in self._spent_ns.items() if key.kind is UseKind.WAKE_LOCK) // 1_000_000
        lines.append(f"9,0,l,m,{screen_ms},0,0,{lock_ms},0,0,{screen_ms},0,0,0,0,0,0,0,0,0,0,0,0,0")
        lines.append("9,0,l,br," + ",".join(str(ns // 1_000_000) for ns in self._bins_ns))
        lines += [_controller_line(name, time) for name, time in self._air.items() if time != AirTime()]
        for uid in self._uids():
            lines += self._uid_lines(uid)
        return "".join(f"{line}\n" for line in [version(build), *lines])

    def text(self) -> str:
        """Return the statistics as text, abridged."""
        self._settle()
        lines = [
            "",
            "Statistics since last charge:",
            "  System starts: 0, currently on battery: " + str(self._on_battery).lower(),
        ]
        lines.append(f"  Time on battery: {_spaced(self._battery_ns)} (100%) realtime")
        lines.append(f"  Screen on: {_spaced(self._screen_ns)}")
        lines.append("  Screen brightnesses:")
        lines += [f"    {name} {_spaced(ns)}" for name, ns in zip(BRIGHTNESS, self._bins_ns, strict=True) if ns]
        for uid in self._uids():
            lines.append(f"  {uid_name(uid)}:")
            mobile, wifi = (self._transferred.get((uid, name), AirTraffic()) for name in ("rmnet0", "wlan0"))
            for name, one in (("Mobile", mobile), ("Wi-Fi", wifi)):
                if one:
                    packets = f"(packets {one.rx_packets} received, {one.tx_packets} sent)"
                    lines.append(f"    {name} network: {_size(one.rx_bytes)} received, {_size(one.tx_bytes)} sent {packets}")
            for key in self._keys(uid):
                times = f"{_spaced(self._spent_ns[key])} realtime ({self._counts[key]} times)"
                if key.kind is UseKind.WAKE_LOCK:
                    locked = f"{_spaced(self._spent_ns[key])} partial ({self._counts[key]} times)"
                    lines.append(f"    Wake lock {key.name}: {locked} realtime")
                elif key.kind in (UseKind.GNSS, UseKind.SENSOR):
                    lines.append(f"    Sensor {'GPS' if key.kind is UseKind.GNSS else key.name}: {times}")
                elif key.kind in _TEXT_OF:
                    lines.append(f"    {_TEXT_OF[key.kind]}: {times}")
                elif key.kind is UseKind.BLE_SCAN:
                    lines.append(f"    Bluetooth Scan (total actual realtime): {times}")
        return "\n".join(lines) + "\n"

    def _uid_lines(self, uid: int) -> list[str]:
        lines = []
        network = self._network(uid)
        if any(network):
            lines.append(f"9,{uid},l,nt," + ",".join(map(str, network)))
        for key in self._keys(uid):
            ms, count = self._spent_ns[key] // 1_000_000, self._counts[key]
            if key.kind is UseKind.WAKE_LOCK:
                tag = key.name.replace(",", "_")
                lines.append(f"9,{uid},l,wl,{tag},0,f,0,0,0,0,{ms},p,{count},0,0,{ms},0,bp,0,0,0,0,0,w,0,0,0,0")
            elif key.kind in (UseKind.GNSS, UseKind.SENSOR):
                handle = str(_GPS_HANDLE) if key.kind is UseKind.GNSS else key.name.rpartition(" ")[2]
                lines.append(f"9,{uid},l,sr,{handle},{ms},{count},0,{ms},0")
            elif key.kind in _CHECKIN_OF:
                lines.append(f"9,{uid},l,{_CHECKIN_OF[key.kind]},{ms},{count}")
            elif key.kind is UseKind.BLE_SCAN:
                lines.append(f"9,{uid},l,blem,{ms},{count},0,{ms},0,0,0,0,0,0,0")
        return lines

    def _network(self, uid: int | None) -> list[int]:
        """Return the 22 fields of `nt`; for all uids if None."""
        rows = {name: AirTraffic() for name in ("rmnet0", "wlan0")}
        for (owner, name), traffic in self._transferred.items():
            if uid in (None, owner) and name in rows:
                rows[name] += traffic
        mobile, wifi = rows["rmnet0"], rows["wlan0"]
        sizes = [mobile.rx_bytes, mobile.tx_bytes, wifi.rx_bytes, wifi.tx_bytes]
        packets = [mobile.rx_packets, mobile.tx_packets, wifi.rx_packets, wifi.tx_packets]
        return [*sizes, *packets, *[0] * 14]

    def _uids(self) -> list[int]:
        return sorted({key.uid for key in self._counts} | {uid for uid, _ in self._transferred})

    def _keys(self, uid: int) -> list[_Key]:
        return sorted((key for key in self._counts if key.uid == uid), key=lambda key: (key.kind, key.name))

    def _settle(self) -> None:
        """Count the time and the traffic since the last call."""
        before_ns, self._now_ns = self._now_ns, self._clock_ns()
        traffic = self._traffic()
        gained = {key: total - self._seen.get(key, AirTraffic()) for key, total in traffic.items()}
        self._seen = dict(traffic)
        air = self._air_times()
        heard = {name: time - self._seen_air[name] for name, time in air.items()}
        self._seen_air = dict(air)
        if not self._on_battery:
            return
        dt_ns = self._now_ns - before_ns
        self._battery_ns += dt_ns
        switches = self._state.switches
        if switches.screen_on:
            self._screen_ns += dt_ns
            self._bins_ns[brightness_bin(switches.brightness)] += dt_ns
        for key in self._active:
            self._spent_ns[key] += dt_ns
        for name, gain_s in heard.items():
            self._air[name] += gain_s
        for owner, gain in gained.items():
            if gain:
                self._transferred[owner] = self._transferred.get(owner, AirTraffic()) + gain

    def _changed(self) -> None:
        """Record what began and ended."""
        active = {_key(use) for use in list(self._state.uses.values())}
        self._counts.update(active - self._active)
        self._active = active
        locks = {(key.uid, key.name) for key in active if key.kind is UseKind.WAKE_LOCK}
        for uid, tag in sorted(locks ^ self._locks):
            self._history.wake_lock(uid, tag, (uid, tag) in locks)
        self._locks = locks
        self._record_states()

    def _record_states(self) -> None:
        switches = self._state.switches
        kinds = {key.kind for key in self._active}
        flags = {"screen": switches.screen_on, "wifi": switches.wifi_on, "bluetooth": switches.bluetooth_on}
        flags |= {name: kind in kinds for kind, name in _FLAG_OF.items()}
        self._history.states(flags, brightness_bin(switches.brightness))


def _controller_line(name: str, time: AirTime) -> str:
    """Return what a radio's controller reports: idle and receive times, no charges, transmit times by power level."""
    kind, levels = _CONTROLLERS[name]
    idle_ms, rx_ms, tx_ms = (round(seconds * 1000) for seconds in (time.tail_s, time.rx_s, time.tx_s))
    return f"9,0,l,{kind},{idle_ms},{rx_ms},0.0,0.0," + ",".join(map(str, [tx_ms, *[0] * (levels - 1)]))


def version(build: str) -> str:
    """Return the version line of a checkin."""
    return f"9,0,i,vers,{_CHECKIN_VERSION},{_PARCEL_VERSION},{build},{build}"


def brightness_bin(brightness: float) -> int:
    """Return the bin of a brightness of 0 to 1."""
    return min(int(brightness * len(BRIGHTNESS)), len(BRIGHTNESS) - 1)


def _key(use: ComponentUse) -> _Key:
    return _Key(use.uid, use.kind, use.name if use.kind in (UseKind.WAKE_LOCK, UseKind.SENSOR) else "")


def _spaced(ns: int) -> str:
    """Format a duration as BatteryStats.formatTimeMs does: 1h 2m 3s 4ms."""
    seconds, ms = divmod(ns // 1_000_000, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "h"), (minutes, "m"), (seconds, "s")]
    return "".join(f"{value}{unit} " for value, unit in parts if value) + f"{ms}ms"


def _size(count: int) -> str:
    """Format bytes as BatteryStats.formatBytesLocked does."""
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if count >= unit:
            return f"{count / unit:.2f}{name}"
    return f"{count}B"
