"""The device's rails are compared only with the components that they measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from attribution_maker import run, thread
from lamp import THREAD_W, Lamp, profile_with
from support.run_tables import changed

from navitas.energy.attribute.component import Component, ComponentCurves, ComponentInputs, EvidenceLevel, RailUse
from navitas.energy.attribute.cpu.cpu_component import Cpu
from navitas.energy.attribute.curves import Curve
from navitas.recording.parse.rail_readings import RailReadings
from navitas.recording.parse.tables import RunTables

FAN_W = 2.0


@dataclass
class Fan:
    """Draws constant base power, which a separate rail measures."""

    name: str = "fan"
    levels: tuple[EvidenceLevel, ...] = (EvidenceLevel("made"),)

    def rail_use(self, rail: str) -> RailUse | None:
        return RailUse.BASE if rail == "VSYS_FAN" else None

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        ends = np.array([run.start_ns, run.end_ns])
        return ComponentCurves("made", (), base=Curve(ends, FAN_W * (ends - ends[0]) / 1e9))


def with_rails(tables: RunTables, **watts: float) -> RunTables:
    """Add readings of rails with constant power at the start, middle and end of the run."""
    t_ns = np.array([tables.start_ns, (tables.start_ns + tables.end_ns) // 2, tables.end_ns])
    energy_j = np.outer(t_ns - t_ns[0], list(watts.values())) / 1e9
    return changed(tables, rails=RailReadings(tuple(watts), t_ns, energy_j))


def compared(components: Sequence[Component], **watts: float) -> tuple[float | None, float | None]:
    """Return the power that the rails measured, and the estimate, in watts."""
    tables = with_rails(run([thread(1, samples=[(0, 0), (1000, 300)])], [(0, 600), (600, 800)]), **watts)
    totals, span_s = profile_with([tables], components).totals, (tables.end_ns - tables.start_ns) / 1e9
    if totals.rails_j is None or totals.rails_estimate_j is None:
        return totals.rails_j, totals.rails_estimate_j
    return pytest.approx(totals.rails_j / span_s), pytest.approx(totals.rails_estimate_j / span_s)


def test_rails_are_compared_with_the_components_that_they_measure() -> None:
    lamp = Lamp(rail="LAMP")
    assert compared([lamp, Fan()], LAMP=3.0, DISPLAY=7.0) == (3.0, THREAD_W)
    assert compared([lamp, Fan()], LAMP=3.0, VSYS_FAN=2.5) == (5.5, THREAD_W + FAN_W)
    assert compared([Lamp(), Fan()], VSYS_FAN=2.5) == (2.5, FAN_W)


def test_rails_without_a_component_are_ignored() -> None:
    assert compared([Lamp(), Fan()], DISPLAY=7.0) == (None, None)


def test_rails_of_an_unknown_component_are_ignored() -> None:
    assert compared([Lamp(rail="LAMP", dark=(0,)), Fan()], LAMP=3.0, VSYS_FAN=2.5) == (2.5, FAN_W)


@pytest.mark.parametrize(
    ("rail", "use"),
    [
        ("S4M_VDD_CPUCL0", RailUse.ACTIVE),
        ("VDD_CPU_ACTIVE", RailUse.ACTIVE),
        ("VSYS_CPU_BASE", RailUse.BASE),
        ("VSYS_PWR_DISPLAY", None),
        ("S8S_VDD_GPU", None),
    ],
)
def test_rails_of_the_cpu(rail: str, use: RailUse | None) -> None:
    assert Cpu().rail_use(rail) is use
