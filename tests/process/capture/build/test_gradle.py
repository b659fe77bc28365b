"""Gradle as a child process: how it is found, read and ended. Errors include its last lines and a remedy."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
from pathlib import Path

import pytest
from support.bundle_maker import ANDROID_FILES, ANDROID_MANIFEST, FILES, MANIFEST, make
from support.command_line import eventually
from support.host import has_ended
from support.interruptible import interruptible

from navitas.base.errors import BuildError, ExitCode, UsageError
from navitas.capture.build import gradle as driver
from navitas.capture.build.gradle import BuildOptions, build_bundles, find_gradle
from navitas.capture.build.process import run_streaming
from navitas.capture.bundle.manifest import AndroidManifest
from navitas.capture.bundle.reader import open_bundles


@pytest.fixture(autouse=True)
def plugin_jar(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests do not run the plugin, so its jar can be any file."""
    path = tmp_path_factory.mktemp("jars") / "navitas-gradle-plugin.jar"
    path.write_bytes(b"jar")
    monkeypatch.setattr(driver, "jar", lambda name: path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "my project"
    folder.mkdir()
    (folder / "build.gradle").write_text("apply plugin: 'java'\n")
    return folder


def fake_gradle(folder: Path, script: str, name: str = "gradle") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def report(module: str, kind: str, bundle: Path | None = None, **more: object) -> str:
    line = "navitas-project " + json.dumps({"module": module, "kind": kind, "bundle": bundle and str(bundle), **more})
    return f"cat <<'END'\n{line}\nEND"


def test_bundles_are_found_by_the_plugins_output(tmp_path: Path, project: Path) -> None:
    first = make(tmp_path / "bündel a.zip", FILES)
    other = json.dumps({**MANIFEST, "package": "org.example.lib", "module": ":lib"})
    second = make(tmp_path / "b.zip", {**FILES, "bundle.json": other})
    script = "\n".join([report(":lib", "java", second), "echo compiling", report(":", "other"), report(":app", "java", first)])
    lines: list[str] = []
    bundles = build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script))), on_line=lines.append)
    assert [bundle.path for bundle in bundles] == [first, second]
    assert lines == ["compiling"]


def test_gradle_gets_the_right_arguments(tmp_path: Path, project: Path) -> None:
    bundle = make(tmp_path / "b.zip", FILES)
    script = f'echo "$PWD"; for a in "$@"; do echo "$a"; done\n{report(":app", "java", bundle)}'
    lines: list[str] = []
    build_bundles(
        project,
        BuildOptions(
            gradle=str(fake_gradle(tmp_path, script)),
            module="app",
            instrument_tests=False,
            include=["a.**", "b.C"],
            exclude=["a.x.*", "a.My Test#adds 1, 2"],
            skip_trivial=True,
            hooks=True,
            hook_libraries=True,
            block_edits=tmp_path / "edits.txt",
        ),
        on_line=lines.append,
    )
    assert lines[0] == str(project)
    assert lines[-1] == ":app:navitasReport"
    assert "--console=plain" in lines
    assert Path(lines[lines.index("--init-script") + 1]).read_text().startswith("//")
    assert lines[lines.index("-p") + 1] == str(project)
    for wanted in (
        "-Pnavitas.instrumentTests=false",
        "-Pnavitas.include=a.**,b.C",
        "-Pnavitas.exclude=a.x.*,a.My Test#adds 1* 2",
        "-Pnavitas.skipTrivial=true",
        "-Pnavitas.hooks=true",
        "-Pnavitas.hookLibraries=true",
        f"-Pnavitas.blockEdits={tmp_path / 'edits.txt'}",
    ):
        assert wanted in lines


@pytest.mark.parametrize(("module", "task"), [(None, "navitasReport"), (":", ":navitasReport"), (":a:b", ":a:b:navitasReport")])
def test_a_module_is_named_by_its_path(tmp_path: Path, project: Path, module: str | None, task: str) -> None:
    script = f'for a in "$@"; do echo "$a"; done\n{report(":app", "java", make(tmp_path / "b.zip", FILES))}'
    lines: list[str] = []
    build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script)), module=module), on_line=lines.append)
    assert lines[-1] == task
    assert not any("instrumentTests" in line or "include" in line for line in lines)


def test_a_failed_build_shows_its_last_lines(tmp_path: Path, project: Path) -> None:
    script = "for i in $(seq 1 100); do echo line $i; done; printf '\\n* Try:\\nadvice\\n' >&2; exit 7"
    gradle = str(fake_gradle(tmp_path, script))
    with pytest.raises(BuildError) as caught:
        build_bundles(project, BuildOptions(gradle=gradle))
    assert "exit code 7" in caught.value.message
    assert str(project) in caught.value.message
    shown = caught.value.message.splitlines()
    assert shown[-1].strip() == "line 100"
    assert len(shown) <= 22
    assert "advice" not in caught.value.message
    assert f"`{gradle} testClasses`" in caught.value.remedy  # names the Gradle, because the one on PATH may be the wrong one
    assert "--gradle" in caught.value.remedy


def test_a_failed_build_of_an_app_names_no_tests(tmp_path: Path, project: Path) -> None:
    gradle = str(fake_gradle(tmp_path, "exit 7"))
    with pytest.raises(BuildError) as caught:
        build_bundles(project, BuildOptions(gradle=gradle), app_only=True)
    assert (
        caught.value.remedy == f"Make `{gradle} assembleDebug` work in this project first, or name another Gradle with --gradle."
    )


def test_a_mangled_report_is_shown(tmp_path: Path, project: Path) -> None:
    with pytest.raises(BuildError, match=r"the Gradle plugin printed 'navitas-project \{\}'"):
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, "echo 'navitas-project {}'"))))


def test_a_gradle_too_old_for_the_junit_platform_is_reported(tmp_path: Path, project: Path) -> None:
    noise = 'openjdk version "17.0.1" 2021-10-19\nOpenJDK Runtime Environment (build 17)\nOpenJDK 64-Bit Server VM (build 17)'
    said = f"{noise}\nnavitas-gradle 4.4.1\n> Could not find method useJUnitPlatform() for arguments [] on task ':test'"
    gradle = str(fake_gradle(tmp_path, f"cat <<'END'\n{said}\nEND\nexit 1"))
    with pytest.raises(BuildError) as caught:
        build_bundles(project, BuildOptions(gradle=gradle))
    assert "Gradle 4.4.1" in caught.value.message and "4.6" in caught.value.message and gradle in caught.value.message
    assert "gradlew" in caught.value.remedy and "--gradle" in caught.value.remedy
    other = fake_gradle(tmp_path, f"cat <<'END'\n{noise}\n* What went wrong:\nEND\nexit 1", "other")
    with pytest.raises(BuildError) as caught:
        build_bundles(project, BuildOptions(gradle=str(other)))
    assert "OpenJDK" not in caught.value.message and "openjdk" not in caught.value.message


def test_a_java_without_compiler_requires_a_jdk(tmp_path: Path, project: Path) -> None:
    script = "echo '> Toolchain installation does not provide the required capabilities: [JAVA_COMPILER]'; exit 1"
    with pytest.raises(BuildError) as caught:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script))))
    assert "JDK" in caught.value.remedy


def test_a_build_that_applies_the_plugin_requires_it(tmp_path: Path, project: Path) -> None:
    lines = r"Plugin [id: 'org.navitas', version: '0.1.0'] was not found in any of the following sources:\n\n- Gradle"
    with pytest.raises(BuildError, match="was not found in any") as caught:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, f'printf "{lines}\\n"; exit 1'))))
    assert "navitas plugin" in caught.value.remedy


def test_an_unknown_module_is_a_usage_error(tmp_path: Path, project: Path) -> None:
    script = "echo \"Project 'nope' not found in root project 'x'.\"; exit 1"
    with pytest.raises(UsageError, match="nope") as caught:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script)), module=":nope"))
    assert caught.value.exit_code is ExitCode.USAGE


def test_an_unknown_test_task_is_a_usage_error(tmp_path: Path, project: Path) -> None:
    with pytest.raises(UsageError, match="no module has a test task 'nope'") as caught:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, report(":", "java", None))), test_task="nope"))
    assert "--test-task" in caught.value.remedy


def android_bundle(path: Path, module: str = ":app", **changes: object) -> Path:
    manifest = {**ANDROID_MANIFEST, "module": module, **changes}
    return make(path, {**ANDROID_FILES, "bundle.json": json.dumps(manifest)})


def test_android_bundles_are_recognized_by_their_kind(tmp_path: Path, project: Path) -> None:
    made = android_bundle(tmp_path / "app.zip")
    script = 'for a in "$@"; do echo "$a"; done\n' + report(":app", "android", made, variant="demoDebug", framework=["/a.jar"])
    lines: list[str] = []
    provided: list[Path] = []
    (bundle,) = build_bundles(
        project,
        BuildOptions(gradle=str(fake_gradle(tmp_path, script)), variant="demoDebug"),
        virtual=False,
        provide=provided.extend,
        on_line=lines.append,
    )
    assert isinstance(bundle.manifest, AndroidManifest)
    assert bundle.manifest.apks.app[0].file == "app.apk"
    assert bundle.extract("test.apk", tmp_path / "test.apk").read_bytes() == ANDROID_FILES["test.apk"]
    assert provided == [Path("/a.jar")]
    assert {"-Pnavitas.variant=demoDebug", "-Pnavitas.jvm=false", "-Pnavitas.framework=true"} <= set(lines)


@pytest.mark.parametrize(
    ("variant", "words"),
    [(None, "several variants: demoDebug, fullDebug"), ("demoRelease", "no module has a variant 'demoRelease'")],
)
def test_the_user_chooses_a_variant(tmp_path: Path, project: Path, variant: str | None, words: str) -> None:
    script = "\n".join(report(":app", "android", variant=name) for name in ("fullDebug", "demoDebug"))
    with pytest.raises(UsageError, match=words) as error:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script)), variant=variant))
    assert "demoDebug" in error.value.remedy


def test_a_build_without_probes_is_a_usage_error(tmp_path: Path, project: Path) -> None:
    off = "gets no probes, because of navitas { enabled = false }: remove this"
    script = "\n".join([report(":app", "java", left_out=off), report(":", "other")])
    with pytest.raises(
        UsageError, match=r"nothing to profile: the module :app gets no probes, because of navitas \{ enabled = false \}"
    ):
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script))))
    bundle = make(tmp_path / "b.zip", FILES)
    script = "\n".join([report(":app", "java", left_out=off), report(":lib", "java", bundle)])
    said: list[str] = []
    made = build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script))), on_left_out=said.append)
    assert [one.path for one in made] == [bundle]
    assert said == [f"the module :app {off}"]


def test_a_module_without_any_variant_with_probes_is_named_and_other_variants_of_a_measured_one_are_not(
    tmp_path: Path, project: Path
) -> None:
    bundle = make(tmp_path / "b.zip", FILES)
    why = "has no probes in release, because it is not debuggable"
    lines = [report(":app", "android", variant="release", left_out=why), report(":lib", "android", bundle, variant="debug")]
    script = "\n".join([*lines, report(":lib", "android", variant="release", left_out=why)])
    said: list[str] = []
    build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script))), on_left_out=said.append)
    assert said == [f"the module :app {why}"]


def test_an_app_without_tests_is_offered_for_recording(tmp_path: Path, project: Path) -> None:
    app = report(":app", "android", has_app=True)
    with pytest.raises(BuildError, match="no instrumentation tests") as error:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, app))))
    assert error.value.remedy.endswith(f"or record a use of the app: navitas record {project}")
    script = "\n".join([app, report(":tests", "android", left_out="is a separate module of tests")])
    with pytest.raises(UsageError, match="nothing to profile: the module :tests is a separate module of tests") as refused:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script))))
    assert f"navitas record {project}" in refused.value.remedy
    with pytest.raises(UsageError, match="has no Android app to record"):
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, report(":lib", "android")))), app_only=True)


@pytest.mark.parametrize("variant", [None, "release"])
def test_a_variant_without_probes_is_not_a_choice(tmp_path: Path, project: Path, variant: str | None) -> None:
    script = report(":app", "android", variant="release", left_out="has no probes in release, because it is not debuggable")
    with pytest.raises(UsageError, match="nothing to profile: the module :app has no probes in release"):
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script)), variant=variant))


def test_an_unknown_variant_is_refused_before_the_build(tmp_path: Path, project: Path) -> None:
    known = ["demoDebug (:app)", "fullDebug (:app)"]
    said = "navitas-failure " + json.dumps({"code": "no_variant", "variant": "x", "known": known})
    with pytest.raises(UsageError, match=r"no module has a variant 'x' with tests$") as error:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, f"echo '{said}'; exit 1")), variant="x"))
    assert error.value.remedy == "name one with --variant: demoDebug (:app), fullDebug (:app)"


def test_a_build_without_an_sdk_says_how_to_name_one(tmp_path: Path, project: Path) -> None:
    with pytest.raises(BuildError, match="SDK location not found") as error:
        build_bundles(
            project, BuildOptions(gradle=str(fake_gradle(tmp_path, "echo '> SDK location not found. Define …'; exit 1")))
        )
    assert "ANDROID_HOME" in error.value.remedy


def test_a_build_with_missing_sdk_packages_says_how_to_install_them(tmp_path: Path, project: Path) -> None:
    script = "echo '> Failed to find target with hash string android-35 in: /sdk'; exit 1"
    with pytest.raises(BuildError, match="android-35") as error:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script))))
    assert "sdkmanager" in error.value.remedy


def test_a_failed_build_names_an_untested_android_plugin(tmp_path: Path, project: Path) -> None:
    warning = "navitas: :app: Android Gradle Plugin 9.9.9 is untested with Navitas (tested: 8.4.2)"
    script = f"echo '{warning}'; echo '{warning}'; for i in $(seq 50); do echo line $i; done; exit 1"
    with pytest.raises(BuildError) as error:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, script))))
    assert str(error.value).count(warning) == 1
    assert "line 50" in str(error.value)


def test_an_android_bundle_names_only_its_own_files(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"'mapping\.txt', which is not in it"):
        open_bundles([android_bundle(tmp_path / "a.zip", mapping="mapping.txt")])
    with pytest.raises(BuildError, match="leaves the bundle"):
        open_bundles([android_bundle(tmp_path / "b.zip", jvm="../jvm.zip")])


@pytest.mark.parametrize(
    ("kind", "words"), [("java", "no tests"), ("android", "no instrumentation tests"), ("other", "`java` plugin")]
)
def test_a_project_without_bundles_reports_the_reason(tmp_path: Path, project: Path, kind: str, words: str) -> None:
    with pytest.raises(BuildError, match=words) as caught:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, report(":", kind)))))
    assert caught.value.remedy


@pytest.mark.parametrize("kind", ["java", "android"])
def test_modules_without_tests_are_named(tmp_path: Path, project: Path, kind: str) -> None:
    with pytest.raises(BuildError, match=r"tests to profile \(searched: :app, :lib\)"):
        build_bundles(
            project,
            BuildOptions(gradle=str(fake_gradle(tmp_path, "\n".join(report(module, kind) for module in (":lib", ":app"))))),
        )


def test_two_modules_of_one_package_are_refused(tmp_path: Path, project: Path) -> None:
    paths = []
    for module in (":a:app", ":b:app"):
        files = {**FILES, "bundle.json": json.dumps({**MANIFEST, "module": module})}
        paths.append(report(module, "java", make(tmp_path / f"{module.replace(':', '-')}.zip", files)))
    with pytest.raises(BuildError, match=":a:app and :b:app"):
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, "\n".join(paths)))))


def test_an_unknown_line_of_the_plugin_is_an_error(tmp_path: Path, project: Path) -> None:
    with pytest.raises(BuildError, match="navitas-project"):
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, "echo 'navitas-project {}'; sleep 60"))))


def test_a_folder_without_a_gradle_project_is_a_usage_error(tmp_path: Path) -> None:
    for folder, reported in ((tmp_path, "not a Gradle project"), (tmp_path / "missing", "no such folder")):
        with pytest.raises(UsageError, match=reported) as caught:
            build_bundles(folder)
        assert caught.value.remedy


def test_gradle_is_searched_in_order(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path = fake_gradle(tmp_path / "bin", "")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_gradle(project, None) == [str(on_path)]
    wrapper = fake_gradle(project, "", "gradlew")
    wrapper.chmod(0o644)
    assert find_gradle(project, None) == ["sh", str(wrapper)]
    installed = fake_gradle(tmp_path / "gradle-9" / "bin", "")
    assert find_gradle(project, str(tmp_path / "gradle-9")) == [str(installed)]
    assert find_gradle(project, str(installed)) == [str(installed)]
    assert find_gradle(project, "gradle") == [str(on_path)]


def test_a_module_uses_the_wrapper_of_the_whole_build(tmp_path: Path) -> None:
    module = tmp_path / "build" / "a" / "b"
    module.mkdir(parents=True)
    (tmp_path / "build" / "settings.gradle").write_text("")
    wrapper = fake_gradle(tmp_path / "build", "", "gradlew")
    fake_gradle(tmp_path, "", "gradlew")
    assert find_gradle(module, None) == ["sh", str(wrapper)]
    wrapper.unlink()
    assert str(tmp_path / "gradlew") not in find_gradle_or_nothing(module)


@pytest.mark.parametrize("is_link", [False, True])
def test_another_users_wrapper_above_the_project_is_not_run(tmp_path: Path, is_link: bool) -> None:
    """In a folder such as /tmp, every user can create a wrapper above a project or bundle that has none."""
    if os.getuid() != 0:
        pytest.skip("only root can give a file to another user")
    project = tmp_path / "shared" / "project"
    project.mkdir(parents=True)
    wrapper = fake_gradle(tmp_path / "shared", "", "gradlew")
    if is_link:
        wrapper.rename(tmp_path / "real")
        wrapper.symlink_to(tmp_path / "real")
    os.chown(wrapper, 65534, 65534, follow_symlinks=False)
    for near in (project, project.parent):
        assert str(wrapper) not in find_gradle_or_nothing(near)
    os.chown(project, 65534, 65534)
    assert find_gradle(project, None) == ["sh", str(wrapper)], "the project belongs to that user, so its code runs anyway"


def find_gradle_or_nothing(project: Path) -> list[str]:
    try:
        return find_gradle(project, None)
    except BuildError:
        return []


def test_no_gradle_is_reported_with_a_remedy(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="no Gradle") as caught:
        find_gradle(project, None)
    assert "apt install gradle" in caught.value.remedy
    with pytest.raises(UsageError, match="/not/there"):
        find_gradle(project, "/not/there")


def test_no_java_is_reported_with_a_remedy(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(BuildError, match="JAVA_HOME") as caught:
        build_bundles(project, BuildOptions(gradle=str(fake_gradle(tmp_path, ""))))
    assert "JDK" in caught.value.remedy


def test_a_gradle_that_cannot_be_started_is_reported(project: Path, tmp_path: Path) -> None:
    broken = fake_gradle(tmp_path, "")
    broken.write_text("#!/not/an/interpreter\n")
    with pytest.raises(BuildError, match="cannot be started"):
        build_bundles(project, BuildOptions(gradle=str(broken)))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here")
@pytest.mark.parametrize("ignores", ["", "trap '' TERM;"], ids=["willing", "stubborn"])
def test_an_interrupted_build_leaves_no_process(tmp_path: Path, ignores: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.capture.build.process._GRACE_S", 0.5)
    sleep = shutil.which("sleep")
    script = fake_gradle(tmp_path, f"{ignores} {sleep} 300 & echo $!; echo $$; wait; {sleep} 300")
    pids: list[int] = []

    def take(line: str) -> None:
        pids.append(int(line))
        if len(pids) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_streaming([str(script)], cwd=tmp_path, on_line=take)
    assert len(pids) == 2
    assert eventually(lambda: all(map(has_ended, pids)))


def test_ctrl_c_reaches_gradle(tmp_path: Path) -> None:
    script = fake_gradle(tmp_path, "echo started; sleep 300")
    started = threading.Event()

    def interrupt() -> None:
        started.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with interruptible(), pytest.raises(KeyboardInterrupt):
        run_streaming([str(script)], cwd=tmp_path, on_line=lambda line: started.set())


def test_binary_output_does_no_harm(tmp_path: Path) -> None:
    lines: list[str] = []
    script = fake_gradle(tmp_path, "printf 'a\\377b\\r\\nlast'; exit 3")
    assert run_streaming([str(script)], cwd=tmp_path, on_line=lines.append) == 3
    assert lines == ["a\ufffdb", "last"]
