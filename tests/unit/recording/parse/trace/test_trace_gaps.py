"""Switches that do not follow from each other. The thread that ran is inferred if possible; the rest is a loss."""

from __future__ import annotations

from support.ftrace_writer import Form

from navitas.recording.parse.trace.text_trace import read_text
from navitas.recording.parse.trace.trace_tables import Switches

FORM = Form(tgid=True, flags="d..2")
S, MS = 1_000_000_000, 1_000_000
LOST = "CPU:0 [LOST 5 EVENTS]\n"


def switch(cpu: int, ms: int, prev: int, following: int) -> str:
    return FORM.switch(cpu, S + ms * MS, (f"t{prev}", prev, "S" if prev else "R"), (f"t{following}", following), tgid=9)


def rows(switches: Switches) -> list[tuple[int, float, int]]:
    return list(zip(switches.cpu.tolist(), ((switches.t_ns - S) / MS).tolist(), switches.next_tid.tolist(), strict=True))


def losses(text: str) -> list[tuple[int, float, float]]:
    found = read_text(text.encode()).trace.losses
    return [(int(c), (int(a) - S) / MS, (int(b) - S) / MS) for c, a, b in zip(found.cpu, found.from_ns, found.to_ns, strict=True)]


def test_before_a_cores_first_switch_the_leaving_thread_has_run() -> None:
    text = switch(1, 0, 0, 7) + switch(0, 5, 3, 0) + switch(1, 9, 7, 0)
    assert rows(read_text(text.encode()).trace.switches)[:2] == [(0, 0, 3), (0, 5, 0)]
    assert losses(text) == []


def test_nothing_is_inferred_where_the_kernel_had_overwritten_events() -> None:
    text = "# entries-in-buffer/entries-written: 3/99   #P:2\n" + switch(1, 0, 0, 7) + switch(0, 5, 3, 0) + switch(1, 9, 7, 0)
    assert losses(text) == [(0, 0, 5)]


def test_a_ring_buffer_that_is_not_full_has_not_been_overwritten() -> None:
    text = "# entries-in-buffer/entries-written: 21/99   #P:2\n"
    text += "".join(switch(1, ms, ms % 2 * 7, (ms + 1) % 2 * 7) for ms in range(20)) + switch(0, 25, 3, 0)
    assert losses(text) == []


def test_after_a_loss_the_next_leaving_thread_has_run() -> None:
    text = switch(0, 0, 0, 3) + LOST + FORM.frequency(0, S + 10 * MS, 1000) + switch(0, 50, 4, 0)
    assert rows(read_text(text.encode()).trace.switches) == [(0, 0, 3), (0, 10, 4), (0, 50, 0)]
    assert losses(text) == [(0, 0, 10)]


def test_a_loss_that_the_trace_does_not_report_is_found() -> None:
    assert losses(switch(0, 0, 0, 3) + switch(0, 50, 4, 0)) == [(0, 0, 50)]
