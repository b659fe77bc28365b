"""Damaged readings: a counter that is too high or too low in one reading, of any position, thread and format of the log."""

from __future__ import annotations

import random
import re
from itertools import combinations, pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from original_logs import by_method, imported, line, paper1_by_method
from support.field_data import FIELD_DATA, needs_field_data

from navitas.recording.importing.counted_cpus import counted_cpus
from navitas.recording.importing.misfits import longest_descent
from navitas.recording.importing.original_log import Written, read_original_log
from navitas.recording.importing.processes import processes_of

LOGS = FIELD_DATA / "navitas-framework-logs"
TICKS = 20


def _log(wrong: int = -1, ticks: int = 0, *, brief: bool = False) -> str:
    """Two threads that call in turns. In the event `wrong`, the lower counter of CPU 0 is other by `ticks`."""
    out = ""
    for i in range(24):
        now = TICKS * i
        counters = dict.fromkeys(range(4), (9_000 + now - now // 3, 20_000 + now // 3))
        if i == wrong:
            counters[0] = (counters[0][0] + ticks, counters[0][1])
        thread, kind = 7 + i // 2 % 2, ("Entry", "Exit")[i % 2]
        out += line(
            f"05-03 10:00:{now // 100:02d}.{now % 100:02d}0", (7, thread), f"{kind} a.B.run{thread}", counters, brief=brief
        )
    return out


def _energies(folder: Path, text: str) -> tuple[dict[str, float], list[str]]:
    folder.mkdir(exist_ok=True)
    (folder / "log.txt").write_text(text)
    written, profile = imported(folder / "rec", folder / "log.txt")
    (methods,) = by_method(profile)
    return methods, [note.message for _, note in written.notes]


MISFITS = product([0, 1, 2, 11, 22, 23], [-8_900, -3_000, 3_000, 10**6, 10**9], [False, True])


@pytest.mark.parametrize(
    ("wrong", "ticks", "brief"),
    [pytest.param(*case, marks=[pytest.mark.extended] if number % 3 else []) for number, case in enumerate(MISFITS)],
)
def test_one_wrong_counter_does_not_change_the_energies(wrong: int, ticks: int, brief: bool, tmp_path: Path) -> None:
    expected = dict(paper1_by_method(_log())["7"])
    found, messages = _energies(tmp_path, _log(wrong, ticks, brief=brief))
    assert found == pytest.approx(expected, rel=0.25)
    assert any("1 reading is cut off, impossible, or at odds" in message for message in messages)


def test_a_wrong_counter_does_not_split_a_cluster() -> None:
    (process,) = processes_of(
        read_original_log(enumerate(_log(3, 60).splitlines(), 1), "log.txt", "log", Written(0, "a test"), 2021)
    )
    assert all(event.layout for event in process.events)
    assert [policy.cpus for policy in counted_cpus([process]).policies] == [[0, 1, 2, 3]]


@needs_field_data
def test_the_first_counter_of_a_log_of_a_real_phone(tmp_path: Path) -> None:
    name = "2021-05-03_MultithreadingTest.startWithSort.txt"
    text = (LOGS / name).read_text()
    damaged = re.sub(r"(TimeInStates\s+cpu0 \d+ \d+)\d ", r"\1 ", text, count=1)
    assert damaged != text
    (folder := tmp_path / "damaged").mkdir()
    (folder / name).write_text(damaged)
    ((found,), (expected,)) = (
        by_method(imported(tmp_path / f"rec{i}", log)[1]) for i, log in enumerate((folder / name, LOGS / name))
    )
    assert 0 < sum(found.values()) <= sum(expected.values())


@given(st.lists(st.integers(-6, 6), max_size=9), st.integers(0, 3))
def test_a_longest_descent_is_as_long_as_any(values: list[int], tolerance: int) -> None:
    found = longest_descent(np.array(values, np.int64), tolerance)
    chains = (chain for size in range(len(values), -1, -1) for chain in combinations(range(len(values)), size))
    assert _descends(found, values, tolerance)
    assert len(found) == len(next(chain for chain in chains if _descends(chain, values, tolerance)))


def _descends(chain: tuple[int, ...] | list[int], values: list[int], tolerance: int) -> bool:
    return list(chain) == sorted(set(chain)) and all(values[j] - values[i] <= tolerance for i, j in pairwise(chain))


def test_a_long_log_in_which_many_readings_contradict_each_other_is_quick() -> None:
    rng = random.Random(1)
    values = np.array([rng.randrange(10**9) for _ in range(50_000)], np.int64)
    assert 300 < len(longest_descent(values, 5)) < 1000
