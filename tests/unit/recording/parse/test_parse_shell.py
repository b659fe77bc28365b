"""shell.txt and the rails in it."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.rail_readings import SkippedReadings, parse_rails
from navitas.recording.parse.sampled_files import parse_shell
from navitas.recording.parse.thread_residency import Texts

TEXT = "@ 10.5\n# /proc/stat\ncpu 1\nintr\n# /sys/x\na\n@ 11,000250\n# /proc/stat\ncpu 2\n"
RAILS = "t=1000\nCH0(T=1000)[S1M_VDD_CPUCL0], 5000000\nCH1(T=1000)[VSYS_PWR_DISPLAY], 7\n"
NO_CLOCKS = ClockTriples(*(np.empty(0, np.int64) for _ in range(3)))


def parsed(text: str) -> dict[str, Texts]:
    return parse_shell(io.StringIO(text))[0]


def test_blocks_become_series_by_path() -> None:
    series = parsed(TEXT)
    assert series["/proc/stat"][0] == [10_500_000_000, 11_000_250_000]
    assert series["/proc/stat"][1] == ["cpu 1\nintr\n", "cpu 2\n"]
    assert series["/sys/x"][1] == ["a\n"]


def test_text_before_the_first_block_is_ignored() -> None:
    assert list(parsed("sh: oops\n# /lost\nx\n" + TEXT)) == ["/proc/stat", "/sys/x"]


def test_lines_similar_to_a_header_belong_to_the_text() -> None:
    assert parsed("@ 1.0\n# /f\n@ home\n# comment\n@ 1.2.3\n")["/f"][1] == ["@ home\n# comment\n@ 1.2.3\n"]


def test_lines_beyond_the_memory_limit_are_dropped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.recording.parse.sampled_files._MAX_CHARS", 500)
    found, left_out = parse_shell(io.StringIO(TEXT))
    assert found["/proc/stat"][1] == ["cpu 1\nintr\n"] and left_out == 5


@given(st.text() | st.from_regex(r"(@ [0-9]{1,3}\.[0-9]{1,9}\n|# /[a-b]\n|x\n){0,8}"))
def test_any_text_parses_without_error(text: str) -> None:
    for entry in parsed(text).values():
        assert len(entry[0]) == len(entry[1])


def test_rails_are_in_joules_at_the_monitors_own_time() -> None:
    clocks = ClockTriples(np.array([0]), np.array([300_000_000]), np.array([0]))
    rails, skipped = parse_rails(
        [705_000_000, 900_000_000], [RAILS, RAILS.replace("5000000", "6500000").replace("t=1000", "t=1200")], clocks
    )
    assert rails is not None
    assert (rails.names, rails.t_ns.tolist()) == (("S1M_VDD_CPUCL0", "VSYS_PWR_DISPLAY"), [700_000_000, 900_000_000])
    assert skipped == SkippedReadings()
    np.testing.assert_allclose(rails.energy_j, [[5.0, 7e-6], [6.5, 7e-6]])


def test_without_boottime_the_time_of_the_block_counts() -> None:
    rails, _ = parse_rails([705_000_000], [RAILS], NO_CLOCKS)
    assert rails is not None and rails.t_ns.tolist() == [705_000_000]


def test_a_monitor_time_far_from_the_block_is_ignored() -> None:
    clocks = ClockTriples(np.array([0]), np.array([0]), np.array([0]))
    rails, _ = parse_rails([9_000_000_000], [RAILS], clocks)
    assert rails is not None and rails.t_ns.tolist() == [9_000_000_000]


def test_torn_rails_are_skipped() -> None:
    rails, skipped = parse_rails(range(5), [RAILS, RAILS[:-1], RAILS[:50], "", RAILS], NO_CLOCKS)
    assert rails is not None
    assert (rails.t_ns.tolist(), skipped) == ([0, 4], SkippedReadings(torn=3))
    assert parse_rails([1], ["t=5\n"], NO_CLOCKS) == (None, SkippedReadings(torn=1))


def test_readings_with_other_rails_than_most_are_skipped() -> None:
    less = "".join(line for line in RAILS.splitlines(keepends=True) if "DISPLAY" not in line)
    rails, skipped = parse_rails(range(4), [RAILS, less, RAILS[:50], RAILS], NO_CLOCKS)
    assert rails is not None
    assert (rails.t_ns.tolist(), skipped) == ([0, 3], SkippedReadings(torn=1, others=1))


@given(
    st.lists(
        st.text(max_size=30) | st.just(RAILS) | st.from_regex(r"(t=[0-9]{1,9}\n|CH[0-9]\(T=1\)\[[a-c]\], [0-9]{1,18}\n){0,4}"),
        max_size=6,
    )
)
def test_any_rails_parse_without_error(texts: list[str]) -> None:
    rails, skipped = parse_rails(range(len(texts)), texts, NO_CLOCKS)
    if rails is not None:
        assert rails.energy_j.shape == (len(texts) - skipped.torn - skipped.others, len(rails.names))
        assert (np.diff(rails.t_ns) >= 0).all()
