"""Convert a Perfetto trace's reports of missing data to time spans."""

from __future__ import annotations

from typing import Any

from navitas.recording.parse.trace.trace_builder import CPU_LIMIT, TraceBuilder

_START, _END = 1, 2
_CORES_NAMED = 8


class PerfettoLosses:
    """Losses by overruns of the kernel's buffers (`lost_events`, counts), and by dropped or damaged packets.

    A core's loss lasts from its last event before the gap to its first event after it.
    """

    def __init__(self, into: TraceBuilder) -> None:
        self._into = into
        self._last_ns: dict[int, int] = {}
        self._cpus_of: dict[int, set[int]] = {}
        self._pending: set[int] = set()
        self._reported: set[int] = set()
        self._overruns: dict[int, dict[int, int]] = {_START: {}, _END: {}}
        self._buffers: Any = None

    def bundle(self, cpu: int, sequence: int, first_ns: int, last_ns: int, lost: bool) -> bool:
        """Add the span of a core's next events. Returns whether events before them are missing."""
        missing = (lost or cpu in self._pending) and cpu in self._last_ns
        if missing:
            self._add(cpu, self._last_ns[cpu], first_ns)
        self._pending.discard(cpu)
        self._last_ns[cpu] = max(last_ns, self._last_ns.get(cpu, last_ns))
        self._cpus_of.setdefault(sequence, set()).add(cpu)
        return missing

    def before_next(self, cpu: int) -> None:
        """Record that events of one core are missing before its next ones."""
        self._pending.add(cpu)

    def dropped(self, sequence: int) -> None:
        """Record that packets of one writer are missing. They may have held events of any core that it writes."""
        self._pending |= self._cpus_of.get(sequence, set())

    def damaged(self) -> None:
        """Record that a packet could not be read. It may have held events of any core."""
        self._pending |= set(self._last_ns)

    def ftrace(self, stats: Any) -> None:
        """Keep the kernel's counts at the trace's start or end."""
        if stats.phase in self._overruns:
            counts = {each.cpu: each.overrun + each.commit_overrun + each.dropped_events for each in stats.cpu_stats}
            self._overruns[stats.phase].update({cpu: count for cpu, count in counts.items() if cpu < CPU_LIMIT})

    def service(self, stats: Any) -> None:
        """Keep the buffers' counts. The last ones apply."""
        self._buffers = stats.buffer_stats

    def close(self) -> None:
        """Add the losses that are known only at the trace's end."""
        begin_ns, end_ns = self._into.span_ns or (0, 0)
        if self._into.cut:
            self._into.last_ns.update(self._last_ns)
        for cpu in sorted(self._pending & set(self._last_ns)):
            self._add(cpu, self._last_ns[cpu], max(end_ns, self._last_ns[cpu]))
        at_start = self._overruns[_START]
        # Subtract what was lost before the trace began.
        lost = {cpu: count - at_start[cpu] for cpu, count in sorted(self._overruns[_END].items()) if cpu in at_start}
        overrun = [cpu for cpu, count in lost.items() if count > 0]
        for cpu in overrun[:_CORES_NAMED]:
            self._into.warn(f"the kernel's buffer of core {cpu} overran: {lost[cpu]} events are lost")
        if len(overrun) > _CORES_NAMED:
            self._into.warn(f"the kernel's buffers of {len(overrun) - _CORES_NAMED} more cores overran too")
        for cpu in overrun:
            if cpu not in self._reported:
                self._add(cpu, begin_ns, end_ns)
        self._judge_buffers(begin_ns, end_ns)

    def _judge_buffers(self, begin_ns: int, end_ns: int) -> None:
        stats = self._buffers or ()
        if overwritten := sum(each.chunks_overwritten for each in stats):
            self._into.overwritten = True
            self._into.warn(f"the trace's buffer was full: {overwritten} of its oldest chunks were overwritten")
        if discarded := sum(each.chunks_discarded for each in stats):
            self._into.warn(f"the trace's buffer was full: {discarded} chunks at its end were discarded")
            self._into.last_ns.update(self._last_ns)
        if lost := sum(each.trace_writer_packet_loss + each.patches_failed + each.abi_violations for each in stats):
            self._into.warn(f"{lost} packets were lost on their way into the trace")
            if not self._reported and not (overwritten or discarded):
                for cpu in sorted(self._last_ns):
                    self._add(cpu, begin_ns, end_ns)

    def _add(self, cpu: int, from_ns: int, to_ns: int) -> None:
        self._reported.add(cpu)
        self._into.losses.row(cpu=cpu, from_ns=from_ns, to_ns=max(from_ns, to_ns))
