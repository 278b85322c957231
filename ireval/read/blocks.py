"""A stream cut into blocks of whole lines, of which a reader may give back the end."""

from __future__ import annotations

import numpy as np

from ireval.core.columns import PADDING, Bytes
from ireval.errors import InputError
from ireval.read.source import Source
from ireval.read.tokens import Fault

BLOCK_SIZE = 2 << 20
"""Bytes read at once: few enough to stay in the processor's cache."""


class LineBlocks:
    """A buffer over a stream: `size` bytes of whole lines at its beginning, the first of them line `line`."""

    def __init__(
        self, source: Source, block_size: int | None = None, header: tuple[bytes, bytes] | None = None
    ) -> None:
        """header: how a description before the data begins and ends; it is passed over."""
        self.source = source
        self._stream = source.open()
        self.buffer: Bytes = np.zeros((block_size or BLOCK_SIZE) + PADDING, np.uint8)
        self.line = 1
        self.size = 0
        self.ended = False
        self._filled = 0
        self._header = header

    def read(self) -> bool:
        """Fill the buffer; False when nothing is left."""
        capacity = len(self.buffer) - PADDING
        if not self.ended and self._filled < capacity - 1:
            got = self._stream.fill(memoryview(self.buffer)[self._filled : capacity - 1])  # type: ignore[arg-type]
            self._filled += got
            if self._filled < capacity - 1:
                self.ended = True
                self._stream.close()
                if self._filled and self.buffer[self._filled - 1] != 10:
                    self.buffer[self._filled] = 10
                    self._filled += 1
        self.size = self._whole_lines()
        if self.size == 0 and not self.ended:
            self._refuse_binary()
            self.grow()
            return self.read()
        if self._header is not None:
            return self._pass_header(*self._header)
        return self.size > 0

    def _pass_header(self, begin: bytes, end: bytes) -> bool:
        """Forget the lines of a description, if the input begins with one; whether anything is left."""
        self._header = None
        block = self.buffer[: self.size].tobytes()
        if block.startswith(begin):
            stop = max(block.find(end), 0)
            size = block.find(b"\n", stop) + 1
            self.drop(size, self.line + block.count(b"\n", 0, size))
            return self.read()
        return self.size > 0

    def grow(self) -> None:
        """Make room for more, when one line or one topic is larger than the buffer."""
        larger = np.zeros(2 * len(self.buffer), np.uint8)
        larger[: self._filled] = self.buffer[: self._filled]
        self.buffer = larger

    def keep(self) -> Bytes:
        """A tight copy of the whole lines, to be held on to."""
        return self.buffer[: self.size + PADDING].copy()

    def drop(self, size: int, next_line: int) -> None:
        """Forget the first bytes; what follows begins line `next_line`.

        The rest goes to a buffer of its own: whoever still works on this one is not disturbed.
        """
        rest = self.buffer[size : self._filled]
        self.buffer = np.empty(len(self.buffer), np.uint8)
        self.buffer[: len(rest)] = rest
        self._filled = len(rest)
        self.line = next_line

    def drop_all(self) -> None:
        """Forget the whole lines in the buffer."""
        self.drop(self.size, self.line + int(np.count_nonzero(self.buffer[: self.size] == 10)))

    def fault(self, line: int, start: int, end: int, field: str, why: str) -> InputError:
        """An InputError that shows the line around buffer[start:end]."""
        text = self.buffer[: self._filled].tobytes()
        begin = text.rfind(b"\n", 0, start) + 1
        stop = text.find(b"\n", end)
        shown = text[begin : stop if stop >= 0 else len(text)]
        return InputError(self.source.name, line, field, why, text=shown, span=(start - begin, end - begin))

    def line_fault(self, fault: Fault, expected: str) -> InputError:
        """An InputError for a line that could not be cut into fields."""
        if fault.count < 0:
            return self._binary(fault.start, fault.line)
        found = f"{fault.count} field" + ("s" if fault.count != 1 else "")
        return self.fault(fault.line, fault.start, fault.end, "line", f"expected {expected}, found {found}")

    def _binary(self, at: int, line: int) -> InputError:
        why = f"expected text, found binary data (byte 0x{int(self.buffer[at]):02x})"
        return InputError(self.source.name, line, "", why)

    def _whole_lines(self) -> int:
        if self._filled and self.buffer[self._filled - 1] == 10:
            return self._filled
        step = 1 << 16
        for end in range(self._filled, 0, -step):
            found = self.buffer[max(0, end - step) : end].tobytes().rfind(b"\n")
            if found >= 0:
                return max(0, end - step) + found + 1
        return 0

    def _refuse_binary(self) -> None:
        block = self.buffer[: self._filled]
        odd = np.flatnonzero((block < 32) & ((block < 9) | (block > 13)))
        if len(odd):
            raise self._binary(int(odd[0]), self.line)
