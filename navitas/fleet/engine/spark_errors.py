"""Spark's errors as ours."""

from __future__ import annotations

import re

from pyspark.errors import PySparkException

from navitas.errors import UsageError
from navitas.fleet.engine.base import OutOfMemory
from navitas.fleet.files import FleetError

# A result that finds no room in the block manager's memory is lost.
_TOO_LARGE = ("OutOfMemory", "spark.driver.maxResultSize", "Java heap space", "TaskResultLost")
_FOR_JAVA_8 = 52
"""The version of class files that Java 8 reads; later Javas each read one more."""


def named(error: BaseException) -> BaseException:
    """What a user is told of an error of Spark; others as they are. To be asked while Spark is there, which knows the message."""
    if not isinstance(error, PySparkException | RuntimeError | OSError) and not type(error).__module__.startswith("py4j"):
        return error
    try:
        text = str(error)
    except (OSError, RuntimeError):  # it has gone meanwhile
        text = type(error).__name__
    if any(sign in text for sign in _TOO_LARGE):
        return OutOfMemory(text.partition("\n")[0])
    lines = [line for line in text.splitlines() if line.strip()]
    return FleetError(
        f"Spark failed: {' '.join(lines[:2])[:500]}", "Look at Spark's own messages; --engine duckdb needs no Spark."
    )


def no_start(said: str, error: Exception) -> UsageError:
    """Why Spark's process has not started, from what it has said."""
    remedy = "Install OpenJDK 17 or 21, and let JAVA_HOME name its folder; --engine duckdb needs no Java."
    too_old = re.search(r"only recognizes class file versions up to (\d+)", said)
    if too_old:
        return UsageError(f"Spark needs Java 17 or later; here is Java {int(too_old[1]) - _FOR_JAVA_8 + 8}", remedy)
    if "JAVA_HOME is not set" in said:
        return UsageError("Spark needs Java 17 or later; here is none", remedy)
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith("WARNING")]
    return UsageError(f"Spark does not start: {' '.join(lines[-2:])[:500] or error}", remedy)
