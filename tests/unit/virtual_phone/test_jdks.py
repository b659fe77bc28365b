"""Which JDKs may be run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from bundle_maker import fake_java

from navitas.virtual_phone.host_java import JdkList, why_not


def test_an_own_jdk_is_trusted(tmp_path: Path) -> None:
    assert why_not(fake_java(tmp_path / "jdk", "")) == ""
    (tmp_path / "link").symlink_to("jdk")
    assert why_not(str(tmp_path / "link")) == ""


@pytest.mark.parametrize("part", ["jdk", "jdk/bin", "jdk/bin/java", "above"])
def test_a_part_of_another_user_is_not(tmp_path: Path, part: str) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to another user")
    (tmp_path / "above").mkdir()
    fake_java(tmp_path / "above" / "jdk", "")
    (tmp_path / "jdk").symlink_to("above/jdk")
    changed = tmp_path / part if part != "jdk" else tmp_path / "above" / "jdk"
    os.chown(changed, 65534, 65534)
    assert "belongs to another user" in why_not(str(tmp_path / "jdk"))


def test_another_user_s_link_to_a_trusted_jdk_is_not(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to another user")
    fake_java(tmp_path / "jdk", "")
    (tmp_path / "link").symlink_to("jdk")
    os.chown(tmp_path / "link", 65534, 65534, follow_symlinks=False)
    assert f"{tmp_path}/link belongs to another user" in why_not(str(tmp_path / "link"))


def test_another_user_s_link_behind_an_own_link_is_not(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to another user")
    fake_java(tmp_path / "jdk", "")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "link").symlink_to("../jdk")
    (tmp_path / "mine").symlink_to("theirs/../theirs/link")
    assert why_not(str(tmp_path / "mine")) == ""
    for changed in (tmp_path / "theirs", tmp_path / "theirs" / "link"):
        os.chown(changed, 65534, 65534, follow_symlinks=False)
        assert f"{changed} belongs to another user" in why_not(str(tmp_path / "mine"))
        os.chown(changed, 0, 0, follow_symlinks=False)


@pytest.mark.parametrize("part", ["above", "above/jdk", "above/jdk/bin"])
def test_one_that_everyone_can_replace_is_not(tmp_path: Path, part: str) -> None:
    home = fake_java(tmp_path / "above/jdk", "")
    (tmp_path / part).chmod(0o777)
    assert f"every user can replace files in {tmp_path / part}" in why_not(home)
    (tmp_path / part).chmod(0o1777)
    assert why_not(home) == ""


def test_a_program_that_everyone_can_change_is_not(tmp_path: Path) -> None:
    home = fake_java(tmp_path / "jdk", "")
    (tmp_path / "jdk/bin/java").chmod(0o777)
    assert "can be written by other users" in why_not(home)


def test_a_program_that_a_group_can_change_is_not(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to another group")
    home = fake_java(tmp_path / "jdk", "")
    (tmp_path / "jdk/bin/java").chmod(0o775)
    os.chown(tmp_path / "jdk/bin/java", -1, 65534)
    assert "can be written by other users" in why_not(home)


@pytest.mark.parametrize("home", ["/none", "/etc/passwd", "/proc/1/root/\u00ff" * 300])
def test_folders_that_are_not_a_jdk(home: str) -> None:
    assert why_not(home)


def test_a_list_holds_what_was_allowed_and_nothing_else(tmp_path: Path) -> None:
    own, other = fake_java(tmp_path / "own", ""), fake_java(tmp_path / "other", "")
    known = JdkList(tmp_path / "jdks")
    assert known.why_not(own)
    known.allow(own)
    known.allow(f"{other}\n{other}")
    assert not known.why_not(own) and known.why_not(other)
    JdkList(None).allow(own)
    assert JdkList(None).why_not(own)
