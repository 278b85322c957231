"""Which of two runs people preferred: `topic runA runB A|B|=`, one line a judgement."""

from __future__ import annotations

from dataclasses import dataclass

from ireval.errors import printable
from ireval.read.blocks import LineBlocks
from ireval.read.formats import RUN_PREFERENCES
from ireval.read.source import Source
from ireval.read.tokens import split_fields
from ireval.read.trec import no_lines

_VERDICTS = {b"A": 1, b"B": -1, b"=": 0}
_VERDICT = 3


@dataclass(frozen=True)
class RunPreferences:
    """The lines of a file: topics, names of both runs, verdicts (1 the first, -1 the second, 0 neither)."""

    topics: list[str]
    first: list[str]
    second: list[str]
    verdicts: list[int]


def read_run_preferences(source: Source) -> RunPreferences:
    """All preferences of a file."""
    blocks = LineBlocks(source)
    width = len(RUN_PREFERENCES.fields)
    found = RunPreferences([], [], [], [])
    while blocks.read():
        fields = split_fields(blocks.buffer, blocks.size, width, width, blocks.line)
        for row, text in enumerate(fields.texts(_VERDICT).to_list()):
            if text not in _VERDICTS:
                start, end = int(fields.start(_VERDICT)[row]), int(fields.ends[row, _VERDICT])
                why = f'expected A, B or =, found "{printable(text)}"'
                raise blocks.fault(int(fields.lines[row]), start, end, RUN_PREFERENCES.fields[_VERDICT], why)
            found.verdicts.append(_VERDICTS[text])
        if fields.fault is not None:
            raise blocks.line_fault(fields.fault, RUN_PREFERENCES.expected)
        for column, into in enumerate((found.topics, found.first, found.second)):
            into += [text.decode("utf-8", "surrogateescape") for text in fields.texts(column).to_list()]
        blocks.drop_all()
    if not found.topics:
        raise no_lines(source, RUN_PREFERENCES.expected)
    return found
