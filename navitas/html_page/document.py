"""The HTML document around a page's content, with a content security policy that forbids loading resources."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files

from navitas.html_page.elements import text


def base_style() -> str:
    """Return the style sheet that all pages share."""
    return (files("navitas.html_page") / "page.css").read_text("utf-8")


def source_hash(content: str) -> str:
    """Return the source expression that allows an inline script or style in a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def document(
    title: str, style: str, body: Iterable[str], *, scripts: Sequence[str] = (), style_source: str = ""
) -> Iterator[str]:
    """Yield a page in chunks of text. Its policy allows its own style and `scripts` only, and no connections.

    `scripts` are all scripts that may run in the page and in its frames. The first script goes at the end of the page. The others
    must be in frames that are part of `body`. `style_source` replaces the hash of `style` in the policy, for pages whose scripts
    create styles.
    """
    allowed = f"; script-src {' '.join(map(source_hash, scripts))} 'wasm-unsafe-eval'" if scripts else ""
    styles = style_source or source_hash(style)
    policy = f"default-src 'none'; style-src {styles}{allowed}; base-uri 'none'; form-action 'none'"
    yield (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title><style>{style}</style></head>\n<body>\n"
    )
    yield from body
    if scripts:
        yield f"<script>{scripts[0]}</script>"
    yield "\n</body></html>\n"
