"""What reports for people say of tests, methods and components besides figures: runs, what ± contains, evidence, doubts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from navitas.base.units import counted, digits, duration, joules, percent, plus_minus, unbroken
from navitas.base.untrusted_text import printable, printable_list
from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.handed_work import HandedWork
from navitas.energy.analyze.notices import command_line
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import Repeats
from navitas.energy.analyze.roll_up import MethodTotal
from navitas.energy.analyze.spread import Interval, interval_around
from navitas.energy.analyze.top import ComponentShare, Top, mean_of
from navitas.insight.verdict.figures import Figures

UNFIT = "unfit"
_INTERVAL = unbroken("95 % interval")
_PROFILES_WRONG_BY = unbroken("20 %")
_ONE_RUN = "One run does not show how runs differ."
_LEAST_JIT = 0.01
_LONGEST = 40
_OTHER_WORK = "The JIT compiler and other processes do different work in each run."
_PAPER1 = (
    "Paper 1 is the formula of that paper. It charges each running method for all cores at full load, whether they ran or not"
    " (docs/how-it-measures.md)."
)
_BELOW_ZERO = "Figures can be slightly negative. The mean cost of probes is subtracted, and it has an error (±)."
CONSUMERS_NOTE = "The device computes its consumers from its rails, by a model of its own. The app's share is by uid."


def statuses(tests: Sequence[TestEnergy]) -> Iterator[tuple[str, str]]:
    """Yield the statuses of a test's runs, then why runs do not count (`UNFIT`): `passed`, or `2 passed` and `1 of them hot`."""
    for status, count in Counter(test.status for test in tests).items():
        yield status, f"{count} {printable(status, _LONGEST)}" if len(tests) > 1 else printable(status, _LONGEST)
    for reason, count in Counter(reason for test in tests for reason in test.unfit).items():
        some = f"{count} of them " if count < len(tests) else "all " if count > 1 else ""
        yield UNFIT, f"{some}{printable(reason, _LONGEST)}"


def failure_of(tests: Sequence[TestEnergy]) -> str:
    """Return where and why a test failed, in the first of its runs that shows it. Empty if none does."""
    return next((test.failure for test in tests if test.failure), "")


def energy_interval(profile: Profile, group: Repeats) -> Interval:
    """Return the 95 % interval of a test's `energy_j`, as `Profile.app_interval` of its `app_j`."""
    error = profile.test_error(group.typical)
    return interval_around(group.median_j, [group.energy_j], alone=error.half_width_j, shared=error.shared_j)


def interval_cell(value_j: float | None, interval: Interval) -> str:
    """Return a cell of a column "±": half of the width of the interval, or its ends if it is uneven."""
    return plus_minus(value_j, interval.low, interval.high).removeprefix("± ")


def basis_note(figures: Figures) -> str:
    """Return sentences that say of which runs the figures of a report are, and what ± contains."""
    if not figures.groups:
        return ""
    names = ("test class", "test classes") if figures.profile.is_by_class else ("test",)
    what = counted(len(figures.groups), *names)
    if figures.repeats == 1:
        return f"{what}, one run each. ± is half of the {_INTERVAL} of the measurement. {_ONE_RUN}{_more_runs(figures.profile)}"
    return (
        f"{what}, {figures.repeats} runs each. Tests are medians of the runs that count; methods, threads and calls are parts of"
        f" them. Other figures are per run. ± is half of the {_INTERVAL} (or both ends), by the measurement and by differences"
        " between runs."
    )


def _more_runs(profile: Profile) -> str:
    """Return how to see how runs differ: `record` has no repeats, and no command measures imported data again."""
    match command_line(profile.about)[1:2]:
        case ["record"]:
            return " To see that, record again, and compare several recordings (navitas compare)."
        case ["import"]:
            return ""
        case _:
            return " To see that, add --repeat."


def tests_note(figures: Figures) -> str:
    """Return sentences that explain the figures of tests. Figures and their units are one word."""
    sums = figures.profile.compensated_totals()
    sentences = ["App energy is what the app's threads used."]
    if sums is not None:
        basis = "their sampled cost and from runs without probes" if sums.by_baseline else "their sampled cost"
        with_probes, without = (unbroken(joules(energy_j)) for energy_j in (figures.probed_j, figures.total_j))
        sentences = [
            f"App energy is what the app's threads used, without probes. The energy of probes is estimated from {basis}.",
            f"All tests used {with_probes} with probes, and {without} without.",
        ]
    sentences += _jit(figures.profile)
    of_runs = ", in the run whose app energy is nearest to the median" if figures.repeats > 1 else ""
    sentences.append(f"Mean power is measured energy divided by wall time{of_runs}.")
    return " ".join(sentences)


def _jit(profile: Profile) -> list[str]:
    """Return a sentence on the JIT compiler, if it used a noticeable share of the threads' energy."""
    shares = profile.jit_shares()
    jit_j, threads_j = (sum(getattr(one, name) for one in shares) for name in ("jit_j", "threads_j"))
    if jit_j <= _LEAST_JIT * threads_j or threads_j <= 0:
        return []
    over = ""
    if len(shares) > 1:
        low, high = (unbroken(percent(pick(one.share for one in shares))) for pick in (min, max))
        over = f", {low} to {high} by run"
    total = unbroken(percent(jit_j / threads_j))
    return [f"The JIT compiler used {total} of the threads' energy{over}. App energy does not include it."]


def baseline_note(groups: Sequence[Repeats]) -> str:
    """Return a note if the differences between runs exceed the energy of probes. Empty otherwise."""
    pairs = [found for group in groups if (found := group.baseline) is not None]
    exceeding = sum(each.exceeds_probes for each in pairs)
    if exceeding:
        tests = counted(exceeding, "test")
        return f"In {tests}, runs with and without probes differ by more than the energy of probes. {_OTHER_WORK} Use --repeat."
    if any(each.runs == 1 for each in pairs):
        return f"Single runs with and without probes also differ for other reasons. {_OTHER_WORK} Use --repeat."
    return ""


def method_figures_note(profile: Profile) -> str:
    """Return sentences that explain the figures of methods."""
    probed = any(run.probes_error is not None for run in profile.ledger.runs)
    without = "Self and inclusive energy are without probes. " if probed else ""
    return f"{without}Share is in percent of app energy. ± is half of the {_INTERVAL} of self energy."


def method_note(total: MethodTotal) -> str:
    """Return the note of a method: figures within or below their error, calls that ended with an exception, and cut calls."""
    figures = (("self", total.exclusive_j, total.exclusive_error), ("inclusive", total.inclusive_j, total.inclusive_error))
    within = [name for name, value_j, error in figures if error.probes_j > 0 and abs(value_j) <= error.probes_j]
    below = [name for name, value_j, error in figures if error.is_below_zero(value_j)]
    cause = "sampling" if total.samples else "probes"
    notes = [f"{' and '.join(within)} energy within the error of {cause}"] if within else []
    notes += [f"{' and '.join(below)} energy below zero by more than ±"] if below else []
    notes += [f"{counted(total.throws, 'call')} ended by an exception"] if total.throws else []
    return ", ".join([*notes, f"{counted(total.cut, 'call')} without an end"] if total.cut else notes)


def doubts(tests: Sequence[TestEnergy], *, is_below_zero: bool = False) -> list[str]:
    """Return notes on figures of tests and methods that are no plain energies: the paper's, and those below zero."""
    is_below_zero = is_below_zero or any(thread.is_below_zero for test in tests for thread in test.threads)
    paper1 = [_PAPER1] if any(test.alternative_j is not None for test in tests) else []
    return [*paper1, _BELOW_ZERO] if is_below_zero else paper1


def draws_note(profile: Profile) -> str:
    """Return how exact the calls and times of a recording with ticks or stack samples are. Empty for other recordings."""
    if profile.is_sampled:
        by = f", taken by {printable_list(profile.samplers, 5)}" if profile.samplers else ""
        return f"Methods are those of stack samples{by}. That their number is small adds to the error of methods (±)."
    if profile.tick_ns is None:
        return ""
    period = unbroken(duration(round(profile.tick_ns)))
    return f"Calls are exact. Times come from a tick of {period}, which adds to the error of methods (±)."


def unmeasured_note(found: Sequence[HandedWork]) -> str:
    """Return a sentence about work that ran on threads without probes. Empty without such work."""
    tasks = sum(one.unmeasured_tasks for one in found)
    if not tasks:
        return ""
    ran = counted(tasks, "task ran on a thread", "tasks ran on threads")
    return f"{ran} without probes, so {'its' if tasks == 1 else 'their'} time and energy are unknown."


def measured_by_rails(profile: Profile) -> str:
    """Return what rails measured in a run that no component is scaled to, those of the CPU, and the estimate.

    Empty without such rails.
    """
    sums = mean_of(profile.totals, profile.totals.repeats)
    if not sums.rails_j or sums.rails_estimate_j is None or sums.rails_error is None:
        return ""
    subject, estimate = " of the CPU" if len(profile.components) > 1 else "", joules(sums.rails_estimate_j)
    error = f"{100 * sums.rails_error:+.1f} %"
    return f"{subject} measured {joules(sums.rails_j)}; the estimate for the same time is {estimate} ({error})."


def rails_note(uses: Sequence[ComponentShare]) -> str:
    """Return a note on the components that rails scaled, or did not. A ratio and its sign are one word."""
    meaning = "Rails: what power rails measured. Model alone: the estimate without them, for the same time."
    scaled = [(use.component, use.ratio) for use in uses if use.level == "rails"]
    ratios = [unbroken(f"{printable(name, _LONGEST)} × {digits(ratio)}") for name, ratio in scaled if ratio is not None]
    if not scaled:
        return f"{meaning} Energy is that of the model (--evidence model)."
    return f"{meaning} Scaled to its rails: {', '.join(ratios)}." if ratios else meaning


def silent_note(found: Top) -> str:
    """Return a note on the components that are known from a rail only, which measured 0 J."""
    return f"Rails measured nothing: {listed(found.silent)}."


def listed(components: Sequence[str]) -> str:
    """Return names of components, with commas."""
    return ", ".join(printable(name, _LONGEST) for name in components)


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """Components with the same level of evidence.

    `reasons` are why it is not better: sentences, each with the components that it holds for.
    """

    components: tuple[str, ...]
    level: str
    basis: str
    expected_error: float | None
    reasons: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def sentence(self) -> str:
        """The level and its basis, and the error of methods to expect."""
        words = f"{self.level} ({self.basis})." if self.basis else f"{self.level}."
        if self.expected_error is None:
            return words
        error = unbroken(f"{100 * self.expected_error:.0f} %")
        return (
            f"{words} Expected error: half of all methods are off by less than {error}, on simulated phones whose power"
            f" profiles are wrong by up to {_PROFILES_WRONG_BY} (docs/accuracy.md)."
        )

    def reason_lines(self, leave_out: frozenset[str] = frozenset()) -> list[str]:
        """Return the reasons, with the names of their components if these are not all. `leave_out` are sentences."""
        return [text if of == self.components else f"{listed(of)}: {text}" for text, of in self.reasons if text not in leave_out]


def evidence_groups(profile: Profile, component: str | None = None) -> list[EvidenceGroup]:
    """Group the components that `Top.shown` has by their evidence, in the order of the recording's components."""
    shown = {use.component for use in profile.top().shown(component)}
    groups: dict[tuple[str, str, float | None], dict[str, tuple[str, ...]]] = {}
    for each in profile.evidence:
        if each.component in shown:
            group = groups.setdefault((each.level, each.basis, each.expected_error), {})
            group[each.component] = tuple(dict.fromkeys(map(str, each.reasons)))
    return [EvidenceGroup(tuple(group), *level, _by_reason(group)) for level, group in groups.items()]


def evidence_notes(profile: Profile) -> Iterator[tuple[str, list[str]]]:
    """Yield sentences on the evidence, each with the reasons why it is not better."""
    for evidence in evidence_groups(profile):
        subject = ", ".join("CPU" if component == CPU else component for component in evidence.components)
        yield f"Evidence for {subject}: {evidence.sentence}", evidence.reason_lines()
    rails = measured_by_rails(profile)
    yield from ((note, []) for note in (f"The device's rails{rails}" if rails else "", draws_note(profile)) if note)


def _by_reason(group: Mapping[str, Sequence[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return each reason of some components once, with its components."""
    found: dict[str, list[str]] = {}
    for component, reasons in group.items():
        for text in reasons:
            found.setdefault(text, []).append(component)
    return tuple((text, tuple(names)) for text, names in found.items())
