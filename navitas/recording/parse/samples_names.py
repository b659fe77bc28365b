"""Frames as native profilers name them: what code they are of, and the function's name as its authors write it.

| a frame whose | is |
|---|---|
| file is the kernel (`[kernel.kallsyms]`, `kernel`, `vmlinux`) or a kernel module (`.ko`) | of the kernel |
| name is missing, `[unknown]`, an offset (`lib.so[+29c3f0]`), a library's path or an unwinder's error (`ERROR 2`) | unknown |
| file has compiled, just-in-time or interpreted Java code, and name has a class (`void a.B.run(int)`, `La/B;::run`) | Java |
| file or name is any other | native; names of C++ and Rust are demangled |

Java frames have no file and no descriptor: one method is in several files (`.odex`, `.vdex`, the JIT's cache), and only some of
them have its parameters. So its compiled, just-in-time compiled and interpreted frames are one frame.
"""

from __future__ import annotations

import re

from navitas.recording.parse.stack_samples import KERNEL, Frame

_KERNEL_FILE = re.compile(r"/?(?:\[kernel[^\]]*\].*|\[guest\.kernel.*|kernel|\[?vmlinux[^/]*\]?|.*/vmlinu[xz][^/]*)")
_KERNEL_MODULE = re.compile(r".*\.ko(?:\.\w+)?")
_JAVA_FILE = re.compile(
    r".*(?:\.(?:odex|oat|vdex|dex|jar|apk|art)(?: \(deleted\)|!classes\d*\.dex)?"
    r"|dalvik-jit-code-cache\]?|jit-(?:zygote-)?cache(?: \(deleted\))?|dalvik-classes.*|dalvik-DEX.*|\[?JIT app cache\]?"
    r"|perf-\d+\.map|jitted-\d+-\d+\.so)"
)
_JAVA_NAME = re.compile(r"(?:[^ ()]+ )?((?:[^ ()./:]+\.)+[^ ()./:]+?)(?:\(.*\))?( \[DEDUPED\])?")
_JVM_NAME = re.compile(r"(?:class )?L([^;.\[]+);(?:::|\.)?([^(:;]+)(?:\(.*)?")
_HOTSPOT_NAME = re.compile(r"(?:[^ ()]+ )?((?:[^ ()./:]+\.)*[^ ()./:]+)::([^ ()./:]+)(?:\(.*\))?")
_NO_NAME = re.compile(r"|\[?unknown\]?|.*\[\+[0-9a-fA-F]+\]|ERROR \w+|\?+|0x[0-9a-fA-F]+")
_MANGLED = ("_Z", "__Z", "_R", "___Z")
_LONGEST_MANGLED = 4096
_LONGEST = 1000


def function_frame(name: str, path: str, *, build_id: str = "", is_kernel: bool = False, file: str = "", line: int = 0) -> Frame:
    """Return the frame of a function. `path` is the file that has its code."""
    name, path = name[:_LONGEST_MANGLED].strip(), path[:_LONGEST]
    if is_kernel or _KERNEL_FILE.fullmatch(path) or _KERNEL_MODULE.fullmatch(path):
        return Frame("kernel", KERNEL, "", "" if _NO_NAME.fullmatch(name) else name[:_LONGEST])
    if not path and name.startswith("/"):  # so async-profiler names functions of a library without symbols
        return Frame("unknown", name[:_LONGEST], "", "")
    if _NO_NAME.fullmatch(name):
        return Frame("unknown", "" if path in ("ERROR", "/ERROR") else path, "", "", build_id=build_id)
    if _JAVA_FILE.fullmatch(path) and (method := _java(name)) is not None:
        return Frame("java", "", method[0][:_LONGEST], method[1][:_LONGEST], file=file, line=line)
    return Frame("native", path, "", demangled(name)[:_LONGEST], file=file, line=line, build_id=build_id)


def _java(name: str) -> tuple[str, str] | None:
    """The class, with dots, and the method that a name has."""
    if (match := _JVM_NAME.fullmatch(name)) is not None:
        return match[1].replace("/", "."), match[2]
    if (match := _HOTSPOT_NAME.fullmatch(name)) is not None:
        return match[1], match[2]
    if name.startswith(_MANGLED) or (match := _JAVA_NAME.fullmatch(name)) is None:
        return None
    class_name, _, method = match[1].rpartition(".")
    return class_name, method + (match[2] or "")


def demangled(name: str) -> str:
    """Return a symbol as it is in the source code of C++ or Rust, or unchanged if it is another one."""
    if not name.startswith(_MANGLED):
        return name
    from demangle import demangle  # noqa: PLC0415  # It takes 40 ms, and most recordings have no such names.

    readable: str = demangle(name, language=("itanium", "rust"))
    return readable
