"""What can go wrong, as exceptions that know how to tell it.

Every error that a user can cause is an `IrevalError`; doors catch it in one place, print it and exit.
"""

from __future__ import annotations

import os


def printable(text: bytes | str, limit: int = 120) -> str:
    """Text that is safe on a terminal: control characters escaped, undecodable bytes shown, long lines cut."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


class IrevalError(Exception):
    """Anything a user can set right."""

    exit_code = 2


class UsageError(IrevalError):
    """The request itself makes no sense."""


class MeasureError(IrevalError):
    """A measure name or parameter that is not understood."""


class DataError(IrevalError):
    """Readable input that cannot be evaluated together."""

    exit_code = 4


class InputError(IrevalError):
    """A file that cannot be read: which file, which line, which field, what was expected and what was found."""

    def __init__(
        self,
        file: str,
        line: int | None,
        field: str,
        why: str,
        *,
        text: bytes | None = None,
        span: tuple[int, int] | None = None,
    ) -> None:
        self.file, self.line, self.field, self.why = file, line, field, why
        self.text, self.span = text, span
        super().__init__(file, line, field, why)  # as given, so that it can come out of another process

    def message(self) -> str:
        """`file:line: field: why`, without the excerpt."""
        where = printable(self.file, 400) + (f":{self.line}" if self.line is not None else "")
        why = printable(self.why, 1000)
        return f"{where}: {self.field}: {why}" if self.field else f"{where}: {why}"

    def excerpt(self) -> list[str]:
        """The offending line and, under it, a row of carets; empty when there is no line to show."""
        if self.text is None or self.span is None:
            return []
        start, end = self.span
        before = printable(self.text[:start].replace(b"\t", b" "), 10_000)
        fault = printable(self.text[start:end], 60)
        after = printable(self.text[end:].replace(b"\t", b" ").rstrip(), 10_000)
        if len(before) > 100:
            before = "..." + before[-97:]
        return ["    " + (before + fault + after)[:160], "    " + " " * len(before) + "^" * max(1, len(fault))]

    def __str__(self) -> str:
        return "\n".join([self.message(), *self.excerpt()])


class DuplicateError(InputError):
    """The same document twice in one topic of a run, or judged twice."""


def os_reason(error: OSError) -> str:
    """What the operating system said, in lower case and without numbers."""
    return (os.strerror(error.errno) if error.errno else str(error)).lower()
