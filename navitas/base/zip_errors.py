"""The exceptions that zipfile raises for damaged files, besides `OSError` for damaged bzip2, which may have other causes."""

import lzma
import struct
import zipfile
import zlib

UNREADABLE_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
    OverflowError,
)
