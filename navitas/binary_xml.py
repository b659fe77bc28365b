"""Android's compiled XML (AOSP: ResourceTypes.h), as it lies in APKs, read by `axml` within bounds of time and memory.

The library trusts the numbers in a file, whose strings and chunks may lie over each other and be used over and over. So what it
reads from is bounded here: bytes are read once or nearly so, letters are counted, few namespaces are kept.
"""

from __future__ import annotations

import importlib
import io
import logging
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

MAGIC = b"\x03\x00\x08\x00"
ANDROID = "http://schemas.android.com/apk/res/android"
_MAX_DEPTH = 64
_MAX_LETTERS = 16 << 20
"""Of all names, values and texts together: a few strings may be used many times over."""
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPACE = re.compile("[\t\n\r]")


class MalformedXml(Exception):
    """It is no compiled XML, it is damaged, or it would take more time or memory than a real one."""


@dataclass(slots=True)
class Element:
    """One element: its attributes of the android namespace, its others, and the text before its first child.

    Numbers are decimal, booleans `true` and `false`, references `@0x…`.
    """

    tag: str
    android: dict[str, str] = field(default_factory=dict)
    plain: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def get(self, name: str, default: str = "") -> str:
        """Value of an attribute of the android namespace."""
        return self.android.get(name, default)

    def all(self, tag: str) -> list[Element]:
        """Children with a tag."""
        return [child for child in self.children if child.tag == tag]


def parse(data: bytes) -> Element:
    """Read a document. Raises `MalformedXml` for whatever cannot be read, and nothing else."""
    try:
        return _tree(_Axml(data))
    except MalformedXml:
        raise
    except Exception as error:  # the library lets out whatever damaged data make it stumble over
        raise MalformedXml(f"damaged compiled XML ({type(error).__name__})") from error


def to_text(root: Element) -> str:
    """The document as ordinary XML, an element a line."""
    ElementTree.register_namespace("android", ANDROID)
    document = _ordinary(root)
    ElementTree.indent(document)
    return ElementTree.tostring(document, encoding="unicode")


def _ordinary(element: Element) -> ElementTree.Element:
    names = {f"{{{ANDROID}}}{name}": value for name, value in element.android.items()}
    ordinary = ElementTree.Element(element.tag, {**names, **element.plain})
    ordinary.text = element.text or None
    ordinary.extend(_ordinary(child) for child in element.children)
    return ordinary


class _Axml:
    """The library's reader of one document, with bounds."""

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

    def attributes(self) -> Mapping[tuple[bool, str], str]:
        """Values by name, and whether it is of the android namespace: by resource id, as Android identifies them."""
        found = {}
        parser, codes = self._parser, self.codes
        for at in range(parser.getAttributeCount()):
            index = parser.m_attributes[at * codes.ATTRIBUTE_LENGTH + codes.ATTRIBUTE_IX_NAME]
            is_android = index < len(parser.m_resourceIDs) and parser.m_resourceIDs[index] != 0
            name = parser.getAttributeName(at).replace(":", "_")  # the library has put it there for `_`
            if name:
                value = self._value(parser.getAttributeValueType(at), parser.getAttributeValueData(at))
                found[is_android, name] = _SPACE.sub(" ", value)
        return found

    def _value(self, kind: int, data: int) -> str:
        if kind == self.codes.TYPE_REFERENCE:
            return f"@0x{data:08x}"
        if kind == self.codes.TYPE_INT_HEX:
            return str(data)
        return str(self._format(kind, data, self._strings.__getitem__))


class _Forward(io.BufferedReader):
    """The document's bytes: a hostile one makes the library look for a chunk at each byte, again and again."""

    _steps_back = 4096
    """Real ones need some: aapt2 writes resource maps of no entries, which the library steps over byte by byte."""

    def seek(self, target: int, whence: int = io.SEEK_SET, /) -> int:
        self._steps_back -= target < self.tell()
        if self._steps_back < 0:
            raise MalformedXml("no chunk where one should begin")
        return super().seek(target, whence)


class _Strings:
    """The document's strings, without letters that no XML may hold."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._left = _MAX_LETTERS

    def __getitem__(self, index: int) -> str:
        text: str = self._pool[index]
        self._left -= len(text)
        if self._left < 0:
            raise MalformedXml("names, values and texts of more than 16 Mi letters")
        return _NO_XML.sub("", text)


def _tree(document: _Axml) -> Element:
    above: list[Element] = []
    texts: list[list[str]] = []
    root: Element | None = None
    while (event := document.next()) != document.codes.END_DOCUMENT:
        if event == document.codes.START_TAG:
            element = Element(document.name)
            for (is_android, name), value in document.attributes().items():
                (element.android if is_android else element.plain)[name] = value
            if above:
                above[-1].children.append(element)
            elif root is None:
                root = element
            else:
                raise MalformedXml("more than one root element")
            above.append(element)
            texts.append([])
            if len(above) > _MAX_DEPTH:
                raise MalformedXml(f"elements deeper than {_MAX_DEPTH}")
        elif event == document.codes.END_TAG:
            above.pop().text = "".join(texts.pop())
        elif above and not above[-1].children:
            texts[-1].append(document.text)
    if root is None or above:
        raise MalformedXml("no whole root element")
    return root


def _library() -> Any:
    """axml's reader, without the logging that importing it sets up for the whole process."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    library = importlib.import_module("axml.axml.parser")
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("axml").disabled = True
    return library
