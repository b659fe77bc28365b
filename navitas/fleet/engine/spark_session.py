"""A Spark session: the active one, or one in a separate process that removes all its files."""

from __future__ import annotations

import logging
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from navitas.base.errors import UsageError
from navitas.fleet.engine.base import OutOfMemory
from navitas.fleet.engine.processes import process_folder, remove_folder
from navitas.fleet.files import FleetError

# Spark reports a lost result if the result does not fit into the block manager's memory.
_TOO_LARGE = ("OutOfMemory", "spark.driver.maxResultSize", "Java heap space", "TaskResultLost")
_FOR_JAVA_8 = 52
"""Class file version of Java 8. Each later Java adds one."""
_LEAST_MIB = 512
"""Smallest heap with which Spark starts."""
_END_S = 15.0
_DYING_S = 1.0
_JAVA = "-XX:TieredStopAtLevel=1"
"""Without it, half the cost of a start is the compilation of code that runs too rarely to pay."""
_HERE = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
"""Local mode listens on the loopback interface only."""
_STATEMENTS = {
    "spark.sql.ansi.enabled": "true",
    # Lists files without a separate job.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
}


def converted(error: BaseException) -> BaseException:
    """The error to raise for an error of Spark. Other errors are returned as they are.

    Call it while Spark's process is alive, because the process has the message.
    """
    if not isinstance(error, PySparkException | RuntimeError | OSError) and not type(error).__module__.startswith("py4j"):
        return error
    try:
        text = str(error)
    except (OSError, RuntimeError):  # The process ended in the meantime.
        text = type(error).__name__
    if any(sign in text for sign in _TOO_LARGE):
        return OutOfMemory(text.partition("\n")[0])
    lines = [line for line in text.splitlines() if line.strip()]
    return FleetError(f"Spark failed: {' '.join(lines[:2])[:500]}", "Read Spark's own messages, or use --engine duckdb.")


def start_error(log: str, error: Exception) -> UsageError:
    """The reason why Spark's process did not start, from its log."""
    remedy = "Install OpenJDK 17 or 21, and set JAVA_HOME to its folder. --engine duckdb needs no Java."
    too_old = re.search(r"only recognizes class file versions up to (\d+)", log)
    if too_old:
        return UsageError(f"Spark needs Java 17 or later, but this is Java {int(too_old[1]) - _FOR_JAVA_8 + 8}", remedy)
    if "JAVA_HOME is not set" in log:
        return UsageError("Spark needs Java 17 or later, but there is no Java", remedy)
    lines = [line for line in log.splitlines() if line.strip() and not line.startswith("WARNING")]
    return UsageError(f"Spark does not start: {' '.join(lines[-2:])[:500] or error}", remedy)


class StatementSession:
    """A session with its own settings for statements, in the active Spark (as in a notebook) or in a new one.

    A new Spark reads its usual settings (spark-defaults.conf, PYSPARK_SUBMIT_ARGS), except for the driver's memory. Without a
    master, it runs on this machine. Its files and its standard error are in a folder of this process within `spill`.
    Raises `UsageError` if it does not start.
    """

    def __init__(self, spill: Path, memory_mib: int, master: str | None) -> None:
        running = SparkSession.getActiveSession()
        self._own = running is None
        self._folder = process_folder(spill.absolute())
        self._process: subprocess.Popen[bytes] | None = None
        self._log = logging.NullHandler()
        # py4j and Spark also log the errors that they raise. Without a handler, Python would print them.
        logging.getLogger().addHandler(self._log)
        logging.getLogger("SQLQueryContextLogger").disabled = True
        try:
            if running is None:
                running = self._start(max(memory_mib, _LEAST_MIB), master)
            self.spark = running.newSession()
            self.cores = self.spark.sparkContext.defaultParallelism
            for name, value in {**_STATEMENTS, "spark.sql.shuffle.partitions": str(self.cores)}.items():
                self.spark.conf.set(name, value)
        except BaseException as error:
            cause = converted(error)
            self.close()
            raise cause from error

    def has_died(self) -> bool:
        """Whether Spark's process has ended, or does within a moment. Its connections close first."""
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_DYING_S)
        return self._process is not None and self._process.returncode is not None

    def close(self) -> None:
        """End the session and its process, unless they existed before (idempotent). Pending calls fail."""
        if self._own:
            _close_context(self._process)
            remove_folder(self._folder)
        self._own = False
        logging.getLogger().removeHandler(self._log)

    def _start(self, memory_mib: int, master: str | None) -> SparkSession:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        self._folder.mkdir(parents=True, exist_ok=True)
        gateway = self._launch(SparkConf(loadDefaults=False).set("spark.driver.memory", f"{memory_mib}m"))
        settings = SparkConf(_jvm=gateway.jvm).setAppName("navitas fleet")
        if master is not None:
            settings.setMaster(master)
        chosen = settings.setIfMissing("spark.master", "local[*]").get("spark.master") or ""
        if chosen.partition("[")[0] == "local":
            for name, value in {**_HERE, "spark.local.dir": str(self._folder)}.items():
                settings.setIfMissing(name, value)
        context: Any = SparkContext(conf=settings, gateway=gateway)
        # The default handler prints a traceback if Spark's process ends first.
        context._accumulatorServer.handle_error = lambda *_: None
        return SparkSession(context)

    def _launch(self, settings: SparkConf) -> Any:
        """Start Spark's process, and return its py4j gateway."""
        log_file = self._folder / "spark.log"
        launch: Any = launch_gateway
        options = f"{_JAVA} -Djava.io.tmpdir={shlex.quote(str(self._folder))} {os.environ.get('SPARK_SUBMIT_OPTS', '')}"
        with log_file.open("wb") as log, _environment(SPARK_SUBMIT_OPTS=options, LC_ALL="C.UTF-8"):
            # A separate session protects the process from Ctrl-C. `close` ends it.
            streams = {"stdout": log, "stderr": log, "start_new_session": True}
            try:
                gateway = launch(settings, streams)
            except Exception as error:
                raise start_error(log_file.read_text("utf-8", "replace"), error) from error
        self._process = gateway.proc
        return gateway


def _close_context(process: subprocess.Popen[bytes] | None) -> None:
    """End Spark's context. End its process first if it is ours: `stop` would wait for an interrupted statement."""
    context: Any = SparkContext._active_spark_context
    session = SparkSession._instantiatedSession
    if process is not None:
        if context is not None and context._accumulatorServer is not None:
            context._accumulatorServer.shutdown()
            context._accumulatorServer = None
        _end(process)
    if session is not None:
        with warnings.catch_warnings(action="ignore"), suppress(Exception):
            session.stop()
    SparkContext._active_spark_context = SparkSession._instantiatedSession = SparkSession._activeSession = None
    if process is not None:
        SparkContext._gateway = SparkContext._jvm = None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the input of the process, which ends it; kill it if it does not end."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
