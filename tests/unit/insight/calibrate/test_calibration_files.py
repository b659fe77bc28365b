"""Files of measured points, and damage in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from navitas.base.errors import UsageError
from navitas.insight.calibrate.operating_points import OperatingPoint
from navitas.insight.calibrate.points_csv import parse_points, read_points
from navitas.insight.calibrate.wattson_curves import read_curves

FREQBENCH = "CPU,Frequency (kHz),CoreMarks (iter/s),Power (mW)\n1,300000,1110.2,56.12\n4,400000,2,23.5\n"


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
