"""Output with manners: files whole or not at all; standard output quiet when the reader goes away."""

from __future__ import annotations

import os
import sys

from ireval.errors import UsageError, os_reason, printable


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


def make_folder(path: str) -> None:
    """Make a folder to write to, unless it is there."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{printable(path)}: cannot be made: {os_reason(error)}") from None


def write_whole(path: str, text: bytes) -> None:
    """Write a file so that nobody ever sees half of it. A device or a pipe is written to, a link followed."""
    import tempfile  # loads much that a door never needs

    path = os.path.realpath(path)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as out:
                out.write(text)
            return
        handle, temporary = tempfile.mkstemp(prefix=".ireval-", dir=os.path.dirname(path))
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise UsageError(f"{printable(path)}: cannot be written: {os_reason(error)}") from None
