"""The rules of what uses the energy. Each returns a statement, or None where it does not apply.

A rule says what the recording shows. It names no cause: that a method is slow, or waits for a lock, is nothing that it can see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from navitas.base.units import counted, duration, joules, unbroken
from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.names import test_label
from navitas.energy.analyze.repeats import Repeats
from navitas.energy.analyze.spread import Interval, Spread
from navitas.energy.attribute.component import OwnerKind
from navitas.insight.verdict.call_times import call_times
from navitas.insight.verdict.figures import ComponentFigures, Figures
from navitas.insight.verdict.method_figures import MethodFigures
from navitas.insight.verdict.statement import Statement, energy_of, percent_of
from navitas.insight.verdict.thread_figures import ThreadUse

_LEAF = 0.95
"""A method with at least this share of its inclusive energy as self energy makes the CPU time of its calls itself."""
_BUSY, _IDLE = 0.8, 0.2
"""Shares of CPU time in the wall time of a method's calls."""
_MOST_BUSY = 1.1
"""More CPU time than wall time, beyond the error of both, is not known well enough to say."""
_MOST = 0.5
_LEAST_OUTSIDE = 0.2
_LEAST_NAMED = 0.05
_MANY = 100
"""Calls a run from which their fraction does not matter."""
_TIMED = ("sched", "thread-freq", "thread-time")
"""Levels of evidence that know the CPU time of each thread."""


def nothing_measured(figures: Figures) -> Statement | None:
    """No test ran, or the app used no energy."""
    if figures.groups and figures.app_j > 0:
        return None
    if not figures.groups:
        return Statement("no_tests", "No test ran, so nothing can be said about the energy of tests.")
    return Statement("no_app_energy", "The tests ran, and no energy of the app's threads was measured.")


def largest_method(figures: Figures) -> Statement | None:
    """The method with the most self energy, and in which calls."""
    method = next(iter(figures.methods), None)
    if method is None or figures.app_j <= 0 or not method.self_j > 0:
        return None
    return replace(method_statement(figures, method), rule="largest_method")


def when(figures: Figures) -> Statement | None:
    """When the method with the most self energy uses it."""
    method = next(iter(figures.methods), None)
    return None if method is None or largest_method(figures) is None else when_statement(figures, method)


def next_methods(figures: Figures) -> Statement | None:
    """The methods that use most of the rest, so that the reader knows how much the first one matters."""
    listed = [
        f"{figures.names.brief(method.total.id)} ({percent_of(share, interval)})"
        for method, (share, interval) in ((method, figures.share_of(method)) for method in figures.methods[1:3])
        if share >= _LEAST_NAMED
    ]
    return Statement("next_methods", f"Then follow {' and '.join(listed)}.") if listed and not figures.is_noise else None


def outside_methods(figures: Figures) -> Statement | None:
    """Energy of the app's threads outside all methods with probes."""
    outside_j = sum(thread.outside_j for thread in figures.threads)
    if figures.app_j <= 0 or outside_j < _LEAST_OUTSIDE * figures.app_j:
        return None
    share = outside_j / figures.app_j
    where = "not sampled" if figures.profile.is_sampled else "outside all recorded methods"
    text = f"{unbroken(joules(outside_j))} ({percent_of(share)}) of the app's energy is {where}, so no method explains it."
    return Statement("outside_methods", text, "app", "", outside_j, share=share)


def largest_test(figures: Figures) -> Statement | None:
    """The test with the most app energy, among several."""
    if len(figures.groups) < 2 or figures.app_j <= 0:
        return None
    return replace(test_statement(figures, figures.groups[0]), rule="largest_test")


def largest_thread(figures: Figures) -> Statement | None:
    """The thread with the most energy, among several."""
    if len(figures.threads) < 2 or figures.app_j <= 0:
        return None
    return replace(thread_statement(figures, figures.threads[0]), rule="largest_thread")


def largest_component(figures: Figures) -> Statement | None:
    """The component with the most energy, with the app and without, and the one that the app itself uses most."""
    if len(figures.components) < 2 or sum(use.energy_j for use in figures.components[1:]) < _LEAST_NAMED * _recorded_j(figures):
        return None
    first = figures.components[0]
    statement = replace(component_statement(figures, first), rule="largest_component")
    app = max(figures.components, key=lambda use: use.app_j)
    if app.app_j <= 0 or app is first:
        return statement
    more = f" The app itself used most in {component_name(app.name)}: {unbroken(joules(app.app_j))}."
    return replace(statement, text=statement.text + more)


def base_energy(figures: Figures) -> Statement | None:
    """Energy that flows because time passes, where it is most of all."""
    whole_j = _recorded_j(figures)
    base_j = sum(figures.by_kind_j(number)[OwnerKind.BASE] for number in range(len(figures.profile.components)))
    if whole_j <= 0 or base_j < _MOST * whole_j:
        return None
    share = base_j / whole_j
    whole = "the CPU's energy" if [use.name for use in figures.components] == [CPU] else "the energy of all recorded components"
    text = f"While tests ran, {percent_of(share)} of {whole} was base energy: it depends on time, not on what the app does."
    return Statement("base_energy", text, energy_j=base_j, share=share)


RULES: tuple[Callable[[Figures], Statement | None], ...] = (
    nothing_measured,
    largest_method,
    when,
    outside_methods,
    largest_component,
    base_energy,
    next_methods,
    largest_thread,
    largest_test,
)
"""The rules in the order of their statements, of which a verdict has the first ones."""


def method_statement(figures: Figures, method: MethodFigures) -> Statement:
    """Return what a method uses, and in which calls on which threads."""
    self_j, (share, interval) = method.self_j, figures.share_of(method)
    itself = " itself" if _calls_others(method) else ""
    text = (
        f"{figures.names.brief(method.total.id)}{itself} uses {energy_of(self_j, method.interval)} of the app's"
        f" {energy_of(figures.app_j, figures.app_interval)} ({percent_of(share, interval)}), {_calls(figures, method)}."
    )
    return Statement("method", text, "method", figures.names.label(method.total.id), self_j, method.interval, share, interval)


def when_statement(figures: Figures, method: MethodFigures) -> Statement | None:
    """Return in which test most of a method's energy is used, when, and how the method spends its time, as far as it is known."""
    tests, times = figures.use_of(method.total.id).tests, {time.test: time for time in call_times(figures, method.total.id)}
    if not tests:
        return None
    (test, test_j), whole_j = next(iter(tests.items())), sum(tests.values())
    part = percent_of(_share(test_j, whole_j)) if len(tests) > 1 and whole_j > 0 else ""
    name, sentences = figures.test_name(figures.groups[test]), []
    if time := times.get(test):
        begin, end = (unbroken(duration(ns)) for ns in (time.begin_ns, time.end_ns))
        sentences.append(f"{f'{part} of it' if part else 'All of it'} is in {name}, from {begin} to {end} after its start.")
    elif len(figures.groups) > 1:
        sentences.append(f"{f'{part} of it' if part else 'All of it'} is in {name}.")
    if work := _work(method, figures):
        sentences.append(work)
    return Statement("when", " ".join(sentences), "test", test_label(figures.groups[test].typical)) if sentences else None


def test_statement(figures: Figures, group: Repeats) -> Statement:
    """Return what a test uses, among all tests."""
    app_j, interval = group.app_j.median, figures.profile.app_interval(group)
    share, of_share = figures.share_of_test(group)
    energy = f"{energy_of(app_j, interval)} ({percent_of(share, of_share)})"
    if len(figures.groups) == 1:
        text = f"{figures.test_name(group)} is the only test: {energy_of(app_j, interval)} of app energy."
    elif group is figures.groups[0] and not figures.is_noise:
        text = f"Of {counted(len(figures.groups), 'test')}, {figures.test_name(group)} uses the most: {energy}."
    else:
        text = (
            f"{figures.test_name(group)} uses {energy} of the {unbroken(joules(figures.app_j))} that the app used in all tests."
        )
    return Statement("test", text, "test", test_label(group.typical), app_j, interval, share, of_share)


def thread_statement(figures: Figures, thread: ThreadUse) -> Statement:
    """Return what threads of a name or role use, among all threads of the app."""
    is_of_role = thread in figures.roles
    if is_of_role and not thread.is_app:
        text = f"The threads “{thread.name}” use {energy_of(thread.energy_j, thread.interval)}, outside of app energy."
        return Statement("thread", text, "thread", thread.name, thread.energy_j, thread.interval)
    share, interval = figures.share_of_thread(thread)
    energy = f"{energy_of(thread.energy_j, thread.interval)} ({percent_of(share, interval)})"
    part = "Most" if interval.low > _MOST else "The largest part" if thread is figures.threads[0] else "A part"
    part = "A part" if figures.is_noise else part
    on = f"the threads “{thread.name}”" if is_of_role else f"the thread {thread_name(thread.name)}"
    text = f"{part} of the app's energy is used on {on}: {energy}."
    return Statement("thread", text, "thread", thread.name, thread.energy_j, thread.interval, share, interval)


def component_statement(figures: Figures, use: ComponentFigures) -> Statement:
    """Return what a component uses while tests run: by all owners, as a part of all recorded components, and by the app."""
    recorded_j = _recorded_j(figures)
    share = _share(use.energy_j, recorded_j)
    interval = Interval(_share(use.interval.low, recorded_j), _share(use.interval.high, recorded_j))
    energy = energy_of(use.energy_j, use.interval)
    if len(figures.components) > 1:
        energy += f" of the {unbroken(joules(recorded_j))} of all recorded components ({percent_of(share, interval)})"
    of_app = f", {unbroken(joules(use.app_j))} of it for the app" if use.app_j > 0 else ""
    text = f"While tests ran, {component_name(use.name)} used {energy}{of_app}."
    return Statement("component", text, "component", use.name, use.energy_j, use.interval, share, interval)


def thread_name(name: str) -> str:
    """Return a thread's name, or what stands for an empty one."""
    return name or "(no name)"


def component_name(name: str) -> str:
    """Return a component's name as a part of a sentence."""
    return "the CPU" if name == CPU else f"the component {name}"


def _calls(figures: Figures, method: MethodFigures) -> str:
    """Return the number of calls (or samples) of a run, and the thread or the single call that most of the energy is used in."""
    by_run = Spread(method.repeats.calls, method.repeats.exclusive_j.counts).counted
    mean, use = method.calls, figures.use_of(method.total.id)
    if figures.profile.is_sampled:
        calls = f"in {counted(round(mean), 'sample')}"
        return f"{calls} on {counted(len(use.threads), 'thread')}" if len(use.threads) > 1 else calls
    if set(by_run) == {1}:
        calls = "one call"
    else:
        is_same = len(set(by_run)) == 1
        calls = f"{mean:,.{0 if is_same or mean >= _MANY else 2}f} calls{'' if is_same else ' a run'}"
    if not use.threads:
        return f"in {calls}"
    whole_j = sum(use.threads.values())
    (part, part_j), (thread, thread_j) = next(iter(use.parts.items())), next(iter(use.threads.items()))
    if mean > 1 and part_j >= _MOST * whole_j > 0 and round(use.calls[part], 6) == 1:
        return f"in {calls}, {percent_of(part_j / whole_j)} of it in one call on {thread_name(part[1])}"
    if len(use.threads) == 1:
        return f"in {calls} on {thread_name(thread)}"
    most = f", {percent_of(thread_j / whole_j)} of it on {thread_name(thread)}" if thread_j >= _MOST * whole_j > 0 else ""
    return f"in {calls} on {len(use.threads):,} threads{most}"


def _calls_others(method: MethodFigures) -> bool:
    return method.self_j < _LEAF * method.inclusive_j


def _work(method: MethodFigures, figures: Figures) -> str:
    """Return how the method spends its time, where the recording shows it: only for methods that do their work themselves."""
    if component := _other_component(method, figures):
        return f"Most of it is energy of {component}."
    level = next((entry.level for entry in figures.profile.evidence if entry.component == CPU), "")
    is_noise = method.interval.low <= 0
    if method.inclusive_j <= 0 or is_noise or _calls_others(method) or method.wall_ns <= 0 or level not in _TIMED:
        return ""
    busy, time = method.cpu_ns / method.wall_ns, unbroken(duration(method.cpu_ns))
    if _BUSY <= busy <= _MOST_BUSY:
        return f"The method keeps a core busy for {time}."
    return f"The method runs for {time} of the {unbroken(duration(method.wall_ns))} that it takes." if busy <= _IDLE else ""


def _other_component(method: MethodFigures, figures: Figures) -> str:
    """Return the component, other than the CPU, that has most of a method's self energy. Empty if there is none."""
    parts = zip(method.components, figures.profile.components, strict=True)
    energy_j, name = max(parts, default=(0.0, CPU))
    return "" if name == CPU or energy_j < _MOST * method.self_j else component_name(name)


def _recorded_j(figures: Figures) -> float:
    return sum(use.energy_j for use in figures.components)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0
