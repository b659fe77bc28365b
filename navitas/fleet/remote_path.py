"""Paths in object stores and on HDFS, through fsspec. They are configured as fsspec is, on each machine.

What a fleet needs of a store: an object appears, and is replaced, completely or not at all; of several processes that create the
same object, one succeeds (`Snapshot.check_writable`); what is written can be read at once. It need not be listed at once, and
nothing needs a rename or a lock.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PosixPath
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from navitas.base.errors import NavitasError, UsageError
from navitas.base.extra_libraries import extra_library, install_packages
from navitas.base.untrusted_text import printable

_PACKAGES = {
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "az"), "adlfs"),
    "webhdfs": "requests",
    "memory": "fsspec",
}
"""The package for each scheme whose objects become visible completely or not at all. `memory` is fsspec's own, for tests."""
_QUERY = re.compile(r"\?[^\s'\"]+")
_LONGEST = 300


def fsspec_library() -> Any:
    """The library of file systems, with this project's class for HDFS. Raises `UsageError` if it is not installed."""
    fsspec = extra_library("fsspec", "URLs need", "remote")
    fsspec.register_implementation("webhdfs", "navitas.fleet.web_hdfs.WholeFilesHdfs", clobber=True, errtxt="requests")
    return fsspec


class RemoteError(NavitasError):
    """An object store refuses, or cannot be reached."""


class RemotePath(PosixPath):
    """A path in an object store, with those methods of `Path` that the fleet uses. Others raise `RemoteError`.

    Objects are complete or absent. Methods raise `RemoteError`, and `FileNotFoundError` where `Path` does.
    """

    size: int | None = None
    """The size of the object if a commit lists it, so that no request is needed."""

    @classmethod
    def parse(cls, url: str) -> RemotePath:
        """From a URL. Raises `UsageError` for one that cannot be a fleet's folder, or that has a password."""
        scheme = url.partition("://")[0].lower()
        try:
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        if scheme not in _PACKAGES:
            schemes = ", ".join(name for name in _PACKAGES if name != "memory")
            raise UsageError(
                f"{scheme}://… cannot have a fleet: results are written as objects that are complete or absent",
                f"Name a local folder, or a URL of {schemes} (for HDFS). Any URL can be a FILE of fleet ingest.",
            )
        if "@" in parts.netloc or parts.query or parts.fragment or not parts.netloc:
            raise UsageError(
                f"{scheme}://…: not a bucket and a path", "Configure access in fsspec's or the store's own files or variables."
            )
        return cls(f"{scheme}:", parts.netloc, *parts.path.split("/"))

    def __str__(self) -> str:
        text = super().__str__()
        return text.replace(":/", "://", 1) if self.parts[:1] and self.parts[0].endswith(":") else text

    def __fspath__(self) -> str:
        raise RemoteError(f"{self}: this needs a local folder", "Copy the fleet to a local folder, and name that.")

    def absolute(self) -> RemotePath:
        """The path itself."""
        return self

    def resolve(self, strict: bool = False) -> RemotePath:
        """The path itself."""
        return self

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """Whether there is such an object."""
        try:
            self.stat()
        except FileNotFoundError:
            return False
        return True

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """The size."""
        if self.size is None:
            with self._named("read"):
                self.size = int(self.system.info(str(self))["size"])
        return os.stat_result((stat.S_IFREG, 0, 0, 1, 0, 0, self.size, 0, 0, 0))

    def read_bytes(self, limit_bytes: int | None = None) -> bytes:
        """The whole content, or what is within a limit."""
        with self._named("read"):
            return bytes(self.system.cat_file(str(self), end=limit_bytes))

    def copy_in(self, folder: Path) -> Path:
        """A copy in a local folder, which is made unless the folder has one of the same content. Raises `OSError`."""
        with self._named("read"):
            copy = folder / hashlib.blake2b(f"{self} {self.system.ukey(str(self))}".encode(), digest_size=16).hexdigest()
        if not copy.exists():
            folder.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(self.read_bytes())
        return copy

    @contextmanager
    def reading(self) -> Iterator[BinaryIO]:
        """A stream that fetches only what is read, for formats that are read in pieces. Errors of reading it are named, too."""
        with self._named("read", damage=True), self.system.open(str(self), "rb", cache_type="none") as stream:
            yield stream

    def write_bytes(self, data: bytes) -> int:  # type: ignore[override]
        """Write an object, or replace it."""
        with self._named("written", missing=False):
            self.system.pipe_file(str(self), data)
        return len(data)

    def create(self, data: bytes) -> bool:
        """Write an object unless there is one. Of several processes that do so at once, one succeeds."""
        try:
            with self._named("written", missing=False):
                self.system.pipe_file(str(self), data, mode="create")
        except FileExistsError:
            return False
        return True

    def unlink(self, missing_ok: bool = True) -> None:
        """Remove the object, if it is there."""
        try:
            with self._named("removed"):
                self.system.rm_file(str(self))
        except FileNotFoundError:
            pass

    def rglob(self, pattern: str) -> Iterator[RemotePath]:  # type: ignore[override]
        """Yield the objects in the folder and its subfolders whose names end as the pattern `*end`, in order."""
        with self._named("listed", missing=False):
            system = self.system
            folder, objects = system._strip_protocol(str(self)), system.find(str(self), detail=True)
        for name in sorted(objects):
            if name.endswith(pattern.removeprefix("*")):
                file = self / name.removeprefix(folder).strip("/")
                file.size = int(objects[name]["size"])
                yield file

    def remove_all(self) -> None:
        """Remove all objects in the folder."""
        for file in [*self.rglob("*")]:
            file.unlink()

    @property
    def system(self) -> Any:
        """The file system. Raises `UsageError` if a package is not installed."""
        scheme = self.parts[0].rstrip(":")
        try:
            kind = fsspec_library().get_filesystem_class(scheme)
            # What another machine writes or removes must be seen.
            return kind(**kind._get_kwargs_from_urls(str(self)), use_listings_cache=False)
        except ImportError as error:
            package = _PACKAGES[scheme]
            raise UsageError(f"{self}: needs the package {package}", install_packages([package])) from error

    @contextmanager
    def _named(self, verb: str, *, missing: bool = True, damage: bool = False) -> Iterator[None]:
        """Errors of each kind of store as those of paths. Without `missing`, a missing bucket is an error, too.

        With `damage`, errors of content are raised as they are.
        """
        try:
            yield
        except (NavitasError, FileExistsError, MemoryError):
            raise
        except Exception as error:
            if missing and isinstance(error, FileNotFoundError):
                raise FileNotFoundError(errno.ENOENT, "no such object", str(self)) from error
            # Arrow's errors of content are of no subclass of OSError. Those of requests are.
            if damage and (isinstance(error, ValueError) or (type(error) is OSError and error.errno is None)):
                raise
            # The query of a store's URL may have a token.
            cause = printable(_QUERY.sub("?…", str(error)), _LONGEST) or type(error).__name__
            raise RemoteError(
                f"{self}: cannot be {verb}: {cause}", "Check the URL, your access to it, and the network."
            ) from error
