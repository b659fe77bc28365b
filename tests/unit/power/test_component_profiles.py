"""Which entries of a power profile count for which component."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree
from support.field_data import FIELD_DATA

from navitas.power import catalog
from navitas.power.components.component_power import ComponentPower, ControllerPower
from navitas.power.components.coverage import Coverage
from navitas.power.modem_element import FREQUENCIES, TECHNOLOGIES
from navitas.power.power_profile import PowerProfile, read_power_profile
from navitas.virtual_phone.compiled_xml import XmlElement, compile_xml

ROOT = Path(__file__).parents[3]
FIELD = FIELD_DATA / "power_profiles"
LTE, NR = map(TECHNOLOGIES.index, ("LTE", "NR"))
HIGH, MMWAVE = map(FREQUENCIES.index, ("HIGH", "MMWAVE"))
FILES = [*sorted((ROOT / "profiles").glob("*.xml")), *sorted(FIELD.glob("*.xml"))]


def components(**values: float | tuple[float, ...]) -> ComponentPower:
    """Components of a profile; `__` in names stands for a dot."""
    named = {key.replace("__", "."): value for key, value in values.items()}
    arrays = {key: value for key, value in named.items() if isinstance(value, tuple)}
    return ComponentPower.from_profile(PowerProfile("made", {k: v for k, v in named.items() if isinstance(v, float)}, arrays))


def covered(power: ComponentPower) -> dict[str, Coverage]:
    return {one.component: one for one in power.coverage}


def test_a_component_without_entries_says_which_are_missing() -> None:
    power = ComponentPower.empty()
    assert not any(one.is_covered for one in power.coverage)
    assert covered(power)["gnss"].note == "profile has no gps.on"
    assert covered(power)["screen"].note == "profile has no screen.on, screen.full"
    assert covered(power)["wifi"].note.startswith("profile has no wifi.controller.idle")
    assert power.camera.current_ma == 0.0
    assert (power.modem.active_ma, power.modem.signal_ma) == (0.0, ())


def test_one_of_two_ways_to_describe_a_component_suffices() -> None:
    assert covered(components(gps__signalqualitybased=(30.0, 10.0)))["gnss"] == Coverage("gnss", ("gps.signalqualitybased",))
    timed = covered(components(wifi__on=1.0, wifi__active=60.0, wifi__scan=30.0))["wifi"]
    assert timed.is_covered and not timed.missing
    controlled = components(wifi__controller__idle=1.0, wifi__controller__rx=2.0, wifi__controller__tx=3.0)
    assert not covered(controlled)["wifi"].missing and controlled.wifi.controller == ControllerPower(1.0, 2.0, 3.0)
    radio = covered(components(radio__active=200.0, radio__on=(9.0, 3.0)))["modem"]
    assert radio.is_covered and not radio.missing
    old = covered(components(bluetooth__on=0.3, bluetooth__active=12.0))["bluetooth"]
    assert old.is_covered and not old.missing


def test_placeholders_and_zeros_are_named() -> None:
    one = covered(components(camera__avg=0.1))["camera"]
    assert not one.is_covered and one.note == "camera.avg: 0 or a placeholder of 0.1 mA"
    assert covered(components(audio=0.0))["audio"].unfilled == ("audio",)
    assert not covered(components(gps__on=0.1, gps__voltage=3700.0))["gnss"].is_covered, "a voltage is no current"


@pytest.mark.parametrize("value", [-3.0, 1e9])
def test_impossible_currents_count_as_zero_and_are_named(value: float) -> None:
    power = components(gps__signalqualitybased=(value, 10.0), screen__on=value)
    assert power.gnss.quality_ma == (0.0, 10.0) and power.screen.displays[0].on_ma == 0.0
    note = covered(power)["gnss"].note
    assert note == "gps.signalqualitybased: a value is not between 0 and 1,000,000, 0 is used"
    assert covered(power)["gnss"].is_covered and not covered(power)["screen"].is_covered


def test_gnss_by_signal_quality() -> None:
    both, on_alone = components(gps__on=100.0, gps__signalqualitybased=(300.0, 60.0)).gnss, components(gps__on=100.0).gnss
    zeros = components(gps__on=100.0, gps__signalqualitybased=(0.0, 0.0)).gnss
    assert (both.unknown_quality_ma, both.quality_ma) == (100.0, (300.0, 60.0))
    assert (on_alone.unknown_quality_ma, on_alone.quality_ma) == (100.0, ())
    assert (zeros.unknown_quality_ma, zeros.quality_ma) == (100.0, ())
    quality_alone = components(gps__signalqualitybased=(300.0, 60.0)).gnss
    assert (quality_alone.unknown_quality_ma, quality_alone.quality_ma) == (180.0, (300.0, 60.0))


def test_old_names_count_where_there_is_no_new_one() -> None:
    power = components(dsp__audio=40.0, dsp__video=80.0)
    assert (power.audio.current_ma, power.video.current_ma) == (40.0, 80.0)
    assert components(dsp__audio=40.0, audio=50.0).audio.current_ma == 50.0


def test_numbered_displays_replace_unnumbered_entries() -> None:
    power = components(screen__on=1.0, screen__full=2.0, screen__on__display0=10.0, screen__on__display1=20.0)
    assert [display.on_ma for display in power.screen.displays] == [10.0, 20.0]
    assert power.unread(PowerProfile("p", {"screen.on": 1.0, "none": 0.0, "cpu.idle": 1.0}, {})) == ["screen.on"]


def test_the_screen_costs_what_either_model_says() -> None:
    screen = components(screen__on=100.0, screen__full=400.0).screen
    assert screen.current_ma(0).tolist() == [140.0, 220.0, 300.0, 380.0, 460.0]
    assert screen.current_ma(0, "paper1").tolist() == [100.0, 200.0, 300.0, 400.0, 500.0]


NESTED = """<modem><sleep>1</sleep><idle>2</idle>
<active rat="DEFAULT"><receive>10</receive><transmit level="0">20</transmit><transmit level="4">24</transmit></active>
<active rat="NR"><receive>30</receive></active>
<active rat="NR" nrFrequency="HIGH"><receive>40</receive><transmit level="0">50</transmit></active></modem>"""


def nested(body: str = NESTED) -> PowerProfile:
    return read_power_profile(f"<device>{body}</device>".encode(), name="p")


def test_a_modems_current_falls_back_from_frequency_to_technology_to_default() -> None:
    modem = ComponentPower.from_profile(nested()).modem
    assert (modem.sleep_ma, modem.idle_ma) == (1.0, 2.0)
    assert modem.receive_ma[LTE, 0] == 10
    assert modem.receive_ma[NR].tolist() == [30, 30, 30, 40, 30]
    assert modem.transmit_ma[NR, HIGH].tolist() == [50, 0, 0, 0, 24]
    missing = [f"modem.active.DEFAULT.transmit.{level}" for level in (1, 2, 3)]
    assert modem.coverage.missing == tuple(missing)


def test_a_compiled_modem_is_the_same() -> None:
    def compiled(element: etree._Element) -> XmlElement:
        return XmlElement(element.tag, dict(element.attrib), (element.text or "").strip(), [compiled(one) for one in element])

    data = compile_xml(compiled(etree.fromstring(f"<device>{NESTED}</device>")))
    assert read_power_profile(data, name="p").items == nested().items


def test_a_flat_modem_serves_all_technologies_and_missing_levels() -> None:
    flat = '<item name="modem.controller.rx">5</item><array name="modem.controller.tx"><value>6</value><value>7</value></array>'
    alone = ComponentPower.from_profile(nested(flat)).modem
    assert set(alone.receive_ma.ravel()) == {5.0}
    assert alone.transmit_ma[NR, MMWAVE].tolist() == [6, 7, 7, 7, 7]
    assert alone.active_ma == pytest.approx((5 + 6 + 4 * 7) / 6)
    beside = ComponentPower.from_profile(nested(NESTED + flat)).modem
    assert beside.transmit_ma[0, 0].tolist() == [20, 7, 7, 7, 24]
    assert not beside.coverage.missing


def test_names_and_lines_of_a_nested_modem() -> None:
    profile = nested("\n<modem>\n<sleep>1</sleep>\n<active rat='LTE'><receive>x</receive></active></modem>")
    assert profile.items == {"modem.sleep": 1.0, "modem.active.LTE.receive": 0.0}
    assert profile.lines == {"modem.sleep": 3, "modem.active.LTE.receive": 4}
    assert any("line 4: modem.active.LTE.receive: 'x' is not a number" in warning for warning in profile.warnings)


@pytest.mark.parametrize(
    ("body", "warning"),
    [
        ('<active rat="WIMAX"><receive>1</receive></active>', "line 1: rat='WIMAX' is not one of DEFAULT, LTE, NR, ignored"),
        (
            '<active rat="NR" nrFrequency="X"/>',
            "line 1: nrFrequency='X' is not one of DEFAULT, LOW, MID, HIGH, MMWAVE, ignored",
        ),
        ('<active><transmit level="5">1</transmit></active>', "line 1: level='5' is not between 0 and 4, ignored"),
        ("<active><transmit>1</transmit></active>", "line 1: level='' is not between 0 and 4, ignored"),
        ("<active><tx>1</tx></active>", "line 1: <tx> is not part of <active>, ignored"),
        ("<scan>1</scan>", "line 1: <scan> is not part of <modem>, ignored"),
        ("<sleep>1</sleep><sleep>2</sleep>", "modem.sleep: defined 2 times (lines 1, 1), the last is used"),
    ],
)
def test_what_android_ignores_in_a_modem_is_a_warning(body: str, warning: str) -> None:
    assert warning in nested(f"<modem>{body}<idle>1</idle></modem>").warnings


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_profile_covers_screen_and_idle(file: Path) -> None:
    profile = catalog.load(file)
    power = ComponentPower.from_profile(profile)
    assert covered(power)["screen"].used and covered(power)["idle"].used
    assert power.unread(profile) == [], "each entry of a real profile belongs to a component"
