"""ls, stat, find."""

from __future__ import annotations

import stat as st
import time
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from navitas.virtual_phone.file_tree import Stat
from navitas.virtual_phone.identity import user_name
from navitas.virtual_phone.shell.commands.command_options import Options, options
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.flow import CommandError


@command("ls")
async def ls(context: Context) -> int:
    """List files and folders, one per line; `-l` long, `-a`/`-A` with hidden ones, `-d` folders themselves, `-R` recursive."""
    found = options(context, "1laAdRhtrSiFCnpsk")
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
    titled = len(found.rest) > 1 or "R" in found
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
    status = 0
    for entry in names if "R" in found else ():
        if entry not in (".", "..") and context.phone.files.stat(f"{path}/{entry}", context.shell.who, follow=False).is_dir:
            status = await _folder(context, found, f"{name}/{entry}", f"\n{name}/{entry}:\n") or status
    return status


def _lines(context: Context, found: Options, entries: list[tuple[str, str]]) -> Iterator[str]:
    infos = []
    for name, path in entries:
        try:
            infos.append((name, context.phone.files.stat(path, context.shell.who, follow=False)))
        except OSError:
            infos.append((name, Stat(0, 0, 0)))
    if "t" in found:
        infos.sort(key=lambda item: -item[1].mtime)
    if "S" in found:
        infos.sort(key=lambda item: -item[1].size)
    rows: list[list[str]] = []
    for name, info in reversed(infos) if "r" in found else infos:
        shown = name + ("/" if ("F" in found or "p" in found) and info.is_dir else "")
        place = [str(info.inode)] if "i" in found else []
        blocks = [str((info.size + 4095) // 4096 * 4)] if "s" in found else []
        rows.append([*place, *blocks, *(_long(info, found) if "l" in found or "n" in found else []), _shown(shown, info, found)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)] if rows else []
    for row in rows:
        cells = [_aligned(cell, width) for cell, width in zip(row, widths, strict=False)]
        yield " ".join([*cells, row[-1]]) + "\n"


def _aligned(cell: str, width: int) -> str:
    return cell.rjust(width) if cell[:1].isdigit() else cell.ljust(width)


def _shown(name: str, info: Stat, found: Options) -> str:
    return f"{name} -> {info.target}" if info.target and ("l" in found or "n" in found) else name


def _long(info: Stat, found: Options) -> list[str]:
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(info.mtime))
    owners = [str(info.uid), str(info.gid)] if "n" in found else [user_name(info.uid), user_name(info.gid)]
    return [st.filemode(info.mode), str(info.nlink), *owners, _human(info.size) if "h" in found else str(info.size), when]


def _human(size: int) -> str:
    """Format a size in bytes, or in K, M, G with one decimal below ten."""
    value, units = float(size), iter("KMGT")
    unit = ""
    while value >= 1000:
        value, unit = value / 1024, next(units)
    return f"{value:.1f}{unit}" if unit and value < 10 else f"{value:.0f}{unit}"


@command("stat")
async def stat(context: Context) -> int:
    """Print the state of files; `-c FORMAT` with %n %N %s %a %A %F %U %G %u %g %Y %y %i %h."""
    found = options(context, "c:Lft")
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
    out = []
    at = 0
    while at < len(template):
        key = template[at + 1 : at + 2] if template[at] == "%" else ""
        out.append(str(values[key]) if key in values else template[at])
        at += 2 if key in values else 1
    return "".join(out)


@command("find")
async def find(context: Context) -> int:
    """Walk folders: -name, -iname, -type f|d|l, -maxdepth, -mindepth, -print."""
    args = list(context.args)
    starts = []
    while args and not args[0].startswith("-"):
        starts.append(args.pop(0))
    tests = _find_tests(args)
    status = 0
    for start in starts or ["."]:
        try:
            for path, depth, info in _walk(context, start, 0, int(tests.get("maxdepth", 1000))):
                if _accepts(tests, PurePosixPath(path).name, depth, info):
                    await context.out(path + "\n")
        except OSError as error:
            await context.err(f"find: '{start}': {error.strerror}\n")
            status = 1
    return status


def _find_tests(args: list[str]) -> dict[str, str]:
    tests: dict[str, str] = {}
    while args:
        option = args.pop(0).lstrip("-")
        if option == "print":
            continue
        if option not in ("name", "iname", "type", "maxdepth", "mindepth") or not args:
            raise CommandError(f"bad arg '-{option}'")
        tests[option] = args.pop(0)
        if option.endswith("depth") and not tests[option].isdecimal():
            raise CommandError(f"not integer: {tests[option]}")
    return tests


def _accepts(tests: dict[str, str], name: str, depth: int, info: Stat) -> bool:
    kind = "d" if info.is_dir else "l" if info.is_link else "f"
    return (
        fnmatchcase(name, tests.get("name", "*"))
        and fnmatchcase(name.lower(), tests.get("iname", "*").lower())
        and kind == tests.get("type", kind)
        and depth >= int(tests.get("mindepth", 0))
    )


def _walk(context: Context, path: str, depth: int, max_depth: int) -> Iterator[tuple[str, int, Stat]]:
    absolute = context.path(path)
    info = context.phone.files.stat(absolute, context.shell.who, follow=depth == 0)
    yield path, depth, info
    if info.is_dir and depth < max_depth:
        for name in context.phone.files.listdir(absolute, context.shell.who):
            yield from _walk(context, f"{path.rstrip('/')}/{name}", depth + 1, max_depth)
