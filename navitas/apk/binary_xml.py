"""Android's binary XML (AOSP ResourceTypes.h) as a tree; attributes of the android namespace by their resource ids' names.

Names are taken from resource ids, as Android does: the strings beside them may be anything (obfuscators blank them).
"""

from __future__ import annotations

import io
import logging
import struct
from dataclasses import dataclass, field
from xml.etree import ElementTree

# Its import and its warnings would set up the root logger of whoever uses this.
_root = logging.getLogger()
_quiet = logging.NullHandler()
_root.addHandler(_quiet)
from apkInspector import axml  # noqa: E402

_root.removeHandler(_quiet)
_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())
_log.propagate = False
axml.logging = _log

ANDROID = "http://schemas.android.com/apk/res/android"
_NAMES = {
    0x01010000: "theme", 0x01010001: "label", 0x01010003: "name", 0x01010006: "permission", 0x0101000B: "sharedUserId",
    0x0101000E: "enabled", 0x0101000F: "debuggable", 0x01010010: "exported", 0x01010011: "process",
    0x01010018: "authorities", 0x01010021: "targetPackage", 0x01010202: "targetActivity", 0x0101020C: "minSdkVersion",
    0x0101021B: "versionCode", 0x0101021C: "versionName", 0x01010270: "targetSdkVersion", 0x01010272: "testOnly",
    0x01010541: "targetProcesses", 0x01010576: "versionCodeMajor", 0x0101057A: "appComponentFactory", 0x01010594: "shell",
}  # fmt: skip
_MAX_DEPTH = 64
_MAX_TEXT = 16 << 20
"""Letters of all strings, and of all names and values: a few strings may be used many times over."""
_POOL = struct.Struct("<HHIIIIII")
_UTF8 = 1 << 8
_REFERENCE, _STRING, _BOOLEAN, _HEX = 0x01, 0x03, 0x12, 0x11


class MalformedXml(Exception):
    """It is no binary XML, or it is damaged."""


@dataclass(slots=True)
class Element:
    """One element: attributes by plain name, numbers in decimal, booleans as `true` and `false`, references as `@0x…`."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    is_android: dict[str, bool] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)

    def get(self, name: str, default: str = "") -> str:
        """Value of an attribute."""
        return self.attributes.get(name, default)

    def all(self, tag: str) -> list[Element]:
        """Children with a tag."""
        return [child for child in self.children if child.tag == tag]


def parse(data: bytes) -> Element:
    """Read a document. Raises `MalformedXml` for whatever cannot be read, and nothing else."""
    try:
        _check_pool(data)
        document = axml.ManifestStruct.parse(io.BytesIO(data))
        strings = [_clean(text) for text in document.string_pool.string_list]
        return _tree(document.elements, strings, document.resource_map.resids)
    except MalformedXml:
        raise
    except Exception as error:  # the library lets out whatever damaged data make it stumble over
        raise MalformedXml(f"damaged binary XML ({type(error).__name__})") from error


def _check_pool(data: bytes) -> None:
    """Strings may overlap: a small file can name gigabytes of them."""
    flags, start = _POOL.unpack_from(data, 8)[5:7]
    letters = 0
    for (offset,) in struct.iter_unpack("<I", data[36 : 36 + (start - 28) // 4 * 4]):
        at = 8 + start + offset
        letters += data[at] if flags & _UTF8 else min(int.from_bytes(data[at : at + 2], "little"), len(data))
        if letters > _MAX_TEXT:
            raise MalformedXml("strings of more than 16 Mi letters")


def _tree(elements: list[object], strings: list[str], ids: list[int]) -> Element:
    above: list[Element] = []
    root: Element | None = None
    letters = 0
    for one in elements:
        if isinstance(one, axml.XmlStartElement):
            element = _element(one, strings, ids)
            letters += sum(len(name) + len(value) for name, value in element.attributes.items())
            if above:
                above[-1].children.append(element)
            elif root is None:
                root = element
            else:
                raise MalformedXml("more than one root element")
            above.append(element)
            if letters > _MAX_TEXT:
                raise MalformedXml("attributes of more than 16 Mi letters")
            if len(above) > _MAX_DEPTH:
                raise MalformedXml(f"elements deeper than {_MAX_DEPTH}")
        elif isinstance(one, axml.XmlEndElement):
            above.pop()
    if root is None or above:
        raise MalformedXml("no whole root element")
    return root


def _element(start: object, strings: list[str], ids: list[int]) -> Element:
    element = Element(strings[start.attrext[1]])  # type: ignore[attr-defined]
    for attribute in start.attributes:  # type: ignore[attr-defined]
        index = attribute.name_index
        resource = ids[index] if index < len(ids) else 0
        name = _NAMES.get(resource) or strings[index]
        if name:
            element.attributes[name] = _value(attribute, strings)
            element.is_android[name] = resource != 0
    return element


def _value(attribute: object, strings: list[str]) -> str:
    kind, data, raw = attribute.typed_value_datatype, attribute.typed_value_data, attribute.raw_value_index  # type: ignore[attr-defined]
    if kind == _STRING:
        return str(strings[data])
    if kind == _BOOLEAN:
        return "true" if data else "false"
    if kind == _REFERENCE:
        return f"@0x{data:08x}"
    if kind == _HEX:
        return str(data)
    return strings[raw] if raw < len(strings) else str(data)


def _clean(text: str) -> str:
    """Without what no XML may hold."""
    return "".join(letter for letter in text if letter >= " " and not 0xD800 <= ord(letter) <= 0xDFFF and letter < "\ufffe")


def to_text(root: Element) -> str:
    """The document as ordinary XML."""
    ElementTree.register_namespace("android", ANDROID)
    return ElementTree.tostring(_plain(root), encoding="unicode")


def _plain(element: Element) -> ElementTree.Element:
    plain = ElementTree.Element(element.tag)
    for name, value in element.attributes.items():
        plain.set(f"{{{ANDROID}}}{name}" if element.is_android[name] else name, value)
    plain.extend(_plain(child) for child in element.children)
    return plain
