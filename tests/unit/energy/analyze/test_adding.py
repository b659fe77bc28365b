"""The examples of docs/dev/adding.md work: a new component and a new report format."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from attribution_maker import nested, run, thread
from lamp import profile_with
from support.capture import Capture
from support.golden import GOLDEN
from support.reports import text_of

from navitas.base.errors import NavitasError, UsageError
from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import load
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.component import Component
from navitas.energy.attribute.cpu.cpu_component import Cpu
from navitas.report import json_report, registry
from navitas.report.format import Format
from navitas.report.registry import find_format, format_for_file, format_names, list_formats

TEXT = (Path(__file__).parents[4] / "docs/dev/adding.md").read_text("utf-8")
COMPONENT, TRIAL, FORMAT = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
TSV = "class\tmethod\trepeat\tenergy_j\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose modules can be imported."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def made(*more: Component) -> Profile:
    """Return the profile of a run of one second, with a thread that runs for half of it."""
    own = run([thread(1, nested((100, 500, 0)), [(0, 0), (1000, 500)])], [(0, 600), (600, 800)])
    return profile_with([own], [Cpu(), *more])


def test_the_example_component_works(folder: Path) -> None:
    (folder / "adding_screen.py").write_text(COMPONENT)
    alone, both = made(), made(importlib.import_module("adding_screen").Screen())
    assert check(both) == []
    assert both.components == ("cpu", "screen")
    assert both.totals.components == (alone.totals.energy_j, pytest.approx(0.4))
    assert [test.components[1] for test in both.tests] == [pytest.approx(0.4 * 0.6), pytest.approx(0.4 * 0.2), 0.0]
    assert both.evidence[1].level == "assumed"
    assert [str(reason) for reason in both.evidence[1].reasons] == ["the screen's brightness was not recorded"]


def test_the_trial_script_prints_the_joules_of_both_components(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (folder / "screen.py").write_text(COMPONENT)
    (folder / "recording").symlink_to(GOLDEN, target_is_directory=True)
    monkeypatch.chdir(folder)
    exec(compile(TRIAL, "trial.py", "exec"), {})
    joules = ast.literal_eval(capsys.readouterr().out)
    assert list(joules) == ["cpu", "screen"]
    assert joules["screen"] == pytest.approx(0.4 * sum(entry.end_ns - entry.start_ns for entry in load(GOLDEN).ledger.runs) / 1e9)


def test_the_example_package_has_an_entry_point() -> None:
    [text] = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    project = tomllib.loads(text)
    assert project["project"]["entry-points"] == {registry.ENTRY_POINTS: {"tsv": "my_package.navitas_tsv"}}
    assert project["tool"]["setuptools"]["packages"] == ["my_package"]


def test_a_format_is_a_module_in_the_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "adding_tsv.py").write_text(FORMAT)
    monkeypatch.setitem(registry._MODULES, "tsv", "adding_tsv")
    profile = made()
    lines = text_of(find_format("tsv").write, profile).splitlines(keepends=True)
    assert lines[0] == TSV and len(lines) == 1 + len(profile.tests)
    assert float(lines[1].rpartition("\t")[2]) == profile.tests[0].energy_j


def test_a_format_of_another_package_is_an_entry_point(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "adding_other_tsv.py").write_text(FORMAT)
    (folder / "adding_broken.py").write_text("raise ImportError('no such thing')")
    (folder / "adding_needy.py").write_text(FORMAT.replace("write)", 'write, needs=("no_such_package",))'))
    points = [
        EntryPoint(name, f"adding_{module}", registry.ENTRY_POINTS)
        for name, module in (("tsv", "other_tsv"), ("broken", "broken"), ("needy", "needy"), ("json", "other_tsv"))
    ]
    monkeypatch.setattr(registry.metadata, "entry_points", lambda group: points if group == registry.ENTRY_POINTS else [])
    assert text_of(find_format("tsv").write, made()).startswith(TSV)
    assert find_format("json").name == "json", "built-in formats keep their names"
    assert format_names()[-3:] == ["tsv", "broken", "needy"]
    errors = {name: found for name, found in list_formats() if isinstance(found, NavitasError)}
    assert errors["json"].message == (
        "another package registers the report format json too: adding_other_tsv; Navitas uses its own"
    )
    with pytest.raises(NavitasError, match=r"adding_broken\) cannot be loaded: ImportError: no such thing"):
        find_format("broken")
    with pytest.raises(NavitasError, match="the report format needy needs no_such_package"):
        find_format("needy")


def package(folder: Path, name: str, entries: str, module: str) -> None:
    """Create the metadata and the module of an installed package."""
    info = folder / f"{name}-2.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.5\n")
    (info / "entry_points.txt").write_text(f"[navitas.formats]\n{entries}\n")
    (folder / f"adding_{name}.py").write_text(module)


BROKEN = {
    "absent": ("x = adding_nowhere", "", "ModuleNotFoundError: No module named 'adding_nowhere'"),
    "torn": ("x = adding_torn", "def write(:", "SyntaxError"),
    "quits": ("x = adding_quits", "import sys\nsys.exit(3)", "SystemExit: 3"),
    "bare": ("x = adding_bare", "", "AttributeError"),
    "odd": ("x = adding_odd", "FORMAT = 7", "FORMAT is not a Format"),
    "empty": ("x =", "", "ValueError: Empty module name"),
    "panics": ("x = adding_panics", "class Panic(BaseException): pass\nraise Panic('boom')", "Panic: boom"),
    "mute": ("x = adding_mute", FORMAT.replace("write)", "None)"), "write is not a function"),
    "bland": ("x = adding_bland", FORMAT.replace('".tsv"', "None"), "extension is not a string"),
    "wide": ("x = adding_wide", FORMAT.replace('".tsv"', "''"), "extension '' does not begin with a dot"),
    "needless": ("x = adding_needless", FORMAT.replace("write)", "write, needs=None)"), "needs is not a tuple of strings"),
    "single": ("x = adding_single", FORMAT.replace("write)", "write, needs=('pandas'))"), "needs is not a tuple of strings"),
    "choosy": (
        "x = adding_choosy",
        FORMAT.replace("write)", "write, options=('width',))"),
        "options has 'width'; known are top, tree",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_package_is_reported_and_other_formats_work(folder: Path, name: str) -> None:
    entries, module, cause = BROKEN[name]
    package(folder, name, entries, module)
    package(folder, "sound", "tsv = adding_sound", FORMAT)
    with pytest.raises(NavitasError) as caught:
        find_format("x")
    assert cause in caught.value.message and f"package {name} 2.5" in caught.value.message
    listed = dict(list_formats())
    assert str(listed["x"]).endswith(f"package {name} 2.5")
    assert isinstance(listed["json"], Format) and find_format("text").name == "text" and find_format("tsv").name == "tsv"
    assert format_for_file("a.json") == "json"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("navitas.analyze.profile", "navitas.energy.analyze"),
        ("navitas.errors", "navitas.base.errors"),
        ("navitas.report.names", "navitas.energy.analyze.names"),
        ("navitas.report.html_report", "navitas.report.page.page_report"),
        ("navitas.capture.device.instrumentation", "navitas.android.instrumentation"),
    ],
)
def test_a_package_that_imports_from_before_the_rooms_is_refused_with_the_new_place(folder: Path, old: str, new: str) -> None:
    package(folder, "early", "x = adding_early", f"import {old}\n")
    with pytest.raises(NavitasError) as caught:
        find_format("x")
    assert f" is {new} now: update" in caught.value.remedy


def test_damaged_entry_points_are_reported_and_other_formats_work(folder: Path) -> None:
    package(folder, "damaged", "no entry", "")
    package(folder, "sound", "tsv = adding_sound", FORMAT)
    assert find_format("tsv").name == "tsv" and find_format("json").name == "json"
    assert "damaged" in dict(list_formats())
    with pytest.raises(NavitasError, match="cannot be loaded"):
        find_format("damaged")


def test_a_name_of_several_packages_is_refused_and_other_formats_work(folder: Path) -> None:
    for name in ("first", "second"):
        package(folder, name, f"tsv = adding_{name}", FORMAT)
    package(folder, "sound", "rows = adding_sound", FORMAT)
    with pytest.raises(NavitasError, match="several packages register the report format tsv") as caught:
        find_format("tsv")
    assert all(f"adding_{name}, package {name} 2.5" in caught.value.message for name in ("first", "second"))
    listed = dict(list_formats())
    assert isinstance(listed["tsv"], NavitasError) and find_format("rows").name == "tsv" and find_format("json").name == "json"


def test_a_package_cannot_replace_a_builtin_format(folder: Path) -> None:
    package(folder, "greedy", "json = adding_greedy", FORMAT)
    assert find_format("json").about == json_report.FORMAT.about and format_for_file("a.json") == "json"
    assert format_names().count("json") == 1
    ours, theirs = (found for name, found in list_formats() if name == "json")
    assert ours is json_report.FORMAT
    assert isinstance(theirs, NavitasError) and "adding_greedy, package greedy 2.5" in theirs.message


def test_the_error_for_an_unknown_format_suggests_one() -> None:
    with pytest.raises(UsageError, match="'jsn'") as caught:
        find_format("jsn")
    assert "did you mean json?" in (caught.value.remedy or "")
