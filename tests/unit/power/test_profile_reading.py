"""Reading power_profile.xml: same results as Android, a warning per defect, unsafe input rejected."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.base.errors import PowerProfileError
from navitas.power.power_profile import MAX_BYTES, PowerProfile, read_power_profile


def read(body: str) -> PowerProfile:
    return read_power_profile(f'<device name="Android">{body}</device>'.encode(), name="phone")


def test_items_and_arrays_are_read_with_comments_and_spaces() -> None:
    profile = read(
        '<!-- x --><item name="screen.on"> 63 <!-- mA --></item>'
        '<array name="cpu.speeds"><value>1<!-- a -->00</value><value>2e2</value></array>'
    )
    assert profile.items == {"screen.on": 63.0}
    assert profile.arrays == {"cpu.speeds": (100.0, 200.0)}


def test_groups_are_searched() -> None:
    assert read('<modem><item name="modem.idle">4</item></modem>').items == {"modem.idle": 4.0}


def test_items_and_arrays_convert_to_each_other() -> None:
    profile = read('<item name="cpu.clusters.cores">4</item><array name="cpu.active"><value>7</value><value>9</value></array>')
    assert profile.values("cpu.clusters.cores") == (4.0,)
    assert profile.value("cpu.active") == 7.0
    assert profile.value("cpu.idle", 3.0) == 3.0
    assert profile.values("cpu.speeds") == ()


@pytest.mark.parametrize(
    ("body", "warning"),
    [
        ('<item name="a">1</item><item name="a">2</item>', "a: defined 2 times"),
        ("<item>1</item><item name='b'>1</item>", "<item> without a name"),
        ('<item name="a">twelve</item>', "'twelve' is not a number"),
        ('<item name="a">NaN</item>', "'NaN' is not a number"),
        ('<item name="a">1_000</item>', "'1_000' is not a number"),
        ('<item name="a"/>', "'' is not a number"),
        ('<item name="a">1</item>', "battery.capacity is missing"),
        ('<item name="a">1</item>', "cpu.suspend and cpu.idle are missing"),
        ('<array name="cpu.clusters.cores"><value>4</value></array>', "cpu.core_speeds.cluster0 is missing"),
        ('<array name="cpu.clusters.cores"><value>4</value></array>', "cpu.core_power.cluster0 is missing"),
        ('<item name="cpu.clusters.cores">4</item>', "cpu.clusters.cores: one value where an array is expected"),
        ('<array name="cpu.idle"><value>4</value></array>', "cpu.idle: an array where one value is expected"),
        ('<array name="cpu.speeds"><value>2</value><value>1</value></array>', "cpu.speeds: speeds are not ascending"),
        (
            '<array name="cpu.speeds"><value>1</value><value>2</value></array><array name="cpu.active"><value>1</value></array>',
            "cpu.speeds has 2 values but cpu.active has 1: the surplus is ignored",
        ),
        ('<array name="cpu.active.cluster0"/>', "cpu.active.cluster0: the array is empty"),
        ('<item name="cpu.idle">-4</item>', "cpu.idle: negative"),
        ('<item name="a">1</item>\n<item name="a">2</item>', "a: defined 2 times (lines 1, 2), the last is used"),
        ('<item name="a">3,5</item>', "'3,5' is not a number (use a decimal point), 0 is used"),
        ('<item name="a">1e999</item>', "'1e999' is not a number"),
        ('<item name="a">inf</item>', "'inf' is not a number"),
        ('<item name="a">0x10</item>', "'0x10' is not a number"),
        (f'<item name="a">{"9" * 5000}</item>', "is not a number"),
        ('<item name="battery.capacity">-3000</item>', "battery.capacity: -3000 mAh is implausible"),
        ('<item name="battery.capacity">1e300</item>', "battery.capacity: 1e+300 mAh is implausible"),
        ('<item name="a">1</item><array name="a"><value>2</value></array>', "a: an <item> and an <array>, the <item> is used"),
        ('<array name="wifi.tx"/>', "wifi.tx: the array is empty"),
        (
            '<array name="cpu.speeds"><value>300</value><value>600</value><value>300</value></array>',
            "cpu.speeds: 300 kHz is listed more than once, its last current is used",
        ),
        (
            '<item name="a">1</item>\n<allow-in-power-save package="p"/>',
            "line 2: <allow-in-power-save> is not part of a power profile",
        ),
        (
            '<array name="cpu.clusters.cores"><value>4</value></array><item name="cpu.suspend">1</item>',
            "cpu.cluster_power.cluster0 is missing, 0 mA is assumed",
        ),
        (
            '<array name="cpu.core_power.cluster0"><value>4</value></array><array name="cpu.active"><value>1</value></array>',
            "cpu.active: an array in a profile with cpu.core_power.cluster0: the first value is used, for any running core",
        ),
    ],
)
def test_each_defect_is_a_warning(body: str, warning: str) -> None:
    assert any(warning in found for found in read(body).warnings)


def test_the_number_of_warnings_is_bounded() -> None:
    warnings = read('<item name="a">x</item>' * 20_000).warnings
    assert len(warnings) == 51 and warnings[-1].startswith("and 19")


def test_an_invalid_number_is_zero_and_the_last_duplicate_is_used() -> None:
    profile = read('<item name="a">x</item><item name="b">1</item><item name="b">2.5f</item>')
    assert profile.items == {"a": 0.0, "b": 2.5}


def test_a_valid_profile_has_no_warnings() -> None:
    assert read('<item name="battery.capacity">1</item><item name="cpu.suspend">1</item>').warnings == ()


BOMB = (
    '<!DOCTYPE device [<!ENTITY a "xxxxxxxxxx">'
    + "".join(f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(9))
    + ']><device><item name="&j;">&j;</item></device>'
)


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"", "not well-formed"),
        (b"<device>", "not well-formed"),
        (b"\x03\x00\x08\x00\x1c", "damaged compiled XML"),
        (b"\n\n<html/>", "line 3: the root is <html>"),
        (b"<device/>", "contains no <item>"),
        (b'<!DOCTYPE device SYSTEM "file:///etc/passwd"><device/>', "document type"),
        (b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><device><item name="a">&x;</item></device>', "document type"),
        (BOMB.encode(), "not well-formed"),
        (BOMB.encode("utf-16"), "not well-formed"),
        (b"<device>" * 100 + b"</device>" * 100, "nested deeper"),
        (b"<device>" * 50_000 + b"</device>" * 50_000, "not well-formed"),
        (b" " * (MAX_BYTES + 1), "larger than 1 MiB"),
    ],
)
def test_unsafe_and_unrelated_files_are_rejected_with_a_remedy(data: bytes, cause: str) -> None:
    with pytest.raises(PowerProfileError) as caught:
        read_power_profile(data, name="phone.xml")
    assert caught.value.message.startswith("phone.xml")
    assert cause in caught.value.message
    assert caught.value.remedy


def test_an_entity_never_reads_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("12345")
    data = f'<!DOCTYPE d [<!ENTITY x SYSTEM "{secret.as_uri()}">]><device><item name="a">&x;</item></device>'
    with pytest.raises(PowerProfileError, match="document type"):
        read_power_profile(data.encode())


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PowerProfileError, match=r"none\.xml: cannot be read"):
        read_power_profile(tmp_path / "none.xml")
    with pytest.raises(PowerProfileError, match="cannot be read"):
        read_power_profile(tmp_path)


_xml = st.recursive(
    st.sampled_from(
        ["", "1", "x", '<item name="cpu.idle">3</item>', '<array name="cpu.speeds"><value>1</value></array>', "<value/>"]
    ),
    lambda inner: st.builds(lambda a, b: f'{a}<item name="q">{b}</item><array name="cpu.active">{a}</array>', inner, inner),
    max_leaves=8,
)


@given(st.one_of(st.binary(max_size=200), _xml.map(lambda body: f"<device>{body}</device>".encode())))
def test_any_input_gives_a_profile_or_an_error(data: bytes) -> None:
    try:
        profile = read_power_profile(data, name="any")
    except PowerProfileError as error:
        assert error.message and error.remedy
    else:
        assert profile.items or profile.arrays
