"""Write recorded slices as a Perfetto trace, as traced and traced_probes do."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from navitas.android.perfetto.messages import as_bytes, message_class
from navitas.base.protobuf_writer import content
from navitas.virtual_phone.kernel.trace_log import (
    Birth,
    Change,
    CoreSwitch,
    Event,
    Idle,
    Leaves,
    LostEvents,
    Moment,
    TracedThread,
    TraceLog,
)
from navitas.virtual_phone.rail_monitor import Consumer
from navitas.virtual_phone.trace.perf_packets import perf_packets

if TYPE_CHECKING:
    from navitas.recording.parse.stack_samples import RawSamples

_PACKET = 1  # the field of a trace
_SEQUENCE = 1
_MOST_EVENTS = 2_000  # in a bundle of events
_STATES = {Leaves.RUNNABLE: 0, Leaves.SLEEPING: 1, Leaves.DEAD: 16}
_IDLE = TracedThread(0, 0, "swapper")
_THREAD_FLAGS = 0x3D0F00  # the flags of pthread_create
_START, _END = 1, 2
_REALTIME, _MONOTONIC, _BOOTTIME = 1, 3, 6
_LEAVES_IDLE = 0xFFFFFFFF


@dataclass(slots=True)
class TraceSession:
    """The content of a trace: configuration, recorded slices, times, and readings of rails (µJ) at moments."""

    config: Any
    log: TraceLog
    processes: Mapping[int, str]
    moments: list[Moment] = field(default_factory=list)
    rails_uj: list[tuple[Moment, dict[str, float]]] = field(default_factory=list)
    consumers: list[tuple[Moment, list[Consumer]]] = field(default_factory=list)
    process_uids: Mapping[int, int] = field(default_factory=dict)
    stacks: Mapping[int, RawSamples] = field(default_factory=dict)
    """Sampled stacks by process."""

    @property
    def events(self) -> set[str]:
        """The names of the requested kernel events."""
        ftrace = (source.config.ftrace_config for source in self.config.data_sources if source.config.name == "linux.ftrace")
        return {as_bytes(name).decode("utf-8", "replace").rpartition("/")[2] for one in ftrace for name in one.ftrace_events}

    def data_source(self, name: str) -> Any:
        """Return the configuration of a data source; None if it is not requested."""
        found = (source.config for source in self.config.data_sources if source.config.name == name)
        return next(found, None)


def perfetto_file(session: TraceSession) -> bytes:
    """Return the whole file. Times are in boottime, Perfetto's default."""
    return b"".join(content(_PACKET, packet.SerializeToString()) for packet in _packets(session))


def _packets(session: TraceSession) -> Iterator[Any]:
    ahead_ns = session.moments[0].ahead_ns
    yield _snapshot(session.moments[0])
    yield _overruns(session, _START)
    if session.data_source("linux.process_stats") is not None:
        yield _tree(session)
    for cpu, events in groupby(_wanted(session), key=lambda event: event.cpu):
        lost = False
        for is_loss, part in groupby(events, key=lambda event: isinstance(event, LostEvents)):
            whole = [] if is_loss else list(part)
            for low in range(0, len(whole), _MOST_EVENTS):
                yield _bundle(cpu, whole[low : low + _MOST_EVENTS], session.log, ahead_ns, lost and not low)
            lost = is_loss
    if (polled := session.data_source("linux.sys_stats")) is not None and polled.sys_stats_config.cpufreq_period_ms:
        yield from _polls(session.log, polled.sys_stats_config.cpufreq_period_ms * 1_000_000, ahead_ns)
    yield from _rails(session.rails_uj)
    yield from _consumers(session.consumers)
    if session.stacks:
        yield from perf_packets(session.stacks, session.data_source("linux.perf").perf_event_config, ahead_ns)
    for moment in session.moments[1:]:
        yield _snapshot(moment)
    yield _overruns(session, _END)
    end = _packet()
    end.trace_stats.buffer_stats.add(chunks_overwritten=-(-session.log.recorded.dropped // _MOST_EVENTS))
    yield end


def _packet() -> Any:
    return message_class("TracePacket")(trusted_packet_sequence_id=_SEQUENCE)


def _snapshot(moment: Moment) -> Any:
    packet = _packet()
    clocks = ((_REALTIME, moment.realtime_ns), (_MONOTONIC, moment.monotonic_ns), (_BOOTTIME, moment.boottime_ns))
    for clock_id, timestamp in clocks:
        packet.clock_snapshot.clocks.add(clock_id=clock_id, timestamp=timestamp)
    return packet


def _overruns(session: TraceSession, phase: int) -> Any:
    packet = _packet()
    packet.ftrace_stats.phase = phase
    for cpu in session.log.cpus:
        packet.ftrace_stats.cpu_stats.add(cpu=cpu, overrun=0)
    return packet


def _tree(session: TraceSession) -> Any:
    packet, log = _packet(), session.log
    packet.timestamp = session.moments[0].boottime_ns
    born = {event.thread for event in _wanted(session) if isinstance(event, Birth)}
    for pid in sorted({thread.pid for thread in log.recorded.threads.values()}):
        packet.process_tree.processes.add(
            pid=pid, cmdline=[session.processes.get(pid, "").encode()], uid=session.process_uids.get(pid)
        )
    for tid, pid, name in (thread for key, thread in log.recorded.threads.items() if key not in born):
        packet.process_tree.threads.add(tid=tid, tgid=pid, name=name.encode())
    return packet


def _wanted(session: TraceSession) -> Iterator[Event]:
    names = {CoreSwitch: "sched_switch", Change: "cpu_frequency", Idle: "cpu_idle", Birth: "task_newtask"}
    wanted = (LostEvents, *(kind for kind, name in names.items() if name in session.events))
    return (event for event in session.log.events() if isinstance(event, wanted))


def _bundle(cpu: int, events: Sequence[Event], log: TraceLog, ahead_ns: int, lost: bool) -> Any:
    packet = _packet()
    bundle = packet.ftrace_events
    bundle.cpu = cpu
    bundle.lost_events = lost
    compact, before_ns = bundle.compact_sched, 0
    comms: dict[bytes, int] = {}
    for event in events:
        t_ns = event.t_ns + ahead_ns
        if isinstance(event, CoreSwitch):
            compact.switch_timestamp.append(t_ns - before_ns)
            compact.switch_prev_state.append(_STATES[event.leaves])
            tid, _, text = log.recorded.threads[event.next] if event.next else _IDLE
            compact.switch_next_pid.append(tid)
            name = text.encode()
            compact.switch_next_comm_index.append(comms.setdefault(name, len(comms)))
            before_ns = t_ns
        elif isinstance(event, Change):
            power = bundle.event.add(timestamp=t_ns).cpu_frequency
            power.state, power.cpu_id = event.khz, cpu
        elif isinstance(event, Birth):
            child, parent = log.recorded.threads[event.thread], log.recorded.threads[event.parent]
            started = bundle.event.add(timestamp=t_ns, pid=parent.tid).task_newtask
            started.pid, started.comm, started.clone_flags = child.tid, child.name.encode(), _THREAD_FLAGS
        elif isinstance(event, Idle):
            power = bundle.event.add(timestamp=t_ns).cpu_idle
            power.state, power.cpu_id = _LEAVES_IDLE if event.state < 0 else event.state, cpu
    compact.intern_table.extend(comms)
    return packet


def _polls(log: TraceLog, period_ns: int, ahead_ns: int) -> Iterator[Any]:
    """Return the polled frequency of every core."""
    times = {cpu: [change.t_ns for change in log.changes if change.cpu == cpu] for cpu in log.cpus}
    khz = {cpu: [change.khz for change in log.changes if change.cpu == cpu] for cpu in log.cpus}
    for t_ns in range(log.start_ns, log.end_ns + 1, period_ns):
        packet = _packet()
        packet.timestamp = t_ns + ahead_ns
        packet.sys_stats.cpufreq_khz.extend(khz[cpu][max(bisect_right(times[cpu], t_ns) - 1, 0)] for cpu in log.cpus)
        yield packet


def _rails(readings: Sequence[tuple[Moment, dict[str, float]]]) -> Iterator[Any]:
    for number, (moment, energies) in enumerate(readings):
        packet = _packet()
        packet.timestamp = moment.boottime_ns
        for index, (name, energy_uj) in enumerate(energies.items()):
            if number == 0:
                packet.power_rails.rail_descriptor.add(index=index, rail_name=name.encode())
            packet.power_rails.energy_data.add(index=index, timestamp_ms=moment.boottime_ns // 1_000_000, energy=int(energy_uj))
        yield packet


def _consumers(readings: Sequence[tuple[Moment, list[Consumer]]]) -> Iterator[Any]:
    """Return the energy of each consumer in packets of their own, as traced_probes does; descriptors only in the first one."""
    for number, (moment, consumers) in enumerate(readings):
        for index, consumer in enumerate(consumers):
            packet = _packet()
            packet.timestamp = moment.boottime_ns
            breakdown = packet.android_energy_estimation_breakdown
            if number == 0 and index == 0:
                for other, one in enumerate(consumers):
                    breakdown.energy_consumer_descriptor.energy_consumers.add(
                        energy_consumer_id=other, ordinal=one.ordinal, type=one.kind.encode(), name=one.name.encode()
                    )
            breakdown.energy_consumer_id = index
            breakdown.energy_uws = int(consumer.energy_uj)
            for uid, energy_uj in consumer.by_uid_uj.items():
                breakdown.per_uid_breakdown.add(uid=uid, energy_uws=int(energy_uj))
            yield packet
