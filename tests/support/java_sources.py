"""Java of apps that tests run on the virtual phone."""

from __future__ import annotations

from pathlib import Path

_FIXTURES = Path(__file__).parents[1] / "fixtures"


def java_sources(folder: str) -> dict[str, str]:
    """Return the sources in a folder of tests/fixtures, by class name. They have no package: the app's build adds it."""
    return {path.stem: path.read_text("utf-8") for path in sorted((_FIXTURES / folder).iterdir())}
