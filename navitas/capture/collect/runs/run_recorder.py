"""Record one run: one process of one bundle on one device, sampled from start to end, with all its data pulled."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from navitas.base.errors import DeviceError
from navitas.base.test_patterns import TestName
from navitas.capture.build import async_profiler
from navitas.capture.collect.apps import app_files
from navitas.capture.collect.apps.app_files import PLACES, AppFolder
from navitas.capture.collect.apps.packages import target_sdk
from navitas.capture.collect.options import ProfileOptions, Transport
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.readings.device_history import DeviceHistory
from navitas.capture.collect.readings.logcat import LogcatCapture, runtime_notes
from navitas.capture.collect.readings.shell_sampler import ShellReads, ShellSampler
from navitas.capture.collect.runs import runtime_config
from navitas.capture.collect.runs.instrument import InstrumentResult, run_tests, seen_probes
from navitas.capture.collect.runs.target import Target
from navitas.capture.collect.state.condition import MODERATE, THERMAL_NAMES, parse_thermal
from navitas.capture.collect.trace.run_trace import RunTrace
from navitas.capture.device.base import Device
from navitas.recording import manifest
from navitas.recording.writer import RecordingWriter

VALID_FOR_RUN = "The figures are valid for this run."
_SAVE_EVERY_S = 1.0
_RECONNECT_S = 5.0
_LEFT_REMEDY = "profile again: the next run ends and removes what is left"


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The settings of one run: package, module, repeat, the tests of a target, and whether to clear the packages' data
    afterwards."""

    id: int
    module: str
    package: str
    map_id: str
    repeat: int
    target: Target
    class_argument: str = ""
    clears_data: bool = False
    whole: bool = False
    """The run has no tests: it is one use of the app."""
    has_runtime: bool = True
    """The app records events and counters itself. Of others, there are only samples and the phone's trace."""
    baseline: bool = False
    """Turn probes off, regardless of the options."""
    warmup: bool = False
    """The run prepares the device for others, and does not count."""
    bound_s: float | None = None
    """Upper bound of the duration of the run's work; None: unbounded."""


Work = Callable[[RunPlan, InstrumentResult, Path, AppFolder | None], None]
"""The work of the app during the run. The path is for its raw output; the folder gets its event files, unless it is None: then
events come through the log."""


@dataclass(eq=False)
class RunRecorder:
    """Runs plans on a device and writes them into a recording."""

    _device: Device
    _writer: RecordingWriter
    _options: ProfileOptions
    _sources: Sequence[manifest.Source]
    _progress: Progress
    _reads: ShellReads
    power_profile: bytes | None = None
    """The phone's own profile as the last app read it there, or None."""
    _next_test: int = 0
    _target_sdks: dict[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._history = DeviceHistory(self._device, self._writer.warn) if self._options.record != "none" else None
        self._trace = RunTrace(self._device, self._options.trace)

    def run_tests(self, plan: RunPlan) -> InstrumentResult:
        """Run a plan's tests; see `run`."""
        return self.run(plan, self._tests)

    def run(self, plan: RunPlan, work: Work) -> InstrumentResult:
        """Do one run. However it ends, pull the data on the device and add the run to the manifest.

        Raises `DeviceError` if the device is lost, `OSError` if the recording cannot be written.
        """
        done = InstrumentResult(on_status=_TestEntries(self._writer, plan, self._next_test).enter)
        config = f"{runtime_config.FOLDER}/{plan.package}{runtime_config.SUFFIX}"  # where the runtime looks for it
        battery = self._writer.path("battery", plan.id, "battery.txt")
        states = self._writer.path("batterystats", plan.id, "batterystats.txt")
        self.enter(plan, "interrupted")
        failure: DeviceError | OSError | KeyboardInterrupt | None = None
        reachable, transport = True, self._options.transport
        folder = AppFolder(self._device, plan.package)
        try:
            folder, transport = self._configure(plan, config)
            if self._options.record == "hooks" and plan.package not in self._target_sdks:
                self._target_sdks[plan.package] = target_sdk(self._device, plan.package)
            battery.write_bytes(self._device.shell("dumpsys battery").stdout)
            if self._history is not None:
                self._history.begin(states, plan.package)
            self._run_sampled(plan, done, work, folder if transport == "files" else None)
            self.enter(plan, "crashed" if done.crashed else "complete", done.pid)
            with battery.open("ab") as file:
                file.write(self._device.shell("dumpsys battery").stdout)
            self._warn_if_hot(plan)
        except BaseException:
            # After a short disconnection or a restart of the adb server, the data on the device can still be pulled and removed.
            # Do not send commands to a lost or hanging device: each would time out.
            reachable = self._device.wait_until_back(_RECONNECT_S)
            raise
        finally:
            self._progress.stage("pulling")
            self._next_test += len(done.tests)
            left = f"{config}, {folder.path} and a trace may still be on the device"
            missing: dict[str, int] = {}
            if reachable:
                failure = self._best_effort(
                    plan,
                    done,
                    left,
                    lambda: self._history.end(states, plan.id) if self._history is not None else None,
                    lambda: self._stop(plan),
                    lambda: self._trace.pull(lambda kind, name: self._writer.path(kind, plan.id, name)),
                    lambda: self._pull(plan, done, folder, transport, missing=missing),
                    folder.remove,
                    lambda: self._clear(plan),
                    lambda: self._device.shell(f"rm -f {shlex.quote(config)}"),
                )
            else:
                self._writer.warn("cleanup", f"device lost: {plan.package} may still run; {left}", _LEFT_REMEDY)
            for count in missing.values():
                self._writer.add_loss("event_file_bytes", count, plan.id)
            for text in done.warnings:
                self._writer.warn("tests", f"{_prefix(plan)}{text}", VALID_FOR_RUN)
            if (seen := seen_probes(done.stacks)) is not None:
                self._writer.warn("probes_seen", f"{_prefix(plan)}{seen[0]}", seen[1], run=plan.id)
            for trouble in done.troubles:
                self._writer.warn("events_missing", trouble, "see logcat.txt of the run", run=plan.id)
            if done.crashed:
                why = done.message or "the process died"
                remedy = "see the end of the run's logcat.txt"
                self._writer.warn("crashed", f"{plan.package}: {why}", remedy, run=plan.id)
            self._writer.checkpoint()
        if failure is not None:
            raise failure
        return done

    def _warn_if_hot(self, plan: RunPlan) -> None:
        status = parse_thermal(self._device.shell("dumpsys thermalservice 2>&1").text).status
        if status is not None and status >= MODERATE:
            message = f"{_prefix(plan)}the phone was hot after this run: thermal status {status} ({THERMAL_NAMES[status]})"
            remedy = "its CPU may have been slowed down: let it cool down, and record again"
            self._writer.warn("hot", message, remedy, run=plan.id)

    def _configure(self, plan: RunPlan, config: str) -> tuple[AppFolder, Transport]:
        """Write the runtime's settings, if there is one. Returns the app's folder and the transport of its events.

        A lost device may have left other settings, which would make the app record there, too: they are removed.
        """
        if not plan.has_runtime:
            for storage in PLACES:
                AppFolder(self._device, plan.package, storage).remove()
            self._device.shell(f"rm -f {shlex.quote(config)}")
            return AppFolder(self._device, plan.package), "files"
        probes = self._options.granularity == "method" and not plan.baseline
        refusals = []
        for number, place in enumerate(PLACES, 1):
            folder = AppFolder(self._device, plan.package, place)
            text = runtime_config.properties(self._options, self._sources, folder.path, plan.repeat, probes=probes)
            self._device.push(text, config)
            refusal = folder.prepare(config)
            if not refusal:
                for other in PLACES[number:]:
                    AppFolder(self._device, plan.package, other).remove()
                return folder, self._options.transport
            refusals.append(refusal)
        if self._options.transport == "files":
            why = "; ".join(refusals)
            message = f"{plan.package}: no access to the app's files ({why}): events come through the log instead"
            self._writer.warn("transport", message, "profile a debuggable build: the log may drop events")
            options = replace(self._options, transport="logcat")
            self._device.push(runtime_config.properties(options, self._sources, folder.path, plan.repeat, probes=probes), config)
        return folder, "logcat"

    def _run_sampled(self, plan: RunPlan, done: InstrumentResult, work: Work, folder: AppFolder | None) -> None:
        transport: Transport = "logcat" if folder is None else "files"
        log = self._writer.path("logcat", plan.id, "logcat.txt")
        logcat = LogcatCapture(self._device, log, transport)
        samples = self._writer.path("shell", plan.id, "shell.txt")
        sampler = ShellSampler(self._device, self._reads, samples, plan.package)
        stream = self._writer.path("instrument", plan.id, "instrument.txt")
        with logcat, sampler:
            sampled = plan.package if self._options.mode == "sample" and not plan.target.is_jvm else ""
            self._trace.start(plan.bound_s, lambda text, remedy: self._writer.warn("trace", text, remedy, run=plan.id), sampled)
            work(plan, done, stream, folder)
            self._trace.stop()
        for failure in filter(None, (logcat.failure, sampler.failure)):
            if isinstance(failure, OSError) or (failure is logcat.failure and transport == "logcat"):
                raise failure  # the recording cannot be written, or its events are lost
            self._writer.warn("sampling", str(failure), "figures that need it have a lower evidence level", run=plan.id)
        if not done.tests and not done.crashed:
            done.troubles.append(f"{_prefix(plan)}no test ran: none matches {plan.class_argument or 'the listed ones'}")
        for note in runtime_notes(log):
            done.troubles.append(f"{plan.package}: {note}")

    def _tests(self, plan: RunPlan, done: InstrumentResult, stream: Path, _: AppFolder | None) -> None:
        timeout_s = self._options.timeout_s
        target, tests = plan.target, plan.class_argument
        if self._options.mode == "sample" and target.is_jvm:
            target = replace(target, arguments={**target.arguments, async_profiler.SAMPLING: "true"})
        run_tests(self._device, target, tests, done=done, output=stream, progress=self._progress, timeout_s=timeout_s)

    def _stop(self, plan: RunPlan) -> None:
        self._device.shell(f"am force-stop{self._device.info.user_flag} {shlex.quote(plan.package)}")

    def _clear(self, plan: RunPlan) -> None:
        """Clear the packages' data as AndroidX Test Orchestrator does between tests."""
        for package in dict.fromkeys((plan.target.package, plan.target.test_package)) if plan.clears_data else ():
            self._device.shell(f"pm clear{self._device.info.user_flag} {shlex.quote(package)}")

    def enter(self, plan: RunPlan, end: Literal["interrupted", "crashed", "complete"], pid: int | None = None) -> None:
        """Add a run to the manifest, or replace its entry."""
        run = manifest.Run(
            id=plan.id, module=plan.module, repeat=plan.repeat, package=plan.package, map_id=plan.map_id, exit=end,
            whole=plan.whole, baseline=plan.baseline, warmup=plan.warmup, pid=pid,
            target_sdk=self._target_sdks.get(plan.package),
        )  # fmt: skip
        self._writer.add_run(run)

    def _pull(
        self, plan: RunPlan, done: InstrumentResult, folder: AppFolder, transport: Transport, *, missing: dict[str, int]
    ) -> None:
        """Pull the event files. Sets how many bytes of each are `missing`. Can be called again after an interruption."""
        files = folder.files()
        names = app_files.event_files(files)
        if app_files.POWER_PROFILE in files:
            self.power_profile = folder.power_profile()
        for name in names:
            missing[name] = folder.pull(name, self._writer.path("events", plan.id, name))
        for name in (samples := app_files.sample_files(files)):
            missing[name] = folder.pull(name, self._writer.path("samples", plan.id, name))
        if lost := [f"{count:,} bytes of {name}" for name, count in missing.items() if count]:
            raise DeviceError(f"device {self._device.info.serial}: {', '.join(lost)} did not arrive", "profile again")
        if self._options.mode == "sample" and plan.target.is_jvm and not samples and not done.troubles:
            done.troubles.append(f"{plan.package}: the profiler left no samples: it did not start, or its process was killed")
        if not plan.has_runtime and not self._trace.has_traced and not done.troubles:
            done.troubles.append(f"{plan.package}: the phone's trace is missing, which alone has the CPU time of a sampled app")
        if not names and transport == "files" and plan.has_runtime and not done.troubles:
            done.troubles.append(f"{plan.package}: the app left no events: not instrumented, or a test removed the app's files")

    def _best_effort(
        self, plan: RunPlan, done: InstrumentResult, left: str, *steps: Callable[[], object]
    ) -> DeviceError | OSError | KeyboardInterrupt | None:
        """Do all steps even if one fails, because later steps clean up. Returns an interruption, or else the first failure.

        An interrupted step is done again. If that is interrupted, too, later steps are left out, since they would remove what it
        pulls; only the app is stopped.
        """
        first: DeviceError | OSError | KeyboardInterrupt | None = None
        for step in steps:
            try:
                try:
                    step()
                except KeyboardInterrupt as error:
                    first = error
                    step()
            except KeyboardInterrupt as error:
                self.enter(plan, "interrupted", done.pid)
                running = ""
                try:
                    self._stop(plan)
                except (DeviceError, KeyboardInterrupt):
                    running = f"{plan.package} may still run; "
                message = f"interrupted again: not all was pulled: {running}{left}"
                self._writer.warn("cleanup", message, _LEFT_REMEDY, run=plan.id)
                return error
            except (DeviceError, OSError) as error:
                first = first or error
                self._writer.warn("cleanup", str(error), "reconnect the device and profile again")
        return first


class _TestEntries:
    """Adds a run's tests to the manifest as they start and end, so that a killed profiling keeps them."""

    def __init__(self, writer: RecordingWriter, plan: RunPlan, first_id: int) -> None:
        self._writer = writer
        self._plan = plan
        self._first_id = first_id
        self._ids: dict[TestName, int] = {}
        self._saved_s = 0.0

    def enter(self, name: TestName, status: manifest.TestStatus) -> None:
        """Add the test, or replace its entry."""
        plan = self._plan
        number = self._ids.setdefault(name, self._first_id + len(self._ids))
        fields = {"id": number, "run": plan.id, "module": plan.module, "repeat": plan.repeat, "status": status}
        self._writer.add_test(manifest.Test.model_validate(fields | {"class": name.class_name, "method": name.method}))
        if time.monotonic() - self._saved_s > _SAVE_EVERY_S:
            self._writer.save()
            self._saved_s = time.monotonic()


def _prefix(plan: RunPlan) -> str:
    """Return what messages name first: the module; nothing if it is the project itself."""
    return "" if plan.module == ":" else f"{plan.module}: "
