"""The commands of docs/importing.md convert other forms of traces and logs to forms that are read."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from other_forms import FTRACE, LOGS, TRACES

from navitas.recording.importing.read_log import read_log
from navitas.recording.parse.trace.text_trace import read_text

DOCS = Path(__file__).parents[4] / "docs/importing.md"
SECTION = DOCS.read_text("utf-8").partition("## Other forms")[2].partition("\n## ")[0]
COMMANDS = {title.partition(":")[0].partition(",")[0]: command for title, command in re.findall(r"^# (.*)\n(.*)$", SECTION, re.M)}


def converted(name: str, content: bytes, folder: Path) -> Path:
    """Return what the documented command makes of a file."""
    if shutil.which(COMMANDS[name].split()[0]) is None:
        pytest.skip(f"{COMMANDS[name].split()[0]} is not installed (make test-programs)")
    (folder / "FILE").write_bytes(content)
    subprocess.run(["sh", "-c", COMMANDS[name]], cwd=folder, check=True)
    return folder / COMMANDS[name].rpartition("> ")[2]


@pytest.mark.parametrize(
    ("name", "form"), [("perf script", "the output of perf script"), ("atrace -z", "the packed output of atrace -z")]
)
def test_a_trace_has_the_same_switches(name: str, form: str, tmp_path: Path) -> None:
    found = read_text(converted(name, TRACES[form], tmp_path)).trace
    expected = read_text(FTRACE.encode()).trace
    assert len(expected.switches) == 1 and str(found.switches) == str(expected.switches)
    assert set(found.tasks.names.tolist()) == {b"a", b"app main"}


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if command.startswith("sed ")])
def test_the_commands_are_those_of_posix(name: str) -> None:
    """The sed of macOS has no escapes of characters, and wants a semicolon before a brace."""
    assert not re.search(r"\\[xodstw]|[^;]}['\"]|\\[+?|]", COMMANDS[name])


@pytest.mark.parametrize("form", [form for form in LOGS if "-v raw" not in form and "-v tag" not in form])
def test_a_log_has_the_same_measurements(form: str, tmp_path: Path) -> None:
    name = form.removeprefix("a log of ").removeprefix("a log with colors (").removesuffix(")")
    read = read_log(converted(name, LOGS[form].encode(), tmp_path), "log.txt", year=2021)
    (part,) = read.parts
    assert [(one.is_entry, one.method) for one in part.events] == [
        (True, "app.Main.run"), (True, "app.Main.work"), (False, "app.Main.work"), (False, "app.Main.run"),
    ]  # fmt: skip
    has_thread = "-v" not in name or name.endswith(("color", "long"))
    assert {(one.pid, one.tid) for one in part.events} == {(4321, 4322 if has_thread else 0)} and not read.damaged
