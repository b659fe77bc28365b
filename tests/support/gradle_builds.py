"""Builds by a real Gradle, and the contents of their bundles."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.bundle.reader import Bundle

Provide = Callable[[Sequence[Path]], None]


class Build:
    """One build in the way of `navitas profile`, and its output."""

    def __init__(self, project: Path, gradle: str | None, *, provide: Provide | None = None, **options: Any) -> None:
        self.lines: list[str] = []
        chosen = BuildOptions(gradle, **options)
        self.bundles: list[Bundle] = build_bundles(project, chosen, provide=provide, on_line=self.lines.append)

    def outcome(self, task: str) -> str:
        """Return the outcome that Gradle prints after a task."""
        return outcome(self.lines, task)


def outcome(lines: list[str], task: str) -> str:
    """Return the outcome that Gradle prints after a task: `UP-TO-DATE`, `FROM-CACHE`, `` if it ran, or `absent`."""
    found = [line.removeprefix("> Task ").partition(" ") for line in lines]
    said = [words for name, _, words in found if name == task]
    # A task's name is also repeated before its output when tasks run in parallel.
    return max(said, key=len) if said else "absent"


def contents(bundle: Bundle) -> dict[str, bytes]:
    """Return a bundle's entries."""
    with zipfile.ZipFile(bundle.path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def methods(bundle: Bundle) -> set[tuple[str, str]]:
    """Return class and name of each method with probes."""
    return {(entry["class"], entry["name"]) for entry in json.loads(bundle.map_bytes)["methods"]}


def modules(bundle: Bundle) -> dict[str, tuple[str, str]]:
    """Return kind of source and module of each class with probes."""
    return {entry["name"]: (entry["source"], entry["module"]) for entry in json.loads(bundle.map_bytes)["classes"]}


def is_instrumented(code: bytes) -> bool:
    return b"org/navitas/runtime/" in code


def run_tests(bundle: Bundle, folder: Path, *classes: str) -> str:
    """Unpack a bundle and run its JUnit 4 classes by its manifest, with full bytecode verification."""
    with zipfile.ZipFile(bundle.path) as archive:
        archive.extractall(folder)
    manifest = bundle.manifest
    class_path = ":".join(str(folder / entry) for entry in manifest.class_path)
    properties = [f"-D{key}={value}" for key, value in manifest.system_properties.items()]
    command = ["java", "-Xverify:all", *manifest.jvm_args, *properties, "-cp", class_path, "org.junit.runner.JUnitCore", *classes]
    result = subprocess.run(command, cwd=bundle.working_dir, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
