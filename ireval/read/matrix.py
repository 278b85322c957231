"""Scores by topic that some tool has already computed. What a file is, its contents tell:

- a table with a header, comma- or tab-separated: `topic` and a column for each run, or columns `run` (or `system`),
  `topic` and a column for each measure, as `ireval eval -q -f csv` writes it;
- NTCIREVAL's bare matrix, topics x runs, with the names of the runs in a list of their own;
- what `trec_eval -q` prints: measure, topic, value; one file a run;
- what `ireval eval -q -f json` or `-f jsonl` writes.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ireval.errors import InputError, printable
from ireval.read.blocks import LineBlocks
from ireval.read.source import Source

SUMMARY = "all"
"""What stands for a topic where a value is about all of them."""

_TEXTS = ("runid", "relstring")
"""What trec_eval prints that is not a number."""
_RUN_NAMES = ("run", "system")
_EXPECTED = (
    "scores by topic: a CSV or TSV table with a header, a bare matrix with --run-list, what trec_eval -q prints, or "
    "ireval's own JSON or CSV"
)


@dataclass(frozen=True)
class ScoreCells:
    """Scores as they were found: (system, measure) -> {topic: score}. lacking: topics that a system did not answer."""

    scores: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    lacking: dict[str, set[str]] = field(default_factory=dict)

    def add(self, system: str, measure: str, topic: str, score: float) -> bool:
        """Note one score; False where there is one already."""
        topics = self.scores.setdefault((system, measure), {})
        if topic in topics:
            return False
        topics[topic] = score
        return True


class _Line(NamedTuple):
    number: int
    text: str


def read_scores(source: Source, name: str, run_list: Sequence[str] | None = None) -> ScoreCells:
    """The scores in a file.

    name: what the file is called: the run that trec_eval scored, or the measure of a table that does not name it.
    run_list: names of the columns; the file is then a bare matrix.
    """
    lines = _lines(source)
    if not lines:
        raise source.fail(f"expected {_EXPECTED}, found an empty file")
    first = lines[0].text
    cells = ScoreCells()
    if run_list is not None:
        _read_bare(source, lines, name, run_list, cells)
    elif first.lstrip().startswith(("{", "[")):
        _read_json(source, lines, cells)
    elif _is_trec(first):
        _read_trec(source, lines, name, cells)
    elif "," in first or "\t" in first:
        _read_table(source, lines, name, cells)
    else:
        bare = all(_number(word) is not None for word in first.split())
        why = "numbers without names (a bare matrix needs --run-list)" if bare else f'"{printable(first, 60)}"'
        raise _fault(source, lines[0], "", "header", f"expected {_EXPECTED}, found {why}")
    if not any(cells.scores.values()):
        raise source.fail("expected a score for at least one topic, found none")
    return cells


def read_names(source: Source) -> list[str]:
    """A list of runs: the first word of each line."""
    names = [line.text.split()[0] for line in _lines(source)]
    if not names:
        raise source.fail("expected the name of a run on each line, found an empty file")
    for i, name in enumerate(names):
        if name in names[:i]:
            raise source.fail(f'expected each run once, found "{printable(name)}" again', i + 1, "run")
    return names


def _lines(source: Source) -> list[_Line]:
    """The lines that say something: neither blank nor a comment."""
    blocks, found, number = LineBlocks(source), [], 0
    while blocks.read():
        for text in blocks.buffer[: blocks.size].tobytes().split(b"\n")[:-1]:
            number += 1
            odd = next((byte for byte in text if byte < 32 and byte not in b"\t\r\f\v"), None)
            if odd is not None:
                raise source.fail(f"expected text, found binary data (byte 0x{odd:02x})", number)
            if text.strip() and not text.lstrip().startswith(b"#"):
                found.append(_Line(number, text.rstrip(b"\r").decode("utf-8", "surrogateescape")))
        blocks.drop_all()
    return found


def _fault(source: Source, line: _Line, word: str, field_name: str, why: str) -> InputError:
    """An error that shows a word of a line, or the line."""
    text = line.text.encode("utf-8", "surrogateescape")
    shown = word.encode("utf-8", "surrogateescape")
    start = max(0, text.rfind(shown)) if word else 0
    return InputError(
        source.name, line.number, field_name, why, text=text, span=(start, start + len(shown) if word else len(text))
    )


def _number(text: str) -> float | None:
    """A finite number, None for anything else."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def _score(source: Source, line: _Line, word: str, column: str) -> float:
    value = _number(word)
    if value is None:
        raise _fault(source, line, word, column, f'expected a number, found "{printable(word)}"')
    return value


def _again(source: Source, line: _Line, system: str, measure: str, topic: str) -> InputError:
    why = f'expected one score for each topic, found another of {measure} for run "{system}", topic {topic}'
    return _fault(source, line, topic, "topic", why)


# -- each layout ----------------------------------------------------------------------------------------------------


def _read_bare(source: Source, lines: list[_Line], measure: str, systems: Sequence[str], cells: ScoreCells) -> None:
    """Topics x runs without any name; topics are numbered, all with as many digits so that they stay in order."""
    digits = len(str(len(lines)))
    for topic, line in enumerate(lines, 1):
        words = line.text.replace(",", " ").split()
        if len(words) != len(systems):
            why = f"expected {len(systems)} numbers, one for each run of the list, found {len(words)}"
            raise _fault(source, line, "", "line", why)
        for system, word in zip(systems, words, strict=True):
            cells.add(system, measure, f"{topic:0{digits}d}", _score(source, line, word, "score"))


def _is_trec(first: str) -> bool:
    words = first.split()
    return len(words) == 3 and _number(words[0]) is None and (_number(words[2]) is not None or words[0] in _TEXTS)


def _read_trec(source: Source, lines: list[_Line], system: str, cells: ScoreCells) -> None:
    """Lines of measure, topic and value; summaries and texts are passed over."""
    for line in lines:
        words = line.text.split()
        if words and words[0] in _TEXTS:
            continue
        if len(words) != 3:
            raise _fault(source, line, "", "line", f"expected 3 fields (measure topic value), found {len(words)}")
        measure, topic, word = words
        if topic != SUMMARY and not cells.add(system, measure, topic, _score(source, line, word, "value")):
            raise _again(source, line, system, measure, topic)
    if not cells.scores:
        raise source.fail("expected values of single topics, found summaries only (trec_eval -q prints both)")


def _read_table(source: Source, lines: list[_Line], name: str, cells: ScoreCells) -> None:
    """A header and, on each line, a topic with a score for each run, or a run, a topic and a score for each measure."""
    rows = _rows(source, lines)
    head, header = next(rows)
    lower = [title.lower() for title in header]
    for i, title in enumerate(header):
        if title in header[:i]:
            raise _fault(source, head, title, "header", f'expected each column once, found "{printable(title)}" again')
    run = next((lower.index(word) for word in _RUN_NAMES if word in lower), None)
    tall = run is not None and "topic" in lower
    topic = lower.index("topic") if tall else 0
    rest = [i for i in range(len(header)) if i != topic and not (tall and i == run)]
    if not rest or "" in (header[i] for i in rest):
        raise _fault(source, head, "", "header", "expected a name for each column of scores, found none")
    if not tall and all(_number(title) is not None for title in header):
        why = "expected names, found numbers (a bare matrix needs --run-list)"
        raise _fault(source, head, "", "header", why)
    for line, row in rows:
        if len(row) != len(header):
            raise _fault(source, line, "", "line", f"expected {len(header)} columns as in the header, found {len(row)}")
        if not row[topic]:
            raise _fault(source, line, "", header[topic] or "topic", "expected the name of a topic, found nothing")
        if row[topic] == SUMMARY:
            continue
        for i in rest:
            system, measure = (row[run], header[i]) if tall and run is not None else (header[i], name)
            cells.scores.setdefault((system, measure), {})
            if row[i] and not cells.add(system, measure, row[topic], _score(source, line, row[i], header[i])):
                raise _again(source, line, system, measure, row[topic])


def _rows(source: Source, lines: list[_Line]) -> Iterator[tuple[_Line, list[str]]]:
    """Lines cut into cells without surrounding blanks; a tab in the header decides for tabs."""
    separator = "\t" if "\t" in lines[0].text else ","
    for line in lines:
        try:
            cells = next(csv.reader([line.text], delimiter=separator, strict=True))
        except (csv.Error, StopIteration) as error:
            why = f"expected cells between separators, found a fault ({error})"
            raise _fault(source, line, "", "line", why) from None
        yield line, [cell.strip() for cell in cells]


def _read_json(source: Source, lines: list[_Line], cells: ScoreCells) -> None:
    """The document of `ireval eval -q -f json`, or one object a line as -f jsonl has it."""
    try:
        document = json.loads("\n".join(line.text for line in lines))
    except ValueError as error:
        document = _objects(lines)
        if document is None:
            line = lines[min(getattr(error, "lineno", 1), len(lines)) - 1].number
            why = f"expected JSON, found a fault ({getattr(error, 'msg', error)})"
            raise source.fail(why, line) from None
    if isinstance(document, dict) and "run" in document and "topic" in document:
        document = [document]
    if isinstance(document, list):
        _add_objects(source, document, cells)
        return
    runs = document.get("runs") if isinstance(document, dict) else None
    for entry in runs if isinstance(runs, list) else [None]:
        if not isinstance(entry, dict) or not isinstance(entry.get("per_topic"), dict) or "name" not in entry:
            why = "expected runs with their scores by topic (as `ireval eval -q -f json` writes them), found none"
            raise source.fail(why)
        system = str(entry["name"])
        cells.lacking.setdefault(system, set()).update(map(str, entry.get("missing", ())))
        for topic, scores in entry["per_topic"].items():
            _add_numbers(source, cells, system, topic, scores)


def _objects(lines: list[_Line]) -> list[Any] | None:
    try:
        return [json.loads(line.text) for line in lines]
    except ValueError:
        return None


def _add_objects(source: Source, objects: Iterable[Any], cells: ScoreCells) -> None:
    for one in objects:
        if isinstance(one, dict) and "signature" in one:
            continue
        if not isinstance(one, dict) or "run" not in one or "topic" not in one:
            raise source.fail("expected objects with run and topic (as `ireval eval -q -f jsonl` writes them)")
        if one["topic"] != SUMMARY:
            scores = {name: value for name, value in one.items() if name not in ("run", "topic")}
            _add_numbers(source, cells, str(one["run"]), str(one["topic"]), scores)


def _add_numbers(source: Source, cells: ScoreCells, system: str, topic: str, scores: Mapping[str, Any]) -> None:
    """Scores of one topic; measures without a number for each topic are passed over."""
    for measure, value in scores.items():
        if value is None or isinstance(value, str | bool):
            continue
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise source.fail(f'expected a number, found "{printable(str(value))}"', None, f"{measure}, topic {topic}")
        if not cells.add(system, measure, topic, float(value)):
            raise source.fail(f'expected one score of {measure} for run "{system}", topic {topic}, found another')
