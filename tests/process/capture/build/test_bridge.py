"""The instrumenter's JVM, seen from Python: its results, its failures, its end."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError
from support.command_line import eventually
from support.host import has_ended

from navitas.base.errors import BuildError
from navitas.capture.build.bridge import InstrumenterBridge, InstrumentInput, InstrumentOptions
from navitas.capture.build.java import JARS, find_java
from navitas.recording.parse.apis import FIRST_API

INCLUDE_PY4J = InstrumentOptions(includes=("py4j.**",))


@pytest.fixture(scope="module")
def bridge_jar() -> Path:
    jar = JARS / "navitas-bridge.jar"
    if not jar.is_file():
        pytest.skip("navitas-bridge.jar is not built: make jars")
    return jar


@pytest.fixture
def classes(tmp_path: Path, bridge_jar: Path) -> Path:
    """Return a folder of real classes: py4j's, from the bridge's jar. Its name is not ASCII."""
    folder = tmp_path / "klassen ü→"
    with zipfile.ZipFile(bridge_jar) as jar:
        jar.extractall(folder, [name for name in jar.namelist() if name.startswith("py4j/commands/")])
    return folder


def fake_java(folder: Path, script: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    return java


def test_one_jvm_instruments_several_times(tmp_path: Path, classes: Path) -> None:
    inputs = [InstrumentInput(classes, tmp_path / "out", "test", ":app")]
    with InstrumenterBridge() as bridge:
        first = bridge.instrument(inputs, INCLUDE_PY4J, tmp_path / "map.json")
        second = bridge.instrument(inputs, INCLUDE_PY4J, tmp_path / "map.json")
    assert first.classes > 10
    assert first.rewritten == second.reused > 0
    assert first.reused == second.rewritten == 0
    assert first.warnings == ()
    method_map = json.loads((tmp_path / "map.json").read_text())
    assert method_map["schema_version"] == 1
    assert method_map["map_id"] == first.map_id == second.map_id
    assert len(method_map["classes"]) == first.classes
    assert len(method_map["skipped"]) == first.skipped
    ids = {method["id"] for method in method_map["methods"]}
    assert len(ids) == len(method_map["methods"]) == first.methods
    assert min(ids) >= 0 and max(ids) < FIRST_API
    assert {(each["source"], each["module"]) for each in method_map["classes"]} == {("test", ":app")}
    assert (tmp_path / "out/META-INF/navitas/map.properties").read_text() == f"map_id={first.map_id}\n"


def test_warnings_are_returned(tmp_path: Path, classes: Path) -> None:
    (classes / "Broken.class").write_text("nonsense")
    with InstrumenterBridge() as bridge:
        summary = bridge.instrument([InstrumentInput(classes, tmp_path / "out")], InstrumentOptions(), tmp_path / "map.json")
    assert summary.warnings == (f"skipped, malformed class file: {classes}@Broken.class (not a class file)",)


def test_a_failure_names_file_and_cause_and_the_jvm_continues(tmp_path: Path, classes: Path) -> None:
    with InstrumenterBridge() as bridge:
        with pytest.raises(BuildError, match="none: no such file or folder") as caught:
            bridge.instrument([InstrumentInput(tmp_path / "none", tmp_path / "out")], InstrumentOptions(), tmp_path / "map.json")
        assert caught.value.remedy
        bridge.instrument([InstrumentInput(classes, tmp_path / "out")], INCLUDE_PY4J, tmp_path / "map.json")


def test_a_crashed_jvm_is_reported_with_its_last_output(tmp_path: Path, classes: Path) -> None:
    with InstrumenterBridge() as bridge:
        assert bridge._process is not None
        bridge._process.kill()
        bridge._process.wait()
        with pytest.raises(BuildError, match=r"stopped while it was working \(exit code -9\)"):
            bridge.instrument([InstrumentInput(classes, tmp_path / "out")], INCLUDE_PY4J, tmp_path / "map.json")


def test_an_unsuitable_java_is_reported(tmp_path: Path, bridge_jar: Path) -> None:
    java = fake_java(tmp_path, "echo 'Error: this is no JVM' >&2; echo '\tat some.Frame' >&2; exit 3")
    with (
        pytest.raises(BuildError, match=r"could not start \(exit code 3\)\n  Error: this is no JVM$") as caught,
        InstrumenterBridge(java),
    ):
        pass
    assert "Java" in caught.value.remedy


def test_unexpected_output_of_java_is_reported(tmp_path: Path, bridge_jar: Path) -> None:
    with pytest.raises(BuildError, match="could not start"), InstrumenterBridge(fake_java(tmp_path, "echo '[1]'")):
        pass


def test_a_missing_java_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="no Java found") as caught:
        find_java()
    assert "JDK" in caught.value.remedy


def test_java_home_takes_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(BuildError, match="has no bin/java"):
        find_java()
    java = fake_java(tmp_path, "exit 0")
    assert find_java() == java


def test_only_the_token_opens_the_gateway(bridge_jar: Path) -> None:
    with InstrumenterBridge() as bridge:
        port = bridge._gateway.gateway_parameters.port
        for token in (None, "wrong"):
            stranger = JavaGateway(gateway_parameters=GatewayParameters(address="127.0.0.1", port=port, auth_token=token))
            with pytest.raises(Py4JError):
                stranger.jvm.java.lang.System.currentTimeMillis()
            stranger.close()


def test_the_jvm_ends_with_the_block(bridge_jar: Path) -> None:
    with InstrumenterBridge() as bridge:
        process = bridge._process
    assert process is not None
    assert process.returncode == 0


def test_the_jvm_ends_when_its_parent_is_killed(bridge_jar: Path) -> None:
    script = (
        "import os, signal\nfrom navitas.capture.build.bridge import InstrumenterBridge\n"
        "with InstrumenterBridge() as bridge:\n"
        "    print(bridge._process.pid, flush=True)\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    assert eventually(lambda: has_ended(int(done.stdout)))
