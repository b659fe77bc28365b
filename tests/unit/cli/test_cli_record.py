"""`navitas record`: what it takes for an app, and what it refuses before anything is built or measured."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from support.capture import Capture

from navitas.base.errors import UsageError
from navitas.capture.bundle.reader import Bundle
from navitas.cli.main import run
from navitas.cli.record import command as record
from navitas.cli.workflows import record as use_workflow
from navitas.cli.workflows.measurement import Caller


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project/app").mkdir(parents=True)
    (tmp_path / "project/build.gradle").touch()
    monkeypatch.chdir(tmp_path / "project/app")
    return tmp_path


def said(capsys: Capture, *words: str) -> str:
    assert run(["record", *words]) == 2
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("name", ["myapp", "org.example.app"])
def test_a_folder_without_a_build_file_is_no_package(place: Path, capsys: Capture, name: str) -> None:
    Path(name).mkdir()
    assert f"{name} is not a Gradle project: it has no build.gradle or settings.gradle" in said(capsys, name)


def test_a_path_is_no_package(place: Path, capsys: Capture) -> None:
    assert "no such folder: my/app" in said(capsys, "my/app")
    assert "'' is neither a package nor a Gradle project" in said(capsys, "")
    assert "a virtual phone starts without apps" in said(capsys, "org.example.app")


def test_messages_name_the_folder_instead_of_dots(place: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[Path] = []
    monkeypatch.setattr(record, "record_project", lambda project, *_, **__: recorded.append(project) or 0)
    monkeypatch.setattr(record, "report_measured", lambda measure, *_: measure(Caller()))
    monkeypatch.setattr(record, "report_measured", lambda measure, *_: measure(Caller()))
    assert run(["record", ".."]) == 0
    assert recorded == [place / "project"]
    monkeypatch.undo()
    monkeypatch.chdir(place / "project/app")
    monkeypatch.undo()
    monkeypatch.chdir(place / "project/app")
    assert f"{place / 'project/app'} is not a Gradle project" in said(capsys, ".")


@pytest.mark.parametrize("words", [["--", "am", "start"], ["--monkey", "5", "--", "am"], ["--device", "x", "--", "org.app"]])
def test_a_missing_app_is_said(place: Path, capsys: Capture, words: list[str]) -> None:
    assert "the app is missing before --" in said(capsys, *words)


def test_options_of_a_build_are_refused_for_a_package(place: Path, capsys: Capture) -> None:
    found = said(capsys, "org.example.app", "--device", "x", "--variant", "demoDebug")
    assert "--variant is for the build of a PROJECT, but org.example.app is a package" in found


def test_one_of_several_apps_must_be_chosen() -> None:
    bundles = [SimpleNamespace(manifest=SimpleNamespace(module=name)) for name in (":app", ":wear")]
    with pytest.raises(UsageError, match="shop has several apps: :app, :wear") as caught:
        use_workflow._only(Path("shop"), bundles)  # type: ignore[arg-type]
    assert caught.value.remedy == "choose one: --module :app"
    one: list[Bundle] = bundles[:1]  # type: ignore[assignment]
    assert use_workflow._only(Path("shop"), one) is one[0]
