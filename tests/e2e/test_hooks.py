"""Hooks from the command line to the report: bytes of each API call, its place in the calls, and the work of a thread pool."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.command_line import NAVITAS
from support.gradle_builds import Build, contents
from support.gradle_projects import compiled, java_project, main_class
from support.lab import Lab

from navitas.capture.device.adb import AdbDevice
from navitas.recording.parse.apis import API_SOURCE
from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.parsed_recording import ParsedRecording, parse_recording
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
      // The virtual phone knows that a connection stays on it while both ends are open.
      try (Socket socket = new Socket("127.0.0.1", server.getLocalPort())) {
        socket.getOutputStream().write(new byte[12345]);
        socket.shutdownOutput();
        thread.join();
      }
    }
  }
}
"""
USES_TEST = """package p;
public class UsesTest {
  @org.junit.Test public void uses() throws Exception {
    java.io.File file = java.io.File.createTempFile("uses", "");
    new Uses().write(file);
    new Uses().read(file);
    new Uses().send();
    file.delete();
    new q.L().f();
  }
}
"""
POOL = """package p;
import java.io.*;
import java.util.concurrent.*;
public class Pool {
  private final ExecutorService pool = Executors.newFixedThreadPool(2);
  volatile int sink;
  void burn(int milliseconds) {
    long end = System.nanoTime() + milliseconds * 1_000_000L;
    while (System.nanoTime() < end) { sink = spin(); }
  }
  int spin() { int x = 0; for (int i = 0; i < 2_000_000; i++) { x += i * i; } return x; }
  void store(int bytes) {
    try {
      File file = File.createTempFile("handed", "");
      try (FileOutputStream out = new FileOutputStream(file)) { out.write(new byte[bytes]); }
      file.delete();
    } catch (IOException e) { throw new UncheckedIOException(e); }
  }
  void longTask(CountDownLatch done) { pool.execute(() -> { burn(100); store(4000); done.countDown(); }); }
  void shortTask(CountDownLatch done) { pool.execute(() -> { burn(20); done.countDown(); }); }
  void startThread() throws Exception { Thread thread = new Thread(() -> burn(50), "burner"); thread.start(); thread.join(); }
  void end() { pool.shutdown(); }
}
"""
POOL_TEST = """package p;
import java.util.concurrent.*;
public class PoolTest {
  @org.junit.Test public void pool() throws Exception {
    Pool pool = new Pool();
    CountDownLatch done = new CountDownLatch(4);
    pool.startThread();
    for (int i = 0; i < 2; i++) { pool.longTask(done); pool.shortTask(done); }
    done.await();
    pool.end();
  }
}
"""
LIBRARY = main_class(
    "L", 'try { return new java.io.FileInputStream("none").read(); } catch (java.io.IOException e) { return 0; }'
).replace("package p", "package q")


def write_project(folder: Path) -> Path:
    """Write a project whose tests move bytes and hand work to other threads, with a library that reads a file."""
    with zipfile.ZipFile(folder / "library.jar", "w") as jar:
        jar.write(compiled(folder / "library", {"q/L.java": LIBRARY}) / "q/L.class", "q/L.class")
    build = "group = 'org.example'\ndependencies { implementation files('../library.jar') }\n"
    classes = {"Uses": USES, "Pool": POOL, "UsesTest": USES_TEST, "PoolTest": POOL_TEST}
    return java_project(folder / "uses", classes, build)


@dataclass(frozen=True)
class Recorded:
    """The result of `navitas profile --record hooks`."""

    parsed: ParsedRecording
    report: dict[str, Any]
    printed: str


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_project(tmp_path_factory.mktemp("hooked"))


@pytest.fixture(scope="module", params=["events", pytest.param("folded", marks=pytest.mark.extended)])
def recorded(request: pytest.FixtureRequest, project: Path, any_gradle: str) -> Recorded:
    if not NAVITAS.is_file():
        pytest.skip("navitas is not installed: make setup")
    out, report = project.parent / request.param, project.parent / f"{request.param}.json"
    options = ["--gradle", any_gradle, "--record", "hooks", "--mode", request.param, "-o", str(out), "--json", str(report)]
    done = subprocess.run([str(NAVITAS), "profile", str(project), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Recorded(parse_recording(open_recording(out)), json.loads(report.read_text("utf-8")), done.stdout)


@pytest.fixture(scope="module")
def plain(any_gradle: str, phone: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """The project, built without hooks."""
    folder = tmp_path_factory.mktemp("plain")
    return Lab(phone, Build(write_project(folder), any_gradle).bundles, folder)


def test_each_byte_is_recorded_at_its_call(recorded: Recorded) -> None:
    (run,) = recorded.parsed.runs
    assert run.calls.hooks is not None and run.calls.handoffs is not None
    amounts: Counter[str] = Counter()
    for kind, amount in zip(run.calls.hooks.kind.tolist(), run.calls.hooks.amount.tolist(), strict=True):
        amounts[HookKind(kind).name.lower()] += amount
    assert amounts == {"file_write": 7000 + 2 * 4000, "file_read": 7000, "loopback_write": 12345, "loopback_read": 12345}
    assert ((run.start_ns <= run.calls.hooks.start_ns) & (run.calls.hooks.end_ns <= run.end_ns)).all()
    methods = recorded.parsed.method_table.methods
    called = {f"{methods[row].class_name}#{methods[row].name}" for row in apis_of(recorded.parsed)}
    assert {
        "java.io.FileOutputStream#write",
        "java.nio.file.Files#read",
        "java.net.Socket#read",
        "java.net.Socket#write",
    } <= called
    for index, thread in enumerate(run.threads):
        nodes = set(run.calls.hooks.node[run.calls.hooks.thread == index].tolist()) - {-1}
        assert nodes <= set(thread.folded.node.tolist())
    # The thread of `send`, that of `startThread`, and four tasks of the pool.
    assert [run.threads[index].name for index in run.calls.handoffs.origin.tolist()] == ["main"] * 6
    assert not recorded.parsed.losses


def apis_of(parsed: ParsedRecording) -> set[int]:
    """Return the rows of all API calls of the only run."""
    rows: set[int] = set()
    for thread in parsed.runs[0].threads:
        rows |= {*thread.calls.whole().method.tolist(), *thread.folded.method.tolist()}
    return {row for row in rows if parsed.method_table.methods[row].source == API_SOURCE}


def test_the_report_names_the_methods_that_handed_work_over(recorded: Recorded) -> None:
    handed = {one["name"]: one for one in recorded.report["handed_work"] if one["class"] == "p.Pool"}
    assert {name: one["tasks"] for name, one in handed.items()} == {"longTask": 2, "shortTask": 2, "startThread": 1}
    assert handed["longTask"]["run_ns"] >= 2 * 100_000_000 and handed["startThread"]["run_ns"] >= 50_000_000
    assert handed["startThread"]["threads"] == ["burner"]
    assert all(name.startswith("pool-") for name in handed["longTask"]["threads"])
    assert all(one["energy_j"] > 0 for one in handed.values())
    (test,) = (test for test in recorded.report["tests"] if test["class"] == "p.PoolTest")
    threads_j = sum(thread["energy_j"] for thread in test["threads"] if thread["name"].startswith(("pool-", "burner")))
    assert sum(one["energy_j"] for one in handed.values()) <= threads_j * (1 + 1e-9)
    assert "Work handed to other threads" in recorded.printed and "p.Pool.longTask" in recorded.printed


def test_sampling_records_calls_alone(tmp_path: Path, project: Path, any_gradle: str, phone: AdbDevice) -> None:
    lab = Lab(phone, Build(project, any_gradle, hooks=True).bundles, tmp_path)
    parsed = parse_recording(open_recording(lab.profile(name="sampling", record="sampling").outcome.recording))
    assert parsed.runs[0].calls.hooks is None and parsed.runs[0].calls.handoffs is None
    assert apis_of(parsed)


def test_a_bundle_without_hooks_is_named(plain: Lab) -> None:
    warnings = plain.profile(name="no hooks", record="hooks").profile.warnings
    (remedy,) = (each.remedy for each in warnings if each.code == "no_hooks")
    assert "-Pnavitas.hooks=true" in remedy


def test_hooks_are_a_choice_of_the_build(plain: Lab, any_gradle: str) -> None:
    made = plain.folder / "uses"
    first = contents(plain.bundles[0])
    hooked, all_hooked, again = (
        contents(Build(made, any_gradle, **options).bundles[0])
        for options in ({"hooks": True}, {"hooks": True, "hook_libraries": True}, {})
    )
    assert again == first
    assert hooked["classes/p/Uses.class"] != first["classes/p/Uses.class"]
    assert b"org/navitas/hooks/" not in first["classes/p/Uses.class"]
    jars = [{name.partition("-")[2] for name in files if name.startswith("lib/")} for files in (hooked, first)]
    assert jars[0] - jars[1] == {"navitas-hooks.jar"}
    assert [json.loads(files["bundle.json"])["hooks"] for files in (hooked, first)] == [True, False]
    for files, is_hooked in ((hooked, False), (all_hooked, True)):
        (packed,) = [data for name, data in files.items() if name.endswith("library.jar")]
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            assert (b"org/navitas/hooks/" in archive.read("q/L.class")) == is_hooked
