"""A fitted model gives figures that the power profile lacks, and reports say so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from attribution_maker import run
from hardware_maker import CALLER, PHONE, counters, hooks, profile_of, rails, states
from support.golden import GOLDEN
from support.reports import printed
from support.run_tables import changed

import navitas
from navitas.base.errors import PowerProfileError
from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.fitting.parameters import PARAMETERS
from navitas.energy.analyze.profile import Profile
from navitas.power.components.component_power import ComponentPower, filled_profile
from navitas.power.fitted_model import PARAMETER_UNITS, FittedCoefficient, FittedGroup, FittedModel, read_fitted_model
from navitas.power.power_profile import PowerProfile
from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.tables import RunTables
from navitas.report.terminal.terminal_report import TerminalReport

MB = 1_000_000
METER = "storage.csv"


def group(*coefficients: tuple[str, float], base_w: float = 0.0, by: str = "UFS_VCC") -> FittedGroup:
    fitted = [
        FittedCoefficient(parameter=name, unit=PARAMETER_UNITS[name], value=value, standard_error=0.01)
        for name, value in coefficients
    ]
    components = list(dict.fromkeys(name.partition(".")[0] for name, _ in coefficients))
    return FittedGroup(
        components=components,
        measured_by=[by],
        base_of=components[0] if by != METER else None,
        intervals=240,
        base_w=base_w,
        base_error_w=0.01,
        coefficients=fitted,
        r2=0.99,
        rmse_w=0.01,
        held_out_error=0.03,
    )


def model(*groups: FittedGroup, device: str = "m") -> FittedModel:
    return FittedModel(navitas_version="0", source=["one", "two"], device=device, fingerprint="f", groups=list(groups))


STORAGE = group(("storage.read", 2.0), ("storage.written", 5.0), base_w=0.1)
GPU = group(("gpu.screen", 0.4), base_w=0.02, by="S2S_VDD_G3D")


def written(**more: object) -> RunTables:
    """A call writes 0.1 MB, and another app reads 0.2 MB."""
    used = hooks([(0, 250, 260, MB // 10, HookKind.FILE_WRITE, False, 7)])
    both = (
        counters([(0, (0, 0, 0, 0)), (1000, (0, 0, MB // 10, 1))], "storage"),
        counters([(0, (0, 0, 0, 0)), (1000, (MB // 5, 1, MB // 10, 1))], "storage", device=True),
    )
    return changed(run([CALLER]), hooks=used, io_counters=both, **more)  # type: ignore[arg-type]


def profiled(tables: RunTables, fitted: FittedModel, monkeypatch: pytest.MonkeyPatch) -> Profile:
    phone = replace(PHONE, fitted=fitted, filled=("storage", "gpu"))
    monkeypatch.setattr("hardware_maker.PHONE", phone)
    made = profile_of(tables)
    assert check(made) == []
    return made


def energy(made: Profile, component: str) -> float:
    ledger = made.ledger
    return float(ledger.run_energy_j[:, ledger.components.index(component)].sum())


def test_storage_costs_by_the_byte_and_the_call_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    made = profiled(written(), model(STORAGE), monkeypatch)
    assert energy(made, "storage") == pytest.approx(0.1 * 5.0 + 0.2 * 2.0 + 0.1 * 1.0)
    place = made.components.index("storage")
    by_method = {each.method: each.components[place] for test in made.tests for one in test.threads for each in one.methods}
    assert by_method[1] == pytest.approx(0.5)
    test = made.tests[0]
    assert test.other_processes_j >= 0.4 and test.base_j >= 0.1
    evidence = next(each for each in made.evidence if each.component == "storage")
    assert evidence.level == "hooks" and [reason.code for reason in evidence.reasons][-1] == "fitted_model"
    origin = "its figures are estimates from a fitted model: 240 intervals of one, two, measured by UFS_VCC, held-out error 3 %"
    assert str(evidence.reasons[-1]) == origin
    assert origin in printed(TerminalReport(), made, 200)


def test_the_base_of_the_whole_phone_is_not_storages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A meter measured all, and only storage's parameters were kept."""
    metered = group(("storage.read", 2.0), ("storage.written", 5.0), base_w=0.9, by=METER)
    made = profiled(written(), model(metered), monkeypatch)
    assert energy(made, "storage") == pytest.approx(0.1 * 5.0 + 0.2 * 2.0)


def test_the_gpu_draws_while_the_screen_is_on(monkeypatch: pytest.MonkeyPatch) -> None:
    lit = changed(run([CALLER]), states=states(("screen", 0, 250), ("screen", 500, 750)))
    made = profiled(lit, model(GPU), monkeypatch)
    assert energy(made, "gpu") == pytest.approx(0.5 * 0.4 + 0.02)
    assert next(each for each in made.evidence if each.component == "gpu").level == "states"


def test_a_rail_outranks_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = rails([(0, (1.0,)), (1000, (4.0,))], ["UFS_VCC"])
    made = profiled(written(rails=measured), model(STORAGE), monkeypatch)
    evidence = next(each for each in made.evidence if each.component == "storage")
    assert (evidence.level, energy(made, "storage")) == ("rails", pytest.approx(3.0))
    assert evidence.unscaled_j == pytest.approx(0.1 * 5.0 + 0.2 * 2.0 + 0.1 * 1.0)
    assert "fitted_model" not in [reason.code for reason in evidence.reasons]


def test_only_components_without_figures_are_filled() -> None:
    fitted = model(group(("gnss.on", 0.2), ("camera.on", 0.9), ("storage.read", 1.0), by="meter.csv"))
    profile = PowerProfile("made", {"camera.avg": 600.0, "gps.on": 0.1}, {})
    filled, names = filled_profile(profile, fitted, 4.0)
    assert names == ("gnss", "storage")
    power = ComponentPower.from_profile(filled)
    assert (power.gnss.unknown_quality_ma, power.camera.current_ma) == (pytest.approx(50.0), 600.0)
    assert fitted.values("storage") == {"read": 1.0}  # the base belongs to all components together


def test_a_model_file_of_another_device_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(model(STORAGE, device="another").model_dump_json())
    warnings = [str(notice.message) for notice in navitas.load(GOLDEN, power_model=path).warnings if notice.code == "power_model"]
    assert len(warnings) == 1 and warnings[0].startswith("the model file is fitted to another, the recording is of ")
    path.write_text(model(group(("cpu.estimate", 1.2))).model_dump_json())
    warnings = [str(notice.message) for notice in navitas.load(GOLDEN, power_model=path).warnings if notice.code == "power_model"]
    assert warnings[-1].startswith("the model file gives no figure")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "Invalid JSON"),
        ("<device/>", "Invalid JSON"),
        ("{}", "navitas_version: Field required"),
        (
            model(STORAGE).model_dump_json().replace('"value":2.0', '"value":-2.0'),
            "value: Input should be greater than or equal to 0",
        ),
        (model(STORAGE).model_dump_json().replace('"value":2.0', '"value":1e999'), "value: Input should be"),
        (
            model(STORAGE).model_dump_json().replace('"schema_version":1', '"schema_version":2'),
            "schema_version: Input should be 1",
        ),
        (
            model(STORAGE).model_dump_json().replace('"unit":"J/MB"', '"unit":"mA"'),
            "the unit of storage.read is 'mA', not 'J/MB'",
        ),
        (model(GPU).model_dump_json().replace('"unit":"W"', '"unit":"J/MB"'), "the unit of gpu.screen is 'J/MB', not 'W'"),
        (model(STORAGE).model_dump_json().replace("storage.written", "storage.write"), "unknown parameter 'storage.write'"),
        (" " * (1 << 20) + "{}", "larger than 1 MiB"),
    ],
)
def test_a_bad_model_file_is_refused(tmp_path: Path, text: str, cause: str) -> None:
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(PowerProfileError, match=cause) as error:
        read_fitted_model(path)
    assert str(path) in error.value.message


def test_a_missing_model_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PowerProfileError, match=r"missing\.json: cannot be read"):
        read_fitted_model(tmp_path / "missing.json")


def test_a_model_file_reads_back(tmp_path: Path) -> None:
    made = model(STORAGE, GPU)
    (tmp_path / "model.json").write_text(made.model_dump_json(indent=1))
    assert read_fitted_model(tmp_path / "model.json") == made


def test_each_parameter_has_a_unit() -> None:
    assert [parameter.name for parameter in PARAMETERS] == list(PARAMETER_UNITS)
