"""Methods of the recordings that a fleet's page names."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.base.units import share
from navitas.energy.analyze.load import load
from navitas.energy.analyze.names import MethodNames
from navitas.fleet.page.tables import MethodRow, Recorded
from navitas.recording.layout import MANIFEST_NAME
from navitas.recording.store import open_recording

_METHODS = 8


def recordings_in(given: tuple[Path, ...]) -> Iterator[Path]:
    """The named recordings, and those in named folders. Raises `UsageError` if there are none."""
    for path in given:
        folders = (path, *path.iterdir()) if path.is_dir() else ()
        inside = sorted(folder for folder in folders if (folder / MANIFEST_NAME).is_file())
        if not inside:
            raise UsageError(f"{path}: has no recording", "Name the folder of a recording, or a folder of recordings.")
        yield from inside


def recorded_methods(recordings: list[Path], apps: Collection[str]) -> dict[str, Recorded]:
    """The methods of the last recording of each of these apps."""
    last = {run.package: path for path in recordings for run in open_recording(path).manifest.runs if run.package in apps}
    methods = {path: methods_of(path) for path in sorted(set(last.values()))}
    return {package: methods[path] for package, path in last.items()}


def methods_of(path: Path) -> Recorded:
    """The methods with the most energy in a recording."""
    profile = load(path)
    names, whole_j = MethodNames(profile.method_table), profile.energy_j()
    rows = [
        MethodRow(names.label(each.id), each.exclusive_j, 100 * (share(each.exclusive_j, whole_j) or 0.0))
        for each in profile.method_totals()[:_METHODS]
    ]
    return Recorded(path.name, tuple(rows))
