"""HTML pages from templates. Each value is written as text, and each page loads nothing and runs its own scripts only."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from navitas.base.untrusted_text import boxed

_FRAME = "navitas.base.html_page"
_SCRIPTS = ("units", "dom", "theme", "search", "markdown", "tables")
"""The scripts that all pages have, in the order in which they run."""
_START = "tablepage"
"""Starts a page without scripts of its own."""
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
_LONGEST_TEXT = 2000
_LONG_WORD = re.compile(r"\S{23,}")
_SEPARATORS = re.compile(r"(?<=[.$/:_#,])(?=.)|(?=\()")
"""Where a long name may continue on the next line."""
_WORD = r"""(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\]|[\\'"])++"""
_COMMAND_PART = re.compile(rf"-{_WORD}\s(?!-){_WORD}|{_WORD}")
"""A word of a command as a shell reads it, or an option and the word after it."""


def rendered(
    package: str, template: str, *, style: str = "", scripts: Sequence[str] = (), data: Iterable[str] | None = None, **values: Any
) -> Iterator[str]:
    """Yield the text of a page from a template in the folder `templates` of a package. It extends `frame.html.jinja`.

    `style` and `scripts` are names of the package's files, which follow those that all pages have. Scripts run at the end of the
    page, in order; the last one starts the page. `data` is JSON text for them, in the element `page-data`. Other values are
    written as text: escaped, with a box for each invisible character, and cut after 2,000 characters.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(_FRAME)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters["breakable"] = _breakable
    environment.filters["command_parts"] = _command_parts
    css = _source(_FRAME, "page.css") + (_source(package, style) if style else "")
    programs = [_source(_FRAME, f"{name}.js") for name in (*_SCRIPTS, *(() if scripts else (_START,)))]
    programs += [_source(package, f"{name}.js") for name in scripts]
    return environment.get_template(template).generate(
        style=Markup(css),
        style_hash=Markup(source_hash(css)),
        scripts=[Markup(program) for program in programs],
        script_hashes=Markup(" ".join(map(source_hash, programs))),
        data=map(Markup, () if data is None else embedded_json(data)),
        **values,
    )


def _source(package: str, name: str) -> str:
    return (files(package) / name).read_text("utf-8")


def _shown(value: Any) -> Any:
    return boxed(value, _LONGEST_TEXT) if isinstance(value, str) and not isinstance(value, Markup) else value


def _breakable(text: str) -> Markup:
    """A text whose long names break between their words."""
    shown, parts, end = _shown(text), [], 0
    for word in _LONG_WORD.finditer(shown):
        parts += [escape(shown[end : word.start()]), Markup("<wbr>").join(_SEPARATORS.split(word[0]))]
        end = word.end()
    return Markup("").join([*parts, shown[end:]])


def _command_parts(command: str) -> list[str]:
    """The words of a command, an option with its value as one: a line of text ends between them."""
    return [part[0] for part in _COMMAND_PART.finditer(command)]


def embedded_json(parts: Iterable[str]) -> Iterator[str]:
    """Yield the element `page-data`, which holds JSON text that arrives in chunks. The browser doesn't run it as a script.

    `</script>` and other tags can't occur in it: in JSON, `<`, `>` and `&` occur only in strings, and they are escaped there.
    """
    yield '<script type="application/json" id="page-data">'
    for part in parts:
        yield part.translate(_ESCAPES)
    yield "</script>\n"


def source_hash(content: str) -> str:
    """Return the source expression that allows an inline script or style in a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
