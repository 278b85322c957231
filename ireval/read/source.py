"""Where bytes come from: a path, `-` for standard input, plain or compressed (told by magic bytes, not by name)."""

from __future__ import annotations

import io
import os
import stat
import sys
from typing import BinaryIO, cast

from ireval.errors import InputError, os_reason

_MAGIC = ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\xfd7zXZ\x00", "lzma"))
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"


class Source:
    """One input that can be opened as often as needed.

    A pipe can be read only once, so it is copied to a temporary file at the first opening.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.name = "<stdin>" if self.path == "-" else self.path
        self._spool: BinaryIO | None = None

    def fail(self, why: str, line: int | None = None, field: str = "") -> InputError:
        """An InputError about this file."""
        return InputError(self.name, line, field, why)

    def open(self) -> DecodedStream:
        """The decompressed bytes from the beginning, a byte-order mark left out."""
        try:
            raw = self._raw()
            start = raw.read(6)
            raw.seek(0)
        except OSError as error:
            raise self.fail(
                "expected a file, found a directory" if isinstance(error, IsADirectoryError) else os_reason(error)
            ) from None
        for magic, module in _MAGIC:
            if start.startswith(magic):
                opened = __import__(module)
                kind = {"gzip": "GzipFile", "bz2": "BZ2File", "lzma": "LZMAFile"}[module]
                stream = getattr(opened, kind)(raw, "rb") if module != "gzip" else opened.GzipFile(fileobj=raw)
                return DecodedStream(self, cast(BinaryIO, stream), compressed=True)
        if start[:2] in _UTF16:
            raise self.fail("expected plain or UTF-8 text, found UTF-16")
        return DecodedStream(self, raw, compressed=False)

    def is_spool(self, stream: BinaryIO) -> bool:
        """Whether this is the copy of a pipe."""
        return stream is self._spool

    def digest(self) -> str:
        """SHA-256 of the bytes as stored."""
        import hashlib

        raw, sha = self._raw(), hashlib.sha256()
        while block := raw.read(1 << 20):
            sha.update(block)
        return sha.hexdigest()

    def _raw(self) -> BinaryIO:
        if self._spool is not None:
            self._spool.seek(0)
            return self._spool
        if self.path == "-":
            given = _standard_input()
        else:
            given = open(self.path, "rb", buffering=0)
            if stat.S_ISREG(os.fstat(given.fileno()).st_mode):
                return given
        import shutil
        import tempfile

        copy = cast(BinaryIO, tempfile.TemporaryFile())
        shutil.copyfileobj(given, copy, 1 << 20)
        copy.seek(0)
        self._spool = copy
        return copy


def _standard_input() -> BinaryIO:
    """Standard input without a buffer of Python's: a thread that waits on that one cannot be left behind at the end."""
    try:
        return cast(BinaryIO, open(sys.stdin.fileno(), "rb", buffering=0, closefd=False))
    except (AttributeError, OSError, ValueError):  # closed, or replaced by something that is no file
        return cast(BinaryIO, getattr(sys.stdin, "buffer", io.BytesIO()))


class DecodedStream:
    """Fills buffers with decompressed bytes; a fault in the compressed data becomes an InputError."""

    def __init__(self, source: Source, stream: BinaryIO, *, compressed: bool) -> None:
        self.source, self._stream, self._compressed = source, stream, compressed
        self._first = True

    def fill(self, view: memoryview) -> int:
        """Read until the view is full or the input ends; how many bytes were read."""
        done = 0
        while done < len(view):
            try:
                got = self._stream.readinto(view[done:])  # type: ignore[attr-defined]
            except OSError as error:
                raise self._broken(error) if self._compressed else self.source.fail(os_reason(error)) from None
            except (EOFError, ValueError) as error:
                raise self._broken(error) from None
            except Exception as error:  # zlib.error and lzma.LZMAError are not OSErrors and need not be imported
                if type(error).__module__ in ("zlib", "_lzma", "lzma"):
                    raise self._broken(error) from None
                raise
            if not got:
                break
            done += got
        if self._first:
            self._first = False
            if bytes(view[: min(3, done)]) == _BOM:
                view[: done - 3] = bytes(view[3:done])
                return done - 3 + self.fill(view[done - 3 :])
        return done

    def close(self) -> None:
        """Close the file; a spooled pipe stays open, to be read again."""
        if not self.source.is_spool(self._stream):
            self._stream.close()

    def _broken(self, error: Exception) -> InputError:
        cut = isinstance(error, EOFError) or "end of" in str(error).lower() or "ended before" in str(error).lower()
        found = "it ends too early (truncated)" if cut else f"it is damaged ({str(error).strip('.').lower()})"
        return self.source.fail(f"expected complete compressed data, found that {found}")
