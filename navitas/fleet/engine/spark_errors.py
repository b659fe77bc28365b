"""Converts errors of Spark to errors of Navitas."""

from __future__ import annotations

import re

from pyspark.errors import PySparkException

from navitas.errors import UsageError
from navitas.fleet.engine.base import OutOfMemory
from navitas.fleet.files import FleetError

# Spark reports a lost result if the result does not fit into the block manager's memory.
_TOO_LARGE = ("OutOfMemory", "spark.driver.maxResultSize", "Java heap space", "TaskResultLost")
_FOR_JAVA_8 = 52
"""Class file version of Java 8. Each later Java adds one."""


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
