"""mkdir, rm, rmdir, mv, cp, ln, touch, chmod, chown, mktemp, readlink, realpath, df, du."""

from __future__ import annotations

import contextlib
import re
import secrets
import shutil
import time
from pathlib import PurePosixPath

from navitas.virtual_phone.shell.commands.command_options import Options, options, parse_date, too_few
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.flow import CommandError
from navitas.virtual_phone.shell.streams import PIECE_BYTES


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
    found = options(context, "pm:v")
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
                files.mkdir(str(path), who, _new_mode(context))
            if "m" in found:
                files.chmod(str(path), _mode(found.get("m"), 0o777), who)
        except OSError as error:
            status = await _complain(context, f"'{name}'", error)
    return status


def _make_missing(context: Context, path: str) -> None:
    try:
        if context.phone.files.stat(path, context.shell.who).is_dir:
            return
        raise FileExistsError(17, "File exists", path)
    except FileNotFoundError:
        context.phone.files.mkdir(path, context.shell.who, _new_mode(context))


def _new_mode(context: Context, most: int = 0o777) -> int:
    """Return the permissions of a new file."""
    return most & ~context.shell.umask


@command("rmdir")
async def rmdir(context: Context) -> int:
    """Remove empty folders."""
    status = 0
    for name in _needs(context, options(context, "p"), 1):
        try:
            context.phone.files.rmdir(context.path(name), context.shell.who)
        except OSError as error:
            status = await _complain(context, name, error)
    return status


@command("rm", "unlink")
async def rm(context: Context) -> int:
    """Remove files; `-r` also folders, `-f` without errors for missing ones."""
    found = options(context, "rRfiv")
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
    for source, target in _targets(context, options(context, "finv")):
        try:
            context.phone.files.rename(context.path(source), target, context.shell.who)
        except OSError as error:
            status = await _complain(context, f"bad '{source}'", error)
    return status


@command("cp")
async def cp(context: Context) -> int:
    """Copy files; `-r` also folders."""
    found = options(context, "rRapfivnL")
    status = 0
    for source, target in _targets(context, found):
        try:
            _copy(context, context.path(source), target, recursive=bool({"r", "R", "a"} & set(found.values)))
        except OSError as error:
            status = await _complain(context, f"bad '{source}'", error)
    return status


def _copy(context: Context, source: str, target: str, *, recursive: bool) -> None:
    files, who = context.phone.files, context.shell.who
    info = files.stat(source, who)
    if info.is_dir:
        if not recursive:
            raise IsADirectoryError(21, "Is a directory", source)
        real_source, real_target = files.real_path(source), files.real_path(target)
        if (real_target + "/").startswith(real_source.rstrip("/") + "/"):
            raise OSError(22, "Invalid argument", source)
        _make_missing(context, target)
        for name in files.listdir(source, who):
            _copy(context, f"{source}/{name}", f"{target}/{name}", recursive=True)
        return
    if files.real_path(source) == files.real_path(target):
        raise OSError(22, "Invalid argument", source)
    with files.open_read(source, who) as reader, files.open_write(target, who, mode=info.mode & 0o777) as writer:
        while data := reader.read(PIECE_BYTES):
            writer.write(data)


@command("ln")
async def ln(context: Context) -> int:
    """Make symlinks (`-s`). Hard links are not possible on this phone."""
    found = options(context, "sfn")
    target, path = _needs(context, found, 2)[:2]
    if "s" not in found:
        raise CommandError(f"cannot create hard link from '{target}' to '{path}': Permission denied")
    if "f" in found:
        with contextlib.suppress(FileNotFoundError):
            context.phone.files.remove(context.path(path), context.shell.who)
    context.phone.files.symlink(target, context.path(path), context.shell.who)
    return 0


@command("touch")
async def touch(context: Context) -> int:
    """Create files, or set their time: to now, -d DATE (@SECONDS or ISO 8601), -t [[CC]YY]MMDDhhmm[.ss], or that of -r FILE."""
    found = options(context, "acmd:t:r:")
    mtime = _touch_time(context, found)
    status = 0
    for name in _needs(context, found, 1):
        try:
            if "c" not in found and not context.shell.exists(context.path(name)):
                mode = _new_mode(context, 0o666)
                context.phone.files.open_write(context.path(name), context.shell.who, append=True, mode=mode).close()
            context.phone.files.utime(context.path(name), mtime, context.shell.who)
        except FileNotFoundError as error:
            status = status if "c" in found else await _complain(context, f"'{name}'", error)
        except OSError as error:
            status = await _complain(context, f"'{name}'", error)
    return status


def _touch_time(context: Context, found: Options) -> float:
    if "r" in found:
        return context.phone.files.stat(context.path(found.get("r")), context.shell.who).mtime
    if "t" in found:
        match = re.fullmatch(r"(?:(\d\d)?(\d\d))?(\d{8})(?:\.(\d\d))?", found.get("t"))
        if match is None:
            raise CommandError(f"bad date '{found.get('t')}'")
        century, year, rest, second = match.groups()
        year = year or f"{time.gmtime().tm_year % 100:02d}"
        return parse_date(f"{century or ('19' if int(year) > 68 else '20')}{year}{rest}{second or '00'}", ("%Y%m%d%H%M%S",))
    return parse_date(found.get("d")) if "d" in found else time.time()


@command("chmod")
async def chmod(context: Context) -> int:
    """Change permissions: octal, or clauses such as `u+x,go-w`."""
    args = [argument for argument in context.args if argument not in ("-R", "-v", "-f")]
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


@command("chown", "chgrp", "chcon", "restorecon", "sync")
async def ignored(context: Context) -> int:
    """Do nothing: a file's owner follows from its path."""
    return 0


@command("mktemp")
async def mktemp(context: Context) -> int:
    """Create an empty file (`-d`: folder) with a new name, and print it."""
    found = options(context, "dp:tu")
    template = (
        found.rest[0] if found.rest else f"{found.get('p', context.shell.get('TMPDIR') or '/data/local/tmp')}/tmp.XXXXXXXXXX"
    )
    name = re.sub(r"X{6,}$", lambda match: secrets.token_hex(len(match.group()))[: len(match.group())], template)
    path = context.path(name)
    if "d" in found:
        context.phone.files.mkdir(path, context.shell.who, 0o700)
    else:
        context.phone.files.open_write(path, context.shell.who, mode=0o600).close()
    await context.out(name + "\n")
    return 0


@command("readlink", "realpath")
async def readlink(context: Context) -> int:
    """Print a symlink's target, or (`-f`, realpath) the path without symlinks."""
    found = options(context, "fn")
    path = context.path(_needs(context, found, 1)[0])
    if "f" in found or context.name == "realpath":
        await context.out(context.phone.files.real_path(path) + "\n")
        return 0
    try:
        target = context.phone.files.stat(path, context.shell.who, follow=False).target
    except OSError:
        return 1
    await context.out(f"{target}\n" if target else "")
    return 0 if target else 1


@command("df")
async def df(context: Context) -> int:
    """Print the space on the phone's storage, which is that of the folder on this machine."""
    for name in options(context, "hkHai").rest:
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


@command("du")
async def du(context: Context) -> int:
    """Print the kilobytes of files and folders (`-s`: only the sums)."""
    found = options(context, "skh")
    for name in found.rest or ["."]:
        await context.out(f"{(_size(context, context.path(name)) + 1023) // 1024}\t{name}\n")
    return 0


def _size(context: Context, path: str) -> int:
    info = context.phone.files.stat(path, context.shell.who, follow=False)
    if not info.is_dir:
        return info.size
    return sum(_size(context, f"{path}/{name}") for name in context.phone.files.listdir(path, context.shell.who))
