"""Fits of recordings: known coefficients of rails and meters come out, within the stated errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from attribution_maker import ns
from fit_maker import REALTIME_OFFSET_NS, SECONDS, noisy, random_uses, recorded, tables_of

from navitas.base.errors import UsageError
from navitas.energy.analyze.fitting.fit_components import FitRequest, fit_components
from navitas.energy.analyze.fitting.measured_energy import read_power_meter
from navitas.energy.analyze.fitting.parameters import uses_of
from navitas.energy.attribute.analysis_settings import MODEL_ONLY
from navitas.energy.attribute.component_registry import COMPONENTS
from navitas.energy.attribute.measured_runs import MeasuredRuns
from navitas.power.fitted_model import FittedGroup, FittedModel

READ, WRITTEN, FLOOR, LIT, GNSS = 0.15, 0.4, 0.05, 0.3, 0.06


def storage_w(uses: dict[str, np.ndarray]) -> np.ndarray:
    return FLOOR + READ * uses["read"] + WRITTEN * uses["written"]


def value(group: FittedGroup, parameter: str) -> tuple[float, float]:
    found = next(each for each in group.coefficients if each.parameter == parameter)
    return found.value, found.standard_error


def group(model: FittedModel, component: str) -> FittedGroup:
    found = model.group_of(component)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(5))
def test_each_component_is_fitted_to_its_own_rail(seed: int) -> None:
    """Storage and the GPU, which no profile names, and GNSS: the truth is within four stated errors."""
    recordings = []
    for number in range(2):
        uses = random_uses(100 * seed + number)
        power = {
            "UFS_VCC": noisy(storage_w(uses), seed),
            "S2S_VDD_G3D": noisy(0.01 + LIT * uses["screen"], seed + 1),
            "L9S_GNSS_CORE": noisy(0.03 + GNSS * uses["gnss"], seed + 2, 0.005),
        }
        recordings.append(recorded(tables_of(uses, power), name=f"recording {number}"))
    model = fit_components(recordings, FitRequest()).model
    truth = {"storage.read": READ, "storage.written": WRITTEN, "gpu.screen": LIT, "gnss.on": GNSS}
    for parameter, wanted in truth.items():
        found, error = value(group(model, parameter.partition(".")[0]), parameter)
        assert abs(found - wanted) < 4 * error < 0.2 * wanted
    storage = group(model, "storage")
    assert abs(storage.base_w - FLOOR) < 4 * storage.base_error_w
    assert storage.intervals == 2 * SECONDS and storage.measured_by == ["UFS_VCC"]
    assert storage.base_of == "storage" and group(model, "gpu").base_of == "gpu"
    assert storage.r2 > 0.99 and storage.held_out_error is not None and storage.held_out_error < 0.02
    assert model.source == ["recording 0", "recording 1"]


def total_w(uses: dict[str, np.ndarray], loaded_cpu_w: np.ndarray) -> np.ndarray:
    return 0.8 + 1.3 * loaded_cpu_w + storage_w(uses) + LIT * uses["screen"] + GNSS * uses["gnss"]


def cpu_w(uses: dict[str, np.ndarray]) -> np.ndarray:
    """The estimate of the CPU in each second."""
    made = recorded(tables_of(uses, {}))
    measured = MeasuredRuns(made.parsed, made.manifest, made.model, MODEL_ONLY)
    run = made.parsed.runs[0]
    inputs = measured.inputs(run)
    curve = uses_of(run, inputs, COMPONENTS[0].curves(run, inputs))["cpu.estimate"]
    return np.diff(curve.at([ns(1000.0 * t) for t in range(len(uses["cpu"]) + 1)]))


def check_total(model: FittedModel) -> None:
    assert len(model.groups) == 1
    found = model.groups[0]
    truth = {"cpu.estimate": 1.3, "storage.read": READ, "storage.written": WRITTEN, "screen.on": LIT, "gnss.on": GNSS}
    assert {each.parameter for each in found.coefficients} == set(truth)
    for parameter, wanted in truth.items():
        estimate, error = value(found, parameter)
        assert abs(estimate - wanted) < 4 * error + 0.01 * wanted, parameter
    assert not any(each.startswith("gpu") for each in found.components)
    assert found.base_of is None


def test_all_components_are_fitted_to_the_sum_of_all_rails() -> None:
    uses = random_uses(1)
    whole = noisy(total_w(uses, cpu_w(uses)), 1, 0.01)
    tables = tables_of(uses, {"ONE": 0.25 * whole, "OTHER": 0.75 * whole})
    check_total(fit_components([recorded(tables)], FitRequest(total=True)).model)


def meter_file(path: Path, watts: np.ndarray, *, start_s: float, name: str, lead_s: int = 0) -> Path:
    """Ten readings a second, in mW. Before the run, the meter read 10 mW for `lead_s` seconds."""
    power = np.concatenate([np.full(10 * lead_s, 0.01), np.repeat(watts, 10)])
    rows = [f"{start_s + (i + 0.5) / 10:.3f},{1000 * each:.4f}" for i, each in enumerate(power)]
    path.write_text("\n".join([f"{name},Main Avg Power (mW)", *rows, "end of file"]) + "\n")
    return path


def test_a_meter_is_aligned_by_the_unix_clock(tmp_path: Path) -> None:
    uses = random_uses(2)
    whole = total_w(uses, cpu_w(uses))
    start_s = REALTIME_OFFSET_NS / 1e9
    meter = read_power_meter(meter_file(tmp_path / "meter.csv", whole, start_s=start_s, name="unix_s"))
    assert meter.skipped == 1
    check_total(fit_components([recorded(tables_of(uses, {}))], FitRequest(meter=meter)).model)


def test_a_meter_with_its_own_clock_is_aligned_by_the_load(tmp_path: Path) -> None:
    uses = random_uses(3)
    uses["gnss"][:] = uses["screen"][:] = uses["read"][:] = uses["written"][:] = 0
    whole = 0.8 + 1.3 * cpu_w(uses)
    meter = read_power_meter(meter_file(tmp_path / "meter.csv", whole, start_s=0.0, name="Time (s)", lead_s=33))
    found = fit_components([recorded(tables_of(uses, {}))], FitRequest(meter=meter))
    assert found.notes[0].startswith("made run 0: begins at 33.0 s of meter.csv (correlation 0.9")
    assert value(found.model.groups[0], "cpu.estimate")[0] == pytest.approx(1.3, rel=0.02)


def test_a_meter_of_another_time_is_refused(tmp_path: Path) -> None:
    uses = random_uses(4)
    noise = np.random.default_rng(1).uniform(1, 2, 200)
    other = read_power_meter(meter_file(tmp_path / "noise.csv", noise, start_s=0.0, name="time_s"))
    with pytest.raises(UsageError, match=r"noise.csv: no part of the readings is like the estimate of made run 0"):
        fit_components([recorded(tables_of(uses, {}))], FitRequest(meter=other))
    earlier = read_power_meter(meter_file(tmp_path / "earlier.csv", noise, start_s=1_600_000_000.0, name="unix_s"))
    with pytest.raises(UsageError, match=r"earlier.csv: has no readings during made run 0"):
        fit_components([recorded(tables_of(uses, {}))], FitRequest(meter=earlier))


def test_what_cannot_be_fitted_is_named() -> None:
    uses = random_uses(5, 14)
    watts = storage_w(uses)
    with pytest.raises(UsageError, match="UFS_VCC: 14 intervals are too few for 3 unknowns"):
        fit_components([recorded(tables_of(uses, {"UFS_VCC": watts}))], FitRequest())
    with pytest.raises(UsageError, match="made: no power was measured"):
        fit_components([recorded(tables_of(uses, {}))], FitRequest())
    uses = random_uses(5)
    one, two = (recorded(tables_of(uses, {"UFS_VCC": storage_w(uses)}), model=model) for model in ("Pixel 6", "Pixel 8"))
    with pytest.raises(UsageError, match="different devices: Pixel 6, Pixel 8"):
        fit_components([one, two], FitRequest())
    idle = {name: np.zeros(SECONDS) for name in uses}
    with pytest.raises(UsageError, match="no use of components was recorded"):
        fit_components([recorded(tables_of(idle, {"UFS_VCC": np.full(SECONDS, 0.1)}))], FitRequest())


def test_a_use_that_not_every_run_has_is_left_out() -> None:
    with_gnss, without = random_uses(6), random_uses(7)
    without["gnss"][:] = 0
    without["screen"][:] = 0  # no states at all
    loaded = recorded(*(tables_of(uses, {"ALL": total_w(uses, cpu_w(uses))}) for uses in (with_gnss, without)))
    found = fit_components([loaded], FitRequest(total=True)).model.groups[0]
    assert "gnss.on: was not recorded in every run, so it is left out" in found.notes
    assert "gnss" not in found.components


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "line 1: no column for a time"),
        ("time_s,temperature_c\n1,2\n", "line 1: no column for power"),
        ("time_s,current_ma\n1,2\n", "line 1: no column for voltage"),
        ("time_s,power_w\n1,nan\n2,inf\nx,3\n4\n", "has fewer than two readings"),
        ("time_s,power_w\n" + "1" * 200_000 + ",2\n", "line 2: field larger than field limit"),
        ("time_s,power_w\n0,1200\n1,900\n2,1400\n", "2 readings have more than 1,000 W"),
        ("time_s,power_w\n0,1\n1e300,1\n2,1\n", "1 readings have more than 1,000 W, or times that cannot be"),
        ("time_s,current_a,voltage_v\n0,1e200,1e200\n1,1e200,1e200\n", "2 readings have more than 1,000 W"),
    ],
)
def test_a_bad_meter_file_is_refused(tmp_path: Path, text: str, cause: str) -> None:
    path = tmp_path / "meter.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=cause):
        read_power_meter(path)


def test_a_meter_with_current_and_voltage(tmp_path: Path) -> None:
    path = tmp_path / "meter.csv"
    path.write_text("Time(ms),Main Current (mA),Main Voltage (V)\n0,100,4\n1000,300,4\n500,200,4\n")
    meter = read_power_meter(path)
    assert (meter.t_s.tolist(), meter.power_w.tolist(), meter.is_unix) == ([0.0, 0.5, 1.0], pytest.approx([0.4, 0.8, 1.2]), False)
    assert meter.energy(0.0).value[-1] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("header", "power_w", "is_unix"),
    [
        ("Time since start (ms),Power avg (mW)", 7e-3, False),
        ("time_ms,power_usb_mw", 7e-3, False),
        ("unix time [ms],power_w (avg)", 7.0, True),
        ("time_ms,power of phase w (mW)", 7e-3, False),
        ("Time (ms),power_uw", 7e-6, False),
        ("Time (ms),Power (µW)", 7e-6, False),
        ("Time (ms),Power A V S,Power (W)", 7.0, False),
    ],
)
def test_units_in_a_meters_header(tmp_path: Path, header: str, power_w: float, is_unix: bool) -> None:
    path = tmp_path / "meter.csv"
    row = ",".join(["7"] * header.count(","))
    path.write_text(f"{header}\n0,{row}\n500,{row}\n")
    meter = read_power_meter(path)
    assert (meter.t_s.tolist(), meter.power_w.tolist(), meter.is_unix) == ([0.0, 0.5], pytest.approx([power_w] * 2), is_unix)


@pytest.mark.parametrize(
    ("header", "lacks"),
    [
        ("time_s,Power avg", "power"),
        ("time_s,power_a", "power"),
        ("time since start,power_w", "a time"),
        ("timeout (s),power_w", "a time"),
        ("time_s,current_ua,voltages_uv", "voltage"),
        ("time_s," + "power " * 20_000, "power"),
    ],
)
def test_a_column_without_a_unit_of_its_quantity_does_not_count(tmp_path: Path, header: str, lacks: str) -> None:
    path = tmp_path / "meter.csv"
    path.write_text(f"{header}\n0,1,1\n1,1,1\n")
    with pytest.raises(UsageError, match=f"line 1: no column for {lacks}$"):
        read_power_meter(path)


def test_a_few_impossible_readings_are_skipped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "meter.csv"
    path.write_text("time_s,power_w\n" + "".join(f"{t},2\n" for t in range(300)) + "1e300,2\n7,1e308\n")
    meter = read_power_meter(path)
    assert (meter.skipped, len(meter.t_s), meter.power_w.max()) == (2, 300, 2.0)


def test_a_meter_of_a_phone_that_is_charged_is_refused(tmp_path: Path) -> None:
    meter = read_power_meter(
        meter_file(tmp_path / "meter.csv", np.full(200, -1.0), start_s=REALTIME_OFFSET_NS / 1e9, name="unix_s")
    )
    with pytest.raises(UsageError, match=r"meter.csv: its mean power during made run 0 is below 0"):
        fit_components([recorded(tables_of(random_uses(8), {}))], FitRequest(meter=meter))


def test_rails_with_impossible_readings_are_named_and_the_others_fitted() -> None:
    uses = random_uses(9)
    jump = storage_w(uses)
    jump[60] = 4e12
    with pytest.raises(UsageError, match="UFS_VCC: 4,000,000,000,000 W were measured, which is impossible"):
        fit_components([recorded(tables_of(uses, {"UFS_VCC": jump}))], FitRequest())
    found = fit_components([recorded(tables_of(uses, {"UFS_VCC": jump, "L9S_GNSS_CORE": GNSS * uses["gnss"]}))], FitRequest())
    assert [one.components for one in found.model.groups] == [["gnss"]]
    assert any("which is impossible" in note for note in found.notes)


def test_a_coefficient_that_cannot_be_is_named() -> None:
    """A few bytes go with hundreds of watts: no storage needs a gigajoule per megabyte."""
    uses = random_uses(10)
    uses["read"], uses["written"] = np.round(uses["read"]) / 1e6, uses["written"] * 0
    with pytest.raises(UsageError, match="the fit gives an impossible figure"):
        fit_components([recorded(tables_of(uses, {"UFS_VCC": 100 * 1e6 * uses["read"]}))], FitRequest())
