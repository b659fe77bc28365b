"""Logs of real phones: energies by paper 1's formula, as computed from the text, and the processes of a log."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from original_logs import by_method, imported, milliamps, paper1_by_method
from support.field_data import FIELD_DATA, needs_field_data

from navitas.base.errors import UsageError
from navitas.recording.importing.original_json import read_original_json
from navitas.recording.importing.read_log import read_log

LOGS = FIELD_DATA / "navitas-framework-logs"
THREADTIME = (
    "2021-04-23_InliningAnonymousClassTest.start",
    "2021-04-23_InliningSeparateClassTest.start",
    "2021-05-03_MultithreadingTest.startWithSort",
    "2021-05-03_MultithreadingTest.startWithoutSort",
    "2021-05-28_MultithreadingTest.startWithSort_leaky",
)

pytestmark = needs_field_data


@pytest.mark.parametrize("name", THREADTIME)
def test_energies_by_method_are_those_of_paper_1(name: str, tmp_path: Path) -> None:
    log = LOGS / f"{name}.txt"
    written, profile = imported(tmp_path / "rec", log)
    expected = paper1_by_method(log.read_text())
    assert [str(run.process.pid) for run in written.runs] == list(expected)
    for methods, process in zip(by_method(profile), expected.values(), strict=True):
        assert methods == pytest.approx(dict(process), rel=1e-6) and min(methods.values()) > 0
    assert not {note.code for _, note in written.notes} - {"imported"}


def test_the_two_tests_of_2021_05_03(tmp_path: Path) -> None:
    """The figures themselves, in millijoules."""
    found = []
    for name in ("startWithSort", "startWithoutSort"):
        log = LOGS / f"2021-05-03_MultithreadingTest.{name}.txt"
        written, profile = imported(tmp_path / name, log)
        assert written.runs[0].test == f"MultithreadingTest#{name}"
        found.append({key.rpartition(".")[2]: round(1e3 * value, 1) for key, value in by_method(profile)[0].items()})
    package = "com.example.ui_testing_samples"
    text = (LOGS / "2021-05-03_MultithreadingTest.startWithSort.txt").read_text()
    assert found[0]["onCreate"] == round(1e3 * paper1_by_method(text)["14069"][f"{package}.MainActivity.onCreate"], 1)
    assert all(set(methods) == {"onCreate", "run", "doInBackground"} for methods in found)
    assert found[0]["run"] > found[0]["doInBackground"] > 0


def test_the_leaky_log_has_six_processes(tmp_path: Path) -> None:
    log = LOGS / "2021-05-28_MultithreadingTest.startWithSort_leaky.txt"
    written, profile = imported(tmp_path / "rec", log)
    pids = [13263, 13524, 14311, 14602, 16026, 16429]
    assert [run.process.pid for run in written.runs] == pids
    assert [test.method for test in profile.tests] == [f"startWithSort_leaky (process {pid})" for pid in pids]
    assert all(len(run.process.events) == 6 and len(run.process.names) == 2 for run in written.runs)
    (note,) = [note for _, note in written.notes if "6 processes" in note.message]
    assert "--process 16429" in note.remedy


def test_the_brief_log_has_five_processes_and_windows_line_ends(tmp_path: Path) -> None:
    log = LOGS / "2021-11-18_brief_NavigationTest.txt"
    assert b"EndOfData 0\r\n" in log.read_bytes()
    written, profile = imported(tmp_path / "rec", log)
    assert [run.process.pid for run in written.runs] == [5365, 5625, 6170, 6708, 7027]
    assert [len(run.process.names) for run in written.runs] == [1] * 5
    text = "".join(_as_threadtime(line) for line in log.read_text().splitlines())
    expected = paper1_by_method(text)
    assert len(expected) == 5
    for methods, process in zip(by_method(profile), expected.values(), strict=True):
        assert methods == pytest.approx(dict(process), rel=1e-6)
    texts = [note.message for _, note in written.notes]
    assert any("no times" in text for text in texts) and any("no thread ids" in text for text in texts)


def test_the_json_has_one_process_with_three_threads(tmp_path: Path) -> None:
    log = LOGS / "2020-05-05_logs.json"
    written, profile = imported(tmp_path / "rec", log)
    (run,) = written.runs
    assert (run.process.pid, run.process.log.format, len(run.process.events)) == (5634, "json (schema 1)", 90)
    assert [name for _, name in run.process.names] == ["main", "thread 5736", "thread 5775"]
    expected = paper1_by_method(_text_of_json(log))["5634"]
    assert by_method(profile)[0] == pytest.approx(dict(expected), rel=1e-6)


def test_both_schemas_have_the_same_events() -> None:
    data = (LOGS / "2020-05-05_logs.json").read_bytes()
    document = json.loads(data)
    for test in document["tests"]:
        test["logs"] = {"cpu": test["logs"], "wifi": {"common": 0.2, "wifi": 0.1}, "bluetooth": {"common": 0.1}}
    old, new = read_original_json(json.loads(data), "old"), read_original_json(document, "new")
    assert old.parts == new.parts
    assert (old.format, new.format, old.estimates, new.estimates) == ("json (schema 1)", "json (schema 2)", 0, 2)


def test_a_log_with_windows_line_ends_is_the_same(tmp_path: Path) -> None:
    plain = LOGS / "2021-05-03_MultithreadingTest.startWithSort.txt"
    crlf = tmp_path / plain.name
    crlf.write_bytes(plain.read_bytes().replace(b"\n", b"\r\n"))
    shell = tmp_path / "utf16.txt"
    shell.write_text(plain.read_text(), encoding="utf-16", newline="\r\n")
    expected = by_method(imported(tmp_path / "plain", plain)[1])
    assert by_method(imported(tmp_path / "crlf", crlf)[1]) == expected
    assert by_method(imported(tmp_path / "utf16", shell)[1]) == expected


def test_logs_of_one_name_are_repeats(tmp_path: Path) -> None:
    plain = LOGS / "2021-05-03_MultithreadingTest.startWithSort.txt"
    again = tmp_path / "again" / plain.name
    again.parent.mkdir()
    again.write_text(re.sub(r"\b14069\b", "14070", plain.read_text()))
    _, profile = imported(tmp_path / "rec", plain, again)
    assert [(test.method, test.repeat) for test in profile.tests] == [("startWithSort", 0), ("startWithSort", 1)]


def test_logs_and_their_copies_are_not_repeats(tmp_path: Path) -> None:
    """Also a part of a log, as of a later dump of the same buffer."""
    plain = LOGS / "2021-05-03_MultithreadingTest.startWithSort.txt"
    part = tmp_path / "part.txt"
    part.write_text("".join(plain.read_text().splitlines(keepends=True)[2:]))
    with pytest.raises(UsageError, match="is given twice"):
        imported(tmp_path / "rec", plain, plain)
    with pytest.raises(UsageError, match=r"startWithSort\.txt and .*part\.txt have the same measurements of process 14069"):
        imported(tmp_path / "rec", plain, part)


def test_json_in_utf_16_is_recognized(tmp_path: Path) -> None:
    text = (LOGS / "2020-05-05_logs.json").read_text()
    for encoding in ("utf-16", "utf-8-sig"):
        (path := tmp_path / f"{encoding}.json").write_text(text, encoding=encoding)
        assert read_log(path, "log", year=None).format == "json (schema 1)"


def _as_threadtime(line: str) -> str:
    """A line of the brief format with the time and thread that its format lacks."""
    if not line.startswith("D/TEST"):
        return ""
    pid, _, message = line.partition("(")[2].partition("): ")
    return f"11-18 00:00:00.000 {pid.strip()} {pid.strip()} D TEST : {message}\n"


def _text_of_json(path: Path) -> str:
    """The log lines from which the JSON was made."""
    out = ""
    for log in json.loads(path.read_text())["tests"][0]["logs"]:
        header = log["header"]
        kind = "Entry" if header["isEntry"] else "Exit"
        kernels = log["body"][0]["details"]
        sections = (f"cpu{k['kernel']} " + " ".join(f"{d['frequency']} {d['timestamp']}" for d in k["details"]) for k in kernels)
        out += f"05-05 00:00:00.000 {header['processID']} {header['threadID']} D TEST : {kind} {header['methodName']} "
        out += f"TimeInStates {' ; '.join(sections)} ; EndOfData 0\n"
    return out


def test_the_check_itself() -> None:
    """Ten ticks on CPU 0 at 400 MHz, in one of two nested calls of a method."""
    rows = [("Entry", 0), ("Entry", 4), ("Exit", 8), ("Exit", 10)]
    text = "".join(f"1 2 7 7 D TEST : {kind} a.B.run TimeInStates cpu0 400000 {ticks} ; EndOfData 0\n" for kind, ticks in rows)
    assert paper1_by_method(text)["7"]["a.B.run"] == pytest.approx(0.1 * milliamps(0, 400000) / 1e3 * 3.85)
