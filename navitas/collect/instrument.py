"""One `am instrument` on the device: its raw stream is kept, parsed as it comes, and told as progress."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from navitas.collect.progress import Progress
from navitas.collect.selection import TestName
from navitas.collect.target import Target
from navitas.collect.watchdog import Watchdog
from navitas.device.base import Device
from navitas.device.instrumentation import InstrumentationParser, RunFinished, TestFinished, TestStarted, Warned
from navitas.errors import DeviceError
from navitas.recording.manifest import TestStatus


@dataclass(slots=True)
class Instrumented:
    """What came of one `am instrument`: each test's status in order, how the process ended, why events are missing,
    and what the runner warns of."""

    tests: dict[TestName, TestStatus] = field(default_factory=dict)
    stacks: dict[TestName, str] = field(default_factory=dict)
    crashed: bool = False
    message: str = ""
    troubles: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    on_status: Callable[[TestName, TestStatus], None] = lambda _name, _status: None

    def set(self, name: TestName, status: TestStatus) -> None:
        """A test has started (`cut` until it ends) or ended."""
        self.tests[name] = status
        self.on_status(name, status)


def command(name: str, arguments: dict[str, str]) -> str:
    """The command line; arguments go as `-e key value`. Whatever a bundle names stays one word: `$` of an inner class, `;`."""
    extras = " ".join(f"-e {shlex.quote(key)} {shlex.quote(value)}" for key, value in arguments.items())
    return f"am instrument -w -r {extras} {shlex.quote(name)}"


class CannotList(DeviceError):
    """A package's runner could not tell its tests."""


def list_tests(device: Device, target: Target, class_argument: str = "") -> list[TestName]:
    """Every test of a target (or of the named classes) in the order they would run; none of them is run. `CannotList`."""
    arguments = {**target.arguments, "log": "true"} | ({"class": class_argument} if class_argument else {})
    result = device.shell(command(target.find_component(device), arguments), timeout_s=300.0)
    parser = InstrumentationParser()
    found: dict[TestName, None] = {}
    finished = False
    for line in result.stdout.split(b"\n"):
        for event in parser.feed(line.decode("utf-8", "replace").rstrip("\r")):
            match event:
                case TestStarted():
                    found[TestName(event.class_name, event.method, event.is_container)] = None
                case RunFinished():
                    if not event.ok:
                        raise _cannot_list(target, event.message)
                    finished = True
                case _:
                    pass
    if not finished:  # what was listed until then must not pass for all
        raise _cannot_list(target, "the instrumentation ended without a result")
    return list(found)


def _cannot_list(target: Target, why: str) -> CannotList:
    return CannotList(f"{target.test_package}: its tests cannot be listed: {why}", "Run these tests with Gradle first.")


def run_tests(
    device: Device,
    target: Target,
    class_argument: str,
    *,
    done: Instrumented,
    output: Path,
    progress: Progress,
    timeout_s: float,
) -> None:
    """Run tests with the listener of their framework; the raw stream goes to `output`, what is known at any moment to `done`.

    A test whose end never came stays `cut`. `DeviceError` when the device is lost or nothing came for `timeout_s`.
    """
    arguments = target.run_arguments()
    if class_argument:
        arguments["class"] = class_argument
    parser = InstrumentationParser()
    finished = False
    with device.stream(command(target.find_component(device), arguments)) as stream, output.open("wb") as raw:
        watchdog = Watchdog(timeout_s, lambda: stream.received_bytes, stream.close)
        with watchdog:
            for line in _kept(stream.lines(), raw.write):
                for event in parser.feed(line):
                    finished = _take(event, done, progress) or finished
    if watchdog.fired:
        raise DeviceError(
            f"{target.package}: no sign of life from its tests for {timeout_s:.0f} s",
            "use --timeout, or look for a test that hangs",
        )
    if not finished:
        done.crashed = True
        done.message = "the instrumentation ended without a result"


def _kept(lines: Iterator[bytes], write: Callable[[bytes], int]) -> Iterator[str]:
    for line in lines:
        write(line + b"\n")
        yield line.decode("utf-8", "replace").rstrip("\r")


def _take(event: object, done: Instrumented, progress: Progress) -> bool:
    """Enter one event; True when it ends the run."""
    match event:
        case TestStarted():
            progress.test(event.current, event.total, f"{event.class_name}#{event.method}")
            done.set(TestName(event.class_name, event.method), "cut")
        case TestFinished():
            name = TestName(event.class_name, event.method)
            done.set(name, event.status)
            if event.stack:
                done.stacks[name] = event.stack
        case Warned():
            done.warnings.append(event.text)
        case RunFinished():
            done.crashed = not event.ok
            done.message = event.message
            return True
        case _:
            pass
    return False
