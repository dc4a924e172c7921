"""Compressed files: how they are recognised and read, and what is wrong with damaged ones."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from irbounds.foundation.errors import InputError, InputFileError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# The first bytes of files, the modules that read them, and what they are called.
KINDS = {
    b"\x1f\x8b": ("gzip", "gzip"),
    b"\xfd7zXZ\x00": ("lzma", "xz"),
    b"BZh": ("bz2", "bzip2"),
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd"),
    b"\x50\x2a\x4d\x18": ("zstd", "zstd"),  # a frame to be skipped comes first, as of pzstd
}
UNREAD = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "an Excel workbook of before 2007",
}
# The modules of errors with which the readers refuse damaged files, which are imported to read such
# a file alone.  Errors of bz2 and gzip are OSErrors without a number.
MODULES = ("_lzma", "zlib", "zstandard", "compression", "_zstd")
SUFFIXES = {
    ".gz": "gzip",
    ".xz": "xz",
    ".bz2": "bzip2",
    ".zst": "zstd",
    ".lzma": "",
    ".lz4": "",
    ".z": "",
    ".zip": "",
    ".7z": "",
    ".br": "",
    ".sz": "",
}
TRUNCATED = "the compressed file ends too early: it is truncated"
# Bytes of a file that are decompressed at once.  Three of zstd can stand for 128 KiB, so that these
# may become 180 MB; in usual files they become 16 KiB.
PIECE = 1 << 12
# Decompressed bytes, a second's work, that are looked at to tell a damaged file from one that was
# wrong before it was compressed.
MOST_LOOKED_AT = 1 << 28


def decompressed(file: io.BufferedReader, head: bytes) -> io.BufferedReader:
    """A file that begins with these bytes, decompressed; the same file where it is not compressed.

    Reading it raises InputFileError where the file is damaged or truncated.
    """
    for magic, (module, kind) in KINDS.items():
        if 1 < len(head) < len(magic) and magic.startswith(head):
            raise InputFileError(TRUNCATED)
        if head.startswith(magic):
            return io.BufferedReader(Filled(_Decompressed(_reader(module, file), kind)), 1 << 16)
    for magic, kind in UNREAD.items():
        if head.startswith(magic):
            raise InputError(f"this is {kind}: save it as CSV, or unpack it")
    return file


def damage_of(file: io.BufferedReader) -> str:
    """The fault in the compression that the rest of a file shows; empty if there is none."""
    if not isinstance(getattr(getattr(file, "raw", None), "source", None), _Decompressed):
        return ""
    try:
        for _ in range(MOST_LOOKED_AT // io.DEFAULT_BUFFER_SIZE):
            if not file.read(io.DEFAULT_BUFFER_SIZE):
                break
    except InputFileError as error:
        return str(error)
    return ""


def said_by_name(name: str) -> str:
    """For a message: the compression that the name of a file which is no text promises."""
    suffix = next((each for each in SUFFIXES if name.lower().endswith(each)), None)
    if suffix is None:
        return ""
    if SUFFIXES[suffix]:
        return f"; nor is it {SUFFIXES[suffix]}, as its name says"
    return f"; compressed files are read if they are gzip, xz, bzip2 or zstd, not {suffix}"


class Filled(io.RawIOBase):
    """A source whose reads are as long as they can be: a pipe gives what has come so far, and a
    format may be recognised by more."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.error: InputFileError | None = None

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, to: WriteableBuffer) -> int:
        """As many bytes as there is room for, or as are left."""
        if self.error is not None:
            raise self.error
        n = 0
        with memoryview(to) as view:
            while n < len(view):
                try:
                    found = self.source.readinto(view[n:])
                except InputFileError as error:  # what came before it is read first
                    if not n:
                        raise
                    self.error = error
                    break
                if found is None:  # a source that does not wait has no end yet
                    raise BlockingIOError(errno.EAGAIN, "it has no data yet and does not wait")
                if not found:
                    break
                n += found
        return n


class _Decompressed(io.RawIOBase):
    """The bytes of a compressed file, whose reader's errors become InputFileErrors."""

    def __init__(self, reader: Any, kind: str) -> None:
        self.reader = reader
        self.kind = kind

    def readable(self) -> bool:
        return True

    def readinto(self, to: WriteableBuffer) -> int:
        try:
            return int(self.reader.readinto(to))
        except EOFError:
            raise InputFileError(TRUNCATED) from None
        except OSError as error:
            if error.errno is not None:
                raise
            problem = str(error)
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in MODULES:
                raise
            problem = str(error)
        problem = " ".join(problem.split())
        raise InputFileError(f"the {self.kind} file is damaged{_in_english(problem)}") from None


def _in_english(problem: str) -> str:
    """The part of a reader's message that says more than that a file is damaged."""
    if problem.startswith("Not a gzipped file") or any(
        words in problem for words in ("Unknown frame descriptor", "format not supported")
    ):
        return ": other bytes follow the compressed ones"
    if "CRC" in problem or "checksum" in problem or "incorrect data check" in problem:
        return ": its checksum is another one than that of its content"
    if "method" in problem or "flags" in problem:
        return ": its header is wrong"
    return ": its compressed bytes are wrong"


def _reader(module: str, file: Any) -> Any:
    if module == "gzip":
        return importlib.import_module(module).open(file, "rb")
    if module == "bz2":
        return _StreamReader(importlib.import_module(module).BZ2Decompressor, file)
    if module == "lzma":
        return _StreamReader(importlib.import_module(module).LZMADecompressor, file)
    with contextlib.suppress(ImportError):  # from Python 3.14 on
        return importlib.import_module("compression.zstd").open(file, "rb")
    try:
        zstandard = importlib.import_module("zstandard")
    except ImportError:
        raise InputFileError('zstd files need zstandard: pip install "irbounds[zstd]"') from None
    decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 31)
    return _StreamReader(decompressor.decompressobj, file, bounded=False)


class _StreamReader:
    """The bytes of compressed streams, one after another.

    The modules' own readers are not used: that of zstandard takes a truncated file for a whole one,
    and those of bz2 and lzma leave out all that follows a stream if its first bytes are damaged.
    """

    def __init__(self, make: Callable[[], Any], file: Any, *, bounded: bool = True) -> None:
        self.make = make
        self.file = file
        self.most = (io.DEFAULT_BUFFER_SIZE,) if bounded else ()  # bytes that come at once
        self.stream: Any = None
        self.is_first = True
        self.compressed = b""
        self.ready = memoryview(b"")

    def readinto(self, to: memoryview) -> int:
        while not self.ready:
            if not self.compressed and getattr(self.stream, "needs_input", True):
                self.compressed = self.file.read(PIECE)
                if not self.compressed:
                    if self.stream is not None:
                        raise EOFError
                    return 0
            if self.stream is None and not self.is_first:
                self.compressed = self.compressed.lstrip(b"\0")  # padding, as gzip and xz allow
                if not self.compressed:
                    continue
            self.ready = memoryview(self._decompress())
        n = min(len(to), len(self.ready))
        to[:n] = self.ready[:n]
        self.ready = self.ready[n:]
        return n

    def _decompress(self) -> bytes:
        if self.stream is None:
            self.stream = self.make()
        found: bytes = self.stream.decompress(self.compressed, *self.most)
        self.compressed = b""
        if self.stream.eof:
            self.compressed, self.stream = self.stream.unused_data, None
            self.is_first = False
        return found
