"""unzip: print entries of a zip file, or their list (AOSP: libziparchive's ziptool)."""

from __future__ import annotations

import io
import zipfile

from navitas.virtual_phone.releases import has
from navitas.virtual_phone.shell.commands.command_options import options, too_few
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.flow import CommandError

_MAX_BYTES = 256 << 20


@command("unzip")
async def unzip(context: Context) -> int:
    """`unzip -p FILE [ENTRY…]` prints entries, `-l` lists them. It writes no files."""
    if not has("unzip", context.phone.sdk):
        raise CommandError("inaccessible or not found", 127)
    found = options(context, "plqo")
    if not found.rest:
        raise too_few(context, 1)
    name, *wanted = found.rest
    with context.phone.files.open_read(context.path(name), context.shell.who) as file:
        data = file.read(_MAX_BYTES)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile:
        raise CommandError(f"couldn't open {name}: Invalid file", 1) from None
    entries = [entry for entry in archive.infolist() if not wanted or entry.filename in wanted]
    if not entries and wanted:
        raise CommandError("caution: filename not matched", 11)
    for entry in entries:
        if "p" in found:
            await context.out(archive.read(entry))
        else:
            await context.out(f"{entry.file_size:9d}  {entry.filename}\n")
    return 0
