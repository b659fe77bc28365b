"""Components that calls start and stop: camera, flashlight, audio, video, Bluetooth, GNSS, sensors, wake locks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.component import ComponentCurves, ComponentInputs, RailUse, charges_of_time
from navitas.energy.attribute.curves import Curve, constant_power, distinct, flow_of
from navitas.energy.attribute.hardware.levels import HardwareComponent
from navitas.energy.attribute.hardware.on_off import Used, component_curves, sessions_of, used_by_time
from navitas.power.components.component_power import ComponentPower
from navitas.recording.parse.arrays import cumulative
from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import RunTables


@dataclass(frozen=True, slots=True)
class Way:
    """A way to use a device: the kind of its hooks, the state of the device, and its current in mA."""

    kind: HookKind
    state: str
    current_ma: Callable[[ComponentPower], float]


@dataclass(frozen=True, slots=True)
class StartedDevice(HardwareComponent):
    """A device that draws a constant current while it is on. Its energy belongs to the call that started it."""

    name: str
    ways: tuple[Way, ...]

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        parts: list[Used | None] = []
        reasons: list[Reason] = []
        for way in self.ways:
            sessions = sessions_of(run, inputs, [way.kind], self.name)
            current_ma = way.current_ma(inputs.model.components)
            power = constant_power(current_ma * inputs.model.voltage_v / 1e3, (run.start_ns, run.end_ns))
            parts.append(used_by_time(run, sessions, way.state, power))
            if not current_ma and parts[-1] is not None:
                reasons.append(no_current(self.name))
        return component_curves(parts, reasons)


def no_current(device: str) -> Reason:
    """The power profile has no current for a device that was used."""
    return Reason("no_current", f"the power profile has no current of {device}: without a rail, its use has no energy")


CAMERA = StartedDevice("camera", (Way(HookKind.CAMERA, "camera", lambda power: power.camera.current_ma),))
FLASHLIGHT = StartedDevice("flashlight", (Way(HookKind.FLASHLIGHT, "flashlight", lambda power: power.flashlight.current_ma),))
AUDIO = StartedDevice("audio", (Way(HookKind.AUDIO, "audio", lambda power: power.audio.current_ma),))
VIDEO = StartedDevice("video", (Way(HookKind.VIDEO, "video", lambda power: power.video.current_ma),))
BLUETOOTH = StartedDevice(
    "bluetooth",
    (
        # A scan receives all the time. A link without data is idle (AOSP: BluetoothPowerStatsProcessor).
        Way(
            HookKind.BLUETOOTH_SCAN, "bluetooth_scan", lambda power: power.bluetooth.controller.rx_ma or power.bluetooth.active_ma
        ),
        Way(HookKind.BLUETOOTH_LINK, "bluetooth_link", lambda power: power.bluetooth.controller.idle_ma or power.bluetooth.on_ma),
    ),
)


class Gnss(HardwareComponent):
    """GNSS: as `StartedDevice`; where the signal's quality is known, with the current of that quality."""

    name = "gnss"

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        sessions = sessions_of(run, inputs, [HookKind.GNSS], self.name)
        power = self._power(run, inputs)
        used = used_by_time(run, sessions, "gnss", power)
        no_power = used is not None and power.t_ns.size and not power.value[-1]
        return component_curves([used], [no_current(self.name)] if no_power else [])

    @staticmethod
    def _power(run: RunTables, inputs: ComponentInputs) -> Curve:
        gnss, watts_per_ma = inputs.model.components.gnss, inputs.model.voltage_v / 1e3
        run_ns = run.start_ns, run.end_ns
        plain = constant_power(gnss.unknown_quality_ma * watts_per_ma, run_ns)
        if run.devices.states is None or not gnss.quality_ma or not plain.t_ns.size:
            return plain
        begin, end, _, _ = run.devices.states.intervals("gnss_quality")
        edges = distinct(np.clip(np.concatenate([plain.t_ns, begin, end]), *run_ns))
        quality, is_known = run.devices.states.values_at("gnss_quality", edges, 0)
        quality_ma = np.array(gnss.quality_ma)[np.clip(quality, 0, len(gnss.quality_ma) - 1)]
        current_ma = np.where(is_known, quality_ma, gnss.unknown_quality_ma)
        return Curve(edges, cumulative(current_ma * watts_per_ma * np.diff(edges) / 1e9))


class Sensors(HardwareComponent):
    """Sensors: each listener pays the current that its sensor's driver declares."""

    name = "sensors"

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        # Android refuses a second registration of a listener on one sensor: each recorded start is of another sensor.
        sessions = sessions_of(run, inputs, [HookKind.SENSOR], self.name, each_start=True)
        if not len(sessions):
            return None
        watts = np.maximum(sessions.amount, 0) / 1e6 * inputs.model.voltage_v
        energy_j = watts * (sessions.end_ns - sessions.begin_ns) / 1e9
        charges = charges_of_time(sessions.thread, sessions.t_ns, sessions.path, energy_j)
        flow = flow_of(sessions.begin_ns, sessions.end_ns, energy_j, (run.start_ns, run.end_ns))
        return component_curves([Used("hooks", sessions.reasons, charges, flow=flow)])


class WakeLocks(HardwareComponent):
    """Wake locks keep the device awake: `cpu.idle` of the time that they are held belongs to their holders, not to base."""

    name = "wakelock"

    def rail_use(self, rail: str) -> RailUse | None:
        """No rail measures wake locks: their energy is a share of the CPU's base."""
        return None

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        sessions = sessions_of(run, inputs, [HookKind.WAKE_LOCK], self.name)
        power = constant_power(inputs.model.cpu.idle_ma * inputs.model.voltage_v / 1e3, (run.start_ns, run.end_ns))
        # Wake locks of unknown holders stay in base.
        found = component_curves([used_by_time(run, sessions, "wake_lock", power, only_known_users=True)])
        return found if found is None or found.flow is None else replace(found, taken_from_base=found.flow)
