"""A Gradle project whose test makes many short calls and measures the time of each method. A later test makes one call."""

from __future__ import annotations

from pathlib import Path

from support.gradle_projects import java_project

_TEST = """
package p;
@org.junit.FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)
public class SplitTest {
  static long ones, threes, deeps;
  static void spin(long nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) { }
  }
  static void one() { spin(12_000); }
  static void three() { spin(36_000); }
  static void deep(int depth) { spin(4_000); if (depth > 1) deep(depth - 1); }
  static void none() { }
  @org.junit.Test public void split() throws Exception {
    for (int i = 0; i < %d; i++) {
      long a = System.nanoTime();
      one();
      long b = System.nanoTime();
      three();
      long c = System.nanoTime();
      deep(3);
      long d = System.nanoTime();
      none();
      ones += b - a; threes += c - b; deeps += d - c;
    }
    java.nio.file.Files.write(java.nio.file.Paths.get("spent.txt"), (ones + " " + threes + " " + deeps).getBytes());
  }
  @org.junit.Test public void then() { none(); }
}
"""


def split_calls(root: Path, rounds: int) -> Path:
    """Write the project. Its test writes the nanoseconds in `one`, `three` and `deep` to `spent.txt`."""
    return java_project(root, {"SplitTest": _TEST % rounds})
