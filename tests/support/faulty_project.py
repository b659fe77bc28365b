"""A small Gradle project whose tests pass, fail, crash and wait."""

from __future__ import annotations

from pathlib import Path

from support.gradle_projects import JUNIT, write

_TEST = """
package p;
import java.nio.file.*;
public class FaultyTest {
  static volatile long sink;
  static final java.lang.management.ThreadMXBean CLOCK = java.lang.management.ManagementFactory.getThreadMXBean();
  // Also on a machine that has little time for it: others, such as the recording's writer, then get theirs meanwhile.
  static void burn(int millis) {
    long end = System.nanoTime() + millis * 1000000L;
    long cpuEnd = CLOCK.getCurrentThreadCpuTime() + millis * 800000L;
    while (System.nanoTime() < end || CLOCK.getCurrentThreadCpuTime() < cpuEnd) sink = sink * 31 + 1;
  }
  static void done(String what) throws Exception { Files.write(Paths.get(what), new byte[0]); }
  static int leaf(int i) { return i; }
  @org.junit.Test public void passes() { burn(50); }
  @org.junit.Test public void fails() { burn(50); throw new IllegalStateException("as it should"); }
  static void die(int milliseconds) { burn(milliseconds); Runtime.getRuntime().halt(9); }
  @org.junit.Test public void dies() { die(1200); }
  @org.junit.Test public void waits() throws Exception { burn(1200); done("waiting"); Thread.sleep(600000); }
  @org.junit.Test public void removesItsData() throws Exception {
    burn(50);
    String app = System.getProperty("navitas.sysRoot") + "/data/data/" + System.getProperty("navitas.process");
    for (java.io.File file : new java.io.File(app, "files/navitas").listFiles()) file.delete();
    burn(50);
  }
  @org.junit.Test public void acrossAClockThatIsSet() throws Exception {
    burn(700);
    done("before");
    while (!Files.exists(Paths.get("after"))) Thread.sleep(5);
    burn(700);
  }
  @org.junit.Test public void callsOften() { for (int i = 0; i < 200000; i++) sink += leaf(i); }
  @org.junit.Test public void callsMuch() { for (int i = 0; i < 3000000; i++) sink += leaf(i); }
}
"""


def faulty_project(root: Path, build: str = "") -> Path:
    """Write the project. Its test `waits` creates the file `waiting` after a second of work."""
    return write(
        root,
        {
            "settings.gradle": "rootProject.name = 'faulty'\n",
            "build.gradle": f"apply plugin: 'java'\ngroup = 'org.example'\n{JUNIT}{build}",
            "src/test/java/p/FaultyTest.java": _TEST,
        },
    )
