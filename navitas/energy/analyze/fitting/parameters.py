"""The parameters of the linear component model, and how much of each a run used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.component import ComponentCurves, ComponentInputs
from navitas.energy.attribute.curves import Curve, constant_power, distinct, during, flow_of, merged
from navitas.energy.attribute.hardware.on_off import sessions_of
from navitas.energy.attribute.hardware.radio_components import MODEM, WIFI, Radio
from navitas.energy.attribute.hardware.traffic import Traffic, traffic_of
from navitas.power.components.screen_power import BRIGHTNESS_BINS
from navitas.power.fitted_model import PARAMETER_UNITS, Unit
from navitas.recording.parse.arrays import F64, I64, cumulative
from navitas.recording.parse.hook_calls import STORAGE, HookKind
from navitas.recording.parse.tables import RunTables

_BYTES_PER_MB = 1e6
_CPU_STEPS = 20_000
_BRIGHTEST = len(BRIGHTNESS_BINS)


@dataclass(frozen=True, slots=True)
class FitParameter:
    """A parameter Pᵢ of `PARAMETER_UNITS`. `alone`: only the component's own rail shows its coefficient.

    `kind` is the hook that starts it and `state` the device's state, of parameters that are on or off.
    """

    name: str
    kind: HookKind | None = None
    state: str = ""
    alone: bool = False

    @property
    def component(self) -> str:
        """The name of its component."""
        return self.name.partition(".")[0]

    @property
    def unit(self) -> Unit:
        """The unit of its coefficient."""
        return PARAMETER_UNITS[self.name]


PARAMETERS = (
    FitParameter("cpu.estimate"),
    FitParameter("screen.on", state="screen"),
    FitParameter("screen.brightness"),
    FitParameter("wifi.received"),
    FitParameter("wifi.sent"),
    FitParameter("wifi.scan", HookKind.WIFI_SCAN, "wifi_scan"),
    FitParameter("modem.received"),
    FitParameter("modem.sent"),
    FitParameter("bluetooth.scan", HookKind.BLUETOOTH_SCAN, "bluetooth_scan"),
    FitParameter("gnss.on", HookKind.GNSS, "gnss"),
    FitParameter("camera.on", HookKind.CAMERA, "camera"),
    FitParameter("flashlight.on", HookKind.FLASHLIGHT, "flashlight"),
    FitParameter("audio.on", HookKind.AUDIO, "audio"),
    FitParameter("video.on", HookKind.VIDEO, "video"),
    FitParameter("storage.read"),
    FitParameter("storage.written"),
    FitParameter("gpu.screen", state="screen", alone=True),
)


def uses_of(run: RunTables, inputs: ComponentInputs, cpu: ComponentCurves | None) -> dict[str, Curve]:
    """The cumulative use of each parameter that is known of a run: seconds, MB, or joules of the CPU's estimate."""
    found: dict[str, Curve] = {}
    if run.end_ns <= run.start_ns:
        return found
    if cpu is not None:
        found["cpu.estimate"] = _active(run, cpu)
    for parameter in PARAMETERS:
        if parameter.state and (seconds := _on_time(run, inputs, parameter)) is not None:
            found[parameter.name] = seconds
    if (brightness := _brightness(run)) is not None:
        found["screen.brightness"] = brightness
    for radio in (WIFI, MODEM):
        if (traffic := radio.traffic(run, inputs)) is not None:
            found |= _moved(run, traffic, radio)
    stored = traffic_of(run, inputs, STORAGE, ("storage",), counters_are_total=True)
    if stored is not None:
        found["storage.read"], found["storage.written"] = (
            _megabytes(run, stored, stored.received),
            _megabytes(run, stored, stored.sent),
        )
    return found


def _active(run: RunTables, cpu: ComponentCurves) -> Curve:
    """The CPU's estimate without base, at times of its own: the knots of all threads together would be too many."""
    t_ns = distinct(np.linspace(run.start_ns, run.end_ns, _CPU_STEPS + 1).astype(np.int64))
    return Curve(t_ns, estimate_at(cpu, t_ns))


def estimate_at(cpu: ComponentCurves, t_ns: I64) -> F64:
    """The CPU's cumulative estimate without base, in joules, at any times."""
    total_j = cpu.other_processes.at(t_ns) + cpu.unattributed.at(t_ns)
    if cpu.threads is not None:
        knots = cpu.threads.knots
        for low, high in zip(knots.start[:-1].tolist(), knots.start[1:].tolist(), strict=True):
            total_j += Curve(knots.t_ns[low:high], cpu.threads.energy_j[low:high]).at(t_ns)
    return np.asarray(total_j, np.float64)


def _on_time(run: RunTables, inputs: ComponentInputs, parameter: FitParameter) -> Curve | None:
    """The seconds for which a state was on, by the device's states and the app's calls."""
    begins, ends = list[I64](), list[I64]()
    states, limits = run.devices.states, (run.start_ns, run.end_ns)
    is_known = states is not None and states.has(parameter.state)
    if states is not None and is_known:
        begins, ends = ([each] for each in states.on(parameter.state, limits))
    if parameter.kind is not None:
        sessions = sessions_of(run, inputs, [parameter.kind], parameter.component)
        begins.append(sessions.begin_ns)
        ends.append(sessions.end_ns)
        is_known = is_known or run.calls.hooks is not None
    if not is_known:
        return None
    begin, end = (np.clip(np.concatenate(each), *limits) for each in (begins, ends))
    clock = constant_power(1.0, limits)
    return during(*merged(begin, end), clock) if (end > begin).any() else Curve(clock.t_ns, np.zeros(2))


def _brightness(run: RunTables) -> Curve | None:
    """Seconds of the lit screen times its brightness, from 0 to 1 (AOSP: the middle of the bin)."""
    states = run.devices.states
    if states is None or not (states.has("screen") and states.has("brightness")):
        return None
    limits = run.start_ns, run.end_ns
    begin, end, _, _ = states.intervals("brightness")
    lit = during(*merged(*states.on("screen", limits)), constant_power(1.0, limits))
    if not lit.t_ns.size:
        return Curve(np.array(limits), np.zeros(2))
    edges = distinct(np.clip(np.concatenate([lit.t_ns, begin, end]), *limits))
    value, _ = states.values_at("brightness", edges, _BRIGHTEST // 2)
    middle = (np.clip(value, 0, _BRIGHTEST - 1) + 0.5) / _BRIGHTEST
    return Curve(edges, cumulative(np.diff(lit.at(edges)) * middle))


def _moved(run: RunTables, traffic: Traffic, radio: Radio) -> dict[str, Curve]:
    columns = {"received": traffic.received, "sent": traffic.sent}
    return {f"{radio.name}.{way}": _megabytes(run, traffic, moved) for way, moved in columns.items()}


def _megabytes(run: RunTables, traffic: Traffic, moved: F64) -> Curve:
    limits = run.start_ns, run.end_ns
    curve = flow_of(traffic.begin_ns, traffic.end_ns, moved / _BYTES_PER_MB, limits)
    return curve if curve.t_ns.size else Curve(np.array(limits), np.zeros(2))


def rates(uses: Mapping[str, Curve], names: Sequence[str], edges_ns: I64) -> F64:
    """The mean rate of each parameter between edges: a row for each step, a column for each name."""
    seconds = np.diff(edges_ns) / 1e9
    return np.stack([np.diff(uses[name].at(edges_ns)) / seconds for name in names], axis=1)
