"""Write compiled Android XML as aapt does (AOSP: ResourceTypes.h): a string pool, then chunks of starts, text and ends."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_XML, _POOL, _START, _END, _TEXT = 0x0003, 0x0001, 0x0102, 0x0103, 0x0104
_NONE = 0xFFFFFFFF
_STRING = 0x03


@dataclass(frozen=True, slots=True)
class XmlElement:
    """An element without namespaces. Its text comes before its children."""

    tag: str
    attributes: Mapping[str, str]
    text: str = ""
    children: Sequence[XmlElement] = field(default_factory=list)


def compile_xml(root: XmlElement) -> bytes:
    """Return the compiled document."""
    strings = list(dict.fromkeys(_strings(root)))
    index = {text: number for number, text in enumerate(strings)}
    body = b"".join(_chunks(root, index))
    pool = _pool(strings)
    return struct.pack("<HHI", _XML, 8, 8 + len(pool) + len(body)) + pool + body


def _strings(element: XmlElement) -> Iterator[str]:
    yield element.tag
    for name, value in element.attributes.items():
        yield from (name, value)
    if element.text:
        yield element.text
    for child in element.children:
        yield from _strings(child)


def _pool(strings: Sequence[str]) -> bytes:
    """Return the string pool in UTF-16: each string with its length before it and a zero after it."""
    data, offsets = b"", []
    for text in strings:
        offsets.append(len(data))
        encoded = text.encode("utf-16-le")
        data += struct.pack("<H", len(encoded) // 2) + encoded + b"\0\0"
    data += b"\0" * (-len(data) % 4)
    start = 28 + 4 * len(strings)
    header = struct.pack("<HHIIIIII", _POOL, 28, start + len(data), len(strings), 0, 0, start, 0)
    return header + struct.pack(f"<{len(offsets)}I", *offsets) + data


def _chunks(element: XmlElement, index: Mapping[str, int]) -> Iterator[bytes]:
    attributes = b"".join(
        struct.pack("<IIIHBBI", _NONE, index[name], index[value], 8, 0, _STRING, index[value])
        for name, value in element.attributes.items()
    )
    yield _node(
        _START, struct.pack("<IIHHHHHH", _NONE, index[element.tag], 20, 20, len(element.attributes), 0, 0, 0) + attributes
    )
    if element.text:
        yield _node(_TEXT, struct.pack("<IHBBI", index[element.text], 8, 0, _STRING, index[element.text]))
    for child in element.children:
        yield from _chunks(child, index)
    yield _node(_END, struct.pack("<II", _NONE, index[element.tag]))


def _node(kind: int, content: bytes) -> bytes:
    return struct.pack("<HHIII", kind, 16, 16 + len(content), 1, _NONE) + content
