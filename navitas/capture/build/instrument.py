"""`navitas instrument`: instrument class folders and jars without Gradle, and write copies and their method map."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.base.regular_files import open_regular, read_regular
from navitas.capture.build.bridge import InstrumenterBridge, InstrumentInput, InstrumentOptions, InstrumentSummary
from navitas.capture.build.patterns import check_patterns

DEFAULTS = InstrumentOptions()
_STATE = ".state"
_PROPERTIES = Path("META-INF/navitas/map.properties")
_MAX_EDITS_BYTES = 16 << 20
_FIELDS = {"remove": 4, "repeat": 5}


def instrument(paths: Sequence[Path], out: Path, map_file: Path, options: InstrumentOptions = DEFAULTS) -> InstrumentSummary:
    """Write instrumented copies of class folders and jars (in class path order), and their method map.

    `plan` chooses the paths of the copies. Classes of known frameworks in a jar are instrumented only if include patterns match.
    Raises `UsageError` for unsuitable paths, `BuildError` for files that cannot be read or written.
    """
    inputs = plan(paths, out)
    _check_map(map_file, inputs)
    check_patterns(options.includes, options.excludes)
    with InstrumenterBridge() as bridge:
        return bridge.instrument(inputs, options, map_file)


def plan(paths: Sequence[Path], out: Path) -> list[InstrumentInput]:
    """Choose the path of each copy.

    A single folder becomes the folder `out`. A single jar becomes the file `out` if that ends in `.jar`. Everything else goes
    into the folder `out` under its own name. Folders with the same name are merged; the first one's files win.
    """
    if not paths:
        raise UsageError("nothing to instrument", "Name at least one class folder or jar.")
    check_classes(paths)
    if len(paths) == 1 and (paths[0].is_dir() or (out.suffix == ".jar" and not out.is_dir())):
        inputs = [_input(paths[0], out)]
    else:
        if out.exists() and not out.is_dir():
            raise UsageError(f"{out} is in the way: the copies go into a folder", "Choose another output.")
        inputs = [_input(path, out / _real(path).name) for path in paths]
    for each in inputs:
        _check_out(each, paths)
    jars = [each.out for each in inputs if not each.path.is_dir()]
    for path in jars:
        if jars.count(path) > 1:
            raise UsageError(f"two jars are named {path.name}", "Rename one of them.")
    return inputs


def _input(path: Path, out: Path) -> InstrumentInput:
    """The user compiled the classes in a folder; those in a jar may be a framework's."""
    return InstrumentInput(path, out, may_hold_frameworks=not path.is_dir())


def check_classes(paths: Sequence[Path]) -> None:
    """Raise `UsageError` if a path is neither a folder nor a jar."""
    for path in paths:
        _check(path)


def _check(path: Path) -> None:
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder", "Name a class folder or a jar.")
    remedy = "Name a class folder (not a single class) or a jar."
    try:
        if path.is_dir():
            return
        with open_regular(path) as file:
            if zipfile.is_zipfile(file):
                return
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", remedy) from error
    raise UsageError(f"{path} is neither a folder nor a jar", remedy)


def _check_out(each: InstrumentInput, paths: Sequence[Path]) -> None:
    if each.out.exists() and each.out.is_dir() != each.path.is_dir():
        kind = "folder" if each.path.is_dir() else "jar"
        raise UsageError(f"{each.out} is in the way: the copy of a {kind} is a {kind}", "Choose another output.")
    target = _real(each.out)
    for path in paths:
        source = _real(path)
        if target.is_relative_to(source) or source.is_relative_to(target):
            raise UsageError(f"the output {each.out} would overwrite the input {path}", "Choose an output outside of the inputs.")


def _check_map(map_file: Path, inputs: Sequence[InstrumentInput]) -> None:
    """Refuse a map, or its state file, in place of an input or of a file in the copies."""
    if map_file.exists() and not map_file.is_file():
        kind = "a folder" if map_file.is_dir() else "not a regular file"
        raise UsageError(f"the method map cannot be written: {map_file} is {kind}", "Name a file, such as map.json.")
    state = map_file.with_name(f"{map_file.name}{_STATE}")
    for what, file in (("the method map", map_file), ("the state file of the map,", state)):
        real = _real(file)
        for each in inputs:
            if real.is_relative_to(_real(each.path)):
                raise UsageError(f"{what} {file} would overwrite the input {each.path}", "Name a file outside of the inputs.")
            out = _real(each.out)
            inside = real.relative_to(out) if real.is_relative_to(out) else None
            if inside is not None and (each.path.is_file() or (each.path / inside).exists() or inside == _PROPERTIES):
                raise UsageError(f"{what} {file} would overwrite the output {each.out}", "Name a file outside of the outputs.")


def _real(path: Path) -> Path:
    """Resolve a path. A circle of links stays as it is; opening it fails later."""
    return Path(os.path.realpath(path))


def check_block_edits(path: Path) -> None:
    """Raise `UsageError` that names the file, and the first line that is no edit. The instrumenter checks what edits name."""
    try:
        lines = read_regular(path, _MAX_EDITS_BYTES).decode("utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", "Name a file of block edits.") from error
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text in UTF-8", "Name a file of block edits.") from None
    for number, line in enumerate(lines, start=1):
        fields = line.split("\t")
        if line and len(fields) != _FIELDS.get(fields[0]):
            what = "a line is remove or repeat, a class, a method, a block, and for repeat a number, separated by tabs"
            raise UsageError(f"{path}:{number}: {what}", "Correct the line.")
