"""Standard output, with manners: whole, quiet when the reader goes away, harmless on a terminal."""

from __future__ import annotations

import os
import sys


def put(text: bytes) -> bool:
    """Write all of it to standard output; False when nobody reads any more."""
    if sys.stdout.isatty():
        text = harmless(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    rest = memoryview(text)
    try:
        while len(rest):  # where Python does not buffer (PYTHONUNBUFFERED), a part may be written at a time
            rest = rest[sys.stdout.buffer.write(rest) or 0 :]
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        discard_output()
        return False
    return True


def discard_output() -> None:
    """Send what may still be printed nowhere, so that Python does not fail when it flushes at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def harmless(text: str) -> str:
    """The text for a terminal: control characters and undecodable bytes as JSON writes them, lines and tabs kept."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\u{ord(c):04x}" for c in text)
