"""A local server that speaks S3, and its bucket for fleets."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from navitas.fleet.remote_path import RemotePath


@contextmanager
def object_server() -> Iterator[RemotePath]:
    """Start the server, and set the variables by which all processes find it. Yields its bucket."""
    server_module = pytest.importorskip("moto.server", reason="moto is not installed: pip install 'moto[server]'")
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed: pip install s3fs")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("AWS_ENDPOINT_URL", f"http://{host}:{port}"),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_DEFAULT_REGION", "us-east-1"),
        ):
            patch.setenv(name, value)
        s3fs.S3FileSystem.clear_instance_cache()
        s3fs.S3FileSystem().mkdir("fleets")
        try:
            yield RemotePath.parse("s3://fleets")
        finally:
            server.stop()
            s3fs.S3FileSystem.clear_instance_cache()


def copy_to(root: RemotePath, folder: Path) -> RemotePath:
    """Copy a local fleet to an object store, as its users do."""
    for file in folder.rglob("*"):
        if file.is_file():
            (root / file.relative_to(folder)).write_bytes(file.read_bytes())
    return root
