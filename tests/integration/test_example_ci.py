"""The example for CI, step for step, from a built wheel. Only the CI's variables are made up."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.ci_example import SOURCE, WORKFLOW, copy_example, pull_request, run_steps
from support.git_repository import needs_git
from support.new_user import NewUser

pytestmark = [pytest.mark.usefixtures("jvm"), pytest.mark.extended, needs_git]


class Job:
    """A job's checkout of a pull request, and the variables of GitHub."""

    def __init__(self, user: NewUser, wheel: Path, checkout: Path) -> None:
        self.user, self.checkout = user, checkout
        self.summary = user.work / "summary.md"
        self.summary.write_text("Of a step before.\n")
        self.variables = {
            "GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main", "GITHUB_SHA": "1234", "GITHUB_REPOSITORY": "a/b",
            "GITHUB_SERVER_URL": "https://github.example", "GITHUB_STEP_SUMMARY": str(self.summary),
            "NAVITAS_WHEEL": str(wheel), "HOME": str(user.home), "GRADLE_USER_HOME": str(user.gradle_home),
        }  # fmt: skip

    def run(self, step: str, folder: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = self.user.environment | self.variables | variables
        return subprocess.run(
            ["bash", "-e", "-c", step],
            cwd=folder or self.checkout,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory, gradle: str) -> NewUser:
    return NewUser(tmp_path_factory.mktemp("user"), gradle)


@pytest.fixture(scope="module")
def job(user: NewUser, released: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Job]:
    """A job whose tools are installed, at a pull request that finds each prime twice."""
    folder = tmp_path_factory.mktemp("repositories")
    user.run(pull_request(copy_example(folder / "project")))
    (wheel,) = released.glob("*.whl")
    made = Job(user, wheel, folder / "checkout")
    install = run_steps()[0]
    missing = made.run(install, NAVITAS_WHEEL="")
    assert missing.returncode != 0 and "set NAVITAS_WHEEL in this workflow" in missing.stderr
    shutil.rmtree(user.home / "navitas")
    done = made.run(install)
    if done.returncode != 0 and "No matching distribution found" in done.stderr:
        pytest.skip("no package registry")
    assert done.returncode == 0, done.stderr
    again = made.run(install, NAVITAS_WHEEL="")
    assert again.returncode == 0, "tools from the cache are not installed again"
    yield made
    made.run("gradle --stop")


def test_a_fork_without_secrets_has_all_that_the_workflow_needs() -> None:
    text = WORKFLOW.read_text("utf-8")
    assert "secrets." not in text and "vars." not in text
    assert len(run_steps()) == 2 and "fetch-depth: 0" in text


def test_the_workflow_fails_a_pull_request_that_costs_energy_and_says_why(job: Job) -> None:
    _, check = run_steps()
    done = job.run(check)
    assert done.returncode == 1, done.stdout + done.stderr
    line = 1 + (job.checkout / SOURCE).read_text().split("\n").index("    static boolean isPrime(int n) {") + 1
    annotation = rf"^::error file={SOURCE},line={line},title=Above its energy budget::org\.example\.primes\.Primes\.isPrime\("
    assert re.search(annotation, done.stderr, re.MULTILINE), done.stderr
    summary = job.summary.read_text("utf-8")
    assert summary.startswith("Of a step before.\n## Energy check failed: above the limit\n")
    assert f"https://github.example/a/b/blob/1234/{SOURCE}#L{line}" in summary
    made = job.checkout / "build/energy"
    document = json.loads((made / "check.json").read_text("utf-8"))
    assert document["same_session"] and document["verdict"] == "above"
    results = json.loads((made / "check.sarif").read_text("utf-8"))["runs"][0]["results"]
    assert SOURCE in [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results]
    assert int(ElementTree.parse(made / "check.xml").getroot().get("failures", "0")) >= 1
    assert "isPrime" in (made / "changes.html").read_text("utf-8")
    assert job.run("~/navitas/bin/navitas report build/energy/recordings/after").returncode == 0, "the artifact can be read"


def test_the_script_for_any_other_ci_does_the_same(job: Job) -> None:
    others = {name: "" for name in job.variables if name.startswith("GITHUB_")}
    done = job.run("sh check.sh", MINUTES="1", **others)
    assert done.returncode == 1, done.stdout + done.stderr
    made = job.checkout / "build/energy"
    assert (made / "summary.md").read_text("utf-8").startswith("## Energy check failed: above the limit\n")
    assert all((made / name).is_file() for name in ("check.json", "check.sarif", "check.xml", "changes.html"))
    assert "::error" not in done.stderr


def test_a_shallow_clone_says_what_to_fetch(job: Job, tmp_path: Path) -> None:
    origin = job.checkout.parent / "project"
    job.run(f"git clone -q --depth=1 'file://{origin}' '{tmp_path}/shallow'")
    done = job.run("sh check.sh", tmp_path / "shallow")
    assert done.returncode == 2 and "git fetch --unshallow origin main:refs/remotes/origin/main" in done.stderr
    installed, check = (job.run(step, tmp_path / "shallow") for step in run_steps())
    assert installed.returncode == 0, installed.stderr
    assert check.returncode == 2 and "fetch-depth: 0" in check.stderr, check.stderr
