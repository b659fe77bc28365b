"""Folders of Wattson's curves: files and their damage, the rows that count, curves that never fall, and the profile of them."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.capture import Capture
from support.field_data import FIELD_DATA, needs_field_data

from navitas.base.errors import ExitCode, UsageError
from navitas.cli.main import run
from navitas.insight.calibrate.operating_points import OperatingPoint
from navitas.insight.calibrate.wattson_curves import read_curves
from navitas.insight.calibrate.wattson_files import FILES, parse_curves, read_folder
from navitas.power.cpu import power_model
from navitas.power.power_profile import read_power_profile

HEADER = "device,policy,freq_khz,static,active,idle0,idle1\n"
HEADER_2D = "device,policy,freq_khz,dep_policy,dep_freq,static,active,idle0,idle1,interconnect\n"
HEADER_L3 = "device,freq_khz,dep_policy,dep_freq,l3_hit,l3_miss\n"
HEADER_GPU = "device,freq_khz,active,idle1,idle2\n"


@given(st.sampled_from(FILES), st.lists(st.lists(st.sampled_from(["a", "0", "4", "300", "1e3", "-1", "nan", '"']), max_size=12)))
def test_any_rows_are_curves_or_an_error(file: str, rows: list[list[str]]) -> None:
    header = "device,policy,freq_khz,dep_policy,dep_freq,static,active,interconnect,l3_hit,l3_miss,idle1,idle2\n"
    try:
        found = parse_curves(file, header + "\n".join(map(",".join, rows)), "x.csv", {})
    except UsageError as error:
        assert error.message.startswith("x.csv: line ") and error.remedy
    else:
        assert all(figure >= 0 for figures in found.figures.values() for figure in figures)


@needs_field_data
@pytest.mark.parametrize(("device", "policies"), [("Tensor", {0: 11, 4: 14, 6: 17}), ("SXR2230P", {0: 11, 2: 11})])
def test_wattsons_own_files_are_read(device: str, policies: dict[int, int]) -> None:
    points = read_curves(FIELD_DATA / "wattson" / device, device).source().points
    assert Counter(point.cpu for point in points) == policies


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("device,policy\n", "line 1: no column freq_khz"),
        (f"{HEADER}a,0,100,0,1,0\n", "line 2: 6 fields, but the header has 7"),
        (f"{HEADER}a,0,1e5,0,1,0,0\n", "line 2: freq_khz is '1e5', not a whole number"),
        (f"{HEADER}a,0,100,0,-1,0,0\n", "line 2: active is '-1', not a number from 0 on"),
        (f"{HEADER}a,0,100,0,1,0,0\na,0,100,0,2,0,0\n", "line 3: a second row of the same frequency"),
        (HEADER + "".join(f"a,0,{khz},0,1,0,0\n" for khz in range(1, 5_002)), "line 5002: more than 5,000 rows"),
        (f"{HEADER}a,0,100,0,1,0,0\nb,0,200,0,2,0,0\n", "line 3: rows of b, but "),
    ],
)
def test_damaged_curves_are_named_with_their_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "cpu_1d.csv").write_text(text)
    with pytest.raises(UsageError, match=r"cpu_1d\.csv: ") as caught:
        read_curves(tmp_path, "x")
    assert message in caught.value.message


def test_a_folder_without_curves_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no curves of a CPU"):
        read_curves(tmp_path, "x")


def test_points_of_curves_have_all_power_of_one_running_cpu_at_the_lowest_second_frequency(tmp_path: Path) -> None:
    (tmp_path / "cpu_1d.csv").write_text(f"{HEADER}x,4,500,2,100,5,0\n")
    (tmp_path / "cpu_2d.csv").write_text(
        "device,policy,freq_khz,dep_policy,dep_freq,static,active,idle0,idle1,interconnect\n"
        "x,0,300,4,900,1,60,2,0,3\nx,0,300,6,500,1,55,2,0,3\nx,0,300,4,500,1,50,2,0,3\n"
    )
    source = read_curves(tmp_path, "x").source()
    assert source.points == (OperatingPoint(0, 300, 54), OperatingPoint(4, 500, 102)) and source.names_policies


def test_a_curve_without_a_measurable_power_is_left_out(tmp_path: Path) -> None:
    """A power of 1e-300 mW ended in a traceback: errors are relative to the power."""
    (tmp_path / "cpu_1d.csv").write_text(f"{HEADER}x,0,400,1,0,0,0\nx,0,500,1e-300,0,0,0\nx,0,600,1,0,0,0\n")
    assert [point.freq_khz for point in read_curves(tmp_path, "x").source().points] == [400, 600]


def _folder(path: Path, **files: str) -> Path:
    """A folder of curves, `cpu_1d` for `cpu_1d.csv`."""
    path.mkdir(exist_ok=True)
    for name, text in files.items():
        (path / f"{name}.csv").write_text(text)
    return path


def test_policies_that_depend_on_each_other_have_the_row_of_the_lowest_second_frequency(tmp_path: Path) -> None:
    """With one running CPU, none votes for its row, so the default vote counts."""
    rows = "".join(
        f"x,{policy},{khz},{dep},{dep_khz},0,{khz // 1000 + dep_khz // 10_000},0,0,0\n"
        for policy, dep in ((0, 2), (2, 0))
        for khz in (300_000, 600_000)
        for dep_khz in (600_000, 300_000)
    )
    points = read_curves(_folder(tmp_path, cpu_2d=HEADER_2D + rows), "x").source().points
    assert points == tuple(OperatingPoint(cpu, khz, khz // 1000 + 30) for cpu in (0, 2) for khz in (300_000, 600_000))


def test_a_frequency_without_the_row_of_the_default_vote_has_the_next_one_and_a_note(tmp_path: Path) -> None:
    rows = "x,0,300,4,500,0,5,0,0,0\nx,0,600,4,900,0,9,0,0,0\n"
    curves = read_curves(_folder(tmp_path, cpu_2d=HEADER_2D + rows), "x")
    assert [point.power_mw for point in curves.source().points] == [5, 9]
    assert (
        "policy 0 at 600 kHz with dep_freq 900 kHz of dep_policy 4 counts, since there is no row with dep_freq 500"
        in curves.notes[0]
    )


def test_hz_are_recognized_by_their_size(tmp_path: Path) -> None:
    """Each policy's second frequency has a unit of its own."""
    rows = "x,0,300000,255,115000000,0,5,0,0,0\nx,4,300000,0,300000,0,7,0,0,0\n"
    gpu = f"{HEADER_GPU}x,0,0,0,0\nx,198000000,400,1,0\n"
    curves = read_folder(_folder(tmp_path, cpu_2d=HEADER_2D + rows, gpu=gpu))
    assert set(curves.tables["cpu_2d.csv"].lines) == {(0, 300_000, 115_000, 255), (4, 300_000, 300_000, 0)}
    assert set(curves.tables["gpu.csv"].lines) == {(0,), (198_000,)}
    assert [note.partition(".csv: ")[2].partition(" is in Hz")[0] for note in curves.notes] == [
        "dep_freq of dep_policy 255",
        "freq_khz",
    ]
    mixed = f"{HEADER}x,0,300000,0,1,0,0\nx,0,600000000,0,2,0,0\n"
    with pytest.raises(UsageError, match="line 2: freq_khz is 300000, but up to 600000000 elsewhere: in kHz and in Hz"):
        read_folder(_folder(tmp_path, cpu_1d=mixed))


def test_negative_figures_of_the_cache_count_as_0_and_unread_files_are_named(tmp_path: Path) -> None:
    l3 = f"{HEADER_L3}x,300,4,500,-0.142,0.2\n"
    folder = _folder(tmp_path, cpu_1d=f"{HEADER}x,0,300,0,5,0,0\n", l3=l3, tpu="device,cluster\n")
    assert read_folder(folder).tables["l3.csv"].figures == {(300, 500, 4): (0.0, 0.2)}
    notes = " ".join(read_curves(folder, "x").notes)
    assert "l3.csv: line 2: l3_hit is '-0.142', not a number from 0 on; it counts as 0" in notes
    assert "not read: tpu.csv" in notes and "no part of a CPU's power profile: l3.csv" in notes


def test_a_falling_curve_becomes_the_nearest_one_that_does_not_fall(tmp_path: Path) -> None:
    powers = (10, 20, 19, 30)
    rows = "".join(f"x,0,{khz},1,{power - 1},0,0\n" for khz, power in zip((300, 400, 500, 600), powers, strict=True))
    curves = read_curves(_folder(tmp_path, cpu_1d=HEADER + rows), "x")
    moved = [point.power_mw for point in curves.source().points]
    assert moved[0] == pytest.approx(10) and moved[3] == pytest.approx(30) and 19 < moved[1] < 20
    assert moved[1] == pytest.approx(moved[2])
    assert curves.notes == (
        "x: policy 0: 2 of 4 points moved by up to 2.6 % (20 to 19.47 mW at 400 kHz), "
        "so that power does not fall as the frequency rises",
    )


FALLING = "".join(f"MT6858,{cpu},{khz}000,2,{mw},0,0\n" for cpu in (0, 4) for khz, mw in ((600, 20), (900, 31.2), (1200, 30)))


def test_a_known_soc_has_a_profile_of_its_curves_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One running core has the power of the curve. The profile never falls."""
    monkeypatch.chdir(tmp_path)
    _folder(tmp_path / "curves", cpu_1d=HEADER + FALLING)
    words = ["power", "calibrate", "curves", "--format", "wattson", "--voltage", "4"]
    assert run([*words, "--json", "report.json"]) == ExitCode.OK
    cpu = power_model(read_power_profile(tmp_path / "mt6858.xml"), 4.0).cpu
    assert [cluster.cpus for cluster in cpu.clusters] == [(0, 1, 2, 3), (4, 5, 6, 7)]
    for cluster in cpu.clusters:
        power_mw = [4 * (cluster.cluster_ma + current) for current in cluster.core_ma.tolist()]
        assert power_mw == pytest.approx([22, 32.6, 32.6], rel=0.01)
        assert all(low <= high for low, high in pairwise(power_mw))
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["soc"] == "mt6858" and [cluster["moved"] for cluster in report["clusters"]] == [2, 2]
    assert {caution["code"] for caution in report["warnings"]} == {"curves"}
    assert run(words) == ExitCode.USAGE  # The default file is never replaced.
    assert run(["power", "calibrate", "curves", "--format", "wattson", "-o", "mt6858.xml"]) == ExitCode.OK


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("curves",), "curves is a folder, not a power profile For Wattson's curves, add --format wattson"),
        (("google-pixel-6", "--format", "wattson"), "--format wattson needs a folder of curves"),
        (("curves", "--format", "wattson", "--points", "curves"), "--format wattson fits to nothing else"),
        (
            ("curves", "--format", "wattson", "--cores", "2,2"),
            "curves: has points of CPU 4, but --cores 2,2 has 4 CPUs",
        ),
        (
            ("curves", "--format", "wattson", "--cores", "6,2"),
            "curves: has policies 0, 4, but the clusters of --cores 6,2 begin at CPUs 0, 6",
        ),
        (("curves", "--format", "wattson", "--cores", "4,2"), "--cores 4,2, but curves is of MT6858, which has 4,4"),
        (("unknown", "--format", "wattson"), "unknown: the cores of y are unknown Give the cores of each cluster"),
        (("stopped", "--format", "wattson"), "cpu_1d.csv: line 2: freq_khz is 0 with power Remove the line."),
        (("off", "--format", "wattson"), "off: no power of a CPU of at least 0.001 mW"),
        (("part", "--format", "wattson"), "MT6858 (4,4 cores): no points of cluster 1 (CPUs 4 to 7)"),
    ],
)
def test_a_mistake_is_named_and_writes_nothing(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    _folder(tmp_path / "curves", cpu_1d=HEADER + FALLING)
    _folder(tmp_path / "unknown", cpu_1d=f"{HEADER}y,0,300000,0,5,0,0\n")
    _folder(tmp_path / "part", cpu_1d=f"{HEADER}MT6858,0,300000,0,5,0,0\n")
    _folder(tmp_path / "stopped", cpu_1d=f"{HEADER}MT6858,0,0,0,5,0,0\nMT6858,4,300000,0,5,0,0\n")
    _folder(tmp_path / "off", cpu_1d=f"{HEADER}MT6858,0,300000,0,0,0,0\n")
    assert run(["power", "calibrate", *words, "-o", "out.xml"]) == ExitCode.USAGE
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out.xml").exists()


def test_a_profile_that_navitas_would_refuse_is_not_written(tmp_path: Path, capsys: Capture) -> None:
    folder = _folder(tmp_path / "in_watts", cpu_1d=f"{HEADER}y,0,300000,0,0.3,0,0\n")
    output = tmp_path / "out.xml"
    output.write_text("an earlier file")
    assert run(["power", "calibrate", str(folder), "--format", "wattson", "--cores", "1", "-o", str(output)]) == ExitCode.TROUBLE
    assert "out.xml: all currents are AOSP's placeholder" in capsys.readouterr().err
    assert output.read_text() == "an earlier file"


def test_unknown_socs_need_their_cores(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "unknown", cpu_1d=f"{HEADER}y,0,300000,0,5,0,0\ny,0,600000,0,9,0,0\n")
    output = tmp_path / "out.xml"
    assert run(["power", "calibrate", str(folder), "--format", "wattson", "--cores", "3", "-o", str(output)]) == ExitCode.OK
    assert read_power_profile(output).values("cpu.clusters.cores") == (3,)


def test_validate_lists_what_is_negative_falling_or_missing(tmp_path: Path, capsys: Capture) -> None:
    rows = "x,0,300,4,500,0,5,0,0,0\nx,0,300,4,900,0,6,0,0,0\nx,0,600,4,500,-1,4,0,0,0\n"
    l3 = f"{HEADER_L3}x,300,4,500,0.1,0.1\nx,300,4,900,0.1,-0.1\n"
    folder = _folder(tmp_path / "curves", cpu_2d=HEADER_2D + rows, l3=l3)
    assert run(["power", "validate", str(folder), "--json", str(tmp_path / "report.json")]) == ExitCode.CHECK_FAILED
    where = f"{folder}/cpu_2d.csv"
    expected = [
        f"negative: {where}: line 4: static is '-1', not a number from 0 on",
        f"negative: {folder}/l3.csv: line 3: l3_miss is '-0.1', not a number from 0 on",
        f"falling: {where}: line 4: policy 0 at 600 kHz with dep_freq 500 kHz of dep_policy 4: "
        "4 mW, less than 5 mW at 300 kHz (line 2)",
        f"missing: {where}: after line 4: policy 0 at 600 kHz lacks 1 row: dep_freq 900 kHz of dep_policy 4",
        f"missing: {folder}/l3.csv: no row of policy 0 at 600 kHz with dep_freq 500 kHz of dep_policy 4 ({where}: line 4)",
    ]
    assert json.loads((tmp_path / "report.json").read_text())["defects"] == expected
    assert capsys.readouterr().out.endswith("x: 5 defects\n")


def test_validate_has_no_complaint_about_curves_without_defects(tmp_path: Path, capsys: Capture) -> None:
    folder = _folder(tmp_path / "curves", cpu_1d=f"{HEADER}y,0,300000,0,5,0,0\ny,0,600000,0,9,0,0\n", tpu="a\n")
    assert run(["power", "validate", str(folder)]) == ExitCode.OK
    assert capsys.readouterr().out.endswith("not read: tpu.csv\ny: no defect\n")
    (folder / "cpu_1d.csv").write_text(f"{HEADER}y,0,x,0,5,0,0\n")
    assert run(["power", "validate", str(folder)]) == ExitCode.CHECK_FAILED
    assert "unusable: " in capsys.readouterr().out


DEVICES = sorted(path.name for path in (FIELD_DATA / "wattson").glob("*/"))


@needs_field_data
@pytest.mark.parametrize("device", DEVICES)
def test_each_of_wattsons_own_folders_is_a_profile_that_never_falls(device: str, tmp_path: Path) -> None:
    output = tmp_path / "out.xml"
    folder = str(FIELD_DATA / "wattson" / device)
    assert run(["power", "calibrate", folder, "--format", "wattson", "-o", str(output)]) == ExitCode.OK
    for cluster in power_model(read_power_profile(output), 3.85).cpu.clusters:
        assert all(low <= high for low, high in pairwise(cluster.core_ma.tolist())) and cluster.core_ma[0] > 0
