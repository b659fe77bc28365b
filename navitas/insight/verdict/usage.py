"""The rules of what uses the energy. Each returns a statement, or None where it has nothing to say."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot

from navitas.base.counts import counted
from navitas.base.units import duration, joules, unbroken
from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.roll_up import MethodTotal
from navitas.energy.analyze.spread import MethodRepeats
from navitas.insight.verdict.figures import Figures, MethodUse
from navitas.insight.verdict.statement import Statement

_LEAF = 0.95
"""A method with at least this share of its inclusive energy as self energy makes the CPU time of its calls itself."""
_BUSY = 0.8
_IDLE = 0.2
_MOST = 0.5
_LEAST_OUTSIDE = 0.2
_LEAST_COMPONENT = 0.05


def largest_method(figures: Figures) -> Statement | None:
    """The method with the most self energy, and where and how it uses it."""
    method = next(iter(figures.methods), None)
    if method is None or figures.app_j <= 0 or not (self_j := method.exclusive_j.median) > 0:
        return None
    share, half = share_of(method, figures)
    use = figures.use_of(method.total.id)
    text = (
        f"{figures.names.label(method.total.id)} uses {_figure(joules(self_j))} of the {_figure(joules(figures.app_j))} that the"
        f" app used ({percent_of(share, half)}), {_calls(method)}{_threads(use)}{_work(method, figures)}."
    )
    return Statement("largest_method", text, "method", figures.names.label(method.total.id), self_j, share, half)


def next_methods(figures: Figures) -> Statement | None:
    """The methods that use most of the rest, so that the reader knows how much the first one matters."""
    others = [method for method in figures.methods[1:3] if figures.app_j > 0 and method.exclusive_j.median > 0]
    shares = [share_of(method, figures) for method in others]
    listed = [
        f"{figures.names.label(method.total.id)} ({percent_of(share, half)})"
        for method, (share, half) in zip(others, shares, strict=True)
        if share >= _LEAST_COMPONENT
    ]
    return Statement("next_methods", f"Then follow {' and '.join(listed)}.") if listed else None


def largest_test(figures: Figures) -> Statement | None:
    """The test with the most app energy, among several."""
    if len(figures.groups) < 2 or figures.app_j <= 0:
        return None
    group = figures.groups[0]
    app_j, half_j = group.app_j.median, figures.profile.app_half_width_j(group)
    share, half = app_j / figures.app_j, half_j / figures.app_j
    name = f"{group.class_name}#{group.method}"
    text = (
        f"Of {counted(len(figures.groups), 'test')}, {name} uses the most: {_figure(joules(app_j))} ({percent_of(share, half)})."
    )
    return Statement("largest_test", text, "test", name, app_j, share, half)


def largest_thread(figures: Figures) -> Statement | None:
    """The thread with the most energy, among several."""
    total_j = sum(thread.energy_j for thread in figures.threads)
    if len(figures.threads) < 2 or total_j <= 0:
        return None
    thread = figures.threads[0]
    share = thread.energy_j / total_j
    name = thread.name or "(no name)"
    energy = f"{_figure(joules(thread.energy_j))} ({percent_of(share)})"
    text = f"{_part(share)} of the app's energy is used on the thread {name}: {energy}."
    return Statement("largest_thread", text, "thread", name, thread.energy_j, share)


def outside_methods(figures: Figures) -> Statement | None:
    """Energy of the app's threads outside all methods with probes."""
    total_j, outside_j = (sum(getattr(thread, name) for thread in figures.threads) for name in ("energy_j", "untraced_j"))
    if total_j <= 0 or outside_j < _LEAST_OUTSIDE * total_j:
        return None
    share = outside_j / total_j
    text = (
        f"{_figure(joules(outside_j))} ({percent_of(share)}) of the app's energy is outside all recorded methods, so no method"
        " explains it."
    )
    return Statement("outside_methods", text, "app", "", outside_j, share)


def largest_component(figures: Figures) -> Statement | None:
    """The component with the most energy of the whole phone, and the one that the app itself uses most."""
    top = figures.profile.top()
    uses = top.shown()
    if len(uses) < 2 or top.energy_j <= 0:
        return None
    first = uses[0]
    share = first.energy_j / top.energy_j
    runs = figures.repeats
    text = (
        f"Of the {_figure(joules(top.energy_j / runs))} that the whole phone used, {percent_of(share)} are"
        f" {_component(first.component)} ({_figure(joules(first.energy_j / runs))})"
    )
    app = max(uses, key=lambda use: use.threads_j)
    if app.threads_j > 0 and app is not first:
        text += f"; the app itself used most in {_component(app.component)}: {_figure(joules(app.threads_j / runs))}"
    return Statement("largest_component", f"{text}.", "component", first.component, first.energy_j / runs, share)


def base_energy(figures: Figures) -> Statement | None:
    """Energy that flows because time passes, where it is most of all."""
    totals = figures.profile.totals
    if totals.energy_j <= 0 or totals.base_j < _MOST * totals.energy_j:
        return None
    share = totals.base_j / totals.energy_j
    text = (
        f"{percent_of(share)} of all energy is base energy, which the phone uses because time passes: shorter waiting saves more"
        " of it than less work."
    )
    return Statement("base_energy", text, energy_j=totals.base_j / figures.repeats, share=share)


def nothing_measured(figures: Figures) -> Statement | None:
    """No test ran, or the app used no energy."""
    if figures.groups and figures.app_j > 0:
        return None
    if not figures.groups:
        return Statement("no_tests", "No test ran, so nothing can be said about the energy of tests.")
    return Statement("no_app_energy", "The tests ran, and no energy of the app's threads was measured.")


RULES: tuple[Callable[[Figures], Statement | None], ...] = (
    nothing_measured,
    largest_method,
    next_methods,
    outside_methods,
    largest_test,
    largest_thread,
    largest_component,
    base_energy,
)
"""The rules in the order of their statements."""


def share_of(method: MethodRepeats, figures: Figures) -> tuple[float, float]:
    """Return a method's self energy as a share of app energy, and half of the width of its 95 % interval.

    Errors that the method and the app share cancel in part, so the width is an upper bound.
    """
    share = method.exclusive_j.median / figures.app_j
    return share, hypot(method.self_half_width_j / figures.app_j, share * figures.app_half_width_j / figures.app_j)


def percent_of(share: float, half: float | None = None) -> str:
    """Return `21 ± 1 %`, or `21 %` without an interval."""
    digits = 0 if share >= 0.1 else 1
    if half is None:
        return _figure(f"{100 * share:.{digits}f} %")
    width = f"{100 * half:.{digits}f}"
    if not float(width):
        return _figure(f"{100 * share:.1f} ± {max(100 * half, 0.1):.1f} %")
    return _figure(f"{100 * share:.{digits}f} ± {width} %")


def _calls(method: MethodRepeats) -> str:
    calls = round(method.total.calls / len(method.calls))
    if calls <= 1:
        return "all of it in one call"
    each = method.exclusive_j.median / calls
    return f"in {calls:,} calls of {_figure(joules(each))} each on average"


def _threads(use: MethodUse) -> str:
    if not use.threads:
        return ""
    return f" on {use.threads[0] or '(no name)'}" if len(use.threads) == 1 else f" on {len(use.threads)} threads"


def _work(method: MethodRepeats, figures: Figures) -> str:
    """Return how the method spends its time, where the recording shows it: only for methods that do their work themselves."""
    total, runs = method.total, len(method.calls)
    component = _other_component(total, figures)
    if component:
        return f"; most of that is energy of {component}"
    if total.inclusive_j <= 0 or total.exclusive_j < _LEAF * total.inclusive_j or total.wall_ns <= 0:
        return ""
    busy, time = total.cpu_ns / total.wall_ns, _figure(duration(total.cpu_ns / runs))
    if busy >= _BUSY:
        return f": it keeps a core busy for {time}"
    if busy <= _IDLE:
        return f": it runs for {time} and waits the rest of {_figure(duration(total.wall_ns / runs))}"
    return ""


def _other_component(total: MethodTotal, figures: Figures) -> str:
    """Return the component, other than the CPU, that has most of a method's self energy. Empty if there is none."""
    names = figures.profile.components
    place = max(range(len(names)), key=lambda index: total.components[index], default=None)
    if place is None or names[place] == CPU or total.components[place] < _MOST * total.exclusive_j:
        return ""
    return _component(names[place])


def _component(name: str) -> str:
    return "the CPU" if name == CPU else f"the component {name}"


def _part(share: float) -> str:
    return "Most" if share > _MOST else "The largest part"


def _figure(text: str) -> str:
    return unbroken(text)
