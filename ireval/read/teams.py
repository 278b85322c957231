"""Which team submitted which run: `run team [pooled]`."""

from __future__ import annotations

from typing import NamedTuple

from ireval.errors import printable
from ireval.read.blocks import LineBlocks
from ireval.read.formats import TEAMS
from ireval.read.lengths import two_or_three_fields
from ireval.read.source import Source
from ireval.read.tokens import split_fields
from ireval.read.trec import no_lines

_POOLED = {b"yes": True, b"no": False}
_ANSWER = 2


class Entry(NamedTuple):
    """The team of a run, and whether the run went into the pool."""

    team: str
    pooled: bool


def read_teams(source: Source) -> dict[str, Entry]:
    """{run: its team}."""
    blocks = LineBlocks(source)
    found: dict[str, Entry] = {}
    width = 0
    while blocks.read():
        width = width or two_or_three_fields(blocks)
        fields = split_fields(blocks.buffer, blocks.size, width, width, blocks.line)
        runs, teams = ([text.decode("utf-8", "surrogateescape") for text in fields.texts(i).to_list()] for i in (0, 1))
        answers = fields.texts(_ANSWER).to_list() if width > _ANSWER else [b"yes"] * len(runs)
        for row, (run, team, answer) in enumerate(zip(runs, teams, answers, strict=True)):
            bad, why = -1, ""
            if answer not in _POOLED:
                bad, why = _ANSWER, f'expected yes or no, found "{printable(answer)}"'
            elif run in found:
                bad, why = 0, f'expected each run once, found "{printable(run)}" again'
            if why:
                start, end = int(fields.start(bad)[row]), int(fields.ends[row, bad])
                raise blocks.fault(int(fields.lines[row]), start, end, TEAMS.fields[bad], why)
            found[run] = Entry(team, _POOLED[answer])
        if fields.fault is not None:
            expected = f"{width} fields ({' '.join(TEAMS.fields[:width])}) as on the first line"
            raise blocks.line_fault(fields.fault, expected)
        blocks.drop_all()
    if not found:
        raise no_lines(source, "2 or 3 fields (run team [pooled])")
    return found
