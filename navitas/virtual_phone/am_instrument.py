"""`am instrument`: run a package's JUnit tests in a JVM, and forward its stream."""

from __future__ import annotations

import asyncio
import errno
import io
import os
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from navitas.capture.build.java import jar
from navitas.capture.bundle.manifest import BundleManifest
from navitas.virtual_phone import android_app
from navitas.virtual_phone.app_host import AppHost, Launch, java_launch
from navitas.virtual_phone.host_java import (
    StartError,
    choose_java,
    java_release,
    sampling_agent,
    start_errors,
)
from navitas.virtual_phone.host_process import HostProcess
from navitas.virtual_phone.package import RUNNER, InstrumentationRunner, Package
from navitas.virtual_phone.shell.streams import Input

Hearing: TypeAlias = AbstractAsyncContextManager[None]

_CODE = b"INSTRUMENTATION_CODE: "
_CRASHED = b"INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"
_WARNING, _NO_TEST = "INSTRUMENTATION_STATUS: navitas.warning=", "INSTRUMENTATION_STATUS_CODE: 0"
_INFO, _FATAL = 4, 6
_KEPT_ERROR_LINES = 100
_REASON_LINES = 3
_VIRTUAL_THREADS = 21
"""The version of Java that has them."""


async def make_launch(host: AppHost, package: Package, runner: InstrumentationRunner, arguments: list[tuple[str, str]]) -> Launch:
    """Return the launch of the process that runs a package's tests. Raises `StartError`."""
    if isinstance(package.content, BundleManifest):
        return launch_java(host, package, package.content, arguments)
    target = host.packages.get(runner.target, package.user)
    assert target is not None  # the caller has checked it
    classes = await android_app.unpack_classes(host, package.name)
    return android_app.launch(host, target, classes, runner.component.partition("/")[2], arguments)


async def run_tests(
    host: AppHost, launch: Launch, write: Callable[[bytes], Awaitable[None]], hearing: Callable[[HostProcess], Hearing]
) -> None:
    """Run tests and write the raw instrumentation stream, in complete lines. The stream gets an end even if the JVM dies.

    The stream has a separate pipe, so no output of the tests or their children can mix with it. Their other output goes to the
    log when the JVM ends: as `AndroidRuntime` if it died, else as `stdout`. `hearing` is what lets a process hear what the phone
    announces (`RunningApps.hearing`). Raises `StartError`.
    """
    host.packages.kill(launch.name, launch.who.user)
    for text in launch.warnings:
        await write(f"{_WARNING}{' '.join(text.split())}\n{_NO_TEST}\n".encode("utf-8", "replace"))
    try:
        async with launch.process(host.processes) as process, hearing(process):
            printed = [asyncio.create_task(last_lines(output)) for output in (process.stderr, process.stdout)]
            begun = ended = False
            # Read batches, not lines: each packet to adb waits for an OKAY, and the tests wait for the pipe.
            async for lines in process.stream.batches():
                begun = True
                ended = ended or lines.startswith(_CODE) or b"\n" + _CODE in lines
                await write(lines)
            outputs = await asyncio.gather(*printed)
            for output in outputs:
                if output:
                    host.logd.write(_INFO if ended else _FATAL, "stdout" if ended else "AndroidRuntime", output, pid=process.pid)
            printed_lines = (line.strip() for output in outputs for line in output.splitlines())
            reasons = [line for line in printed_lines if line and not line.startswith("Picked up ")][:_REASON_LINES]
            if not begun and reasons:
                raise StartError(" ".join(reasons))
    except OSError as error:
        if error.errno == errno.E2BIG:
            raise StartError("an argument, a property or a variable of the tests' JVM is longer than 128 KiB") from None
        raise StartError(f"{error.filename or 'java'}: {error.strerror}") from None
    if not ended:
        await write(_CRASHED)


async def last_lines(source: Input) -> str:
    """Read a process's output to its end, and return the last lines."""
    kept: deque[bytes] = deque(maxlen=_KEPT_ERROR_LINES)
    async for line in source.lines():
        kept.append(line)
    return b"".join(kept).decode("utf-8", "replace").rstrip()


class PrettyPrinter:
    """Converts the raw stream to the output of `am instrument` without `-r`: the `stream` texts (Instrument.java)."""

    def __init__(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        self._write = write
        self._bundle: list[bytes] = []
        self._text: list[bytes] | None = None
        self._in_text = False

    async def take(self, lines: bytes) -> None:
        """Process raw lines, and print the bundles that they complete."""
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


@start_errors()
def launch_java(host: AppHost, package: Package, manifest: BundleManifest, arguments: list[tuple[str, str]]) -> Launch:
    """Return the JVM that runs a package's tests. Raises `StartError`."""
    task = manifest.test_task
    phone_jar, class_path = jar("navitas-phone.jar"), [package.code / entry for entry in manifest.class_path]
    agent = sampling_agent(package.data, arguments) or host.stacks.agent(package)
    properties = {
        **manifest.system_properties,
        "navitas.testFramework": task.framework,
        "navitas.scanForTestClasses": str(task.scan_for_test_classes).lower(),
        "navitas.includeEngines": ",".join(task.include_engines),
        "navitas.excludeEngines": ",".join(task.exclude_engines),
        "navitas.includeTags": ",".join(task.include_tags),
        "navitas.excludeTags": ",".join(task.exclude_tags),
        "navitas.testRoots": os.pathsep.join(str(package.code / root) for root in manifest.test_roots),
    }
    java, wrong_java = choose_java(manifest.java_home, host.jdks)
    if dict(arguments).get("log") == "true":
        # Only lists tests, so needs no probes, and ends before a better compiler pays off.
        begin = ["-XX:TieredStopAtLevel=1"]
    else:
        # First, so that the build's own agents get the classes with probes.
        begin = [f"-javaagent:{phone_jar}={package.code / manifest.probed_classes}"] if manifest.probed_classes else []
    # So that the runtime finds the carriers of virtual threads. Gradle's own test JVMs open this package, too.
    opened = ["--add-opens=java.base/java.lang=ALL-UNNAMED"] if (java_release(java) or 0) >= _VIRTUAL_THREADS else []
    folder, wrong_folder = _working_dir(package, manifest, arguments)

    command = [java, *begin, *agent, *opened, *manifest.jvm_args]
    run = [RUNNER, *chain.from_iterable(arguments)]
    removed = set(manifest.removed_variables)
    env = {name: value for name, value in os.environ.items() if name not in removed} | manifest.environment
    launch = java_launch(host, package, command, properties, class_path=(phone_jar, class_path), run=run)
    return replace(launch, cwd=folder, env=env, warnings=tuple(filter(None, (wrong_java, wrong_folder))))


def _working_dir(package: Package, manifest: BundleManifest, arguments: list[tuple[str, str]]) -> tuple[Path, str]:
    """Return the folder from `-e workingDir`, else the bundle's. If it is missing, return the app's data and a warning."""
    folder = Path(dict(arguments).get("workingDir", manifest.working_dir))
    if folder.is_absolute() and folder.is_dir():
        return folder, ""
    return package.data, f"the tests' working folder {folder} does not exist: they ran in an empty folder"
