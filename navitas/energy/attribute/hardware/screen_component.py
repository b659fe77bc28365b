"""The screen, by the time that it is on and its brightness."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from navitas.energy.attribute.component import ComponentCurves, ComponentInputs
from navitas.energy.attribute.curves import Curve, counts, distinct
from navitas.energy.attribute.hardware.levels import HardwareComponent
from navitas.power.components.screen_power import BRIGHTNESS_BINS, ScreenModel
from navitas.recording.parse.arrays import F64, I64, Bool, cumulative
from navitas.recording.parse.device_states import NO_UID, DeviceStates
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import RunTables

NO_BRIGHTNESS = Reason("no_brightness", "the brightness was not recorded: the screen counts as half bright")
_MIDDLE = len(BRIGHTNESS_BINS) // 2


class ScreenEnergy(HardwareComponent):
    """The screen. Its energy is base: it flows because time passes. Where another app is on top, it is that app's."""

    name = "screen"

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        """As `Component.curves`. The alternative model `paper1` is that paper's interpolation of the brightness."""
        states = run.devices.states
        if states is None or not (states.has("screen") or states.has("screen_doze")) or run.end_ns <= run.start_ns:
            return None
        times = [np.concatenate(states.intervals(name)[:2]) for name in ("screen", "screen_doze", "brightness", "top")]
        edges = distinct(np.clip(np.concatenate([*times, [run.start_ns, run.end_ns]]), run.start_ns, run.end_ns))
        is_on = _during(states, "screen", edges)
        brightness, is_known = states.values_at("brightness", edges, _MIDDLE)
        brightness = np.clip(brightness, 0, len(BRIGHTNESS_BINS) - 1)
        screen = inputs.model.components.screen
        is_dozing = _during(states, "screen_doze", edges)
        # The history has one state for all displays. A foldable phone lights one at a time.
        ambient_ma = max(display.ambient_ma for display in screen.displays)

        def energies(model: ScreenModel) -> F64:
            on_ma = np.max([screen.current_ma(display, model) for display in range(len(screen.displays))], axis=0)
            current_ma = np.where(is_on, on_ma[brightness], np.where(is_dozing, ambient_ma, 0.0))
            return np.asarray(current_ma * inputs.model.voltage_v / 1e3 * np.diff(edges) / 1e9, np.float64)

        joules = energies("default")
        is_others = _is_others(states, edges)
        on_ns, unknown_ns = (np.diff(edges)[rows].sum() for rows in (is_on, is_on & ~is_known))
        reasons = (replace(NO_BRIGHTNESS, share=float(unknown_ns / on_ns)),) if unknown_ns else ()
        if len(screen.displays) > 1 and (is_on | is_dozing).any():
            reasons = (*reasons, _several_displays(len(screen.displays)))
        base, others = (Curve(edges, cumulative(np.where(rows, joules, 0.0))) for rows in (~is_others, is_others))
        alternative = Curve(edges, cumulative(energies("paper1"))) if inputs.settings.alternative == "paper1" else None
        level = "profile" if on_ns and unknown_ns == on_ns else "states"
        return ComponentCurves(level, reasons, base=base, other_processes=others, alternative=alternative)


def _several_displays(count: int) -> Reason:
    text = f"which of {count} displays was on is unknown: the one with the largest current counts"
    return Reason("several_displays", text)


def _during(states: DeviceStates, name: str, edges: I64) -> Bool:
    return np.asarray(counts(edges, *states.on(name, (edges[0], edges[-1]))) > 0)


def _is_others(states: DeviceStates, edges: I64) -> Bool:
    """Whether another app than the profiled one was on top in each step."""
    begin, end, _, uid = states.intervals("top")
    begin, end = (np.clip(each, edges[0], edges[-1]) for each in (begin, end))
    if states.app_uid == NO_UID:
        return np.zeros(len(edges) - 1, bool)
    by_app = counts(edges, begin[uid == states.app_uid], end[uid == states.app_uid])
    return np.asarray((counts(edges, begin, end) > 0) & (by_app == 0))
