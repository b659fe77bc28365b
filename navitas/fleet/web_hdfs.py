"""HDFS over HTTP, with what a fleet needs of a store and fsspec's class lacks: files that appear whole, and checked answers."""

from __future__ import annotations

import secrets
from contextlib import suppress
from functools import partial
from typing import Any

from fsspec.implementations.webhdfs import WebHDFile, WebHDFS

_TIMEOUT_S = 60
_TRIES = 3


class WholeFilesHdfs(WebHDFS):  # type: ignore[misc]
    """A file is written under another name, then renamed: HDFS itself shows files while they grow."""

    def _connect(self) -> None:
        super()._connect()
        self.session.request = partial(self.session.request, timeout=_TIMEOUT_S)

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        """Write a file, or replace it. With the mode `create`, raises `FileExistsError` if there is one."""
        target = self._strip_protocol(path)
        new = f"{target}.{secrets.token_hex(8)}.new"
        try:
            self._data("CREATE", "put", new, data=value, overwrite="true")
            if mode != "create":
                self._call("RENAME", "put", new, destination=target, renameoptions="OVERWRITE")
            elif not self._call("RENAME", "put", new, destination=target).json()["boolean"]:
                if self.exists(target):
                    raise FileExistsError(target)
                raise RuntimeError("the name node refused to rename the new file")
        except BaseException:
            with suppress(Exception):  # The cause matters, not that what refuses to write may refuse to remove.
                self.rm_file(new)
            raise

    def ls(self, path: str, detail: bool = False, **options: Any) -> Any:
        """As fsspec. Its `find` leaves out folders that cannot be listed, unless the error is no `OSError`."""
        try:
            return super().ls(path, detail, **options)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise RuntimeError(str(error)) from error

    def _data(self, operation: str, method: str, path: str, *, data: bytes | None = None, **options: Any) -> bytes:
        """What a data node answers, whose address is the name node's answer. A gateway may answer a read itself.

        If a data node fails or hangs, this begins again at the name node, which may name another data node.
        """
        for tries_left in reversed(range(_TRIES)):
            answer = self._call(operation, method, path, redirect=False, **options)
            if data is None and "Location" not in answer.headers:
                break
            url = self._apply_proxy(answer.headers["Location"])
            try:
                answer = self.session.request(method, url, data=data, headers={"Content-Type": "application/octet-stream"})
            except OSError:
                if not tries_left:
                    raise
                continue
            if not answer.ok:
                raise RuntimeError(f"a data node answers {answer.status_code}: {answer.text}")
            break
        return bytes(answer.content)

    def _open(self, path: str, mode: str = "rb", cache_type: str = "readahead", **_: Any) -> WebHDFile:
        return _File(self, path, mode=mode, tempdir=self.tempdir, autocommit=True, cache_type=cache_type)


class _File(WebHDFile):  # type: ignore[misc]
    """A file whose ranges are complete. fsspec does not check what a data node answers."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        length = min(end, self.size) - start
        data: bytes = self.fs._data("OPEN", "get", self.path, offset=start, length=length) if length > 0 else b""
        if len(data) != max(length, 0):
            raise RuntimeError(f"{len(data):,} of {length:,} bytes were sent")
        return data
