"""Files of a calibration: measured points, Wattson's curves, and damage in both."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.field_data import FIELD_DATA, needs_field_data

from navitas.base.errors import UsageError
from navitas.insight.calibrate.operating_points import OperatingPoint
from navitas.insight.calibrate.points_csv import FILES, parse_curves, parse_points, read_curves, read_points

FREQBENCH = "CPU,Frequency (kHz),CoreMarks (iter/s),Power (mW)\n1,300000,1110.2,56.12\n4,400000,2,23.5\n"
HEADER = "device,policy,freq_khz,static,active,idle0,idle1\n"


def test_freqbench_and_own_columns_are_read() -> None:
    """Freqbench keeps CPU 0 to itself, so it names policy 0 by CPU 1."""
    found = parse_points(FREQBENCH, "f.csv", "f.csv")
    assert found.points == (OperatingPoint(0, 300_000, 56.12), OperatingPoint(4, 400_000, 23.5)) and found.names_policies
    own = parse_points("policy,freq_mhz,power_w,cores,note\n0,300,0.05,2,hot\n0,300,0.04,1,\n", "f.csv", "f.csv")
    assert own.points == (OperatingPoint(0, 300_000, 50.0, 2), OperatingPoint(0, 300_000, 40.0)) and own.names_policies
    assert not parse_points("cpu,freq_khz,power_mw\n1,2,3\n", "f.csv", "f.csv").names_policies


def test_points_with_the_lowest_second_frequency_count() -> None:
    """As in folders of Wattson's curves: power with a fast second policy is not that of one running CPU."""
    rows = "0,300,10,1,4,900\n0,300,5,1,4,500\n0,300,6,1,6,500\n0,300,20,2,4,900\n0,400,7,1,,\n0,400,9,1,4,500\n"
    found = parse_points(f"cpu,freq_khz,power_mw,cores,dep_policy,dep_freq_mhz\n{rows}", "f.csv", "f.csv").points
    expected = OperatingPoint(0, 300, 5), OperatingPoint(0, 300, 6), OperatingPoint(0, 300, 20, 2), OperatingPoint(0, 400, 7)
    assert found == expected
    with pytest.raises(UsageError, match="line 2: dep_freq is 'x', not a number"):
        parse_points("cpu,freq_khz,power_mw,dep_freq\n0,300,10,x\n", "f.csv", "f.csv")


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


@given(st.sampled_from(FILES), st.lists(st.lists(st.sampled_from(["a", "0", "4", "300", "1e3", "-1", "nan", '"']), max_size=8)))
def test_any_rows_are_curves_or_an_error(file: str, rows: list[list[str]]) -> None:
    header = "device,policy,freq_khz,dep_policy,dep_freq,static,active,interconnect\n"
    try:
        found = parse_curves(file, header + "\n".join(map(",".join, rows)), "x.csv", {})
    except UsageError as error:
        assert error.message.startswith("x.csv: line ") and error.remedy
    else:
        assert all(power_mw >= 0 for power_mw in found.values())


@needs_field_data
@pytest.mark.parametrize(("device", "policies"), [("Tensor", {0: 11, 4: 14, 6: 17}), ("SXR2230P", {0: 11, 2: 11})])
def test_wattsons_own_files_are_read(device: str, policies: dict[int, int]) -> None:
    points = read_curves(FIELD_DATA / "wattson" / device, device).points
    assert Counter(point.cpu for point in points) == policies


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
    source = read_curves(tmp_path, "x")
    assert source.points == (OperatingPoint(4, 500, 102), OperatingPoint(0, 300, 54)) and source.names_policies


def test_a_curve_without_a_measurable_power_is_left_out(tmp_path: Path) -> None:
    """A power of 1e-300 mW ended in a traceback: errors are relative to the power."""
    (tmp_path / "cpu_1d.csv").write_text(f"{HEADER}x,0,400,1,0,0,0\nx,0,500,1e-300,0,0,0\nx,0,600,1,0,0,0\n")
    assert [point.freq_khz for point in read_curves(tmp_path, "x").points] == [400, 600]


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "is empty"), (b" \n", "is empty"), (FREQBENCH.encode("utf-16"), "UTF-16"), (b"cpu,\0", "not UTF-8 text")],
)
def test_empty_files_and_other_encodings_are_named(data: bytes, message: str, tmp_path: Path) -> None:
    for name, read in (("points.csv", read_points), ("cpu_1d.csv", lambda path: read_curves(path.parent, "x"))):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(UsageError, match=message) as caught:
            read(path)
        assert caught.value.message.startswith(str(path))
