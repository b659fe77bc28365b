"""The text of power statistics: rails, consumers and users; damaged text never raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.android.power_statistics import parse_power_statistics
from navitas.virtual_phone.rail_monitor import Consumer, dump_power_statistics

NAMES = st.text(st.characters(categories=("Lu", "Nd"), include_characters="_"), min_size=1, max_size=12)
ENERGIES = st.integers(0, 10**12).map(float)


@given(
    st.dictionaries(NAMES, ENERGIES, max_size=20),
    st.dictionaries(NAMES, st.tuples(ENERGIES, st.dictionaries(st.integers(0, 99_999), ENERGIES, max_size=5)), max_size=10),
)
def test_what_the_virtual_phone_prints_reads_back(
    rails: dict[str, float], consumers: dict[str, tuple[float, dict[int, float]]]
) -> None:
    """As exact as float32 and hundredths of a mWs."""
    text = dump_power_statistics(rails, [Consumer("OTHER", 0, name, *figures) for name, figures in consumers.items()])
    found = parse_power_statistics(text)

    def near(energy_uj: float) -> object:
        return pytest.approx(energy_uj * 1e-6, rel=1e-7, abs=1e-5)

    assert found.meters == {name: near(energy) for name, energy in rails.items()}
    assert found.consumers == {name: near(energy) for name, (energy, _) in consumers.items()}
    users = {name: {uid: near(energy) for uid, energy in by_uid.items()} for name, (_, by_uid) in consumers.items() if by_uid}
    assert (found.by_uid, found.skipped) == (users, 0)


def test_other_forms_of_lines() -> None:
    """Rails with a delta, older rails without a subsystem, older consumers with `=`."""
    text = (
        "============= PowerStats HAL 2.0 energy consumers ==============\n"
        "0 =        12.50 mWs\n"
        "========== End of PowerStats HAL 2.0 energy consumers ==========\n"
        "============= PowerStats HAL 2.0 energy meter ==============\n"
        "Elapsed time: 1000 ms\n"
        "                           Channel    Cumulative Energy (      Delta   )\n"
        "                    [L1]:Modem          7.00 mWs (          1.00)\n"
        "                       OLD_RAIL          8.00 mWs\n"
        "                       [broken           9.00 mW\n"
        "========== End of PowerStats HAL 2.0 energy meter ==========\n"
        "                       OUTSIDE          8.00 mWs\n"
    )
    found = parse_power_statistics(text)
    assert found.meters == {"L1": pytest.approx(0.007), "OLD_RAIL": pytest.approx(0.008)}
    assert (found.consumers, found.by_uid, found.skipped) == ({"0": pytest.approx(0.0125)}, {}, 1)


def test_a_phone_without_the_service_has_nothing() -> None:
    assert parse_power_statistics("Can't find service: android.hardware.power.stats.IPowerStats/default\n").meters == {}


LINES = st.sampled_from(
    [
        "============= PowerStats HAL 2.0 energy meter ==============",
        "============= PowerStats HAL 2.0 energy consumers ==============",
        "========== End of PowerStats HAL 2.0 energy meter ==========",
        "  [A]:B   1.00 mWs",
        "A : 1.00 mWs",
        "  1000 - 1.00 mWs",
        "",
    ]
)


@given(st.lists(st.one_of(LINES, st.text(max_size=40)), max_size=40))
def test_damaged_text_never_raises(lines: list[str]) -> None:
    parse_power_statistics("\n".join(lines))


def test_the_number_of_entries_is_bounded() -> None:
    begin = "============= PowerStats HAL 2.0 energy meter ==============\n"
    text = begin + "".join(f"  [R{i}]:X   1.00 mWs\n" for i in range(300))
    found = parse_power_statistics(text)
    assert (len(found.meters), found.skipped) == (256, 44)
