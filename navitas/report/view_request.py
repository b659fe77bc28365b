"""The views that a report shows instead of its usual tables: top, timeline, and energy call tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from navitas.base.errors import UsageError
from navitas.base.near_names import near_names
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.energy_tree import EnergyTree
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.timeline import ComponentTimelines, runs_with

VIEWS = ("top", "timeline", "tree")


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """The requested views, and what they show.

    - `names`: of `VIEWS`, in the order in which they are shown.
    - `component`: shows this component only.
    - `step_ns`: the length of a step of the timeline. None selects a round one.
    - `depth`: the levels of the tree on the terminal.
    - `thread`: the name of threads, in the timeline and the tree.
    """

    names: tuple[str, ...]
    component: str | None = None
    step_ns: int | None = None
    depth: int = 8
    thread: str | None = None

    def check(self, profile: Profile) -> None:
        """Raise `UsageError` if the recording lacks the component or the thread."""
        if self.component is not None and self.component not in profile.components:
            raise _unknown("component", self.component, profile.components)
        if self.thread is not None and self.thread not in profile.thread_names:
            raise _unknown("thread", self.thread, profile.thread_names)

    def timelines(self, profile: Profile) -> tuple[int, Iterator[ComponentTimelines]]:
        """Return the number of runs with the thread, without baseline runs, and the timelines of each.

        Timelines are computed run by run, since they can have a million steps.
        """
        components = None if self.component is None else [self.component]
        runs = runs_with(profile.ledger, self.thread)
        return len(runs), (profile.timelines(components, run=run, step_ns=self.step_ns, thread=self.thread) for run in runs)

    def trees(self, profile: Profile) -> Sequence[EnergyTree]:
        """Return the trees of all threads, or of those with the name."""
        return [tree for tree in profile.energy_trees(self.component) if self.thread in (None, tree.name)]


def _unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    names = near_names(name, known)
    remedy = f"known are {names}" if names else f"the recording has no {what}s"
    return UsageError(f"no {what} {printable(name, 200)!r} in this recording", remedy)
