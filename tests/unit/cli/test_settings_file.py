"""Settings of a project: allowed and forbidden options, and precedence."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.capture import Capture
from support.every_command import COMMANDS
from support.fleet_samples import json_lines, row
from support.golden import GOLDEN

from navitas.base.errors import ExitCode, UsageError
from navitas.cli.habits.option import Option
from navitas.cli.habits.paths import NameOrFile, PathType
from navitas.cli.habits.settings_file import find_settings
from navitas.cli.main import run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a working folder: a repository with a Gradle project and a recording."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "build.gradle").touch()
    shutil.copytree(GOLDEN, tmp_path / "rec")
    return tmp_path


def test_command_line_overrides_environment_and_environment_overrides_file(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (project / "navitas.toml").write_text('color = "never"\n\n[report]\ntop = 1\n')
    assert run(["report", "rec", "-v"]) == ExitCode.OK
    said = capsys.readouterr()
    assert f"settings: {project / 'navitas.toml'}\n" in said.err
    assert f"--top: from {project / 'navitas.toml'}:4\n" in said.err
    assert f"--color: from {project / 'navitas.toml'}:1\n" in said.err
    monkeypatch.setenv("NAVITAS_REPORT_TOP", "2")
    assert run(["report", "rec", "-v"]) == ExitCode.OK
    two = capsys.readouterr()
    assert f"--top: from the environment (NAVITAS_REPORT_TOP), not from {project / 'navitas.toml'}:4\n" in two.err
    assert run(["report", "rec", "-v", "--top", "3"]) == ExitCode.OK
    three = capsys.readouterr()
    assert f"--top: from the command line, not from {project / 'navitas.toml'}:4\n" in three.err
    assert len(said.out.splitlines()) < len(two.out.splitlines()) <= len(three.out.splitlines())


def test_the_nearest_file_up_to_the_repository_root_is_used(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    inner = project / "a/b"
    inner.mkdir(parents=True)
    (project / "pyproject.toml").write_text("[tool.navitas.report]\ntop = 1\n")
    found = find_settings(str(inner))
    assert found is not None and found.path == project / "pyproject.toml" and found.location("report", "top").endswith(":2")
    (project / "a/navitas.toml").write_text("")
    nearer = find_settings(str(inner))
    assert nearer is not None and nearer.path == project / "a/navitas.toml"
    outside = tmp_path_factory.mktemp("outside")
    (outside / "navitas.toml").touch()
    (outside / "below").mkdir()
    assert find_settings(str(outside / "below")) is None, "a parent outside a repository can belong to other users"
    assert find_settings(str(outside)) is not None


def test_the_file_of_the_named_project_is_used(project: Path, capsys: Capture) -> None:
    (project / "navitas.toml").write_text("[profile]\nrepeat = 3\n")
    (project / "sub").mkdir()
    (project / "sub/build.gradle").touch()
    (project / "sub/navitas.toml").write_text("[profile]\nrepeat = 0\n")
    assert run(["profile", "sub"]) == ExitCode.USAGE
    assert f"{project / 'sub/navitas.toml'}:2: repeat: 0 is not in the range" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[report]\ntpo = 3\n", ":2: 'tpo' is not an option of navitas report (nearest: top)"),
        ("[reprot]\ntop = 3\n", ":1: there is no command 'reprot' (nearest: report)"),
        ("colour = 'never'\n", ":1: 'colour' is not a setting (nearest: color)"),
        ("[report]\n\ntop = 'x'\n", ":3: top: 'x' is not a whole number"),
        ("[report]\ntop = 1.5\n", ":2: top: 1.5 is not a whole number"),
        ("[report]\ntop = true\n", ":2: top: True is not a whole number"),
        ("[report]\ntop = 0\n", ":2: top: 0 is not in the range"),
        ("[report]\ntop = [1]\n", ":2: top: [1] is not one value"),
        ("[report]\nformula = 'x'\n", ":2: formula: 'x' is not one of"),
        ("[report]\nmethod = 'paper1'\n", ":2: --method is now --formula"),
        ("quiet = 1\n", ":1: quiet: 1 is neither true nor false"),
        ("[report]\ntree = 1\n", ":2: tree: 1 is not a text"),
        ("report = 3\n", ":1: 'report' is not a setting"),
        ("color = 'red'\n", ":1: color: 'red' is not one of"),
        ("[report\n", "line 1"),
        ("x = " + "[" * 100_000, "navitas.toml: "),
        ("\x00", "navitas.toml: "),
        ("#" * (1 << 20) + "#", "larger than 1 MiB"),
    ],
)
def test_errors_have_file_and_line(text: str, part: str, project: Path, capsys: Capture) -> None:
    (project / "navitas.toml").write_text(text)
    assert run(["report", "rec"]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert f"{project / 'navitas.toml'}" in said and part in said and "Traceback" not in said
    assert run(["report", "--help"]) == ExitCode.OK, "help must work to look up the names"


@pytest.mark.parametrize("kind", ["folder", "pipe", "bytes", "dangling"])
def test_a_path_that_is_not_a_regular_file_is_reported(kind: str, project: Path, capsys: Capture) -> None:
    import os  # noqa: PLC0415

    path = project / "navitas.toml"
    {
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "bytes": lambda: path.write_bytes(b"\xff"),
        "dangling": lambda: path.symlink_to("nosuch"),
    }[kind]()
    assert run(["report", "rec"]) == ExitCode.USAGE
    assert f"{path}: " in capsys.readouterr().err


def _refused() -> list[tuple[str, str]]:
    found = []
    for name, command in COMMANDS.items():
        for param in command.params:
            writes = isinstance(param.type, PathType) and param.type.role != "read"
            runs = isinstance(param.type, NameOrFile) and param.type.is_program
            if isinstance(param, Option) and not param.hidden and (writes or runs or not param.from_project):
                found.append((name, param.long_name))
    return found


@pytest.mark.parametrize(("name", "option"), _refused())
def test_a_settings_file_cannot_set_programs_and_outputs(name: str, option: str, project: Path, capsys: Capture) -> None:
    table = getattr(COMMANDS[name], "table", None) or ".".join(name.split())
    (project / "navitas.toml").write_text(f'[{table}]\n{option} = "x"\n')
    assert run([*name.split(), *(["org.example"] if name == "record" else [])]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert f"{project / 'navitas.toml'}:2: {option}: a project's settings file cannot set" in said
    assert f"Remove this line, and give --{option} on the command line" in said and not (project / "x").exists()


OVERRIDES = [
    "--accept-missing",
    "--allow-again",
    "--also-unknown",
    "--client",
    "--drop-missing",
    "--fail-above",
    "--fail-on",
    "--figure",
    "--force",
    "--same-session",
    "--schema",
]
NARROWER = {("fleet check", "app"), ("fleet check", "version")}


def test_a_settings_file_cannot_set_what_a_check_judges() -> None:
    """Each of these options, in each command that has it, or in the commands that check something."""
    options = [(name, param) for name, command in COMMANDS.items() for param in command.params if isinstance(param, Option)]
    overrides = [(name, one) for name, one in options if f"--{one.long_name}" in OVERRIDES]
    assert {f"--{one.long_name}" for _, one in overrides} == set(OVERRIDES)
    assert [(name, one.long_name) for name, one in overrides if one.from_project] == []
    assert not {(name, one.long_name) for name, one in options if one.from_project} & NARROWER
    assert {(name, one.long_name) for name, one in options} >= NARROWER


def test_a_settings_file_cannot_turn_an_erasure_into_its_opposite(project: Path, capsys: Capture) -> None:
    json_lines(project / "samples.jsonl", [row("a", 1_700_000_000 + 900 * i, 90 - i) for i in range(3)])
    assert run(["fleet", "ingest", "store", "samples.jsonl"]) == ExitCode.OK
    (project / "pyproject.toml").write_text("[tool.navitas.fleet.erase]\nallow-again = true\n")
    assert run(["fleet", "erase", "store", "--client", "a"]) == ExitCode.USAGE
    assert f"{project / 'pyproject.toml'}:2: allow-again: " in capsys.readouterr().err
    (project / "pyproject.toml").unlink()
    assert run(["fleet", "erase", "store", "--client", "a"]) == ExitCode.OK
    assert "erased 3 samples" in capsys.readouterr().out


def test_the_docs_list_the_refused_options() -> None:
    text = (Path(__file__).parents[3] / "docs/cli.md").read_text("utf-8")
    part = text[text.index("## Settings files") :]
    named = part[: part.index("\n## ")]
    assert sorted(option for option in {option for _, option in _refused()} if f"`--{option}`" not in named) == []


@pytest.mark.parametrize("value", ["../secret.xml", "/etc/passwd", "link.xml", "a\\u0000b", "~/x.xml"])
def test_a_settings_file_can_name_only_files_of_the_project(value: str, project: Path, capsys: Capture) -> None:
    (project / "sub").mkdir()
    (project / "sub/build.gradle").touch()
    (project / "secret.xml").touch()
    (project / "sub/link.xml").symlink_to("../secret.xml")
    (project / "sub/navitas.toml").write_text(f'[profile]\npower-profile = "{value}"\n')
    assert run(["profile", "sub"]) == ExitCode.USAGE
    assert "navitas.toml:2: power-profile: " in capsys.readouterr().err or value == "~/x.xml"


def test_unknown_variables_have_a_warning(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("NAVITAS_REPORT_TPO", "3")
    assert run(["report", "rec"]) == ExitCode.OK
    assert "NAVITAS_REPORT_TPO' sets no option of navitas report (nearest: NAVITAS_REPORT_TOP)" in capsys.readouterr().err


def test_an_error_about_a_variable_names_it(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("NAVITAS_REPORT_TOP", "x")
    assert run(["report", "rec"]) == ExitCode.USAGE
    assert "NAVITAS_REPORT_TOP (--top)" in capsys.readouterr().err


@pytest.mark.parametrize("source", ["file", "environment"])
def test_an_error_names_the_origin_of_an_option_that_is_not_on_the_command_line(
    source: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    if source == "file":
        (project / "navitas.toml").write_text('[profile]\nrepeat = 2\nradios = "off"\n')
    else:
        monkeypatch.setenv("NAVITAS_PROFILE_RADIOS", "off")
    origin = f"{project / 'navitas.toml'}:3" if source == "file" else "NAVITAS_PROFILE_RADIOS"
    assert run(["profile", "--no-prepare"]) == ExitCode.USAGE
    assert f"leave one out ({origin} sets --radios)\n" in capsys.readouterr().err
    assert run(["profile", "--no-prepare", "--radios", "off"]) == ExitCode.USAGE
    assert "leave one out\n" in capsys.readouterr().err


def test_bundles_ignore_build_options_of_a_settings_file(project: Path, capsys: Capture) -> None:
    (project / "navitas.toml").write_text('[profile]\nmodule = ":app"\n')
    (project / "b.zip").write_text("no bundle")
    run(["profile", "--bundle", "b.zip"])
    assert "a bundle is already built" not in capsys.readouterr().err
    run(["profile", "--bundle", "b.zip", "--module", ":app"])
    assert "a bundle is already built" in capsys.readouterr().err


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(max_size=8), st.recursive(st.integers() | st.text(max_size=5), st.lists, max_leaves=3)))
def test_no_settings_file_causes_a_traceback(content: dict[str, object]) -> None:
    """The checks of values get any TOML content."""
    from navitas.cli.habits.settings_file import Settings, defaults  # noqa: PLC0415

    command = COMMANDS["report"]
    parent = click.Context(click.Group("navitas", commands={"report": command}), info_name="navitas")
    context = click.Context(command, parent, info_name="report")
    values = list(content.values())
    for table in (content, {"report": content}, {"report": {"top": values, "tree": values, "format": values}}):
        try:
            defaults(Settings(Path("navitas.toml"), (), table, {}), context)
        except UsageError as error:
            assert error.message.startswith("navitas.toml")
