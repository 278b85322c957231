"""Texts: whole files, folders of them, or lines of `id <tab> text`. All of them are UTF-8."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ireval.errors import DuplicateError, InputError, os_reason, printable
from ireval.read.formats import NUGGET_TEXTS, TEXTS, Format
from ireval.read.nuggets import NuggetLine, check_nuggets
from ireval.read.source import Source
from ireval.read.trec import no_lines

_BLOCK = 1 << 20
_SUFFIXES = (".gz", ".bz2", ".xz")
INPUTS = ("auto", "texts", "tsv")
LONE = b"text"
"""What a text is called that comes alone: it goes with others of the kind, whatever the files are called."""


def whole_text(source: Source) -> bytes:
    """All bytes of a file, decompressed."""
    stream, pieces, buffer = source.open(), [], bytearray(_BLOCK)
    while got := stream.fill(memoryview(buffer)):
        pieces.append(bytes(buffer[:got]))
    stream.close()
    return b"".join(pieces)


def _decoded(source: Source, text: bytes, line: int) -> str:
    """Bytes as text; line: the number of their first line."""
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        line += text.count(b"\n", 0, error.start)
        raise source.fail(f"expected UTF-8 text, found the byte 0x{text[error.start]:02x}", line) from None
    if "\x00" in decoded:
        raise source.fail("expected text, found a NUL byte", line + decoded.count("\n", 0, decoded.index("\x00")))
    return decoded


def tab_lines(source: Source, fmt: Format) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each line that has any; the last field takes the rest of the line, further tabs too."""
    empty = True
    for number, raw in enumerate(whole_text(source).split(b"\n"), 1):
        text = raw.rstrip(b"\r")
        if not text.strip() or text.startswith(b"#"):
            continue
        fields = _decoded(source, text, number).split("\t", len(fmt.fields) - 1)
        if len(fields) < len(fmt.fields):
            why = f"expected {fmt.expected} with tabs between them, found {len(fields)}"
            raise InputError(source.name, number, "line", why, text=text, span=(0, len(text)))
        for field, value in zip(fmt.fields[:-1], fields, strict=False):
            if not value.strip():
                raise InputError(source.name, number, field, "expected a name, found nothing")
        empty = False
        yield number, [field.strip() for field in fields]
    if empty:
        raise no_lines(source, f"{fmt.expected} with tabs between them")


def read_nugget_texts(source: Source) -> dict[bytes, list[NuggetLine]]:
    """Nuggets with their texts (`topic nugget weight text`) by topic; their lengths are those of the texts."""
    found: dict[bytes, list[NuggetLine]] = {}
    for line, (topic, name, weight, text) in tab_lines(source, NUGGET_TEXTS):
        try:
            value = float(weight)
            if not 0 <= value <= 1e300 or "_" in weight:
                raise ValueError
        except ValueError:
            raise InputError(
                source.name, line, "weight", f'expected a weight from 0 on, found "{printable(weight)}"'
            ) from None
        if not text:
            raise InputError(source.name, line, "text", "expected a text, found nothing")
        found.setdefault(topic.encode(), []).append(NuggetLine(name.encode(), value, len(text), line, text))
    check_nuggets(source.name, found)
    return found


def read_answer_texts(source: Source) -> dict[bytes, list[str]]:
    """The answer to each topic (`topic text`): one string, or several on lines of their own."""
    found: dict[bytes, list[str]] = {}
    for _, (topic, text) in tab_lines(source, TEXTS):
        found.setdefault(topic.encode(), []).append(text)
    return found


# -- summaries ------------------------------------------------------------------------------------------------------


def stem(path: str) -> str:
    """The name of a file without folders and suffix: `a/0001.txt.gz` -> `0001`."""
    name = os.path.basename(path)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return os.path.splitext(name)[0] or name


def is_single(source: Source, kind: str) -> bool:
    """Whether the input is one text, whatever its name."""
    return not os.path.isdir(source.path) and not _is_tsv(source, kind)


def _is_tsv(source: Source, kind: str) -> bool:
    name = source.path
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return kind == "tsv" or (kind == "auto" and name.endswith(".tsv"))


def read_texts(source: Source, kind: str = "auto") -> dict[bytes, str]:
    """The texts of a file, a folder or a TSV by their ids. kind: texts, tsv, or by name (a TSV ends in .tsv)."""
    if os.path.isdir(source.path):
        return _folder(source)
    if not _is_tsv(source, kind):
        return {LONE: _decoded(source, whole_text(source), 1)}
    found: dict[bytes, str] = {}
    lines: dict[bytes, int] = {}
    for line, (name, text) in tab_lines(source, TEXTS):
        key = name.encode()
        if key in lines:
            why = f'expected each id once, found "{printable(name)}" again (first on line {lines[key]})'
            raise DuplicateError(source.name, line, "id", why)
        lines[key], found[key] = line, text
    return found


def files_of(source: Source) -> list[Source]:
    """The file itself, or the files of a folder in the order of their names; hidden ones are passed over."""
    if not os.path.isdir(source.path):
        return [source]
    try:
        names = sorted(entry.name for entry in os.scandir(source.path) if entry.is_file() and entry.name[0] != ".")
    except OSError as error:
        raise source.fail(os_reason(error)) from None
    return [Source(os.path.join(source.path, name)) for name in names]


def _folder(source: Source) -> dict[bytes, str]:
    """The files of a folder by their names without suffix."""
    found: dict[bytes, str] = {}
    for inner in files_of(source):
        key = os.fsencode(stem(inner.path))
        if key in found:
            raise inner.fail(f'expected one text for each id, found "{printable(key)}" again')
        found[key] = _decoded(inner, whole_text(inner), 1)
    if not found:
        raise source.fail("expected a folder of texts, found no file in it")
    return found
