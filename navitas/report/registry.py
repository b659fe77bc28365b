"""All report formats by name. To add a format, write a module with a `FORMAT` and add it to `_MODULES`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module, metadata
from importlib.metadata import Distribution, EntryPoint
from importlib.util import find_spec

from navitas.base.errors import NavitasError, UsageError
from navitas.base.extra_libraries import install_command, install_packages
from navitas.base.moved_modules import present_name
from navitas.report.format import Format

_MODULES = {
    "json": "navitas.report.json_report",
    "speedscope": "navitas.report.speedscope",
    "collapsed": "navitas.report.collapsed",
    "html": "navitas.report.page.page_report",
    "text": "navitas.report.text",
    "markdown": "navitas.report.markdown",
    "parquet": "navitas.report.parquet",
    "pprof": "navitas.report.pprof",
    "firefox": "navitas.report.firefox.firefox_report",
    "perfetto": "navitas.report.perfetto.perfetto_report",
    "arrow": "navitas.report.feather",
    "csv": "navitas.report.csv_table",
    "junit": "navitas.report.junit",
    "openmetrics": "navitas.report.openmetrics",
    "benchmarkData": "navitas.report.benchmark_data",
    "bmf": "navitas.report.bencher",
    "sarif": "navitas.report.sarif",
}
ENTRY_POINTS = "navitas.formats"
"""The entry-point group with which other packages add formats: `name = "module"`."""


@dataclass(frozen=True, slots=True)
class FormatSource:
    """The module of a format and its package. The package is empty for formats of Navitas."""

    module: str
    package: str = ""

    def __str__(self) -> str:
        return f"{self.module}, package {self.package}" if self.package else self.module


def format_names() -> list[str]:
    """Return the names of all formats: those of Navitas, then those of other packages."""
    return [*_MODULES, *(name for name in _external_sources() if not is_builtin(name))]


def is_builtin(name: str) -> bool:
    """Whether a format is part of Navitas."""
    return name in _MODULES


def find_format(name: str) -> Format:
    """Load a format and check that the packages it needs are installed.

    Raises:
        UsageError: The format doesn't exist, or a package that it needs is not installed.
        NavitasError: Its module can't be imported.
    """
    found = _load(name)
    missing = [package for package in found.needs if not _is_installed(package)]
    if missing:
        remedy = install_command([found.install]) if found.install else install_packages(missing)
        raise UsageError(f"the report format {name} needs {', '.join(missing)}", remedy)
    return found


def format_for_file(file: str) -> str:
    """Return the name of the format whose extension is the longest that matches a file name.

    Formats of other packages are imported only if no format of Navitas matches.

    Raises:
        UsageError: No format has the extension, or several formats of other packages have it.
    """
    formats = _loaded(_MODULES)
    if builtin := _longest(file, formats):
        return builtin[0]
    formats |= _loaded(name for name in format_names() if not is_builtin(name))
    matches = _longest(file, formats)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UsageError(f"{file}: several report formats have this extension", f"choose one by --format: {', '.join(matches)}")
    known = ", ".join(f"{form.extension} ({name})" for name, form in formats.items())
    raise UsageError(f"{file}: no report format has this extension", f"name the format by --format, or use one of {known}")


def _loaded(names: Iterable[str]) -> dict[str, Format]:
    """Return the formats that can be loaded."""
    formats = {}
    for name in names:
        with suppress(NavitasError):
            formats[name] = _load(name)
    return formats


def _longest(file: str, formats: Mapping[str, Format]) -> list[str]:
    """Return the formats with the longest extension that a file name ends with."""
    matches = {name: len(form.extension) for name, form in formats.items() if form.fits(file)}
    return [name for name, length in matches.items() if length == max(matches.values())]


def list_formats() -> Iterator[tuple[str, Format | FormatSource | NavitasError]]:
    """Yield each name with its format, or with the error that prevents its use.

    Formats of other packages are not imported: their names come with their source. If a package registers the name of a format
    of Navitas, the name also comes with an error, after the format.
    """
    for name in _MODULES:
        try:
            yield name, find_format(name)
        except NavitasError as error:
            yield name, error
    for name, sources in _external_sources().items():
        if is_builtin(name):
            message = f"another package registers the report format {name} too: {_joined(sources)}; Navitas uses its own"
            yield name, NavitasError(message, "ask the authors of that package for another name, or uninstall it")
        else:
            yield name, sources[0] if len(sources) == 1 else _ambiguous(name, sources)


def _load(name: str) -> Format:
    """Load a format without checking the packages that it needs. Raises the errors of `find_format`."""
    sources = [FormatSource(_MODULES[name])] if is_builtin(name) else _external_sources().get(name, [])
    if not sources:
        known = format_names()
        near = get_close_matches(name.lower(), known, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"there is no report format {name!r}", f"{hint}known are {', '.join(known)}")
    if len(sources) > 1:
        raise _ambiguous(name, sources)
    (source,) = sources
    try:
        found = import_module(source.module).FORMAT
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # The import runs a foreign module's code, which can also raise SystemExit.
        raise NavitasError(
            f"the report format {name} ({source}) cannot be loaded: {type(error).__name__}: {error}",
            _remedy(error),
        ) from error
    if not isinstance(found, Format):
        raise NavitasError(f"the report format {name} ({source}): FORMAT is not a Format", "see docs/dev/adding.md")
    return found


def _remedy(error: BaseException) -> str:
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    moved = f"{name} is {now} now: " if (now := present_name(name)) else ""
    return f"{moved}update or uninstall the package that it comes from; all other formats work"


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # The parent package is missing, or a module has no spec.
        return False


def _external_sources() -> dict[str, list[FormatSource]]:
    """Return the formats that other packages register, by name. A name has several if several packages register it.

    If a package's list names the group but can't be parsed, it has one format: the package's name, without a module.
    """
    try:
        points = list(metadata.entry_points(group=ENTRY_POINTS))
    except Exception:  # One damaged list makes the combined query fail, so each package is read separately.
        points = [point for package in metadata.distributions() for point in _readable_points(package)]
    found: dict[str, dict[FormatSource, None]] = {}
    for point in points:
        package = f"{point.dist.name} {point.dist.version}" if point.dist is not None else ""
        found.setdefault(point.name, {})[FormatSource(point.value, package)] = None
    return {name: list(same) for name, same in found.items()}


def _ambiguous(name: str, sources: Iterable[FormatSource]) -> NavitasError:
    return NavitasError(
        f"several packages register the report format {name}: {_joined(sources)}",
        "uninstall all of these packages but one; all other formats work",
    )


def _joined(sources: Iterable[FormatSource]) -> str:
    return "; ".join(map(str, sources))


def _readable_points(package: Distribution) -> Iterator[EntryPoint]:
    try:
        yield from package.entry_points.select(group=ENTRY_POINTS)
    except Exception:
        if ENTRY_POINTS in (package.read_text("entry_points.txt") or ""):
            yield EntryPoint(package.metadata["Name"], "", ENTRY_POINTS)
