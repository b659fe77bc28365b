"""Compiled Android XML, as it lies in APKs, back to text (AOSP: ResourceTypes.h)."""

from __future__ import annotations

import importlib
import logging
from typing import Any

MAGIC = b"\x03\x00\x08\x00"


def decode(data: bytes) -> bytes:
    """The document as UTF-8 text. Raises `ValueError` with the reason when it is damaged."""
    try:
        printer = _library().AXMLPrinter(data)
        text: bytes = printer.get_xml(pretty=False)
    except Exception as error:  # whatever its reader stumbles over in a damaged file
        raise ValueError(f"damaged compiled XML ({type(error).__name__}: {error})") from None
    if not text.strip():
        raise ValueError("damaged compiled XML (no element)")
    return text


def _library() -> Any:
    """axml, without the logging that importing it sets up for the whole process."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    library = importlib.import_module("axml.axml")
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("axml").disabled = True
    return library
