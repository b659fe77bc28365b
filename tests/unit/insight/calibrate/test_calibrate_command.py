"""`navitas power calibrate`: its outputs, and options that do not fit together."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.capture import Capture
from support.field_data import FIELD_DATA, needs_field_data

from navitas.base.errors import ExitCode, UsageError
from navitas.cli.main import run
from navitas.cli.power.calibrate_input import CalibrationSources, voltage_of
from navitas.power.cpu import power_model
from navitas.power.power_profile import read_power_profile

POINTS = "cpu,freq_khz,power_mw\n" + "".join(
    f"{cpu},{khz},{khz / 4000:.3f}\n"
    for cpu, speeds in ((0, (300_000, 574_000, 738_000, 930_000, 1_098_000)), (4, (400_000, 553_000, 696_000)))
    for khz in speeds
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "points.csv").write_text(POINTS)
    return tmp_path


def _run(*words: str) -> int:
    return run(["power", "calibrate", *words])


def test_profile_and_report_are_written(place: Path, capsys: Capture) -> None:
    outputs = ["-o", "out.xml", "--json", "report.json"]
    assert _run("google-pixel-6", "--points", "points.csv", "--check-points", "points.csv", *outputs) == ExitCode.OK
    profile = read_power_profile(place / "out.xml")
    assert profile.value("battery.capacity") > 0
    core = power_model(profile, 3.85).cpu
    assert (core.active_ma + core.clusters[0].cluster_ma + core.clusters[0].core_ma[0]) * 3.85 == pytest.approx(75, rel=0.02)
    document = json.loads((place / "report.json").read_text())
    assert {"errors", "disagreements", "before", "after", "warnings", "voltage_v", "prior"} <= document.keys()
    assert [each["cluster"] for each in document["errors"]] == [None, 0, 1, None, 0, 1]
    codes = [each["code"] for each in document["warnings"]]
    assert codes[:4] == ["too_few_frequencies", "too_few_frequencies", "cluster_not_measured", "one_busy_core"]
    captured = capsys.readouterr()
    assert "Held out" in captured.out and "straight lines" in captured.out and "cluster 2 was not measured" in captured.err


def test_a_fitted_profile_needs_a_file(place: Path, capsys: Capture) -> None:
    assert _run("google-pixel-6", "--points", "points.csv") == ExitCode.USAGE
    assert "there is no file for the profile Name one: -o FILE" in " ".join(capsys.readouterr().err.split())


def test_a_calibrated_profile_is_usable(place: Path) -> None:
    assert _run("google-pixel-6", "--points", "points.csv", "-o", "out.xml") == ExitCode.OK
    assert run(["power", "validate", "out.xml"]) == ExitCode.OK
    assert _run("out.xml", "--points", "points.csv", "-o", "again.xml") == ExitCode.OK


def test_currents_that_no_phone_has_are_named(place: Path, capsys: Capture) -> None:
    rows = [line.split(",") for line in POINTS.splitlines()[1:]]
    micro = [f"{cpu},{khz},{float(power) * (1000 if cpu == '4' else 1)}\n" for cpu, khz, power in rows]
    (place / "micro.csv").write_text("cpu,freq_khz,power_mw\n" + "".join(micro))
    assert _run("google-pixel-6", "--points", "micro.csv", "-o", "out.xml", "--json", "report.json") == ExitCode.OK
    assert "cpu.core_power.cluster1 of out.xml: cluster 1: " in " ".join(capsys.readouterr().err.split())
    assert any("in µA" in each["message"] for each in json.loads((place / "report.json").read_text())["warnings"])
    assert _run("google-pixel-6", "--points", "points.csv", "-o", "out.xml") == ExitCode.OK
    assert "more than a core uses" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "there is nothing to fit to"),
        (("--points", "points.csv", "--meter", "meter.csv"), "--meter needs a recording"),
        (("--points", "points.csv", "--cores", "4,x"), "'4,x' are not the cores of clusters"),
        (("--points", "points.csv", "--cores", "4,0"), "are not the cores of clusters"),
        (
            ("--points", "points.csv", "--cores", "4,2,2"),
            "--cores 4,2,2: no points of cluster 2 (CPUs 6 to 7): the points are of",
        ),
        (
            ("--points", "other.csv", "--cores", "8"),
            "different powers at the same frequencies of CPUs 0 and 4, but both are in cluster 0 of --cores 8 Give the cores",
        ),
        (("--points", "policies.csv", "--cores", "3,5"), "policies 0, 4, but the clusters of --cores 3,5 begin at CPUs 0, 3"),
        (("--points", "policies.csv", "--cores", "4,2,2"), "no points of cluster 2 (CPUs 6 to 7): the points are of CPUs 0, 4"),
        (("--points", "freqbench.csv", "--cores", "1,3"), "freqbench.csv: has points of CPU 4, but --cores 1,3 has 4 CPUs"),
        (("--points", "unknown.csv"), "of another phone than the profile: only 0 of 5 frequencies of cluster 0 are speeds"),
        (("--points", "cpu_1d.csv"), "is a file of Wattson's curves"),
        (("--points", "nothing"), "nothing: has no curves of a CPU"),
        (("--points", "points.csv", "--step", "2"), "--step has no effect without --device"),
        (("--points", "points.csv", "--interval", "1"), "--interval has no effect without --recording"),
    ],
)
def test_a_mistake_is_a_usage_error_and_writes_nothing(
    words: tuple[str, ...], message: str, place: Path, capsys: Capture
) -> None:
    (place / "cpu_1d.csv").touch()
    (place / "policies.csv").write_text(POINTS.replace("cpu,", "policy,", 1))
    (place / "other.csv").write_text(re.sub("^4,(.*),", r"4,\1,1", POINTS, flags=re.M))
    (place / "freqbench.csv").write_text(POINTS.replace("power_mw", "Power (mW),CoreMarks/MHz").replace("0\n", "0,1\n"))
    unknown = "".join(f"0,{mhz}000,{mhz}\n" for mhz in (330, 633, 800, 1000, 1150))
    (place / "unknown.csv").write_text(f"cpu,freq_khz,power_mw\n{unknown}")
    (place / "meter.csv").write_text("time_s,power_w\n0,1\n1,1\n")
    (place / "nothing").mkdir()
    assert _run("google-pixel-6", *words, "-o", "out.xml") == ExitCode.USAGE
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (place / "out.xml").exists()


@needs_field_data
@pytest.mark.parametrize("words", [("--cores", "4,3,1"), ()], ids=["named", "known"])
def test_the_cores_of_another_phones_clusters_are_written(words: tuple[str, ...], place: Path) -> None:
    points = str(FIELD_DATA / "freqbench/sm8250_main_results.csv")
    assert _run("google-pixel-6", "--points", points, *words, "-o", "out.xml", "--json", "report.json") == ExitCode.OK
    profile = read_power_profile(place / "out.xml")
    assert profile.values("cpu.clusters.cores") == (4, 3, 1)
    assert [len(each.cpus) for each in power_model(profile, 3.85).cpu.clusters] == [4, 3, 1]
    warnings = {each["code"]: each["message"] for each in json.loads((place / "report.json").read_text())["warnings"]}
    assert ("known_soc" in warnings) == (not words)
    assert words or "like those of sm8250, so --cores is 4,3,1" in warnings["known_soc"]


@needs_field_data
@pytest.mark.parametrize("words", [(), ("--cores", "4,4"), ("--cores", "6,2"), ("--cores", "4,2,2")])
def test_points_of_known_policies_contradict_other_clusters(words: tuple[str, ...], place: Path, capsys: Capture) -> None:
    """Policies of this chip are 0, 4 and 7. Without --cores, the profile's clusters do not count."""
    points = str(FIELD_DATA / "freqbench/sm8150_main_results.csv")
    assert (_run("google-pixel-6", "--points", points, *words, "-o", "out.xml") == ExitCode.USAGE) == bool(words)
    shown = " ".join(capsys.readouterr().err.split())
    assert not words or f"has policies 0, 4, 7, but the clusters of {' '.join(words)} begin at CPUs" in shown
    assert not words or "A policy has the number of its first CPU" in shown


def test_files_of_the_same_name_have_distinct_names(place: Path) -> None:
    for name in ("one", "two"):
        (place / name).mkdir()
        (place / name / "points.csv").write_text(POINTS)
    words = ["--points", "one/points.csv", "--check-points", "two/points.csv", "--json", "report.json"]
    assert _run("google-pixel-6", *words, "-o", "out.xml") == ExitCode.OK
    document = json.loads((place / "report.json").read_text())
    assert {each["source"] for each in document["errors"]} == {"one/points.csv", "two/points.csv"}
    assert document["errors"][0]["held_out_p90"] >= document["errors"][0]["held_out"]


def test_the_next_step_has_the_voltage_of_the_currents(place: Path, capsys: Capture) -> None:
    assert _run("google-pixel-6", "--points", "points.csv", "-o", "out.xml") == ExitCode.OK
    assert "--power-profile out.xml --voltage 3.85" in capsys.readouterr().err


def test_a_mistake_shows_before_a_device_is_measured(place: Path, capsys: Capture) -> None:
    (place / "bad.csv").touch()
    assert _run("--device", "no-such-device", "--check-points", "bad.csv", "-o", "out.xml") == ExitCode.USAGE
    assert "bad.csv: is empty" in " ".join(capsys.readouterr().err.split())


def test_short_steps_are_a_warning() -> None:
    short, long = (CalibrationSources(None, "virtual", (), (), (), None, step_s, None, None).check() for step_s in (0.5, 1.0))
    assert "steps of 0.5 s are short" in short[0] and long == []


def test_recordings_bring_their_voltage() -> None:
    def loaded(voltage_v: float) -> Any:
        return SimpleNamespace(
            path=Path(f"{voltage_v}"), manifest=SimpleNamespace(power_profile=SimpleNamespace(voltage_v=voltage_v))
        )

    assert voltage_of(None, [loaded(4.2)]) == 4.2 and voltage_of(3.9, [loaded(4.2)]) == 3.9
    assert voltage_of(None, []) == 3.85
    assert voltage_of(None, [loaded(4.2), loaded(4.1)]) == pytest.approx(4.15)
    with pytest.raises(UsageError, match=r"3\.6 was recorded at 3\.6 V, and 4\.2 at 4\.2 V"):
        voltage_of(None, [loaded(4.2), loaded(3.6)])
