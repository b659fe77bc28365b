"""Types of options and arguments: texts, and paths that are checked against each other before the work starts.

The path `-` of a file to read is a temporary copy of standard input, which exists until the command ends.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from navitas.base.errors import UsageError
from navitas.base.owned_folder import owned_folder
from navitas.base.regular_files import check_regular, is_url
from navitas.base.untrusted_text import printable
from navitas.cli.habits.messages import shell_word
from navitas.fleet import layout
from navitas.fleet.remote_path import RemotePath
from navitas.recording.layout import recording_of

Role = Literal["read", "write", "folder", "store"]
"""`read`: a file or folder to read; `write`: a file to replace; `folder`: a folder whose content can be replaced;
`store`: a fleet's folder."""

_INSTEAD_OF_URL: dict[Role, str] = {
    "read": "Download it, and name the copy.",
    "write": "Name a local file, and upload that.",
    "folder": "Name a local folder, and upload that.",
    "store": "Name a local folder.",
}
_META, _STDIN_META = f"{__name__}.given", f"{__name__}.standard_input"
_STDIN = Path("-")
_MISSING_ERRORS = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP)


@dataclass(frozen=True, slots=True)
class _PathArgument:
    """A path as the user typed it, the path that it resolves to, and its role in the command."""

    param: click.Parameter
    path: Path
    real: Path
    role: Role


class PathType(click.Path):
    """A path in a command line. Raises `UsageError` for an output that is another path of the command, or in a recording.

    - `any_name`: names that are not UTF-8 are valid. By default they are errors, since Java, Gradle and Arrow cannot open them.
    - `is_folder`: a folder to read.
    - `is_file`: a file to read, where the name `-` stands for standard input; or a file to write that is no pipe or device.
    - `must_exist`: a missing file or folder is an error. Always true for the role `read`.
    - `or_url`: a folder in an object store is valid, too.
    """

    def __init__(
        self,
        role: Role,
        *,
        any_name: bool = False,
        is_file: bool = False,
        is_folder: bool = False,
        must_exist: bool = False,
        or_url: bool = False,
    ) -> None:
        super().__init__(path_type=Path)
        self.role = role
        self.any_name = any_name
        self.is_file = is_file
        self.is_folder = is_folder or role in ("folder", "store")
        self.must_exist = must_exist or role == "read"
        self.or_url = or_url

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if value == "":
            raise UsageError(f"{_label(param)}: '' is not the name of a file or folder", "Check the variable that has it.")
        if self.or_url and is_url(str(value)):
            return RemotePath.parse(str(value))
        _check_local(str(value), param, self.role)
        path = Path(str(super().convert(value, param, ctx)))
        if self.is_file and self.role == "read" and path == _STDIN and ctx is not None:
            return _standard_input_file(ctx)
        if not self.any_name:
            _check_utf8(str(path), param)
        if self.is_folder and path.exists() and not path.is_dir():
            remedy = "Name a folder." if self.role == "read" else "Name a folder, or a new one."
            raise UsageError(f"{_label(param)}: {path} is not a folder", remedy)
        real = Path(os.path.realpath(path))
        if self.role == "write" and path != _STDIN and recording_of(real) is not None:
            raise file_of_recording(path)
        if self.must_exist:
            _check_exists(path, param)
        if param is not None and ctx is not None:
            _compare(_PathArgument(param, path, real, self.role), ctx)
        if self.role == "write":
            self._check_output(path)
        return path

    def _check_output(self, path: Path) -> None:
        """Raise `UsageError` for an output file that can't be written."""
        if path == _STDIN:
            if sys.stdout is None:
                raise UsageError("standard output is closed, so no report can go there", "name a file")
            return
        if not path.name:
            raise UsageError(f"'{path}' is not a file name", "name a file, or - for standard output")
        if path.is_dir():
            raise UsageError(f"{path} is a folder", "name a file in it")
        if path.is_socket():
            raise UsageError(f"{path} is a socket", "name a file")
        if self.is_file and path.exists():
            try:
                check_regular(path)
            except OSError as error:
                raise UsageError(f"{path}: {error.strerror}", "name a file") from error


class FileOrFolder(PathType):
    """An output that may be a folder."""

    def _check_output(self, path: Path) -> None:
        """Nothing to check: the instrumenter reports what it cannot write."""


class Utf8Text(click.types.StringParamType):
    """A text that can be written to files. Raises `UsageError` for bytes that are not UTF-8."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(super().convert(value, param, ctx))
        _check_utf8(text, param)
        return text


class NameOrFile(Utf8Text):
    """The name of a built-in resource, or a file to read (`-`: standard input). `is_program`: a program to run."""

    def __init__(self, *, is_program: bool = False) -> None:
        self.is_program = is_program

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = super().convert(value, param, ctx)
        _check_local(text, param, "read")
        if not self.is_program and text == str(_STDIN) and ctx is not None:
            return str(_standard_input_file(ctx))
        if param is not None and ctx is not None and os.path.lexists(text):
            _compare(_PathArgument(param, Path(text), Path(os.path.realpath(text)), "read"), ctx)
        return text


def with_name(path: Path) -> Path:
    """Return a path with a name that messages can show, which `.` and `..` lack."""
    return path if path.name not in ("", "..") else Path(os.path.realpath(path))


def file_of_recording(path: Path) -> UsageError:
    """Return the error for an output that is a file of a recording."""
    return UsageError(f"{path} is a file of the recording", "Name another file: a recording is never changed.")


READ = PathType("read")
READ_ANY_NAME = PathType("read", any_name=True)
READ_FOLDER = PathType("read", is_folder=True)
READ_FILE = PathType("read", is_file=True)
READ_FILE_ANY_NAME = PathType("read", any_name=True, is_file=True)
WRITE = PathType("write")
WRITE_ANY_NAME = PathType("write", any_name=True)
WRITE_REGULAR = PathType("write", any_name=True, is_file=True)
WRITE_REGULAR_UTF8 = PathType("write", is_file=True)
WRITE_FILE_OR_FOLDER = FileOrFolder("write")
FOLDER = PathType("folder")
STORE = PathType("store", must_exist=True, or_url=True)
NEW_STORE = PathType("store", or_url=True)
NEW_LOCAL_STORE = PathType("store")
TEXT = Utf8Text()
NAME_OR_FILE = NameOrFile()
PROGRAM = NameOrFile(is_program=True)


def _check_exists(path: Path, param: click.Parameter | None) -> None:
    """Raise `UsageError` if the path doesn't exist. The code that reads it reports all other errors."""
    try:
        path.stat()
    except OSError as error:
        if error.errno in _MISSING_ERRORS:
            name = _label(param)
            shown = printable(str(path)) if error.errno == errno.ENAMETOOLONG else str(path)
            where = f"{name}: {shown}" if name else shown
            raise UsageError(f"{where}: {error.strerror}", "Check the path.") from error


def check_folders(ctx: click.Context) -> None:
    """Raise `UsageError` for an output file whose folder is missing and is not an output of the same command.

    Call it before the work, so that a mistyped path fails before the build.
    """
    given: list[_PathArgument] = ctx.meta.get(_META, [])
    created = [one.real for one in given if one.role in ("folder", "write")]
    for one in given:
        if one.role != "write" or one.path == _STDIN or one.path.exists() or one.real.parent.is_dir():
            continue
        folder = one.real.parent if one.path.parent.is_dir() else one.path.parent
        if not any(one.real.parent.is_relative_to(output) for output in created if output != one.real):
            what = "is not a folder" if os.path.lexists(folder) else "no such folder"
            raise UsageError(
                f"{_label(one.param)} {one.path}: {what}: {folder}", f"Create it first: mkdir -p {shell_word(folder)}"
            )


def _check_utf8(text: str, param: click.Parameter | None) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        what = f"{_label(param)}: " if param is not None else ""
        raise UsageError(f"{what}{text!a} is not UTF-8", "Give it in UTF-8; rename the file if it names one.") from None


def _check_local(text: str, param: click.Parameter | None, role: Role) -> None:
    """Raise `UsageError` for a URL. Its message leaves out all but the scheme, since the rest may have a password."""
    if is_url(text):
        label = f"{_label(param)}: " if param is not None else ""
        raise UsageError(f"{label}{text.partition(':')[0]}://… is a URL, and this must be a local path", _INSTEAD_OF_URL[role])


def _compare(given: _PathArgument, ctx: click.Context) -> None:
    """Compare a path with the earlier paths of the command, and remember it for the later ones."""
    others: list[_PathArgument] = ctx.meta.setdefault(_META, [])
    for other in others:
        if other.param is given.param and not (given.param.multiple or given.param.nargs != 1):
            continue
        for one, two in ((given, other), (other, given)):
            _check_conflict(one, two)
    others.append(given)


def _check_conflict(one: _PathArgument, two: _PathArgument) -> None:
    """Raise `UsageError` if writing to the first path changes the second."""
    if one.role not in ("write", "folder"):
        return
    if _is_same_file(one.real, two.real) and not (one.role == "write" and one.real.is_dir()):
        both = f"{_label(one.param)} and {_label(two.param)}"
        kind = "folder" if one.real.is_dir() else "file"
        raise UsageError(f"{both} are the same {kind}: {one.path}", "Choose different names.")
    if one.role == "folder" and two.role == "read" and two.real.is_relative_to(one.real) and two.real.is_file():
        raise UsageError(
            f"{_label(two.param)} {two.path} lies in {one.path}, which {_label(one.param)} replaces",
            "Copy the file elsewhere first.",
        )
    if two.role == "store" and one.real.is_relative_to(two.real):
        inside = one.real.relative_to(two.real).parts
        if inside and (inside[0] in layout.ALL or inside[0].startswith(".")):
            raise UsageError(f"{_label(one.param)} {one.path} is a file of the fleet in {two.path}", "Name another file.")


def _is_same_file(one: Path, two: Path) -> bool:
    """Whether two resolved paths are one file: by name, or as hard links to it."""
    if one == two:
        return True
    try:
        return one.samefile(two)
    except OSError:
        return False


def _label(param: click.Parameter | None) -> str:
    """Return the name of a parameter in `--help`: `--json` or `STORE`."""
    if param is None:
        return ""
    if isinstance(param, click.Argument):
        return (param.metavar or (param.name or "").upper()).strip("[]").removesuffix("...").removesuffix("…")
    return max(param.opts, key=len)


def _standard_input_file(ctx: click.Context) -> Path:
    """Copy standard input to a temporary file, since readers seek and read twice. Returns its path.

    Raises `UsageError` if standard input is closed, or if another parameter read it.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed, so there is nothing to read", "name a file")
    if _STDIN_META in ctx.meta:
        raise UsageError("standard input can be read only once", "name a file for one of the two")
    file = ctx.with_resource(owned_folder("navitas-stdin-")) / "standard-input"
    ctx.meta[_STDIN_META] = file
    with file.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    return file


def without_copy(text: str, ctx: click.Context) -> str:
    """Return a message that names standard input instead of its copy."""
    return text.replace(str(ctx.meta[_STDIN_META]), "standard input") if _STDIN_META in ctx.meta else text


def as_given(path: Path) -> Path:
    """Return the path that the user gave: `-` for the copy of standard input."""
    ctx = click.get_current_context(silent=True)
    return _STDIN if ctx is not None and path == ctx.meta.get(_STDIN_META) else path


def input_name(path: Path) -> str:
    """Return the name of an input file in messages and results."""
    return "standard input" if as_given(path) == _STDIN else str(path)
