"""Checkouts of a revision leave the user's repository as it is, and run nothing of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.git_repository import git, needs_git, plain_git, repository, set_traps

from navitas.base.errors import BuildError, UsageError
from navitas.capture.build.git import Revision, revision
from navitas.capture.build.revisions import checked_out, resolve

pytestmark = [needs_git, pytest.mark.usefixtures("plain_git")]


def contents(folder: Path) -> dict[str, bytes | None]:
    return {str(path): None if path.is_dir() else path.read_bytes() for path in sorted(folder.rglob("*"))}


def second_commit(repository: Path, text: str = "b") -> str:
    (repository / "app/file").write_text(text)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", text)
    return git(repository, "rev-parse", "HEAD")


def test_a_checkout_has_the_revision_and_leaves_the_repository_unchanged(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    second_commit(repository)
    git(repository, "tag", "v2")
    (repository / "app/file").write_text("uncommitted")
    before = contents(repository)
    with checked_out(repository / "app", "HEAD~1") as project:
        assert (project / "file").read_text() == "a"
        assert (project.name, project.parent.name) == ("app", repository.name), "Gradle names projects by folders"
        assert revision(project) == Revision(first, dirty=False)
        (project / "build").mkdir()
    assert not project.parent.exists() and not project.parent.parent.exists()
    with checked_out(repository, "v2") as project:
        assert (project / "app/file").read_text() == "b", "without uncommitted changes"
        assert git(project, "rev-list", "--count", "HEAD") == "2", "builds derive versions from the history"
    assert contents(repository) == before


def test_revisions_are_resolved_to_full_hashes(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    assert resolve(repository, "main") == resolve(repository / "app", head[:8]) == resolve(repository, "@") == head


@pytest.mark.parametrize("name", ["", "--all", "-h", "main..main", "v1^{tree}", "a\nb", "\ud800", "x" * 10_000, "0" * 40])
def test_what_is_no_commit_is_refused(repository: Path, name: str) -> None:
    git(repository, "tag", "v1")
    with pytest.raises(UsageError, match="is no commit of the repository"):
        resolve(repository, name)


def test_an_unknown_revision_names_the_nearest_refs(repository: Path) -> None:
    git(repository, "branch", "feature/scroll")
    with (
        pytest.raises(UsageError, match=r"'feature/scrol' is no commit .* \(nearest: feature/scroll\)"),
        checked_out(repository, "feature/scrol"),
    ):
        pass


def test_a_project_without_a_repository_or_git_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="is not in a git repository"):
        resolve(tmp_path, "HEAD")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="no git on PATH"):
        resolve(tmp_path, "HEAD")


def test_a_revision_without_the_project_is_named(repository: Path) -> None:
    (repository / "new").mkdir()
    (repository / "new/file").touch()
    second_commit(repository)
    with pytest.raises(UsageError, match="HEAD~1 has no folder new"), checked_out(repository / "new", "HEAD~1"):
        pass


def test_a_project_that_leads_out_of_the_checkout_is_refused(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repository / "link").symlink_to(tmp_path / "elsewhere")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "link")
    (repository / "link").unlink()
    (repository / "link").mkdir()
    with pytest.raises(UsageError, match="has no folder link"), checked_out(repository / "link", "HEAD"):
        pass


def test_submodules_are_named(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{head},libs/näh")
    git(repository, "commit", "-qm", "submodule")
    warnings: list[str] = []
    with checked_out(repository, "HEAD", warnings.append) as project:
        assert list((project / "libs/näh").iterdir()) == []
    assert warnings == ["submodules of HEAD are left out: libs/näh"]


def test_no_code_of_the_repository_runs(repository: Path) -> None:
    (repository / ".gitattributes").write_text("* filter=x diff=x\n")
    second_commit(repository)
    ran = set_traps(repository, "filter.x.smudge", "filter.x.clean", "filter.x.process")
    ran.unlink(missing_ok=True)
    before = contents(repository)
    with checked_out(repository, "HEAD") as project:
        assert (project / "app/file").read_text() == "b"
    assert not ran.exists(), ran.read_text()
    assert contents(repository) == before


def test_worktrees_and_shallow_clones_and_unusual_paths(repository: Path, tmp_path: Path) -> None:
    second_commit(repository)
    unusual = tmp_path / '"quoted" \\ # \n new:line é'
    git(repository, "worktree", "add", "-q", str(tmp_path / "other"), "HEAD~1")
    with checked_out(tmp_path / "other", "HEAD") as project:
        assert (project / "app/file").read_text() == "a"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", str(unusual))
    with checked_out(unusual, "HEAD") as project:
        assert (project / "app/file").read_text() == "b"
        assert git(project, "rev-list", "--count", "HEAD") == "1"
    with pytest.raises(UsageError) as refused, checked_out(unusual, "HEAD~1"):
        pass
    assert "git fetch --unshallow" in refused.value.remedy and "fetch-depth: 0" in refused.value.remedy


def test_missing_objects_are_named(repository: Path) -> None:
    blob = git(repository, "rev-parse", "HEAD:app/file")
    (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(BuildError, match="git reset failed:\n  error: .*" + blob), checked_out(repository, "HEAD"):
        pass


def test_the_environment_names_no_other_repository(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "none"))
    with checked_out(repository, "HEAD") as project:
        assert (project / "app/file").read_text() == "a"
    assert not (tmp_path / "index").exists() and os.environ["GIT_DIR"]
