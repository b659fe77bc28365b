"""What the tables and the data of the page are made of, computed once: tests, methods and call trees."""

from __future__ import annotations

from functools import cached_property

from navitas.base.untrusted_text import boxed
from navitas.energy.analyze.bounded_tree import NON_THREADS, SMALLER_THREADS, FullTree, full_tree
from navitas.energy.analyze.earlier_tree import earlier_methods, joined_tree
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.repeats import Repeats
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.method_figures import MethodFigures
from navitas.recording.parse.tables import MethodTable
from navitas.report.figure_notes import basis_note
from navitas.report.page.differences import Compared, differences_note
from navitas.report.page_request import EarlierRecording, PageRequest

MAX_TESTS = 2000
"""The largest number of tests that the page lists. All others are one."""
_LONGEST_NAME = 300
_NO_THREADS = {*NON_THREADS.values(), SMALLER_THREADS}


def shown_text(name: str) -> str:
    """Return a name as the page's data has it."""
    return boxed(name, _LONGEST_NAME)


def thread_label(name: str, role: str) -> str:
    """Return what the page calls a thread. Only what is no thread has a name in parentheses, such as `(base)`."""
    label = shown_text(name)
    is_taken = label.startswith("(") and label.endswith(")") and (name, role) not in _NO_THREADS
    return f"thread {label}" if is_taken else label


class EarlierFigures:
    """Tests and methods of an earlier recording. Methods have the numbers of `earlier_methods`."""

    def __init__(self, earlier: EarlierRecording, methods: MethodTable) -> None:
        self.name, self.profile, self.figures = earlier.name, earlier.profile, Figures(earlier.profile)
        self._tests = {(group.module, group.class_name, group.method): group for group in self.figures.groups}
        numbers = earlier_methods(methods, self.profile.method_table)
        self.methods: dict[int, MethodFigures] = {int(numbers[method.total.id]): method for method in self.figures.methods}

    def test(self, group: Repeats) -> Repeats | None:
        """Return the same test in the earlier recording."""
        return self._tests.get((group.module, group.class_name, group.method))


class PageBasis(Figures):
    """The figures of one profile for the page, on the basis that `basis_note` states. Sums of all runs are per run."""

    def __init__(self, profile: Profile, request: PageRequest | None = None, max_tests: int = MAX_TESTS) -> None:
        super().__init__(profile)
        request = request or PageRequest()
        self.sources, self.operations = request.sources, request.operations
        self.before = None if request.before is None else EarlierFigures(request.before, profile.method_table)
        self.listed: list[Repeats] = self.groups[:max_tests]
        self.smaller: list[Repeats] = self.groups[max_tests:]

    @cached_property
    def tree(self) -> FullTree:
        """The call trees: test i is `listed[i]`, and the last one all of `smaller`, if there are any."""
        tests = [*([group] for group in self.listed), *([self.smaller] if self.smaller else [])]
        tree = full_tree(self.profile.ledger, tests)
        if self.before is None:
            return tree
        earlier = [[same for group in merged if (same := self.before.test(group)) is not None] for merged in tests]
        ledger = self.before.profile.ledger
        return joined_tree(self.profile.ledger, tree, ledger, full_tree(ledger, earlier))

    @property
    def sentence(self) -> str:
        """What the figures of the page are of, and what differences are from."""
        before, basis = self.before, basis_note(self) or "No test ran."
        return basis + ("" if before is None else f" {differences_note(before.name, before.profile, self.profile)}")

    def compared(self, figure: Repeats | MethodFigures) -> Compared:
        """Return the energy of a test or method in both recordings."""
        if self.before is None:
            return None
        if isinstance(figure, Repeats):
            return None if (test := self.before.test(figure)) is None else (test.app_j, figure.app_j)
        same = self.before.methods.get(figure.total.id)
        return None if same is None else (same.repeats.exclusive_j, figure.repeats.exclusive_j)
