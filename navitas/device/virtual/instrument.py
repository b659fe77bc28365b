"""`am instrument`: runs a package's JUnit tests in a JVM, and hands its stream on."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import shutil
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import navitas
from navitas.device.virtual.class_path import class_path_argument
from navitas.device.virtual.host_process import host_process
from navitas.device.virtual.packages import RUNNER, Package
from navitas.device.virtual.shell.streams import Input

if TYPE_CHECKING:
    from navitas.device.virtual.phone import Phone

PHONE_JAR = Path(navitas.__file__).parent / "jars" / "navitas-phone.jar"
_CODE = b"INSTRUMENTATION_CODE: "
_CRASHED = b"INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"
_INFO, _FATAL = 4, 6
_KEPT_ERROR_LINES = 100
_REASON_LINES = 3


class CannotStart(Exception):
    """There is no Java, or no part of it can be run; the message says what is missing."""


def command_line(phone: Phone, package: Package, arguments: list[tuple[str, str]], stream: str) -> list[str]:
    """The JVM's command line for a package's tests, which write the raw stream to a file. Raises `CannotStart`."""
    manifest = package.manifest
    task = manifest.test_task
    if not PHONE_JAR.is_file():
        raise CannotStart(f"{PHONE_JAR.name} is missing: build Navitas, or install it anew")
    properties = {
        **manifest.system_properties,
        "navitas.sysRoot": str(phone.files.root),
        "navitas.process": package.name,
        "navitas.log.port": str(phone.logd.port),
        "navitas.stream": stream,
        "navitas.testFramework": task.framework,
        "navitas.includeEngines": ",".join(task.include_engines),
        "navitas.excludeEngines": ",".join(task.exclude_engines),
        "navitas.includeTags": ",".join(task.include_tags),
        "navitas.excludeTags": ",".join(task.exclude_tags),
        "navitas.testRoots": os.pathsep.join(str(package.code / root) for root in manifest.test_roots),
    }
    class_path = [package.code / entry for entry in manifest.class_path]
    return [
        _java(manifest.java_home),
        *manifest.jvm_args,
        *(f"-D{name}={value}" for name, value in properties.items()),
        "-cp",
        class_path_argument(PHONE_JAR, class_path, package.data / "cache" / "class-path.jar"),
        RUNNER,
        *(text for pair in arguments for text in pair),
    ]


def _java(java_home: str | None) -> str:
    for home in (java_home, os.environ.get("JAVA_HOME")):
        if home and (program := Path(home) / "bin" / "java").is_file():
            return str(program)
    found = shutil.which("java")
    if found is None:
        raise CannotStart("there is no java in JAVA_HOME or on PATH: install a JDK")
    return found


async def run_tests(
    phone: Phone, package: Package, arguments: list[tuple[str, str]], write: Callable[[bytes], Awaitable[None]]
) -> None:
    """Run tests and write the raw instrumentation stream, in whole lines; its end is told even when the JVM dies.

    The stream has a pipe of its own, so nothing that tests or their children print can get into it. What the JVM and they
    print past the log goes there at the JVM's end: as `AndroidRuntime` when it died, else as `stdout`. Raises `CannotStart`.
    """
    phone.packages.kill(package.name)
    try:
        async with host_process(
            phone.processes,
            lambda stream: command_line(phone, package, arguments, stream),
            name=package.name,
            who=package.identity,
            app=True,
            cwd=_working_dir(package, arguments),
            env={**os.environ, **package.manifest.environment},
        ) as process:
            printed = [asyncio.create_task(_last_lines(output)) for output in (process.stderr, process.stdout)]
            begun = ended = False
            # Not line by line: each packet to adb waits for its answer, and the tests for the pipe behind it.
            async for lines in process.stream.batches():
                begun = True
                ended = ended or lines.startswith(_CODE) or b"\n" + _CODE in lines
                await write(lines)
            words = await asyncio.gather(*printed)
            for said in words:
                if said:
                    phone.logd.write(_INFO if ended else _FATAL, "stdout" if ended else "AndroidRuntime", said, pid=process.pid)
            if not begun and (reason := _first_words(words)):
                raise CannotStart(reason)
    except OSError as error:
        if error.errno == errno.E2BIG:
            raise CannotStart("an argument, a property or a variable of the tests' JVM is longer than 128 KiB") from None
        raise CannotStart(f"{error.filename or 'java'}: {error.strerror}") from None
    if not ended:
        await write(_CRASHED)


def _working_dir(package: Package, arguments: list[tuple[str, str]]) -> Path:
    """The folder that `-e workingDir` names, else the bundle's; the app's data where there is no such folder."""
    folder = Path(dict(arguments).get("workingDir", package.manifest.working_dir))
    return folder if folder.is_absolute() and folder.is_dir() else package.data


def _first_words(outputs: Sequence[str]) -> str:
    """Why a JVM ended before it ran anything, as it says itself, on one line."""
    lines = [line.strip() for said in outputs for line in said.splitlines()]
    return " ".join([line for line in lines if line and not line.startswith("Picked up ")][:_REASON_LINES])


async def _last_lines(source: Input) -> str:
    kept: deque[bytes] = deque(maxlen=_KEPT_ERROR_LINES)
    async for line in source.lines():
        kept.append(line)
    return b"".join(kept).decode("utf-8", "replace").rstrip()


class PrettyPrinter:
    """Turns the raw stream into what `am instrument` prints without `-r`: the `stream` texts (Instrument.java)."""

    def __init__(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        self._write = write
        self._bundle: list[bytes] = []
        self._text: list[bytes] | None = None
        self._in_text = False

    async def take(self, lines: bytes) -> None:
        """Take raw lines; prints the bundles that they complete."""
        for line in io.BytesIO(lines):
            await self._take(line)

    async def _take(self, line: bytes) -> None:
        word, _, rest = line.partition(b": ")
        if not line.startswith(b"INSTRUMENTATION_"):
            if self._in_text and self._text is not None:
                self._text.append(line)
            self._bundle.append(line)
            return
        self._in_text = rest.startswith(b"stream=")
        if self._in_text:
            self._text = [rest.removeprefix(b"stream=")]
        self._bundle.append(line)
        if word in (b"INSTRUMENTATION_STATUS_CODE", b"INSTRUMENTATION_CODE"):
            text = self._bundle if self._text is None else self._text
            printed = b"".join(text)
            if self._text is not None and word == b"INSTRUMENTATION_STATUS_CODE":
                printed = printed.removesuffix(b"\n")
            await self._write(printed)
            self._bundle, self._text = [], None
