"""Paths of commands: files that are not regular, overwritten files, and names that are not UTF-8.

Introspection finds the commands and their parameters, so new ones are tested too.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from support.every_command import COMMANDS
from support.fitted_operations import EMPTY_MODEL
from support.forked import run_forked

from navitas.cli.main import run
from navitas.cli.paths import NameOrFile, PathType, Utf8Text
from navitas.errors import ExitCode

GOLDEN = Path(__file__).parents[2] / "golden/recording-v1"
SPARSE_BYTES = 8 << 30
MOST_BYTES = 1 << 30
SAMPLE = {"client": "me", "time": 1772000000, "level": 90, "state": "discharging", "apps": ["a"]}
EMPTY_CENSUS = {"format": "navitas-census", "version": 1, "operations": [], "classes": [], "notes": []}
BAD = "caf\udcff"
"""The bytes `caf\\xff`, as Python decodes them."""


def _device(path: Path) -> Path:
    path.symlink_to("/dev/zero")
    return path


def _pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def _socket(path: Path) -> Path:
    here = Path.cwd()
    os.chdir(path.parent)  # The path of a socket must be short.
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(here)
    return path


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _unreadable(path: Path) -> Path:
    path.write_text("{}")
    path.chmod(0)
    return path


def _empty(path: Path) -> Path:
    path.touch()
    return path


def _sparse(path: Path) -> Path:
    path.touch()
    os.truncate(path, SPARSE_BYTES)
    return path


KINDS: dict[str, Callable[[Path], Path]] = {
    "device": _device,
    "pipe": _pipe,
    "socket": _socket,
    "folder": _folder,
    "unreadable": _unreadable,
    "empty": _empty,
    "sparse": _sparse,
}
NEVER_READ = ("device", "pipe", "socket", "unreadable")
# These commands use a device or Gradle before they write, so only earlier errors are tested. All write with the same functions.
LONG = ("profile", "demo", "record", "power extract", "fleet sample")
# By parameter: options that end the command early, or that the tested parameter requires.
COUNTED = {"census": ["--census", "census.json"], "model_file": ["--model", "model.json"]}
EXTRA: dict[str, dict[str, list[str]]] = {
    "profile": {"gradle": ["--gradle", "false"], "project": ["project"]},
    "demo": {"gradle": ["--gradle", "false"]},
    "bisect": {"gradle": ["--gradle", "false"], "project": ["project"]},
    "record": {"device": ["--device", "no-device"]},
    "fleet sample": {"serial": ["--device", "no-device"]},
    "power extract": {"serial": ["--device", "no-device"]},
    "power calibrate": {"profile": ["google-pixel-6"], "points": ["--points", "points.csv"]},
    "report": {"recording": ["rec"]},
    "fleet simulate": {"samples": ["--samples", "100"]},
    "model apply": {"model_file": ["--model", "model.json"]},
    "model count": {"census": ["--census", "census.json"]},
    **{f"model {name}": COUNTED for name in ("rank", "classes", "blocks", "advise")},
    "model predict": {
        **COUNTED,
        "against": ["--against", "rec"],
        "against_census": ["--against-census", "census.json"],
    },
}
ALONE = {("profile", "bundles"), ("fleet simulate", "advice")}
"""Parameters that exclude the others."""
ORDINARY = {("compare", "before"): "rec", ("compare", "after"): "rec"}
"""Values of required parameters, unless the usual ones fit."""
OF_ROLE = {
    "write": ("device", "pipe", "socket", "folder"),
    "folder": ("device", "pipe", "empty"),
    "store": ("device", "pipe", "empty"),
}


def _paths() -> Iterator[tuple[str, click.Parameter]]:
    for name, command in COMMANDS.items():
        for param in command.params:
            if isinstance(param.type, PathType | NameOrFile):
                yield name, param


def _cases() -> Iterator[tuple[str, str, str]]:
    for name, param in _paths():
        for kind in OF_ROLE.get(_role(param), KINDS):
            if _role(param) != "write" or name not in LONG or kind in ("socket", "folder"):
                yield name, str(param.name), kind


def _role(param: click.Parameter) -> str:
    return param.type.role if isinstance(param.type, PathType) else "read"


def _words(param: click.Parameter, value: str) -> list[str]:
    return [value] if isinstance(param, click.Argument) else [max(param.opts, key=len), value]


def _ordinary(param: click.Parameter) -> str:
    """Return a valid value of a required parameter."""
    if not isinstance(param.type, PathType):
        return "org.example.app"
    return {"read": "classes", "write": f"new-{param.name}.json", "folder": "new", "store": "store"}[param.type.role]


def _arguments(name: str, tested: str, value: str) -> list[str]:
    """Return a command line with the required parameters, and one parameter with the given value."""
    command, words = COMMANDS[name], name.split()
    extra = [] if (name, tested) in ALONE else [one for key, one in EXTRA.get(name, {}).items() if key != tested]
    options: list[str] = []
    for param in command.params:
        if param.name == tested:
            options += _words(param, value)
        elif param.required or (name, param.name) == ("fleet simulate", "folder"):
            options += _words(param, ORDINARY.get((name, str(param.name))) or _ordinary(param))
    return [*words, *options, *(word for one in extra for word in one)]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Create a folder with a fleet, a recording and a folder of classes."""
    shutil.copytree(GOLDEN, tmp_path / "rec")
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "fleet.json").write_text('{"format": 1, "buckets": 1, "salt": ""}')
    (tmp_path / "classes").mkdir()
    (tmp_path / "classes" / "sample.jsonl").write_text(json.dumps(SAMPLE))
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "build.gradle").touch()
    (tmp_path / "points.csv").write_text("cpu,freq_khz,power_mw\n")
    (tmp_path / "model.json").write_text(EMPTY_MODEL.model_dump_json())
    (tmp_path / "census.json").write_text(json.dumps(EMPTY_CENSUS))
    return tmp_path


@pytest.mark.parametrize(("name", "param", "kind"), list(_cases()))
def test_an_unsuitable_path_is_reported_at_once(name: str, param: str, kind: str, place: Path) -> None:
    special = KINDS[kind](place / "special.json")
    ran = run_forked(_arguments(name, param, special.name), place)
    assert "Traceback" not in ran.err
    assert ran.code in tuple(ExitCode), (ran.code, ran.err)
    assert ran.peak_bytes < MOST_BYTES
    role = _role(next(one for one in COMMANDS[name].params if one.name == param))
    if role != "write" and kind in NEVER_READ:
        assert ran.code != ExitCode.OK
        assert special.name in ran.err + ran.out
    if ran.code != ExitCode.OK:
        assert ran.err.strip() or ran.out.strip()


def test_every_path_and_text_has_a_type_that_checks_it() -> None:
    """Paths of click's types would not be compared with others, and the test above would miss them."""
    plain = [
        f"{name} {param.name}"
        for name, command in COMMANDS.items()
        for param in command.params
        if isinstance(param.type, click.Path | click.File | click.types.StringParamType | click.types.UnprocessedParamType)
        and not isinstance(param.type, PathType | Utf8Text)
    ]
    assert not plain


def _texts() -> Iterator[tuple[str, str]]:
    for name, command in COMMANDS.items():
        for param in command.params:
            type_ = param.type
            # These go to a device or to Gradle first; `report` and `fleet hogs` write in the same way.
            late = name in LONG and isinstance(type_, PathType) and type_.any_name and type_.role == "write"
            if isinstance(type_, PathType | Utf8Text) and not late:
                yield name, str(param.name)


@pytest.mark.parametrize(("name", "param"), list(_texts()))
def test_names_that_are_not_utf8_are_refused_or_work(name: str, param: str, place: Path) -> None:
    type_ = next(one.type for one in COMMANDS[name].params if one.name == param)
    ran = run_forked(_arguments(name, param, BAD), place)
    assert "Traceback" not in ran.err
    assert ran.code in tuple(ExitCode)
    if not (isinstance(type_, PathType) and type_.any_name):
        assert ran.code == ExitCode.USAGE
        assert r"caf\udcff" in ran.err


def _pairs() -> Iterator[tuple[str, str, str]]:
    for name, command in COMMANDS.items():
        paths = [param for param in command.params if isinstance(param.type, PathType | NameOrFile)]
        for one in paths:
            if isinstance(one.type, PathType) and one.type.role == "write":
                for two in paths:
                    if two is not one:
                        yield name, str(one.name), str(two.name)


@pytest.mark.parametrize(("name", "written", "other"), list(_pairs()))
def test_no_output_overwrites_another_path_of_the_command(name: str, written: str, other: str, place: Path) -> None:
    (place / "same.json").write_text("{}")
    command = COMMANDS[name]
    (place / "link.json").hardlink_to(place / "same.json")
    options: list[str] = []
    for param in command.params:
        if str(param.name) in (written, other):
            options += _words(param, "same.json" if param.name == written else "link.json")
        elif param.required:
            options += _words(param, _ordinary(param))
    ran = run_forked([*name.split(), *options], place)
    assert ran.code == ExitCode.USAGE, ran.err
    assert "are the same file" in ran.err or "link.json is not a folder" in ran.err
    assert (place / "same.json").read_text() == "{}"


@pytest.mark.parametrize("file", ["fleet.json", "samples/x.json", "ledger.jsonl"])
def test_no_result_overwrites_the_files_of_the_fleet(file: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fleet", "hogs", str(place / "store"), "--json", str(place / "store" / file)]) == ExitCode.USAGE
    assert "is a file of the fleet" in capsys.readouterr().err
    assert json.loads((place / "store/fleet.json").read_text())["format"] == 1


def test_report_names_can_have_any_bytes(place: Path) -> None:
    (place / "rec").rename(place / os.fsencode(BAD).decode("utf-8", "surrogateescape"))
    ran = run_forked(["report", BAD, "--json", f"{BAD}.json", "--collapsed", f"{BAD}.txt"], place)
    assert ran.code == ExitCode.OK, ran.err
    assert json.loads((place / f"{BAD}.json").read_bytes())["schema_version"]


def test_sample_file_names_can_have_any_bytes(tmp_path: Path) -> None:
    (tmp_path / f"{BAD}.jsonl").write_text(json.dumps(SAMPLE))
    ran = run_forked(["fleet", "ingest", "store", f"{BAD}.jsonl", "--json", "out.json"], tmp_path)
    assert ran.code == ExitCode.OK, ran.err
    (source,) = json.loads((tmp_path / "out.json").read_bytes())["sources"]
    assert (source["name"], source["accepted"]) == (r"caf\xff.jsonl", 1)


def test_a_pipe_with_a_reader_is_written_to(place: Path) -> None:
    pipe = _pipe(place / "pipe")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        ran = run_forked(["report", "rec", "--collapsed", "pipe"], place)
        assert ran.code == ExitCode.OK, ran.err
        assert os.read(reader, 1 << 16)
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_an_encoding_error_without_an_argument_is_reported(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("navitas.cli.report.load_profile", lambda *_, **__: f"{'x' * 10_000}{BAD}".encode())
    assert run(["report", str(place / "rec")]) == ExitCode.TROUBLE
    printed = capsys.readouterr().err
    assert r"caf\udcff" in printed and "is not UTF-8" in printed and len(printed) < 1000


def test_a_fleet_page_has_a_title_for_any_name(tmp_path: Path) -> None:
    (tmp_path / BAD).mkdir()
    (tmp_path / "fleet").symlink_to(BAD)
    (tmp_path / "sample.jsonl").write_text(json.dumps(SAMPLE))
    assert run_forked(["fleet", "ingest", "fleet", "sample.jsonl"], tmp_path).code == ExitCode.OK
    ran = run_forked(["fleet", "report", "fleet", "-o", "page.html"], tmp_path)
    assert ran.code == ExitCode.OK, ran.err
    assert "Fleet caf" in (tmp_path / "page.html").read_text("utf-8")


def test_a_report_changes_no_file_of_another_name(tmp_path: Path) -> None:
    """A file with the report's name and `.part` can belong to the user. The command can even read it."""
    for name in ("r.json.part", "c.txt.part"):
        (tmp_path / name).write_text("mine")
    files = ["--json", str(tmp_path / "r.json"), "--collapsed", str(tmp_path / "c.txt")]
    assert run(["report", str(GOLDEN), *files]) == 0
    assert run(["report", str(GOLDEN), "--json", str(tmp_path / ("n" * 250))]) == 0
    assert {path.name[:11] for path in tmp_path.iterdir()} == {"r.json", "r.json.part", "c.txt", "c.txt.part", "n" * 11}
    assert (tmp_path / "r.json.part").read_text() == (tmp_path / "c.txt.part").read_text() == "mine"
