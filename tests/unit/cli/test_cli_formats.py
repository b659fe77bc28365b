"""`--format`, `-o` and the short forms: pairs of reports and files, and errors before the work."""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from support.capture import Capture
from support.golden import GOLDEN
from support.html_pages import Page

import navitas
from navitas.base.errors import ExitCode, NavitasError
from navitas.capture.collect.runs.version_runs import ProfilingOutcome
from navitas.cli.habits.shared_options import ReportOptions
from navitas.cli.main import run
from navitas.cli.profile.measuring import report_outcome
from navitas.cli.report.formats import ReportFile
from navitas.energy.attribute import measured_runs
from navitas.energy.attribute.calls.step_totals import StepTotals
from navitas.report import registry
from navitas.report.registry import find_format, format_names

TSV = """
from navitas.report.format import Format

def write(profile, out):
    out.write("joules\\n")

FORMAT = Format("tsv", ".tsv", "joules", write)
"""


def report(*arguments: object) -> int:
    return run(["report", str(GOLDEN), *map(str, arguments)])


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install formats of other packages: `tsv`, `table` (also .tsv), `broken` (can't be imported) and `failing`."""
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "cli_tsv.py").write_text(TSV)
    (folder / "cli_table.py").write_text(TSV)
    (folder / "cli_broken.py").write_text("raise ImportError('no such\x1b[2J module')")
    (folder / "cli_failing.py").write_text(TSV.replace('out.write("joules\\n")', "1 / 0").replace('".tsv"', '".fail"'))
    monkeypatch.syspath_prepend(folder)
    points = [EntryPoint(name, f"cli_{name}", registry.ENTRY_POINTS) for name in ("tsv", "table", "broken", "failing")]
    monkeypatch.setattr(registry.metadata, "entry_points", lambda group: points)
    yield folder
    for point in points:
        sys.modules.pop(point.value, None)


@pytest.fixture
def no_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test in an empty folder, and fail if it reads a recording."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("navitas.cli.report.command.load_profile", lambda *_, **__: pytest.fail("the recording was read"))


def test_a_format_and_a_file(tmp_path: Path, capsys: Capture) -> None:
    assert report("--format", "json", "-o", tmp_path / "energy") == ExitCode.OK
    assert json.loads((tmp_path / "energy").read_text())["schema_version"] == 2
    assert "Threads" in capsys.readouterr().out, "the tables are shown as with --json FILE"


def test_formats_take_files_in_order(tmp_path: Path) -> None:
    assert report("--format", "collapsed", "-o", tmp_path / "a", "--format", "speedscope", "-o", tmp_path / "b") == ExitCode.OK
    assert "profiles" in json.loads((tmp_path / "b").read_text())
    assert ";" in (tmp_path / "a").read_text()


def test_the_short_forms_write_the_same_files(tmp_path: Path) -> None:
    for name in ("json", "html", "speedscope", "collapsed"):
        assert report(f"--{name}", tmp_path / "short", "--format", f"{name}={tmp_path / 'long'}") == ExitCode.OK
        assert (tmp_path / "short").read_bytes() == (tmp_path / "long").read_bytes()


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("a.json", b"{\n"),
        ("a.speedscope.json", b'{\n "$schema"'),
        ("a.html", b"<!DOCTYPE html>"),
        ("A.TXT", b"sample"),
        ("a.parquet", b"PAR1"),
        ("a.collapsed", b""),
        ("a.pb.gz", b"\x1f\x8b"),
        ("a.firefox.json", b'{\n "meta"'),
        ("a.firefox.json.gz", b"\x1f\x8b"),
        ("a.pftrace", b"\n"),
    ],
)
def test_the_extension_names_the_format(tmp_path: Path, name: str, begins: bytes) -> None:
    assert report("-o", tmp_path / name) == ExitCode.OK
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_compressed_text_is_the_same_text(tmp_path: Path) -> None:
    for name in ("a.json", "a.json.gz", "a.collapsed", "a.collapsed.GZ"):
        assert report("-o", tmp_path / name) == ExitCode.OK
    for name, small in (("a.json", "a.json.gz"), ("a.collapsed", "a.collapsed.GZ")):
        assert gzip.decompress((tmp_path / small).read_bytes()) == (tmp_path / name).read_bytes()


def test_binary_reports_are_not_compressed_twice(tmp_path: Path, capsys: Capture) -> None:
    assert report("-o", tmp_path / "a.parquet.gz") == ExitCode.USAGE
    assert "no report format has this extension" in capsys.readouterr().err


def test_a_format_without_a_file_goes_to_standard_output(capsys: Capture) -> None:
    assert report("--format", "json") == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["project"] == "sample"


def test_a_binary_format_goes_to_a_pipe(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert report("--format", "parquet", "-o", "-") == ExitCode.OK
    out = capfdbinary.readouterr().out
    assert out.startswith(b"PAR1") and out.endswith(b"PAR1")
    assert report("--format", "pprof=-") == ExitCode.OK
    assert gzip.decompress(capfdbinary.readouterr().out)


@pytest.mark.parametrize("name", format_names())
def test_each_format_goes_to_standard_output(name: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert report(f"--format={name}={tmp_path / 'file'}", f"--format={name}=-") == ExitCode.OK
    assert capfdbinary.readouterr().out == (tmp_path / "file").read_bytes() != b""


def test_the_text_report_has_the_options_of_the_tables(tmp_path: Path) -> None:
    assert report("--top", 1, "--tree", "main", "-o", tmp_path / "a.txt") == ExitCode.OK
    text = (tmp_path / "a.txt").read_text()
    assert " more methods: " in text and "self 8.72 mJ, 1 call" in text


@pytest.mark.parametrize(
    ("arguments", "said", "remedy"),
    [
        (["--format", "jsn", "-o", "x"], "there is no report format 'jsn'", "did you mean json? known are json, speedscope"),
        (["--format", "JSON=x"], "there is no report format 'JSON'", "did you mean json?"),
        (["--format", "a\x1b[2J"], "there is no report format 'a\\x1b[2J'", "known are"),
        (["--format", "parquet"], "parquet is a binary format and needs a file", "--format parquet=report.parquet"),
        (["--format", "pprof"], "pprof is a binary format and needs a file", "--format pprof=report.pb.gz"),
        (["--format", "json="], "is not a file name", "name a file"),
        (["-o", "x.foo"], "x.foo: no report format has this extension", ".speedscope.json (speedscope)"),
        (["-o", "-"], "-o - has no extension", "--format NAME -o -"),
        (["--format", "json", "--format", "text", "-o", "x"], "2 formats without a file, and -o 1 files", "NAME=FILE"),
        (["--format", "json", "-o", "x", "-o", "y.txt"], "1 formats without a file, and -o 2 files", "NAME=FILE"),
        (["--format", "json=x", "--format", "text=x"], "are the same file: x", "Choose different names"),
        (["--format", "json", "--format", "text"], "two reports would go to the same file", "name a file for each"),
        (["-o", "x.json", "--json", "x.json"], "are the same file: x.json", "Choose different names"),
        (["-o", f"{GOLDEN}/manifest.json"], "is a file of the recording", "never changed"),
        (["--json", f"{GOLDEN}/.lock"], "is a file of the recording", "never changed"),
        (["--json", f"{GOLDEN}/.reserve"], "is a file of the recording", "never changed"),
    ],
)
@pytest.mark.usefixtures("no_reading")
def test_unclear_requests_are_refused_before_any_work(
    arguments: list[str], said: str, remedy: str, tmp_path: Path, capsys: Capture
) -> None:
    assert report(*arguments) == ExitCode.USAGE
    error, help_line = capsys.readouterr().err.splitlines()[:2]
    assert said in error and remedy in help_line
    assert not list(tmp_path.iterdir())


def test_a_format_that_lacks_a_package_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    for arguments in (["-o", tmp_path / "x.parquet"], ["--format", f"parquet={tmp_path / 'x'}"]):
        assert report(*arguments) == ExitCode.USAGE
        said = capsys.readouterr().err
        assert "the report format parquet needs pyarrow" in said and "pip install 'pyarrow>=17'" in said
    assert report("--format", "json") == ExitCode.OK


def test_formats_of_other_packages(plugins: Path, tmp_path: Path, capsys: Capture) -> None:
    assert report("--format", f"tsv={tmp_path / 'a'}") == ExitCode.OK
    assert (tmp_path / "a").read_text() == "joules\n"
    assert report("-o", tmp_path / "b.tsv") == ExitCode.USAGE
    said = capsys.readouterr().err
    assert "several report formats have this extension" in said and "choose one by --format: tsv, table" in said
    assert report("--format", f"broken={tmp_path / 'c'}") == ExitCode.TROUBLE
    assert "the report format broken (cli_broken) cannot be loaded: ImportError" in capsys.readouterr().err
    assert report("-o", tmp_path / "d.json") == ExitCode.OK, "all others work"
    capsys.readouterr()
    assert report("-o", tmp_path / "e.fail") == ExitCode.TROUBLE
    said = capsys.readouterr().err
    assert "the report format failing failed: ZeroDivisionError: division by zero" in said and "Traceback" not in said
    assert not (tmp_path / "e.fail").exists()


def test_builtin_extensions_import_no_other_package(plugins: Path, tmp_path: Path) -> None:
    for name in ("tsv", "table", "broken", "failing"):
        module = TSV.replace('".tsv"', '".fail"') if name == "failing" else TSV
        (plugins / f"cli_{name}.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w')\n{module}")
    for name in ("x.json", "x.JSON", "x.parquet", "x.txt", "run.2.json", "app-1.0.3.txt", "x.speedscope.json"):
        assert registry.format_for_file(name)
    assert not (tmp_path / "imported").exists()
    assert registry.format_for_file("x.tsv.fail") == "failing"
    assert (tmp_path / "imported").exists()


def test_builtin_extensions_take_precedence(plugins: Path) -> None:
    (plugins / "cli_tsv.py").write_text(TSV.replace('".tsv"', '".json"'))
    (plugins / "cli_table.py").write_text(TSV.replace('".tsv"', '".table.json"'))
    files = {"x.json": "json", "x.y.json": "json", "x.table.json": "json", "x.speedscope.json": "speedscope"}
    assert {file: registry.format_for_file(file) for file in files} == files


@pytest.mark.parametrize(
    ("module", "failure"),
    [("cli_quits", "import sys; sys.exit(0)"), ("cli_panics", "raise type('Panic', (BaseException,), {})('boom')")],
)
def test_a_format_that_ends_the_process_is_named(
    plugins: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, module: str, failure: str
) -> None:
    file = plugins.parent / "e.fail"
    (plugins / f"{module}.py").write_text(TSV.replace('out.write("joules\\n")', failure).replace('".tsv"', '".fail"'))
    points = [EntryPoint("ending", module, registry.ENTRY_POINTS)]
    monkeypatch.setattr(registry.metadata, "entry_points", lambda group: points)
    assert report("-o", file) == ExitCode.TROUBLE
    assert "the report format ending failed: " in capsys.readouterr().err
    assert not file.exists()


@pytest.mark.usefixtures("plugins")
def test_the_recording_has_a_report_if_another_format_fails(tmp_path: Path, recording: Path) -> None:
    options = ReportOptions((ReportFile("failing", tmp_path / "x", "--format failing"),))
    with pytest.raises(NavitasError, match="the report format failing failed"):
        report_outcome(ProfilingOutcome(recording, {}, crashed=False), navitas.load(recording), options)
    assert json.loads((recording / "report.json").read_text())["schema_version"] == 2


def test_default_formats_are_written_to_the_recording(tmp_path: Path, recording: Path, capsys: Capture) -> None:
    named = ReportFile("html", tmp_path / "named.html", "--html")
    for options in (ReportOptions(default_formats=("json", "html")), ReportOptions((named,), default_formats=("json", "html"))):
        assert report_outcome(ProfilingOutcome(recording, {}, crashed=False), navitas.load(recording), options) == ExitCode.OK
    shown = capsys.readouterr().err
    for page in (recording / "report.html", named.path):
        assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
        assert f"page: {page} (open it in a browser)" in shown
    assert (recording / "report.json").is_file()


def test_calls_over_time_are_computed_only_for_formats_that_show_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.html"
    assert report("--html", page) == ExitCode.OK
    assert Page(page.read_text("utf-8")).data["page-data"]["bins"]["node"]
    assert ReportOptions(default_formats=("json", "html")).file_analysis.call_steps
    shown = [ReportOptions(default_formats=(name,)).file_analysis.recorded for name in ("json", "html", "perfetto")]
    assert shown == [False, False, True]
    monkeypatch.setattr(StepTotals, "__init__", lambda *_: pytest.fail("steps are computed"))
    monkeypatch.setattr(measured_runs, "FEW_EVENTS", 0)
    others = [name for name in format_names() if not find_format(name).call_steps and not find_format(name).needs]
    assert {"collapsed", "json", "markdown", "csv"} <= set(others)
    assert report(*(f"--format={name}={tmp_path / name}" for name in others)) == ExitCode.OK


def test_help_lists_the_formats(plugins: Path, tmp_path: Path, capsys: Capture) -> None:
    for name in ("tsv", "table", "broken", "failing"):
        (plugins / f"cli_{name}.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w')\n{TSV}")
    for command in ("report", "profile", "record", "demo"):
        assert run([command, "--help"]) == ExitCode.OK
        text = " ".join(capsys.readouterr().out.split())
        assert "NAME: one of navitas report --help." in text
        if command == "report":
            assert all(name in text for name in format_names())
            assert "energy by test, thread, method and component as a table (.parquet)" in text
            assert "broken from the module cli_broken" in text
            assert "\x1b" not in text
    assert not (tmp_path / "imported").exists(), "help imports no other package"


def test_profile_record_and_demo_support_formats(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "build.gradle").touch()
    for arguments in (["profile", str(tmp_path)], ["demo"], ["record", "a.b"]):
        assert run([*arguments, "--format", "jsn=x"]) == ExitCode.USAGE
        assert "there is no report format 'jsn'" in capsys.readouterr().err
    assert run(["profile", str(tmp_path), "--granularity", "test", "--format", "speedscope=x"]) == ExitCode.USAGE
    assert "--format speedscope shows calls" in capsys.readouterr().err


@pytest.mark.parametrize("module", ["cli_tsv", "cli_failing", "cli_none", "os:system", "", "cli_tsv\n"])
def test_hostile_entry_points_are_named_safely(
    plugins: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, module: str
) -> None:
    """Names that steer a terminal or turn text, and modules that are none, in the list of a package."""
    hostile = "a\u202eb\x1b[2J"
    (plugins / "cli_tsv.py").write_text(TSV.replace('".tsv"', f'".{hostile}"').replace('"joules"', f'"{hostile}"'))
    (plugins / "cli_failing.py").write_text(TSV.replace('out.write("joules\\n")', f'raise GeneratorExit("{hostile}" * 999)'))
    (plugins / "cli_none.py").write_text("FORMAT = None")
    monkeypatch.setattr(registry.metadata, "entry_points", lambda group: [EntryPoint(hostile, module, registry.ENTRY_POINTS)])
    code = report("--format", f"{hostile}={plugins.parent / 'out'}")
    assert code == (ExitCode.OK if module == "cli_tsv" else ExitCode.TROUBLE)
    assert report("-o", plugins.parent / "x.none") == ExitCode.USAGE
    assert run(["report", "--help"]) == ExitCode.OK
    said = capsys.readouterr()
    assert "a\\u202eb" in said.err + said.out and "Traceback" not in said.err
    assert not {"\u202e", "\x1b"} & set(said.out.partition("Formats:")[2] + said.err)


def test_an_option_of_the_page_needs_the_page(no_reading: None, tmp_path: Path, capsys: Capture) -> None:
    assert report("--with-source", tmp_path, "--json", "x") == ExitCode.USAGE
    said = " ".join(capsys.readouterr().err.split())
    assert "--with-source is about the page, which is not requested add --html FILE" in said


@pytest.mark.parametrize("other", [["--format", "csv=-"], ["--view", "top"]])
def test_an_earlier_recording_needs_a_verdict(other: list[str], no_reading: None, tmp_path: Path, capsys: Capture) -> None:
    assert report("--before", tmp_path, *other) == ExitCode.USAGE
    assert "--before is about verdicts, and no report that has one is requested" in " ".join(capsys.readouterr().err.split())


def test_files_say_what_changed_since_an_earlier_recording(tmp_path: Path, capsys: Capture) -> None:
    assert report("--before", GOLDEN, "--json", tmp_path / "x.json", "--format", "markdown=-") == ExitCode.OK
    statements = json.loads((tmp_path / "x.json").read_text("utf-8"))["verdict"]["statements"]
    assert statements[0]["rule"] == "changed" and statements[0]["text"].startswith("No change of app energy since ")
    assert "- No change of app energy since " in capsys.readouterr().out


def test_the_terminal_says_what_changed_since_an_earlier_recording(capsys: Capture) -> None:
    assert report("--before", GOLDEN) == ExitCode.OK
    assert f"No change of app energy since {GOLDEN}" in " ".join(capsys.readouterr().out.split())


def test_the_page_compares_and_shows_source_code(tmp_path: Path) -> None:
    source = tmp_path / "src/org/example/Sorter.java"
    source.parent.mkdir(parents=True)
    source.write_text("// a line\n" * 200)
    page = tmp_path / "page.html"
    assert report("--html", page, "--before", GOLDEN, "--with-source", tmp_path) == ExitCode.OK
    text = page.read_text("utf-8")
    assert "<code>// a line</code>" in text and f'"name": "{GOLDEN}"' in text


@pytest.mark.parametrize("all_tests", [True, False])
def test_the_same_recording_before_has_no_differences(tmp_path: Path, *, all_tests: bool) -> None:
    test = navitas.load(GOLDEN).repeats()[0]
    page = tmp_path / "page.html"
    chosen = [] if all_tests else ["--tests", f"{test.class_name}#{test.method}"]
    assert report("--html", page, "--before", GOLDEN, *chosen) == ExitCode.OK
    text = page.read_text("utf-8")
    data = Page(text).data["page-data"]
    assert data["baseline"]["tests"]["app_uj"] == pytest.approx(data["tests"]["app_uj"], abs=1e-6)
    assert data["baseline"]["methods"]["self_uj"] == pytest.approx(data["methods"]["self_uj"], abs=1e-6)
    assert data["baseline"]["nodes"]["self_uj"] == pytest.approx(data["nodes"]["self_uj"], abs=1e-6)
    assert "Not only the code differs" not in text


def test_recordings_without_a_common_test_are_wrong_usage(tmp_path: Path, capsys: Capture) -> None:
    other = tmp_path / "other"
    shutil.copytree(GOLDEN, other)
    manifest = json.loads((other / "manifest.json").read_text("utf-8"))
    for test in manifest["tests"]:
        test["class"] = "org.example.Renamed"
    (other / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert report("--html", tmp_path / "x.html", "--before", other) == ExitCode.USAGE
    said = " ".join(capsys.readouterr().err.split())
    assert "have no test in common" in said and GOLDEN.name in said and "other" in said


def test_a_folder_without_sources_is_wrong_usage(tmp_path: Path, capsys: Capture) -> None:
    assert report("--html", tmp_path / "x.html", "--with-source", tmp_path) == ExitCode.USAGE
    assert "has no source files" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()
