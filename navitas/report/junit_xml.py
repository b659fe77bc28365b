"""Elements of JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import TextIOBase
from typing import IO, Any, cast
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from navitas.base.untrusted_text import escaped


def started(out: IO[str]) -> XMLGenerator:
    """Begin a document. Its writer writes to `out`."""
    xml = XMLGenerator(cast(TextIOBase, out), "utf-8", short_empty_elements=True)
    xml.startDocument()
    return xml


def write_properties(xml: XMLGenerator, properties: Mapping[str, Any]) -> None:
    """Write properties of a suite or a case."""
    with element(xml, "properties"):
        for name, value in properties.items():
            with element(xml, "property", name=name, value=f"{value:.12g}" if isinstance(value, float) else value):
                pass


@contextmanager
def element(xml: XMLGenerator, tag: str, /, **attributes: Any) -> Iterator[None]:
    """Write an element. XML cannot hold all characters, so texts are escaped (`escaped`)."""
    xml.ignorableWhitespace("\n")
    xml.startElement(tag, AttributesImpl({key: escaped(str(value)) for key, value in attributes.items()}))
    yield
    xml.endElement(tag)
