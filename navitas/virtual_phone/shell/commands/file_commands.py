"""mkdir, rm, rmdir, mv, cp, ln, touch, chmod, df."""

from __future__ import annotations

import calendar
import re
import shutil
import time
from pathlib import PurePosixPath

from navitas.virtual_phone.shell.commands.command_options import Options, options, too_few
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError
from navitas.virtual_phone.shell.streams import PIECE_BYTES

_FOLDER_MODE, _FILE_MODE = 0o777, 0o666
"""Permissions of new folders and files: adbd clears its mask (main.cpp), and its shells inherit this."""


async def _complain(context: Context, name: str, error: OSError) -> int:
    await context.err(f"{context.name}: {name}: {error.strerror}\n")
    return 1


def _needs(context: Context, found: Options, count: int) -> list[str]:
    if len(found.rest) < count:
        raise too_few(context, count)
    return found.rest


@command("mkdir")
async def mkdir(context: Context) -> int:
    """Make folders; `-p` with their parents."""
    found = options(context, "p")
    files, who = context.phone.files, context.shell.who
    status = 0
    for name in _needs(context, found, 1):
        path = PurePosixPath(context.path(name))
        try:
            for parent in reversed(path.parents) if "p" in found else ():
                _make_missing(context, str(parent))
            if "p" in found:
                _make_missing(context, str(path))
            else:
                files.mkdir(str(path), who, _FOLDER_MODE)
        except OSError as error:
            status = await _complain(context, f"'{name}'", error)
    return status


def _make_missing(context: Context, path: str) -> None:
    try:
        if context.phone.files.stat(path, context.shell.who).is_dir:
            return
        raise FileExistsError(17, "File exists", path)
    except FileNotFoundError:
        context.phone.files.mkdir(path, context.shell.who, _FOLDER_MODE)


@command("rmdir")
async def rmdir(context: Context) -> int:
    """Remove empty folders."""
    status = 0
    for name in _needs(context, options(context, ""), 1):
        try:
            context.phone.files.rmdir(context.path(name), context.shell.who)
        except OSError as error:
            status = await _complain(context, name, error)
    return status


@command("rm")
async def rm(context: Context) -> int:
    """Remove files; `-r` also folders, `-f` without errors for missing ones."""
    found = options(context, "rRf")
    status = 0
    for name in found.rest if "f" in found else _needs(context, found, 1):
        try:
            _remove(context, context.path(name), recursive="r" in found or "R" in found)
        except FileNotFoundError as error:
            status = status if "f" in found else await _complain(context, name, error)
        except OSError as error:
            status = await _complain(context, name, error)
    return status


def _remove(context: Context, path: str, *, recursive: bool) -> None:
    files, who = context.phone.files, context.shell.who
    if not files.stat(path, who, follow=False).is_dir:
        files.remove(path, who)
        return
    if not recursive:
        raise IsADirectoryError(21, "Is a directory", path)
    for name in files.listdir(path, who):
        _remove(context, f"{path}/{name}", recursive=True)
    files.rmdir(path, who)


def _targets(context: Context, found: Options) -> list[tuple[str, str]]:
    """Return the (source, target) pairs of `cp` and `mv`: into the last argument if that is a folder."""
    *sources, last = _needs(context, found, 2)
    target = context.path(last)
    try:
        into = context.phone.files.stat(target, context.shell.who).is_dir
    except OSError:
        into = False
    if len(sources) > 1 and not into:
        raise CommandError(f"'{last}' not directory")
    return [(source, f"{target}/{PurePosixPath(source).name}" if into else target) for source in sources]


@command("mv")
async def mv(context: Context) -> int:
    """Rename or move."""
    status = 0
    for source, target in _targets(context, options(context, "f")):
        try:
            context.phone.files.rename(context.path(source), target, context.shell.who)
        except OSError as error:
            status = await _complain(context, f"bad '{source}'", error)
    return status


@command("cp")
async def cp(context: Context) -> int:
    """Copy files, not folders."""
    files, who = context.phone.files, context.shell.who
    status = 0
    for name, target in _targets(context, options(context, "pf")):
        source = context.path(name)
        try:
            info = files.stat(source, who)
            if info.is_dir:
                raise IsADirectoryError(21, "Is a directory", source)
            if files.real_path(source) == files.real_path(target):
                raise OSError(22, "Invalid argument", source)
            with files.open_read(source, who) as reader, files.open_write(target, who, mode=info.mode & 0o777) as writer:
                while data := reader.read(PIECE_BYTES):
                    writer.write(data)
        except OSError as error:
            status = await _complain(context, f"bad '{name}'", error)
    return status


@command("ln")
async def ln(context: Context) -> int:
    """Make symlinks (`-s`). Hard links are not possible on this phone."""
    found = options(context, "s")
    target, path = _needs(context, found, 2)[:2]
    if "s" not in found:
        raise CommandError(f"cannot create hard link from '{target}' to '{path}': Permission denied")
    context.phone.files.symlink(target, context.path(path), context.shell.who)
    return 0


@command("touch")
async def touch(context: Context) -> int:
    """Create files, or set their time: to now, or -d DATE (@SECONDS or ISO 8601)."""
    found = options(context, "cd:")
    mtime = _parse_date(found.get("d")) if "d" in found else time.time()
    status = 0
    for name in _needs(context, found, 1):
        try:
            if "c" not in found and not context.shell.exists(context.path(name)):
                context.phone.files.open_write(context.path(name), context.shell.who, append=True, mode=_FILE_MODE).close()
            context.phone.files.utime(context.path(name), mtime, context.shell.who)
        except FileNotFoundError as error:
            status = status if "c" in found else await _complain(context, f"'{name}'", error)
        except OSError as error:
            status = await _complain(context, f"'{name}'", error)
    return status


def _parse_date(text: str) -> int:
    """Return the seconds since 1970 for `@SECONDS` or a date in UTC. Raises `CommandError`."""
    if re.fullmatch(r"@\d{1,11}", text):
        return int(text[1:])
    try:
        return calendar.timegm(time.strptime(text.removesuffix("Z"), "%Y-%m-%dT%H:%M:%S"))
    except ValueError:
        raise CommandError(f"bad date '{text}'") from None


@command("chmod")
async def chmod(context: Context) -> int:
    """Change permissions: octal, or clauses such as `u+x,go-w`."""
    args = [argument for argument in context.args if argument != "-R"]
    if len(args) < 2:
        raise too_few(context, 2)
    status = 0
    for name in args[1:]:
        path = context.path(name)
        try:
            before = context.phone.files.stat(path, context.shell.who).mode
            context.phone.files.chmod(path, _mode(args[0], before), context.shell.who)
        except OSError as error:
            status = await _complain(context, name, error)
    return status


def _mode(text: str, before: int) -> int:
    if re.fullmatch(r"[0-7]{1,4}", text):
        return int(text, 8)
    mode = before & 0o7777
    for clause in text.split(","):
        match = re.fullmatch(r"([ugoa]*)([-+=])([rwx]*)", clause)
        if match is None:
            raise CommandError(f"bad mode '{text}'")
        who, action, letters = match.groups()
        bits = sum({"r": 4, "w": 2, "x": 1}[letter] for letter in set(letters))
        places = [6 - 3 * "ugo".index(letter) for letter in "ugo" if letter in who or not who or "a" in who]
        mask = sum(bits << place for place in places)
        if action == "=":
            mode &= ~sum(7 << place for place in places)
        mode = mode & ~mask if action == "-" else mode | mask
    return mode


@command("df")
async def df(context: Context) -> int:
    """Print the space on the phone's storage, which is that of the folder on this machine."""
    for name in options(context, "hk").rest:
        try:
            context.phone.files.stat(context.path(name), context.shell.who)
        except OSError as error:
            return await _complain(context, f"'{name}'", error)
    usage = shutil.disk_usage(context.phone.files.root)
    total, used, free = (value // 1024 for value in usage)
    await context.out(
        "Filesystem       1K-blocks      Used Available Use% Mounted on\n"
        f"/dev/block/dm-0 {total:10d} {used:9d} {free:9d} {used * 100 // max(1, total):3d}% /data\n"
    )
    return 0
