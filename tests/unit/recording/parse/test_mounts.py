"""Mounts of virtual threads, from any records."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from support import chunk_writer as cw

from navitas.recording.parse.chunks import MOUNTS, Chunk, scan_chunks
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.methodmap import Span
from navitas.recording.parse.mounts import decode_mounts
from navitas.recording.parse.tables import Mounts
from navitas.recording.parse.threads import by_thread, of_threads, probed_threads

Records = list[tuple[int, int, int]]
RECORDS = st.lists(st.tuples(st.integers(-3, 40), st.integers(-3, 40), st.integers(-1, 6)), max_size=12)


def decoded(carriers: dict[int, Records], *, lost: int = 0, skipped: int = 0) -> Mounts | None:
    """Decode the records of carriers by serial; the virtual threads have the serials 3 and 4.

    The last record of a carrier has a chunk of its own: after lost records, or after skipped chunks.
    """
    chunks: list[bytes] = []
    for serial, rows in carriers.items():
        for seq, part in enumerate((rows[:-1], rows[-1:])):
            number, missing = seq * (1 + skipped), seq * lost
            payload = cw.mounts_payload(part)
            chunks.append(cw.chunk(MOUNTS, payload, len(part), serial=serial, tid=100 + serial, seq=number, lost=missing))
    for serial, last_ns in ((3, 20), (4, 30)):
        payload = cw.calls_payload([(0, 0, 1), (last_ns, 1, 1)], 0)
        chunks.append(cw.chunk(cw.CALLS, payload, 2, serial=serial, map_id=1))
    read: list[Chunk] = scan_chunks(b"".join(chunks)).chunks
    groups = by_thread(read, Findings(0))
    known = probed_threads(groups, {1: Span(0, 4)}, Findings(0))
    return decode_mounts(of_threads(groups, MOUNTS), known, [thread.serial for thread in known], 50)


@given(RECORDS, RECORDS)
@example([], [(0, -1, 3), (1, 0, 1), (1, 1, 0)])
@example([], [(1, -1, 3), (5, -1, 4)])
def test_a_carrier_and_a_thread_are_in_one_mount_at_a_time(first: Records, second: Records) -> None:
    found = decoded({1: first, 2: second})
    if found is None:
        return
    assert (found.start_ns < found.end_ns).all() and set(found.thread.tolist()) <= {2, 3} and found.unseen_ns >= 0
    for column in (found.carrier, found.thread):
        order = np.lexsort((found.start_ns, column))
        follows = np.diff(column[order]) == 0
        assert (found.end_ns[order][:-1][follows] <= found.start_ns[order][1:][follows]).all()


def spans(*records: tuple[int, int, int], **options: int) -> list[tuple[int, int, int]]:
    """Return the serial, the start and the end of each mount on one carrier."""
    found = decoded({1: list(records), 2: []}, **options)
    if found is None:
        return []
    return list(zip((found.thread + 1).tolist(), found.start_ns.tolist(), found.end_ns.tolist(), strict=True))


def test_an_end_without_a_record_is_at_the_next_record_or_the_last_call() -> None:
    assert spans((2, 1, 3), (9, 2, 4), (12, 3, 0)) == [(3, 2, 9), (4, 9, 12)]
    assert spans((2, 1, 3)) == [(3, 2, 20)], "it is in no call after 20"
    assert spans((2, 1, 3), (5, 2, 0), (7, 3, 3)) == [(3, 2, 5), (3, 7, 50)], "its second mount has no end: it lasts"


def test_after_lost_records_an_end_is_not_that_of_the_mount_before() -> None:
    assert spans((2, 1, 3), (40, 2, 0)) == [(3, 2, 40)]
    assert spans((2, 1, 3), (40, 2, 0), lost=5) == [(3, 2, 20)]
    assert spans((2, 1, 3), (40, 2, 0), skipped=1) == [(3, 2, 20)]


def test_a_thread_on_a_carrier_without_a_clock_is_not_known() -> None:
    assert spans((2, -1, 3), (9, -1, 0)) == []


def test_without_records_there_is_none() -> None:
    assert decoded({}) is None
