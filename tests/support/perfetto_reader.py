"""Reads Perfetto traces by the public schema, as Perfetto's trace processor does. It shares no code with the writer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from navitas.android.perfetto.messages import message_class

CLEARED, NEEDS_STATE = 1, 2
BEGIN, END, COUNTER = 1, 2, 4
_NAMES = ("event_names", "debug_annotation_names", "function_names", "source_paths", "frames", "callstacks")


@dataclass
class Track:
    """A track: its names from the outermost one, and its thread."""

    names: tuple[str, ...]
    pid: int = 0
    tid: int = 0
    unit: str = ""


@dataclass(frozen=True)
class Slice:
    """A slice. Times are on boottime."""

    track: Track
    name: str
    begin_ns: int
    end_ns: int
    depth: int
    arguments: Mapping[str, str | int | float]


@dataclass(frozen=True)
class Sample:
    """A stack sample. `frames` have names and places, outermost first."""

    t_ns: int
    pid: int
    tid: int
    frames: tuple[tuple[str, str, int], ...]
    weight: int
    counter: str
    unit: str


@dataclass
class ReadTrace:
    """The content of a trace. `others` are packets of other sequences, as they are."""

    tracks: dict[int, Track] = field(default_factory=dict)
    slices: list[Slice] = field(default_factory=list)
    counters: dict[tuple[str, ...], list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    samples: list[Sample] = field(default_factory=list)
    clocks: list[dict[int, int]] = field(default_factory=list)
    others: list[bytes] = field(default_factory=list)


def read_trace(data: bytes, sequence: int) -> ReadTrace:
    """Read the packets of a sequence in order of time. Raises `AssertionError` for what the trace processor drops."""
    read, interned = ReadTrace(), {name: dict[int, Any]() for name in _NAMES}
    events: list[tuple[int, Any]] = []
    defaults = None
    for packet in message_class("Trace").FromString(data).packet:
        if packet.trusted_packet_sequence_id != sequence:
            read.others.append(packet.SerializeToString())
            continue
        if packet.sequence_flags & CLEARED:
            interned, defaults = {name: {} for name in _NAMES}, packet.trace_packet_defaults
        assert packet.sequence_flags & NEEDS_STATE
        assert defaults is not None
        assert defaults.timestamp_clock_id == 6
        for name, table in interned.items():
            for entry in getattr(packet.interned_data, name):
                assert entry.iid > 0
                assert entry.iid not in table
                table[entry.iid] = entry
        if packet.HasField("clock_snapshot"):
            read.clocks.append({clock.clock_id: clock.timestamp for clock in packet.clock_snapshot.clocks})
        elif packet.HasField("track_descriptor"):
            _describe(read, packet.track_descriptor)
        elif packet.HasField("stack_sample"):
            read.samples.append(_sample(packet, interned, defaults.stack_sample_defaults))
        elif packet.HasField("track_event"):
            events.append((packet.timestamp, packet.track_event))
    _replay(read, sorted(events, key=lambda pair: pair[0]), interned)
    return read


def _describe(read: ReadTrace, described: Any) -> None:
    assert described.uuid not in read.tracks
    parent = read.tracks[described.parent_uuid] if described.parent_uuid else Track(())
    track = Track((*parent.names, described.name), parent.pid, parent.tid)
    if described.HasField("process"):
        track = Track((described.process.process_name,), described.process.pid)
    if described.HasField("thread"):
        track = Track((described.thread.thread_name,), described.thread.pid, described.thread.tid)
    track.unit = described.counter.unit_name
    read.tracks[described.uuid] = track


def _sample(packet: Any, interned: Mapping[str, Mapping[int, Any]], defaults: Any) -> Sample:
    sample, frames = packet.stack_sample, []
    for number in interned["callstacks"][sample.callstack_iid].frame_ids:
        frame = interned["frames"][number]
        source = interned["source_paths"][frame.source_path_iid].str.decode() if frame.source_path_iid else ""
        frames.append((interned["function_names"][frame.function_name_id].str.decode(), source, frame.line_number))
    task, counter = sample.task_context, defaults.primary_descriptor
    weight = sample.primary_weight
    return Sample(packet.timestamp, task.pid, task.tid, tuple(frames), weight, counter.name, counter.unit_str)


def _replay(read: ReadTrace, events: list[tuple[int, Any]], interned: Mapping[str, Mapping[int, Any]]) -> None:
    opened: defaultdict[int, list[tuple[int, Any]]] = defaultdict(list)
    for t_ns, event in events:
        track = read.tracks[event.track_uuid]
        if event.type == COUNTER:
            read.counters[track.names].append((t_ns, event.double_counter_value))
        elif event.type == BEGIN:
            opened[event.track_uuid].append((t_ns, event))
        else:
            assert event.type == END
            begin_ns, begun = opened[event.track_uuid].pop()
            name, depth = interned["event_names"][begun.name_iid].name, len(opened[event.track_uuid])
            arguments = {interned["debug_annotation_names"][note.name_iid].name: _value(note) for note in begun.debug_annotations}
            read.slices.append(Slice(track, name, begin_ns, t_ns, depth, arguments))
    assert not any(opened.values())


def _value(note: Any) -> str | int | float:
    kind = note.WhichOneof("value")
    value: str | int | float = getattr(note, kind)
    return value
