"""The threads in a kernel trace."""

from __future__ import annotations

from navitas.recording.parse.trace.trace_tables import Tasks


def task_name(tasks: Tasks, row: int) -> str:
    """Return the name of a row's thread, or an empty string if it is unknown."""
    number = int(tasks.name[row])
    return bytes(tasks.names[number]).decode("utf-8", "replace") if number >= 0 else ""


def threads_of(tasks: Tasks, tgid: int) -> list[int]:
    """Return the ids of one process's threads, one per row."""
    tids: list[int] = tasks.tid[tasks.tgid == tgid].tolist()
    return tids
