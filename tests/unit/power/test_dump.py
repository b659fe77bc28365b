"""Conversion of `dumpsys batterystats --power-profile` output of several releases to profiles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.power.components.component_power import ComponentPower
from navitas.power.cpu import power_model
from navitas.power.dump import from_dump
from navitas.power.power_profile import read_power_profile
from navitas.virtual_phone.models import dump_power_profile

# Since Android 13 (PowerProfile.java): hash map order, a trailing blank on each line, Java doubles.
MODERN = """cpu.cluster_power.cluster1=1.12\x20
cpu.idle=22.71\x20
ambient.on.display0=32.0\x20
battery.capacity=4355.0\x20
wifi.controller.tx_levels=[]\x20
cpu.core_speeds.cluster0=[324000.0, 610000.0]\x20
cpu.core_power.cluster1=[5.4, 8.9]\x20
cpu.core_power.cluster0=[1.27, 5.87]\x20
cpu.core_speeds.cluster1=[357000.0, 1.04E7]\x20
cpu.clusters.cores=[4.0, 3.0]\x20
Modem values:
  drain:SLEEP,RAT:DEFAULT=0.0
  cpu.idle=99.0
"""
WRAPPED = MODERN.replace("[324000.0, ", "[324000.0,\n    ").replace("\n", "\r\n")
HELP = "Unknown option: --power-profile\nBattery stats (batterystats) dump options:\n  [--checkin] [--proto] [--history]\n"


@pytest.mark.parametrize("text", [MODERN, WRAPPED, "\n".join("    " + line for line in MODERN.splitlines())])
def test_values_survive_the_round_trip(text: str) -> None:
    xml = from_dump(text)
    assert xml is not None
    profile = read_power_profile(xml, name="dump")
    assert profile.items["cpu.idle"] == 22.71 and profile.items["battery.capacity"] == 4355
    assert profile.arrays["cpu.core_speeds.cluster0"] == (324000, 610000)
    model = power_model(profile, 3.85, [(0, [0, 1, 2, 3]), (4, [4, 5, 6])])
    assert model.cpu.clusters[1].freq_khz.tolist() == [357000, 10400000]
    assert b"4355<" in xml, "as the maker wrote it"


@pytest.mark.parametrize(
    "text", ["", HELP, "Can't find service: batterystats\n", "Modem values:\n  cpu.idle=1.0\n", "screen.on=1.0 \n"]
)
def test_text_without_a_profile_returns_none(text: str) -> None:
    assert from_dump(text) is None


NESTED = """<modem><sleep>1</sleep><idle>2</idle><active rat="DEFAULT"><receive>10</receive><transmit level="0">20</transmit>
<transmit level="4">24</transmit></active><active rat="NR" nrFrequency="HIGH"><receive>40.5</receive></active></modem>"""
LATEST = """Modem values:
  drain:SLEEP,RAT:DEFAULT=1.0
  drain:IDLE,RAT:DEFAULT=2.0
  drain:RX,RAT:DEFAULT=10.0
  drain:RX,RAT:NR,nrFreq:HIGH=40.5
  drain:TX,level:0,RAT:DEFAULT=20.0
  drain:TX,level:1,RAT:DEFAULT=0.0
  drain:TX,level:4,RAT:DEFAULT=24.0
"""
FIRST = """Modem values:
  drain:0,RAT:DEFAULT=1.0
  drain:IDLE,RAT:DEFAULT=2.0
  drain:RX,RAT:DEFAULT=10.0
  drain:RX,RAT:NR,nrFreq:HIGH=40.5
  drain:TX,level:UNKNOWN(0x0)RAT:DEFAULT=20.0
  drain:TX,level:UNKNOWN(0x4000000)RAT:DEFAULT=24.0
"""


@pytest.mark.parametrize("modem", [LATEST, FIRST, LATEST.replace("\n", "\r\n"), LATEST + "  drain:TX,level:9,RAT:X=1.0\n"])
def test_the_modems_currents_come_back(modem: str) -> None:
    """Not the same entries as the maker wrote, since Android adds those of a flat profile; but the same figures."""
    dumped = from_dump("screen.on=50.0\nscreen.on.display0=50.0\ncpu.idle=1.0\n" + modem)
    assert dumped is not None
    written = f'<device><item name="cpu.idle">1</item><item name="screen.on">50</item>{NESTED}</device>'.encode()
    first, second = (ComponentPower.from_profile(read_power_profile(xml, name="p")) for xml in (dumped, written))
    assert first.figures == second.figures
    assert first.modem.receive_ma[2, 3] == 40.5


_name = st.from_regex(r"cpu\.[a-z_]{1,12}(\.cluster[0-9])?", fullmatch=True)
_ma = st.floats(0, 1e7, allow_nan=False) | st.integers(0, 4_000_000).map(float)


@given(st.dictionaries(_name, _ma, min_size=1), st.dictionaries(_name, st.lists(_ma, max_size=5)))
def test_any_dump_of_a_phone_is_parsed(items: dict[str, float], arrays: dict[str, list[float]]) -> None:
    arrays = {f"{name}.array": values for name, values in arrays.items()}
    xml = from_dump(dump_power_profile(items, arrays))
    assert xml is not None
    profile = read_power_profile(xml, name="dump")
    assert profile.items == items
    assert {name: list(values) for name, values in profile.arrays.items()} == arrays


@given(st.text(max_size=300) | st.lists(st.sampled_from([*MODERN.splitlines(True), "cpu.x=[", "]", "=", "\0", "ü"])).map("".join))
def test_arbitrary_text_never_fails(text: str) -> None:
    xml = from_dump(text)
    assert xml is None or read_power_profile(xml, name="any")


def test_long_text_is_parsed_in_bounded_time() -> None:
    assert from_dump("cpu.a=[" * 200_000) is None
