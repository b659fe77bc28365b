"""The phone's file tree: real files in one host folder, and nodes whose content is computed when they are read.

No path leaves the folder: `..` stops at its top, and symlinks are resolved inside it.
"""

from __future__ import annotations

import errno
import io
import os
import stat as st
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from navitas.android.ids import UIDS_PER_USER
from navitas.virtual_phone.identity import FIRST_USER, SHELL, SHELL_UID, Identity
from navitas.virtual_phone.releases import DEFAULT_SDK, denied

Node = Callable[[], bytes]

_MAX_SYMLINKS = 40
_NULL = "/dev/null"
_WRITABLE = ("/data/local/tmp", "/sdcard", "/storage/emulated/0", "/data/misc/perfetto-traces", "/tmp")
_SKELETON = (
    "data/app",
    "data/data",
    "data/local/tmp",
    "data/misc/perfetto-traces",
    "data/user",
    "dev/socket",
    "proc",
    "sdcard/Android/data",
    "sdcard/Android/media",
    "storage/emulated",
    "sys",
    "system/bin",
    "tmp",
    "vendor",
)


_LINKS = {"storage/emulated/0": "../../sdcard", "data/user/0": "../data", "proc/self": "/proc/self"}
"""Symlinks and their targets, which apps follow from the host folder: all but the last are relative."""


@dataclass(frozen=True, slots=True)
class Stat:
    """The result of `stat` for a file. Times are in whole seconds; `mode` includes the type bits."""

    mode: int
    size: int
    mtime: int
    uid: int = 0
    gid: int = 0
    nlink: int = 1
    inode: int = 0
    device: int = 0
    target: str = ""

    @property
    def is_dir(self) -> bool:
        return st.S_ISDIR(self.mode)

    @property
    def is_regular(self) -> bool:
        return st.S_ISREG(self.mode)

    @property
    def is_link(self) -> bool:
        return st.S_ISLNK(self.mode)


class _Null(io.RawIOBase):
    """Discards all data."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data)


def _fail(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)


def is_under(path: str, folder: str) -> bool:
    """Return whether a normalized absolute path is the folder or in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _components(path: str) -> list[str]:
    """Return the names in a path, last first."""
    if "\0" in path:
        raise _fail(errno.EINVAL, path)
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


class FileTree:
    """The files of one phone. Every method takes absolute phone paths and raises `OSError` with the errno of a phone."""

    def __init__(self, root: Path, sdk: int = DEFAULT_SDK) -> None:
        self.root = root
        self._sdk = sdk
        self._nodes: dict[str, Node] = {_NULL: bytes}
        self.process_node: Callable[[str], Node | list[str] | None] = lambda path: None
        self.app_uids: dict[str, int] = {}
        self._boot = int(time.time())
        for name in _SKELETON:
            (root / name).mkdir(parents=True, exist_ok=True)
        for link, target in _LINKS.items():
            if not (root / link).is_symlink():
                (root / link).symlink_to(target)

    def add_node(self, path: str, node: Node) -> None:
        """Make reads of `path` return the present result of `node`; there is no file."""
        self._nodes[path] = node

    def real_path(self, path: str, *, follow: bool = True) -> str:
        """Return the normalized absolute path with symlinks resolved (the last one only if `follow`). It may not exist."""
        pending = _components(path)
        done: list[str] = []
        links = 0
        while pending:
            part = pending.pop()
            if part == "..":
                done = done[:-1]
                continue
            done.append(part)
            current = "/" + "/".join(done)
            if current.startswith("/proc/") or not (follow or pending):  # live nodes are never symlinks
                continue
            host = self.root.joinpath(*done)
            if host.is_symlink():
                links += 1
                if links > _MAX_SYMLINKS:
                    raise _fail(errno.ELOOP, path)
                target = str(host.readlink())
                done = [] if target.startswith("/") else done[:-1]
                pending += _components(target)
        return "/" + "/".join(done)

    def stat(self, path: str, who: Identity = SHELL, *, follow: bool = True) -> Stat:
        """Like stat(2); with `follow=False`, like lstat(2)."""
        real = self.real_path(path, follow=follow)
        self._check_search(real, who, path)
        if real in (_NULL, "/proc/self"):
            return Stat(st.S_IFLNK | 0o777 if real == "/proc/self" else st.S_IFCHR | 0o666, 0, self._boot)
        node = self._live(real)
        if node is not None:
            mode = st.S_IFDIR | 0o555 if isinstance(node, list) else st.S_IFREG | 0o444
            return Stat(mode, 0, self._boot)
        try:
            host = self._host(real)
            info = host.lstat()
        except OSError as error:
            if error.errno == errno.ENOENT and self._node_children(real):
                return Stat(st.S_IFDIR | 0o555, 0, self._boot)
            raise _fail(error.errno or errno.EIO, path) from None
        owner = self._owner(real)
        result = Stat(info.st_mode, info.st_size, int(info.st_mtime), owner, owner, info.st_nlink, info.st_ino, info.st_dev)
        return replace(result, target=str(host.readlink())) if result.is_link else result

    def listdir(self, path: str, who: Identity = SHELL) -> list[str]:
        """Return the sorted names in a folder, including live nodes."""
        real = self.real_path(path)
        self._check_search(real, who, path)
        if who.package is None and (real in ("/data/data", "/data") or is_under(real, "/data/user")):
            raise _fail(errno.EACCES, path)
        live = self._live(real)
        if live is not None and not isinstance(live, list):
            raise _fail(errno.ENOTDIR, path)
        names = set(live or ()) | self._node_children(real)
        if live is not None and real != "/proc":
            return sorted(names)
        try:
            names |= {entry.name for entry in self._host(real).iterdir()}
        except OSError as error:
            if not names:
                raise _fail(error.errno or errno.EIO, path) from None
        return sorted(names)

    def open_read(self, path: str, who: Identity = SHELL) -> BinaryIO:
        """Open for reading: a file, the present text of a live node, or a device."""
        real = self.real_path(path)
        self._check_search(real, who, path)
        if denied(real, "shell" if who.package is None else "app", self._sdk):
            raise _fail(errno.EACCES, path)
        live = self._live(real)
        if isinstance(live, list):
            raise _fail(errno.EISDIR, path)
        if live is not None:
            return io.BytesIO(live())
        return self._open(real, path, os.O_RDONLY)

    def open_write(self, path: str, who: Identity = SHELL, *, append: bool = False, mode: int = 0o666) -> BinaryIO:
        """Open for writing. A new file gets exactly these permissions."""
        real = self.real_path(path)
        if real == _NULL:
            return cast(BinaryIO, _Null())
        if self._host(real).is_dir():
            raise _fail(errno.EISDIR, path)
        self._check_write(real, who, path)
        return self._open(real, path, os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC), mode)

    def mkdir(self, path: str, who: Identity = SHELL, mode: int = 0o775) -> None:
        """Make a folder with exactly these permissions."""

        def make(host: Path) -> None:
            host.mkdir()
            host.chmod(mode)

        self._change(path, who, make)

    def remove(self, path: str, who: Identity = SHELL) -> None:
        """Remove a file or symlink."""
        self._change(path, who, lambda host: host.unlink())

    def rmdir(self, path: str, who: Identity = SHELL) -> None:
        """Remove an empty folder."""
        self._change(path, who, lambda host: host.rmdir())

    def chmod(self, path: str, mode: int, who: Identity = SHELL) -> None:
        """Change permission bits."""
        self._change(path, who, lambda host: host.chmod(mode & 0o7777), follow=True)

    def utime(self, path: str, mtime: float, who: Identity = SHELL) -> None:
        """Set the time of last access and change, in seconds since 1970."""
        self._change(path, who, lambda host: os.utime(host, (mtime, mtime)), follow=True)

    def symlink(self, target: str, path: str, who: Identity = SHELL) -> None:
        """Make `path` a symlink to `target` (a phone path)."""
        self._change(path, who, lambda host: host.symlink_to(target))

    def rename(self, old: str, new: str, who: Identity = SHELL) -> None:
        """Rename a file; replaces an existing file."""
        source = self.real_path(old, follow=False)
        self._check_write(source, who, old)
        self._change(new, who, lambda host: self._host(source).replace(host))

    def _change(self, path: str, who: Identity, action: Callable[[Path], object], *, follow: bool = False) -> None:
        real = self.real_path(path, follow=follow)
        self._check_write(real, who, path)
        try:
            action(self._host(real))
        except OSError as error:
            raise _fail(error.errno or errno.EIO, path) from None

    def _open(self, real: str, path: str, flags: int, mode: int = 0o666) -> BinaryIO:
        host = self._host(real)
        # O_NONBLOCK: opening a pipe that an app has left must not block the phone.
        flags |= os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            is_new = bool(flags & os.O_CREAT) and not os.path.lexists(host)
            handle = os.open(host, flags, mode)
            if is_new:
                os.fchmod(handle, mode)
        except OSError as error:
            raise _fail(error.errno or errno.EIO, path) from None
        if not st.S_ISREG(os.fstat(handle).st_mode):
            is_dir = st.S_ISDIR(os.fstat(handle).st_mode)
            os.close(handle)
            raise _fail(errno.EISDIR if is_dir else errno.EACCES, path)
        return os.fdopen(handle, "rb" if flags & os.O_ACCMODE == os.O_RDONLY else "wb")

    def _live(self, real: str) -> Node | list[str] | None:
        if real in self._nodes:
            return self._nodes[real]
        return self.process_node(real) if is_under(real, "/proc") else None

    def _node_children(self, real: str) -> set[str]:
        prefix = real.rstrip("/") + "/"
        return {path[len(prefix) :].split("/")[0] for path in self._nodes if path.startswith(prefix)}

    def _host(self, real: str) -> Path:
        if is_under(real, "/proc/self"):  # that symlink is for the app's JVM: here it would refer to the phone's process
            raise _fail(errno.ENOENT, real)
        return self.root.joinpath(*reversed(_components(real)))

    @staticmethod
    def _app_of(real: str) -> tuple[str, int] | None:
        """Return the package and the user to whom a path in the storage of apps belongs."""
        parts = real.split("/")
        if parts[1:3] == ["data", "data"] and len(parts) > 3:
            return parts[3], FIRST_USER
        if parts[1:3] == ["data", "user"] and len(parts) > 4 and parts[3].isdecimal():
            return parts[4], int(parts[3])
        return None

    def _owner(self, real: str) -> int:
        app = self._app_of(real)
        if app is not None:
            package, user = app
            return user * UIDS_PER_USER + self.app_uids[package] if package in self.app_uids else 0
        return SHELL_UID if any(is_under(real, folder) for folder in _WRITABLE) else 0

    def _check_search(self, real: str, who: Identity, path: str) -> None:
        app = self._app_of(real)
        if app is not None and app != (who.package, who.user):
            raise _fail(errno.EACCES, path)

    def _check_write(self, real: str, who: Identity, path: str) -> None:
        app = self._app_of(real)
        if app is not None:
            if app != (who.package, who.user):
                raise _fail(errno.EACCES, path)
            return
        writable = _WRITABLE if who.package is None else ("/sdcard",)
        if any(is_under(real, folder) and real != folder for folder in writable):
            return
        read_only = is_under(real, "/system") or is_under(real, "/vendor") or real.count("/") == 1
        raise _fail(errno.EROFS if read_only else errno.EACCES, path)
