"""Sessions of a made-up test."""

from __future__ import annotations

from collections.abc import Sequence

from navitas.insight.compare.session import Origin, Session, TestRun

TEST = "a.SortTest#sorts"


def made_session(
    runs_j: Sequence[float],
    second: int = 0,
    *,
    revision: str = "",
    dirty: bool | None = False,
    tests: Sequence[str] = (TEST,),
    device: str = "phone",
    project: str = "made",
    rest_j: float = 1.0,
    base_j: float = 40.0,
) -> Session:
    """A session of tests in which a method uses the energy of `runs_j`, and others `rest_j`, on a phone with base energy."""
    runs = {
        repeat: TestRun(
            {"app": {"cpu": one + rest_j}, "base": {"cpu": base_j}, "total": {"cpu": one + rest_j + base_j}},
            {"main": one},
            {"a.Sorter.sort()V": one, "a.Idle.wait()V": rest_j},
        )
        for repeat, one in enumerate(runs_j)
    }
    return Session(
        name=f"session {second}",
        created_utc=f"2026-01-01T00:{second // 60:02}:{second % 60:02}+00:00",
        device=device,
        power_profile="0",
        conditions={"system": "14"},
        repeats=tuple(runs),
        tests={name: dict(runs) for name in tests},
        not_passed=frozenset({"a.SortTest#fails"}),
        origin=Origin(project, revision, dirty if revision else None, "digest", "0.1"),
    )
