"""Write sampled stacks as packets of Perfetto's `linux.perf`. Source: Perfetto, src/profiling/perf/perf_producer.cc."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from navitas.android.perfetto.messages import message_class
from navitas.virtual_phone.trace.stack_sampler import Wants

if TYPE_CHECKING:
    from navitas.recording.parse.stack_samples import Frame, RawSamples

_SEQUENCE = 2
_CLEARED, _NEEDS_STATE = 1, 2
_BOOTTIME = 6
_USER_MODE = 2
_NO_IID = 0
_UNWIND_STAGE = 2
"""Why a sample has no stack."""
_CPU_CLOCKS = (0, 1, 3)
"""Counters of a time base whose period is CPU time: the default one, SW_CPU_CLOCK, SW_TASK_CLOCK."""
_NS_PER_S = 1_000_000_000
_PATHS = {"kernel": "kernel", "java": "data/app/base.odex"}
_NUMBERED = re.compile(r"[/.+]0x[0-9a-f]+$")
"""What a JVM adds to the names of hidden classes."""


def sampled_processes(config: Any) -> tuple[Wants, int] | None:
    """Return which processes a `perf_event_config` samples and the interval of their CPU time in ns.

    None if it samples no stacks, or by what this phone does not count.
    """
    base = config.timebase
    if not config.HasField("callstack_sampling") or base.counter not in _CPU_CLOCKS:
        return None
    interval_ns = base.period or (_NS_PER_S // base.frequency if base.frequency else 0)
    names = list(config.callstack_sampling.scope.target_cmdline)
    return (lambda name: not names or any(fnmatchcase(name, pattern) for pattern in names), interval_ns) if interval_ns else None


def perf_packets(stacks: Mapping[int, RawSamples], config: Any, ahead_ns: int) -> Iterator[Any]:
    """Yield the packets of a data source: its defaults, then each sample with what it is the first one to refer to.

    `stacks` are by process, and their times are monotonic: `ahead_ns` behind boottime.
    """
    begin = _packet(_CLEARED)
    begin.trace_packet_defaults.timestamp_clock_id = _BOOTTIME
    begin.trace_packet_defaults.perf_sample_defaults.timebase.CopyFrom(config.timebase)
    yield begin
    texts = _Texts(kernel_frames=config.callstack_sampling.kernel_frames)
    for pid, samples in stacks.items():
        rows: dict[int, int] = {}
        for t_ns, tid, row in zip(samples.t_ns.tolist(), samples.tid.tolist(), samples.stack.tolist(), strict=True):
            packet = _packet(_NEEDS_STATE)
            packet.timestamp = t_ns + ahead_ns
            sample = packet.perf_sample
            sample.pid, sample.tid, sample.cpu_mode = pid, tid, _USER_MODE
            if row not in rows:
                frames = frames_of(samples, row)
                rows[row] = texts.stack(frames, packet.interned_data) if frames else _NO_IID
            if rows[row] == _NO_IID:
                sample.sample_skipped_reason = _UNWIND_STAGE
            else:
                sample.callstack_iid = rows[row]
            yield packet
        if samples.lost:
            packet = _packet(_NEEDS_STATE)
            packet.perf_sample.kernel_records_lost = samples.lost
            yield packet


def _packet(flags: int) -> Any:
    return message_class("TracePacket")(trusted_packet_sequence_id=_SEQUENCE, sequence_flags=flags)


def frames_of(samples: RawSamples, row: int) -> list[Frame]:
    """Return the frames of a stack, outermost first."""
    from navitas.recording.parse.stack_samples import NO_STACK  # noqa: PLC0415  # Slow, and most phones sample no stacks.

    frames = []
    while row != NO_STACK:
        frames.append(samples.frames[samples.stacks.frame[row]])
        row = int(samples.stacks.parent[row])
    return frames[::-1]


class _Texts:
    """What packets of the sequence have interned: each name, file, frame and stack once."""

    def __init__(self, *, kernel_frames: bool) -> None:
        self._kernel_frames = kernel_frames
        self._iids: dict[tuple[object, ...], int] = {}

    def stack(self, frames: list[Frame], interned: Any) -> int:
        """Return the number of a stack."""
        wanted = [frame for frame in frames if self._kernel_frames or frame.kind != "kernel"]
        numbers = [self._frame(frame, interned) for frame in wanted]
        return self._entry("callstacks", tuple(numbers), interned, frame_ids=numbers)

    def _frame(self, frame: Frame, interned: Any) -> int:
        name, path = art_name(frame), art_path(frame)
        parts = [self._entry("mapping_paths", part, interned, str=part.encode()) for part in path.split("/") if part]
        mapping = self._entry("mappings", path, interned, path_string_ids=parts)
        named = {"function_name_id": self._entry("function_names", name, interned, str=name.encode())} if name else {}
        return self._entry("frames", (name, path), interned, mapping_id=mapping, **named)

    def _entry(self, kind: str, key: object, interned: Any, **fields: object) -> int:
        iid = self._iids.get((kind, key))
        if iid is None:
            iid = self._iids[kind, key] = len(self._iids) + 1
            getattr(interned, kind).add(iid=iid, **fields)
        return iid


def art_name(frame: Frame) -> str:
    """Return the name of a function as Android's unwinder has it: Java's without their parameters."""
    return f"{_NUMBERED.sub('', frame.class_name)}.{frame.name}" if frame.class_name else frame.name


def art_path(frame: Frame) -> str:
    """Return the file that has a function's code. That of Java's is the app's compiled code, and the JVM's own has no file."""
    if frame.kind in _PATHS:
        return _PATHS[frame.kind]
    return f"system/lib64/{frame.module.rpartition('/')[2] or 'libjvm.so'}"
