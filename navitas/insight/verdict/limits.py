"""The rules of what limits a verdict. Each returns a statement, or None where it doesn't."""

from __future__ import annotations

from collections.abc import Callable

from navitas.base.units import counted, joules, unbroken
from navitas.energy.analyze.notices import COSTLY_PROBES, probe_share
from navitas.energy.analyze.top import unrecorded as components_in_use
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.next_step import is_virtual
from navitas.insight.verdict.same_size import same_size, same_size_tests, same_size_threads
from navitas.insight.verdict.statement import Statement, energy_of, percent_of

_LARGE_ERROR = 0.1


def noise(figures: Figures) -> Statement | None:
    """App energy that is not larger than its error."""
    if not figures.groups or not figures.is_noise:
        return None
    return Statement(
        "noise", f"The app's energy ({energy_of(figures.app_j, figures.app_interval)}) is not larger than its error."
    )


def probes_seen(figures: Figures) -> Statement | None:
    """Tests that failed because class files have probes."""
    codes = {warning.code for warning in figures.profile.warnings}
    return Statement("probes_seen", "Tests failed because they saw probes.") if "probes_seen" in codes else None


def failed(figures: Figures) -> Statement | None:
    """Tests that failed or were cut: their energy is that of a part of their work, if they ran at all."""
    bad = [test for test in figures.tests if test.status in ("failed", "cut")]
    names = {(test.module, test.class_name, test.method) for test in bad}
    ran = {(test.module, test.class_name, test.method) for test in bad if test.wall_ns > 0 or test.app_j > 0}
    sentences = []
    if ran:
        sentences.append(f"{counted(len(ran), 'test')} failed or did not end: their energy may be that of a part of their work.")
    if never := len(names) - len(ran):
        sentences.append(f"{counted(never, 'test')} did not run.")
    return Statement("failed", " ".join(sentences)) if sentences else None


def starved(figures: Figures) -> Statement | None:
    """Tests that waited for a CPU which other programs used, or the runs of a single test."""
    ran = [test for test in figures.tests if test.wall_ns > 0]
    waited = [test for test in ran if figures.profile.cpu_use(test).is_starved]
    if not waited:
        return None
    tests, of_tests = (len({(test.module, test.class_name, test.method) for test in runs}) for runs in (waited, ran))
    runs = f"{len(waited):,} of {len(ran):,} runs"
    which = "The test" if len(ran) == 1 else runs
    if of_tests > 1:
        which = f"{tests:,} of {of_tests:,} tests{f', in {runs},' if len(ran) > of_tests else ''}"
    idle, whose = "computer" if is_virtual(figures.profile) else "device", "its" if len(waited) == 1 else "their"
    text = f"{which} waited for a CPU that other programs used: on an idle {idle}, {whose} energy differs."
    return Statement("starved", text)


def hot(figures: Figures) -> Statement | None:
    """Runs on a phone that was hot."""
    count = sum("hot" in test.unfit for test in figures.tests)
    return (
        Statement("hot", f"The phone was hot in {counted(count, 'run')}: its CPU may have been slowed down.") if count else None
    )


def lost(figures: Figures) -> Statement | None:
    """Data that is missing from the recording."""
    kinds = len({loss.what for loss in figures.profile.losses})
    text = f"Data is missing from the recording ({counted(kinds, 'kind')} of loss): see the warnings."
    return Statement("lost", text) if kinds else None


def partial(figures: Figures) -> Statement | None:
    """A recording that was interrupted."""
    codes = {warning.code for warning in figures.profile.warnings}
    return Statement("partial", "The recording is partial: tests may be missing.") if "partial_recording" in codes else None


def rails(figures: Figures) -> Statement | None:
    """Power rails that disagree with the estimate."""
    sums = figures.profile.totals
    if not sums.rails_disagree or sums.rails_error is None:
        return None
    direction = "more" if sums.rails_error > 0 else "less"
    text = f"The estimate is {percent_of(abs(sums.rails_error))} {direction} than what power rails measured."
    return Statement("rails", text)


def unrecorded(figures: Figures) -> Statement | None:
    """Components in use, as power rails show, whose use by methods was not recorded."""
    if figures.profile.about.settings.get("granularity", "method") != "method":
        return None
    used = [f"{name} {unbroken(joules(energy_j))}" for name, energy_j in components_in_use(figures.profile.ledger)]
    text = f"Which methods used what power rails measured was not recorded: {', '.join(used)}."
    return Statement("unrecorded", text) if used else None


def one_run(figures: Figures) -> Statement | None:
    """A single run of each test."""
    if not figures.groups or any(len(group.app_j.counted) > 1 for group in figures.groups):
        return None
    return Statement("one_run", "± is that of the measurement alone: one run does not show how runs differ.")


def evidence(figures: Figures) -> Statement | None:
    """A level of evidence with a large expected error."""
    errors = [(entry.expected_error, entry.level) for entry in figures.profile.evidence if entry.expected_error is not None]
    if not errors or (worst := max(errors))[0] < _LARGE_ERROR:
        return None
    text = f"The evidence is {worst[1]}, with an expected error of {percent_of(worst[0])}: half of all methods are off by more."
    return Statement("evidence", text)


def probe_cost(figures: Figures) -> Statement | None:
    """Probes whose cost was not calibrated."""
    reasons = {reason.code for entry in figures.profile.evidence for reason in entry.reasons}
    text = "The cost of probes was not calibrated: the energy of methods includes that of their probes."
    return Statement("probe_cost", text) if "no_probe_cost" in reasons else None


def probes(figures: Figures) -> Statement | None:
    """Probes that used much of the measured energy."""
    share = probe_share(group.typical for group in figures.groups)
    text = f"Probes used {percent_of(share)} of the energy of the app's threads; it is subtracted by an estimate."
    return Statement("probes", text) if share >= COSTLY_PROBES else None


def power_profile(figures: Figures) -> Statement | None:
    """The error of the power profile, which ± leaves out."""
    error_j, total_j = figures.profile.total_error().profile_j, figures.profile.totals.energy_j
    if not error_j or total_j <= 0:
        return None
    size = percent_of(error_j / total_j)
    text = f"± leaves out the power profile's error: about {size} (standard error), alike in all figures."
    return Statement("power_profile", text)


RULES: tuple[Callable[[Figures], Statement | None], ...] = (
    noise,
    probes_seen,
    failed,
    starved,
    hot,
    lost,
    partial,
    rails,
    evidence,
    probe_cost,
    probes,
    unrecorded,
    same_size,
    same_size_tests,
    same_size_threads,
    one_run,
    power_profile,
)
"""The rules, the most important limit first."""
