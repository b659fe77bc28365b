"""The traces of a recording's runs: which tracer makes them, and that none costs a run its tests or stays on the phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from navitas.collect.trace import atrace, perfetto
from navitas.collect.trace.tracer import NotThereError, Tracer, Tracing, Warn
from navitas.device.base import Device
from navitas.errors import DeviceError

SPARE_S = 600.0
"""A trace that nobody could end, since the cable was lost, ends so long after the run must have."""
LONGEST_S = 24 * 3600.0
"""The same of a run whose end nobody knows. Its file's size bounds it, too."""
_BACK_S = 5.0
_LOWER = "figures have a lower evidence level (docs/troubleshooting.md)"
_BEGIN: dict[str, Callable[[Device, float, Warn], Tracer]] = {"perfetto": perfetto.begin, "atrace": atrace.begin}


class RunTrace:
    """One trace after the other on one phone.

    All methods raise `DeviceError` only when the phone is lost. A tracer that hangs on a phone that answers is a warning, and
    is not tried again.
    """

    def __init__(self, device: Device, tracing: Tracing) -> None:
        self._device = device
        self._names = [name for name in _BEGIN if tracing in ("auto", name)]
        self._unfit: dict[str, str] = {}
        self._clean = False
        self._name = ""
        self._tracer: Tracer | None = None
        self._warn: Warn = lambda _what, _remedy: None

    def start(self, bound_s: float | None, warn: Warn) -> None:
        """Begin a run's trace, of whose length a bound may be known; a warning tells where the phone has no tracer."""
        self._warn = warn
        self._leave_nothing()  # not of a profiling that was killed, either
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

    def stop(self) -> None:
        """End it; a trace that cannot be ended is given up."""
        if self._tracer is None:
            return
        with self._coping("the trace was given up"):
            self._tracer.stop()
            return
        self._unfit[self._name] = "did not end before"
        self._tracer = None

    def pull(self, path_of: Callable[[str], Path]) -> None:
        """Bring what was traced here as far as it comes, to the path of its file's name; nothing of it stays on the phone."""
        try:
            self.stop()
            if self._tracer is not None:
                with self._coping("the trace is not whole"):
                    self._tracer.pull(path_of(self._tracer.file_name))
        finally:
            self._tracer = None
            self._leave_nothing()

    def _begin(self, name: str, longest_s: float) -> None:
        self._clean, self._name = False, name
        try:
            self._tracer = _BEGIN[name](self._device, longest_s, self._warn)
            return
        except NotThereError as reason:
            self._unfit[name] = str(reason)
        except DeviceError as error:
            if not self._device.wait_until_back(_BACK_S):
                raise
            self._unfit[name] = error.message
        self._leave_nothing()

    def _leave_nothing(self) -> None:
        if not self._clean:
            with self._coping(
                "a trace may still be on the phone", f"navitas doctor --device {self._device.info.serial} --restore"
            ):
                leave_nothing(self._device)
                self._clean = True

    @contextmanager
    def _coping(self, what: str, remedy: str = "") -> Iterator[None]:
        """What goes wrong on a phone that answers is a warning."""
        try:
            yield
        except DeviceError as error:
            if not self._device.wait_until_back(_BACK_S):
                raise
            self._warn(f"{what}: {error.message}", remedy or error.remedy)


def leave_nothing(device: Device) -> None:
    """End and remove all that was traced for us on a phone. Raises `DeviceError`."""
    perfetto.end(device)
    perfetto.remove(device)
    atrace.end(device)
