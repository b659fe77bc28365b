"""Write pictures of a recording's report page into docs/images: `make pictures`, or this module with the path of a recording.

Without one, it runs the demo.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import navitas  # noqa: E402
from support.browser import find_browser  # noqa: E402
from support.page_browser import page_browser, written_page  # noqa: E402

_MAX_BYTES = 150_000
# Name, width, height, dark, and the section at the top of the window.
_PICTURES = (
    ("page-light", 1000, 700, False, ""),
    ("page-dark", 1000, 700, True, ""),
    ("page-calls", 1000, 700, False, "#how"),
    ("page-narrow", 360, 740, False, ""),
)


def main(arguments: list[str]) -> int:
    """Write the pictures. Return 1 if there is no browser, or if a picture is too large."""
    browser = find_browser()
    if browser is None:
        print("pictures: no Chromium: make browser")
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        recording = Path(arguments[0]) if arguments else folder / "demo"
        if not arguments:
            subprocess.run([ROOT / ".venv/bin/navitas", "demo", "-o", recording], check=True)
        page = written_page(folder / "page.html", profile=navitas.load(recording))
        with page_browser(browser) as started:
            for name, width, height, dark, section in _PICTURES:
                opened = started.open(page, width=width, height=height, dark=dark)
                if section:
                    opened.page.locator(section).evaluate("(part) => scrollTo(0, part.offsetTop - 90)")
                opened.page.screenshot(path=folder / f"{name}.png")
        return max(_smaller(folder / f"{name}.png") for name, *_ in _PICTURES)


def _smaller(path: Path) -> int:
    """Store a picture with a palette of 256 colors. Return 1 if it is too large."""
    from PIL import Image  # noqa: PLC0415  # of matplotlib, which tests have

    target = ROOT / "docs" / "images" / path.name
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(256).save(target, optimize=True)
    size = target.stat().st_size
    print(f"{target.relative_to(ROOT)}: {size:,} bytes")
    return int(size > _MAX_BYTES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
