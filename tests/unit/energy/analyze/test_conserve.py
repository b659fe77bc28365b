"""`check` compares all sums that must agree, and reports differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from lamp import ABOUT
from support.ledger_maker import NodeSpec, TestSpec, ThreadSpec, made_ledger
from test_handed_work import made as handed_work

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.ledger import NO_TEST, Ledger
from navitas.recording.parse.tables import Method, MethodTable

METHODS = MethodTable((Method(0, ":", "p.A", "a", "()V", 1, "main", False),), {})


def ledger() -> Ledger:
    thread = ThreadSpec(1, "main", 20.0, nodes=(NodeSpec(-1, 0, 1, 4.0),))
    return made_ledger([TestSpec("p.ATest", "t", 0, (thread,), other_processes_j=2.0, base_j=1.0)], METHODS, outside_tests_j=0.5)


def moved(kind: OwnerKind, to: OwnerKind, joules: float) -> list[str]:
    """Move joules from one owner to another, in a test and its run. Returns the messages of `check`."""
    made, energy = ledger(), ledger().energy
    exclusive_j, owner_kind = energy.exclusive_j.copy(), made.owners.kind[energy.owner]
    in_test = energy.test != NO_TEST
    exclusive_j[np.flatnonzero((owner_kind == kind) & in_test)[0]] -= joules
    exclusive_j[np.flatnonzero((owner_kind == to) & in_test)[0]] += joules
    return check(Profile(replace(made, energy=replace(energy, exclusive_j=exclusive_j)), ABOUT))


def test_a_correct_ledger_has_no_problems() -> None:
    assert check(Profile(ledger(), ABOUT)) == []


def test_energy_moved_to_another_owner_is_reported() -> None:
    problems = moved(OwnerKind.BASE, OwnerKind.OTHER_PROCESSES, 0.25)
    assert len(problems) == 2 and all("runs/0" in problem and "cpu" in problem for problem in problems)


def test_thread_energy_moved_to_another_owner_is_reported() -> None:
    problems = moved(OwnerKind.THREAD, OwnerKind.BASE, 0.25)
    assert any("thread main" in problem for problem in problems) and any("runs/0" in problem for problem in problems)


def test_handed_work_with_more_energy_than_its_thread_is_reported() -> None:
    """The work takes a tenth of the thread's time."""
    made = handed_work([(1, 500, 600, 0, 160)]).ledger
    for factor in (1.0, 9.9, 10.1):
        handed = replace(made.handed, energy_j=made.handed.energy_j * factor)
        problems = check(Profile(replace(made, handed=handed), ABOUT))
        assert len(problems) == (factor > 10), problems
        assert all("runs/0, thread pool-, cpu: the work handed to it has" in problem for problem in problems)


def test_handed_work_that_a_roll_up_loses_is_reported() -> None:
    profile = handed_work([(1, 500, 600, 0, 160)])
    vars(profile)["_handed_work"] = ()
    problems = check(profile)
    assert [problem.partition(" add up to ")[0] for problem in problems] == [
        "handed work, cpu: energies of starters",
        "handed work: tasks of starters",
        "handed work: nanoseconds of starters",
    ]


@pytest.mark.parametrize("factor", [1 + 2e-9, 1 - 2e-9])
def test_a_relative_error_above_one_billionth_is_reported(factor: float) -> None:
    made = ledger()
    energy = replace(made.energy, exclusive_j=made.energy.exclusive_j * factor)
    assert check(Profile(replace(made, energy=energy), ABOUT)) != []
