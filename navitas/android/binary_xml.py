"""Read Android's compiled XML (AOSP: ResourceTypes.h) from APKs by `axml`, with limits on time and memory.

The library trusts the numbers in a file. In a malicious file, strings and chunks may overlap and repeat. This module
therefore limits steps back in the file, the number of characters, and the number of namespaces.
"""

from __future__ import annotations

import importlib
import io
import logging
import re
from collections import deque
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

MAGIC = b"\x03\x00\x08\x00"
ANDROID = "http://schemas.android.com/apk/res/android"
_ANDROID_PACKAGE = 0x01
"""The highest byte of the resource ids that Android defines. An app's own have 0x7f (AOSP: ResourceTypes.h, `Res_GETPACKAGE`)."""
_MAX_DEPTH = 64
_MAX_LETTERS = 16 << 20
"""Limit for all names, values and texts together. A file may use a few strings many times."""
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPACE = re.compile("[\t\n\r]")


class MalformedXml(Exception):
    """The data is not compiled XML, is damaged, or would take more time or memory than real files."""


@dataclass(slots=True)
class Element:
    """One element: its attributes by namespace (`""`: none) and name, and the text before its first child.

    Numbers are decimal, booleans `true` and `false`, references `@0x…`.
    """

    tag: str
    attributes: dict[tuple[str, str], str] = field(default_factory=dict)
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def get(self, name: str, default: str = "", namespace: str = ANDROID) -> str:
        """Return the value of an attribute."""
        return self.attributes.get((namespace, name), default)

    def all(self, tag: str) -> list[Element]:
        """Return the children with a tag."""
        return [child for child in self.children if child.tag == tag]


def parse(data: bytes) -> Element:
    """Parse a document. Raises only `MalformedXml`."""
    try:
        return _tree(_Axml(data))
    except MalformedXml:
        raise
    except Exception as error:  # damaged data causes exceptions of many types in the library
        raise MalformedXml(f"damaged compiled XML ({type(error).__name__})") from error


def to_text(root: Element) -> str:
    """Return the document as text XML, one element per line."""
    ElementTree.register_namespace("android", ANDROID)
    document = _ordinary(root)
    ElementTree.indent(document)
    return ElementTree.tostring(document, encoding="unicode")


def _ordinary(element: Element) -> ElementTree.Element:
    names = {f"{{{uri}}}{name}" if uri else name: value for (uri, name), value in element.attributes.items()}
    ordinary = ElementTree.Element(element.tag, names)
    ordinary.text = element.text or None
    ordinary.extend(_ordinary(child) for child in element.children)
    return ordinary


class _Axml:
    """The library's reader of one document, with limits."""

    def __init__(self, data: bytes) -> None:
        library = _library()
        self._format = importlib.import_module("axml.utils.formatters").format_value
        self.codes = importlib.import_module("axml.utils.constants")
        self._parser: Any = library.AXMLParser(data)
        if not self._parser.is_valid():
            raise MalformedXml("damaged compiled XML")
        at = self._parser.buff.tell()
        self._parser.buff = _Forward(io.BytesIO(data))
        self._parser.buff.seek(at)
        self._parser.sb = self._strings = _Strings(self._parser.sb)
        self._parser.namespaces = deque(maxlen=_MAX_DEPTH)

    def next(self) -> int:
        event: int = next(self._parser)
        if not self._parser.is_valid():
            raise MalformedXml("damaged compiled XML")
        return event

    @property
    def name(self) -> str:
        return str(self._parser.name)

    @property
    def text(self) -> str:
        return str(self._parser.text)

    def attributes(self) -> dict[tuple[str, str], str]:
        """Return values by namespace and name.

        Android identifies its attributes by their resource ids, whatever namespace the file names, and ignores those of its
        namespace that have none.
        """
        values = {}
        parser, codes = self._parser, self.codes
        for at in range(parser.getAttributeCount()):
            index = parser.m_attributes[at * codes.ATTRIBUTE_LENGTH + codes.ATTRIBUTE_IX_NAME]
            resource_id = parser.m_resourceIDs[index] if index < len(parser.m_resourceIDs) else 0
            is_android = resource_id >> 24 == _ANDROID_PACKAGE
            namespace = ANDROID if is_android else parser.getAttributeNamespace(at)
            name = parser.getAttributeName(at).replace(":", "_")  # the library replaces `_` by `:`
            if name and (is_android or namespace != ANDROID):
                value = self._value(parser.getAttributeValueType(at), parser.getAttributeValueData(at))
                values[namespace, name] = _SPACE.sub(" ", value)
        return values

    def _value(self, kind: int, data: int) -> str:
        if kind == self.codes.TYPE_REFERENCE:
            return f"@0x{data:08x}"
        if kind == self.codes.TYPE_INT_HEX:
            return str(data)
        return str(self._format(kind, data, self._strings.__getitem__))


class _Forward(io.BufferedReader):
    """The document's bytes, with a limit on seeks back.

    A malicious file makes the library search for a chunk at each byte, many times.
    """

    _steps_back = 4096
    """Real files need some: aapt2 writes empty resource maps, and the library skips them byte by byte."""

    def seek(self, target: int, whence: int = io.SEEK_SET, /) -> int:
        self._steps_back -= target < self.tell()
        if self._steps_back < 0:
            raise MalformedXml("no chunk where one should begin")
        return super().seek(target, whence)


class _Strings:
    """The document's strings, without characters that are not allowed in XML."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._left = _MAX_LETTERS

    def __getitem__(self, index: int) -> str:
        text: str = self._pool[index]
        self._left -= len(text)
        if self._left < 0:
            raise MalformedXml("more than 16 Mi characters in names, values and texts")
        return _NO_XML.sub("", text)


def _tree(document: _Axml) -> Element:
    above: list[Element] = []
    texts: list[list[str]] = []
    root: Element | None = None
    while (event := document.next()) != document.codes.END_DOCUMENT:
        if event == document.codes.START_TAG:
            element = Element(document.name, document.attributes())
            if above:
                above[-1].children.append(element)
            elif root is None:
                root = element
            else:
                raise MalformedXml("more than one root element")
            above.append(element)
            texts.append([])
            if len(above) > _MAX_DEPTH:
                raise MalformedXml(f"more than {_MAX_DEPTH} levels of elements")
        elif event == document.codes.END_TAG:
            above.pop().text = "".join(texts.pop())
        elif above and not above[-1].children:
            texts[-1].append(document.text)
    if root is None or above:
        raise MalformedXml("no complete root element")
    return root


def _library() -> Any:
    """Return axml's reader, without the logging that it configures for the whole process on import."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    library = importlib.import_module("axml.axml.parser")
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("axml").disabled = True
    return library
