"""What code a native profiler's frame is of, and the name of its function."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.recording.parse.frame_names import is_stub
from navitas.recording.parse.samples_names import demangled, function_frame

APK = "/data/app/~~x==/org.example-y==/base.apk"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("void org.example.Main$Inner.run(int, java.lang.String)", "/data/app/org.example/oat/arm64/base.odex"),
        ("org.example.Main$Inner.run", "/data/app/org.example/oat/arm64/base.vdex"),
        ("org.example.Main$Inner.run", APK),
        ("org.example.Main$Inner.run", f"{APK}!classes2.dex"),
        ("org.example.Main$Inner.run", "[anon:dalvik-jit-code-cache]"),
        ("org.example.Main$Inner.run", "/memfd:jit-cache (deleted)"),
        ("org.example.Main$Inner.run", "[JIT app cache]"),
        ("Lorg/example/Main$Inner;::run", "/tmp/perf-812.map"),
        ("Lorg/example/Main$Inner;.run", "/tmp/perf-812.map"),
        ("void org.example.Main$Inner::run(int)", "/tmp/perf-812.map"),
        ("org.example.Main$Inner::run", "/root/.debug/jit/jitted-812-1.so"),
    ],
)
def test_frames_of_a_java_method_are_one_frame_wherever_its_code_is(name: str, path: str) -> None:
    frame = function_frame(name, path, build_id="ab")
    assert (frame.kind, frame.module, frame.class_name, frame.name) == ("java", "", "org.example.Main$Inner", "run")
    assert (frame.descriptor, frame.build_id) == ("", "")


@pytest.mark.parametrize(
    ("name", "path", "kind", "shown"),
    [
        ("org.example.Main.<init>", APK, "java", "<init>"),
        ("android.view.View.draw [DEDUPED]", "/system/framework/arm64/boot-framework.oat", "java", "draw [DEDUPED]"),
        ("_ZN7android6Parcel4readEi", f"{APK}!lib/arm64/libapp.so", "native", "android::Parcel::read(int)"),
        ("memcpy", APK, "native", "memcpy"),
        ("std::vector<int>::push_back(int const&)", "/usr/lib/libx.so", "native", "std::vector<int>::push_back(int const&)"),
        ("_RNvC6_123foo3bar", "/usr/bin/prog", "native", "123foo::bar"),
        ("_ZN4core3fmt9Formatter3pad17h9b2b3a0e5b4d1b31E", "/usr/bin/prog", "native", "core::fmt::Formatter::pad"),
        ("schedule", "[kernel.kallsyms]", "kernel", "schedule"),
        ("schedule", "/kernel", "kernel", "schedule"),
        ("schedule", "/usr/lib/debug/boot/vmlinux-6.1.0", "kernel", "schedule"),
        ("wlan_rx", "/vendor/lib/modules/wlan.ko", "kernel", "wlan_rx"),
        ("__vdso_clock_gettime", "[vdso]", "native", "__vdso_clock_gettime"),
        ("libGLESv2.so[+29c3f0]", "/vendor/lib64/libGLESv2.so", "unknown", ""),
        ("[unknown]", "/usr/lib/libc.so.6", "unknown", ""),
        ("", "/usr/lib/libc.so.6", "unknown", ""),
        ("ERROR MEMORY_INVALID", "/ERROR", "unknown", ""),
    ],
)
def test_the_kind_follows_from_file_and_name(name: str, path: str, kind: str, shown: str) -> None:
    frame = function_frame(name, path)
    assert (frame.kind, frame.name) == (kind, shown)
    assert frame.module == ("[kernel]" if kind == "kernel" else "" if kind == "java" or "ERROR" in path else path)


@pytest.mark.parametrize(
    "name",
    [
        "nterp_op_invoke_virtual",
        "ExecuteNterpImpl",
        "ExecuteSwitchImplAsm",
        "void art::interpreter::ExecuteSwitchImplCpp<false>(art::interpreter::SwitchImplContext*)",
        "art::interpreter::Execute(art::Thread*, art::CodeItemDataAccessor const&, art::ShadowFrame&, art::JValue, bool, bool)",
        "art_quick_invoke_static_stub",
        "art_quick_imt_conflict_trampoline",
        "artQuickToInterpreterBridge",
        "artInvokeInterfaceTrampoline(unsigned int, art::mirror::Object*, art::Thread*, art::ArtMethod**)",
        "art::ArtMethod::Invoke(art::Thread*, unsigned int*, unsigned int, art::JValue*, char const*)",
    ],
)
def test_frames_of_arts_interpreter_and_its_bridges_are_no_methods(name: str) -> None:
    assert is_stub(function_frame(name, "/apex/com.android.art/lib64/libart.so"))
    assert not is_stub(function_frame(name, "/data/app/org.example/lib/arm64/libgame.so"))


def test_work_of_the_runtime_is_a_function() -> None:
    libart = "/apex/com.android.art/lib64/libart.so"
    names = ["art::gc::Heap::AllocObject", "art::JNI<false>::FindClass(_JNIEnv*, char const*)", "artAllocObjectFromCode"]
    assert not any(is_stub(function_frame(name, libart)) for name in names)


def test_only_symbols_of_cpp_and_rust_are_changed() -> None:
    assert [demangled(name) for name in ("fib__Fi", "main", "?x", "_Z", "_ZN", "_Rust")] == [
        "fib__Fi",
        "main",
        "?x",
        "_Z",
        "_ZN",
        "_Rust",
    ]


def test_names_that_would_expand_without_end_are_read_in_bounded_time() -> None:
    # Each template argument repeats the one before twice.
    numbers = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    bomb = "_Z1f1AIiiE" + "".join(f"S_IS{numbers[i]}_S{numbers[i]}_E" for i in range(36))
    deep = "_Z1f" + "P" * 100_000 + "i"
    begin = time.process_time()
    assert len(function_frame(bomb, "/x.so").name) <= 1000 and len(function_frame(deep, "/x.so").name) <= 1000
    assert time.process_time() - begin < 5


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_name_has_a_frame(name: str, path: str) -> None:
    frame = function_frame(name, path)
    assert frame.kind in ("java", "native", "kernel", "unknown") and len(frame.module) <= 1000
