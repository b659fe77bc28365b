"""API calls and handed-over work (chunk types 6 and 9), and the platform's methods in the method table."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from support import chunk_writer as cw

from navitas.recording.parse.apis import API_SOURCE, APIS, FIRST_API
from navitas.recording.parse.call_events import encoded_calls
from navitas.recording.parse.chunks import CALLS, FOLDED, HANDOFFS, HOOKS, Chunk, scan_chunks
from navitas.recording.parse.folded import decode_folded
from navitas.recording.parse.hook_calls import NO_NODE, HookKind, decode_handoffs, decode_hooks
from navitas.recording.parse.methodmap import Span
from navitas.recording.parse.tables import ENTER, EXIT

ROOT = Path(__file__).resolve().parents[4]
JAVA = ROOT / "instrumenter"


def chunks_of(*chunks: bytes) -> list[Chunk]:
    return scan_chunks(b"".join(chunks)).chunks


def hooks(serial: int, *records: tuple[int, int, int, int, int, int, int]) -> bytes:
    return cw.chunk(HOOKS, cw.hooks_payload(records), len(records), serial=serial)


def test_api_calls_of_all_threads_are_in_order_of_their_start() -> None:
    found, impossible, unknown = decode_hooks(
        chunks_of(
            hooks(1, (500, 600, 42, 1, 0, 0xFFFFFFFF, 9), (900, 950, 0, 23, 1, 7, 10)),
            hooks(2, (700, 800, 1_000, 4, 0, 3, 9)),
        ),
        [2, 1],
    )
    assert (impossible, unknown) == (0, {})
    assert found.thread.tolist() == [1, 0, 1]
    assert found.start_ns.tolist() == [500, 700, 900]
    assert found.end_ns.tolist() == [600, 800, 950]
    assert found.amount.tolist() == [42, 1_000, 0]
    assert found.kind.tolist() == [HookKind.NET_READ, HookKind.FILE_WRITE, HookKind.SENSOR]
    assert found.is_stop.tolist() == [False, False, True]
    assert found.node.tolist() == [NO_NODE, 3, 7]
    assert found.handle.tolist() == [9, 9, 10]


def test_impossible_and_unknown_api_calls_are_counted_and_left_out() -> None:
    found, impossible, unknown = decode_hooks(
        chunks_of(
            hooks(
                1,
                (500, 400, 1, 1, 0, 0, 0),  # ends before it starts
                (-1, 400, 1, 1, 0, 0, 0),
                (500, 600, -1, 1, 0, 0, 0),
                (500, 600, 1, 99, 0, 0, 0),
                (500, 600, 5, 2, 0, 0, 0),
            ),
            hooks(2, (500, 600, 5, 2, 0, 0, 0)),  # an unknown thread
        ),
        [1],
    )
    assert (found.amount.tolist(), impossible, unknown) == ([5], 4, {99: 1})


def test_a_run_without_api_calls_has_an_empty_table() -> None:
    found, impossible, unknown = decode_hooks([], [])
    assert (len(found), impossible, unknown) == (0, 0, {})


def test_handoffs_name_the_origin_and_impossible_ones_are_counted() -> None:
    records = [
        (2_000, 3_000, 5, 1_500, NO_NODE),
        (1_000, 1_100, 5, 900, 17),
        (2_000, 1_000, 5, 100, 0),  # ends before it starts
        (2_000, 3_000, 5, 2_500, 0),  # runs before it is handed over
        (1, 2, 0, 0, 0),  # no origin
        (2_000, 3_000, 5, 1_500, -2),
        (2_000, 3_000, 5, 1_500, 1 << 31),
    ]
    found, impossible = decode_handoffs(
        chunks_of(cw.chunk(HANDOFFS, cw.handoffs_payload(records), len(records), serial=7)), [3, 5, 7]
    )
    assert impossible == 5
    assert found.thread.tolist() == [2, 2]
    assert found.run_start_ns.tolist() == [1_000, 2_000]
    assert found.run_end_ns.tolist() == [1_100, 3_000]
    assert found.origin.tolist() == [1, 1]
    assert found.origin_ns.tolist() == [900, 1_500]
    assert found.origin_node.tolist() == [17, NO_NODE]


def test_origins_continue_the_serials_of_earlier_processes() -> None:
    (chunk,) = scan_chunks(cw.chunk(HANDOFFS, cw.handoffs_payload([(20, 30, 2, 10, 0)]), 1, serial=3)).chunks
    later = Chunk(HANDOFFS, 0, 13, 0, 0, 0, 0, 1, "", chunk.payload, process=1, serials_before=10)
    found, _ = decode_handoffs([later], [2, 12, 13])
    assert (found.thread.tolist(), found.origin.tolist()) == ([2], [1])


def test_events_of_api_calls_are_rows_after_those_of_the_maps() -> None:
    known = {0: Span(base=100, size=4, first_api=500)}
    events = [(1_000, ENTER, 3), (1_100, ENTER, FIRST_API + 2), (1_200, EXIT, FIRST_API + 2), (1_300, EXIT, 3)]
    foreign = [(1_400, ENTER, 4), (1_500, ENTER, FIRST_API + len(APIS))]
    payload = cw.calls_payload([*events, *foreign], 1_000)
    calls, dropped = encoded_calls(scan_chunks(cw.chunk(CALLS, payload, 6, serial=1, base_ns=1_000)).chunks, known)
    assert calls.whole().method.tolist() == [103, 502, 502, 103]
    assert dropped == 2


def test_folded_api_calls_are_rows_after_those_of_the_maps() -> None:
    rows = [(0, -1, 3, 1, 0, 50), (1, 0, FIRST_API, 2, 0, 30), (2, 0, 9, 1, 0, 1)]
    chunks = scan_chunks(cw.chunk(FOLDED, cw.folded_payload([(0, 100, rows)]), 1, serial=1)).chunks
    folded, dropped = decode_folded(chunks, {0: Span(base=100, size=4, first_api=500)})
    assert (folded.method.tolist(), dropped) == ([103, 500], 1)
    folded, dropped = decode_folded(chunks, {0: Span(base=100, size=4)})
    assert (folded.method.tolist(), dropped) == ([103], 2)


def test_a_span_without_api_rows_has_none() -> None:
    rows, has_row = Span(10, 2).rows(np.array([0, 1, 2, FIRST_API]))
    assert (rows[:2].tolist(), has_row.tolist()) == ([10, 11], [True, True, False, False])


def test_python_and_java_number_the_same_methods() -> None:
    java = (JAVA / "hooks/src/main/java/org/navitas/hooks/base/Api.java").read_text()
    numbers = re.findall(r"static final int \w+ = (\d+); // (\S+)\n", java)
    assert [(int(number), name) for number, name in numbers] == [(number, name) for number, (name, _) in enumerate(APIS)]
    assert len(numbers) == java.count(" = ")
    runtime = (JAVA / "runtime/src/main/java/org/navitas/runtime/Format.java").read_text()
    assert f"FIRST_API = 0x{FIRST_API:X};" in runtime
    assert API_SOURCE == "api"


def test_python_and_java_name_the_same_kinds() -> None:
    java = (JAVA / "runtime/src/main/java/org/navitas/runtime/Hook.java").read_text()
    kinds = java[java.index("NET_READ = 1") : java.index("STOP = 1")]
    assert {int(number): name.lower() for name, number in re.findall(r"(\w+) = (\d+)", kinds)} == {
        int(kind): kind.name.lower() for kind in HookKind
    }
