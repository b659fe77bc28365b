"""Embedded data of a page, and the source expressions of its content security policy."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator

_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def embedded_json(parts: Iterable[str], identifier: str) -> Iterator[str]:
    """Yield an element that holds JSON text, which arrives in chunks. The browser doesn't run it as a script.

    `</script>` and other tags can't occur in it: in JSON, `<`, `>` and `&` occur only in strings, and they are escaped there.
    """
    yield f'<script type="application/json" id="{identifier}">'
    for part in parts:
        yield part.translate(_ESCAPES)
    yield "</script>\n"


def source_hash(content: str) -> str:
    """Return the source expression that allows an inline script or style in a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
