"""Compiled XML from APKs: what aapt and aapt2 make of compiled/source.xml, and what damage makes of that."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from navitas.device.virtual.compiled_xml import Element, compile_xml
from navitas.errors import PowerProfileError
from navitas.power import binary_xml
from navitas.power.profile import read_power_profile

COMPILED = Path(__file__).parent / "compiled"
# aapt 0.2 (utf-16, no resource map), aapt2 2.19 (utf-8 or utf-16 as it likes, with one).
FILES = sorted(path.name for path in COMPILED.glob("*.bin"))


def shape(element: etree._Element) -> object:
    return element.tag, dict(element.attrib), (element.text or "").strip(), [shape(child) for child in element]


@pytest.mark.parametrize("name", FILES)
def test_what_was_compiled_comes_back(name: str) -> None:
    text = binary_xml.decode((COMPILED / name).read_bytes())
    assert shape(etree.fromstring(text)) == shape(etree.parse(COMPILED / "source.xml").getroot())


@pytest.mark.parametrize("name", FILES)
def test_a_compiled_profile_is_a_profile(name: str) -> None:
    compiled, source = read_power_profile(COMPILED / name), read_power_profile(COMPILED / "source.xml")
    assert (compiled.items, compiled.arrays) == (source.items, source.arrays)


_element = st.deferred(
    lambda: st.builds(
        Element,
        st.from_regex("[a-z]{1,8}", fullmatch=True),
        st.dictionaries(st.from_regex("[a-z]{1,8}", fullmatch=True), st.text("ab&<>\"'ü€ ", max_size=200), max_size=3),
        st.text("0123456789.&<ü", max_size=200),
        st.lists(_element, max_size=2),
    )
)


@given(_element)
def test_the_virtual_phone_s_compiler_agrees(element: Element) -> None:
    def plain(one: Element) -> object:
        return one.tag, dict(one.attributes), one.text, [plain(child) for child in one.children]

    assert shape(etree.fromstring(binary_xml.decode(compile_xml(element)))) == plain(element)


@given(st.sampled_from(FILES), st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=5), st.integers(8, 5000))
def test_damage_is_a_named_error(name: str, changes: list[tuple[int, int]], end: int) -> None:
    data = bytearray((COMPILED / name).read_bytes())
    for place, value in changes:
        if place >= len(binary_xml.MAGIC):
            data[place % len(data)] = value
    try:
        read_power_profile(binary_xml.MAGIC + bytes(data[4:end]), name="x")
    except PowerProfileError as error:
        assert error.message.startswith("x") and error.remedy


def test_reading_one_leaves_logging_alone() -> None:
    code = (
        "import logging; from navitas.power import binary_xml\n"
        f"binary_xml.decode(open({str(COMPILED / FILES[0])!r}, 'rb').read())\n"
        "assert not logging.getLogger().handlers and logging.getLogger().level == logging.WARNING"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert logging.getLogger("navitas").disabled is False
