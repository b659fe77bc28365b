"""The terminal report of views: top, timeline, and energy call tree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from rich.console import Console, Group, RenderableType
from rich.text import Text

from navitas.analyze.profile import Profile
from navitas.counts import counted
from navitas.report.terminal.call_trees import energy_tree_table
from navitas.report.terminal.components_table import components_table, consumers_table, users_table
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.terminal.power_table import PowerOverTime
from navitas.report.terminal.summary import evidence, header, warnings
from navitas.report.units import joules, unbroken
from navitas.report.view_request import ViewRequest

_NO_USER = "No thread used it."


class ViewsReport:
    """Prints the requested views, the evidence, and the warnings. At most `top` runs, threads and callees are listed."""

    def __init__(self, views: ViewRequest, top: int = 20) -> None:
        self._views = views
        self._top = top

    def render(self, profile: Profile, console: Console) -> None:
        """Print the views. Raises `UsageError` if the recording lacks what they show."""
        self._views.check(profile)
        shown = {"top": self._shares, "timeline": self._timelines, "tree": self._trees}
        parts = [part for name in self._views.names for part in ("", *shown[name](profile))]
        console.print(Group(*header(profile), *parts, "", *evidence(profile, self._views.component), *warnings(profile)))

    def _shares(self, profile: Profile) -> Iterator[RenderableType]:
        component = self._views.component
        yield components_table(profile, component)
        yield ""
        yield users_table(profile, component)
        if profile.consumers and component is None:
            yield ""
            yield consumers_table(profile)

    def _timelines(self, profile: Profile) -> Iterator[RenderableType]:
        count, found = self._views.timelines(profile)
        shown = [use.component for use in profile.top().shown(self._views.component)]
        if self._views.thread is not None:
            yield Paragraph("Charges of calls, such as the tail of a radio, count at the time of the call.", style="dim")
        for place, timelines in enumerate(islice(found, self._top)):
            yield from [""] if place else []
            yield PowerOverTime(timelines.of(shown), rows=self._views.step_ns is not None)
        yield from _more(count - self._top, "run")

    def _trees(self, profile: Profile) -> Iterator[RenderableType]:
        every = self._views.trees(profile)
        trees = [tree for tree in every if len(tree.nodes) or self._views.thread is not None]
        for place, tree in enumerate(trees[: self._top]):
            yield from [""] if place else []
            yield energy_tree_table(profile, tree, depth=self._views.depth, most=self._top)
        if not every:
            yield Paragraph(_NO_USER, style="dim")
        yield from _more(len(trees) - self._top, "thread")
        rest = [tree.energy_j for tree in every if not len(tree.nodes)]
        if rest and self._views.thread is None:
            threads = counted(len(rest), "thread")
            yield Paragraph(f"… {threads} without traced calls: {unbroken(joules(sum(rest)))}", style="dim")


def _more(count: int, what: str) -> Iterator[RenderableType]:
    if count > 0:
        yield Text(f"… {counted(count, f'more {what}')} (--top)", style="dim")
