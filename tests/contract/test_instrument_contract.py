"""`am instrument`: AndroidJUnitRunner's status protocol, and runs that crash, hang or cannot start.

From AOSP's Instrument.java, Am.java and BaseCommand.java, and AndroidX Test's InstrumentationResultPrinter.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from navitas.capture.build.java import JARS
from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.base import Device

PACKAGE = "org.navitas.contract"
COMPONENT = f"{PACKAGE}/org.navitas.phone.InstrumentMain"
SOURCE = """
package t;
import org.junit.*;
import org.junit.runners.MethodSorters;
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class Outcomes {
    @Test public void aPasses() { System.out.println("hello from a test"); }
    @Test public void bFails() { throw new AssertionError("first line\\nsecond line"); }
    @Test public void cIsAssumed() { Assume.assumeTrue("not here", false); }
    @Ignore("later") @Test public void dIsIgnored() { }
    @Test public void eThrows() { throw new IllegalStateException("wrong state"); }
    public static class Crash {
        @Test public void aPasses() { }
        @Test public void bCrashes() { Runtime.getRuntime().halt(3); }
    }
    public static class Hang {
        @Test public void never() throws Exception { Thread.sleep(600000); }
    }
}
"""


def _junit() -> list[Path]:
    repository = Path.home() / ".m2" / "repository"
    patterns = ("junit/junit/4.1[23]*/junit-4*.jar", "org/hamcrest/hamcrest-core/1.3/*-1.3.jar")
    jars = [jar for pattern in patterns for jar in repository.glob(pattern)]
    return [jar for jar in jars if not jar.name.endswith(("-sources.jar", "-javadoc.jar"))]


@pytest.fixture(scope="module")
def installed(jvm: str, virtual: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdbDevice]:
    """The virtual phone with a package whose tests have every outcome."""
    jars = _junit()
    if len({jar.name.partition("-")[0] for jar in jars}) < 2 or shutil.which("javac") is None:
        pytest.skip("no javac, or no JUnit 4 in the local Maven repository: make setup")
    if not (JARS / "navitas-phone.jar").is_file():
        pytest.skip("the jars are not built: make jars")
    folder = tmp_path_factory.mktemp("outcomes")
    (folder / "Outcomes.java").write_text(SOURCE)
    class_path = ":".join(map(str, jars))
    command = ["javac", "-nowarn", "-cp", class_path, "-d", str(folder / "classes"), str(folder / "Outcomes.java")]
    subprocess.run(command, check=True)
    manifest = {
        "schema_version": 1, "package": PACKAGE, "module": ":", "project": "p", "map_id": "0" * 16,
        "test_roots": ["test-classes"],
        "class_path": ["test-classes", *(f"lib/{jar.name}" for jar in jars)], "working_dir": "/", "jvm_args": [],
        "system_properties": {}, "environment": {}, "java_home": None, "warnings": [],
    }  # fmt: skip
    with zipfile.ZipFile(folder / "p.bundle.zip", "w") as archive:
        archive.writestr("bundle.json", json.dumps(manifest))
        for found in (folder / "classes").rglob("*.class"):
            archive.write(found, f"test-classes/{found.relative_to(folder / 'classes')}")
        for jar in jars:
            archive.write(jar, f"lib/{jar.name}")
    virtual.install([folder / "p.bundle.zip"])
    yield virtual
    virtual.uninstall(PACKAGE)


def bundles(text: str) -> list[tuple[dict[str, str], str, int]]:
    """The bundles of a raw stream: values (with continuation lines), kind, code."""
    found = []
    values: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        if match := re.fullmatch(r"INSTRUMENTATION_(STATUS_CODE|CODE): (-?\d+)", line):
            found.append((values, match.group(1), int(match.group(2))))
            values, key = {}, ""
        elif match := re.fullmatch(r"INSTRUMENTATION_(?:STATUS|RESULT): (\w+)=(.*)", line):
            key = match.group(1)
            values[key] = match.group(2)
        else:
            values[key] += "\n" + line
    assert not values
    return found


def test_every_outcome_has_a_status_code(installed: AdbDevice) -> None:
    installed.shell("logcat -c")
    found = installed.shell(f"am instrument -w -r -e class t.Outcomes {COMPONENT}", timeout_s=120)
    assert (found.exit_code, found.stderr) == (0, b"")
    *tests, (result, kind, code) = bundles(found.text)
    assert [(values["test"], number) for values, _, number in tests] == [
        ("aPasses", 1), ("aPasses", 0), ("bFails", 1), ("bFails", -2), ("cIsAssumed", 1), ("cIsAssumed", -4),
        ("dIsIgnored", 1), ("dIsIgnored", -3), ("eThrows", 1), ("eThrows", -2),
    ]  # fmt: skip
    for number, (values, _, _) in enumerate(tests):
        assert (values["class"], values["numtests"], values["current"]) == ("t.Outcomes", "5", str(number // 2 + 1))
        assert values["id"] == "AndroidJUnitRunner" and list(values) == sorted(values)
    stack = tests[3][0]["stack"]
    assert stack.startswith("java.lang.AssertionError: first line\nsecond line\n\tat t.Outcomes.bFails(Outcomes.java:")
    assert tests[5][0]["stack"].startswith("org.junit.AssumptionViolatedException: not here")
    assert (kind, code) == ("CODE", -1)
    assert re.search(r"Time: [\d.,]+\n.*FAILURES!!!\nTests run: 4,  Failures: 2", result["stream"], re.DOTALL)
    assert "I/System.out: hello from a test\n" in installed.shell("logcat -d -v tag -s System.out").text


def test_without_r_only_texts_are_printed(installed: AdbDevice) -> None:
    text = installed.shell(f"am instrument -w -e class t.Outcomes#aPasses {COMPONENT}", timeout_s=120).text
    assert "INSTRUMENTATION_" not in text
    assert re.fullmatch(r"\nt\.Outcomes:\.\n+Time: [\d.,]+\n\nOK \(1 test\)\n\n\n", text), text


def test_a_crash_leaves_the_test_unfinished(installed: AdbDevice) -> None:
    found = installed.shell(f"am instrument -w -r -e class 't.Outcomes$Crash' {COMPONENT}", timeout_s=120)
    *tests, last = bundles(found.text)
    assert found.exit_code == 0
    assert [(values["test"], number) for values, _, number in tests] == [("aPasses", 1), ("aPasses", 0), ("bCrashes", 1)]
    assert last == ({"shortMsg": "Process crashed."}, "CODE", 0)


def test_a_hang_ends_with_force_stop(installed: AdbDevice) -> None:
    with installed.stream(f"am instrument -w -r -e class 't.Outcomes$Hang' {COMPONENT}") as stream:
        lines = []
        for line in stream.lines():
            lines.append(line)
            if line == b"INSTRUMENTATION_STATUS_CODE: 1":
                assert installed.shell(f"pidof {PACKAGE}").exit_code == 0
                installed.shell(f"am force-stop {PACKAGE}")
    assert lines[-2:] == [b"INSTRUMENTATION_RESULT: shortMsg=Process crashed.", b"INSTRUMENTATION_CODE: 0"]
    assert installed.shell(f"pidof {PACKAGE}").exit_code == 1


def test_the_package_manager_lists_the_instrumentation(installed: AdbDevice) -> None:
    assert f"instrumentation:{COMPONENT} (target={PACKAGE})\n" in installed.shell("pm list instrumentation").text
    assert f"package:{PACKAGE}\n" in installed.shell("pm list packages").text
    assert installed.shell(f"pm path {PACKAGE}").text.startswith("package:/data/app/")
    assert installed.shell(f"run-as {PACKAGE} sh -c 'pwd; id -un; cat /proc/stat'").exit_code == 1
    text = installed.shell(f"run-as {PACKAGE} sh -c 'pwd; echo kept > files/x; cat files/x; ls -l files'").text
    assert re.fullmatch(rf"/data/data/{PACKAGE}\nkept\ntotal \d+\n-rw\S+ 1 u0_a\d+ u0_a\d+ 5 .* x\n", text), text
    assert installed.shell(f"cat /data/data/{PACKAGE}/files/x").exit_code == 1
    assert installed.shell(f"pm clear {PACKAGE}; run-as {PACKAGE} ls files").text == "Success\n"


@pytest.mark.parametrize("flags", ["-w -r", "-w", ""])
def test_an_unknown_instrumentation_is_reported(device: Device, flags: str) -> None:
    found = device.shell(f"am instrument {flags} org.navitas.none/x.Runner", timeout_s=60)
    failed = "INSTRUMENTATION_FAILED: org.navitas.none/x.Runner"
    status = (
        "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{org.navitas.none/x.Runner}\n"
        "INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS_CODE: -1\n"
    )
    raw = f"onError: commandError=true message={failed}\n"
    assert found.text == (status if "-w" in flags else "") + (raw if "-r" in flags else "")
    assert found.exit_code == 1
    assert found.stderr.decode().startswith(
        f"android.util.AndroidException: {failed}\n\tat com.android.commands.am.Instrument.run("
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-w org.navitas.none", "Error: No instrumentation found for: org.navitas.none\n"),
        ("-w -e", 'Error: Argument expected after "-e"\n'),
        ("-w --nonsense x/y", "Error: Unknown option: --nonsense\n"),
    ],
)
def test_invalid_arguments_are_reported_with_status_0(device: Device, arguments: str, message: str) -> None:
    found = device.shell(f"am instrument {arguments}", timeout_s=60)
    assert found.exit_code == 0
    assert found.stderr.decode().endswith(message)
