"""Nuggets, and where they are found in answers, in NTCIREVAL's layouts: for many topics, or for a nameless one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ireval.errors import DuplicateError, InputError, printable
from ireval.read.blocks import LineBlocks
from ireval.read.convert import doubles, integers, within
from ireval.read.formats import MATCHES, NUGGETS, Format
from ireval.read.source import Source
from ireval.read.tokens import Fields, split_fields
from ireval.read.trec import Number, no_lines, number_columns

LENGTH_KEY = b"syslen="
"""What stands in place of a nugget where the length of an answer is given."""
_MOST = 2**53


@dataclass(frozen=True)
class NuggetLine:
    """A nugget as its line gives it. text: only where the file has texts."""

    name: bytes
    weight: float
    length: int
    line: int
    text: str = ""


@dataclass(frozen=True)
class MatchLine:
    """A nugget found in an answer, its text ending at the offset."""

    name: bytes
    offset: int
    line: int


@dataclass
class AnswerLines:
    """The matches of one answer, and its length in characters."""

    length: int | None
    first_line: int
    matches: list[MatchLine]


def _width(blocks: LineBlocks, fmt: Format) -> int:
    """As many fields as the first line with data has, or one less: without the topic."""
    for line in blocks.buffer[: blocks.size].tobytes().split(b"\n"):
        if line.strip() and not line.lstrip().startswith(b"#"):
            return len(fmt.fields) - (len(line.split()) < len(fmt.fields))
    return len(fmt.fields)


def _blocks(source: Source, fmt: Format) -> Iterator[tuple[LineBlocks, Fields, int]]:
    """The file cut into fields, block by block; the last: 1 where lines begin with a topic, else 0."""
    blocks, width = LineBlocks(source), 0
    while blocks.read():
        width = width or _width(blocks, fmt)
        fields = split_fields(blocks.buffer, blocks.size, width, width, blocks.line)
        yield blocks, fields, width - len(fmt.fields) + 1
        if fields.fault is not None:
            named = fmt.fields[len(fmt.fields) - width :]
            raise blocks.line_fault(fields.fault, f"{width} fields ({' '.join(named)}) as on the first line")
        blocks.drop_all()


def read_nuggets(source: Source) -> dict[bytes, list[NuggetLine]]:
    """The nuggets of each topic, in file order; the topic is empty where the file does not name it."""
    found: dict[bytes, list[NuggetLine]] = {}
    for blocks, fields, first in _blocks(source, NUGGETS):
        weights, lengths = number_columns(
            blocks,
            fields,
            Number(first + 1, within(doubles, 0.0, 1e300), "weight", "a weight from 0 on"),
            Number(first + 2, within(integers, 1, _MOST), "length", "a number of characters from 1 on"),
        )
        names = fields.texts(first).to_list()
        topics = fields.texts(0).to_list() if first else [b""] * len(names)
        columns = zip(topics, names, weights.tolist(), lengths.tolist(), fields.lines.tolist(), strict=True)
        for topic, name, weight, length, line in columns:
            found.setdefault(topic, []).append(NuggetLine(name, weight, length, line))
    if not found:
        raise no_lines(source, NUGGETS.expected)
    check_nuggets(source.name, found)
    return found


def check_nuggets(file: str, found: dict[bytes, list[NuggetLine]]) -> None:
    """Refuse a nugget that a topic has twice, and a topic in which nothing has a weight."""
    for topic, nuggets in found.items():
        lines: dict[bytes, int] = {}
        of_topic = f" of topic {printable(topic)}" if topic else ""
        for nugget in nuggets:
            if nugget.name in lines:
                why = f'expected each nugget once, found "{printable(nugget.name)}"{of_topic} again'
                raise DuplicateError(file, nugget.line, "nugget", f"{why} (first on line {lines[nugget.name]})")
            lines[nugget.name] = nugget.line
        if not any(nugget.weight > 0 for nugget in nuggets):
            raise InputError(file, nuggets[0].line, "weight", f"expected a nugget{of_topic} above 0, found none")


def read_matches(source: Source, topic_of: Callable[[bytes], bytes | None]) -> dict[bytes, AnswerLines]:
    """The answer to each topic. topic_of: the name of a topic as the nuggets have it (None: passed over)."""
    found: dict[bytes, AnswerLines] = {}
    empty = True
    for blocks, fields, first in _blocks(source, MATCHES):
        names = fields.texts(first).to_list()
        empty = empty and not names
        placed = Number(first + 1, within(integers, 0, _MOST), "offset", "a number of characters from 0 on")
        try:
            (offsets,) = number_columns(blocks, fields, placed)
        except InputError as error:
            raise _about_length(error) from None
        topics = fields.texts(0).to_list() if first else [b""] * len(names)
        for given, name, offset, line in zip(topics, names, offsets.tolist(), fields.lines.tolist(), strict=True):
            topic = topic_of(given)
            if topic is None:
                continue
            answer = found.setdefault(topic, AnswerLines(None, line, []))
            if name != LENGTH_KEY:
                answer.matches.append(MatchLine(name, offset, line))
            elif answer.length is None:
                answer.length = offset
            else:
                raise DuplicateError(source.name, line, "length", "expected one length for each answer, found another")
    if empty:
        raise no_lines(source, MATCHES.expected)
    for topic, answer in found.items():
        if answer.length is None:
            of_topic = f" of topic {printable(topic)}" if topic else ""
            why = f"expected the length of the answer{of_topic} ({LENGTH_KEY.decode()}), found none"
            raise InputError(source.name, answer.first_line, "length", why)
    return found


def _about_length(error: InputError) -> InputError:
    """The same fault, called a length where it is one."""
    if error.text is not None and LENGTH_KEY in error.text.split():
        return InputError(error.file, error.line, "length", error.why, text=error.text, span=error.span)
    return error
