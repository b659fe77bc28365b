"""Files that are cut off, damaged or hostile: each has a named warning or an error with a remedy, and never a traceback."""

from __future__ import annotations

import gzip
import io
import os
import random
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vitals_dumps import CHECKIN_16, HEAD, HOUR, OTHER_SERVICE, TEXT_13, bugreport, checkin_section, text_section, zipped
from vitals_reports import app_of, report_of, statistics

from navitas.base.errors import NavitasError
from navitas.insight.vitals.device_use import Bounds
from navitas.insight.vitals.report import VitalsReport, vitals_of_dump


def codes(report: VitalsReport) -> list[str]:
    return [one.code for one in report.warnings]


def test_a_bug_report_that_is_cut_off_in_the_middle(tmp_path: Path) -> None:
    text = bugreport(text_section())
    report = report_of(tmp_path, text[: text.index("  u0a124:")])
    assert codes(report) == ["cut_off", "rounded"] and [app.uid for app in report.apps] == [10_123]
    assert "within the section DUMP OF SERVICE batterystats: what follows is missing" in report.warnings[0].message
    report = report_of(tmp_path, text[: text.index("    Apk org.example.app")])
    assert codes(report) == ["cut_off", "rounded"]
    report = report_of(tmp_path, text[: text.index("Statistics since")])
    assert codes(report) == ["cut_off", "no_statistics"]
    report = report_of(tmp_path, text[: text.index("times) max=9000")])
    assert codes(report)[:2] == ["cut_off", "cut_off"] and "in the middle of a line" in report.warnings[0].message


def test_the_whole_section_is_used_if_the_other_is_cut_off(tmp_path: Path) -> None:
    text = bugreport(checkin_section(), text_section())
    report = report_of(tmp_path, text[: text.index("  u0a124:")])
    assert codes(report) == ["cut_off"] and len(report.apps) == 3
    assert "the figures are from the section CHECKIN BATTERYSTATS" in report.warnings[0].message
    # Cut before the first user, the checkin section has less than the text.
    text = bugreport(text_section(), checkin_section())
    report = report_of(tmp_path, text[: text.index("9,10123,l,nt")])
    assert codes(report) == ["cut_off", "rounded"] and len(report.apps) == 3


def test_statistics_without_users_or_time(tmp_path: Path) -> None:
    assert codes(report_of(tmp_path, statistics())) == ["no_users"]
    report = report_of(tmp_path, statistics("wua,alarm,5", on_battery_ms=0))
    assert codes(report) == ["no_time"] and {figure.reason for figure in report.apps[0].figures} == {"no_time"}
    cut = TEXT_13[: TEXT_13.index("  u0a123")]
    assert codes(report_of(tmp_path, cut)) == ["no_users"]


def test_a_clock_that_jumps_is_named(tmp_path: Path) -> None:
    lines = "  +5s000ms (1) 050 +screen\n  +2s000ms (1) 050 -screen\n"
    report = report_of(tmp_path, lines)
    warning = next(one for one in report.warnings if one.code == "clock")
    assert "1 × the time goes back" in warning.message and "left out of the sums" in warning.message
    report = report_of(tmp_path, CHECKIN_16.replace("9,h,60000,-r", "9,h,999999999999,-r"))
    warning = next(one for one in report.warnings if one.code == "clock")
    assert "3 years" in warning.message and "does not affect the statistics" in warning.message
    assert app_of(report).verdict == "bad"


def test_lines_that_are_not_understood_are_counted(tmp_path: Path) -> None:
    report = report_of(tmp_path, CHECKIN_16 + "9,10123,l,wua,alarm,x\nwhat is this\n")
    assert codes(report) == ["not_understood"] and "2 lines" in report.warnings[0].message


def test_statistics_that_a_file_has_twice_do_not_count_twice(tmp_path: Path) -> None:
    for text in (CHECKIN_16 * 2, bugreport(checkin_section(), checkin_section())):
        report = report_of(tmp_path, text)
        assert codes(report) == ["repeated"] and "since the same reset" in report.warnings[0].message
        assert report.use == report_of(tmp_path, CHECKIN_16).use
    report = report_of(tmp_path, statistics("awl,5000000,0", "awl,5000000,0"))
    assert codes(report) == ["repeated"] and report.apps[0].use.held_ms == Bounds.exactly(5_000_000)


def test_a_number_that_no_phone_has_is_not_judged(tmp_path: Path) -> None:
    report = report_of(tmp_path, statistics("wua,one,1e308", "wua,two,-500", "wua,three,0.4", "awl,-5,0", "awl,1e308,0"))
    assert "not_understood" in codes(report) and report.apps[0].use.wakeups == Bounds.exactly(0)


@pytest.mark.parametrize("text", ["", "{}", "no such content\n", "\x00\xff\n" * 9, "PK\x03\x04 no zip file"])
def test_a_file_without_batterystats_is_an_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(NavitasError) as error:
        report_of(tmp_path, text)
    assert str(tmp_path) in error.value.message and error.value.remedy


def test_a_bug_report_without_batterystats_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NavitasError, match=r"nothing of batterystats$"):
        report_of(tmp_path, bugreport())
    with pytest.raises(NavitasError, match="cut off"):
        report_of(tmp_path, HEAD + OTHER_SERVICE)


def _zip_report(folder: Path, data: bytes) -> VitalsReport:
    path = folder / "report.zip"
    path.write_bytes(data)
    return vitals_of_dump(path)


def test_the_bug_report_in_a_zip_file(tmp_path: Path) -> None:
    text = bugreport(text_section(), checkin_section())
    assert codes(_zip_report(tmp_path, zipped(text))) == []
    assert app_of(_zip_report(tmp_path, zipped(text, "renamed.txt"))).verdict == "bad"
    with pytest.raises(NavitasError, match="nothing of batterystats"):
        _zip_report(tmp_path, zipped(bugreport()))
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("notes.txt", text)
    with pytest.raises(NavitasError, match=r"no bugreport-\*\.txt"):
        _zip_report(tmp_path, data.getvalue())


def test_a_zip_file_that_is_cut_off_or_damaged(tmp_path: Path) -> None:
    whole = zipped(bugreport(checkin_section(), *[OTHER_SERVICE] * 2000))
    with pytest.raises(NavitasError, match="not a readable zip file"):
        _zip_report(tmp_path, whole[: len(whole) // 2])
    at = whole.index(b"BP2A-2024", whole.rindex(b"PK\x03\x04")) + 200
    try:
        report = _zip_report(tmp_path, whole[:at] + b"\xff" * 20 + whole[at + 20 :])
        assert "cut_off" in codes(report)
    except NavitasError as error:
        assert error.remedy


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_each_compression_method_damaged_anywhere(method: int, tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        archive.writestr("bugreport-a.txt", bugreport(checkin_section()) + "".join(map(chr, range(32, 127))) * 50)
    whole = data.getvalue()
    for at in range(30 + len("bugreport-a.txt"), len(whole), 97):
        damaged = whole[:at] + bytes(byte ^ 0x5A for byte in whole[at : at + 40]) + whole[at + 40 :]
        try:
            report = _zip_report(tmp_path, damaged)
        except NavitasError as error:
            assert "zip file" in error.message and "cannot be read" not in error.message
            assert "Copy" in error.remedy or "Name a file" in error.remedy
        else:
            assert "cut_off" in codes(report)


def _error_of(path: Path, data: bytes) -> NavitasError:
    path.write_bytes(data)
    with pytest.raises(NavitasError) as error:
        vitals_of_dump(path)
    return error.value


def test_a_text_in_utf_16_is_read(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    for text in (CHECKIN_16, CHECKIN_16.replace("\n", "\r\n"), bugreport(checkin_section())):
        for encoding in ("utf-16-le", "utf-16-be"):
            path.write_bytes(("\ufeff" + text).encode(encoding))
            report = vitals_of_dump(path)
            assert not report.warnings and report.use == report_of(tmp_path, CHECKIN_16).use
    assert "cut_off" in codes(_zip_report(tmp_path, ("\ufeff" + CHECKIN_16).encode("utf-16-le")[:-7]))


def test_a_packed_file_is_named(tmp_path: Path) -> None:
    path, inner = tmp_path / "dump", zipped(bugreport(checkin_section()))
    error = _error_of(path, gzip.compress(CHECKIN_16.encode()))
    assert "packed in a gzip file" in error.message and "Unpack" in error.remedy
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bugreport-a.txt", inner)
    assert "packed in a zip file" in _error_of(path, data.getvalue()).message
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bugreport-a.zip", inner)
    assert "Unpack the archive in it" in _error_of(path, data.getvalue()).remedy


def test_a_pipe_has_the_remedy(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NavitasError, match="a pipe, not a regular file") as error:
        vitals_of_dump(tmp_path / "pipe")
    assert error.value.remedy == "For standard input, give -."


def test_a_zip_bomb_ends_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.android.batterystats.dump_file.MOST_BYTES", 3 << 20)
    bomb = zipped(bugreport(checkin_section()) + "0" * (64 << 20))
    assert len(bomb) < 1 << 20
    report = _zip_report(tmp_path, bomb)
    assert codes(report)[0] == "cut_off" and "are read" in report.warnings[0].message
    assert app_of(report).verdict == "bad"


_REPORTS = [bugreport(text_section(), checkin_section()), CHECKIN_16, TEXT_13]


@given(st.integers(0, 2**32))
def test_damage_never_ends_in_a_traceback(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    draw = random.Random(seed)
    data = bytearray(draw.choice(_REPORTS).encode())
    for _ in range(draw.choice((0, 1, 5, 50))):
        place = draw.randrange(len(data))
        size = draw.choice((1, 3, 300))
        data[place : place + draw.choice((0, size))] = draw.choice((b"", draw.randbytes(size), data[:size]))
    del data[draw.randrange(len(data) + 1) :]
    path = tmp_path_factory.mktemp("damaged") / "dump"
    path.write_bytes(data)
    try:
        report = vitals_of_dump(path)
    except NavitasError as error:
        assert error.remedy
        return
    for app in report.apps:
        for figure in app.figures:
            assert (figure.reason is None) == (figure.verdict != "not_known")
            assert figure.amount is None or figure.amount.high is None or 0 <= figure.amount.low <= figure.amount.high


@given(st.integers(0, len(CHECKIN_16)))
def test_a_dump_cut_anywhere_is_never_silent(tmp_path_factory: pytest.TempPathFactory, end: int) -> None:
    """Except between two lines of users, where nothing shows that lines are missing."""
    text = CHECKIN_16[:end]
    path = tmp_path_factory.mktemp("cut") / "dump"
    path.write_text(text)
    try:
        report = vitals_of_dump(path)
    except NavitasError:
        return
    assert report.warnings or (text.endswith("\n") and any(app.uid >= 10_000 for app in report.apps))
    assert report.use.on_battery_ms in (None, 0) or report.use.on_battery_ms >= HOUR or report.warnings
