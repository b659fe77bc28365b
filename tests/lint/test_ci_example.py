"""The form of examples/ci and of the job in docs/tutorial-ci.md. tests/integration/test_example_ci.py runs the example."""

from __future__ import annotations

import re

from source_tree import DOCS, ROOT, text

WORKFLOW = text(ROOT / "examples/ci/.github/workflows/energy.yml")
SCRIPT = text(ROOT / "examples/ci/check.sh")
TUTORIAL = text(DOCS / "tutorial-ci.md")
_JOB = re.search(r"```yaml\n(.*?)```", TUTORIAL, re.DOTALL)


def test_all_install_the_extra_that_check_needs() -> None:
    for example in (WORKFLOW, SCRIPT):
        assert re.findall(r'wheel="(.*)" ;;', example) == ["navitas[compare] @ $NAVITAS_WHEEL", "$NAVITAS_WHEEL[compare]"]
        assert "scipy" not in example
    for page in (text(ROOT / "README.md"), text(DOCS / "check.md")):
        assert re.search(r"\[extra\s`compare`\]", page) and "py3-none-any.whl[compare]'" in page
    assert "extra `compare`" in TUTORIAL


def test_the_cache_of_the_workflow_is_for_one_python() -> None:
    """The environment in ~/navitas is broken under another one."""
    assert re.search(r"setup-python@v\d+\n +id: python\n", WORKFLOW)
    (key,) = re.findall(r"key: (.*)", WORKFLOW)
    assert "${{ steps.python.outputs.python-version }}" in key


def test_the_job_of_gitlab_names_an_image_and_installs_what_navitas_needs() -> None:
    assert _JOB is not None
    job = _JOB[1]
    (image,) = re.findall(r"^  image: (\S+)$", job, re.MULTILINE)
    (packages,) = re.findall(r"apt-get install -y (.*)", job)
    assert image == "debian:12", "the packages are those of docs/installing.md for this release"
    assert {"adb", "git", "gradle", "openjdk-17-jdk-headless", "python3-venv"} == set(packages.split())
    needed = re.search(r"sudo apt install (.*?)`", text(DOCS / "installing.md"))
    assert needed is not None and set(needed[1].split()) - {"pipx"} <= set(packages.split())
