"""An app's running and waiting time, from the sampler's lines."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.recording.parse.counters import Readings
from navitas.recording.parse.run_queue import RunQueue
from navitas.recording.parse.schedstat import app_run_queue, parse_schedstat, parse_schedstats

MS = 1_000_000


def readings(*texts: str) -> Readings:
    """Records 20 ms apart. Each line is `tid run_ms wait_ms name`."""

    def line(tid: str, ran_ms: str, waited_ms: str, name: str) -> str:
        return f"{tid} {int(ran_ms) * MS} {int(waited_ms) * MS} 1 {name}"

    lines = ["\n".join(line(*row.split()) for row in text.splitlines()) for text in texts]
    return Readings([i * 20 * MS for i in range(len(texts))], [text.encode() for text in lines])


def queue_of(*texts: str) -> RunQueue | None:
    return app_run_queue(parse_schedstat(readings(*texts))[0].values())


def until(queue: RunQueue | None, ms: float) -> tuple[float, float]:
    """Running and waiting time in ms at a time."""
    assert queue is not None
    ran, waited = (np.interp(ms * MS, queue.t_ns, column) / MS for column in (queue.ran_ns, queue.waited_ns))
    return pytest.approx(float(ran)), pytest.approx(float(waited))


def test_running_and_waiting_grow_between_readings() -> None:
    queue = queue_of("7 100 50 main", "7 105 65 main", "7 125 65 main")
    assert until(queue, 0) == (0, 0), "the time before the first record is unknown"
    assert until(queue, 10) == (2.5, 7.5)
    assert until(queue, 20) == (5, 15)
    assert until(queue, 40) == (25, 15)


def test_all_threads_run_but_only_those_of_the_tests_wait() -> None:
    queue = queue_of("1 0 0 main\n2 0 0 navitas-sampler\n3 0 0 pool", "1 1 2 main\n2 2 20 navitas-sampler\n3 0 1 pool")
    assert until(queue, 20) == (3, 3)


def test_the_jit_compiler_does_not_wait_for_the_tests() -> None:
    texts = [b"1 0 0 1 main\n2 0 0 1 C2 CompilerThre", f"1 {MS} {MS} 2 main\n2 {5 * MS} {9 * MS} 2 C2 CompilerThre".encode()]
    lives, torn = parse_schedstat(Readings([0, 20 * MS], texts))
    assert (until(app_run_queue(lives.values()), 20), torn) == ((6, 1), 0)


def test_a_new_thread_waited_since_its_start() -> None:
    assert until(queue_of("1 0 0 main", "1 1 0 main\n2 3 4 pool", "2 5 6 pool"), 40) == (6, 6)


def test_waiting_is_counted_when_it_ends() -> None:
    """The kernel adds waiting time when the thread runs. A sleeping thread is not listed meanwhile."""
    queue = queue_of("1 0 0 main", *["2 0 0 other"] * 8, "1 1 30 main")
    assert until(queue, 149) == (0, 0)
    assert until(queue, 180) == (1, 30)


def test_a_kernel_without_waiting_times_gives_no_run_queue() -> None:
    assert queue_of("1 0 0 main", "1 9 0 main") is None
    assert queue_of() is None


def test_several_processes_are_summed() -> None:
    lives, _ = parse_schedstats([readings("1 0 0 main", "1 1 2 main"), readings("9 0 0 main", "9 3 4 main")])
    assert until(app_run_queue(lives.values()), 20) == (4, 6)


@pytest.mark.parametrize("wait", ["-5", "x", str(1 << 63), ""])
def test_a_line_with_a_torn_waiting_time_is_counted(wait: str) -> None:
    found, torn = parse_schedstat(Readings([0], [f"7 1 {wait} 1".encode()]))
    assert (found, torn) == ({}, 1)


def test_no_thread_waits_for_longer_than_the_time_that_passed() -> None:
    assert until(queue_of("1 0 0 main", "1 1 99999999 main", "1 2 5 main"), 40) == (2, 20)
