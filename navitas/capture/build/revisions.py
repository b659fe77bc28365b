"""Check out a revision of a user's project into a temporary folder. The user's repository is only read.

The folder is a repository of its own, which borrows the objects of the user's one. So git writes nothing there, not even if it is
killed, and uses none of its configuration: no hooks, filters or transports (see `navitas.capture.build.git`).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from navitas.base.errors import BuildError, UsageError
from navitas.base.owned_folder import owned_folder
from navitas.base.untrusted_text import printable, printable_list
from navitas.capture.build.git import commit_of, git_command, git_environment, git_program, run_git
from navitas.capture.build.process import run_streaming

_NAMES = 5
_SUBMODULE = b"160000 "
_SHALLOW = (
    "This clone is shallow: fetch the rest with `git fetch --unshallow`, or clone all of it, "
    "in GitHub Actions with `fetch-depth: 0` for actions/checkout."
)


def resolve(project: Path, revision: str) -> str:
    """Return the full hash of a revision of the project's repository.

    Raises `UsageError` if there is no git, no repository that git trusts, or no such commit; it then names the nearest refs.
    """
    found = commit_of(project, revision) if revision.isprintable() else None
    if found is None:
        _check_repository(project)
        names = _lines(project, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
        near = difflib.get_close_matches(revision[:200], names[:10_000], 3)
        nearest = f" (nearest: {printable_list(near, 3)})" if near else ""
        raise UsageError(
            f"'{printable(revision)}' is no commit of the repository of {project}{nearest}",
            _SHALLOW if _line(project, "rev-parse", "--is-shallow-repository") == "true" else "Name a branch, a tag or a hash.",
        )
    return found


def check_folder(project: Path, commit: str, name: str) -> None:
    """Raise `UsageError` that names a commit as `name` if it does not have the project's folder."""
    prefix = _line(project, "rev-parse", "--show-prefix").rstrip("/")
    found = run_git(project, "cat-file", "-e", f"{commit}:{prefix}")
    if found is None or found.returncode:
        raise UsageError(f"{name} has no folder {printable(prefix)}", "Name a revision with the project.")


@contextmanager
def checked_out(project: Path, revision: str, warn: Callable[[str], None] = lambda text: None) -> Iterator[Path]:
    """Check out a revision into a temporary folder, and yield the project's folder in it.

    Uncommitted changes are not part of it. `warn` receives the names of submodules, whose folders are empty. The folder is
    removed at the end of the block, or by a later process if this one is killed.

    Raises `UsageError` for an unknown revision, or one without the project's folder; `BuildError` if git fails.
    """
    commit = resolve(project, revision)
    top, prefix = (_line(project, "rev-parse", one) for one in ("--show-toplevel", "--show-prefix"))
    with owned_folder("navitas-revision-") as parent:
        # Gradle names a project by its folder, unless its settings do.
        folder = parent / (Path(top).name or "project")
        _check_out(project, commit, folder)
        found = folder / prefix
        if not found.is_dir() or not found.resolve().is_relative_to(folder.resolve()):
            raise UsageError(f"{printable(revision)} has no folder {printable(prefix)}", "Name a revision with the project.")
        if submodules := _submodules(folder):
            warn(f"submodules of {printable(revision)} are left out: {printable_list(submodules, _NAMES)}")
        yield found


def without_checkout(text: str, project: Path) -> str:
    """Return a text without the folders of a checkout of `project`, which are temporary: files are relative to them."""
    real = project.resolve()
    top = next((folder for folder in (real, *real.parents) if (folder / ".git").exists()), real)
    for folder in dict.fromkeys((str(project), str(real), str(top))):
        text = text.replace(f"{folder}: ", "").replace(f"{folder}/", "").replace(folder, "the project")
    return text


def _check_out(project: Path, commit: str, folder: Path) -> None:
    objects = (project / _line(project, "rev-parse", "--git-path", "objects")).resolve()
    shallow = project / _line(project, "rev-parse", "--git-path", "shallow")
    kind = _line(project, "rev-parse", "--show-object-format")
    _git(folder.parent, "init", "--quiet", "--template=", f"--object-format={kind}", str(folder))
    info = folder / ".git/objects/info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "alternates").write_text(f"{_quoted(str(objects))}\n", "utf-8", "surrogateescape")
    if shallow.is_file():
        (folder / ".git/shallow").write_bytes(shallow.read_bytes())
    _git(folder, "update-ref", "--no-deref", "HEAD", commit)
    _git(folder, "reset", "--quiet", "--hard")  # `checkout` does not fail if a file is missing


def _submodules(folder: Path) -> list[str]:
    listed = run_git(folder, "ls-files", "--stage", "-z")
    entries = [] if listed is None else listed.stdout.split(b"\0")
    return [one.partition(b"\t")[2].decode("utf-8", "replace") for one in entries if one.startswith(_SUBMODULE)]


def _quoted(path: str) -> str:
    """A path as git quotes it, which can have any character."""
    return '"' + "".join(f"\\{ord(char):03o}" if char < " " or char in '"\\' else char for char in path) + '"'


def _git(folder: Path, *arguments: str) -> None:
    """Run a command of git that may take long. Raises `BuildError` with its output if it fails."""
    program = git_program()
    assert program is not None
    lines: list[str] = []
    # Git LFS would load files from a server.
    environment = git_environment() | {"GIT_LFS_SKIP_SMUDGE": "1"}
    if run_streaming(git_command(program, *arguments), cwd=folder, on_line=lines.append, env=environment):
        last = "".join(f"\n  {printable(line)}" for line in lines[-_NAMES:])
        raise BuildError(
            f"git {arguments[0]} failed:{last}",
            "Check the repository with `git fsck`. A partial clone lacks files of other revisions.",
        )


def _line(project: Path, *arguments: str) -> str:
    return "\n".join(_lines(project, *arguments))


def _lines(project: Path, *arguments: str) -> list[str]:
    found = run_git(project, *arguments)
    if found is None or found.returncode:
        raise BuildError(f"{project}: git {arguments[0]} failed", "Check the repository with `git fsck`.")
    return found.stdout.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")


def _check_repository(project: Path) -> None:
    if git_program() is None:
        raise UsageError("there is no git on PATH", "Install git.")
    if (found := run_git(project, "rev-parse", "--git-dir")) is None or found.returncode:
        raise UsageError(
            f"{project} is not in a git repository that git trusts",
            "Name a project in a repository. If it belongs to another user, see safe.directory in git-config(1).",
        )
