"""A fleet in an S3-compatible store or on HDFS has a local one's results, on this machine and on Spark's separate workers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import fsspec
import pytest
from support.command_line import NAVITAS
from support.fleet_compare import findings, same_findings
from support.fleet_samples import json_lines, row
from support.hdfs_server import hdfs_server
from support.object_server import copy_to, object_server

from navitas.base.errors import ExitCode
from navitas.cli import spark_application
from navitas.cli.main import run
from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.findings.results import Row
from navitas.fleet.remote_path import RemoteError, RemotePath
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.stages import bring_up_to_date
from navitas.fleet.store import Store

HDFS = pytest.param("webhdfs", marks=[pytest.mark.extended, pytest.mark.jvm])


@pytest.fixture(scope="module", params=["s3", HDFS])
def bucket(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemotePath]:
    if request.param == "webhdfs":
        request.getfixturevalue("jvm")
    with object_server() if request.param == "s3" else hdfs_server(tmp_path_factory.mktemp("hdfs")) as found:
        yield found


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Sequence[Row]]]:
    """A fleet without results, and its findings."""
    folder = tmp_path_factory.mktemp("fleets")
    store = Store.create(folder / "copied", buckets=4, salt="s")
    simulate(store, FleetModel(clients=100, samples=12_000, apps=100, hog_share=0.1, bug_share=0.01), seed=3)
    computed = Store.open(shutil.copytree(store.path, folder / "computed"))
    with closing(DuckDbEngine(folder / "spill")) as engine:
        return store.path, findings(bring_up_to_date(computed, engine))


def test_the_place_has_what_a_fleet_needs(bucket: RemotePath) -> None:
    """As navitas/fleet/remote_path.py says."""
    file = bucket / "place" / "month=2026-01" / "a b.parquet"
    with pytest.raises(FileNotFoundError):
        file.read_bytes()
    contents = [bytes([number]) * 200_000 for number in range(8)]
    with ThreadPoolExecutor(len(contents)) as writing:
        created = [*writing.map(file.create, contents)]
    assert created.count(True) == 1 and file.read_bytes() == contents[created.index(True)]
    seen: list[bytes] = []
    with ThreadPoolExecutor(2) as replacing:
        replaced = replacing.submit(lambda: [*map(file.write_bytes, contents)])
        while not replaced.done():
            seen.append(file.read_bytes())
    assert set(seen) <= set(contents) and file.read_bytes() == contents[-1]
    assert [(found, found.stat().st_size) for found in bucket.rglob("*")] == [(file, 200_000)]
    with file.reading() as stream:
        stream.seek(199_990)
        assert stream.read() == contents[-1][:10]
    file.unlink()
    file.unlink()
    assert not file.exists() and [*bucket.rglob("*")] == []


@pytest.mark.parametrize("bucket", [HDFS], indirect=True)
def test_what_hdfs_refuses_is_an_error_that_names_it(bucket: RemotePath, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also below a folder that may be listed: fsspec leaves that out."""
    top = bucket / "refused"
    (top / "own" / "file").write_bytes(b"")
    bucket.system.chmod(str(top / "own"), 700)
    monkeypatch.setitem(fsspec.config.conf, "webhdfs", {"user": "other"})
    with pytest.raises(RemoteError, match=f"{top}: cannot be listed: Permission denied: user=other"):
        list(top.rglob("*"))
    with pytest.raises(RemoteError, match=f"{top}/file: cannot be written: .*Permission denied: user=other"):
        (top / "file").create(b"")


def test_one_machine_finds_the_same(bucket: RemotePath, local: tuple[Path, dict[str, Sequence[Row]]], tmp_path: Path) -> None:
    store = Store.open(copy_to(bucket / "one", local[0]))
    with closing(DuckDbEngine(tmp_path / "spill")) as engine:
        compared = same_findings(local[1], findings(bring_up_to_date(store, engine)))
    assert [of for of in compared if not of.is_equal or of.apart > 1e-9] == []
    assert {of.name for of in compared if of.rows} >= {"hogs", "J-scores", "the paper's hogs"}


def test_the_page_of_a_fleet_has_its_name(
    bucket: RemotePath, local: tuple[Path, dict[str, Sequence[Row]]], tmp_path: Path
) -> None:
    copy_to(bucket / "shown", local[0])
    assert run(["fleet", "report", str(bucket / "shown"), "-o", str(tmp_path / "page.html")]) == ExitCode.OK
    assert "Fleet shown (simulated)" in (tmp_path / "page.html").read_text()


def executors(parent: int) -> list[int]:
    """The processes of Spark's workers."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
            own = (folder / "stat").read_text().rpartition(")")[2].split()[1] == str(parent)
        except OSError:
            continue
        if own and b"CoarseGrainedExecutorBackend" in command:
            found.append(int(folder.name))
    return found


@pytest.mark.extended
def test_sparks_workers_find_the_same_though_one_dies(
    bucket: RemotePath, local: tuple[Path, dict[str, Sequence[Row]]], tmp_path: Path, jvm: str
) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed: pip install pyspark")
    from navitas.fleet.engine.spark import SparkEngine  # noqa: PLC0415

    store = Store.open(copy_to(bucket / "spark", local[0]))
    killed: list[int] = []
    with closing(SparkEngine(tmp_path / "spill", memory_mib=1024, master="local-cluster[2,1,1024]")) as engine:
        driver = engine._session._process
        assert driver is not None

        def kill_one(done: int, total: int) -> None:
            if not killed:
                killed.extend(executors(driver.pid)[:1])
                os.kill(killed[0], signal.SIGKILL)

        compared = same_findings(local[1], findings(bring_up_to_date(store, engine, kill_one)))
    assert len(killed) == 1
    assert [of for of in compared if not of.is_equal or of.apart > 1e-9] == []


def test_commands_store_and_erase(bucket: RemotePath, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"{bucket}/new"
    files = [
        str(json_lines(tmp_path / f"{name}.jsonl", [row(name, 1_700_000_000 + 600 * i, 90 - i) for i in range(40)]))
        for name in ("one", "two")
    ]
    assert run(["fleet", "ingest", url, files[0]]) == run(["fleet", "ingest", url, *files]) == ExitCode.OK
    assert run(["fleet", "rates", url]) == ExitCode.OK
    assert "Rates of 2 clients with 80 samples" in capsys.readouterr().out
    assert run(["fleet", "erase", url, "--client", "one"]) == run(["fleet", "rates", url]) == ExitCode.OK
    assert "Rates of 1 client with 40 samples" in capsys.readouterr().out
    nowhere = f"{bucket.parts[0]}//no-such-bucket.invalid/fleet"
    assert run(["fleet", "ingest", nowhere, files[0]]) == ExitCode.TROUBLE
    assert f"{nowhere}/commits: cannot be listed: " in capsys.readouterr().err


@pytest.mark.extended
def test_spark_submit_runs_the_application(
    bucket: RemotePath, local: tuple[Path, dict[str, Sequence[Row]]], tmp_path: Path, jvm: str
) -> None:
    """Its copy alone, as a cluster gets it."""
    pytest.importorskip("pyspark", reason="Spark is not installed: pip install pyspark")
    from pyspark.find_spark_home import _find_spark_home  # noqa: PLC0415

    store = copy_to(bucket / "submitted", local[0])
    application = shutil.copy(spark_application.__file__, tmp_path / "application.py")
    shown = ["fleet", "jscore", str(store), "--json", "-"]
    submitted = [f"{_find_spark_home()}/bin/spark-submit", "--master", "local-cluster[2,1,1024]", application, *shown]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    spark = subprocess.run([*submitted, "--engine", "spark"], capture_output=True, text=True, check=False, env=environment)
    assert spark.returncode == 0, spark.stderr
    one, other = (json.loads(text)["jscores"] for text in (spark.stdout, subprocess.check_output([NAVITAS, *shown], text=True)))
    assert [(of["client"], of["samples"]) for of in one] == [(of["client"], of["samples"]) for of in other] != []
    assert [of["drain_percent_h"] for of in one] == pytest.approx([of["drain_percent_h"] for of in other], rel=1e-9)
