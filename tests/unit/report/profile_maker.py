"""A small profile with all features that reports show, and with hostile names."""

from __future__ import annotations

from dataclasses import replace

from support.ledger_maker import RUN, NodeSpec, TestSpec, ThreadSpec, made_ledger

from navitas.energy.analyze.profile import About, Profile
from navitas.energy.analyze.records import Notice
from navitas.energy.attribute.ledger import Evidence, RunEntry
from navitas.recording.parse.reasons import MergedReason
from navitas.recording.parse.tables import Method, MethodTable

METHODS = MethodTable(
    (
        Method(0, ":", "org.example.SortTest", "sorts", "()V", 12, "test", True),
        Method(1, ":", "org.example.Sorter", "sort", "([I)V", 34, "main", False),
        Method(2, ":", "org.example.Sorter", "swap", "([III)V", None, "main", False),
    ),
    {},
)
EVIL = "[bold red]x[/] \x1b[31mred\x1b[0m \u202eevil;\n" + "long" * 100
ABOUT = About(
    project="sample",
    device={
        "kind": "virtual",
        "serial": "127.0.0.1:1",
        "identity": "navitas-made",
        "model": "Made",
        "fingerprint": "f",
        "sdk": 33,
        "cpus": [0],
        "policies": [],
    },
    settings={"repeat": 1},
    power_profile={
        "name": "made",
        "file": "p.xml",
        "sha256": "0",
        "source": "a test",
        "voltage_v": 4.0,
        "voltage_source": "option",
    },
    battery_mah=3000.0,
    voltage_v=4.0,
    created_utc="2026-01-01T00:00:00+00:00",
    provenance={
        "navitas_version": "0",
        "host": {"os": "Linux 6.1.0", "machine": "x86_64", "cpus": 2},
        "java": {"tests": ["17.0.15"], "build": "21.0.1"},
        "git": {"revision": "0" * 40, "dirty": True},
        "command_line": ["navitas", "profile", "--repeat", "1"],
    },
)
TICKED = replace(RUN, tick_ns=1.1e6)
"""A run whose calls are timed by ticks."""
TREE = (
    NodeSpec(-1, 0, 1, 1.0, self_ns=100_000_000, cpu_ns=100_000_000),
    NodeSpec(0, 1, 2, 4.0, self_ns=800_000_000, cpu_ns=750_000_000, throws=1, cut=1),
    NodeSpec(1, 2, 1_000, 1.0, self_ns=50_000_000, cpu_ns=50_000_000, alternative_j=15.0),
)


def one_run(number: int, energy_j: float, status: str = "passed", *, probes_j: float = 0.0) -> TestSpec:
    """Return a run of `SortTest.sorts` with a small call tree, helper threads, a hostile name and a garbage collector.

    `probes_j` is the energy of the probes in `sort`.
    """
    sorts, sort, swap = TREE
    sort = replace(sort, exclusive_j=energy_j - 6.0 - probes_j, probes_j=probes_j)
    return TestSpec(
        class_name="org.example.SortTest",
        method="sorts",
        repeat=number,
        threads=(
            ThreadSpec(1, "main", energy_j - 3.5, tid=100, cpu_ns=900_000_000, nodes=(sorts, sort, swap)),
            ThreadSpec(-1, "pool-#", 0.75, count=3, cpu_ns=10),
            ThreadSpec(7, EVIL, 0.15, tid=107, cpu_ns=6),
            ThreadSpec(8, "GC Thread#0", 0.10, role="gc", tid=108, cpu_ns=4),
        ),
        status=status,
        other_processes_j=1.0,
        base_j=1.25,
        unattributed_j=0.25,
        alternative_j=20.0,
    )


def without_probes(test: TestSpec, threads_j: float) -> TestSpec:
    """Return the baseline run of a test, with 9 J."""
    return replace(test, threads=(ThreadSpec(1, "main", threads_j),), other_processes_j=7.5 - threads_j, baseline=True)


def with_nodes(test: TestSpec, *nodes: NodeSpec) -> TestSpec:
    """Replace the call tree of the test's first thread. The thread's energy stays the same."""
    return replace(test, threads=(replace(test.threads[0], nodes=nodes), *test.threads[1:]))


def profile(
    *tests: TestSpec,
    methods: MethodTable = METHODS,
    run: RunEntry = RUN,
    about: About = ABOUT,
    alternative: str | None = None,
) -> Profile:
    """Return the profile of the given runs (default: one of 10 J), with 2 J of base energy outside tests."""
    chosen = tests or (one_run(0, 10.0),)
    evidence = Evidence("cpu", "thread-time", (MergedReason("no_rails", "no [rails] here"),))
    ledger = made_ledger(chosen, methods, run=run, evidence=evidence, outside_tests_j=2.0, alternative=alternative)
    about = replace(about, settings={"repeat": len(chosen)})
    return Profile(ledger, about, [Notice("lost", "3 [chunks] lost\x1b[2J", "Record again.")])
