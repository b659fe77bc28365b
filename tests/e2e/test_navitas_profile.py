"""The task `navitasProfile`, which profiles its build as the command line does."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import jsonschema
import pytest
from support.android_apps import apply_plugin
from support.android_projects import copy_project, fixture_params
from support.command_line import NAVITAS, start
from support.git_repository import git, needs_git, plain_git  # noqa: F401  # A fixture.
from support.gradle_builds import Build, methods, modules, outcome
from support.gradle_projects import JUNIT, gradle_params, junit_class, main_class, write

from navitas.capture.build.plugin_repository import install_plugin
from navitas.capture.bundle.reader import open_bundle
from navitas.recording.store import open_recording
from navitas.report.json_report import schema

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = "plugins {{ id 'java'\n id 'org.navitas' version '0.1.0' }}\n{junit}navitas {{ executable = '{navitas}' }}\n"

extended = pytest.mark.extended
pytestmark = [
    pytest.mark.usefixtures("quick"),
    pytest.mark.skipif(not NAVITAS.is_file(), reason="navitas is not installed: make setup"),
]


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_plugin(tmp_path_factory.mktemp("plugin repository"))


def settings(repository: Path, *lines: str) -> str:
    places = f"maven {{ url = uri('{repository}') }}\nmavenCentral()"
    return "\n".join([f"pluginManagement {{ repositories {{ {places} }} }}", *lines, ""])


def gradle_run(gradle: str, project: Path, *arguments: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    command = [gradle, "--console=plain", *arguments]
    done = subprocess.run(command, cwd=project, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


# A root project without a build file, one without the plugin, and one that has it for all. Versions of Gradle differ in what
# they refuse in a build with the second.
ROOTS = [
    pytest.param(*version.values, root, marks=version.marks, id=f"{version.id}-{name}")
    for name, root, versions in (
        ("none", "", ("path",)),
        ("java", "plugins {{ id 'java' }}\n{junit}", ()),
        ("shared", "plugins {{ id 'java'\n {plugin} apply false }}\n{junit}", ("path", "8.11.1")),
    )
    for version in gradle_params(*versions)
]


@extended
@pytest.mark.parametrize(("gradle", "root"), ROOTS, indirect=["gradle"])
def test_the_command_profiles_modules_that_apply_the_plugin(tmp_path: Path, gradle: str, repository: Path, root: str) -> None:
    """With its version, which Gradle refuses if the project above has the plugin already."""
    plugin = "id 'org.navitas' version '0.1.0'"
    is_shared = "apply false" in root
    build = f"plugins {{ id 'java'\n {plugin.partition(' version')[0] if is_shared else plugin} }}\n{JUNIT}"
    files = {"settings.gradle": settings(repository, "rootProject.name = 'multi'", "include 'a', 'b'")}
    if root:
        files["build.gradle"] = root.format(junit=JUNIT, plugin=plugin)
        files["src/test/java/p/RootTest.java"] = junit_class("RootTest", "")
    for name in ("a", "b"):
        files[f"{name}/build.gradle"] = build
        files[f"{name}/src/test/java/p/{name.upper()}Test.java"] = junit_class(f"{name.upper()}Test", "")
    made = Build(write(tmp_path / "p", files), gradle)
    assert [bundle.manifest.module for bundle in made.bundles] == [*([":"] if is_shared else []), ":a", ":b"]
    left_out = (
        "navitas: : is left out: it lies above a module that declares Navitas' plugin for itself; to profile it, declare the"
        " plugin in its build.gradle too (apply false)"
    )
    assert (left_out in made.lines) == ("java" in root and not is_shared), made.lines


CATALOG = '[plugins]\nenergy-use = { id = "org.navitas", version = "0.1.0" }\n'


@extended
@pytest.mark.parametrize(
    ("managed", "plugin"),
    [("\nplugins { id 'org.navitas' version '0.1.0' }", "id 'org.navitas'"), ("", "alias(libs.plugins.energy.use)")],
)
@pytest.mark.parametrize("gradle", gradle_params("7.6.4"), indirect=True)
def test_the_version_can_be_in_the_settings_or_in_a_catalog(
    tmp_path: Path, gradle: str, repository: Path, managed: str, plugin: str
) -> None:
    build = settings(repository, "include 'a'").replace("} }\n", f"}}{managed} }}\n", 1)
    files = {
        "settings.gradle": build,
        "gradle/libs.versions.toml": CATALOG,
        "a/build.gradle": f"plugins {{ id 'java'\n {plugin} }}\n{JUNIT}",
        "a/src/test/java/p/ATest.java": junit_class("ATest", ""),
    }
    assert [bundle.manifest.module for bundle in Build(write(tmp_path / "p", files), gradle).bundles] == [":a"]


@pytest.mark.parametrize("gradle", gradle_params("path", "7.6.4"), indirect=True)
def test_a_build_profiles_its_modules(tmp_path: Path, gradle: str, repository: Path) -> None:
    build = PLUGINS.format(junit=JUNIT, navitas=NAVITAS)
    project = write(
        tmp_path / "größe a",
        {
            "settings.gradle": settings(repository, "rootProject.name = 'multi'", "include 'app', 'lib'"),
            "gradle.properties": "org.gradle.parallel=true\norg.gradle.configuration-cache=true\n"
            "org.gradle.unsafe.configuration-cache=true\n",
            "app/build.gradle": build + "dependencies { implementation project(':lib') }\nnavitas { repeat = 2 }\n",
            "app/src/test/java/p/AppTest.java": "package p; import org.junit.*; public class AppTest {"
            "@Test public void passes() { new Lib().f(); }"
            '@Test public void fails() { Assert.fail("as it should"); } }\n',
            "lib/build.gradle": build,
            "lib/src/main/java/p/Lib.java": main_class("Lib"),
        },
    )
    made = project / "app" / "build" / "navitas"

    command = ("navitasProfile", "--continue")  # otherwise the failed module may end the other one
    code, said = gradle_run(gradle, project, *command)
    assert code == 1
    assert said.count("Execution failed for task") == 1
    assert "navitas: :lib has no tests to profile: add JUnit tests under src/test/java" in said
    assert "navitas: tests failed (exit code 3)" in said
    assert "FAILED :app p.AppTest#fails: java.lang.AssertionError: as it should" in said
    assert f"Report: {made / 'report.json'}" in said
    assert (made / "exit-code.txt").read_text() == "3\n"
    report = json.loads((made / "report.json").read_text("utf-8"))
    jsonschema.validate(report, schema())
    assert {(test["method"], test["status"]) for test in report["tests"]} == {("passes", "passed"), ("fails", "failed")}
    assert len(report["tests"]) == 4  # repeat
    manifest = open_recording(made / "recording").manifest
    assert (manifest.project.name, manifest.state, {run.module for run in manifest.runs}) == ("multi", "complete", {":app"})
    assert not (project / "lib" / "build" / "navitas" / "report.json").exists()
    if "onfiguration cache entry stored" not in said:
        assert "7.6.4" not in gradle
        return  # before Gradle 6.6
    (made / "report.json").unlink()
    code, said = gradle_run(gradle, project, *command)
    assert code == 1
    assert "navitas: tests failed (exit code 3)" in said
    assert "Reusing configuration cache" in said
    assert outcome(said.splitlines(), ":app:navitasBundle") == "UP-TO-DATE"
    assert (made / "report.json").is_file()


@extended
def test_properties_take_precedence_over_the_block(tmp_path: Path, any_gradle: str, repository: Path) -> None:
    project = write(
        tmp_path / "p",
        {
            "settings.gradle": settings(repository),
            "build.gradle": PLUGINS.format(junit=JUNIT, navitas=NAVITAS) + "navitas { tests 'ATest'\n repeat = 5 }\n",
            "src/test/java/p/ATest.java": junit_class("ATest", ""),
            "src/test/java/p/BTest.java": junit_class("BTest", "org.junit.Assert.fail();"),
        },
    )
    code, said = gradle_run(
        any_gradle,
        project,
        "navitasProfile",
        *(f"-Pnavitas.{each}" for each in ("tests=*Test#t", "repeat=1", "ignoreFailures=true")),
    )
    assert code == 0, said
    assert "navitas: tests failed (exit code 3)" in said
    made = project / "build" / "navitas"
    assert (made / "exit-code.txt").read_text() == "3\n"
    report = json.loads((made / "report.json").read_text("utf-8"))
    assert {(test["class"], test["status"]) for test in report["tests"]} == {("p.ATest", "passed"), ("p.BTest", "failed")}
    typed = report["provenance"]["command_line"]
    assert typed[typed.index("--source") + 1] == str(project), "the report can name the project's git revision"


@extended
@needs_git
@pytest.mark.usefixtures("plain_git")
def test_a_revision_is_compared_with_the_build(tmp_path: Path, any_gradle: str, repository: Path) -> None:
    """The command line builds both versions while this build runs."""
    project = write(
        tmp_path / "p",
        {
            "settings.gradle": settings(repository, "include 'app'"),
            "app/build.gradle": PLUGINS.format(junit=JUNIT, navitas=NAVITAS) + "navitas { against = 'HEAD' }\n",
            "app/src/test/java/p/ATest.java": junit_class("ATest", ""),
            ".gitignore": "build\n.gradle\n",
        },
    )
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        git(project, *command)
    (project / "app/src/test/java/p/ATest.java").write_text(junit_class("ATest", "Thread.yield();"))
    code, said = gradle_run(any_gradle, project, "navitasProfile")
    assert code == 0, said
    made = project / "app/build/navitas"
    assert (made / "report.json").is_file()
    manifests = [open_recording(made / "against" / side).manifest for side in ("before", "after")]
    assert [one.provenance.git.dirty for one in manifests if one.provenance and one.provenance.git] == [False, True]
    assert {run.module for one in manifests for run in one.runs} == {":app"}
    assert json.loads((made / "against/comparison.json").read_text("utf-8"))["same_session"] is True
    assert (made / "against/comparison.html").is_file()
    code, said = gradle_run(any_gradle, project, "navitasProfile", "-Pnavitas.against=no-such-branch")
    assert code == 1 and "'no-such-branch' is no commit" in said and "wrong settings" in said


@extended
@needs_git
@pytest.mark.usefixtures("plain_git")
def test_a_build_checks_its_budgets(tmp_path: Path, any_gradle: str, repository: Path) -> None:
    """The budget is of calls, which do not depend on how busy the computer is."""
    test = "Lib lib = new Lib(); for (int i = 0; i < 10; i++) lib.f();"
    project = write(
        tmp_path / "p",
        {
            "settings.gradle": settings(repository),
            "build.gradle": PLUGINS.format(junit=JUNIT, navitas=NAVITAS) + "navitas { repeat = 2 }\n",
            "navitas.toml": '[[check]]\nmethod = "p.Lib.f"\nfigure = "calls"\nat-most = 10\n',
            "src/main/java/p/Lib.java": main_class("Lib"),
            "src/test/java/p/ATest.java": junit_class("ATest", test),
            ".gitignore": "build\n.gradle\n",
        },
    )
    made = project / "build" / "navitas"
    code, said = gradle_run(any_gradle, project, "navitasCheck")
    assert code == 0, said
    assert json.loads((made / "check.json").read_text("utf-8"))["verdict"] == "within"
    (project / "navitas.toml").write_text('[[check]]\nmethod = "p.Lib.f"\nfigure = "calls"\nat-most-change = 50\n')
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        git(project, *command)
    (project / "src/test/java/p/ATest.java").write_text(junit_class("ATest", test.replace("10", "20")))
    code, said = gradle_run(any_gradle, project, "navitasCheck", "-Pnavitas.against=HEAD")
    assert code == 1 and "navitas: a check failed (exit code 1)" in said and "+100.0 % is over the limit" in said, said
    (judged,) = json.loads((made / "check.json").read_text("utf-8"))["judgements"]
    assert judged["verdict"] == "above" and judged["value"] == 100
    assert [judged["before"], judged["after"]] == pytest.approx([10, 20])


@extended
def test_invalid_settings_are_reported(tmp_path: Path, any_gradle: str, repository: Path) -> None:
    project = write(
        tmp_path / "p",
        {
            "settings.gradle": settings(repository),
            "build.gradle": PLUGINS.format(junit=JUNIT, navitas=NAVITAS) + "navitas { arguments '--nonsense' }\n",
            "src/test/java/p/ATest.java": junit_class("ATest", ""),
        },
    )
    code, said = gradle_run(any_gradle, project, "navitasProfile", "-Pnavitas.ignoreFailures=true")
    assert code == 1
    assert "navitas: wrong settings (exit code 2)" in said
    assert "--nonsense" in said
    code, said = gradle_run(any_gradle, project, "navitasProfile", "-Pnavitas.executable=navitas-is-not-here")
    assert code == 1
    assert "there is no `navitas-is-not-here` on PATH" in said
    assert "navitas { executable" in said
    assert not (project / "build" / "navitas" / "exit-code.txt").exists()


@extended
@pytest.mark.parametrize("gradle", gradle_params("8.11.1"), indirect=True)
def test_isolated_projects(tmp_path: Path, gradle: str, repository: Path) -> None:
    """Gradle fails a build whose projects look into each other. It also has a configuration cache then."""
    build = PLUGINS.format(junit=JUNIT, navitas=NAVITAS)
    project = write(
        tmp_path / "p",
        {
            "settings.gradle": settings(repository, "rootProject.name = 'multi'", "include 'app', 'lib'"),
            "gradle.properties": "org.gradle.unsafe.isolated-projects=true\nnavitas.exclude=p.Lib#g\n",
            "app/build.gradle": build + "dependencies { implementation project(':lib') }\n",
            "app/src/test/java/p/AppTest.java": junit_class("AppTest", "new Lib().f();"),
            "lib/build.gradle": build,
            "lib/src/main/java/p/Lib.java": "package p; public class Lib { public void f() { g(); } void g() { } }\n",
        },
    )
    report = project / "app/build/navitas/report.json"
    for _ in range(2):
        report.unlink(missing_ok=True)
        code, said = gradle_run(gradle, project, "navitasProfile")
        assert code == 0, said
        assert [test["status"] for test in json.loads(report.read_text("utf-8"))["tests"]] == ["passed"]
    assert "Reusing configuration cache" in said
    bundle = open_bundle(project / "app/build/navitas/app.bundle.zip")
    assert modules(bundle) == {"p.AppTest": ("test", ":app"), "p.Lib": ("main", ":lib")}
    assert {method for owner, method in methods(bundle) if owner == "p.Lib"} == {"<init>", "f"}, "properties are found"


@extended
@pytest.mark.parametrize("gradle", gradle_params("path", "7.6.4"), indirect=True)
def test_ctrl_c_ends_the_profiling(tmp_path: Path, gradle: str, repository: Path) -> None:
    waits = 'new java.io.File("waiting").createNewFile(); Thread.sleep(200000);'
    project = write(
        tmp_path / "p",
        {
            "settings.gradle": settings(repository),
            "build.gradle": PLUGINS.format(junit=JUNIT, navitas=NAVITAS),
            "src/test/java/p/ATest.java": junit_class("ATest", waits),
        },
    )
    command = start(["navitasProfile"], cwd=project, program=gradle)
    try:
        command.wait_until((project / "waiting").exists)
        ended = command.interrupt(signal.SIGINT)
        assert ended.code != 0
        command.check_nothing_left()
    finally:
        command.close()


@extended
@pytest.mark.parametrize(("gradle", "name"), fixture_params("b"), indirect=["gradle"])
def test_an_android_build_applies_the_printed_block(
    tmp_path: Path, gradle: str, repository: Path, name: str, android_sdk: Path
) -> None:
    """Builds with other plugins: test_probe_switch.py."""
    project = copy_project(name, tmp_path)
    apply_plugin(project, repository)
    code, said = gradle_run(gradle, project, "navitasProfile", "--dry-run", "-Pnavitas.variant=demoDebug")
    assert code == 0, said
    assert ":app:navitasBundleDemoDebug SKIPPED" in said
    assert ":app:navitasProfile SKIPPED" in said


@extended
def test_a_build_uses_the_installed_plugin_and_command(tmp_path: Path, any_gradle: str) -> None:
    project = tmp_path / "ci"
    shutil.copytree(ROOT / "examples" / "ci", project, ignore=shutil.ignore_patterns("build", ".gradle"))
    build = project / "build.gradle"
    build.write_text(
        build.read_text().replace("plugins { id 'java' }", "plugins { id 'java'\n id 'org.navitas' version '0.1.0' }")
        + "navitas {\n tests 'PrimesTest#*'\n repeat = 2\n}\n"
    )
    places = "pluginManagement { repositories {\n mavenLocal()\n gradlePluginPortal()\n} }\n"
    (project / "settings.gradle").write_text(f"{places}rootProject.name = 'primes'\n")
    plugin, profile = "navitas plugin", "gradle navitasProfile"
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "gradle").symlink_to(any_gradle)
    (bin_folder / "navitas").symlink_to(NAVITAS)
    home = tmp_path / "home"
    local = f"-Dmaven.repo.local={home / '.m2' / 'repository'}"  # Java reads the home folder from the system, not from HOME
    # A daemon of other tests may have another PATH.
    registry = f"-Dorg.gradle.daemon.registry.base={tmp_path / 'daemons'}"
    without = [folder for folder in os.environ["PATH"].split(os.pathsep) if not Path(folder, "navitas").exists()]
    env = {
        **os.environ,
        "HOME": str(home),
        "GRADLE_USER_HOME": os.environ.get("GRADLE_USER_HOME", str(Path.home() / ".gradle")),
        "GRADLE_OPTS": f"{local} {registry}",
        "PATH": os.pathsep.join([str(bin_folder), *without]),
    }

    def run(step: str) -> tuple[int, str]:
        done = subprocess.run(step, shell=True, cwd=project, env=env, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    try:
        code, said = run(plugin)
        assert code == 0, said
        (bin_folder / "navitas").rename(tmp_path / "navitas")
        code, said = run(profile)
        assert code == 1
        assert "there is no `navitas` on PATH" in said
        assert "`gradle --stop`" in said
        env["PATH"] = f"{tmp_path}{os.pathsep}{env['PATH']}"
        run("gradle --stop")
        code, said = run(profile)
        assert code == 0, said
    finally:
        run("gradle --stop")
    assert "navitas-gradle-plugin" in str(list(home.rglob("*.jar")))
    report = json.loads((project / "build/navitas/report.json").read_text("utf-8"))
    assert {test["method"] for test in report["tests"]} == {"byDivision", "bySieve"}
    assert all(test["status"] == "passed" and test["energy_j"] > 0 for test in report["tests"])
    assert (project / "build/navitas/exit-code.txt").read_text() == "0\n"
