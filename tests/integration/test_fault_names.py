"""Hostile names: quotes, markup, escapes and 255 bytes in folders; newlines and 4 KB in tests and threads."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from support.command_line import Run
from support.gradle_projects import JUNIT, write

from navitas.report.json_report import schema

pytestmark = pytest.mark.extended

ODD = "it's \"<b>&amp;</b> $HOME `x` %20 #1 +;: é\\t\n~"
TEST = """
package p;
public class Größe$a1 {
  static void burn() { long end = System.nanoTime() + 50000000L; while (System.nanoTime() < end); }
  static void été_$() { burn(); }
  static String odd() { return "<script>\\n\\u001b[31m\\"'\\\\," + new String(new char[4096]).replace('\\0', 'x'); }
  @org.junit.Test public void ŧest() throws Exception {
    Thread thread = new Thread(Größe$a1::été_$, odd());
    thread.start();
    thread.join();
  }
  @org.junit.Test public void fails() { throw new IllegalStateException(odd()); }
}
"""


@pytest.mark.parametrize("name", [ODD, "ü" * 127 + "x"], ids=["odd", "long"])
def test_hostile_names_everywhere(gradle: str, navitas: Run, tmp_path: Path, name: str) -> None:
    project = write(
        tmp_path / name,
        {
            "settings.gradle": "rootProject.name = 'a-b.c d'\ninclude 'm-1.x'\n",
            "build.gradle": f"subprojects {{ apply plugin: 'java'\n{JUNIT}compileTestJava.options.encoding = 'UTF-8' }}\n",
            "m-1.x/src/test/java/p/Größe$a1.java": TEST,
        },
    )
    done = navitas("profile", project, "--json", "out.json", "--speedscope", "s.json", "--collapsed", "c.txt", "-o", "rec")
    assert done.code == 3, done.err
    assert "Traceback" not in done.err
    assert "\x1b[31m" not in done.out + done.err, "the project's names send no control sequences to the terminal"
    assert "FAILED :m-1.x p.Größe$a1#fails" in done.err
    found = json.loads((tmp_path / "out.json").read_text())
    jsonschema.validate(found, schema())
    tests = {test["method"]: test for test in found["tests"]}
    assert {name: test["status"] for name, test in tests.items()} == {"ŧest": "passed", "fails": "failed"}
    (odd,) = (thread for thread in tests["ŧest"]["threads"] if thread["name"].startswith("<script>"))
    assert {method["name"] for method in odd["methods"]} >= {"été_$", "burn"}
    json.loads((tmp_path / "s.json").read_text())
    for line in (tmp_path / "c.txt").read_text().splitlines():
        assert line.rpartition(" ")[2].isdigit(), "no name breaks a line"
    again = navitas("report", "rec")
    assert again.code == 0 and "\x1b" not in again.out
