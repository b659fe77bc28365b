"""Navitas: joules per method and per thread, for Android and JVM code.

In scripts, `navitas.profile("project")` makes a recording, and `navitas.load("recording")` opens one (docs/python-api.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from navitas.cli.workflows.profile import profile
    from navitas.energy.analyze.load import load
    from navitas.energy.analyze.profile import Profile

__version__ = "0.1.0"
__all__ = ["Profile", "__version__", "load", "profile"]


def __getattr__(name: str) -> Any:
    """Import public names on first use, so that the command line starts without NumPy."""
    if name == "load":
        from navitas.energy.analyze.load import load  # noqa: PLC0415

        return load
    if name == "Profile":
        from navitas.energy.analyze.profile import Profile  # noqa: PLC0415

        return Profile
    if name == "profile":
        from navitas.cli.workflows.profile import profile  # noqa: PLC0415

        return profile
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
