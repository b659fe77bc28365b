"""Hooks from the command line to the tables: bytes of each API call, its place in the calls, and handed-over work."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from support.command_line import NAVITAS
from support.gradle_builds import Build, contents
from support.gradle_projects import JUNIT, main_class, write

from navitas.parse.apis import API_SOURCE
from navitas.parse.hook_calls import HookKind
from navitas.parse.parsed_recording import ParsedRecording, parse_recording
from navitas.recording.store import open_recording

USES = """package p;
import java.io.*;
import java.net.*;
import java.nio.file.*;
public class Uses {
  void write(File file) throws IOException {
    try (FileOutputStream out = new FileOutputStream(file)) {
      for (int i = 0; i < 7; i++) { out.write(new byte[1000]); }
    }
  }
  int read(File file) throws IOException { return Files.readAllBytes(file.toPath()).length; }
  void send() throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      Thread thread = new Thread(() -> {
        try (Socket socket = server.accept()) {
          InputStream in = socket.getInputStream();
          while (in.read(new byte[500]) >= 0) { }
        } catch (IOException e) { throw new UncheckedIOException(e); }
      });
      thread.start();
      try (Socket socket = new Socket("127.0.0.1", server.getLocalPort())) { socket.getOutputStream().write(new byte[12345]); }
      thread.join();
    }
  }
}
"""
TEST = """package p;
public class UsesTest {
  @org.junit.Test public void uses() throws Exception {
    java.io.File file = java.io.File.createTempFile("uses", "");
    new Uses().write(file);
    new Uses().read(file);
    new Uses().send();
    file.delete();
  }
}
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {
        "settings.gradle": "rootProject.name = 'uses'\n",
        "build.gradle": f"apply plugin: 'java'\ngroup = 'org.example'\n{JUNIT}",
        "src/main/java/p/Uses.java": USES,
        "src/test/java/p/UsesTest.java": TEST,
    }
    return write(tmp_path_factory.mktemp("uses") / "uses", files)


def recorded(project: Path, gradle: str, out: Path, *options: str) -> ParsedRecording:
    profiled(str(project), "--gradle", gradle, "-o", str(out), *options)
    return parse_recording(open_recording(out))


def profiled(*arguments: str) -> str:
    """Run `navitas profile`, and return what it prints on standard error."""
    if not NAVITAS.is_file():
        pytest.skip("navitas is not installed: make setup")
    command = [str(NAVITAS), "profile", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("mode", ["events", "folded"])
def test_each_byte_is_recorded_at_its_call(tmp_path: Path, project: Path, any_gradle: str, mode: str) -> None:
    parsed = recorded(project, any_gradle, tmp_path / "rec", "--record", "hooks", "--mode", mode)
    (run,) = parsed.runs
    assert run.hooks is not None and run.handoffs is not None
    amounts: Counter[str] = Counter()
    for kind, amount in zip(run.hooks.kind.tolist(), run.hooks.amount.tolist(), strict=True):
        amounts[HookKind(kind).name.lower()] += amount
    assert amounts == {"file_write": 7000, "file_read": 7000, "loopback_write": 12345, "loopback_read": 12345}
    assert ((run.start_ns <= run.hooks.start_ns) & (run.hooks.end_ns <= run.end_ns)).all()
    methods = parsed.method_table.methods
    called = {f"{methods[row].class_name}#{methods[row].name}" for row in apis_of(parsed)}
    assert {
        "java.io.FileOutputStream#write",
        "java.nio.file.Files#read",
        "java.net.Socket#read",
        "java.net.Socket#write",
    } <= called
    for index, thread in enumerate(run.threads):
        nodes = set(run.hooks.node[run.hooks.thread == index].tolist()) - {-1}
        assert nodes <= set(thread.folded.node.tolist())
    assert [run.threads[index].name for index in run.handoffs.origin.tolist()] == ["main"]
    assert not parsed.losses


def apis_of(parsed: ParsedRecording) -> set[int]:
    """Return the rows of all API calls of the only run."""
    rows: set[int] = set()
    for thread in parsed.runs[0].threads:
        rows |= {*thread.calls.whole().method.tolist(), *thread.folded.method.tolist()}
    return {row for row in rows if parsed.method_table.methods[row].source == API_SOURCE}


def test_sampling_records_calls_alone(tmp_path: Path, project: Path, any_gradle: str) -> None:
    parsed = recorded(project, any_gradle, tmp_path / "rec", "--record", "sampling")
    assert parsed.runs[0].hooks is None and parsed.runs[0].handoffs is None
    assert apis_of(parsed)


def test_hooks_are_a_choice_of_the_build(project: Path, any_gradle: str) -> None:
    hooked = contents(Build(project, any_gradle, hooks=True).bundles[0])
    plain = contents(Build(project, any_gradle).bundles[0])
    again = contents(Build(project, any_gradle, hooks=True).bundles[0])
    assert hooked == again
    assert hooked["classes/p/Uses.class"] != plain["classes/p/Uses.class"]
    assert b"org/navitas/hooks/" not in plain["classes/p/Uses.class"]
    jars = [{name.partition("-")[2] for name in files if name.startswith("lib/")} for files in (hooked, plain)]
    assert jars[0] - jars[1] == {"navitas-hooks.jar"}
    assert [json.loads(files["bundle.json"])["hooks"] for files in (hooked, plain)] == [True, False]


def test_a_bundle_without_hooks_is_named(tmp_path: Path, project: Path, any_gradle: str) -> None:
    (bundle,) = Build(project, any_gradle).bundles
    profiled("--bundle", str(bundle.path), "--record", "hooks", "-o", str(tmp_path / "rec"), "--json", str(tmp_path / "json"))
    warnings = json.loads((tmp_path / "json").read_text())["warnings"]
    (remedy,) = (each["remedy"] for each in warnings if each["code"] == "no_hooks")
    assert "-Pnavitas.hooks=true" in remedy


def test_libraries_are_hooked_on_request(tmp_path: Path, any_gradle: str) -> None:
    body = 'try { return new java.io.FileInputStream("x").read(); } catch (java.io.IOException e) { return 0; }'
    sources = {
        "settings.gradle": "",
        "build.gradle": "apply plugin: 'java'\n",
        "src/main/java/q/L.java": main_class("L", body).replace("package p", "package q"),
    }
    library = write(tmp_path / "library", sources)
    subprocess.run([any_gradle, "-q", "-p", str(library), "jar"], check=True, capture_output=True)
    jar = next((library / "build" / "libs").glob("*.jar"))
    files = {
        "settings.gradle": "rootProject.name = 'app'\n",
        "build.gradle": f"apply plugin: 'java'\n{JUNIT}dependencies {{ implementation files('{jar}') }}\n",
        "src/main/java/p/A.java": main_class("A", "return new q.L().f();"),
        "src/test/java/p/ATest.java": TEST.replace("UsesTest", "ATest").partition("java.io")[0] + "}}\n",
    }
    app = write(tmp_path / "app", files)
    for options, is_hooked in (({}, False), ({"hook_libraries": True}, True)):
        bundle = Build(app, any_gradle, hooks=True, **options).bundles[0]
        entries = contents(bundle)
        (packed,) = [data for name, data in entries.items() if name.endswith(jar.name)]
        path = tmp_path / "packed.jar"
        path.write_bytes(packed)
        with zipfile.ZipFile(path) as archive:
            assert (b"org/navitas/hooks/" in archive.read("q/L.class")) == is_hooked
