"""What `navitas check` writes for a CI: a summary, annotations, SARIF and JUnit XML."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.cli.compare.input import check_output
from navitas.cli.compare.page import write_comparison
from navitas.cli.habits.files import STDOUT, check_distinct, write_to
from navitas.cli.habits.messages import location, warning
from navitas.cli.habits.option import gathered, option
from navitas.cli.habits.page_output import html_option
from navitas.cli.habits.paths import WRITE_ANY_NAME
from navitas.cli.habits.settings_file import repository_of
from navitas.cli.workflows.check import Sides
from navitas.insight.check.judgement import CheckResult, FailOn
from navitas.insight.compare.versions import compare_sessions
from navitas.report.check.annotations import annotation_commands
from navitas.report.check.check_junit import write_check_junit
from navitas.report.check.check_sarif import write_check_sarif
from navitas.report.check.check_summary import check_summary
from navitas.report.check.repository_lines import RepositoryLines
from navitas.report.markdown_text import escaped

_GITHUB_SUMMARY = "GITHUB_STEP_SUMMARY"


@dataclass(frozen=True, slots=True)
class CheckOutputs:
    """The files that a check writes; None: not this one."""

    summary_file: Path | None = None
    sarif_file: Path | None = None
    junit_file: Path | None = None
    html_file: Path | None = None

    def check(self, json_file: Path | None, inputs: Sequence[Path]) -> None:
        """Raise `UsageError` for files that overwrite each other or an input. Call it before the work."""
        named = {
            "--json": json_file, "--summary": self.summary_file, "--sarif": self.sarif_file, "--junit": self.junit_file,
            "--html": self.html_file,
        }  # fmt: skip
        check_distinct([file for file in named.values() if file is not None])
        for name, file in named.items():
            check_output(name, file, inputs)

    def write(self, result: CheckResult, sides: Sides, fail_on: FailOn, project: Path) -> bool:
        """Write the files, and print annotations in GitHub Actions. Returns whether standard output is free for text.

        `sides` are the judged sessions, `project` is the folder of the settings file. A summary that cannot be written is a
        warning, as is a page without a version before.
        """
        lines = RepositoryLines(repository_of(project), project, _blob_url(os.environ))
        if self.sarif_file is not None:
            write_to(self.sarif_file, lambda out: write_check_sarif(result, lines, out))
        if self.junit_file is not None:
            write_to(self.junit_file, lambda out: write_check_junit(result, fail_on, lines, out))
        self._write_summary(lambda: check_summary(result, fail_on, lines))
        if os.environ.get("GITHUB_ACTIONS") == "true":
            for text in annotation_commands(result, lines):
                location(text)
        if self.html_file is not None:
            self._write_page(sides)
        return STDOUT not in (self.summary_file, self.sarif_file, self.junit_file, self.html_file)

    def write_problem(self, problem: str) -> None:
        """Write a summary that says why nothing was judged."""
        self._write_summary(lambda: f"## Energy check: nothing was judged\n\n{escaped(problem)}\n")

    def _write_page(self, sides: Sides) -> None:
        if not sides[0]:
            warning("no page: there is no session of the version before")
            return
        try:
            compared = compare_sessions(*sides)
        except UsageError as error:
            warning(f"no page: {error.message}", error.remedy)
        else:
            write_comparison(self.html_file, compared)

    def _write_summary(self, summary: Callable[[], str]) -> None:
        of_job = os.environ.get(_GITHUB_SUMMARY)
        path = self.summary_file or (Path(of_job) if of_job else None)
        if path is None:
            return
        text = summary()
        try:
            if str(path) == of_job:  # Steps of a job add to one file.
                with path.open("a", encoding="utf-8") as out:
                    out.write(text)
            else:
                write_to(path, lambda out: out.write(text))
        except OSError as error:
            warning(f"no summary: cannot write {path}: {error.strerror}", "The verdict does not depend on it.")


outputs_option = gathered(
    "outputs",
    CheckOutputs,
    option(
        "--summary",
        "summary_file",
        type=WRITE_ANY_NAME,
        metavar="FILE",
        section="Output",
        help=f"Write a summary as Markdown. [${_GITHUB_SUMMARY}]",
    ),
    option(
        "--sarif",
        "sarif_file",
        type=WRITE_ANY_NAME,
        metavar="FILE",
        section="Output",
        help="Write SARIF, for tools of code review.",
    ),
    option(
        "--junit",
        "junit_file",
        type=WRITE_ANY_NAME,
        metavar="FILE",
        section="Output",
        help="Write JUnit XML, for CI servers.",
    ),
    html_option,
)
"""The options of output files, as the keyword argument `outputs`."""


def _blob_url(variables: Mapping[str, str]) -> str:
    """Return the address of the repository's files at the job's commit, from variables of GitHub or GitLab; else ""."""
    github = [variables.get(name) for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")]
    gitlab = [variables.get(name) for name in ("CI_PROJECT_URL", "CI_COMMIT_SHA")]
    if all(github):
        return "{}/{}/blob/{}".format(*github)
    return "{}/-/blob/{}".format(*gitlab) if all(gitlab) else ""
