"""Paths of commands: files that are not regular, overwritten files, and names that are not UTF-8.

Introspection finds the commands and their parameters, so new ones are tested too. `make test` opens each kind of path in each
role, and a kind for each parameter; `make test-all` also two others for each.
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
from _pytest.mark import ParameterSet
from support.capture import Capture
from support.every_command import COMMANDS
from support.fitted_operations import EMPTY_MODEL
from support.forked import run_forked
from support.golden import GOLDEN

from navitas.base.errors import ExitCode
from navitas.cli.habits.paths import NameOrFile, PathType, Utf8Text
from navitas.cli.main import run

SPARSE_BYTES = 2 << 30
MOST_BYTES = 1 << 30
SAMPLE = {"client": "me", "time": 1772000000, "level": 90, "state": "discharging", "apps": ["a"]}
EMPTY_CENSUS = {"format": "navitas-census", "version": 1, "operations": [], "classes": [], "notes": []}
BAD = "caf\udcff"
"""The bytes `caf\\xff`, as Python decodes them."""


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # The path of a socket must be short.
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(here)


def _unreadable(path: Path) -> None:
    path.write_text("{}")
    path.chmod(0)


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, SPARSE_BYTES)


KINDS: dict[str, Callable[[Path], object]] = {
    "device": lambda path: path.symlink_to("/dev/zero"),
    "pipe": os.mkfifo,
    "socket": _socket,
    "folder": Path.mkdir,
    "unreadable": _unreadable,
    "empty": Path.touch,
    "sparse": _sparse,
}
MORE_KINDS = 2
"""Kinds of path for each parameter, besides the one in `make test`. Each parameter begins with another one."""
NEVER_READ = ("device", "pipe", "socket", "unreadable")
# These commands use a device or Gradle before they write, so only earlier errors are tested. All write with the same functions.
LONG = ("profile", "demo", "record", "power extract", "fleet sample")
# By parameter: options that end the command early, or that the tested parameter requires.
COUNTED = {"census": ["--census", "census.json"], "model_file": ["--model", "model.json"]}
EXTRA: dict[str, dict[str, list[str]]] = {
    "profile": {"gradle": ["--gradle", "false"], "project": ["project"]},
    "check": {"gradle": ["--gradle", "false"], "paths": ["project"]},
    "demo": {"gradle": ["--gradle", "false"]},
    "bisect": {"gradle": ["--gradle", "false"], "project": ["project"]},
    "record": {"device": ["--device", "no-device"]},
    "fleet erase": {"client": ["--client", "one"]},
    "fleet sample": {"serial": ["--device", "no-device"]},
    "power extract": {"serial": ["--device", "no-device"]},
    "power calibrate": {"profile": ["google-pixel-6"], "points": ["--points", "points.csv"]},
    "explain": {"recording": ["rec"]},
    "report": {"recording": ["rec"], "html": ["--html", "page.html"]},
    "fleet simulate": {"samples": ["--samples", "100"]},
    "operations apply": {"model_file": ["--model", "model.json"]},
    "operations count": {"census": ["--census", "census.json"]},
    **{f"operations {name}": COUNTED for name in ("rank", "classes", "blocks", "advise")},
    "operations predict": {**COUNTED, "before": ["--before", "rec"], "before_census": ["--before-census", "census.json"]},
}
ALONE = {
    ("check", "before_census"): ["rec", "--before", "rec"],
    ("check", "census"): ["rec"],
    ("fleet simulate", "advice"): [],
    ("import", "mapping"): ["--stacks", "rec/manifest.json"],
    ("report", "model_file"): ["rec", "--html", "page.html", "--census", "census.json"],
    ("profile", "bundles"): [],
}
"""Parameters that exclude the others, with those that they require."""
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


def _kinds(name: str, param: click.Parameter) -> list[str]:
    is_late = _role(param) == "write" and name in LONG
    return [kind for kind in OF_ROLE.get(_role(param), KINDS) if not is_late or kind in ("socket", "folder")]


def _cases() -> Iterator[ParameterSet]:
    roles: set[str] = set()
    for number, (name, param) in enumerate(_paths()):
        kinds, is_first = _kinds(name, param), name not in LONG and _role(param) not in roles
        roles |= {_role(param)} if is_first else set()
        for kind in kinds:
            turn = (kinds.index(kind) - number) % len(kinds)
            if is_first or turn <= MORE_KINDS:
                yield pytest.param(name, str(param.name), kind, marks=pytest.mark.extended if turn and not is_first else ())


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
    usual = [one for key, one in EXTRA.get(name, {}).items() if key != tested]
    extra = [ALONE[name, tested]] if (name, tested) in ALONE else usual
    options: list[str] = []
    for param in command.params:
        if param.name == tested:
            options += _words(param, value)
        elif param.required or (name, param.name) in (("fleet simulate", "folder"), ("power calibrate", "output")):
            options += _words(param, ORDINARY.get((name, str(param.name))) or _ordinary(param))
    return [*words, *options, *(word for one in extra for word in one)]


def _filled(folder: Path) -> Path:
    """Create a fleet, a recording and a folder of classes in a folder."""
    shutil.copytree(GOLDEN, folder / "rec")
    (folder / "store").mkdir()
    (folder / "store" / "fleet.json").write_text('{"format": 1, "buckets": 1, "salt": ""}')
    (folder / "classes").mkdir()
    (folder / "classes" / "sample.jsonl").write_text(json.dumps(SAMPLE))
    (folder / "project").mkdir()
    (folder / "project" / "build.gradle").touch()
    (folder / "points.csv").write_text("cpu,freq_khz,power_mw\n")
    (folder / "model.json").write_text(EMPTY_MODEL.model_dump_json())
    (folder / "census.json").write_text(json.dumps(EMPTY_CENSUS))
    for settings in (folder / "navitas.toml", folder / "project/navitas.toml"):
        settings.write_text('[[check]]\nat-most = "5 J"\n')
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return _filled(tmp_path)


@pytest.fixture(scope="module")
def unchanged_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for commands that are refused before they begin. Also has one file by two names."""
    folder = _filled(tmp_path_factory.mktemp("place"))
    (folder / "same.json").write_text("{}")
    (folder / "link.json").hardlink_to(folder / "same.json")
    return folder


@pytest.fixture
def refused(unchanged_place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Callable[..., str]:
    """Run a command whose arguments are wrong, and return its message. It needs no process of its own."""

    def check(arguments: list[str]) -> str:
        monkeypatch.chdir(unchanged_place)
        assert run(arguments) == ExitCode.USAGE
        return capsys.readouterr().err

    return check


@pytest.mark.parametrize(("name", "param", "kind"), list(_cases()))
def test_an_unsuitable_path_is_reported_at_once(name: str, param: str, kind: str, place: Path) -> None:
    special = place / "special.json"
    KINDS[kind](special)
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
        and not getattr(param, "hidden", False)  # an old name
    ]
    assert not plain


def _texts(*, any_name: bool) -> Iterator[tuple[str, str]]:
    for name, command in COMMANDS.items():
        for param in command.params:
            # These use a device or Gradle before they write; `report` and `fleet hogs` write in the same way.
            is_late = any_name and name in LONG and _role(param) == "write"
            if isinstance(param.type, PathType | Utf8Text) and getattr(param.type, "any_name", False) == any_name and not is_late:
                yield name, str(param.name)


@pytest.mark.parametrize(("name", "param"), list(_texts(any_name=False)))
def test_names_that_are_not_utf8_are_refused(name: str, param: str, refused: Callable[..., str]) -> None:
    assert r"caf\udcff" in refused(_arguments(name, param, BAD))


@pytest.mark.parametrize(("name", "param"), list(_texts(any_name=True)))
def test_names_that_are_not_utf8_work(name: str, param: str, place: Path) -> None:
    ran = run_forked(_arguments(name, param, BAD), place)
    assert "Traceback" not in ran.err
    assert ran.code in tuple(ExitCode)


def _pairs() -> Iterator[tuple[str, str, str]]:
    for name, command in COMMANDS.items():
        paths = [param for param in command.params if isinstance(param.type, PathType | NameOrFile)]
        for one in paths:
            if isinstance(one.type, PathType) and one.type.role == "write":
                for two in paths:
                    if two is not one:
                        yield name, str(one.name), str(two.name)


@pytest.mark.parametrize(("name", "written", "other"), list(_pairs()))
def test_no_output_overwrites_another_path_of_the_command(
    name: str, written: str, other: str, refused: Callable[..., str], unchanged_place: Path
) -> None:
    options: list[str] = []
    for param in COMMANDS[name].params:
        if str(param.name) in (written, other):
            options += _words(param, "same.json" if param.name == written else "link.json")
        elif param.required:
            options += _words(param, _ordinary(param))
    said = refused([*name.split(), *options])
    assert "are the same file" in said or "link.json is not a folder" in said
    assert (unchanged_place / "same.json").read_text() == "{}"


@pytest.mark.parametrize("file", ["fleet.json", "samples/x.json", "ledger.jsonl"])
def test_no_result_overwrites_the_files_of_the_fleet(file: str, place: Path, capsys: Capture) -> None:
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
    pipe = place / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        ran = run_forked(["report", "rec", "--collapsed", "pipe"], place)
        assert ran.code == ExitCode.OK, ran.err
        assert os.read(reader, 1 << 16)
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_an_encoding_error_without_an_argument_is_reported(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("navitas.cli.report.command.load_profile", lambda *_, **__: f"{'x' * 10_000}{BAD}".encode())
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
