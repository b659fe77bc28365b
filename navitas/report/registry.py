"""All report formats by name. To add one: a module with a `FORMAT`, and a line here."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
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
    "html": "navitas.report.html_report",
    "text": "navitas.report.text",
    "parquet": "navitas.report.parquet",
}
ENTRY_POINTS = "navitas.formats"
"""The group of entry points by which other packages add formats: `name = "module"`."""


@dataclass(frozen=True, slots=True)
class FormatSource:
    """The module of a format, and the package that it comes from; our own have none."""

    module: str
    package: str = ""

    def __str__(self) -> str:
        return f"{self.module}, package {self.package}" if self.package else self.module


def format_names() -> list[str]:
    """The names of all formats: our own, then those of other packages."""
    return [*_MODULES, *(name for name in points_of(ENTRY_POINTS) if not is_own(name))]


def is_own(name: str) -> bool:
    """Whether a format comes with Navitas, and not from another package."""
    return name in _MODULES


def find_format(name: str) -> Format:
    """A format by its name, ready for use.

    Raises:
        UsageError: there is no such format, or a package that it needs is not installed.
        NavitasError: its module cannot be imported.
    """
    found = _load(name)
    missing = [package for package in found.needs if not _is_installed(package)]
    if missing:
        install = shlex.quote(found.install) if found.install else " ".join(missing)
        raise UsageError(f"the report format {name} needs {', '.join(missing)}", f"pip install {install}")
    return found


def format_for_file(file: str) -> str:
    """The name of the format that writes files of this name: the one with the longest extension that matches.

    Other packages are imported only where none of our formats matches.

    Raises:
        UsageError: no format has that extension, or several of other packages have it.
    """
    extensions = _extensions(_MODULES)
    if own := _longest(file, extensions):
        return own[0]
    extensions |= _extensions(name for name in format_names() if not is_own(name))
    found = _longest(file, extensions)
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{file}: several report formats have this extension", f"choose one by --format: {', '.join(found)}")
    known = ", ".join(f"{extension} ({name})" for name, extension in extensions.items())
    raise UsageError(f"{file}: no report format has this extension", f"name the format by --format, or use one of {known}")


def _extensions(names: Iterable[str]) -> dict[str, str]:
    """The extensions of the formats that can be loaded."""
    found = {}
    for name in names:
        with suppress(NavitasError):
            found[name] = _load(name).extension
    return found


def _longest(file: str, extensions: Mapping[str, str]) -> list[str]:
    """The formats with the longest extension that a file's name ends with."""
    matches = {name: len(extension) for name, extension in extensions.items() if file.lower().endswith(extension.lower())}
    return [name for name, length in matches.items() if length == max(matches.values())]


def list_formats() -> Iterator[tuple[str, Format | FormatSource | NavitasError]]:
    """Every name with its format, or with the error that keeps it from use. Formats of other packages are not imported: these
    names have their source.

    A package that registers the name of one of our formats is an error of that name, after our format.
    """
    for name in _MODULES:
        try:
            yield name, find_format(name)
        except NavitasError as error:
            yield name, error
    for name, sources in _others().items():
        if is_own(name):
            message = f"another package registers the report format {name} too: {_listed(sources)}; Navitas uses its own"
            yield name, NavitasError(message, "ask the authors of that package for another name, or uninstall it")
        else:
            yield name, sources[0] if len(sources) == 1 else _several(name, sources)


def _load(name: str) -> Format:
    """A format, whether or not the packages that it needs are installed. Raises as `find_format`."""
    sources = _sources(name)
    if not sources:
        known = format_names()
        near = get_close_matches(name.lower(), known, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"there is no report format {name!r}", f"{hint}known are {', '.join(known)}")
    if len(sources) > 1:
        raise _several(name, sources)
    (source,) = sources
    try:
        found = import_module(source.module).FORMAT
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # any module's top level may run here, and may end the process
        raise NavitasError(
            f"the report format {name} ({source}) cannot be loaded: {type(error).__name__}: {error}",
            "update or uninstall the package that it comes from; all other formats work",
        ) from error
    if not isinstance(found, Format):
        raise NavitasError(f"the report format {name} ({source}): FORMAT is no Format", "see docs/dev/adding.md")
    return found


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # its parent is missing, or a stand-in without a spec
        return False


def _sources(name: str) -> list[FormatSource]:
    """The modules that register a name: one of ours alone, else all of other packages; empty where there are none."""
    return [FormatSource(_MODULES[name])] if is_own(name) else _others().get(name, [])


def _others() -> dict[str, list[FormatSource]]:
    """What other packages register, by name."""
    points = points_of(ENTRY_POINTS)
    return {name: [FormatSource(point.value, package_of(point)) for point in same] for name, same in points.items()}


def _several(name: str, sources: Iterable[FormatSource]) -> NavitasError:
    return NavitasError(
        f"several packages register the report format {name}: {_listed(sources)}",
        "uninstall all of these packages but one; all other formats work",
    )


def _listed(sources: Iterable[FormatSource]) -> str:
    return "; ".join(map(str, sources))
