"""ls, stat."""

from __future__ import annotations

import re
import stat as st
import time
from collections.abc import Iterator

from navitas.virtual_phone.file_tree import Stat
from navitas.virtual_phone.identity import user_name
from navitas.virtual_phone.shell.commands.command_options import Options, aligned, options
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError


@command("ls")
async def ls(context: Context) -> int:
    """List files and folders, one per line; `-l` long, `-n` with numbers of users, `-a`/`-A` with hidden ones, `-d` folders."""
    found = options(context, "1lnaAd")
    files: list[str] = []
    folders: list[str] = []
    status = 0
    for name in found.rest or ["."]:
        try:
            is_dir = _is_dir(context, name, follow="d" not in found and "l" not in found)
        except OSError as error:
            await context.err(f"ls: {name}: {error.strerror}\n")
            status = 1
            continue
        (folders if is_dir and "d" not in found else files).append(name)
    await context.out("".join(_lines(context, found, [(name, context.path(name)) for name in files])))
    titled = len(found.rest) > 1
    for index, name in enumerate(folders):
        title = ("\n" if index or files else "") + f"{name}:\n" if titled else ""
        status = await _folder(context, found, name, title) or status
    return status


def _is_dir(context: Context, name: str, *, follow: bool) -> bool:
    path = context.path(name)
    info = context.phone.files.stat(path, context.shell.who, follow=name.endswith("/"))
    if info.is_link and follow:
        try:
            return context.phone.files.stat(path, context.shell.who).is_dir
        except OSError:
            return False
    return info.is_dir


async def _folder(context: Context, found: Options, name: str, title: str) -> int:
    path = context.path(name)
    try:
        names = context.phone.files.listdir(path, context.shell.who)
    except OSError as error:
        await context.err(f"ls: {name}: {error.strerror}\n")
        return 1
    if "a" in found or "A" in found:
        names = [".", "..", *names] if "a" in found else names
    else:
        names = [entry for entry in names if not entry.startswith(".")]
    total = f"total {len(names) * 4}\n" if "l" in found else ""
    lines = _lines(context, found, [(entry, f"{path}/{entry}") for entry in names])
    await context.out(title + total + "".join(lines))
    return 0


def _lines(context: Context, found: Options, entries: list[tuple[str, str]]) -> Iterator[str]:
    rows: list[list[str]] = []
    for name, path in entries:
        try:
            info = context.phone.files.stat(path, context.shell.who, follow=False)
        except OSError:
            info = Stat(0, 0, 0)
        is_long = "l" in found or "n" in found
        shown = f"{name} -> {info.target}" if info.target and is_long else name
        rows.append([*(_long(info, numeric="n" in found) if is_long else []), shown])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)] if rows else []
    for row in rows:
        cells = [aligned(cell, width) for cell, width in zip(row, widths, strict=False)]
        yield " ".join([*cells, row[-1]]) + "\n"


def _long(info: Stat, *, numeric: bool) -> list[str]:
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(info.mtime))
    owners = [str(uid) if numeric else user_name(uid) for uid in (info.uid, info.gid)]
    return [st.filemode(info.mode), str(info.nlink), *owners, str(info.size), when]


@command("stat")
async def stat(context: Context) -> int:
    """Print the state of files; `-c FORMAT` with %n %N %s %a %A %F %U %G %u %g %Y %y %i %h."""
    found = options(context, "c:L")
    if not found.rest:
        raise CommandError("Needs 1 argument")
    status = 0
    for name in found.rest:
        try:
            info = context.phone.files.stat(context.path(name), context.shell.who, follow="L" in found)
        except OSError as error:
            await context.err(f"stat: '{name}': {error.strerror}\n")
            status = 1
            continue
        await context.out(_format(found.get("c", _DEFAULT_STAT), name, info) + "\n")
    return status


_DEFAULT_STAT = (
    "  File: %n\n  Size: %s\t Blocks: %b\t IO Blocks: 512\t%F\nAccess: (0%a/%A)\tUid: (%u/%U)\tGid: (%g/%G)\nModify: %y"
)


def _format(template: str, name: str, info: Stat) -> str:
    kind = "directory" if info.is_dir else "symbolic link" if info.is_link else "regular file"
    kind = "regular empty file" if info.is_regular and not info.size else kind
    link = f"{name} -> '{info.target}'" if info.target else name
    values = {
        "n": name, "N": link, "s": info.size, "a": f"{info.mode & 0o7777:o}", "A": st.filemode(info.mode), "F": kind,
        "U": user_name(info.uid), "G": user_name(info.gid), "u": info.uid, "g": info.gid, "Y": info.mtime,
        "y": time.strftime("%Y-%m-%d %H:%M:%S.000000000 +0000", time.gmtime(info.mtime)), "i": info.inode,
        "h": info.nlink, "b": (info.size + 511) // 512, "f": f"{info.mode:x}", "%": "%",
    }  # fmt: skip
    return re.sub("%(.)", lambda match: str(values.get(match[1], match[0])), template)
