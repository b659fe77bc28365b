"""The exceptions that zipfile raises for damaged files."""

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
