"""A small profile of a messenger's tests, to test what verdicts and explanations say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from navitas.energy.analyze.profile import About, Profile
from navitas.energy.attribute.ledger import CallSteps, Evidence
from navitas.recording.parse.tables import Method, MethodTable
from support.ledger_maker import RUN, NodeSpec, TestSpec, ThreadSpec, made_ledger

METHODS = MethodTable(
    (
        Method(0, ":", "org.example.InboxTest", "polls", "()V", 12, "test", True, "InboxTest.java"),
        Method(1, ":", "org.example.Inbox", "poll", "()V", 34, "main", False, "Inbox.java"),
        Method(2, ":", "org.example.Photos", "blur", "(I)V", 56, "main", False, "Photos.java"),
        Method(3, ":", "org.other.Photos", "blur", "(I)V", 7, "main", False, "Photos.java"),
    ),
    {},
)
COMMAND_LINE = ["navitas", "profile", "app", "--tests", "Inbox*", "-o", "rec", "--replace"]
SECOND_NS = 1_000_000_000


def polls(repeat: int = 0, poll_j: float = 6.0, **changes: Any) -> TestSpec:
    """Return a run of `InboxTest#polls`: `poll` keeps `main` busy, and a worker uses 1 J outside of calls."""
    nodes = (
        NodeSpec(-1, 0, 1, 1.0, self_ns=SECOND_NS // 10, cpu_ns=SECOND_NS // 10),
        NodeSpec(0, 1, 1, poll_j, self_ns=SECOND_NS // 2, cpu_ns=SECOND_NS // 2),
        NodeSpec(0, 2, 4, 2.0, self_ns=SECOND_NS // 4, cpu_ns=SECOND_NS // 5),
    )
    threads = (
        ThreadSpec(1, "main", poll_j + 3.0, cpu_ns=8 * SECOND_NS // 10, nodes=nodes),
        ThreadSpec(2, "worker", 1.0, cpu_ns=SECOND_NS // 10),
        ThreadSpec(3, "C2 CompilerThre", 0.5, role="jit", cpu_ns=SECOND_NS // 10),
    )
    return replace(TestSpec("org.example.InboxTest", "polls", repeat, threads, base_j=1.0), **changes)


def waits(repeat: int = 0, **changes: Any) -> TestSpec:
    """Return a run of `InboxTest#waits`, which uses 1 J on `main`."""
    nodes = (NodeSpec(-1, 3, 2, 0.9, self_ns=SECOND_NS // 2, cpu_ns=SECOND_NS // 100),)
    threads = (ThreadSpec(1, "main", 1.0, cpu_ns=SECOND_NS // 50, nodes=nodes),)
    return replace(TestSpec("org.example.InboxTest", "waits", repeat, threads, base_j=0.5), **changes)


def messenger(
    *tests: TestSpec,
    level: str = "sched",
    expected_error: float | None = 0.05,
    command_line: Sequence[str] | None = COMMAND_LINE,
    outside_tests_j: float = 0.0,
) -> Profile:
    """Return the profile of the given runs (default: one of each test)."""
    evidence = Evidence("cpu", level, (), expected_error=expected_error)
    ledger = made_ledger(
        tests or (polls(), waits()), METHODS, run=replace(RUN, package="org.example"), evidence=evidence,
        outside_tests_j=outside_tests_j,
    )  # fmt: skip
    provenance = (
        {"navitas_version": "0"} if command_line is None else {"navitas_version": "0", "command_line": list(command_line)}
    )
    about = About(
        project="messenger",
        device={"kind": "virtual", "model": "Made"},
        settings={"repeat": 1},
        power_profile={"name": "made", "voltage_source": "option"},
        battery_mah=3000.0,
        voltage_v=4.0,
        provenance=provenance,
    )
    return Profile(ledger, about)


def with_call_steps(profile: Profile) -> Profile:
    """Return the profile with times: `Inbox.poll` uses its energy from 200 to 500 ms after the start of its test."""
    zeros, paths = np.zeros(3, np.int32), np.flatnonzero(profile.ledger.paths.method == 1)
    steps = CallSteps(zeros, zeros, np.full(3, paths[0], np.int32), np.array([2, 3, 4], np.int32), np.array([1.0, 4.0, 1.0]))
    runs = tuple(replace(run, call_step_ns=SECOND_NS // 10) for run in profile.ledger.runs)
    return Profile(replace(profile.ledger, call_steps=steps, runs=runs), profile.about)
