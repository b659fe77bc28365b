"""Options of a profiling run."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from navitas.base.errors import UsageError
from navitas.base.test_patterns import check_pattern
from navitas.capture.collect.trace.tracer import Tracing
from navitas.power import catalog
from navitas.power.power_profile import read_power_profile

if TYPE_CHECKING:  # These load Pydantic, which options do not need.
    from navitas.capture.bundle.manifest import Probes
    from navitas.capture.collect.apps.packages import CompileMode
    from navitas.recording.manifest import Provenance

Transport = Literal["files", "logcat"]
Mode = Literal["events", "folded", "tick", "sample"]
Record = Literal["none", "sampling", "hooks", "both"]
CPU_INTERVAL_MS = 20
"""Time between readings of the app's CPU counters."""
IO_INTERVAL_MS = {"none": 200, "sampling": 200, "hooks": 200, "both": 100}
"""Time between readings of counters of traffic, by `Record`."""
LEAST_REPEATS = 6
"""The least number of repeats from which an interval decides whether more are needed. After fewer, a small spread is often
chance, and the interval too narrow."""
MAX_SEED = (1 << 31) - 1
Granularity = Literal["test", "class", "method", "block"]


def probes_of(granularity: Granularity, mode: Mode = "events") -> Probes:
    """Return the kind of probes that a build needs."""
    return "none" if mode == "sample" else "blocks" if granularity == "block" else "methods"


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """Options of one profiling: which tests, how many repeats, and how the runtime records."""

    tests: tuple[str, ...] = ()
    built_module: str = ""
    """The path of the only module that was built, to record; empty: all."""
    repeat: int = 1
    """How often the tests run and count; with `until_percent`, the least number."""
    warmup: int = 0
    """How often the tests run before that. These runs are recorded, but do not count."""
    until_percent: float | None = None
    """Repeat until the interval of the total energy is at most this wide to each side; None: `repeat` times."""
    max_repeat: int = 30
    """The largest number of repeats with `until_percent` or `goes_on`."""
    goes_on: bool = False
    """Repeat until the caller has enough (`Caller.has_enough`), at least `repeat` times."""
    seed: int | None = None
    """Sets the random order of runs; None: another order each time."""
    session: str = ""
    """The same in the recordings of versions that take turns."""
    transport: Transport = "files"
    mode: Mode = "events"
    """How calls are recorded. `sample`: stacks of threads are sampled, and nothing of the app has probes."""
    granularity: Granularity = "method"
    """With any other value than `method`, no calls are recorded. `block` counts executions of basic blocks."""
    record: Record = "none"
    """How the use of components is recorded: counters at intervals, hooked calls of APIs with their bytes, or both.

    `hooks` reads counters, too: they show the bytes of headers, when bytes crossed the air, and what crossed no interface.

    With any other value than `none`, hooked calls of APIs appear in call trees.
    """
    baseline: bool = False
    """Run the tests once more without probes after each repeat."""
    sample_interval_ms: int | None = None
    """Time between readings of counters; None: the intervals above."""
    event_budget_bytes: int = 64 << 20
    power_profile: str | None = None
    voltage_v: float | None = None
    timeout_s: float = 3600.0
    prepare: bool | None = None
    """Set the phone for the measurement (brightness, animations …) and restore it afterwards; None: on physical phones only."""
    radios_off: bool = False
    isolate: bool = False
    """Run each test in a separate process."""
    trace: Tracing = "auto"
    """The tracer for the kernel's scheduler."""
    compile_mode: CompileMode | None = None
    """Compile the apps with this filter first; None: leave them as the phone compiles them."""
    force: bool = False
    """Measure the phone even if it is hot or nearly empty."""
    provenance: Provenance | None = None
    """The origin to record."""

    @property
    def least_turns(self) -> int:
        """The least number of times that the tests run."""
        least = self.repeat if self.until_percent is None else max(self.repeat, min(LEAST_REPEATS, self.max_repeat))
        return self.warmup + least

    @property
    def max_turns(self) -> int:
        """The largest number of times that the tests run."""
        return self.warmup + self.max_repeat if self.is_open else self.least_turns

    @property
    def is_open(self) -> bool:
        """Whether the number of repeats follows from what was measured."""
        return self.until_percent is not None or self.goes_on

    def with_seed(self) -> ProfileOptions:
        """Return the options with a seed: the given one, or a random one."""
        return self if self.seed is not None else replace(self, seed=secrets.randbelow(MAX_SEED + 1))

    @property
    def cpu_interval_ms(self) -> int:
        """Time between readings of CPU counters in the app."""
        return self.sample_interval_ms or CPU_INTERVAL_MS

    @property
    def io_interval_ms(self) -> int:
        """Time between readings of counters of traffic, in the app and by the shell."""
        return self.sample_interval_ms or IO_INTERVAL_MS[self.record]

    @property
    def counts_traffic(self) -> bool:
        """Whether counters of traffic are read."""
        return self.record != "none"


def check_options(options: ProfileOptions) -> None:
    """Check patterns and the power profile without a device. Raises `UsageError` or `PowerProfileError`."""
    if options.radios_off and options.prepare is False:
        raise UsageError("--radios off changes the phone, but --no-prepare forbids changes", "leave one out")
    for pattern in options.tests:
        check_pattern(pattern)
    granularity = f"--granularity {options.granularity}"
    of_calls = (
        (options.baseline, f"--baseline corrects the cost of probes of calls, and {granularity} has none"),
        (options.mode != "events", f"--mode {options.mode} sets how calls are recorded, but {granularity} records none"),
        (options.record != "none", f"--record {options.record} records calls of APIs, but {granularity} records no calls"),
    )
    for is_given, message in of_calls:
        if is_given and options.granularity != "method":
            raise UsageError(message, "leave one out")
    _check_sampling(options)
    if options.is_open and options.repeat > options.max_repeat:
        raise UsageError(
            f"--repeat {options.repeat} is the least number of repeats, and --max-repeat {options.max_repeat} the largest",
            "raise --max-repeat, or lower --repeat",
        )
    if options.power_profile is not None:
        read_power_profile(catalog.find(options.power_profile))


def _check_sampling(options: ProfileOptions) -> None:
    of_probes = (
        (options.baseline, "--baseline corrects the cost of probes"),
        (options.record in ("hooks", "both"), f"--record {options.record} records calls of APIs by probes"),
    )
    for is_given, what in of_probes:
        if is_given and options.mode == "sample":
            raise UsageError(f"{what}, and --mode sample has none", "leave one out")
