"""time_in_state in its formats, with torn, empty and restarted readings."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navitas.recording.parse.tables import TimeInState
from navitas.recording.parse.time_in_state import parse_time_in_state

PLAIN = b"300000 10\n600000 20\n"


def parse(*texts: bytes, cpus: tuple[int, ...] = (0, 1)) -> tuple[TimeInState | None, int]:
    return parse_time_in_state(3, cpus, list(range(0, 100 * len(texts), 100)), texts)


def table(*texts: bytes, cpus: tuple[int, ...] = (0, 1)) -> TimeInState:
    found, _ = parse(*texts, cpus=cpus)
    assert found is not None
    return found


def test_ticks_become_ns_by_ascending_frequency() -> None:
    found = table(b"600000 20\n300000 10\n", b"600000 21\n300000 10\n")
    assert (found.policy, found.freq_khz.tolist(), found.t_ns.tolist()) == (3, [300000, 600000], [0, 100])
    assert found.ns.tolist() == [[100_000_000, 200_000_000], [100_000_000, 210_000_000]]


def test_headers_choose_the_policys_section() -> None:
    text = b"cpu0\n300000 1\n600000 2\ncpu4\n800000 3\n900000 4\n1000000 5\n"
    assert table(text, cpus=(4, 5)).freq_khz.tolist() == [800000, 900000, 1000000]
    assert table(text, cpus=(0,)).ns.tolist() == [[10_000_000, 20_000_000]]
    assert table(text, cpus=()).freq_khz.tolist() == [300000, 600000]


def test_a_third_column_is_ignored() -> None:
    assert table(b"300000 10 7\n600000 20 9\n").ns.tolist() == [[100_000_000, 200_000_000]]


def test_empty_torn_and_foreign_readings_are_skipped_and_counted() -> None:
    later = b"300000 30\n600000 40\n"
    texts = (
        PLAIN,
        b"",
        b"300000 11\n6000",
        b"300000 11\n600000 2",
        b"300000 11\n",
        b"x",
        b"-1 5\n600000 20\n",
        b"1 99999999999999\n600000 1\n",
        later,
    )
    found, skipped = parse(*texts)
    assert found is not None
    assert (found.t_ns.tolist(), skipped) == ([0, 800], 7)


def test_texts_without_a_final_newline_are_complete() -> None:
    assert table(b"300000 10\n600000 20", b"300000 10\n600000 21").ns[:, 1].tolist() == [200_000_000, 210_000_000]


def test_without_usable_readings_there_is_no_table() -> None:
    assert parse() == (None, 0)
    assert parse(b"", b"torn") == (None, 2)


def test_a_single_reading_out_of_order_is_torn() -> None:
    found, skipped = parse(
        PLAIN, b"300000 9000\n600000 20\n", b"300000 12\n600000 20\n", b"300000 1\n600000 21\n", b"300000 14\n600000 22\n"
    )
    assert found is not None
    assert (found.ns[:, 0] // 10_000_000).tolist() == [10, 12, 14] and skipped == 2


def test_restarted_counters_continue() -> None:
    found = table(PLAIN, b"300000 12\n600000 25\n", b"300000 0\n600000 0\n", b"300000 3\n600000 1\n", b"300000 3\n600000 2\n")
    assert (found.ns // 10_000_000).tolist() == [[10, 20], [12, 25], [12, 25], [15, 26], [15, 27]]


def test_a_policy_that_was_unplugged_counts_from_0_again() -> None:
    texts = [b"300000 900\n600000 800\n", b"300000 950\n600000 850\n", b"300000 30\n600000 20\n", b"300000 30\n600000 120\n"]
    found, skipped = parse_time_in_state(4, (4, 5), [0, 10**9, 2 * 10**9, 3 * 10**9], texts)
    assert found is not None and (skipped, found.restarts) == (0, 1)
    assert (found.ns // 10_000_000).tolist() == [[900, 800], [950, 850], [980, 870], [980, 970]]


@given(
    st.lists(st.integers(100_000, 3_000_000), min_size=1, max_size=20, unique=True),
    st.lists(st.integers(0, 50), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
)
def test_any_valid_series_round_trips(freqs: list[int], steps: list[int], random: object) -> None:
    ticks = np.cumsum([[step * (i % 3) for i in range(len(freqs))] for step in steps], axis=0)
    texts = [b"".join(b"%d %d\n" % row for row in zip(freqs, reading.tolist(), strict=True)) for reading in ticks]
    found, skipped = parse(*texts)
    assert found is not None and skipped == 0
    assert (found.ns == ticks[:, np.argsort(freqs)] * 10_000_000).all()


@given(
    st.lists(
        st.one_of(st.binary(max_size=40), st.just(PLAIN), st.from_regex(rb"(cpu[0-9]\n|[0-9]{1,12} [0-9]{1,15}\n){0,4}")),
        max_size=12,
    )
)
def test_any_texts_parse_without_error(texts: list[bytes]) -> None:
    found, skipped = parse(*texts)
    assert skipped == len(texts) - (0 if found is None else len(found.t_ns))
    if found is not None:
        assert (np.diff(found.ns, axis=0) >= 0).all() and (np.diff(found.t_ns) > 0).all() and (found.ns >= 0).all()


def test_several_sections_of_a_policy_count_as_their_mean() -> None:
    """The CPUs of a policy were read one after the other. Sections of other CPUs, and torn ones, do not count."""
    text = b"cpu0\n300000 1\n600000 2\ncpu1\n300000 2\n600000 5\ncpu4\n300000 9\n600000 9\n"
    assert table(text, cpus=(0, 1)).ns.tolist() == [[15_000_000, 35_000_000]]
    assert table(text, cpus=(0,)).ns.tolist() == [[10_000_000, 20_000_000]]
    torn = b"cpu0\n300000 1\n600000 2\ncpu1\n300000 2\n"
    found, skipped = parse(text, torn, text)
    assert found is not None and (len(found.t_ns), skipped) == (2, 1)
