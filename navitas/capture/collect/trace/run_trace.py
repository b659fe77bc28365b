"""The traces of a recording's runs. If a tracer fails, the run's tests continue. No trace stays on the phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from navitas.android.perfetto.sampling import FIRST_SDK
from navitas.base.errors import DeviceError
from navitas.capture.collect.trace import atrace, perfetto, simpleperf
from navitas.capture.collect.trace.atrace import AtraceTrace
from navitas.capture.collect.trace.perfetto import PerfettoTrace
from navitas.capture.collect.trace.simpleperf import SimpleperfRecord
from navitas.capture.collect.trace.tracer import TracerUnavailable, Tracing, Warn
from navitas.capture.device.base import Device
from navitas.recording.manifest import FileKind

SPARE_S = 600.0
"""A trace that cannot be ended, because the cable was lost, ends this long after the run's latest end."""
LONGEST_S = 24 * 3600.0
"""The same for a run of unknown duration. The file's size limit also ends it."""
_RECONNECT_S = 5.0
_LOWER = "figures have a lower evidence level (docs/troubleshooting.md)"
Tracer = AtraceTrace | PerfettoTrace
"""A trace in progress. All methods raise `DeviceError` if the device does not answer."""
_BEGIN: dict[str, Callable[[Device, float, Warn, str], Tracer]] = {"perfetto": perfetto.begin, "atrace": atrace.begin}


class RunTrace:
    """Traces one run after the other on one phone, and samples the stacks of its app if wanted.

    All methods raise `DeviceError` only if the phone is lost. If a tracer hangs but the phone answers, they warn, and the
    tracer is not tried again.
    """

    def __init__(self, device: Device, tracing: Tracing) -> None:
        self._device = device
        self._names = [name for name in _BEGIN if tracing in ("auto", name)]
        self._unfit: dict[str, str] = {}
        self._clean = False
        self._name = ""
        self.has_traced = False
        """Whether the trace of the last run arrived."""
        self._tracer: Tracer | None = None
        self._sampled = ""
        self._stacks: SimpleperfRecord | None = None
        self._warn: Warn = lambda _what, _remedy: None

    def start(self, bound_s: float | None, warn: Warn, sampled: str = "") -> None:
        """Begin a run's trace; `bound_s` limits its duration. Warns if the phone has no tracer.

        Stacks of the app `sampled` are in Perfetto's trace, or where that has none, in a file of simpleperf.
        """
        self._warn, self._sampled, self.has_traced = warn, sampled, False
        self._remove_traces()  # end traces of killed profilings too
        longest_s = LONGEST_S if bound_s is None else bound_s + SPARE_S
        for name in self._names:
            if name not in self._unfit:
                self._begin(name, longest_s)
            if self._tracer is not None:
                break
        why = "; ".join(f"{name}: {reason}" for name, reason in self._unfit.items())
        if self._tracer is not None:
            if why:
                warn(f"traced with {self._name} ({why})", "")
        elif self._names:
            warn(f"the phone's threads were not traced ({why})", _LOWER)
        if sampled and not (isinstance(self._tracer, PerfettoTrace) and self._device.info.sdk >= FIRST_SDK):
            self._begin_stacks(longest_s)

    def stop(self) -> None:
        """End the trace, or give up on one that cannot be ended."""
        if self._stacks is not None:
            with self._errors_as_warnings("stack samples are incomplete"):
                self._stacks.stop()
        if self._tracer is None:
            return
        with self._errors_as_warnings("the trace was abandoned"):
            self._tracer.stop()
            return
        self._unfit[self._name] = "did not end before"
        self._tracer = None

    def pull(self, path_of: Callable[[FileKind, str], Path]) -> None:
        """Pull the trace and samples as far as possible, to the paths for their file names, and remove them from the phone.

        Can be called again after an interruption.
        """
        try:
            self.stop()
            if self._tracer is not None:
                with self._errors_as_warnings("the trace is incomplete"):
                    self._tracer.pull(path_of("trace", self._tracer.file_name))
                    self.has_traced = True
            if self._stacks is not None:
                with self._errors_as_warnings("stack samples are incomplete"):
                    self._stacks.pull(path_of("samples", self._stacks.file_name))
        except (DeviceError, OSError):
            self._remove_traces()
            raise
        self._remove_traces()

    def _begin(self, name: str, longest_s: float) -> None:
        self._clean, self._name = False, name
        try:
            sampled = self._sampled if self._device.info.sdk >= FIRST_SDK else ""
            self._tracer = _BEGIN[name](self._device, longest_s, self._warn, sampled)
            return
        except TracerUnavailable as reason:
            self._unfit[name] = str(reason)
        except DeviceError as error:
            if not self._device.wait_until_back(_RECONNECT_S):
                raise
            self._unfit[name] = error.message
        self._remove_traces()

    def _begin_stacks(self, longest_s: float) -> None:
        self._clean = False
        with self._errors_as_warnings("stacks were not sampled"):
            try:
                self._stacks = simpleperf.begin(self._device, self._sampled, longest_s, self._warn)
            except TracerUnavailable as reason:
                self._warn(f"stacks were not sampled (simpleperf: {reason})", f"navitas doctor {self._sampled}")

    def _remove_traces(self) -> None:
        self._tracer = self._stacks = None
        if not self._clean:
            with self._errors_as_warnings(
                "a trace may still be on the phone", f"navitas doctor --device {self._device.info.shell_serial} --restore"
            ):
                remove_traces(self._device, stacks=bool(self._sampled))
                self._clean = True

    @contextmanager
    def _errors_as_warnings(self, what: str, remedy: str = "") -> Iterator[None]:
        """Turn errors into warnings if the phone still answers."""
        try:
            yield
        except DeviceError as error:
            if not self._device.wait_until_back(_RECONNECT_S):
                raise
            self._warn(f"{what}: {error.message}", remedy or error.remedy)


def remove_traces(device: Device, *, stacks: bool = True) -> None:
    """End and remove all traces of Navitas on a phone, and samples of `stacks`. Raises `DeviceError`."""
    if stacks:
        SimpleperfRecord.end(device)
        simpleperf.remove(device)
    PerfettoTrace.end(device)
    perfetto.remove(device)
    atrace.end(device)
