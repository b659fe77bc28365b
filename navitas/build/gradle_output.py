"""Gradle's output: the plugin's reports on projects, and all other lines."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, ValidationError

from navitas.errors import BuildError

TAIL_LINES = 20
_REPORT = "navitas-project "
_VERSION = "navitas-gradle "
_FAILURE = "navitas-failure "
# Lines in which a launcher script names its Java.
_JAVA_NAME = re.compile(r"(openjdk|java) version \"|OpenJDK (Runtime|64-Bit)|Java\(TM\)")
_STACK_FRAME = re.compile(r"\s+at [\w.$/@]+\.[\w$<>]+\(")


class Failure(BaseModel):
    """Why the plugin fails the build, on one line of the build's output: `no_variant`, with the `known` variants."""

    code: str
    variant: str = ""
    known: list[str] = []


class ProjectReport(BaseModel):
    """The plugin's report on one Gradle project, on one line of the build's output."""

    module: str
    kind: Literal["java", "android", "other"]
    variant: str | None = None
    bundle: str | None
    framework: list[str] | None = None
    has_app: bool = False
    """Whether the module has an app without tests, whose use can be recorded."""
    left_out: str | None = None
    """Why the module or the variant gets no probes, as the end of a sentence about the module."""
    java: str | None = None
    """The version of the Java that Gradle runs on."""


class GradleOutput:
    """Receives Gradle's lines: keeps the plugin's reports, and passes on all others."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self.reports: list[ProjectReport] = []
        self.failure: Failure | None = None
        self.version = ""
        """Gradle's version; empty if a cached configuration skips the init script."""
        self.lines: deque[str] = deque(maxlen=400)

    def __call__(self, line: str) -> None:
        try:
            if line.startswith(_REPORT):
                self.reports.append(ProjectReport.model_validate_json(line.removeprefix(_REPORT)))
                return
            if line.startswith(_FAILURE):
                self.failure = Failure.model_validate_json(line.removeprefix(_FAILURE))
                return
        except ValidationError as error:
            raise BuildError(f"the Gradle plugin printed {line!r}", "Use the same Navitas in your build.") from error
        if line.startswith(_VERSION):
            self.version = line.removeprefix(_VERSION).strip()
            return
        self.lines.append(line)
        self._on_line(line)

    def tail(self) -> list[str]:
        """Return the last lines, without Gradle's general advice, the name of its Java, and the frames of stack traces."""
        lines = [line for line in self.lines if not _JAVA_NAME.match(line) and not _STACK_FRAME.match(line)]
        for index, line in enumerate(lines):
            if line.startswith("* Try:"):
                lines = lines[:index]
                break
        while lines and not lines[-1].strip():
            lines.pop()
        return lines[-TAIL_LINES:]
