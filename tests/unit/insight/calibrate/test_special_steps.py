"""Readings of special test runs: time by frequency, power of rails and fuel gauges, and currents of other components."""

from __future__ import annotations

import pytest

from navitas.base.errors import DeviceError
from navitas.capture.collect.runs.special_runs import PULSES, cpu_loads
from navitas.insight.calibrate.cpu_coefficients import CpuCoefficients
from navitas.insight.calibrate.special_steps import (
    StepUse,
    cpu_intervals,
    gauge_power_mw,
    radio_currents,
    read_steps,
    screen_currents,
)
from navitas.power import catalog
from navitas.power.cpu import power_model
from navitas.power.measured_step import MeasuredStep
from navitas.recording.manifest import Policy

CPU = power_model(catalog.load("google-pixel-6"), 3.85).cpu
LITTLE = CPU.clusters[0]
POLICIES = [Policy(id=0, cpus=[0, 1, 2, 3]), Policy(id=4, cpus=[4, 5])]


def _reading(time_s: float, busy: int, ticks: dict[int, int], rails: str) -> str:
    states = "".join(f"{khz} {ticks.get(khz, 0)}\n" for khz in LITTLE.freq_khz.tolist())
    return f"@time\n{time_s:.9f}\n@stat\ncpu 0 0 0 0 0 0 0\ncpu0 {busy} 0 0 0 0 0 0\nintr\n@policy0\n{states}{rails}"


def _rails(micro_joules: int) -> str:
    return f"@rails\nt=1\nCH0(T=1)[S4M_VDD_CPUCL0], {micro_joules}\n"


def _step(begin: str = _rails(1000), end: str = _rails(201_000)) -> MeasuredStep:
    """Two seconds, of which CPU 0 was busy for one: at 300 MHz by the policy's residency, with idle time at 574 MHz."""
    return MeasuredStep("cpu", _reading(10, 100, {}, begin) + _reading(12, 200, {300_000: 100, 574_000: 100}, end) + "@end\n")


def test_power_of_rails_and_busy_time_are_read() -> None:
    (use,) = read_steps([_step()], "rails")
    assert use.seconds == 2 and use.busy_s[0] == pytest.approx(1.0)
    assert use.power_mw == {"S4M_VDD_CPUCL0": pytest.approx(100.0)}
    assert use.mix[0][1].tolist()[:3] == [0.5, 0.5, 0]


def test_power_statistics_as_text_count_too() -> None:
    def text(mws: float) -> str:
        head = "============= PowerStats HAL 2.0 energy meter ==============\n"
        return f"@statistics\n{head}[VDD_CPU] 1 {mws} mWs\n========= End of PowerStats HAL\n".replace("] 1", "]")

    (use,) = read_steps([_step(begin=text(10), end=text(210))], "statistics")
    assert use.power_mw == {"VDD_CPU": pytest.approx(100.0)}


def test_the_load_counts_at_the_frequencies_at_which_it_ran() -> None:
    """The kernel counts by process that it ran at 574 MHz, although the policy was as long at 300 MHz."""
    coefficients = CpuCoefficients.of(CPU, 3.85)
    begin, end = (
        "@task77\ncpu0\n" + "".join(f"{khz} {ticks if khz == 574_000 else 5}\n" for khz in LITTLE.freq_khz.tolist())
        for ticks in (5, 105)
    )
    (by_process,) = read_steps([_step(begin=begin + _rails(1000), end=end + _rails(201_000))], "rails")
    row = cpu_intervals([by_process], coefficients, ["S4M_VDD_CPUCL0"], "x").use[0] / coefficients.unit_ma / 3.85
    assert row[:2].tolist() == pytest.approx([0.5, 0.5])
    assert row[2:5].tolist() == [0, pytest.approx(0.5), 0]
    (by_policy,) = read_steps([_step()], "rails")
    row = cpu_intervals([by_policy], coefficients, ["S4M_VDD_CPUCL0"], "x").use[0] / coefficients.unit_ma / 3.85
    assert row[2:5].tolist() == [pytest.approx(0.25), pytest.approx(0.25), 0]


@pytest.mark.parametrize("cut", [5, 40, 150, 400])
def test_a_torn_step_is_left_out(cut: int) -> None:
    torn = MeasuredStep("cpu", _step().text[:cut])
    assert len(read_steps([_step(), torn], "rails")) == 1
    with pytest.raises(DeviceError, match="could not be read in any step"):
        read_steps([torn], "rails")


def test_loads_name_the_cpus_of_each_policy_and_end() -> None:
    loads = list(cpu_loads(POLICIES, 2.0))
    assert len(loads) == 1 + 2 * (len(PULSES) + 2) + 1
    assert loads[0].during == "sleep 2"
    assert sum("kill -CONT" in load.during for load in loads) == 2 * len(PULSES)
    assert all("timeout" in load.start and "kill -9" in load.end for load in loads[1:])
    # Only processes that are new belong to the load.
    assert all(load.start.startswith('o=" $(pidof yes) "; ') and '"$o"' in load.start for load in loads[1:])
    every = loads[len(PULSES) + 2].start
    assert every.count("taskset") == 4 and "taskset 8 " in every
    assert "taskset 1 " in loads[-1].start and "taskset 10 " in loads[-1].start


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("current", "voltage"), [(250_000, 4_000_000), (250, 4_000_000), (250_000, 4000), (250, 4000)])
def test_unit_and_sign_of_a_fuel_gauge_are_found(sign: int, current: int, voltage: int) -> None:
    """µA and mA, µV and mV, negative or positive for a discharge: 250 mA at 4 V."""
    steps = [[f"{sign * current} {voltage}"] * 5, [f"{sign * current * 2} {voltage}", "torn"], []]
    assert gauge_power_mw(steps) == [pytest.approx(1000), pytest.approx(2000), None]


def test_a_fuel_gauge_whose_sign_changes_is_refused() -> None:
    with pytest.raises(DeviceError, match="the sign of the fuel gauge's current changes") as caught:
        gauge_power_mw([["250000 4000000", "-100000 4000000"]] * 5)
    assert "Unplug" in caught.value.remedy
    with pytest.raises(DeviceError, match="shows no current"):
        gauge_power_mw([["0 4000000"], []])


def _use(step: MeasuredStep, milliwatts: float) -> StepUse:
    return StepUse(step, 2.0, {}, {}, {}, {"VSYS_PWR_DISPLAY": milliwatts})


def test_currents_of_the_screen_follow_from_its_brightness() -> None:
    uses = [_use(MeasuredStep("screen", "", screen_on=False), 20.0)]
    uses += [_use(MeasuredStep("screen", "", brightness=level), 20 + 385 + 770 * level / 255) for level in (0, 51, 102, 255)]
    found = screen_currents(uses, lambda rail: "DISPLAY" in rail, 3.85)
    assert found is not None and found.steps == 5
    assert found.entries == {"screen.on": pytest.approx(100), "screen.full": pytest.approx(200)}
    assert found.held_out == pytest.approx(0, abs=1e-6)
    assert screen_currents(uses[:3], lambda rail: True, 3.85) is None


def test_the_current_of_a_radio_is_the_difference() -> None:
    uses = [_use(MeasuredStep("radios", ""), 10.0), _use(MeasuredStep("radios", "", wifi=True), 48.5)]
    found = radio_currents(uses, "wifi", "wifi.on", lambda rail: True, 3.85)
    assert found is not None and found.entries == {"wifi.on": pytest.approx(10)}
    assert radio_currents(uses, "bluetooth", "bluetooth.on", lambda rail: True, 3.85) is None
