"""mkdir, rm, rmdir, mv, cp, ln, touch, chmod, df."""

from __future__ import annotations

import calendar
import re
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from pathlib import PurePosixPath

from navitas.virtual_phone.shell.commands.command_options import Options, options, too_few
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError

_FOLDER_MODE, _FILE_MODE = 0o777, 0o666
"""Permissions of new folders and files: adbd clears its mask (main.cpp), and its shells inherit this."""


async def _complain(context: Context, name: str, error: OSError) -> int:
    await context.err(f"{context.name}: {name}: {error.strerror}\n")
    return 1


async def _each(context: Context, names: Sequence[str], action: Callable[[str], None], shown: str = "{}") -> int:
    """Do an action for each name. Complains about each one that fails, as `shown`, and goes on. Returns the exit status."""
    status = 0
    for name in names:
        try:
            action(name)
        except OSError as error:
            status = await _complain(context, shown.format(name), error)
    return status


def _needs(context: Context, found: Options, count: int) -> list[str]:
    if len(found.rest) < count:
        raise too_few(context, count)
    return found.rest


@command("mkdir")
async def mkdir(context: Context) -> int:
    """Make folders; `-p` with their parents."""
    found = options(context, "p")

    def make(name: str) -> None:
        path = PurePosixPath(context.path(name))
        if "p" not in found:
            context.phone.files.mkdir(str(path), context.shell.who, _FOLDER_MODE)
            return
        for folder in (*reversed(path.parents), path):
            _make_missing(context, str(folder))

    return await _each(context, _needs(context, found, 1), make, "'{}'")


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
    names = _needs(context, options(context, ""), 1)
    return await _each(context, names, lambda name: context.phone.files.rmdir(context.path(name), context.shell.who))


@command("rm")
async def rm(context: Context) -> int:
    """Remove files; `-r` also folders, `-f` without errors for missing ones."""
    found = options(context, "rRf")

    def remove(name: str) -> None:
        with suppress(FileNotFoundError) if "f" in found else nullcontext():
            _remove(context, context.path(name), recursive="r" in found or "R" in found)

    return await _each(context, found.rest if "f" in found else _needs(context, found, 1), remove)


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
    targets = _targets(context, options(context, "f"))

    def move(name: str) -> None:
        context.phone.files.rename(context.path(name), dict(targets)[name], context.shell.who)

    return await _each(context, [name for name, _ in targets], move, "bad '{}'")


@command("cp")
async def cp(context: Context) -> int:
    """Copy files, not folders."""
    files, who = context.phone.files, context.shell.who
    targets = _targets(context, options(context, "pf"))

    def copy(name: str) -> None:
        source, target = context.path(name), dict(targets)[name]
        info = files.stat(source, who)
        if info.is_dir:
            raise IsADirectoryError(21, "Is a directory", source)
        if files.real_path(source) == files.real_path(target):
            raise OSError(22, "Invalid argument", source)
        with files.open_read(source, who) as reader, files.open_write(target, who, mode=info.mode & 0o777) as writer:
            shutil.copyfileobj(reader, writer)

    return await _each(context, [name for name, _ in targets], copy, "bad '{}'")


@command("ln")
async def ln(context: Context) -> None:
    """Make symlinks (`-s`). Hard links are not possible on this phone."""
    found = options(context, "s")
    target, path = _needs(context, found, 2)[:2]
    if "s" not in found:
        raise CommandError(f"cannot create hard link from '{target}' to '{path}': Permission denied")
    context.phone.files.symlink(target, context.path(path), context.shell.who)


@command("touch")
async def touch(context: Context) -> int:
    """Create files, or set their time: to now, or -d DATE (@SECONDS or ISO 8601)."""
    found = options(context, "cd:")
    mtime = _parse_date(found.get("d")) if "d" in found else time.time()
    files, who = context.phone.files, context.shell.who

    def set_time(name: str) -> None:
        with suppress(FileNotFoundError) if "c" in found else nullcontext():
            if "c" not in found and not context.shell.exists(context.path(name)):
                files.open_write(context.path(name), who, append=True, mode=_FILE_MODE).close()
            files.utime(context.path(name), mtime, who)

    return await _each(context, _needs(context, found, 1), set_time, "'{}'")


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
    files, who = context.phone.files, context.shell.who

    def change(name: str) -> None:
        path = context.path(name)
        files.chmod(path, _mode(args[0], files.stat(path, who).mode), who)

    return await _each(context, args[1:], change)


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
