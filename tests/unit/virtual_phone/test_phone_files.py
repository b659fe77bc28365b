"""The phone's file tree: nothing leaves it, and it answers as a phone does."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.virtual_phone.file_tree import FileTree
from navitas.virtual_phone.identity import SHELL, Identity

TMP = "/data/local/tmp"
names = st.sampled_from(["data", "local", "tmp", "link", "up", "proc", "self", "..", ".", "", "x", "etc"])


@pytest.fixture
def tree(tmp_path: Path) -> FileTree:
    (tmp_path / "outside").write_text("outside")
    tree = FileTree(tmp_path / "root")
    tree.symlink("/", f"{TMP}/link")
    tree.symlink("../../../../../..", f"{TMP}/up")
    return tree


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> FileTree:
    tree = FileTree(tmp_path_factory.mktemp("phone") / "root")
    tree.symlink("/", f"{TMP}/link")
    tree.symlink("../../../../../..", f"{TMP}/up")
    return tree


@given(st.lists(names, max_size=12).map("/".join), st.booleans())
def test_every_path_is_inside(linked: FileTree, path: str, follow: bool) -> None:
    real = linked.real_path(f"{TMP}/{path}", follow=follow)
    assert real.startswith("/") and "//" not in real and ".." not in real.split("/")
    if real == "/proc/self" or real.startswith("/proc/self/"):
        return
    host = linked._host(real)
    resolved = host.parent.resolve() / host.name if host != linked.root else host
    assert resolved == linked.root.resolve() or linked.root.resolve() in resolved.parents


def _errno(action: Callable[[], object]) -> int:
    with pytest.raises(OSError) as caught:
        action()
    assert caught.value.errno is not None
    return caught.value.errno


def test_a_chain_of_symlinks_ends(tree: FileTree) -> None:
    tree.symlink(f"{TMP}/b", f"{TMP}/a")
    tree.symlink(f"{TMP}/a", f"{TMP}/b")
    assert _errno(lambda: tree.stat(f"{TMP}/a")) == errno.ELOOP
    assert tree.stat(f"{TMP}/a", follow=False).target == f"{TMP}/b"


def test_the_jvm_s_proc_self_is_not_the_phone_s(tree: FileTree) -> None:
    assert (tree.root / "proc/self").readlink() == Path("/proc/self")
    for path in ("/proc/self/environ", "/proc/self/root/etc/passwd", "/proc/self/cwd"):
        assert _errno(lambda path=path: tree.open_read(path)) == errno.ENOENT
        assert _errno(lambda path=path: tree.stat(path)) == errno.ENOENT
    assert tree.stat("/proc/self", follow=False).is_link


def test_live_nodes_are_read_at_the_moment(tree: FileTree) -> None:
    values = iter([b"1", b"2"])
    tree.add_node("/sys/deep/folder/value", lambda: next(values))
    assert [tree.open_read("/sys/deep/folder/value").read() for _ in range(2)] == [b"1", b"2"]
    assert tree.listdir("/sys/deep") == ["folder"]
    assert tree.stat("/sys/deep/folder").is_dir
    assert not (tree.root / "sys/deep").exists()


def test_devices(tree: FileTree) -> None:
    assert tree.open_read("/dev/null").read() == b""
    with tree.open_write("/dev/null") as null:
        assert null.write(b"gone") == 4
    assert tree.listdir("/dev") == ["null", "socket"]


def test_a_pipe_left_by_an_app_does_not_block(tree: FileTree) -> None:
    os.mkfifo(tree.root / "data/local/tmp/pipe")
    assert _errno(lambda: tree.open_read(f"{TMP}/pipe")) == errno.EACCES


def test_files_and_folders(tree: FileTree) -> None:
    tree.mkdir(f"{TMP}/d")
    with tree.open_write(f"{TMP}/d/f") as file:
        file.write(b"one")
    with tree.open_write(f"{TMP}/d/f", append=True) as file:
        file.write(b" two")
    tree.chmod(f"{TMP}/d/f", 0o640)
    tree.utime(f"{TMP}/d/f", 1000)
    info = tree.stat(f"{TMP}/d/f")
    assert (info.mode & 0o777, info.size, info.mtime, info.uid) == (0o640, 7, 1000, 2000)
    assert _errno(lambda: tree.rmdir(f"{TMP}/d")) == errno.ENOTEMPTY
    tree.rename(f"{TMP}/d/f", f"{TMP}/g")
    tree.rmdir(f"{TMP}/d")
    tree.remove(f"{TMP}/g")
    assert tree.listdir(TMP) == ["link", "up"]


APP = Identity(10100, "u0_a100", "com.app")


@pytest.mark.parametrize(
    ("path", "who", "code"),
    [
        ("/system/x", SHELL, errno.EROFS),
        ("/x", SHELL, errno.EROFS),
        ("/data/x", SHELL, errno.EACCES),
        ("/data/app/com.app/x", SHELL, errno.EACCES),
        ("/sys/x", SHELL, errno.EACCES),
        ("/proc/x", SHELL, errno.EACCES),
        ("/data/data/com.app/x", SHELL, errno.EACCES),
        ("/data/user/0/com.app/x", SHELL, errno.EACCES),
        ("/data/data/com.other/x", APP, errno.EACCES),
        ("/data/local/tmp/x", APP, errno.EACCES),
        ("/data/local/tmp/link/system/x", SHELL, errno.EROFS),
    ],
)
def test_what_may_not_be_written(tree: FileTree, path: str, who: Identity, code: int) -> None:
    assert _errno(lambda: tree.open_write(path, who)) == code
    assert _errno(lambda: tree.mkdir(path, who)) == code
    assert _errno(lambda: tree.rename(f"{TMP}/link", path, who)) in (code, errno.EACCES)


def test_a_folder_is_not_a_file(tree: FileTree) -> None:
    assert _errno(lambda: tree.open_write(TMP)) == errno.EISDIR


def test_an_app_writes_its_own_data(tree: FileTree) -> None:
    (tree.root / "data/data/com.app").mkdir()
    with tree.open_write("/data/user/0/com.app/x", APP) as file:
        file.write(b"mine")
    assert tree.open_read("/data/data/com.app/x", APP).read() == b"mine"
    assert _errno(lambda: tree.open_read("/data/data/com.app/x")) == errno.EACCES


def test_a_null_byte_is_not_a_path(tree: FileTree) -> None:
    assert _errno(lambda: tree.stat(f"{TMP}/a\0b")) == errno.EINVAL
