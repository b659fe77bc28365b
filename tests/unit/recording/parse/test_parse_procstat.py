"""Parse /proc/self/stat and /proc/stat."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.base.cpu_limit import MAX_CPUS
from navitas.recording.parse.procstat import parse_cpu_stat, parse_process_stat

STAT = b"12 (a) b (c) R 1 12 0 0 -1 4194304 1 2 3 4 70 30 9 9 20 0 15 0 100 0 0\n"
CPUS = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 2 3 100 7 1 2 0 5 0\ncpu1 20 0 0 90 0 0 0 0 0 0\nintr 5\n"


def test_a_process_name_may_contain_parentheses() -> None:
    clock, skipped, restarts = parse_process_stat([5, 6], [STAT, STAT.replace(b" 70 ", b" 71 ")])
    assert clock is not None and restarts == 0
    assert (clock.t_ns.tolist(), clock.cpu_ns.tolist(), skipped) == ([5, 6], [1_000_000_000, 1_010_000_000], 0)


def test_a_process_clock_that_begins_again_continues() -> None:
    """A reading that is torn, between others, is no restart."""
    texts = [STAT.replace(b" 70 ", b" %d " % user) for user in (70, 80, 7, 90, 5, 25)]
    clock, skipped, restarts = parse_process_stat([second * 10**9 for second in range(6)], texts)
    assert clock is not None and (skipped, restarts) == (0, 1)
    assert (clock.cpu_ns // 10_000_000).tolist() == [100, 110, 110, 120, 155, 175]


def test_torn_process_readings_are_skipped() -> None:
    texts = [b"", STAT[:40], STAT[: STAT.index(b" 30") + 2], b"12 a R", STAT]
    clock, skipped, _ = parse_process_stat(range(5), texts)
    assert clock is not None
    assert (clock.t_ns.tolist(), skipped) == ([4], 4)
    assert parse_process_stat([1], [b""]) == (None, 1, 0)


def test_busy_time_excludes_idle_and_iowait_and_counts_guest_time_once() -> None:
    stat, skipped = parse_cpu_stat([1], [CPUS])
    assert stat is not None
    assert (stat.cpus, stat.busy_ns.tolist(), skipped) == ((0, 1), [[180_000_000, 200_000_000]], 0)


def test_a_cpu_that_goes_offline_keeps_its_time() -> None:
    without = "cpu0 11 2 3 100 7 1 2 0 0 0\nintr 5\n"
    stat, _ = parse_cpu_stat([1, 2, 3, 4], [without, CPUS, without, CPUS.replace("cpu1 20", "cpu1 25")])
    assert stat is not None
    assert (stat.busy_ns[:, 1] // 10_000_000).tolist() == [20, 20, 20, 25]


def test_a_cpu_that_was_unplugged_counts_from_0_again() -> None:
    """A reading that is torn, between others, is no restart."""
    busy = [(100, 50), (120, 60), (130, 5), (14, 25), (150, 45), (170, 65)]
    texts = [f"cpu  1 1 1 1 1\ncpu0 {a} 0 0 9 9\ncpu1 {b} 0 0 9 9\n" for a, b in busy]
    stat, _ = parse_cpu_stat([second * 10**9 for second in range(6)], texts)
    assert stat is not None and stat.restarts == {1: 1}
    assert (stat.busy_ns // 10_000_000).T.tolist() == [[100, 120, 130, 130, 150, 170], [50, 60, 65, 85, 105, 125]]


def test_a_cpu_may_have_any_number_within_the_bound() -> None:
    stat, skipped = parse_cpu_stat([1], [f"cpu  1 1 1 1 1\ncpu{MAX_CPUS - 1} 1 1 1 1 1\n"])
    assert stat is not None and skipped == 0 and stat.cpus == (MAX_CPUS - 1,)
    assert parse_cpu_stat([1], [f"cpu  1 1 1 1 1\ncpu{MAX_CPUS} 1 1 1 1 1\n"]) == (None, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "cpu",
        "cpu0 1 2",
        "cpu0 1 2 3\n",
        "cpux 1 2 3 4 5 6\n",
        "cpu0 1 2 3 4 -5 6\n",
        "cpu0 1 2 3 4 99999999999999999 6\n",
        "cpu99999 1 1 1 1 1\n",
    ],
)
def test_torn_cpu_readings_are_skipped(text: str) -> None:
    assert parse_cpu_stat([1], [text]) == (None, 1)


def test_a_torn_last_line_is_ignored() -> None:
    stat, _ = parse_cpu_stat([1, 2], [CPUS, CPUS[: CPUS.index("cpu1 2") + 6]])
    assert stat is not None
    assert (stat.busy_ns[:, 1] // 10_000_000).tolist() == [20, 20]


@given(st.lists(st.text(max_size=40) | st.from_regex(r"(cpu[0-9]?( [0-9]{1,4}){3,10}\n){0,4}"), max_size=6))
def test_any_cpu_texts_parse_without_error(texts: list[str]) -> None:
    stat, skipped = parse_cpu_stat(range(len(texts)), texts)
    assert skipped <= len(texts)
    if stat is not None:
        assert stat.busy_ns.shape == (len(texts) - skipped, len(stat.cpus)) and (np.diff(stat.busy_ns, axis=0) >= 0).all()


@given(st.lists(st.binary(max_size=60) | st.from_regex(rb"1 \(.{0,4}\)( [0-9]{1,5}){0,20}"), max_size=6))
def test_any_process_texts_parse_without_error(texts: list[bytes]) -> None:
    clock, skipped, _ = parse_process_stat(range(len(texts)), texts)
    assert (0 if clock is None else len(clock.t_ns)) == len(texts) - skipped
    assert clock is None or (np.diff(clock.cpu_ns) >= 0).all()


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="no /proc on this system")
def test_files_of_this_machine_parse() -> None:
    stat, skipped = parse_cpu_stat([1], [Path("/proc/stat").read_text()])
    clock, torn, _ = parse_process_stat([1], [Path("/proc/self/stat").read_bytes()])
    assert stat is not None and clock is not None
    assert skipped == torn == 0
