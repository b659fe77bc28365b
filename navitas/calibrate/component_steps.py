"""Currents of the screen and of radios from special test runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.calibrate.regularised_fit import F64, non_negative
from navitas.calibrate.special_steps import StepUse

_MOST_BRIGHTNESS = 255
_LEAST_STEPS = 4


@dataclass(frozen=True, slots=True)
class ComponentCurrents:
    """Entries of a profile in mA, for one component. `held_out` is the median error at steps that were left out of the fit."""

    component: str
    entries: dict[str, float]
    steps: int
    held_out: float | None


def screen_currents(uses: Sequence[StepUse], is_own: Callable[[str], bool], voltage_v: float) -> ComponentCurrents | None:
    """Fit the display's rails, or the whole phone's power, to on and brightness. None if there are too few steps."""
    steps = [use for use in uses if use.step.kind == "screen"]
    if len(steps) < _LEAST_STEPS:
        return None
    power = np.array([_power(use, is_own) for use in steps])
    on = np.array([float(use.step.screen_on) for use in steps])
    brightness = np.array([use.step.brightness / _MOST_BRIGHTNESS for use in steps]) * on
    columns = np.column_stack([np.ones(len(steps)), on, brightness])
    _, on_mw, full_mw = non_negative(columns, power).tolist()
    entries = {"screen.on": on_mw / voltage_v, "screen.full": full_mw / voltage_v}
    return ComponentCurrents("screen", entries, len(steps), _held_out(columns, power))


def radio_currents(
    uses: Sequence[StepUse], name: str, entry: str, is_own: Callable[[str], bool], voltage_v: float
) -> ComponentCurrents | None:
    """The current of a radio that is on, over that with all radios off. None if it was never on, or never off."""
    steps = [use for use in uses if use.step.kind == "radios"]
    on = [_power(use, is_own) for use in steps if getattr(use.step, name)]
    off = [_power(use, is_own) for use in steps if not use.step.wifi and not use.step.bluetooth]
    if not on or not off:
        return None
    more_mw = max(float(np.mean(on) - np.mean(off)), 0.0)
    return ComponentCurrents(name, {entry: more_mw / voltage_v}, len(on) + len(off), None)


def _power(use: StepUse, is_own: Callable[[str], bool]) -> float:
    return sum(mw for rail, mw in use.power_mw.items() if rail == "gauge" or is_own(rail))


def _held_out(columns: F64, power: F64) -> float:
    """The median error of the steps with a screen, each predicted by a fit without it."""
    errors = []
    for row in range(1, len(power)):
        others = np.arange(len(power)) != row
        predicted = float(columns[row] @ non_negative(columns[others], power[others]))
        errors.append(abs(predicted / power[row] - 1) if power[row] > 0 else np.inf)
    return float(np.median(errors))
