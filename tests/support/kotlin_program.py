"""Kotlin programs with coroutines, compiled by any version of the compiler, instrumented, and run with the runtime."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from navitas.base.errors import BuildError
from navitas.capture.build.instrument import instrument
from navitas.capture.build.java import JARS, find_java
from navitas.recording.parse.methodmap import Span, places_of
from support.maven import NotFetchedError, fetch

_COROUTINES = "org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.9.0"


class KotlinProgram:
    """An instrumented program and its method map. Skips the test if the compiler cannot be fetched."""

    def __init__(self, folder: Path, source: Path, version: str) -> None:
        for jar in ("navitas-bridge.jar", "navitas-runtime.jar"):
            if not (JARS / jar).is_file():
                pytest.skip(f"{jar} is not built: make jars")
        try:
            java = find_java()
            jars = fetch(
                (f"org.jetbrains.kotlin:kotlin-compiler-embeddable:{version}", _COROUTINES), folder / "jars", transitive=True
            )
        except (BuildError, NotFetchedError) as error:
            pytest.skip(str(error))
        self._folder = folder
        compiler = [java, "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*", "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"]
        libraries = os.pathsep.join(map(str, jars.glob("kotlin*-*.jar")))
        arguments = ["-no-stdlib", "-no-reflect", "-nowarn", "-cp", libraries, "-d", folder / "classes", source]
        subprocess.run([*compiler, *arguments], check=True, capture_output=True)
        instrument([folder / "classes"], folder / "probed", folder / "map.json")
        self.map = json.loads((folder / "map.json").read_text())
        self.methods = self.map["methods"]

    def run(self, main: str, mode: str) -> Path:
        """Run the program; return its event file."""
        out = self._folder / mode
        paths = (self._folder / "probed", self._folder / "jars" / "*", JARS / "navitas-runtime.jar")
        class_path = os.pathsep.join(map(str, paths))
        command = [find_java(), f"-Dnavitas.out={out}", f"-Dnavitas.mode={mode}", "-Xverify:all", "-cp", class_path, main]
        subprocess.run(command, check=True, capture_output=True)
        (events,) = out.glob("events-*.nvch")
        return events

    def known(self) -> dict[int, Span]:
        """The ids of the method map, for readers of chunks. A method's row is its place in `methods`."""
        ids = [each["id"] for each in self.methods]
        return {int(self.map["map_id"], 16): Span(0, max(ids) + 1, None, places_of(ids))}
