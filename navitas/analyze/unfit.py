"""Why a run of a test does not count in statistics."""

from __future__ import annotations

from dataclasses import replace

from navitas.analyze.cpu_use import CpuUses
from navitas.analyze.records import TestEnergy
from navitas.attribute.ledger import Ledger


def with_unfit(test: TestEnergy, ledger: Ledger, uses: CpuUses) -> TestEnergy:
    """Return the record with the reasons of its run, and `starved` if it waited long for CPUs that other work used."""
    run = int(ledger.tests.run[list(test.rows)][0])
    reasons = (ledger.runs[run].unfit if run >= 0 else ()) + (("starved",) if uses.of_test(test).is_starved else ())
    return replace(test, unfit=reasons) if reasons else test
