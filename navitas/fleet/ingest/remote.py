"""Files of samples in object stores and on servers: copied to a local folder, then read as any file."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit, urlunsplit

from navitas.base.errors import UsageError
from navitas.fleet.files import FleetError
from navitas.fleet.remote_path import fsspec_library

_CHUNK = 1 << 20
_MOST_FILES = 100_000


def shown_url(url: str) -> str:
    """A URL without user, password and query, which may be secret."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return f"{url.partition('://')[0]}://…"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def fetch_files(url: str, folder: Path) -> list[Path]:
    """Copy a file, the files of a folder, or those of a pattern with `*` to `folder`. Returns their paths, in order.

    Raises `UsageError` for a wrong URL and if a package is not installed, and `FleetError` if something cannot be read to its
    end.
    """
    try:
        urlsplit(url)
        system, path = fsspec_library().core.url_to_fs(url)
        names = sorted(system.glob(path)) if "*" in path else sorted(system.find(path)) if system.isdir(path) else [path]
        if not names:
            raise FleetError(f"{shown_url(url)}: no such files", "Check the URL.")
        if len(names) > _MOST_FILES:
            raise FleetError(f"{shown_url(url)}: more than {_MOST_FILES:,} files", "Name fewer files.")
        return [_copied(system, name, folder / f"{number:06d}", url) for number, name in enumerate(names)]
    except ImportError as error:
        raise UsageError(f"{shown_url(url)}: needs another package: {error}", "Install it, such as s3fs or gcsfs.") from error
    except ValueError as error:
        raise UsageError(f"{shown_url(url)}: not a URL that can be read: {error}", "Use s3://, gs:// or https://.") from error
    except FleetError:
        raise
    except Exception as error:
        # Each kind of store raises its own errors.
        cause = _without_secrets(str(error), url) or type(error).__name__
        remedy = "Check the URL, your access to it, and the network. Nothing of it was stored."
        raise FleetError(f"{shown_url(url)}: cannot be read: {cause}", remedy) from error


def _without_secrets(text: str, url: str) -> str:
    parts = urlsplit(url)
    text = text.replace(url, shown_url(url))
    for secret in (parts.query, parts.netloc.rpartition("@")[0], parts.password, parts.fragment):
        text = text.replace(secret, "…") if secret else text
    return text


def _copied(system: object, name: str, folder: Path, url: str) -> Path:
    """A local copy with the name of the remote file. Raises `FleetError` if it is shorter than announced."""
    folder.mkdir()
    file = folder / (PurePosixPath(name.partition("?")[0]).name or "samples")
    with system.open(name, "rb") as source, file.open("wb") as copy:  # type: ignore[attr-defined]
        shutil.copyfileobj(source, copy, _CHUNK)
    size = system.info(name).get("size")  # type: ignore[attr-defined]
    if isinstance(size, int) and file.stat().st_size != size:
        raise FleetError(
            f"{shown_url(url)}: {file.name} ended after {file.stat().st_size:,} of {size:,} bytes", "Ingest it again."
        )
    return file
