"""HTML pages from templates. Each value is written as text, and each page loads nothing and runs its own scripts only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from navitas.base.html_page.page import embedded_json, source_hash
from navitas.base.untrusted_text import boxed

_FRAME = "navitas.base.html_page"
_LONGEST_TEXT = 2000


def rendered(
    package: str, template: str, *, style: str, scripts: Sequence[str] = (), data: Iterable[str] = (), **values: Any
) -> Iterator[str]:
    """Yield the text of a page from a template in the folder `templates` of a package. It extends `frame.html.jinja`.

    `scripts` run at the end of the page, in order. `data` is JSON text for them, in the element `page-data`. Other values are
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
    return environment.get_template(template).generate(
        style=Markup(style),
        style_hash=Markup(source_hash(style)),
        scripts=[Markup(script) for script in scripts],
        script_hashes=Markup(" ".join(map(source_hash, scripts))),
        data=Markup("".join(embedded_json(data, "page-data"))),
        **values,
    )


def _shown(value: Any) -> Any:
    return boxed(value, _LONGEST_TEXT) if isinstance(value, str) and not isinstance(value, Markup) else value
