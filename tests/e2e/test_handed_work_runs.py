"""Work of a pool, from the command line to the JSON report: it names the method that started it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.command_line import NAVITAS
from support.gradle_projects import JUNIT, write

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
  void longTask(CountDownLatch done) { pool.execute(() -> { burn(300); store(4000); done.countDown(); }); }
  void shortTask(CountDownLatch done) { pool.execute(() -> { burn(20); done.countDown(); }); }
  void startThread() throws Exception { Thread thread = new Thread(() -> burn(100), "burner"); thread.start(); thread.join(); }
  void end() { pool.shutdown(); }
}
"""
TEST = """package p;
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

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {
        "settings.gradle": "rootProject.name = 'pool'\n",
        "build.gradle": f"apply plugin: 'java'\ngroup = 'org.example'\n{JUNIT}",
        "src/main/java/p/Pool.java": POOL,
        "src/test/java/p/PoolTest.java": TEST,
    }
    return write(tmp_path_factory.mktemp("pool") / "pool", files)


@pytest.mark.parametrize("mode", ["events", "folded"])
def test_the_report_names_the_methods_that_handed_work_over(tmp_path: Path, project: Path, any_gradle: str, mode: str) -> None:
    if not NAVITAS.is_file():
        pytest.skip("navitas is not installed: make setup")
    report = tmp_path / "report.json"
    options = ["-o", str(tmp_path / "rec"), "--record", "hooks", "--mode", mode, "--json", str(report)]
    command = [str(NAVITAS), "profile", str(project), "--gradle", any_gradle, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(report.read_text("utf-8"))
    handed = {one["name"]: one for one in found["handed_work"]}
    assert set(handed) == {"longTask", "shortTask", "startThread"}
    assert {name: one["tasks"] for name, one in handed.items()} == {"longTask": 2, "shortTask": 2, "startThread": 1}
    assert handed["longTask"]["run_ns"] >= 2 * 300_000_000 and handed["startThread"]["run_ns"] >= 100_000_000
    assert handed["startThread"]["threads"] == ["burner"]
    assert all(name.startswith("pool-") for name in handed["longTask"]["threads"])
    assert all(one["energy_j"] > 0 for one in handed.values())
    (test,) = found["tests"]
    threads_j = sum(thread["energy_j"] for thread in test["threads"] if thread["name"].startswith(("pool-", "burner")))
    assert sum(one["energy_j"] for one in handed.values()) <= threads_j * (1 + 1e-9)
    assert "Work handed to other threads" in done.stdout and "p.Pool.longTask" in done.stdout
