"""A git repository of a small Gradle project, in whose history one commit adds work to one method."""

from __future__ import annotations

import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROUNDS = 100
METHODS = {"Hasher": "hash", "Scrambler": "scramble", "Encoder": "encode"}
TEST = "org.example.PipelineTest#runs"

_BUILD = """apply plugin: 'java'
repositories { mavenCentral() }
dependencies { testImplementation 'junit:junit:4.13.2' }
tasks.withType(JavaCompile) {
  sourceCompatibility = '1.8'
  targetCompatibility = '1.8'
  options.compilerArgs << '-Xlint:-options'
}
"""
# Each step needs the result of the one before it. The time of other work depends on what else uses the core: the same sorting
# took 0.95 or 1.3 ms on a host that shares its cores with others.
_WORK = {
    "Hasher": "for (int i = 0; i < 500; i++) { sum = (sum ^ (seed + i)) * 1099511628211L; }",
    "Scrambler": "for (int i = 0; i < 300; i++) { seed ^= seed << 13; seed ^= seed >>> 7; seed ^= seed << 17; } sum += seed;",
    "Encoder": "for (int i = 0; i < 500; i++) { seed = seed * 6364136223846793005L + 1442695040888963407L; } sum += seed;",
}
_CLASS = """package org.example;

/** {comment} */
public final class {name} {{
  static final int ROUNDS = {rounds};

  public long {method}(long seed) {{
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {{
      {work}
    }}
    return sum;
  }}
{extra}}}
"""
_TEST = """package org.example;

import static org.junit.Assert.assertTrue;
import org.junit.BeforeClass;
import org.junit.Test;

public class PipelineTest {
  private static volatile long result;

  /** Warms up outside of the test: until all code is compiled, the energy of runs differs by up to 15 %. */
  @BeforeClass public static void warmUp() {
    for (long end = System.nanoTime() + 800_000_000L; System.nanoTime() < end; ) {
      result = run(10);
    }
  }

  @Test public void runs() {
    assertTrue(run(2000) != 42);
  }

  private static long run(int calls) {
    Hasher hasher = new Hasher();
    Scrambler scrambler = new Scrambler();
    Encoder encoder = new Encoder();
    long sum = 0;
    for (int i = 0; i < calls; i++) {
      sum += hasher.hash(i) + scrambler.scramble(i) + encoder.encode(i);
    }
    return sum;
  }
}
"""


@dataclass(frozen=True, slots=True)
class SeededHistory:
    """A repository with a first commit, tagged `good`, and `count` further ones. Commit `index` (from 1) added the work."""

    project: Path
    index: int
    commit: str
    method: str


def seeded_history(folder: Path, seed: int, *, count: int = 32, percent: int = 10) -> SeededHistory:
    """Make a repository in a new folder."""
    chance = random.Random(seed)
    index = chance.randint(1, count)
    changed = chance.choice(sorted(METHODS))
    rounds = dict.fromkeys(METHODS, ROUNDS)
    state = {name: {"comment": "As it was.", "extra": ""} for name in METHODS}
    (folder / "src/main/java/org/example").mkdir(parents=True)
    (folder / "src/test/java/org/example").mkdir(parents=True)
    (folder / "build.gradle").write_text(_BUILD)
    (folder / "settings.gradle").write_text("rootProject.name = 'pipeline'\n")
    (folder / ".gitignore").write_text("build\n.gradle\n")
    (folder / "src/test/java/org/example/PipelineTest.java").write_text(_TEST)
    _git(folder, "init", "-q", "-b", "main")
    hashes = []
    for number in range(count + 1):
        touched = chance.choice(sorted(METHODS))
        if number:
            state[touched]["comment"] = f"Revised {number} times."
        if chance.random() < 0.3:
            state[touched]["extra"] += f"  public static int unused{number}() {{\n    return {number};\n  }}\n"
        if number == index:
            rounds[changed] = ROUNDS * (100 + percent) // 100
        for name, method in METHODS.items():
            text = _CLASS.format(name=name, method=method, rounds=rounds[name], work=_WORK[name], **state[name])
            (folder / f"src/main/java/org/example/{name}.java").write_text(text)
        _git(folder, "add", "-A")
        _git(folder, "commit", "-q", "--allow-empty", "-m", f"Commit {number}")
        if not number:
            _git(folder, "tag", "good")
        hashes.append(_git(folder, "rev-parse", "HEAD"))
    return SeededHistory(folder, index, hashes[index], f"org.example.{changed}.{METHODS[changed]}(J)J")


def _git(folder: Path, *arguments: str) -> str:
    program = shutil.which("git")
    assert program is not None
    named = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "gc.auto=0")
    command = [program, *named, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def git_state(project: Path) -> tuple[str, ...]:
    """Return what git says about a repository: its refs, its worktrees, its changes."""
    return tuple(_git(project, *words) for words in (("show-ref",), ("worktree", "list"), ("status", "--porcelain", "--ignored")))
