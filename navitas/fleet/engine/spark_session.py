"""A Spark session: the one that is there, or one in a process of our own that leaves nothing behind."""

from __future__ import annotations

import logging
import os
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from navitas.fleet.engine.spark_errors import named, no_start
from navitas.fleet.engine.spill import forget, own_folder

_LEAST_MIB = 512
"""Spark does not start with less."""
_END_S = 15.0
_DYING_S = 1.0
_JAVA = "-XX:TieredStopAtLevel=1"
"""Half of what a start and the first statements cost is else spent on compiling what does not run often enough to pay."""
_HERE = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
"""On this machine alone: nobody connects to it."""
_STATEMENTS = {
    "spark.sql.ansi.enabled": "true",
    # Files are listed and their columns known without a job of their own.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
}


class StatementSession:
    """A session with settings of its own for statements: in the Spark that runs already, as in a notebook, or in a new one.

    A new one takes Spark's own settings (spark-defaults.conf, PYSPARK_SUBMIT_ARGS), the driver's memory apart; without a master
    it runs on this machine. Its files, and what it says on standard error, are in a folder of this process within `spill`.
    UsageError when it does not start.
    """

    def __init__(self, spill: Path, memory_mib: int, master: str | None) -> None:
        running = SparkSession.getActiveSession()
        self._own = running is None
        self._folder = own_folder(spill.absolute())
        self._process: subprocess.Popen[bytes] | None = None
        self._log = logging.NullHandler()
        # py4j and Spark tell loggers of errors that they raise as well, and these would print them.
        logging.getLogger().addHandler(self._log)
        logging.getLogger("SQLQueryContextLogger").disabled = True
        try:
            if running is None:
                running = self._started(max(memory_mib, _LEAST_MIB), master)
            self.spark = running.newSession()
            self.cores = self.spark.sparkContext.defaultParallelism
            for name, value in {**_STATEMENTS, "spark.sql.shuffle.partitions": str(self.cores)}.items():
                self.spark.conf.set(name, value)
        except BaseException as error:
            told = named(error)
            self.close()
            raise told from error

    def has_died(self) -> bool:
        """Whether our process has ended, or does so in a moment: its connections go first."""
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_DYING_S)
        return self._process is not None and self._process.returncode is not None

    def close(self) -> None:
        """End the session and its process, if they are ours (idempotent); what another thread waits for ends with an error."""
        if self._own:
            _forget_context(self._process)
            forget(self._folder)
        self._own = False
        logging.getLogger().removeHandler(self._log)

    def _started(self, memory_mib: int, master: str | None) -> SparkSession:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        self._folder.mkdir(parents=True, exist_ok=True)
        gateway = self._launched(SparkConf(loadDefaults=False).set("spark.driver.memory", f"{memory_mib}m"))
        settings = SparkConf(_jvm=gateway.jvm).setAppName("navitas fleet")
        if master is not None:
            settings.setMaster(master)
        chosen = settings.setIfMissing("spark.master", "local[*]").get("spark.master") or ""
        if chosen.partition("[")[0] == "local":
            for name, value in {**_HERE, "spark.local.dir": str(self._folder)}.items():
                settings.setIfMissing(name, value)
        context: Any = SparkContext(conf=settings, gateway=gateway)
        # It prints a traceback when Spark's process ends before it.
        context._accumulatorServer.handle_error = lambda *_: None
        return SparkSession(context)

    def _launched(self, settings: SparkConf) -> Any:
        """The process, as py4j reaches it."""
        said = self._folder / "spark.log"
        launch: Any = launch_gateway
        options = f"{_JAVA} -Djava.io.tmpdir={shlex.quote(str(self._folder))} {os.environ.get('SPARK_SUBMIT_OPTS', '')}"
        with said.open("wb") as log, _environment(SPARK_SUBMIT_OPTS=options, LC_ALL="C.UTF-8"):
            # In a process group of its own: Ctrl-C ends it through us.
            streams = {"stdout": log, "stderr": log, "start_new_session": True}
            try:
                gateway = launch(settings, streams)
            except Exception as error:
                raise no_start(said.read_text("utf-8", "replace"), error) from error
        self._process = gateway.proc
        return gateway


def _forget_context(process: subprocess.Popen[bytes] | None) -> None:
    """End Spark's context, by ending its process where it is ours: a statement that was interrupted would be waited for."""
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
    """It ends in good order when its input does."""
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
