"""The example for CI: a repository with a pull request, and the steps of its workflow."""

from __future__ import annotations

import re
import shutil
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/ci"
WORKFLOW = EXAMPLE / ".github/workflows/energy.yml"
SOURCE = "src/main/java/org/example/primes/Primes.java"
SLOWER = ("if (isPrime(n))", "if (isPrime(n) && isPrime(n))")
"""A change that finds each prime twice."""


def run_steps() -> list[str]:
    """Return the shell commands of the workflow, as GitHub gives them to `bash -e`."""
    steps = []
    for block in re.split(r"^      - ", WORKFLOW.read_text("utf-8").partition("    steps:\n")[2], flags=re.MULTILINE)[1:]:
        before, run, text = block.partition("run: ")
        if not run or "uses: " in before:
            continue
        style, _, rest = text.partition("\n")
        lines = [line for line in rest.split("\n") if line.startswith(" " * 10)]
        body = textwrap.dedent("\n".join(lines))
        steps.append({"|": body, ">-": body.replace("\n", " ")}.get(style, style))
    return steps


def copy_example(project: Path) -> Path:
    """Copy the example without what builds of it have left."""
    return shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("build", ".gradle"))


def pull_request(project: Path, change: tuple[str, str] = SLOWER) -> str:
    """Return the command that makes a repository of a copy, with a change on a branch, and a clone, `checkout`, next to it.

    In the clone, `origin/main` is the branch to compare with.
    """
    old, new = (re.sub(r"([&/\\])", r"\\\1", text) for text in change)
    git = "git -c user.name=a -c user.email=a@example.org"
    return (
        f"cd '{project}' && git init -q && {git} add . && {git} commit -qm first && git branch -M main && "
        f"git checkout -qb change && sed -i 's/{old}/{new}/' {SOURCE} && "
        f"{git} commit -qam 'Change' && cd .. && git clone -q file://$PWD/{project.name} checkout"
    )
