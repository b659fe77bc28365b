"""`am instrument`: runs a package's JUnit tests in a JVM, and hands its stream on."""

from __future__ import annotations

import asyncio
import errno
import io
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from navitas.bundle.manifest import BundleManifest
from navitas.virtual_phone import android_app, java_app
from navitas.virtual_phone.app_host import AppHost
from navitas.virtual_phone.host_java import CannotStart
from navitas.virtual_phone.host_process import host_process
from navitas.virtual_phone.launch import Launch
from navitas.virtual_phone.package import InstrumentationRunner, Package
from navitas.virtual_phone.shell.streams import Input

_CODE = b"INSTRUMENTATION_CODE: "
_CRASHED = b"INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"
_WARNING, _NO_TEST = "INSTRUMENTATION_STATUS: navitas.warning=", "INSTRUMENTATION_STATUS_CODE: 0"
_INFO, _FATAL = 4, 6
_KEPT_ERROR_LINES = 100
_REASON_LINES = 3


async def launch_of(host: AppHost, package: Package, runner: InstrumentationRunner, arguments: list[tuple[str, str]]) -> Launch:
    """The process that runs a package's tests. Raises `CannotStart`."""
    if isinstance(package.content, BundleManifest):
        return java_app.launch(host, package, package.content, arguments)
    target = host.packages.get(runner.target)
    assert target is not None  # am has looked
    classes = await android_app.classes_of(host, package.name)
    return android_app.launch(host, target, classes, runner.component.partition("/")[2], arguments)


async def run_tests(host: AppHost, launch: Launch, write: Callable[[bytes], Awaitable[None]]) -> None:
    """Run tests and write the raw instrumentation stream, in whole lines; its end is told even when the JVM dies.

    The stream has a pipe of its own, so nothing that tests or their children print can get into it. What the JVM and they
    print past the log goes there at the JVM's end: as `AndroidRuntime` when it died, else as `stdout`. Raises `CannotStart`.
    """
    host.packages.kill(launch.name)
    for text in launch.warnings:
        await write(f"{_WARNING}{' '.join(text.split())}\n{_NO_TEST}\n".encode("utf-8", "replace"))
    try:
        async with host_process(
            host.processes, launch.argv, name=launch.name, who=launch.who, cwd=launch.cwd, env=launch.env
        ) as process:
            printed = [asyncio.create_task(last_lines(output)) for output in (process.stderr, process.stdout)]
            begun = ended = False
            # Not line by line: each packet to adb waits for its answer, and the tests for the pipe behind it.
            async for lines in process.stream.batches():
                begun = True
                ended = ended or lines.startswith(_CODE) or b"\n" + _CODE in lines
                await write(lines)
            words = await asyncio.gather(*printed)
            for said in words:
                if said:
                    host.logd.write(_INFO if ended else _FATAL, "stdout" if ended else "AndroidRuntime", said, pid=process.pid)
            if not begun and (reason := first_words(words)):
                raise CannotStart(reason)
    except OSError as error:
        if error.errno == errno.E2BIG:
            raise CannotStart("an argument, a property or a variable of the tests' JVM is longer than 128 KiB") from None
        raise CannotStart(f"{error.filename or 'java'}: {error.strerror}") from None
    if not ended:
        await write(_CRASHED)


def first_words(outputs: Sequence[str]) -> str:
    """Why a JVM ended before it ran anything, as it says itself, on one line."""
    lines = [line.strip() for said in outputs for line in said.splitlines()]
    return " ".join([line for line in lines if line and not line.startswith("Picked up ")][:_REASON_LINES])


async def last_lines(source: Input) -> str:
    """The end of what a process prints, read to its end."""
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
