"""Warnings that follow from the figures: rails disagree, devices stay on, probes dominate, CPU time varies, sums don't agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.profile import About, Profile
from navitas.energy.analyze.records import Notice, TestEnergy
from navitas.energy.analyze.unsteady import repeats_notices, unsteady
from navitas.energy.attribute.ledger import counted_runs

COSTLY_PROBES = 0.1
"""The share of probes from which samples are proposed instead, which need none."""
_LARGE_SHARE = 0.2
_MIN_ENERGY_SHARE = 0.01
"""Methods with a smaller share of the threads' energy are not named."""
_MAX_NAMED = 5


def notices(profile: Profile) -> tuple[Notice, ...]:
    """Return all warnings about a profile's figures."""
    problems = [Notice.with_code("not_conserved", problem, "Please report this as a bug.") for problem in check(profile)]
    causes = (
        *_without_clock(profile),
        *_left_on(profile),
        *_costly_probes(profile),
        *_large_probes(profile),
        *_counters(profile),
    )
    figures = (*_rails_disagree(profile), *causes)
    return (*figures, *unsteady(profile), *repeats_notices(profile), *problems)


def probe_share(tests: Iterable[TestEnergy]) -> float:
    """Return the share of probes in the energy of the app's threads; 0 without energy."""
    energies = [(test.probes_j, test.threads_j) for test in tests]
    probes_j, threads_j = (sum(column) for column in zip(*energies, strict=True)) if energies else (0.0, 0.0)
    return probes_j / threads_j if threads_j > 0 else 0.0


def _rails_disagree(profile: Profile) -> Iterator[Notice]:
    """Yield a warning if the device's rails and the estimate disagree."""
    sums = profile.totals
    if sums.rails_disagree:
        message = (
            f"the estimate differs by {100 * (sums.rails_error or 0.0):+.0f} % from the energy that the device's rails measured"
        )
        yield Notice.with_code("rails_disagree", message, "Run longer tests, or use the figures only for comparisons.")


def _without_clock(profile: Profile) -> Iterator[Notice]:
    """Yield a warning if the CPU time of threads with calls or samples is unknown, such as that of virtual threads."""
    owners, calls = profile.ledger.owners, profile.ledger.calls
    is_unknown = ~owners.measured[calls.owner] & counted_runs(profile.ledger)[owners.run[calls.owner]]
    if not is_unknown.any():
        return
    unknown = np.unique(calls.owner[is_unknown])
    count, names = int(calls.counted[is_unknown].sum()), sorted({owners.name[owner] for owner in unknown.tolist()})
    what = "samples" if profile.is_sampled else "calls"
    message = f"{count:,} {what} have no CPU energy: the CPU time of their threads is unknown ({', '.join(names[:_MAX_NAMED])})"
    if (owners.tid[unknown] != 0).any():
        remedy = "The readings of these threads are missing or damaged: record again."
    else:
        message += ". The threads that carried these virtual threads have it"
        remedy = "Run the tests on Java 21 to 25 with --add-opens=java.base/java.lang=ALL-UNNAMED. See docs/probes.md."
    yield Notice.with_code("no_thread_cpu_time", message, remedy)


def _left_on(profile: Profile) -> Iterator[Notice]:
    """Yield a warning for each device that was started and not stopped, with the method that started it."""
    for reason in (reason for each in profile.evidence for reason in each.reasons if reason.code == "left_on"):
        remedy = "Stop it when it is no longer needed. Its energy until the end of the run belongs to the call that started it."
        yield Notice.with_code("left_on", str(reason), remedy)


def _counters(profile: Profile) -> Iterator[Notice]:
    """Yield a warning if executions of blocks were counted, which takes time."""
    if profile.about.settings.get("granularity") == "block":
        message = "counters of basic blocks took time, so energies are higher than without them. Nothing corrects this"
        yield Notice.with_code("block_counters", message, "Take energies from a recording with --granularity test.")


def _costly_probes(profile: Profile) -> Iterator[Notice]:
    """Yield a warning if probes used much energy where samples can replace them: in tests on a virtual phone."""
    share, about = probe_share(profile.tests), profile.about
    is_use = "record" in command_line(about)[1:2]
    if share >= COSTLY_PROBES and about.device.get("kind") == "virtual" and not is_use:
        message = f"probes used {share:.0%} of the energy of the app's threads, which is subtracted by an estimate"
        yield Notice.with_code("probes_costly", message, "Samples need no probes: navitas profile --mode sample.")


def _large_probes(profile: Profile) -> Iterator[Notice]:
    """Yield at most one warning about methods with a large share of probe energy, with options that exclude them."""
    ledger, threads = profile.ledger, profile.tables.threads
    has_cost = np.array([*(run.probes_error is not None for run in ledger.runs), False])[ledger.tests.run].tolist()
    with_cost = [test for test in profile.tests if any(has_cost[row] for row in test.rows)]
    if not with_cost:
        return
    min_energy_j = _MIN_ENERGY_SHARE * float(threads.energy_j[~profile.tables.is_baseline[threads.test]].sum())
    ranked = sorted(profile.method_totals(with_cost), key=lambda each: -each.raw_exclusive_j)
    probes_j = [each.raw_exclusive_j - each.exclusive_j for each in ranked]
    large = [
        each
        for each, own_j in zip(ranked, probes_j, strict=True)
        if each.raw_exclusive_j >= min_energy_j and own_j > _LARGE_SHARE * each.raw_exclusive_j
    ]
    dominated = [each for each in ranked if each.call_probes_j >= max(min_energy_j, each.exclusive_j) and each.call_probes_j > 0]
    below = [
        each
        for each in ranked
        if each.exclusive_error.is_below_zero(each.exclusive_j) or each.inclusive_error.is_below_zero(each.inclusive_j)
    ]
    if not large and not dominated and not below:
        return
    names = {each.id: f"{each.method.class_name}.{each.method.name}" for each in (*large, *dominated, *below)}
    named = [f"{names[each.id]} ({1 - each.exclusive_j / each.raw_exclusive_j:.0%})" for each in large[:_MAX_NAMED]]
    more = f" and {len(large) - _MAX_NAMED} more" if len(large) > _MAX_NAMED else ""
    shown, negative = (", ".join(names[each.id] for each in some[:_MAX_NAMED]) for some in (dominated, below))
    messages = [f"probes used more than 20 % of {', '.join(named)}{more}"] if large else []
    messages += [f"probes used more energy than these methods: {shown}"] if dominated and not large else []
    messages += ["Their energy is subtracted"]
    messages += [f"After that, these methods are below zero by more than ±: {negative}"] if below else []
    if dominated:
        remedy = _leave_out([f"{each.method.class_name}#{each.method.name}" for each in dominated[:_MAX_NAMED]], profile.about)
    else:
        cheaper = "" if profile.tick_ns is not None else "With --mode tick, probes use less energy. "
        remedy = f"{cheaper}With --granularity test, methods have no probes."
    if not any(test.unprobed_j for test in with_cost):
        remedy = f"To correct the figures with runs without probes, add --baseline. {remedy}"
    yield Notice.with_code("probes_large", ". ".join(messages), remedy)


def _leave_out(patterns: list[str], about: About) -> str:
    """Return the remedy for methods whose probes use more energy than they do. On a phone, it names what is not subtracted."""
    options = " ".join(f"--exclude '{pattern}'" for pattern in patterns)
    if about.device.get("kind") != "phone":
        return f"To exclude the methods with the most probe energy: navitas profile {options}"
    skipped = "--skip-trivial" in command_line(about)
    what = "exclude the methods with the most probe energy" + ("" if skipped else ", and getters, setters and the like")
    more = "" if skipped else "--skip-trivial "
    return (
        "Android's runtime inlines fewer small methods if they have probes. That costs more than what is subtracted. "
        f"To {what}: navitas profile {more}{options}"
    )


def command_line(about: About) -> list[str]:
    """Return the words of the command that made a recording, beginning with `navitas`. Empty if it is unknown."""
    words = about.provenance.get("command_line")
    return [*map(str, words)] if isinstance(words, list) else []
