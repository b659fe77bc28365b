"""A local HDFS of one name node and one data node, and its folder for fleets."""

from __future__ import annotations

import getpass
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fsspec
import pytest

from navitas.fleet.remote_path import RemotePath
from support.maven import NotFetchedError, fetch

_VERSION = "3.4.1"
_JARS = (
    f"org.apache.hadoop:hadoop-client-minicluster:{_VERSION}",
    f"org.apache.hadoop:hadoop-client-api:{_VERSION}",
    "javax.xml.bind:jaxb-api:2.3.1",
    "org.mockito:mockito-core:2.28.2",
    "junit:junit:4.13.2",
    "org.slf4j:slf4j-nop:1.7.36",
)
_PROGRAM = """\
import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

class HdfsServer {
    public static void main(String[] arguments) throws Exception {
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(new Configuration(), new File(arguments[0])).build();
        cluster.waitActive();
        System.out.println(cluster.getNameNode().getHttpAddress().getPort());
        System.in.read();
        System.exit(0);
    }
}
"""


@contextmanager
def hdfs_server(folder: Path) -> Iterator[RemotePath]:
    """Start the server, which ends with its standard input, and set its user for all processes. Yields a folder of it."""
    try:
        jars = fetch(_JARS, folder / "jars", transitive=True)
    except NotFetchedError as error:
        pytest.skip(f"Hadoop: {error}")
    (program := folder / "HdfsServer.java").write_text(_PROGRAM)
    java = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", f"{jars}/*", str(program), str(folder / "data")]
    with (
        (folder / "errors").open("w") as errors,
        subprocess.Popen(java, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        assert port, (folder / "errors").read_text()
        patch.setenv("FSSPEC_WEBHDFS_USER", getpass.getuser())
        patch.setitem(fsspec.config.conf, "webhdfs", {"user": getpass.getuser()})  # fsspec has read the variable.
        yield RemotePath.parse(f"webhdfs://127.0.0.1:{port}/fleets")
