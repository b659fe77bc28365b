"""Run `am instrument` on the device: keep its raw stream, parse it as it arrives, report progress, and explain failures."""

from __future__ import annotations

import re
import shlex
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from navitas.android.instrumentation import InstrumentationParser, RunFinished, TestFinished, TestStarted, Warned
from navitas.base.errors import DeviceError
from navitas.base.test_patterns import TestName
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.runs.target import RunnerError, Target
from navitas.capture.device.base import Device
from navitas.recording.manifest import TestStatus

_CHECK_S = 1.0
_PROBE_LINE = re.compile(r"^(?!\s*at )(?P<before>.*?)\borg[./]navitas[./](?:runtime|hooks)[./]\w.*$", re.MULTILINE)
"""A line that names a class which probes call. Frames do not count: Navitas' own code calls each test."""
_OTHERS = r"(?!(?:javax?|kotlin|junit|org\.junit|org\.opentest4j|com\.tngtech)\.)"
_APP_CLASS = re.compile(rf"(?<![\w.$]){_OTHERS}(?:[a-z_]\w*\.)+[A-Z][\w$]*")
"""A class of the app. Messages also name exceptions, types of parameters, and the library that looks."""
_LONGEST_QUOTE = 300


@dataclass(eq=False)
class Watchdog:
    """Calls `expire` if `count()`, for example the bytes received, has not changed for `timeout_s`."""

    timeout_s: float
    count: Callable[[], int]
    expire: Callable[[], None]
    clock: Callable[[], float] = time.monotonic
    fired: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._last, self._since = self.count(), self.clock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="navitas-watchdog", daemon=True)

    def __enter__(self) -> Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def check(self) -> None:
        """Compare with the last value; call `expire` if it has not changed for the whole time."""
        now = self.count()
        if now != self._last:
            self._last, self._since = now, self.clock()
        elif not self.fired and self.clock() - self._since >= self.timeout_s:
            self.fired = True
            self.expire()

    def _watch(self) -> None:
        while not self.fired and not self._stop.wait(min(_CHECK_S, self.timeout_s / 4)):
            self.check()


@dataclass(slots=True)
class InstrumentResult:
    """The result of one `am instrument`: each test's status in order, how the process ended, why events are missing,
    and the runner's warnings. `pid` is the process of an app that has no runtime to name it."""

    tests: dict[TestName, TestStatus] = field(default_factory=dict)
    stacks: dict[TestName, str] = field(default_factory=dict)
    crashed: bool = False
    message: str = ""
    troubles: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    pid: int | None = None
    on_status: Callable[[TestName, TestStatus], None] = lambda _name, _status: None

    def set(self, name: TestName, status: TestStatus) -> None:
        """Record that a test has started (`cut` until it ends) or ended."""
        self.tests[name] = status
        self.on_status(name, status)


def command(device: Device, name: str, arguments: dict[str, str]) -> str:
    """Return the command line, with the arguments as `-e key value`. Quotes all names, such as those of inner classes (`$`)."""
    extras = " ".join(f"-e {shlex.quote(key)} {shlex.quote(value)}" for key, value in arguments.items())
    return f"am instrument -w -r{device.info.user_flag} {extras} {shlex.quote(name)}"


def list_tests(device: Device, target: Target, class_argument: str = "") -> list[TestName]:
    """List the tests of a target, or of the named classes, in the order of execution, without running them.

    Raises `RunnerError`.
    """
    arguments = {**target.arguments, "log": "true"} | ({"class": class_argument} if class_argument else {})
    result = device.shell(command(device, target.find_component(device), arguments), timeout_s=300.0)
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
    if not finished:  # an incomplete list must not pass for a complete one
        raise _cannot_list(target, "the instrumentation ended without a result")
    return list(found)


def _cannot_list(target: Target, why: str) -> RunnerError:
    return RunnerError(f"{target.test_package}: its tests cannot be listed: {why}", "Run these tests with Gradle first.")


def run_tests(
    device: Device,
    target: Target,
    class_argument: str,
    *,
    done: InstrumentResult,
    output: Path,
    progress: Progress,
    timeout_s: float,
) -> None:
    """Run tests with the listener for their framework. Writes the raw stream to `output` and updates `done` as tests end.

    A test without an end stays `cut`. Raises `DeviceError` if the device is lost, or if it sends nothing for `timeout_s`.
    """
    arguments = target.run_arguments()
    if class_argument:
        arguments["class"] = class_argument
    parser = InstrumentationParser()
    finished = False
    with device.stream(command(device, target.find_component(device), arguments)) as stream, output.open("wb") as raw:
        watchdog = Watchdog(timeout_s, lambda: stream.received_bytes, stream.close)
        with watchdog:
            for line in stream.lines():
                raw.write(line + b"\n")
                for event in parser.feed(line.decode("utf-8", "replace").rstrip("\r")):
                    finished = _handle(event, done, progress) or finished
    if watchdog.fired:
        raise DeviceError(
            f"{target.package}: its tests sent nothing for {timeout_s:.0f} s", "use --timeout, or look for a test that hangs"
        )
    if not finished:
        done.crashed = True
        done.message = "the instrumentation ended without a result"


def _handle(event: object, done: InstrumentResult, progress: Progress) -> bool:
    """Handle one event. Returns True if it ends the run."""
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


def seen_probes(stacks: Mapping[TestName, str]) -> tuple[str, str] | None:
    """Return why tests failed because of probes, by their stack traces, and what helps. None: there are no such tests.

    They look at class files and see probes there, such as those of ArchUnit.
    """
    lines = {test: quoted for test, stack in stacks.items() if (quoted := list(_PROBE_LINE.finditer(stack)))}
    if not lines:
        return None
    test, (first, *_) = next(iter(lines.items()))
    others = {1: "", 2: " and another test"}.get(len(lines), f" and {len(lines) - 1:,} other tests")
    message = (
        f"{test}{others} failed because of probes: such a test looks at class files, and finds calls there that the source does"
        f" not have: {first[0].strip()[:_LONGEST_QUOTE]}"
    )
    named = (_APP_CLASS.search(line["before"][:_LONGEST_QUOTE]) for quoted in lines.values() for line in quoted)
    classes = {caller[0] for caller in named if caller}
    pattern = _exclude_pattern(sorted(classes or {failed.class_name for failed in lines}))
    remedy = f"measure without probes: --mode sample; or give these classes none: --exclude '{pattern}' (they then have no rows)"
    return message, remedy


def _exclude_pattern(classes: list[str]) -> str:
    """Return a pattern of `--exclude` that matches all classes: one name, or the package that contains them."""
    if len(classes) == 1:
        return classes[0]
    packages = zip(*(name.split(".")[:-1] for name in classes), strict=False)
    return ".".join([*(names[0] for names in takewhile(lambda names: len(set(names)) == 1, packages)), "**"])
