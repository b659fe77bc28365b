"""Calls of all forms of Kotlin's suspend functions, by version of the compiler. `make test` has the newest: SuspendFormsTest."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from support.kotlin_program import KotlinProgram

from navitas.recording.parse.call_events import encoded_calls
from navitas.recording.parse.chunks import CALLS, by_thread_and_type, read_chunks
from navitas.recording.parse.tables import ENTER

SOURCE = Path(__file__).parents[2] / "instrumenter/core/src/test/resources/suspending/SuspendForms.kt.txt"
PARALLEL = 8
MAIN = f"""
object Parallel {{
  @JvmStatic
  fun main(arguments: Array<String>) {{
    Forms.run()
    runBlocking(Dispatchers.Default) {{ List({PARALLEL}) {{ async {{ Forms.all() }} }}.awaitAll() }}
  }}
}}
"""

pytestmark = [pytest.mark.usefixtures("jvm"), pytest.mark.extended]


def _key(method: dict[str, str]) -> str:
    """`f` for a function, without the hash that the compiler adds, or `f{}` for a lambda in it."""
    inner = method["class"].removeprefix("forms.Forms$")
    return f"{inner.partition('$')[0]}{{}}" if method["name"] == "invokeSuspend" else method["name"].partition("-")[0]


@pytest.mark.parametrize("version", ["2.0.21", "2.2.21", "2.4.21"])
def test_each_call_counts_once_on_one_thread_and_on_many(version: str, tmp_path: Path) -> None:
    source = tmp_path / "SuspendForms.kt"
    source.write_text(SOURCE.read_text() + MAIN)
    program = KotlinProgram(tmp_path, source, version)
    calls: Counter[str] = Counter()
    for _, kind, chunks, missing in by_thread_and_type(read_chunks(program.run("forms.Parallel", "events")).chunks):
        assert missing == 0
        if kind == CALLS:
            stream, dropped = encoded_calls(chunks, program.known())
            assert dropped == 0
            whole = stream.whole()
            entered = [program.methods[row] for row in whole.method[whole.kind == ENTER].tolist()]
            calls.update(_key(method) for method in entered if method["class"] != "forms.Parallel")
    listed = [each.rpartition(" ") for line in re.findall("// calls: (.*)", SOURCE.read_text()) for each in line.split(", ")]
    assert len(listed) > 40
    assert {name: calls[name] for name, _, _ in listed} == {name: (1 + PARALLEL) * int(count) for name, _, count in listed}
    lines = len(source.read_text().splitlines())
    assert [method for method in program.methods if method["line"] is not None and method["line"] > lines] == []
