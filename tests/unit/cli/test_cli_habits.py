"""Conventions of all commands, checked for each command that introspection finds."""

from __future__ import annotations

import io
import json
import shlex
import shutil
from pathlib import Path

import click
import pytest
from support.capture import Capture
from support.every_command import COMMANDS
from support.fitted_operations import EMPTY_MODEL
from support.golden import GOLDEN

from navitas.base.errors import ExitCode, UsageError
from navitas.capture.collect.options import ProfileOptions
from navitas.cli.fleet.ingest import SamplesSource
from navitas.cli.habits import messages
from navitas.cli.habits.commands import NavitasGroup
from navitas.cli.habits.option import Option, RenamedOption, gathered
from navitas.cli.habits.option import option as add_option
from navitas.cli.habits.paths import NameOrFile, PathType
from navitas.cli.main import cli, run
from navitas.fleet.remote_path import RemotePath

NAMED_BY_ROLE = {"read": "nosuch/thing", "write": "nosuch/new.json", "store": "nosuch/fleet"}
STORES = ("fleet ingest", "fleet sample", "fleet simulate")
"""Commands that create a missing store."""
FIRST_WORDS = {"profile": ["."], "explain": ["rec"], "report": ["rec"], "fleet sample": ["--device", "none"]}
FIRST_WORDS |= {"baseline show": ["--file", "rec"], "baseline prune": ["--file", "classes"]}
NEEDED = {
    ("check", "census"): ["rec"],
    ("check", "before_census"): ["rec", "--before", "rec"],
    ("import", "mapping"): ["--stacks", "file"],
    ("operations predict", "before_census"): ["--before", "rec"],
    ("power calibrate", "points"): ["google-pixel-6"],
    ("report", "census"): ["--html", "page.html"],
    ("report", "model_file"): ["--census", "file", "--html", "page.html"],
    ("power calibrate", "unfitted"): ["google-pixel-6", "--points", "points.csv"],
}
"""Options that a parameter needs."""
LAST_WORDS = {"record": ["--device", "none"]}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a working folder with a project, a recording, a fleet, classes and a file of samples."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(GOLDEN, tmp_path / "rec")
    (tmp_path / "build.gradle").touch()
    (tmp_path / "navitas.toml").write_text('[[check]]\nat-most = "1 J"\n')
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "fleet.json").write_text('{"format": 1, "buckets": 1, "salt": ""}')
    (tmp_path / "classes").mkdir()
    (tmp_path / "file").write_text("{}")
    (tmp_path / "points.csv").write_text("cpu,freq_khz,power_mw\n0,300000,10\n")
    return tmp_path


def _options(name: str) -> list[Option]:
    return [param for param in COMMANDS[name].params if isinstance(param, Option)]


def _renamed(name: str) -> list[RenamedOption]:
    return [param for param in COMMANDS[name].params if isinstance(param, RenamedOption)]


def _ordinary(param: click.Parameter) -> str:
    if not isinstance(param.type, PathType):
        return "org.example.app"
    return {"read": "file", "write": f"new-{param.name}.json", "folder": "new", "store": "store"}[param.type.role]


def _line(name: str, tested: click.Parameter, value: str) -> list[str]:
    """Return a command line with the required parameters, and one parameter with the given value."""
    words: list[str] = []
    for param in COMMANDS[name].params:
        if param is tested or param.required:
            text = value if param is tested else _ordinary(param)
            words += [text] if isinstance(param, click.Argument) else [max(param.opts, key=len), text]
    given = isinstance(tested, click.Argument) or any(isinstance(p, click.Argument) and p.required for p in COMMANDS[name].params)
    return [*name.split(), *([] if given else FIRST_WORDS.get(name, [])), *words, *LAST_WORDS.get(name, [])]


def _paths() -> list[tuple[str, str]]:
    return [
        (name, str(param.name))
        for name, command in COMMANDS.items()
        for param in command.params
        if isinstance(param.type, NameOrFile)
        or (
            (isinstance(param.type, PathType) and param.type.role in NAMED_BY_ROLE)
            and not (name in STORES and param.type.role == "store")
        )
    ]


@pytest.mark.parametrize(("name", "param"), _paths())
def test_a_missing_path_is_a_usage_error(name: str, param: str, place: Path, capsys: Capture) -> None:
    """The error comes before the work: no build starts, no device is searched, no folder is created."""
    tested = next(one for one in COMMANDS[name].params if one.name == param)
    value = NAMED_BY_ROLE[tested.type.role] if isinstance(tested.type, PathType) else "nosuch/thing"
    assert run(_line(name, tested, value)) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "nosuch" in said and "Traceback" not in said
    assert not (place / "nosuch").exists()


@pytest.mark.parametrize("url", ["s3://bucket/key", "https://user:secret@example.org/x", "FILE:///tmp/x"])
def test_a_url_is_no_path(url: str, place: Path, capsys: Capture) -> None:
    """In each command that takes a path, but for the samples that `fleet ingest` downloads, and fleets in object stores.

    No folder `s3:` is made.
    """
    params = [(name, param) for name, command in COMMANDS.items() for param in command.params]
    paths = [(name, one) for name, one in params if isinstance(one.type, PathType | NameOrFile)]
    for name, param in paths:
        if isinstance(param.type, PathType) and param.type.or_url and url.startswith("s3:"):
            assert isinstance(param.type.convert(url, param, _context(name)), RemotePath)
        elif not isinstance(param.type, SamplesSource):
            with pytest.raises(UsageError, match=r"://… (is a URL, and this must be a local path|cannot have a fleet)") as caught:
                param.type.convert(url, param, _context(name))
            assert caught.value.remedy and "secret" not in caught.value.message
    assert run(["fleet", "simulate", url]) == ExitCode.USAGE
    scheme = url.partition(":")[0]
    assert f"error: STORE: {scheme}://… is a URL" in capsys.readouterr().err
    assert not list(place.glob(f"{scheme}*"))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_writes_json_to_a_file_or_standard_output(name: str) -> None:
    (found,) = [one for one in _options(name) if "--json" in one.opts]
    assert isinstance(found.type, PathType) and found.type.role == "write" and found.metavar == "FILE"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_groups_every_option_and_ends_with_an_example(name: str) -> None:
    context = _context(name)
    text = context.get_help()
    for option in COMMANDS[name].params:
        if isinstance(option, click.Option):
            assert isinstance(option, Option), f"{option.name} is not an Option of navitas.cli.habits.option"
            assert option.hidden or option.opts[0] in text
    assert len(text.splitlines()) <= 100
    assert max(map(len, text.splitlines())) <= 80
    assert "Example:\n" in text
    new = {spelling for option in _options(name) if not option.hidden for spelling in (*option.opts, *option.secondary_opts)}
    for old in {spelling for option in _renamed(name) for spelling in option.opts} - new:
        assert not any(old in line.replace(",", " ").split() for line in text.splitlines())


def _context(name: str) -> click.Context:
    context = click.Context(cli, info_name="navitas", terminal_width=80)
    for word in name.split():
        group = context.command
        assert isinstance(group, click.Group)
        command = group.get_command(context, word)
        assert command is not None
        context = click.Context(command, context, info_name=word, terminal_width=80)
    return context


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_in_the_help_calls_the_command(name: str) -> None:
    example = getattr(COMMANDS[name], "example", "")
    assert example
    for line in example.splitlines():
        words = shlex.split(line.partition(" | ")[0])
        assert words[: 1 + len(name.split())] == ["navitas", *name.split()]
        COMMANDS[name].make_parser(_context(name)).parse_args(words[1 + len(name.split()) :])


def test_the_help_of_profile_groups_its_options() -> None:
    lines = _context("profile").get_help().splitlines()
    wanted = ["What to run:", "Device:", "Build:", "Output:", "Report:", "Probes:", "What to measure:", "General:", "Example:"]
    assert [line for line in lines if line in wanted] == wanted


OLD = [(name, one.opts[0]) for name in COMMANDS for one in _renamed(name)]


@pytest.mark.parametrize(("name", "old"), OLD)
@pytest.mark.parametrize("value", [[], ["x"]])
def test_an_old_name_is_refused_with_the_new_one(name: str, old: str, value: list[str], place: Path, capsys: Capture) -> None:
    new = next(one.new for one in _renamed(name) if old in one.opts)
    assert run([*name.split(), old, *value]) == ExitCode.USAGE
    assert f"{old} is now {new}" in capsys.readouterr().err
    assert any(new in one.opts or new in one.secondary_opts for one in _options(name) if not one.hidden)


def test_old_names_in_variables_and_settings_are_refused_with_the_new_ones(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("NAVITAS_REPORT_MODEL", "paper1")
    assert run(["report", "rec"]) == ExitCode.USAGE
    assert "NAVITAS_REPORT_MODEL: --model is now --formula" in capsys.readouterr().err
    monkeypatch.delenv("NAVITAS_REPORT_MODEL")
    (place / "navitas.toml").write_text('[report]\nmodel = "paper1"\n')
    assert run(["report", "rec"]) == ExitCode.USAGE
    assert "navitas.toml:2: --model is now --formula" in capsys.readouterr().err
    (place / "navitas.toml").write_text("[model.rank]\ntop = 1\n")
    assert run(["report", "rec"]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "navitas.toml: there is no command 'model'" in said and "It is now navitas operations" in said


@pytest.mark.parametrize(
    ("words", "variable"),
    [
        ("operations count rec", "COUNT_CENSUS is now NAVITAS_OPERATIONS_COUNT_CENSUS"),
        ("operations cases table rec -o x", "CASES_TABLE_METER is now NAVITAS_OPERATIONS_CASES_TABLE_METER"),
        ("power fit rec -o x", "COMPONENTS_FIT_TOTAL is now NAVITAS_POWER_FIT_TOTAL"),
        ("operations count rec", "QUIET is now NAVITAS_OPERATIONS_QUIET"),
        ("operations cases run rec", "CASES_COLOR is now NAVITAS_OPERATIONS_CASES_COLOR"),
        ("power fit rec", "COMPONENTS_QUIET is now NAVITAS_POWER_QUIET"),
    ],
)
def test_old_variables_of_a_renamed_command_are_refused_with_the_new_ones(
    words: str, variable: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    old = f"NAVITAS_MODEL_{variable.split(maxsplit=1)[0]}"
    monkeypatch.setenv(old, "x")
    assert run(words.split()) == ExitCode.USAGE
    assert f"environment variable NAVITAS_MODEL_{variable}" in capsys.readouterr().err
    assert run(["report", "rec"]) == ExitCode.OK, "it was a variable of another command"
    monkeypatch.setenv(old, "")
    run(words.split())
    assert old not in capsys.readouterr().err, "an empty variable is not set"


@pytest.mark.parametrize(
    "words", [["model"], ["model", "--help"], ["model", "components", "fit", "rec", "-o", "x"], ["model", "rank"]]
)
def test_the_command_model_is_refused_with_the_new_commands(words: list[str], capsys: Capture) -> None:
    assert run(words) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "navitas model is now navitas operations" in said and "navitas power fit" in said


@pytest.mark.parametrize("name", sorted({name.rpartition(" ")[0] for name in COMMANDS}))
def test_the_help_of_a_group_is_never_cut(name: str) -> None:
    """Click cuts the help of each command to the width of the terminal."""
    context = _context(name)
    text = context.get_help()
    assert "..." not in text.replace("ARGS]...", "") and "…" not in text
    group = context.command
    assert isinstance(group, NavitasGroup)
    words = " ".join(text.split())
    for command, help_text in group.help_of(context).items():
        assert f"{command} {help_text}" in words and help_text.endswith((".", ".]", "]"))


def test_no_option_name_means_both_input_and_output() -> None:
    """`-o` is always an output: a file or a folder. A history is written by `history add` and shown by `history show`."""
    roles: dict[str, set[bool]] = {}
    for command in COMMANDS.values():
        for param in command.params:
            if isinstance(param, click.Option) and isinstance(param.type, PathType):
                for spelling in param.opts:
                    roles.setdefault(spelling, set()).add(param.type.role == "read")
    assert [spelling for spelling, kinds in roles.items() if len(kinds) > 1] == ["--file"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_common_options(name: str) -> None:
    assert {"--quiet", "--verbose", "--color"} <= {spelling for one in _options(name) for spelling in one.opts}


@pytest.mark.parametrize("words", [["-q", "power", "show"], ["power", "-q", "show"], ["power", "show", "-q"]])
def test_quiet_keeps_results_and_errors(words: list[str], capsys: Capture) -> None:
    assert run(words) == ExitCode.OK
    said = capsys.readouterr()
    assert "google-pixel-6" in said.out and said.err == ""
    assert run([*words, "nosuch"]) == ExitCode.USAGE
    assert "nosuch" in capsys.readouterr().err


def test_quiet_and_verbose_conflict_only_within_a_source(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert run(["power", "show", "-q", "-v"]) == ExitCode.USAGE
    assert "exclude each other" in capsys.readouterr().err
    monkeypatch.setenv("NAVITAS_QUIET", "1")
    assert run(["power", "show", "-v"]) == ExitCode.OK
    assert messages.is_verbose() and "next: " in capsys.readouterr().err


def test_verbose_shows_stages_and_their_times(place: Path, capsys: Capture) -> None:
    assert run(["report", "rec", "-v", "--top", "3"]) == ExitCode.OK
    said = capsys.readouterr().err
    assert "--top: from the command line\n" in said
    assert "attributing energy to calls: 0." in said or "attributing energy to calls: " in said
    assert run(["report", "rec"]) == ExitCode.OK
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("words", "variables", "has_color"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ([], {"NAVITAS_COLOR": "always"}, True),
        ([], {"NAVITAS_REPORT_COLOR": "always", "NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1", "NAVITAS_COLOR": "always"}, False),
    ],
)
@pytest.mark.parametrize("is_before", [True, False])
def test_color_follows_the_preference(  # noqa: PLR0917
    words: list[str],
    variables: dict[str, str],
    has_color: bool,
    is_before: bool,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    before, after = (words, []) if is_before else ([], words)
    assert run([*before, "report", *after, "rec"]) == ExitCode.OK
    assert ("\x1b[" in capsys.readouterr().out) == has_color
    assert run([*before, "report", *after, "nosuch"]) == ExitCode.USAGE
    assert ("\x1b[31m" in capsys.readouterr().err) == has_color


def _files_read() -> list[tuple[str, str]]:
    return [
        (name, str(param.name))
        for name, command in COMMANDS.items()
        for param in command.params
        if isinstance(param.type, PathType) and param.type.is_file and param.type.role == "read"
    ]


@pytest.mark.parametrize(("name", "param"), _files_read())
def test_a_dash_is_standard_input_for_input_files(
    name: str, param: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    class Stdin:
        buffer = io.BytesIO(b"no such content")

    monkeypatch.setattr("sys.stdin", Stdin)
    if (name, param) == ("operations apply", "table") or param.endswith("census"):  # it reads the model first
        Path("file").write_text(EMPTY_MODEL.model_dump_json())
    tested = next(one for one in COMMANDS[name].params if one.name == param)
    line = [word for word in _line(name, tested, "-") if word != "."]
    if (name, param) == ("compare", "after"):  # it reads the sessions before first
        line[line.index("file")] = "rec"
    code = run([*line, *NEEDED.get((name, param), [])])
    said = capsys.readouterr()
    assert code != ExitCode.OK and "Traceback" not in said.err
    assert Stdin.buffer.read() == b"", "the command reads all of standard input"
    assert "standard input" in said.out + said.err or "unusable" in said.out, said.err


def test_a_profile_is_read_from_standard_input(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    profile = next((Path(__file__).parents[3] / "profiles").rglob("*.xml")).read_bytes()

    class Stdin:
        buffer = io.BytesIO(profile)

    monkeypatch.setattr("sys.stdin", Stdin)
    assert run(["power", "show", "-", "--json", "-"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["clusters"]
    assert run(["record", "a.b", "--map", "-", "--bundle", "-"]) == ExitCode.USAGE
    assert "only once" in capsys.readouterr().err


def test_standard_output_contains_only_json(place: Path, capsys: Capture) -> None:
    for line in (["power", "show"], ["power", "show", "google-pixel-6"], ["report", "rec"], ["fleet", "simulate", "new"]):
        assert run([*line, "--json", "-"]) == ExitCode.OK
        assert json.loads(capsys.readouterr().out)["schema_version"] >= 1
    (place / "profile.xml").write_text("<device>")
    assert run(["power", "validate", "profile.xml", "--json", "-"]) == ExitCode.CHECK_FAILED
    assert json.loads(capsys.readouterr().out)["usable"] is False


def test_a_partly_refused_file_is_a_failed_check(place: Path, capsys: Capture) -> None:
    good = {"client": "me", "time": 1772000000, "level": 90, "state": "discharging", "apps": ["a"]}
    rows = [good, {**good, "level": 101}, {**good, "level": 102}]
    (place / "s.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert run(["fleet", "ingest", "new", "s.jsonl"]) == ExitCode.CHECK_FAILED
    assert "quarantine" in capsys.readouterr().err
    (place / "s.jsonl").write_text(json.dumps(good))
    assert run(["fleet", "ingest", "other", "s.jsonl"]) == ExitCode.OK
    assert capsys.readouterr().err.splitlines()[-1] == "next: navitas fleet hogs other"


def test_messages_contain_no_control_sequences(capsys: Capture) -> None:
    """All kinds of messages can contain names of files and devices, which are untrusted."""
    hostile = "a\x1b[2J\u202eb" + "x" * 10_000
    for say in (messages.note, messages.next_step, messages.location, messages.warning, messages.failure, messages.error):
        messages.prefer(messages.Preferences())
        say(hostile)
        said = capsys.readouterr().err
        assert "\x1b" not in said and "\u202e" not in said and "a\\u001b[2J" in said


def test_options_are_gathered_in_a_record() -> None:
    """An option that is not given has the default of its record: `profile --precision` repeats at most 30 times."""
    results: list[object] = []

    @click.command()
    @gathered(
        "made", ProfileOptions, add_option("--max-repeat", type=int), add_option("--repeat", type=int, default=2, help="Repeats.")
    )
    @add_option("--other")
    def command(made: ProfileOptions, other: str | None) -> None:
        results.extend([made.max_repeat, made.repeat, other])

    command.main(["--other", "x"], standalone_mode=False)
    command.main(["--max-repeat", "5"], standalone_mode=False)
    assert results == [30, 2, "x", 5, 2, None]
