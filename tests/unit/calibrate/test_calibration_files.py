"""Files of a calibration: measured points, Wattson's curves, and damage in both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.field_data import FIELD_DATA, needs_field_data

from navitas.calibrate.curve_points import curves_of, points_of, uncoupled
from navitas.calibrate.operating_points import Dependency, OperatingPoint
from navitas.calibrate.points_csv import parse_points, read_points
from navitas.calibrate.wattson_curves import (
    CurveRow,
    GpuRow,
    L3Row,
    WattsonCurves,
    curve_files,
    parse_curves,
    read_curves,
    write_curves,
)
from navitas.errors import UsageError
from navitas.power.model import ClusterPower, CpuPower

FREQBENCH = "CPU,Frequency (kHz),CoreMarks (iter/s),Power (mW)\n1,300000,1110.2,56.12\n4,400000,2,23.5\n"
HEADER = "device,policy,freq_khz,static,active,idle0,idle1\n"


def test_freqbench_and_own_columns_are_read() -> None:
    found = parse_points(FREQBENCH, "f.csv", "f.csv")
    assert found.points == (OperatingPoint(1, 300_000, 56.12), OperatingPoint(4, 400_000, 23.5))
    own = "policy,freq_mhz,power_w,cores,dep_policy,dep_freq_khz\n0,300,0.05,2,4,400000\n0,300,0.04,1,,\n"
    assert parse_points(own, "f.csv", "f.csv").points == (
        OperatingPoint(0, 300_000, 50.0, 2, Dependency(4, 400_000)),
        OperatingPoint(0, 300_000, 40.0),
    )


@pytest.mark.parametrize("prefix", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_marks_and_empty_lines_do_not_matter(prefix: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_bytes((prefix + FREQBENCH.replace("\n", end) + end).encode())
    assert read_points(path).points == parse_points(FREQBENCH, "", "").points


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: no column for cpu"),
        ("cpu,freq_khz\n", "line 1: no column for power"),
        ("cpu,freq_khz,power_mw,dep_policy\n", "line 1: dep_policy and dep_freq_khz need each other"),
        ("cpu,freq_khz,power_mw\n0,1,2\n0,x,2\n", "line 3: freq is 'x', not a number"),
        ("cpu,freq_khz,power_mw\n0,1\n", "line 2: power is '', not a number"),
        ("cpu,freq_khz,power_mw\n0,1,-5\n", "line 2: power is '-5'"),
        ("cpu,freq_khz,power_mw\n0,1,nan\n", "line 2: power is 'nan'"),
        ("cpu,freq_khz,power_mw\n0,1,1e99\n", "line 2: power is '1e99'"),
        ('cpu,freq_khz,power_mw\n0,1,"2\n', "line 2: unexpected end"),
        ("cpu,freq_khz,power_mw\n0,1,1_000\n", "line 2: power is '1_000'"),
        ("cpu,freq_khz,power_mw\n0.4,1,2\n", "line 2: cpu is '0.4', not a whole number"),
        ("cpu,freq_khz,power_mw,cores\n0,1,2,1\n0,1,2,1.5\n", "line 3: cores is '1.5', not a whole number"),
        ("cpu,freq_khz,power_mw\n" + "0,1,2\n" * 20_001, "has more than 20,000 points"),
    ],
)
def test_a_damaged_file_of_points_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_points(text, "bad.csv", "bad.csv")
    assert caught.value.message.startswith("bad.csv: ") and message in caught.value.message
    assert caught.value.remedy


@given(st.binary(max_size=300))
@example(b"\x1c0")
def test_any_bytes_are_points_or_an_error(data: bytes) -> None:
    try:
        parse_points("cpu,freq_khz,power_mw\n" + data.decode("utf-8", "replace"), "x.csv", "x.csv")
    except UsageError as error:
        assert error.message.startswith("x.csv: line ")


_MW = st.floats(0, 1e6).map(lambda mw: mw + 0.0)
_KHZ = st.integers(0, 10_000_000)
_POLICY = st.integers(0, 255)
_DEPENDENCY = st.builds(Dependency, _POLICY, _KHZ)
_CURVES = st.builds(
    WattsonCurves,
    st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20),
    st.dictionaries(st.tuples(_POLICY, _KHZ), st.builds(CurveRow, _MW, _MW, _MW, _MW), min_size=1, max_size=5),
    st.dictionaries(st.tuples(_POLICY, _KHZ, _DEPENDENCY), st.builds(CurveRow, _MW, _MW, _MW, _MW, _MW), max_size=5),
    st.dictionaries(st.tuples(_KHZ, _DEPENDENCY), st.builds(L3Row, _MW, _MW), max_size=5),
    st.dictionaries(_KHZ, st.builds(GpuRow, _MW, _MW, _MW), max_size=5),
)


@given(_CURVES)
def test_curves_are_read_as_they_were_written(curves: WattsonCurves) -> None:
    devices: dict[str, str] = {}
    tables = {name: parse_curves(name.removesuffix(".csv"), text, name, devices) for name, text in curve_files(curves)}
    read = WattsonCurves(next(iter(devices)), **{name.removesuffix(".csv"): table for name, table in tables.items()})
    assert read == curves


@needs_field_data
@pytest.mark.parametrize("device", ["Tensor", "SXR2230P"])
def test_wattsons_own_files_are_written_with_the_same_rows(device: str, tmp_path: Path) -> None:
    curves = read_curves(FIELD_DATA / "wattson" / device)
    assert curves.device == device
    write_curves(tmp_path, curves)
    assert read_curves(tmp_path) == curves
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in (FIELD_DATA / "wattson" / device).iterdir()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("device,policy\n", "line 1: no column freq_khz"),
        (f"{HEADER}a,0,100,0,1,0\n", "line 2: 6 fields, but the header has 7"),
        (f"{HEADER}a,0,1e5,0,1,0,0\n", "line 2: freq_khz is '1e5', not a whole number"),
        (f"{HEADER}a,0,100,0,-1,0,0\n", "line 2: active is '-1', not a number from 0 on"),
        (f"{HEADER}a,0,100,0,1,0,0\na,0,100,0,2,0,0\n", "line 3: a second row of the same frequency"),
        (f"{HEADER}a,0,100,0,1,0,0\nb,0,200,0,2,0,0\n", "line 3: rows of b, but "),
    ],
)
def test_damaged_curves_are_named_with_their_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "cpu_1d.csv").write_text(text)
    with pytest.raises(UsageError, match=r"cpu_1d\.csv: ") as caught:
        read_curves(tmp_path)
    assert message in caught.value.message


def test_a_folder_without_curves_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no curves of a CPU"):
        read_curves(tmp_path)


def test_points_of_curves_have_all_power_of_one_running_cpu() -> None:
    curves = WattsonCurves(
        "x",
        {(4, 500): CurveRow(2, 100, 5, 0)},
        {(0, 300, Dependency(4, 900)): CurveRow(1, 60, 2, 0, 3), (0, 300, Dependency(4, 500)): CurveRow(1, 50, 2, 0, 3)},
    )
    source = points_of(curves, "x")
    assert len(source.points) == 3
    assert uncoupled(source).points == (OperatingPoint(4, 500, 102), OperatingPoint(0, 300, 54))


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "is empty"), (b" \n", "is empty"), (FREQBENCH.encode("utf-16"), "UTF-16"), (b"cpu,\0", "not UTF-8 text")],
)
def test_empty_files_and_other_encodings_are_named(data: bytes, message: str, tmp_path: Path) -> None:
    for name, read in (("points.csv", read_points), ("cpu_1d.csv", lambda path: read_curves(path.parent))):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(UsageError, match=message) as caught:
            read(path)
        assert caught.value.message.startswith(str(path))


def test_the_power_of_any_core_is_in_the_static_power_of_the_first_policy_only() -> None:
    clusters = tuple(ClusterPower((cpu,), np.array([100]), np.array([10.0]), 2.0) for cpu in (0, 4))
    curves = curves_of("x", CpuPower(0.0, 0.0, 5.0, clusters), 4.0, ())
    assert (curves.cpu_1d[0, 100].static, curves.cpu_1d[0, 100].active) == (28.0, 40.0)
    assert (curves.cpu_1d[4, 100].static, curves.cpu_1d[4, 100].active) == (8.0, 40.0)
