"""All report formats by name. To add one: a module with a `FORMAT`, and a line here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec

from navitas.errors import NavitasError, UsageError
from navitas.report.entry_points import package_of, points_of
from navitas.report.format import Format

_MODULES = {
    "json": "navitas.report.json_report",
    "speedscope": "navitas.report.speedscope",
    "collapsed": "navitas.report.collapsed",
    "text": "navitas.report.text",
    "parquet": "navitas.report.parquet",
}
ENTRY_POINTS = "navitas.formats"
"""The group of entry points by which other packages add formats: `name = "module"`."""


def format_names() -> list[str]:
    """The names of all formats: our own, then those of other packages."""
    return list(_modules())


def find_format(name: str) -> Format:
    """A format by its name, ready to be used.

    Raises:
        UsageError: there is no such format, or a package that it needs is not installed.
        NavitasError: its module cannot be imported.
    """
    modules = _MODULES if name in _MODULES else _modules()
    if name not in modules:
        near = get_close_matches(name, modules, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"there is no report format {name!r}", f"{hint}known are {', '.join(modules)}")
    try:
        found = import_module(modules[name]).FORMAT
    except (Exception, SystemExit) as error:  # any module's top level may run here
        raise NavitasError(
            f"the report format {name} ({_source(name, modules)}) cannot be loaded: {type(error).__name__}: {error}",
            "update or uninstall the package that it comes from; all other formats work",
        ) from error
    if not isinstance(found, Format):
        raise NavitasError(f"the report format {name} ({_source(name, modules)}): FORMAT is no Format", "see docs/dev/adding.md")
    missing = [package for package in found.needs if find_spec(package) is None]
    if missing:
        raise UsageError(f"the report format {name} needs {', '.join(missing)}", f"pip install {' '.join(missing)}")
    return found


def list_formats() -> Iterator[tuple[str, Format | NavitasError]]:
    """Every name with its format, or with the error that keeps it from being used."""
    for name in format_names():
        try:
            yield name, find_format(name)
        except NavitasError as error:
            yield name, error


def _modules() -> dict[str, str]:
    others = {name: point.value for name, point in points_of(ENTRY_POINTS).items() if name not in _MODULES}
    return _MODULES | others


def _source(name: str, modules: Mapping[str, str]) -> str:
    """The module of a format, and the package that it comes from."""
    point = None if name in _MODULES else points_of(ENTRY_POINTS).get(name)
    package = "" if point is None else package_of(point)
    return f"{modules[name]}, package {package}" if package else modules[name]
