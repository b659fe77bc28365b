"""Threads' time_in_state: all formats that kernels print, and their assignment to threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navitas.recording.manifest import Policy
from navitas.recording.parse.call_events import NO_CALLS
from navitas.recording.parse.folded import NO_FOLDED
from navitas.recording.parse.tables import CpuClock, Thread, TimeInState
from navitas.recording.parse.thread_residency import Residency, parse_residencies, with_residencies
from navitas.recording.parse.threads import NO_CLOCK

MS = 1_000_000
POLICIES = [Policy(id=0, cpus=[0, 1]), Policy(id=2, cpus=[2, 3])]
NONE = np.empty(0, np.int64)
NEW = "cpu0\n500000 {0}\n1000000 {1}\ncpu2\n1000000 {2}\n2000000 {3}\n"
BARE = "500000 {0}\n1000000 {1}\n1000000 {2}\n2000000 {3}\n"
THREAD = Thread(1, 7, "worker", "app", NO_CALLS, NO_FOLDED, NO_CLOCK, NO_CLOCK)


def policy_table(policy: int, *khz: int) -> TimeInState:
    return TimeInState(policy, NONE, np.array(khz, np.int64), np.empty((0, len(khz)), np.int64))


TABLES = (policy_table(0, 500_000, 1_000_000), policy_table(2, 1_000_000, 2_000_000))


def read(*texts: str, blocks: tuple[int, ...] = (), policies: list[Policy] = POLICIES) -> tuple[list[Residency], int]:
    times = [(10 + i) * 100 * MS for i in range(len(texts))]
    found, skipped = parse_residencies({7: (times, texts)}, np.array([*blocks, *times], np.int64), policies, TABLES)
    return found.get(7, []), skipped


def as_dict(life: Residency, row: int = -1) -> dict[tuple[int, int], int]:
    return {
        (table.policy, khz): ns // (10 * MS)
        for table in life.tables
        for khz, ns in zip(table.freq_khz.tolist(), table.ns[row].tolist(), strict=True)
    }


def test_every_format_gives_the_same_result() -> None:
    expected = {(0, 500_000): 1, (0, 1_000_000): 2, (2, 1_000_000): 3, (2, 2_000_000): 4}
    downward = "1000000 2\n500000 1\n2000000 4\n1000000 3\n"
    any_cpu = "cpu1\n500000 1\n1000000 2\ncpu3\n1000000 3\n2000000 4\n"
    third_column = "cpu0\n500000 1 9\n1000000 2 9\ncpu2\n1000000 3 9\n2000000 4 9\n"
    each_cpu = "cpu0\n500000 1\n1000000 2\ncpu1\n500000 1\n1000000 2\ncpu2\n1000000 3\n2000000 4\n"
    for text in (NEW.format(1, 2, 3, 4), BARE.format(1, 2, 3, 4), downward, any_cpu, third_column, each_cpu):
        (life,), skipped = read(text)
        assert (as_dict(life), skipped) == (expected, 0), text


def test_rows_without_headers_belong_to_the_only_policy_with_their_frequency() -> None:
    (life,), _ = read("500000 5\n2000000 6\n")
    assert as_dict(life) == {(0, 500_000): 5, (2, 2_000_000): 6}
    assert read("500000 5\n1000000 6\n2000000 7\n") == ([], 1)
    (life,), _ = read("300000 5\n1000000 6\n", policies=POLICIES[:1])
    assert as_dict(life) == {(0, 300_000): 5, (0, 1_000_000): 6}


def test_torn_readings_and_unused_policies_are_dropped() -> None:
    (life,), skipped = read(NEW.format(0, 0, 1, 1), "cpu0\n500000 1\n1000", "", "No such process\n", NEW.format(0, 0, 1, 9))
    assert ([table.policy for table in life.tables], skipped) == ([2], 2)
    assert life.t_ns.tolist() == [1_000 * MS, 1_400 * MS]
    assert life.tables[0].ns.tolist() == [[10 * MS, 10 * MS], [10 * MS, 90 * MS]]


def test_a_thread_that_started_between_blocks_had_not_run_at_the_first() -> None:
    (life,), _ = read(NEW.format(5, 0, 0, 0), blocks=(800 * MS, 900 * MS))
    assert (life.t_ns.tolist(), life.tables[0].ns[:, 0].tolist()) == ([900 * MS, 1_000 * MS], [0, 50 * MS])
    (old,), _ = read(NEW.format(50, 0, 0, 0), blocks=(900 * MS,))
    assert old.t_ns.tolist() == [1_000 * MS]


def test_a_reused_tid_belongs_to_the_thread_that_lives() -> None:
    texts = [NEW.format(n, 0, 0, 0) for n in (1, 5, 9, 2, 4)]
    lives, _ = read(*texts)
    # The second thread had not run at 1,200 ms, when the first thread still had the tid.
    assert [life.t_ns.tolist() for life in lives] == [[1_000 * MS, 1_100 * MS, 1_200 * MS], [1_200 * MS, 1_300 * MS, 1_400 * MS]]
    first = replace(THREAD, anchors=CpuClock(np.array([950, 1_250]) * MS, np.array([0, 90]) * MS))
    second = replace(THREAD, serial=2, anchors=CpuClock(np.array([1_350, 1_450]) * MS, np.array([0, 40]) * MS))
    given_first, given_second = with_residencies([first, second], {7: lives})
    assert given_first.residency[0].t_ns.tolist() == [1_000 * MS, 1_100 * MS, 1_200 * MS]
    assert given_second.residency[0].t_ns.tolist() == [1_200 * MS, 1_300 * MS, 1_400 * MS]


def test_a_reused_tid_without_falling_counters_is_split_at_the_start() -> None:
    lives, _ = read(*(NEW.format(n, 0, 0, 0) for n in (1, 1, 2, 3)))
    first = replace(THREAD, anchors=CpuClock(np.array([950, 1_150]) * MS, np.array([0, 10]) * MS))
    second = replace(THREAD, serial=2, anchors=CpuClock(np.array([1_180, 1_450]) * MS, np.array([0, 40]) * MS))
    one, two = with_residencies([first, second], {7: lives})
    assert [table.t_ns.tolist() for table in (one.residency[0], two.residency[0])] == [
        [1_000 * MS, 1_100 * MS],
        [1_200 * MS, 1_300 * MS],
    ]
    assert with_residencies([THREAD, replace(first, tid=8)], {7: lives})[1].residency == ()


def test_counters_of_no_thread_are_skipped() -> None:
    for text in (NEW.format(10**9, 1, 1, 1), NEW.format(-1, 1, 1, 1), "".join(f"{khz} 1\n" for khz in range(600)), "cpu0\n"):
        assert read(text) == ([], 1), text[:40]
    (life,), _ = read(NEW.format(*[10**9 - 1] * 4))
    assert sum(as_dict(life).values()) == 4 * (10**9 - 1)


@given(st.lists(st.text(alphabet="cpu0123 \t\n", max_size=40), max_size=4))
def test_any_text_parses_without_error(texts: list[str]) -> None:
    for life in read(*texts)[0]:
        assert all(table.ns.shape == (len(life.t_ns), len(table.freq_khz)) for table in life.tables)
