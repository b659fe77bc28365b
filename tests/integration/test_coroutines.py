"""Kotlin coroutines, compiled, instrumented and run with the runtime: calls, segments and waits."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.maven import NotFetchedError, fetch

from navitas.build.instrument import instrument
from navitas.build.jars import JARS
from navitas.build.java import find_java
from navitas.errors import BuildError
from navitas.parse.call_events import encoded_calls
from navitas.parse.chunks import CALLS, FOLDED, by_thread_and_type, read_chunks
from navitas.parse.folded import decode_folded
from navitas.parse.methodmap import Span, places_of
from navitas.parse.tables import ENTER, RESUME, THROW

SOURCE = """\
package waiting

import kotlinx.coroutines.*

const val DELAY_MS = 40L

suspend fun step(x: Int): Int {
  var sum = burn(x)
  delay(DELAY_MS)
  sum += burn(x)
  delay(DELAY_MS)
  return sum + burn(x)
}

suspend fun work(): Int {
  var sum = 0
  for (i in 1..3) {
    sum += step(i)
  }
  return sum
}

suspend fun fails(): Int {
  delay(DELAY_MS)
  throw IllegalStateException()
}

suspend fun forever() {
  burn(1)
  delay(Long.MAX_VALUE)
  burn(2)
}

fun burn(x: Int): Int = (1..1000).fold(x) { sum, i -> sum * 31 + i }

fun main() {
  runBlocking { work() }
  runBlocking {
    List(4) { async(Dispatchers.Default) { work() } }.awaitAll()
    try {
      fails()
    } catch (expected: IllegalStateException) {
      burn(2)
    }
    val job = launch { forever() }
    yield()
    job.cancelAndJoin()
  }
}
"""
TOOLS = ("org.jetbrains.kotlin:kotlin-compiler-embeddable:2.0.21", "org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.9.0")

DELAY_NS = 40_000_000

pytestmark = [pytest.mark.usefixtures("jvm"), pytest.mark.extended]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the instrumented program, its method map, and its libraries in `jars`."""
    folder = tmp_path_factory.mktemp("coroutines")
    for jar in ("navitas-bridge.jar", "navitas-runtime.jar"):
        if not (JARS / jar).is_file():
            pytest.skip(f"{jar} is not built: make jars")
    try:
        java, jars = find_java(), fetch(TOOLS, folder / "jars", transitive=True)
    except (BuildError, NotFetchedError) as error:
        pytest.skip(str(error))
    (folder / "Waiting.kt").write_text(SOURCE)
    compiler = [java, "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*", "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"]
    libraries = os.pathsep.join(map(str, jars.glob("kotlin*-*.jar")))
    arguments = ["-no-stdlib", "-no-reflect", "-nowarn", "-cp", libraries, "-d", folder / "classes", folder / "Waiting.kt"]
    subprocess.run([*compiler, *arguments], check=True, capture_output=True)
    instrument([folder / "classes"], folder / "probed", folder / "map.json")
    return folder


def run(program: Path, mode: str) -> Path:
    """Run the program; return its event file."""
    out = program / mode
    class_path = os.pathsep.join(map(str, (program / "probed", program / "jars" / "*", JARS / "navitas-runtime.jar")))
    command = [find_java(), f"-Dnavitas.out={out}", f"-Dnavitas.mode={mode}", "-Xverify:all", "-cp", class_path]
    subprocess.run([*command, "waiting.WaitingKt"], check=True, capture_output=True)
    (events,) = out.glob("events-*.nvch")
    return events


@pytest.fixture(scope="module")
def names(program: Path) -> dict[int, str]:
    """Methods of the source file's class, by row."""
    methods = json.loads((program / "map.json").read_text())["methods"]
    return {row: each["name"] for row, each in enumerate(methods) if each["class"] == "waiting.WaitingKt"}


def known(program: Path) -> dict[int, Span]:
    text = json.loads((program / "map.json").read_text())
    ids = [each["id"] for each in text["methods"]]
    return {int(text["map_id"], 16): Span(0, max(ids) + 1, None, places_of(ids))}


def threads(program: Path, events: Path) -> Iterator[list[tuple[int, int, int]]]:
    """Each thread's events as (time, kind, method)."""
    for _, kind, chunks, missing in by_thread_and_type(read_chunks(events).chunks):
        assert missing == 0
        if kind == CALLS:
            stream, dropped = encoded_calls(chunks, known(program))
            assert dropped == 0
            calls = stream.whole()
            yield list(zip(calls.t_ns.tolist(), calls.kind.tolist(), calls.method.tolist(), strict=True))


def test_a_suspended_call_counts_as_one_call_with_many_segments(program: Path, names: dict[int, str]) -> None:
    kinds: Counter[tuple[str, int]] = Counter()
    on_main: list[tuple[int, int]] = []
    for events in threads(program, run(program, "events")):
        stack: list[int] = []
        for _, kind, method in events:
            kinds[names.get(method, ""), kind] += 1
            if kind in (ENTER, RESUME):
                stack.append(method)
            else:
                assert stack.pop() == method
        assert stack == []
        if "main" in {names.get(method) for _, _, method in events}:
            on_main = [(t, kind) for t, kind, method in events if names.get(method) == "step"]
    steps = 5 * 3
    assert kinds["step", ENTER] == steps
    assert kinds["step", RESUME] == 2 * steps
    assert (kinds["work", ENTER], kinds["work", RESUME]) == (5, steps)
    assert (kinds["fails", ENTER], kinds["fails", RESUME], kinds["fails", THROW]) == (1, 1, 1)
    assert (kinds["forever", ENTER], kinds["forever", RESUME], kinds["forever", THROW]) == (1, 1, 1)
    assert kinds["burn", ENTER] == 3 * steps + 2
    assert kinds["burn", RESUME] == kinds["step", THROW] == 0
    # The main thread runs the steps one after another: segments do not overlap, and waits between them use no energy.
    begun, left = on_main[::2], on_main[1::2]
    assert [kind for _, kind in begun] == 3 * [ENTER, RESUME, RESUME]
    for i, (t, kind) in enumerate(begun):
        if kind == RESUME:
            assert begun[i - 1][0] < left[i - 1][0] < t
            assert t - begun[i - 1][0] > DELAY_NS  # the wait began in the previous segment


def test_folding_gives_the_same_counts(program: Path, names: dict[int, str]) -> None:
    calls: Counter[str] = Counter()
    throws: Counter[str] = Counter()
    for _, kind, chunks, missing in by_thread_and_type(read_chunks(run(program, "folded")).chunks):
        assert missing == 0
        if kind == FOLDED:
            table, dropped = decode_folded(chunks, known(program))
            assert dropped == 0
            for method in np.unique(table.method).tolist():
                rows = table.method == method
                calls[names.get(method, "")] += int(table.calls[rows].sum())
                throws[names.get(method, "")] += int(table.throws[rows].sum())
    expected = {
        "step": 15,
        "work": 5,
        "fails": 1,
        "forever": 1,
        "burn": 47,
        "main": 2,
    }  # Java calls main(String[]), which calls main()
    assert {name: calls[name] for name in expected} == expected
    assert {name: throws[name] for name in expected} == {name: int(name in ("fails", "forever")) for name in expected}
