"""Choose which tests of which bundle run: those that the build would run, or those that the user names."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain

from navitas.base.errors import UsageError
from navitas.base.test_patterns import (
    TestName,
    argument_lists,
    class_arguments,
    named,
    names_class,
    no_match,
    none_found,
)
from navitas.capture.bundle.manifest import AndroidManifest, TestTask
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.runs.instrument import list_tests
from navitas.capture.collect.runs.target import RunnerError, target_of
from navitas.capture.collect.state.guard import Warn
from navitas.capture.device.base import Device

_PARALLEL_LISTINGS = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """A bundle and the arguments (`am instrument -e class`) of its runs."""

    bundle: Bundle
    class_arguments: tuple[str, ...]


@dataclass(slots=True)
class _Listed:
    """A bundle's tests: those in its test roots, those that the user names in addition, and those to run."""

    bundle: Bundle
    tests: list[TestName]
    named: list[TestName] = field(default_factory=list)
    chosen: set[TestName] = field(default_factory=set)

    def would_run(self) -> list[TestName]:
        """Return the tests that the build itself would run."""
        return [test for test in self.tests if runs(self.bundle.manifest.test_task, test)]

    def choice(self, *, isolate: bool) -> Choice | None:
        everything = [*self.tests, *self.named]
        wanted = [test for test in everything if test in self.chosen]
        manifest = self.bundle.manifest
        is_isolated = isolate or (isinstance(manifest, AndroidManifest) and manifest.orchestrator)
        groups = [[test] for test in wanted] if is_isolated else self._by_process(wanted)
        arguments = [text for group in groups for text in class_arguments(group, everything, by_default=self.tests)]
        return Choice(self.bundle, tuple(arguments)) if wanted else None

    def _by_process(self, tests: list[TestName]) -> list[list[TestName]]:
        """Group tests by process: as many test classes in each as the build's `forkEvery` says, or all in one.

        On the JUnit Platform, tests of nested classes belong to the outermost class.
        """
        task = self.bundle.manifest.test_task
        if not task.fork_every:
            return [tests]
        by_class: dict[str, list[TestName]] = {}
        for test in tests:
            name = test.class_name.partition("$")[0] if task.framework == "junit-platform" else test.class_name
            by_class.setdefault(name, []).append(test)
        classes = list(by_class.values())
        starts = range(0, len(classes), task.fork_every)
        return [list(chain.from_iterable(classes[start : start + task.fork_every])) for start in starts]


def choose(
    device: Device, bundles: Sequence[Bundle], patterns: Sequence[str], warn: Warn, *, isolate: bool = False
) -> list[Choice]:
    """Choose the tests to run, for all bundles together, because a pattern may match in one module only.

    `isolate` puts each test in its own process, as AndroidX Test Orchestrator does. Without patterns, choose the tests that the
    build's own test tasks would run. A pattern that matches none of these may name what the build excludes.
    Bundles whose tests cannot be listed are left out with a warning.
    Raises `UsageError` if nothing is chosen, `RunnerError` if no bundle's tests can be listed.
    """
    listed = _list(device, bundles, warn)
    for pattern in patterns:
        _choose_named(device, listed, pattern)
    if not patterns:
        for one in listed:
            one.chosen.update(one.would_run())
    choices = [choice for one in listed if (choice := one.choice(isolate=isolate))]
    if not choices:
        raise _nothing_to_run(listed)
    return choices


def _list(device: Device, bundles: Sequence[Bundle], warn: Warn) -> list[_Listed]:
    """List the tests of all bundles, several bundles at a time: starting a process for each takes most of the time."""
    listed: list[_Listed] = []
    failures: list[tuple[str, RunnerError]] = []
    with ThreadPoolExecutor(min(_PARALLEL_LISTINGS, os.cpu_count() or 1)) as pool:
        for bundle, tests in zip(bundles, pool.map(partial(_tests, device), bundles), strict=True):
            if isinstance(tests, RunnerError):
                failures.append((bundle.manifest.module, tests))
            else:
                listed.append(_Listed(bundle, tests))
    if failures and not listed:
        raise failures[0][1]
    for module, error in failures:
        warn("tests_not_listed", f"{module} is left out: {error.message}", error.remedy)
    return listed


def _tests(device: Device, bundle: Bundle) -> list[TestName] | RunnerError:
    if bundle.manifest.test_task.framework == "testng":
        return RunnerError("its tests use TestNG, which is not supported", "use JUnit, or name other modules with --module")
    try:
        return list_tests(device, target_of(bundle))
    except RunnerError as error:
        return error


def _choose_named(device: Device, listed: Sequence[_Listed], pattern: str) -> None:
    """Choose the first of these that a pattern names: tests that would run, listed tests, tests of excluded classes."""
    sources: tuple[Callable[[_Listed], list[TestName]], ...] = (
        _Listed.would_run,
        lambda one: one.tests,
        lambda one: _left_out(device, one, pattern),
    )
    for source in sources:
        found = False
        for one in listed:
            chosen = {test for listed_test in source(one) if (test := named(pattern, listed_test))}
            one.named += sorted(chosen.difference(one.tests, one.named))
            one.chosen |= chosen
            found = found or bool(chosen)
        if found:
            return
    everything = [test for one in listed for test in one.tests]
    raise no_match(pattern, everything) if everything else none_found()


def _left_out(device: Device, one: _Listed, pattern: str) -> list[TestName]:
    """List the tests of the excluded classes that a pattern names, and add them to the bundle's tests."""
    classes = [name for name in one.bundle.manifest.test_task.left_out if names_class(pattern, name)]
    for some in argument_lists(classes):
        found = list_tests(device, target_of(one.bundle), some)
        # JUnit reports a named class without tests as one with an initialization error.
        one.named += [test for test in found if test.method != "initializationError" and test not in one.named]
    return one.named


def _nothing_to_run(listed: Sequence[_Listed]) -> UsageError:
    for one in listed:
        task = one.bundle.manifest.test_task
        if one.tests or task.left_out:
            return UsageError(f"{one.bundle.manifest.module}: no test would run: {reason(task)}", "name tests with --tests")
    return none_found()


def runs(task: TestTask, test: TestName) -> bool:
    """Return whether the task is enabled and its `filter { }` accepts the test."""
    return task.enabled and (not task.include or _any(task.include, test)) and not _any(task.exclude, test)


def reason(task: TestTask) -> str:
    """Return why a task runs none, or not all, of its tests."""
    return f"the build's task `{task.name}` " + ("leaves them out" if task.enabled else "is disabled")


def _any(patterns: Sequence[str], test: TestName) -> bool:
    return any(_matches(pattern, test) for pattern in patterns)


def _matches(pattern: str, test: TestName) -> bool:
    """Match as Gradle does: `*` stands for any characters; a pattern names a class, or a class and a method; a pattern that
    begins with an upper-case letter names a class without its package (TestSelectionMatcher)."""
    name = test.class_name.rpartition(".")[2] if pattern[:1].isupper() else test.class_name
    stars_alone = pattern.replace("[", "[[]").replace("?", "[?]")
    return any(fnmatchcase(text, stars_alone) for text in (name, f"{name}.{test.method}", f"{name}.{test.plain_method}"))
