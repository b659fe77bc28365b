"""Kotlin coroutines, compiled, instrumented and run with the runtime: calls, segments and waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.kotlin_program import KotlinProgram

from navitas.recording.parse.call_events import encoded_calls
from navitas.recording.parse.chunks import CALLS, FOLDED, by_thread_and_type, read_chunks
from navitas.recording.parse.folded import decode_folded
from navitas.recording.parse.tables import ENTER, RESUME, THROW

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
DELAY_NS = 40_000_000

pytestmark = [pytest.mark.usefixtures("jvm"), pytest.mark.extended]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> KotlinProgram:
    folder = tmp_path_factory.mktemp("coroutines")
    source = folder / "Waiting.kt"
    source.write_text(SOURCE)
    return KotlinProgram(folder, source, "2.0.21")


@pytest.fixture(scope="module")
def names(program: KotlinProgram) -> dict[int, str]:
    """Methods of the source file's class, by row."""
    return {row: each["name"] for row, each in enumerate(program.methods) if each["class"] == "waiting.WaitingKt"}


def threads(program: KotlinProgram, events: Path) -> Iterator[list[tuple[int, int, int]]]:
    """Each thread's events as (time, kind, method)."""
    for _, kind, chunks, missing in by_thread_and_type(read_chunks(events).chunks):
        assert missing == 0
        if kind == CALLS:
            stream, dropped = encoded_calls(chunks, program.known())
            assert dropped == 0
            calls = stream.whole()
            yield list(zip(calls.t_ns.tolist(), calls.kind.tolist(), calls.method.tolist(), strict=True))


def test_a_suspended_call_counts_as_one_call_with_many_segments(program: KotlinProgram, names: dict[int, str]) -> None:
    kinds: Counter[tuple[str, int]] = Counter()
    on_main: list[tuple[int, int]] = []
    for events in threads(program, program.run("waiting.WaitingKt", "events")):
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


def test_folding_gives_the_same_counts(program: KotlinProgram, names: dict[int, str]) -> None:
    calls: Counter[str] = Counter()
    throws: Counter[str] = Counter()
    for _, kind, chunks, missing in by_thread_and_type(read_chunks(program.run("waiting.WaitingKt", "folded")).chunks):
        assert missing == 0
        if kind == FOLDED:
            table, dropped = decode_folded(chunks, program.known())
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
