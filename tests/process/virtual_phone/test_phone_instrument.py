"""`am instrument` on the virtual phone, with a shell script in place of Java."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from bundle_maker import bundle, fake_java
from phone_harness import Output, on_phone, run
from support.host import has_ended
from support.null_kernel import NullKernel
from test_phone_packages import install

from navitas.capture.build import java
from navitas.virtual_phone.host_java import class_path_argument
from navitas.virtual_phone.phone import Phone

COMPONENT = "org.example.app/org.navitas.phone.InstrumentMain"
RUN = f"am instrument -w -r {COMPONENT}"
PASSING = (
    "cat <<'END'\nINSTRUMENTATION_STATUS: class=a.B\nINSTRUMENTATION_STATUS: stream=\na.B:\nINSTRUMENTATION_STATUS: test=t\n"
    "INSTRUMENTATION_STATUS_CODE: 1\nINSTRUMENTATION_STATUS: class=a.B\nINSTRUMENTATION_STATUS: stream=.\n"
    "INSTRUMENTATION_STATUS_CODE: 0\nINSTRUMENTATION_RESULT: stream=\n\nOK (1 test)\n\n\nINSTRUMENTATION_CODE: -1\nEND\n"
)


@pytest.fixture(autouse=True)
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "navitas-phone.jar").touch()
    monkeypatch.setattr(java, "JARS", tmp_path)


def with_java(tmp_path: Path, script: str, action: Callable[[Phone], Awaitable[None]], **changes: object) -> None:
    """Install a package whose JVM is a script, then run `action`."""

    async def installed(phone: Phone) -> None:
        home = fake_java(tmp_path / "java", script)
        phone.app_host.jdks.allow(home)
        await install(phone, bundle(**{"java_home": home, **changes}))
        await action(phone)

    on_phone(tmp_path / "phone", installed, jdks=tmp_path / "jdks")


@pytest.mark.parametrize(("log", "begin"), [("true", ["-XX:TieredStopAtLevel=1"]), ("false", [])])
def test_the_command_line_of_the_jvm(tmp_path: Path, log: str, begin: list[str]) -> None:
    """Only a JVM that lists tests, and measures nothing, has another compiler than the build's."""
    (tmp_path / "module").mkdir()

    async def action(phone: Phone) -> None:
        found = await run(phone, f"am instrument -w -r -e class 'a.B#c d' -e log {log} {COMPONENT}")
        root, code = phone.files.root, phone.files.root / "data/app/org.example.app"
        expected = [
            *begin,
            "-Xmx64m",
            "-Da=b",
            "-Dnavitas.testFramework=junit-platform",
            "-Dnavitas.scanForTestClasses=true",
            "-Dnavitas.includeEngines=",
            "-Dnavitas.excludeEngines=",
            "-Dnavitas.includeTags=fast,a & b",
            "-Dnavitas.excludeTags=slow",
            f"-Dnavitas.testRoots={code}/test-classes",
            f"-Dnavitas.sysRoot={root}",
            "-Dnavitas.process=org.example.app",
            "-Dnavitas.uid=10100",
            f"-Dnavitas.log={root}/dev/socket/logdw",
            "-Dnavitas.stream=/dev/fd/N",
            "-cp",
            os.pathsep.join([str(tmp_path / "navitas-phone.jar"), f"{code}/test-classes", f"{code}/classes"]),
            "org.navitas.phone.InstrumentMain",
            *("class", "a.B#c d", "log", log),
        ]
        printed = re.sub(r"(stream=/dev/fd/)\d+", r"\1N", found.stdout.decode()).splitlines()
        assert printed[: len(expected) + 2] == [*expected, "yes", str(tmp_path / "module")]

    task = {"framework": "junit-platform", "include_tags": ["fast", "a & b"], "exclude_tags": ["slow"]}
    script = 'printf "%s\\n" "$@" "$FROM_BUNDLE" "$PWD"'
    with_java(tmp_path, script, action, working_dir=str(tmp_path / "module"), test_task=task)


def test_a_crash_of_the_jvm_is_logged_with_its_last_output(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        found = await run(phone, RUN)
        assert found.stdout == (
            b"INSTRUMENTATION_STATUS_CODE: 1\nINSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"
        )
        log = (await run(phone, "logcat -d -v tag,uid -s AndroidRuntime:E")).stdout
        assert log == b"--------- beginning of main\nE/AndroidRuntime: fatal\nE/AndroidRuntime: words\n"

    with_java(tmp_path, "echo INSTRUMENTATION_STATUS_CODE: 1; echo fatal >&2; echo words >&2; kill -9 $$", action)


def test_a_jvm_that_does_not_start_is_reported_with_the_reason(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        said = (await run(phone, RUN)).stdout
        assert said == b"INSTRUMENTATION_RESULT: shortMsg=Invalid heap size Error: no JVM\nINSTRUMENTATION_CODE: 0\n"

    script = "(echo Picked up JAVA_TOOL_OPTIONS: x; echo Invalid heap size; echo; echo Error: no JVM) >&2; exit 1"
    with_java(tmp_path, script, action)


def test_a_command_line_that_is_too_long_is_reported(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        assert b"is longer than 128 KiB" in (await run(phone, RUN)).stdout

    with_java(tmp_path, "exit 1", action, system_properties={"a": "x" * 200_000})


def test_a_class_path_too_long_for_a_command_line_is_passed_in_a_jar(tmp_path: Path) -> None:
    program, javac = shutil.which("java"), shutil.which("javac")
    if program is None or javac is None:
        pytest.skip("no JDK: make system")
    names = [f"lib {number:04d} ü" for number in range(3000)]
    for name in names:
        (tmp_path / name).mkdir()
    source = tmp_path / "A.java"
    source.write_text("public class A { public static void main(String[] a) { B.run(); } }")
    (tmp_path / "B.java").write_text("class B { static void run() { System.out.print(1234); } }")
    subprocess.run([javac, "-d", names[-1], "A.java", "B.java"], cwd=tmp_path, check=True)
    (tmp_path / names[-1] / "B.class").rename(tmp_path / names[0] / "B.class")
    entries = [tmp_path / name for name in names]
    argument = class_path_argument(tmp_path / "first.jar", entries, tmp_path / "all.jar")
    assert argument == os.pathsep.join([str(tmp_path / "first.jar"), str(tmp_path / "all.jar")])
    done = subprocess.run([program, "-cp", argument, "A"], capture_output=True, text=True, check=True)
    assert done.stdout == "1234"


def test_children_of_a_jvm_do_not_block_its_end(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        assert (await run(phone, RUN)).stdout == b"INSTRUMENTATION_CODE: -1\n"

    with_java(tmp_path, "sleep 600 & echo INSTRUMENTATION_CODE: -1", action)


def test_processes_that_a_test_leaves_do_not_block_the_run_and_are_killed(tmp_path: Path) -> None:
    """One child has its own session and all outputs of the JVM; another has other outputs. Both outlast the limit of a test."""

    async def action(phone: Phone) -> None:
        assert (await run(phone, RUN)).stdout == b"INSTRUMENTATION_CODE: -1\n"
        pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
        assert len(pids) == 2
        while not all(map(has_ended, pids)):  # killed, but the kernel may need some time
            await asyncio.sleep(0.02)

    left = f"echo \\$\\$ >> {tmp_path}/pids; exec sleep 6000"
    script = f"""setsid sh -c "{left}" &
        setsid sh -c "{left}" > /dev/null 2>&1 < /dev/null &
        while [ "$(wc -l < {tmp_path}/pids)" != 2 ]; do sleep 0.05; done
        echo INSTRUMENTATION_CODE: -1"""
    with_java(tmp_path, script, action)


def test_output_of_the_test_is_logged_and_not_in_the_stream(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        assert (await run(phone, RUN)).stdout == b"INSTRUMENTATION_CODE: -1\n"
        log = (await run(phone, "logcat -d -v tag -s stdout:I")).stdout
        assert log.endswith(b"I/stdout  : INSTRUMENTATION_CODE: 0\n"), log

    with_java(tmp_path, "exec 3>&1 1>&2; echo INSTRUMENTATION_CODE: 0; echo INSTRUMENTATION_CODE: -1 >&3", action)


def test_all_output_of_the_jvm_is_read(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        lines = (await run(phone, RUN)).stdout.splitlines()
        assert lines == [str(number).encode() for number in range(1, 50_001)] + [b"INSTRUMENTATION_CODE: -1"]

    with_java(tmp_path, "seq 50000; echo INSTRUMENTATION_CODE: -1", action)


def test_the_kernel_counts_the_process_and_force_stop_kills_it(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        kernel = phone.kernel
        assert isinstance(kernel, NullKernel)
        running = asyncio.create_task(run(phone, RUN))
        while not kernel.pids:
            await asyncio.sleep(0.02)
        (pid,) = kernel.pids
        assert (await run(phone, "pidof org.example.app")).stdout == f"{pid}\n".encode()
        await run(phone, "am force-stop org.example.app")
        assert (await running).stdout.endswith(b"shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n")
        assert kernel.pids == set()

    with_java(tmp_path, "sleep 600", action)


def test_the_process_ends_with_the_command_that_waits_for_it(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        started = tmp_path / "pid"
        running = asyncio.create_task(run(phone, RUN))
        while not started.exists() or not started.read_text():
            await asyncio.sleep(0.02)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        with pytest.raises(ProcessLookupError):
            os.kill(int(started.read_text()), 0)

    with_java(tmp_path, f"echo $$ > {tmp_path}/pid; sleep 600", action)


def test_without_w_the_process_continues(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        assert await run(phone, f"am instrument -r {COMPONENT}") == Output(0, b"", b"")
        while not (tmp_path / "done").exists():
            await asyncio.sleep(0.02)

    with_java(tmp_path, f"sleep 0.2; touch {tmp_path}/done", action)


def test_unknown_packages_and_runners_are_reported(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        for component in ("org.none/x.Y", "org.example.app/androidx.test.runner.AndroidJUnitRunner"):
            found = await run(phone, f"am instrument -w -r {component}")
            assert found.status == 1
            assert b"Error=Unable to find instrumentation info for: ComponentInfo{" + component.encode() + b"}" in found.stdout
            assert b"onError: commandError=true message=INSTRUMENTATION_FAILED: " + component.encode() in found.stdout

    with_java(tmp_path, "exit 1", action)


def test_a_missing_jar_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "JARS", tmp_path / "none")

    async def action(phone: Phone) -> None:
        assert b"none/navitas-phone.jar is missing: In a source checkout, run `make jars`" in (await run(phone, RUN)).stdout

    with_java(tmp_path, "exit 1", action)


WARNING = "INSTRUMENTATION_STATUS: navitas.warning="


def warnings_of(output: Output) -> list[str]:
    return [line.removeprefix(WARNING) for line in output.stdout.decode().splitlines() if line.startswith(WARNING)]


def run_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, allowed: bool, **changes: object) -> tuple[list[str], bool]:
    """Run a bundle while another Java is the default. Returns the phone's warnings, and whether the default Java ran."""
    default = fake_java(tmp_path / "default", f"touch {tmp_path}/ran\n{PASSING}")
    monkeypatch.setenv("JAVA_HOME", default)

    async def action(phone: Phone) -> list[str]:
        if allowed:
            phone.app_host.jdks.allow(str(changes["java_home"]))
        await install(phone, bundle(**changes))
        found = await run(phone, RUN)
        assert b"INSTRUMENTATION_CODE: -1" in found.stdout
        return warnings_of(found)

    warned = on_phone(tmp_path / "phone", action, jdks=tmp_path / "jdks")
    return warned, (tmp_path / "ran").exists()


@pytest.mark.parametrize("allowed", [True, False])
def test_a_bundles_jdk_runs_only_if_the_owner_of_the_phone_allows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: bool
) -> None:
    home = fake_java(tmp_path / "own", PASSING)
    warned, by_default = run_bundle(tmp_path, monkeypatch, allowed=allowed, java_home=home)
    assert by_default is not allowed
    assert len(warned) == (0 if allowed else 1)
    if not allowed:
        assert home in warned[0] and "has not allowed" in warned[0] and str(tmp_path / "default") in warned[0]


def test_a_missing_jdk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (warned,), by_default = run_bundle(tmp_path, monkeypatch, allowed=True, java_home="/none/jdk")
    assert by_default and "/none/jdk" in warned and "no such JDK" in warned


def test_a_jdk_that_another_user_can_replace_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to another user")
    home = fake_java(tmp_path / "evil", f"touch {tmp_path}/evil-ran\n{PASSING}")
    os.chown(Path(home) / "bin", 65534, 65534)
    (warned,), by_default = run_bundle(tmp_path, monkeypatch, allowed=True, java_home=home)
    assert by_default and f"{home}/bin belongs to another user" in warned
    assert not (tmp_path / "evil-ran").exists()


def test_a_link_to_the_default_java_is_the_default_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to("default")
    assert run_bundle(tmp_path, monkeypatch, allowed=False, java_home=str(tmp_path / "link")) == ([], True)


@pytest.mark.parametrize("folder", ["/none/module", "module"])
def test_a_missing_working_folder_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    (warned,), _ = run_bundle(tmp_path, monkeypatch, allowed=False, java_home=None, working_dir=folder)
    assert f"working folder {folder} does not exist" in warned
