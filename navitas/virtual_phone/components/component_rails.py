"""The rails of the components other than the CPU: the energy that the phone really used, and the monitor's readings of it.

They are the reference for the profiler's estimate, so they share no code with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from navitas.virtual_phone.components.device_state import ComponentUse, DeviceSwitches, UseKind
from navitas.virtual_phone.components.effects import AirTime, Hold, RadioLoad, Ramp, Search
from navitas.virtual_phone.components.figures import StatePower, Temperament, temperament
from navitas.virtual_phone.components.network import AirTraffic
from navitas.virtual_phone.components.storage import DiskTraffic

# Names of Pixel's rails, by the components that they supply (docs/dev/virtual-phone.md has the source of each).
RAILS: Mapping[str, tuple[str, ...]] = {
    "VSYS_PWR_DISPLAY": ("display",),
    "VSYS_PWR_WLAN_BT": ("wifi", "bluetooth"),
    "VSYS_PWR_MODEM": ("modem",),
    "VSYS_PWR_RFFE": ("radio front end",),
    "L9S_GNSS_CORE": ("gnss",),
    "VSYS_PWR_CAMERA": ("camera", "flashlight"),
    "S9S_VDD_AOC": ("audio", "sensors"),
    "S5M_VDD_INT": ("video",),
    "L2S_PLL_MIPI_UFS": ("storage",),
    "S2S_VDD_G3D": ("gpu",),
}
_FRONT_END_RATIO = 0.3  # of the transmitter's power
_BLE_SCAN_DUTY = 0.1  # SCAN_MODE_LOW_POWER: 512 ms of every 5,120 ms (ScanManager)
_BLE_LINK_DUTY = 0.05  # an event of 2.5 ms every 50 ms, the longest interval of CONNECTION_PRIORITY_BALANCED
_AWAKE_MODES = ("3", "4")  # WIFI_MODE_FULL_HIGH_PERF, WIFI_MODE_FULL_LOW_LATENCY: no power save (WifiLockManager)
_NOISE = 0.002  # of a step's energy
_UJ_PER_MJ = 1000.0


@dataclass(frozen=True, slots=True)
class ComponentLoad:
    """What the components do in one step."""

    switches: DeviceSwitches
    uses: Sequence[ComponentUse] = ()
    wifi: AirTraffic = field(default_factory=AirTraffic)
    mobile: AirTraffic = field(default_factory=AirTraffic)
    disk: DiskTraffic = field(default_factory=DiskTraffic)
    wifi_scans: int = 0


class ComponentRails:
    """Cumulative energy of each component (true) and of each rail (as its monitor reads it). Uses no clocks."""

    def __init__(self, power: StatePower, voltage_v: float, seed: int = 0) -> None:
        self.power = power
        self._voltage_v = voltage_v
        self.nature: Temperament = temperament(seed, list(RAILS))
        self._random = Random(f"{seed}:noise")
        nature = self.nature
        self._wifi = RadioLoad(nature.wifi_bits_per_s, Hold(nature.wifi_tail_s))
        self._mobile = RadioLoad(nature.mobile_bits_per_s, Hold(nature.mobile_tail_s))
        self._scan_left_s = 0.0
        self._screen = Ramp(nature.screen_ramp_s)
        self._camera = Ramp(nature.camera_ramp_s)
        self._gnss = Search(nature.gnss_search_s)
        self._audio = Hold(nature.audio_standby_s)
        self._storage = Hold(nature.ufs_tail_s)
        self.true_uj: dict[str, float] = {name: 0.0 for names in RAILS.values() for name in names}
        self.air: dict[str, AirTime] = {"wifi": AirTime(), "modem": AirTime()}
        """The time of each radio so far."""
        self._read_uj: dict[str, float] = dict.fromkeys(RAILS, 0.0)

    def energies_uj(self) -> dict[str, float]:
        """Return the readings of all rails in µJ."""
        return dict(self._read_uj)

    def step(self, dt_ns: int, load: ComponentLoad) -> None:
        """Integrate one step in which the load does not change."""
        dt_s = dt_ns * 1e-9
        if dt_s <= 0:
            return
        spent_mj = {**self._shown(dt_s, load), **self._radios(dt_s, load), **self._used(dt_s, load)}
        for name, energy_mj in spent_mj.items():
            self.true_uj[name] += energy_mj * _UJ_PER_MJ
        for rail, names in RAILS.items():
            energy_uj = sum(spent_mj[name] for name in names) * _UJ_PER_MJ
            noise = self._random.gauss(0.0, _NOISE)
            self._read_uj[rail] += max(0.0, energy_uj * self.nature.gains[rail] * (1.0 + noise))

    def _shown(self, dt_s: float, load: ComponentLoad) -> dict[str, float]:
        """Return the energy of screen and GPU. The panel fades in and out; its controller does not."""
        power, switches = self.power, load.switches
        lit_s = self._screen.step(dt_s, switches.brightness if switches.screen_on else 0.0)
        on_s = dt_s if switches.screen_on else 0.0
        return {
            "display": power.screen_on_mw * on_s + power.screen_full_mw * lit_s,
            "gpu": self.nature.gpu_leak_mw * on_s,
        }

    def _radios(self, dt_s: float, load: ComponentLoad) -> dict[str, float]:
        power, nature, switches = self.power, self.nature, load.switches
        awake = any(use.kind is UseKind.WIFI_LOCK and use.name.partition(" ")[0] in _AWAKE_MODES for use in load.uses)
        wifi = self._wifi.step(dt_s, switches.wifi_on, load.wifi.rx_bytes, load.wifi.tx_bytes, stays_awake=awake)
        mobile = self._mobile.step(dt_s, switches.mobile_on, load.mobile.rx_bytes, load.mobile.tx_bytes)
        self.air["wifi"] += wifi
        self.air["modem"] += mobile
        wifi_mj = (
            power.wifi_rx_mw * wifi.rx_s
            + power.wifi_tx_mw * wifi.tx_s
            + power.wifi_idle_mw * (wifi.tail_s + nature.wifi_sleep_ratio * wifi.sleep_s)
            + power.wifi_scan_mw * self._scanned(dt_s, load)
        )
        kinds = [use.kind for use in load.uses]
        on_s = dt_s if switches.bluetooth_on else 0.0
        duty = _BLE_LINK_DUTY * kinds.count(UseKind.BLE_LINK) + (_BLE_SCAN_DUTY if UseKind.BLE_SCAN in kinds else 0.0)
        hearing_s = on_s * min(duty, 1.0)
        return {
            "wifi": wifi_mj,
            "bluetooth": power.bluetooth_idle_mw * (on_s - hearing_s) + power.bluetooth_rx_mw * hearing_s,
            **self._modem(mobile),
        }

    def _modem(self, time: AirTime) -> dict[str, float]:
        power = self.power
        front_end_mj = power.mobile_tx_mw * _FRONT_END_RATIO * time.tx_s
        modem_mj = (
            power.mobile_rx_mw * (time.rx_s + self.nature.mobile_tail_ratio * time.tail_s)
            + power.mobile_tx_mw * (1 - _FRONT_END_RATIO) * time.tx_s
            + power.mobile_sleep_mw * time.sleep_s
        )
        return {"modem": modem_mj, "radio front end": front_end_mj}

    def _scanned(self, dt_s: float, load: ComponentLoad) -> float:
        """Return the time of scanning. A scan that starts during another one extends it."""
        if load.wifi_scans:
            self._scan_left_s = self.nature.wifi_scan_s
        if not load.switches.wifi_on:
            self._scan_left_s = 0.0
        scanned_s = min(self._scan_left_s, dt_s)
        self._scan_left_s -= scanned_s
        return scanned_s

    def _used(self, dt_s: float, load: ComponentLoad) -> dict[str, float]:
        """Return the energy of the components that apps start and stop, and of storage."""
        power, nature = self.power, self.nature
        kinds = {use.kind for use in load.uses}
        gnss_s = dt_s if UseKind.GNSS in kinds else 0.0
        search_s = self._gnss.step(dt_s, UseKind.GNSS in kinds)
        camera_s = self._camera.step(dt_s, 1.0) if UseKind.CAMERA in kinds else 0.0
        if UseKind.CAMERA not in kinds:
            self._camera.level = 0.0  # it closes at once
        disk = load.disk
        active_s = self._storage.step(dt_s, bool(disk.read_bytes or disk.written_bytes))
        transfer_mj = (nature.ufs_read_nj_per_byte * disk.read_bytes + nature.ufs_write_nj_per_byte * disk.written_bytes) * 1e-6
        # A sensor that several listeners use runs once.
        sensors = {use.name or use.key: use.current_ma for use in load.uses if use.kind is UseKind.SENSOR}
        return {
            "gnss": power.gnss_mw * (gnss_s + (nature.gnss_search_ratio - 1) * search_s),
            "camera": power.camera_mw * camera_s,
            "flashlight": power.flashlight_mw * dt_s if UseKind.FLASHLIGHT in kinds else 0.0,
            "audio": power.audio_mw * self._audio.step(dt_s, UseKind.AUDIO in kinds),
            "sensors": sum(sensors.values()) * self._voltage_v * dt_s,
            "video": power.video_mw * dt_s if UseKind.VIDEO in kinds else 0.0,
            "storage": nature.ufs_active_mw * active_s + transfer_mj,
        }
