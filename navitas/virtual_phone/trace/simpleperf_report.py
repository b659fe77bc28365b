"""Write sampled stacks as `simpleperf report-sample --protobuf --show-callchain` does (AOSP: cmd_report_sample.cpp)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from navitas.android.simpleperf import SIMPLEPERF
from navitas.virtual_phone.trace.perf_packets import art_name, art_path, frames_of

if TYPE_CHECKING:
    from navitas.recording.parse.stack_samples import RawSamples

DATA_MAGIC: Final = b"PERFILE2"
"""How a file of `simpleperf record` begins. On this phone, the report follows."""
_HEAD = b"SIMPLEPERF" + struct.pack("<H", 1)


def simpleperf_report(stacks: Mapping[int, RawSamples], app: str, interval_ns: int) -> bytes:
    """Return the report of an app's samples by process."""
    records = [_record(meta_info={"event_type": [b"cpu-clock"], "app_package_name": app.encode()})]
    files: dict[str, dict[str, int]] = {}
    for pid, samples in stacks.items():
        chains: dict[int, list[bytes]] = {}
        for t_ns, tid, row in zip(samples.t_ns.tolist(), samples.tid.tolist(), samples.stack.tolist(), strict=True):
            if row not in chains:
                chains[row] = [_entry(art_path(frame), art_name(frame), files) for frame in reversed(frames_of(samples, row))]
            records.append(_record(sample={"time": t_ns, "thread_id": tid, "callchain": chains[row], "event_count": interval_ns}))
        records += [
            _record(thread={"thread_id": tid, "process_id": pid, "thread_name": samples.thread_names.get(tid, "").encode()})
            for tid in sorted(set(samples.tid.tolist()))
        ]
        records += [_record(lost={"lost_count": samples.lost})] if samples.lost else []
    for number, (path, symbols) in enumerate(files.items()):
        records.append(_record(file={"id": number, "path": f"/{path}".encode(), "symbol": [name.encode() for name in symbols]}))
    return b"".join((_HEAD, *records, struct.pack("<I", 0)))


def _entry(path: str, name: str, files: dict[str, dict[str, int]]) -> bytes:
    """Return an entry of a call chain. Functions without a name have no number."""
    symbols = files.setdefault(path, {})
    number = symbols.setdefault(name, len(symbols)) if name else -1
    data: bytes = SIMPLEPERF.class_of("Entry")(file_id=list(files).index(path), symbol_id=number).SerializeToString()
    return data


def _record(**content: Any) -> bytes:
    data: bytes = SIMPLEPERF.class_of("Record")(**content).SerializeToString()
    return struct.pack("<I", len(data)) + data
