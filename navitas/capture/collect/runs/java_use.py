"""Record a JVM of this computer as a process of a virtual phone: its threads' energy by the phone's model, and its stacks."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from navitas.base.errors import DeviceError, NavitasError, UsageError
from navitas.base.folder_lock import FolderLock
from navitas.base.untrusted_text import printable
from navitas.capture.build import async_profiler
from navitas.capture.collect.apps.map_cache import NO_METHODS
from navitas.capture.collect.opened import DeviceFacts, Opened, opened, read_facts
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.readings.process_threads import ProcessThreads
from navitas.capture.collect.readings.shell_sampler import ShellSampler
from navitas.capture.collect.runs.app_use import WHOLE, wait_for_user
from navitas.capture.collect.runs.jvm_attach import NoAnswer, check_jvm, load_agent, open_jvm, start_of
from navitas.capture.collect.runs.version_runs import ProfilingOutcome
from navitas.capture.collect.state.measuring import condition_at_start, measured
from navitas.capture.collect.trace.run_trace import RunTrace
from navitas.capture.device.base import Device
from navitas.recording import manifest

_MODULE = ":"
_END_S = 20.0
_BETWEEN = "@"
_VERSION = re.compile(r"-\d[\w.+-]*$", re.ASCII)
_ENDS = (0, *(code for number in (signal.SIGTERM, signal.SIGINT) for code in (128 + number, -number)))
"""How a JVM ends by itself, by Navitas or by Ctrl-C. With a handler, a JVM returns 128 and the signal's number."""
_EXACT = "-XX:+DebugNonSafepoints"
"""With this option of HotSpot, compiled code knows its inlined calls everywhere. A profiler that starts with the JVM sets it."""
_LATE = "{name} ran before it was recorded: code that it had compiled by then may hide small inlined calls in their callers"
_LATE_REMEDY = "start it with: navitas record --java -- java …, or with -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints"
_MUCH_S = 1.0
_CHILDREN = "{name} started processes that used {used_s:.1f} s of CPU time: they were not recorded"
_CHILDREN_REMEDY = "record them by their PID, or let the JVM do their work itself, such as JMH by -f 0"
_MODEL = "its joules are those of the virtual phone {model!r} for this CPU time: they compare parts of the program, not computers"


@dataclass(frozen=True, slots=True)
class JavaUse:
    """A JVM to record: a running one, or that which a command starts. `duration_s` None: until it or the user ends it.

    `start` distinguishes the running one from later processes with its `pid` (`start_of`). `is_late`: what it has compiled may
    hide inlined calls.
    """

    name: str
    pid: int | None = None
    start: int = 0
    is_late: bool = False
    command: Sequence[str] = ()
    duration_s: float | None = None


def java_use(words: Sequence[str], duration_s: float | None) -> JavaUse:
    """Return the use that words name: a pid, or a command line of `java`. Raises `UsageError`."""
    if len(words) == 1 and words[0].isdecimal():
        pid = int(words[0])
        check_jvm(pid)
        start = start_of(pid)
        check_jvm(pid)  # the same process as at its start
        line = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").rstrip("\0").split("\0")
        return JavaUse(_name_of(line), pid, start, _EXACT not in line, duration_s=duration_s)
    program = shutil.which(words[0]) if words else None
    if program is None or Path(program).name != "java":
        raise UsageError(
            f"--java takes the pid of a JVM or a command of java, and {' '.join(words) or 'nothing'} is neither",
            "navitas record --java PID (jps -l lists them), or navitas record --java -- java -jar app.jar",
        )
    return JavaUse(_name_of(words), command=(program, *words[1:]), duration_s=duration_s)


def _name_of(line: Sequence[str]) -> str:
    """Return the name of a JVM's program: its main class, module or jar."""
    with_value = ("-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules", "--add-opens", "--add-exports")
    words = iter(line[1:])
    for word in words:
        if word == "-jar":
            return _VERSION.sub("", Path(next(words, "java")).stem).replace(".", "-")  # a class has no such dots
        if word in ("-m", "--module"):
            return next(words, "java").rpartition("/")[2] or "java"
        if word in with_value:
            next(words, "")
        elif not word.startswith(("-", "@")):
            return Path(word).stem if word.endswith(".java") else word
    return "java"


def record_java(
    device: Device, use: JavaUse, options: ProfileOptions, output: Path, progress: Progress, *, lock: FolderLock | None = None
) -> ProfilingOutcome:
    """Record a JVM at `output`. The caller may already hold the lock of `output`.

    Raises `UsageError` if the JVM cannot be sampled, `BuildError` without async-profiler, `DeviceError` if the phone is lost.
    """
    async_profiler.find()
    options = replace(options, mode="sample")
    start = condition_at_start(device, options)
    facts = read_facts(device, options)
    with opened(device, options, use.name, output, progress, facts=facts, lock=lock) as recording:
        recording.add_map(NO_METHODS)
        recording.writer.warn("power_profile", _MODEL.format(model=device.info.model), "navitas power show")
        with measured(device, start, options, recording.writer.warn, progress):
            run = _Run(device, use, options, recording, facts, progress)
            trouble = run.record()
        recording.finish(progress)
    return ProfilingOutcome(output, {use.name: run.failure} if run.failure else {}, False, (trouble,) if trouble else ())


@dataclass(slots=True)
class _Run:
    """The only run of a recording. `failure` is how the JVM failed, if it did."""

    device: Device
    use: JavaUse
    options: ProfileOptions
    recording: Opened
    facts: DeviceFacts
    progress: Progress
    failure: str = ""

    def record(self) -> str:
        """Record the JVM, and return why samples are missing, else nothing."""
        writer = self.recording.writer
        trace = RunTrace(self.device, self.options.trace)
        self._enter(None, "interrupted")
        with self._jvm() as (pid, handle), self._beside_children(pid):
            samples = writer.path("samples", 0, f"samples-{pid}.jfr")
            samples.parent.mkdir(parents=True, exist_ok=True)
            try:
                shell = ShellSampler(self.device, self.facts.reads, writer.path("shell", 0, "shell.txt"), self.use.name)
                with self._watched(pid), shell as sampler:
                    trace.start(self.use.duration_s, lambda text, remedy: writer.warn("trace", text, remedy, run=0))
                    # The run begins and ends with these readings: what the profiler did not see is not in it.
                    with self._threads(pid) as threads, self._profiled(pid, samples.absolute()):
                        self.progress.stage(self._stage())
                        wait_for_user(self.use.duration_s, handle, by_hand=self.use.pid is not None)
                    trace.stop()
            finally:
                trace.pull(lambda kind, name: writer.path(kind, 0, name))
        for failure in filter(None, (sampler.failure, threads.failure)):
            writer.warn("sampling", str(failure), "figures that need it have a lower evidence level", run=0)
        self._enter(pid, "complete")
        if samples.is_file() and samples.stat().st_size:
            return ""
        trouble = f"{self.use.name}: the profiler left no samples: the JVM was killed, or ended before it started"
        writer.warn("events_missing", trouble, "see the output of the JVM", run=0)
        return trouble

    def _stage(self) -> str:
        by_hand = ": press Enter to end" if self.use.pid is not None and self.use.duration_s is None else ""
        return f"recording {self.use.name}{by_hand}"

    @contextmanager
    def _jvm(self) -> Iterator[tuple[int, int]]:
        """Yield the JVM's pid and a handle of it. A new one is stopped until `_begin`, so that nothing that it does is missed."""
        if self.use.pid is not None:
            with open_jvm(self.use.pid, self.use.start) as handle:
                if self.use.is_late:
                    self.recording.writer.warn("attached_late", _LATE.format(name=self.use.name), _LATE_REMEDY, run=0)
                yield self.use.pid, handle
            return
        library = async_profiler.find()
        # Only the shell knows the pid of the file before the JVM runs. The profiler replaces %p itself.
        samples = self.recording.writer.path("samples", 0, "samples.jfr").absolute().parent / "samples-%p.jfr"
        agent = async_profiler.agent_argument(library, str(samples))
        command = [self.use.command[0], agent, *self.use.command[1:]]
        # Standard output is for reports, so the program's goes where its errors go.
        process = subprocess.Popen(["sh", "-c", 'kill -STOP $$; exec "$@"', "sh", *command], stdout=2)
        try:
            os.waitpid(process.pid, os.WUNTRACED)
            with open_jvm(process.pid, start_of(process.pid)) as handle:
                yield process.pid, handle
        finally:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
                process.terminate()
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.returncode not in _ENDS:
                self.failure = f"the JVM {_ended(process.returncode)}"
                self.recording.writer.warn("tests", f"{self.use.name}: {self.failure}", "see its output", run=0)

    @contextmanager
    def _beside_children(self, pid: int) -> Iterator[None]:
        """Warn if processes that the JVM starts use much CPU time and end before it."""
        before_s = children_cpu_s(pid)
        yield
        used_s = children_cpu_s(pid) - before_s
        if used_s >= _MUCH_S:
            message = _CHILDREN.format(name=self.use.name, used_s=used_s)
            self.recording.writer.warn("children", message, _CHILDREN_REMEDY, run=0)

    @contextmanager
    def _watched(self, pid: int) -> Iterator[None]:
        """Run the JVM's CPU time on the phone's cores while the context is open."""
        with self.device.stream(f"navitas-watch {pid} {shlex.quote(self.use.name)} 2>&1") as stream:
            answer = next(stream.lines(), b"")
            if answer != b"watching":
                said = printable(answer.decode("utf-8", "replace")) or "nothing"
                what = f"device {self.device.info.serial}: it does not watch process {pid}, and says {said}"
                raise DeviceError(what, "is it still running?")
            yield
            stream.close()

    def _threads(self, pid: int) -> ProcessThreads:
        sources = [source for source in self.facts.sources if source.kind == "time_in_state"]
        command = f"; echo {_BETWEEN}; ".join(f"cat {shlex.quote(source.path)}" for source in sources)

        def others() -> list[tuple[int, bytes]]:
            texts = self.device.shell(command).stdout.split(f"{_BETWEEN}\n".encode()) if sources else []
            return [(source.id, text) for source, text in zip(sources, texts, strict=False)]

        return ProcessThreads(pid, self.recording.writer.path("events", 0, f"events-{pid}.nvch"), others)

    @contextmanager
    def _profiled(self, pid: int, samples: Path) -> Iterator[None]:
        """Profile the JVM while the context is open. If it refuses the start, another profile may run: that one goes on."""
        refused = False
        try:
            try:
                self._begin(pid, samples)
            except NavitasError as error:
                refused = not isinstance(error, NoAnswer)
                raise
            yield
        finally:
            if not refused:
                self._end(pid)

    def _begin(self, pid: int, samples: Path) -> None:
        if self.use.pid is None:
            os.kill(pid, signal.SIGCONT)
        else:
            load_agent(pid, async_profiler.find(), async_profiler.start_options(str(samples)))

    def _end(self, pid: int) -> None:
        """Stop the profiler, or end the JVM, whose profiler then writes its file. A JVM that has ended is not reaped yet."""
        if self.use.pid is not None:
            try:
                load_agent(pid, async_profiler.find(), "stop,quiet")
            except UsageError as error:
                with suppress(UsageError):  # it has ended, and has stopped its profiler
                    check_jvm(pid)
                    what = f"{self.use.name}: its profiler was not stopped: {error.message}"
                    self.recording.writer.warn("events_missing", what, "restart the JVM: the profiler may go on", run=0)
            return
        end = time.monotonic() + _END_S
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
            os.kill(pid, signal.SIGCONT)  # if an error came before it began
        while time.monotonic() < end and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            time.sleep(0.01)

    def _enter(self, pid: int | None, end: manifest.RunExit) -> None:
        writer, name = self.recording.writer, self.use.name
        run = manifest.Run(id=0, module=_MODULE, repeat=0, package=name, map_id=NO_METHODS.map_id, exit=end, pid=pid, whole=True)
        writer.add_run(run)
        status = "cut" if end != "complete" else "failed" if self.failure else "passed"
        fields = {"id": 0, "run": 0, "module": _MODULE, "repeat": 0, "status": status, "class": name, "method": WHOLE}
        writer.add_test(manifest.Test.model_validate(fields))
        writer.checkpoint()


def children_cpu_s(pid: int) -> float:
    """Return the CPU time of the ended children of a process; 0 if it is gone (Linux: proc(5), /proc/PID/stat)."""
    try:
        user, system = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[13:15]
    except OSError:
        return 0.0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _ended(code: int) -> str:
    """Return how a process ended: with a code, or (below 0) by a signal."""
    return f"ended with exit code {code}" if code >= 0 else f"ended by signal {-code} ({signal.strsignal(-code)})"
