"""A Gradle project whose test starts many threads, one after another. Each makes one call."""

from __future__ import annotations

from pathlib import Path

from support.gradle_projects import java_project

_TEST = """
package p;
public class ThreadsTest {
  static final java.lang.management.ThreadMXBean CLOCK = java.lang.management.ManagementFactory.getThreadMXBean();
  static volatile long cpuNanos;
  static void work() {
    long value = 1;
    for (int i = 0; i < 20000; i++) value = value * 31 + i;
    cpuNanos += CLOCK.getCurrentThreadCpuTime() + (value == 0 ? 1 : 0);
  }
  @org.junit.Test public void oneShots() throws Exception {
    for (int i = 0; i < %d; i++) {
      Thread thread = new Thread(ThreadsTest::work, "one-shot-" + i);
      thread.start();
      thread.join();
    }
    java.nio.file.Files.write(java.nio.file.Paths.get("cpu.txt"), Long.toString(cpuNanos).getBytes());
  }
}
"""


def one_shot_threads(root: Path, threads: int) -> Path:
    """Write the project. Its test writes the threads' CPU time, by their clocks, to `cpu.txt`."""
    return java_project(root, {"ThreadsTest": _TEST % threads})
