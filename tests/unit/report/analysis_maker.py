"""A small analysis with everything in it that reports must show, and names that must not hurt."""

from __future__ import annotations

from dataclasses import replace

from navitas.analyze.profile import Profile
from navitas.analyze.records import Evidence, MethodEnergy, Node, Notice, ThreadEnergy, Totals
from navitas.analyze.records import TestEnergy as OneTest
from navitas.attribute.statistical import with_errors
from navitas.parse.tables import Method, MethodTable

METHODS = MethodTable(
    (
        Method(0, ":", "org.example.SortTest", "sorts", "()V", 12, "test", True),
        Method(1, ":", "org.example.Sorter", "sort", "([I)V", 34, "main", False),
        Method(2, ":", "org.example.Sorter", "swap", "([III)V", None, "main", False),
    ),
    {},
)
EVIL = "[bold red]x[/] \x1b[31mred\x1b[0m \u202eevil;\n" + "long" * 100


def one_run(number: int, energy_j: float, status: str = "passed") -> OneTest:
    """One run of `SortTest.sorts`: a small tree, helpers in a row, an evil name, a collector."""
    main = ThreadEnergy(
        serial=1,
        tid=100,
        name="main",
        role="app",
        count=1,
        energy_j=energy_j - 3.5,
        cpu_ns=900_000_000,
        untraced_j=0.5,
        probes_j=0.0,
        methods=(
            MethodEnergy(0, 1, 0, 0, energy_j - 4.0, 1.0, 950_000_000, 100, 900_000_000),
            MethodEnergy(1, 2, 1, 1, energy_j - 5.0, energy_j - 6.0, 850_000_000, 100, 800_000_000),
            MethodEnergy(2, 1_000, 0, 0, 1.0, 1.0, 50_000_000, 100, 50_000_000),
        ),
        nodes=(
            Node(0, -1, 0, 1, energy_j - 4.0, 1.0, 950_000_000),
            Node(1, 0, 1, 2, energy_j - 5.0, energy_j - 6.0, 850_000_000),
            Node(2, 1, 2, 1_000, 1.0, 1.0, 50_000_000),
        ),
    )
    pool = ThreadEnergy(-1, 0, "pool-#", "app", 3, 0.75, 10, 0.75, 0.0, (), ())
    evil = ThreadEnergy(7, 107, EVIL, "app", 1, 0.15, 6, 0.15, 0.0, (), ())
    collector = ThreadEnergy(8, 108, "GC Thread#0", "gc", 1, 0.10, 4, 0.10, 0.0, (), ())
    fields = (number, number, ":", "org.example.SortTest", "sorts", number, status)
    return OneTest(*fields, 1_000_000_000, energy_j, 1.0, 1.25, 0.25, (main, pool, evil, collector))


def analysis(*tests: OneTest) -> Profile:
    """The runs given, or one of 10 J."""
    tests = tests or (one_run(0, 10.0),)
    energy = sum(test.energy_j for test in tests)
    count = len(tests)
    return Profile(
        device={
            "kind": "virtual",
            "serial": "127.0.0.1:1",
            "model": "Made",
            "fingerprint": "f",
            "sdk": 33,
            "cpus": [0],
            "policies": [],
        },
        project="sample",
        settings={"repeat": count},
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
        evidence=Evidence("thread-time", ("no [rails] here",)),
        methods=METHODS,
        totals=Totals(energy + 2.0, (energy + 2.0) / 14.4, energy - 2.5 * count, count, 1.25 * count + 2.0, 0.25 * count, 2.0),
        tests=tests,
        warnings=(Notice("lost", "3 [chunks] lost\x1b[2J", "Record again."),),
    )


def with_ticks(made: Profile) -> Profile:
    """The same as if ticks had timed the calls."""
    tests = tuple(with_errors(test, 1.1e6) for test in made.tests)
    return replace(made, evidence=replace(made.evidence, tick_ns=1.1e6), tests=tests)


def with_paper1(made: Profile) -> Profile:
    """The same with paper 1's figures."""
    tests = tuple(
        replace(
            test,
            paper1_j=20.0,
            threads=tuple(replace(t, methods=tuple(replace(m, paper1_j=15.0) for m in t.methods)) for t in test.threads),
        )
        for test in made.tests
    )
    return replace(made, tests=tests)
