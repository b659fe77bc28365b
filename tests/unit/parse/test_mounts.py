"""Mounts of virtual threads, from any records."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support import chunk_writer as cw

from navitas.parse.chunks import MOUNTS, Chunk, scan_chunks
from navitas.parse.findings import Findings
from navitas.parse.methodmap import Span
from navitas.parse.mounts import decode_mounts
from navitas.parse.probed_threads import by_thread, probed_threads
from navitas.parse.tables import Mounts

Records = list[tuple[int, int, int]]
RECORDS = st.lists(st.tuples(st.integers(-3, 40), st.integers(-3, 40), st.integers(-1, 6)), max_size=12)


def decoded(carriers: dict[int, Records]) -> Mounts | None:
    """Decode the records of carriers by serial; the virtual threads have the serials 3 and 4."""
    chunks: list[bytes] = []
    for serial, rows in carriers.items():
        chunks.append(cw.chunk(MOUNTS, cw.mounts_payload(rows), len(rows), serial=serial, tid=100 + serial))
    for serial, last_ns in ((3, 20), (4, 30)):
        chunks.append(cw.chunk(cw.CALLS, cw.calls_payload([(0, 0, 1), (last_ns, 1, 1)], 0), 2, serial=serial, map_id=1))
    read: list[Chunk] = scan_chunks(b"".join(chunks)).chunks
    groups = by_thread(read, Findings(0))
    known = probed_threads(groups, {1: Span(0, 4)}, Findings(0))
    return decode_mounts(groups, known, [thread.serial for thread in known])


@given(RECORDS, RECORDS)
def test_a_carrier_and_a_thread_are_in_one_mount_at_a_time(first: Records, second: Records) -> None:
    found = decoded({1: first, 2: second})
    assert found is not None
    assert (found.start_ns < found.end_ns).all() and set(found.thread.tolist()) <= {2, 3} and found.unseen_ns >= 0
    for column in (found.carrier, found.thread):
        order = np.lexsort((found.start_ns, column))
        follows = np.diff(column[order]) == 0
        assert (found.end_ns[order][:-1][follows] <= found.start_ns[order][1:][follows]).all()


def test_without_records_there_is_none() -> None:
    assert decoded({}) is None
