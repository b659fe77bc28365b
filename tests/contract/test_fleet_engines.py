"""All engines compute the same rows from the same samples: equal integers, sums equal up to rounding."""

from __future__ import annotations

import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.command_line import NAVITAS
from support.fleet_compare import findings, same_findings, same_stages
from support.interruptible import interruptible

from navitas.fleet.diagnoses.app_drains import drains_of
from navitas.fleet.engine.base import OutOfMemory
from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.files import FleetError
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.stages import Fleet, bring_up_to_date
from navitas.fleet.store import Store, Unit
from navitas.fleet.units import UnitJob, UsageTask

pytest.importorskip("pyspark", reason="Spark is not installed: pip install pyspark")

from navitas.fleet.engine.spark import SparkEngine
from navitas.fleet.engine.spark_session import converted


@pytest.fixture(scope="module")
def engine(jvm: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkEngine]:
    made = SparkEngine(tmp_path_factory.mktemp("größe [2] {b}"), memory_mib=1024, master="local[2]")
    yield made
    made.close()


@pytest.fixture(scope="module")
def fleets(engine: SparkEngine, tmp_path_factory: pytest.TempPathFactory) -> tuple[Fleet, Fleet]:
    folder = tmp_path_factory.mktemp("größe [1] {a}")
    store = Store.create(folder / "duckdb", buckets=2, salt="s")
    simulate(store, FleetModel(clients=200, samples=50_000, apps=100, hog_share=0.1, bug_share=0.01), seed=3)
    other = Store.open(shutil.copytree(store.path, folder / "spark"))
    return bring_up_to_date(store, DuckDbEngine(store.work / "spill")), bring_up_to_date(other, engine)


def spilled(store: Store) -> list[str]:
    """Spark files left by commands, except those of this process."""
    return [folder.name for folder in (store.work / "spill").glob("*") if not folder.name.endswith(f"-{os.getpid()}")]


def test_all_engines_give_equal_stages_and_findings(fleets: tuple[Fleet, Fleet]) -> None:
    one, other = fleets
    found = findings(one)
    compared = same_findings(found, findings(other)) + same_stages(one.store.work, other.store.work)
    assert [of.name for of in compared if not of.is_equal or of.apart > 1e-9] == []
    assert {
        of.name: of.apart for of in compared if of.name in ("usage", "clients", "contrast", "strata", "paper")
    } == dict.fromkeys(("usage", "clients", "contrast", "strata", "paper"), 0.0)
    assert all(found[name] for name in ("hogs", "bugs", "J-scores", "actions", "the paper's hogs", "the paper's bugs")), {
        name: len(rows) for name, rows in found.items()
    }


def test_all_engines_give_equal_drains_of_an_app(fleets: tuple[Fleet, Fleet]) -> None:
    drains = []
    for fleet in fleets:
        hogs = find_hogs(fleet)
        drains.append({"drains": drains_of(fleet, hogs, find_bugs(fleet, hogs), int(hogs.app[hogs.is_hog][0]))})
    (compared,) = same_findings(drains[0], drains[1])
    assert compared.is_equal and compared.apart <= 1e-9
    assert {"version", "week", "model"} <= {row.by for row in drains[0]["drains"]}


def test_an_oversized_result_counts_as_lack_of_memory() -> None:
    lost = RuntimeError("Job aborted …\nCaused by: … TaskResultLost (result lost from block manager)")
    assert isinstance(converted(lost), OutOfMemory)
    assert isinstance(converted(RuntimeError("anything else")), FleetError)


def test_an_error_on_a_worker_is_reported(engine: SparkEngine, tmp_path: Path) -> None:
    gone = UnitJob(Unit(0, "2026-01"), (tmp_path / "gone.parquet",), (), tmp_path, "x", 1)
    for running in (engine, DuckDbEngine(tmp_path / "spill", threads=1)):
        with pytest.raises(FleetError, match=r"gone\.parquet: cannot be read") as printed:
            running.run([UsageTask((gone,), np.zeros(1, np.int32))], lambda _: None)
        assert printed.value.remedy.startswith("Restore the file")
        with pytest.raises(FleetError, match="fail"):
            running.query("SELECT nothing FROM nowhere", {})


def test_after_sparks_process_dies_a_new_one_gets_smaller_statements(tmp_path: Path) -> None:
    """Runs in a separate process, because the module's engine uses Spark in this one."""
    store = Store.create(tmp_path / "store", buckets=2, salt="s")
    simulate(store, FleetModel(clients=20, samples=2000, apps=100), seed=1)
    program = f"""
import os
from pathlib import Path
from navitas.fleet.engine.spark import SparkEngine
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.stages import bring_up_to_date
from navitas.fleet.store import Store
store = Store.open(Path({str(store.path)!r}))
engine = SparkEngine(store.work / "spill", memory_mib=1024, master="local[2]")
fleet = bring_up_to_date(store, engine)
os.kill(engine._session._process.pid, 9)
print(len(find_hogs(fleet).app), dict(fleet.narrowed))
engine.close()
"""
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    assert ended.stdout == f"{len(set(store.packages()['app'].to_pylist()))} {{'2 buckets': 1}}\n"
    assert spilled(store) == []


def test_the_command_is_silent_about_spark_and_leaves_no_files(fleets: tuple[Fleet, Fleet]) -> None:
    store, command = fleets[0].store, [NAVITAS, "fleet", "jscore", str(fleets[0].store.path), "--top", "3"]
    expected = subprocess.run(command, capture_output=True, text=True, check=True)
    spark = subprocess.run([*command, "--engine", "spark"], capture_output=True, text=True, check=False)
    assert (spark.returncode, spark.stderr, spark.stdout) == (0, "", expected.stdout)
    assert spilled(store) == []


def test_ctrl_c_ends_spark(fleets: tuple[Fleet, Fleet]) -> None:
    store = fleets[0].store
    command = [NAVITAS, "fleet", "jscore", str(store.path), "--engine", "spark"]
    with interruptible():
        started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with started as running:
        log = store.work / "spill" / f"{platform.node()}-{running.pid}" / "spark.log"
        while not (log.exists() and log.stat().st_size) and running.poll() is None:
            time.sleep(0.05)
        os.kill(running.pid, signal.SIGINT)
        _, printed = running.communicate()
    assert (running.returncode, printed.strip()) == (130, "interrupted")
    assert spilled(store) == []


@pytest.mark.parametrize(
    ("java", "printed"),
    [
        ("echo 'X has been compiled; this Java only recognizes class file versions up to 55.0' >&2; exit 1", "this is Java 11"),
        ("echo 'JAVA_HOME is not set' >&2; exit 1", "there is no Java"),
        ("echo 'Unrecognized VM option' >&2; exit 1", "Unrecognized VM option"),
    ],
)
def test_missing_or_old_java_is_reported(java: str, printed: str, fleets: tuple[Fleet, Fleet], tmp_path: Path) -> None:
    fake = tmp_path / "bin" / "java"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\n{java}\n")
    fake.chmod(0o755)
    command = [NAVITAS, "fleet", "jscore", str(fleets[0].store.path), "--engine", "spark"]
    environment = os.environ | {"JAVA_HOME": str(tmp_path)}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert ended.returncode == 2
    assert printed in ended.stderr and "OpenJDK 17" in ended.stderr and "Traceback" not in ended.stderr
    assert spilled(fleets[0].store) == []
