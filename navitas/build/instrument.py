"""`navitas instrument`: class folders and jars in, instrumented copies and their method map out, without Gradle."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path

from navitas.build.bridge import InstrumenterBridge, InstrumentInput, InstrumentOptions, InstrumentSummary
from navitas.build.patterns import check_patterns
from navitas.errors import UsageError

DEFAULTS = InstrumentOptions()


def instrument(paths: Sequence[Path], out: Path, map_file: Path, options: InstrumentOptions = DEFAULTS) -> InstrumentSummary:
    """Write instrumented copies of class folders and jars (in class path order) and the method map that belongs to them.

    `plan` says where the copies go. Classes of known frameworks are only instrumented when include patterns name them.
    Raises `UsageError` for paths that cannot work, `BuildError` for files that cannot be read or written.
    """
    inputs = plan(paths, out)
    if map_file.is_dir():
        raise UsageError(f"the method map cannot be written: {map_file} is a folder", "Name a file, such as map.json.")
    for path in paths:
        if _real(map_file).is_relative_to(_real(path)):
            raise UsageError(f"the method map {map_file} would overwrite the input {path}", "Name a file beside the inputs.")
    check_patterns(options.includes, options.excludes)
    with InstrumenterBridge() as bridge:
        return bridge.instrument(inputs, options, map_file)


def plan(paths: Sequence[Path], out: Path) -> list[InstrumentInput]:
    """Where each copy goes.

    A single folder becomes the folder `out`, a single jar the file `out` if that ends in `.jar`. Everything else goes
    into the folder `out` under its own name; folders of one name become one, in which the first one's files win.
    """
    if not paths:
        raise UsageError("nothing to instrument", "Name at least one class folder or jar.")
    for path in paths:
        _check(path)
    if len(paths) == 1 and (paths[0].is_dir() or (out.suffix == ".jar" and not out.is_dir())):
        inputs = [InstrumentInput(paths[0], out)]
    else:
        if out.exists() and not out.is_dir():
            raise UsageError(f"{out} is in the way: the copies go into a folder", "Choose another output.")
        inputs = [InstrumentInput(path, out / _real(path).name) for path in paths]
    for each in inputs:
        _check_out(each, paths)
    jars = [each.out for each in inputs if not each.path.is_dir()]
    for path in jars:
        if jars.count(path) > 1:
            raise UsageError(f"two jars are named {path.name}", "Rename one of them, so that both copies have a place.")
    return inputs


def _check(path: Path) -> None:
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder", "Name a class folder or a jar.")
    if not path.is_dir() and not zipfile.is_zipfile(path):
        raise UsageError(f"{path} is neither a folder nor a jar", "Name a class folder (not a single class) or a jar.")


def _check_out(each: InstrumentInput, paths: Sequence[Path]) -> None:
    if each.out.exists() and each.out.is_dir() != each.path.is_dir():
        kind = "folder" if each.path.is_dir() else "jar"
        raise UsageError(f"{each.out} is in the way: the copy of a {kind} is a {kind}", "Choose another output.")
    target = _real(each.out)
    for path in paths:
        source = _real(path)
        if target.is_relative_to(source) or source.is_relative_to(target):
            raise UsageError(f"the output {each.out} would overwrite the input {path}", "Choose an output beside the inputs.")


def _real(path: Path) -> Path:
    """Where a path leads; links that lead in a circle are left for opening to refuse."""
    return Path(os.path.realpath(path))
