"""Compiled XML from APKs: the output of aapt and aapt2 for compiled/source.xml, and damaged versions of it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from navitas.android import binary_xml
from navitas.base.errors import PowerProfileError
from navitas.power.power_profile import read_power_profile
from navitas.virtual_phone.compiled_xml import XmlElement, compile_xml

COMPILED = Path(__file__).parents[2] / "fixtures/compiled"
# aapt 0.2 writes utf-16 without a resource map; aapt2 2.19 writes utf-8 or utf-16 with one.
NONE = 0xFFFFFFFF
FILES = sorted(path.name for path in COMPILED.glob("*.bin"))


def shape(element: etree._Element) -> object:
    return element.tag, dict(element.attrib), (element.text or "").strip(), [shape(child) for child in element]


def as_text(data: bytes) -> str:
    return binary_xml.to_text(binary_xml.parse(data))


@pytest.mark.parametrize("name", FILES)
def test_compiled_xml_round_trips(name: str) -> None:
    text = as_text((COMPILED / name).read_bytes())
    assert shape(etree.fromstring(text)) == shape(etree.parse(COMPILED / "source.xml").getroot())


@pytest.mark.parametrize("name", FILES)
def test_a_compiled_power_profile_equals_its_source(name: str) -> None:
    compiled, source = read_power_profile(COMPILED / name), read_power_profile(COMPILED / "source.xml")
    assert (compiled.items, compiled.arrays) == (source.items, source.arrays)


_long = st.integers(120, 200).map("ü".__mul__)  # lengths of two bytes
_element = st.deferred(
    lambda: st.builds(
        XmlElement,
        st.from_regex("[a-z]{1,8}", fullmatch=True),
        st.dictionaries(st.from_regex("[a-z]{1,8}", fullmatch=True), st.text("ab&<>\"'ü€ ", max_size=9) | _long, max_size=3),
        st.text("0123456789.&<ü", max_size=9) | _long,
        st.lists(_element, max_size=2),
    )
)


@settings(max_examples=30, deadline=None)
@given(_element)
def test_xml_of_the_virtual_phones_compiler_round_trips(element: XmlElement) -> None:
    def plain(one: XmlElement) -> object:
        return one.tag, dict(one.attributes), one.text, [plain(child) for child in one.children]

    assert shape(etree.fromstring(as_text(compile_xml(element)))) == plain(element)


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


def chunk(kind: int, *numbers: int) -> bytes:
    """A chunk of an element's type: line 1, no comment, then the numbers."""
    return struct.pack(f"<HHIII{len(numbers)}I", kind, 16, 16 + 4 * len(numbers), 1, NONE, *numbers)


def document(strings: list[str], *chunks: bytes, repeat: int = 1) -> bytes:
    """A document that lists each string `repeat` times: index i is string i % len(strings)."""
    offsets, pool = [], b""
    for text in strings:
        offsets.append(len(pool))
        pool += struct.pack("<HH" if len(text) > 0x7FFF else "<H", *lengths(len(text))) + text.encode("utf-16-le") + b"\0\0"
    pool += bytes(-len(pool) % 4)
    offsets *= repeat
    start = 28 + 4 * len(offsets)
    head = struct.pack(f"<HHIIIIII{len(offsets)}I", 1, 28, start + len(pool), len(offsets), 0, 0, start, 0, *offsets)
    content = head + pool + b"".join(chunks)
    return binary_xml.MAGIC + struct.pack("<I", 8 + len(content)) + content


def lengths(count: int) -> tuple[int, ...]:
    return (count >> 16 | 0x8000, count & 0xFFFF) if count > 0x7FFF else (count,)


def element(name: int, *attributes: int) -> bytes:
    """An element with attributes `name="name"` of these strings, and its end."""
    fields = [field for at in attributes for field in (NONE, at, at, 0x03000008, at)]
    return chunk(0x102, NONE, name, 0x140014, len(attributes), 0, *fields) + chunk(0x103, NONE, name)


HOSTILE = {
    "a long string as many namespaces": document(
        ["n" * 1_000_000], *(chunk(0x100, at, at) for at in range(20_000)), repeat=20_000
    ),
    "a long string as many attributes": document(["n" * 1_000_000], element(0, *range(20_000)), repeat=20_000),
    "a long string as many texts": document(
        ["n" * 1_000], *(chunk(0x102, NONE, 0, 0x140014, 0, 0), *[chunk(0x104, 0, 8, 0)] * 90_000)
    ),
    "namespaces that all differ": document(["n"], *(chunk(0x100, at, at) for at in range(90_000)), element(0), repeat=90_000),
    "no chunk for long": document(["n"], bytes(4 << 20)),
    "chunks within chunks": document(["n"], bytes(1 << 20), b"\x04\x01\x09\x00\x0a\x00\x00\x00" * 4),
    "an end before a start": document(["n"], chunk(0x103, NONE, 0)),
    "two roots": document(["n"], element(0), element(0)),
    "nothing": document(["n"]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_malicious_files_are_read_in_bounded_time(name: str) -> None:
    """Without limits some of them take gigabytes or hours."""
    try:
        root = binary_xml.parse(HOSTILE[name])
    except binary_xml.MalformedXml:
        return
    assert name == "namespaces that all differ" and root.tag == "n"


ANDROIDS_DEBUGGABLE, APPS_OWN = 0x0101000F, 0x7F010001


def with_attributes(*fields: tuple[int, ...], ids: tuple[int, ...], names: list[str]) -> binary_xml.Element:
    """An element with attributes of (namespace, name, string, type, value), as indices of names, of which the first have ids."""
    table = struct.pack(f"<HHI{len(ids)}I", 0x180, 8, 8 + 4 * len(ids), *ids)
    start = chunk(0x102, NONE, 1, 0x140014, len(fields), 0, *(number for each in fields for number in each))
    return binary_xml.parse(document(names, table, start, chunk(0x103, NONE, 1)))


def test_android_attributes_are_identified_by_resource_id() -> None:
    """As on Android: an obfuscated name does not hide an attribute, and a decoy with the same name is another one."""
    ids, names = (ANDROIDS_DEBUGGABLE,), ["?", "debuggable", "no", binary_xml.ANDROID]
    found = with_attributes((NONE, 0, NONE, 0x12000008, NONE), ids=ids, names=names)
    assert (found.tag, found.attributes) == ("debuggable", {(binary_xml.ANDROID, "debuggable"): "true"})
    fields = (0, 2, 0, 0x12000008, 0xFFFFFFFF), (NONE, 1, 2, 0x03000008, 2), (NONE, 0, 2, 0x01000008, 0x7F010001)
    found = with_attributes(*fields, (3, 1, 2, 0x03000008, 2), ids=ids, names=names)
    assert found.attributes == {("?", "no"): "true", ("", "debuggable"): "no", (binary_xml.ANDROID, "debuggable"): "@0x7f010001"}


def test_an_app_s_own_attribute_replaces_no_other_one() -> None:
    names = ["name", "name", "org.example.App", "decoy", binary_xml.ANDROID, "http://schemas.android.com/apk/res-auto"]
    androids, own, without = (4, 0, 2, 0x03000008, 2), (5, 1, 3, 0x03000008, 3), (NONE, 3, 3, 0x03000008, 3)
    found = with_attributes(androids, own, without, ids=(0x01010003, APPS_OWN), names=names)
    assert (found.get("name"), found.get("name", namespace=names[5]), found.get("decoy", namespace="")) == (
        "org.example.App",
        "decoy",
        "decoy",
    )
    text = etree.fromstring(binary_xml.to_text(found))
    assert text.attrib == {f"{{{names[4]}}}name": "org.example.App", f"{{{names[5]}}}name": "decoy", "decoy": "decoy"}
