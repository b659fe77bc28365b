"""What a profiling run may be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from navitas.collect.selection import check_pattern
from navitas.collect.trace.tracer import Tracing
from navitas.errors import UsageError
from navitas.power import catalog
from navitas.power.power_profile import read_power_profile
from navitas.recording.manifest import Provenance

Transport = Literal["files", "logcat"]
Mode = Literal["events", "folded", "tick"]
Granularity = Literal["test", "class", "method"]


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """Settings of one profiling: which tests, how often, and how the runtime records."""

    tests: tuple[str, ...] = ()
    repeat: int = 1
    transport: Transport = "files"
    mode: Mode = "events"
    granularity: Granularity = "method"
    """Beyond `method`, probes are off."""
    baseline: bool = False
    """Run the tests once more without probes after each repeat."""
    sample_interval_ms: int = 20
    event_budget_bytes: int = 64 << 20
    power_profile: str | None = None
    voltage_v: float | None = None
    timeout_s: float = 3600.0
    prepare: bool | None = None
    """Set the phone for the measurement (brightness, animations …) and give it back; None: where it is a real one."""
    radios_off: bool = False
    isolate: bool = False
    """Run each test in a process of its own."""
    trace: Tracing = "auto"
    """With what the kernel's scheduler is traced."""
    force: bool = False
    """Measure also a phone that is hot or nearly empty."""
    provenance: Provenance | None = None
    """What the recording says of where it comes from."""


def check_options(options: ProfileOptions) -> None:
    """Find what is wrong without a device: patterns and the power profile. Raises `UsageError` or `PowerProfileError`."""
    for pattern in options.tests:
        check_pattern(pattern)
    if options.baseline and options.granularity != "method":
        raise UsageError(
            f"--baseline compares with a run without probes, and --granularity {options.granularity} has none", "leave one out"
        )
    if options.mode != "events" and options.granularity != "method":
        raise UsageError(
            f"--mode {options.mode} says how calls are recorded, and --granularity {options.granularity} records none",
            "leave one out",
        )
    if options.power_profile is not None:
        read_power_profile(catalog.find(options.power_profile))
