"""What a profiling run may be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Transport = Literal["files", "logcat"]
Mode = Literal["events", "folded"]


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """Settings of one profiling: which tests, how often, and how the runtime records."""

    tests: tuple[str, ...] = ()
    repeat: int = 1
    transport: Transport = "files"
    mode: Mode = "events"
    sample_interval_ms: int = 20
    event_budget_bytes: int = 64 << 20
    power_profile: str | None = None
    voltage_v: float | None = None
    timeout_s: float = 3600.0
