"""`am instrument`: runs a package's JUnit tests in a JVM, and hands its stream on."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import navitas
from navitas.device.virtual.host_process import host_process
from navitas.device.virtual.packages import RUNNER, Package
from navitas.device.virtual.shell.streams import Input

if TYPE_CHECKING:
    from navitas.device.virtual.phone import Phone

PHONE_JAR = Path(navitas.__file__).parent / "jars" / "navitas-phone.jar"
_CODE = b"INSTRUMENTATION_CODE: "
_CRASHED = b"INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"
_FATAL = 6
_KEPT_ERROR_LINES = 100


class CannotStart(Exception):
    """There is no Java, or no part of it can be run; the message says what is missing."""


def command_line(phone: Phone, package: Package, arguments: list[tuple[str, str]]) -> list[str]:
    """The JVM's command line for a package's tests. Raises `CannotStart`."""
    manifest = package.manifest
    if not PHONE_JAR.is_file():
        raise CannotStart(f"{PHONE_JAR.name} is missing: build Navitas, or install it anew")
    properties = {
        **manifest.system_properties,
        "navitas.sysRoot": str(phone.files.root),
        "navitas.process": package.name,
        "navitas.log.port": str(phone.logd.port),
        "navitas.testRoots": os.pathsep.join(str(package.code / root) for root in manifest.test_roots),
    }
    class_path = [PHONE_JAR, *(package.code / entry for entry in manifest.class_path)]
    return [
        _java(manifest.java_home),
        *manifest.jvm_args,
        *(f"-D{name}={value}" for name, value in properties.items()),
        "-cp",
        os.pathsep.join(map(str, class_path)),
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

    What the JVM says on standard error at its end goes to the log as `AndroidRuntime`. Raises `CannotStart`.
    """
    argv = command_line(phone, package, arguments)
    phone.packages.kill(package.name)
    try:
        async with host_process(
            phone.processes,
            argv,
            name=package.name,
            who=package.identity,
            app=True,
            cwd=_working_dir(package, arguments),
            env={**os.environ, **package.manifest.environment},
        ) as process:
            errors = asyncio.create_task(_last_lines(process.stderr))
            ended = False
            # Not line by line: each packet to adb waits for its answer, and the tests for the pipe behind it.
            async for lines in process.stdout.batches():
                ended = ended or lines.startswith(_CODE) or b"\n" + _CODE in lines
                await write(lines)
            said = await errors
            if said:
                phone.logd.write(_FATAL, "AndroidRuntime", said, pid=process.pid)
    except OSError as error:
        raise CannotStart(f"{argv[0]}: {error.strerror}") from None
    if not ended:
        await write(_CRASHED)


def _working_dir(package: Package, arguments: list[tuple[str, str]]) -> Path:
    """The folder that `-e workingDir` names, else the bundle's; the app's data where there is no such folder."""
    folder = Path(dict(arguments).get("workingDir", package.manifest.working_dir))
    return folder if folder.is_absolute() and folder.is_dir() else package.data


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
