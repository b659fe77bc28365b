"""Read a run's kernel trace and join it with the run's clock, or say why there is none."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Final

from navitas.base.errors import RecordingError
from navitas.recording.manifest import Run
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.trace.join import Process, to_monotonic
from navitas.recording.parse.trace.trace_tables import RawTrace, Trace
from navitas.recording.store import Recording

PERFETTO_SUFFIXES = (".pftrace", ".perfetto-trace")
NOT_TRACED: Final = "trace"
"""Code of the manifest's warnings that a run was not traced, or not by the requested tracer."""
_ROUGH_NS = 1_000_000


def read_trace(
    recording: Recording, run: Run, clocks: ClockTriples, findings: Findings, *, run_ns: tuple[int, int], tids: Collection[int]
) -> tuple[Trace | None, tuple[Reason, ...]]:
    """Return the run's first usable trace, and reasons about all its traces. Skipped lines are counted in `findings`."""
    warnings = [warning for warning in recording.manifest.warnings if warning.code == NOT_TRACED and warning.run == run.id]
    reasons = [Reason("tracer", warning.message) for warning in warnings]
    for path in recording.files("trace", run.id):
        try:
            raw = _read(path)
        except RecordingError as error:
            findings.warn("trace_unreadable", str(error), "The analysis of the run does not use it.")
            reasons.append(Reason("trace_unreadable", f"{path.name} cannot be read"))
            continue
        _count_skipped(path, raw, findings)
        joined = to_monotonic(raw, clocks, Process(tids, run.pid), run_ns)
        reasons += joined.reasons
        if joined.trace is not None:
            if joined.residual_ns > _ROUGH_NS:
                text = f"the trace's clock is known only to {joined.residual_ns / 1e6:.1f} ms"
                reasons.append(Reason("trace_clock_rough", text))
            return _with_app_uid(joined.trace, Process(tids, run.pid)), tuple(reasons)
    return None, tuple(reasons)


def _with_app_uid(trace: Trace, process: Process) -> Trace:
    uid = process.uid(trace)
    if trace.consumers is None or uid is None:
        return trace
    return replace(trace, consumers=replace(trace.consumers, app_uid=uid))


def _read(path: Path) -> RawTrace:
    if path.suffix in PERFETTO_SUFFIXES:  # Each reader takes long to import.
        from navitas.recording.parse.trace.perfetto import read_perfetto  # noqa: PLC0415

        return read_perfetto(path)
    from navitas.recording.parse.trace.text_trace import read_text  # noqa: PLC0415

    return read_text(path)


def _count_skipped(path: Path, raw: RawTrace, findings: Findings) -> None:
    """Count the skipped lines or packets by reason, with the number of the first one."""
    unit = "packets" if path.suffix in PERFETTO_SUFFIXES else "lines"
    for reason, count in raw.skipped_by_reason.items():
        first = next((f", the first is number {one.number}" for one in raw.skipped if one.reason == reason), "")
        message = f"{path.name}: {{count}} {unit} were skipped ({reason}){first}"
        findings.add_loss("trace_lines", count, message, "The others are used.", file=path.name)
