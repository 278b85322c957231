"""Reading: what the wild holds, exact numbers, two tokenizers with one answer, keys that collide."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import random
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from worlds import (
    FORMATS,
    judgement_lines,
    policy_for,
    random_preferences,
    random_world,
    read_back,
    run_lines,
    score_world,
    specs_for,
)

from ireval.core.columns import PADDING, QrelsColumns, RunColumns, Texts, join_texts, texts_from
from ireval.core.judgements import Judgements, judgements
from ireval.errors import DuplicateError, InputError
from ireval.read import convert, tokens
from ireval.read.blocks import LineBlocks
from ireval.read.convert import NotANumber, doubles, integers
from ireval.read.source import Source
from ireval.read.trec import NotGrouped, read_judgements, read_run, stream_run
from ireval.read.zscores import lookup, read_zscores
from ireval.scoring import TopicPolicy, score_run

RUN = """\
0201 Q0 FT911-3 1 12.5 bm25
0201 Q0 doc/é(1),2 2 -3e-2 bm25
0201 Q0 106_1 3 -1E+2 bm25
106_1 Q0 x 0 .5 bm25
<dbpedia:Á> Q0 http://a?b=c&d#e 1 1e3 bm25
""".encode()
RUN_ROWS = [
    (b"0201", b"FT911-3", 12.5),
    (b"0201", "doc/é(1),2".encode(), -0.03),
    (b"0201", b"106_1", -100.0),
    (b"106_1", b"x", 0.5),
    ("<dbpedia:Á>".encode(), b"http://a?b=c&d#e", 1000.0),
]
QRELS = """\
0201 0 FT911-3 2
0201 0 106_1 -1
106_1 0 x 0
<dbpedia:Á> 0 http://a?b=c&d#e +3
""".encode()
QRELS_ROWS = [
    (b"0201", b"FT911-3", 2),
    (b"0201", b"106_1", -1),
    (b"106_1", b"x", 0),
    ("<dbpedia:Á>".encode(), b"http://a?b=c&d#e", 3),
]


def run_rows(columns: RunColumns) -> list[tuple[bytes, bytes, float]]:
    topics = [name for name, n in zip(columns.topics, np.diff(columns.off).tolist(), strict=True) for _ in range(n)]
    return list(zip(topics, columns.documents.to_list(), columns.scores.tolist(), strict=True))


def qrels_rows(columns: QrelsColumns) -> list[tuple[bytes, bytes, float]]:
    topics = [columns.topics[t] for t in columns.topic.tolist()]
    return list(zip(topics, columns.documents.to_list(), columns.levels.tolist(), strict=True))


def streamed_rows(source: Source) -> list[tuple[bytes, bytes, float]]:
    return [row for columns in stream_run(source) for row in run_rows(columns)]


LAYOUTS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda text: text,
    "tabs": lambda text: text.replace(b" ", b"\t"),
    "several blanks": lambda text: text.replace(b" ", b" \t  "),
    "leading blanks": lambda text: b"".join(b" \t " + line for line in text.splitlines(keepends=True)),
    "trailing blanks": lambda text: text.replace(b"\n", b" \t\n"),
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "no final newline": lambda text: text.rstrip(b"\n"),
    "CRLF without the last": lambda text: text.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
    "BOM": lambda text: b"\xef\xbb\xbf" + text,
    "blank lines": lambda text: b"\n  \n" + text.replace(b"\n", b"\n\n\t\n"),
    "only the end blank": lambda text: text + b"\n\n \r\n",
    "comments": lambda text: b"# one\n" + text.replace(b"\n", b"\n#two three four five six seven\n  # x\n"),
    "a comment at the end": lambda text: text + b"# end",
    "form feeds": lambda text: text.replace(b" ", b"\f").replace(b"\n", b"\v\n"),
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "gzip in two members": lambda text: gzip.compress(text[:50]) + gzip.compress(text[50:]),
    "gzip of a BOM": lambda text: gzip.compress(b"\xef\xbb\xbf" + text),
}


@pytest.mark.parametrize("block_size", [None, 48, 90])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, block_size: int | None, tmp_path: Path, small_blocks: Callable[[int], None]) -> None:
    """All the same files, whatever they are called."""
    if block_size is not None:
        small_blocks(block_size)
    run, qrels = tmp_path / "run", tmp_path / "qrels.txt"
    run.write_bytes(LAYOUTS[layout](RUN))
    qrels.write_bytes(LAYOUTS[layout](QRELS))
    assert run_rows(read_run(Source(run))) == RUN_ROWS
    assert streamed_rows(Source(str(run))) == RUN_ROWS
    assert qrels_rows(read_judgements(Source(qrels))) == QRELS_ROWS


@pytest.mark.parametrize("layout", LAYOUTS)
def test_line_numbers(layout: str, tmp_path: Path, small_blocks: Callable[[int], None]) -> None:
    """Lines are counted as an editor counts them, in one block or in many."""
    (tmp_path / "run").write_bytes(LAYOUTS[layout](RUN))
    text = (gzip.open if layout.startswith("gzip") else {"bzip2": bz2.open, "xz": lzma.open}.get(layout, open))(
        tmp_path / "run", "rb"
    ).read()
    want = [n for n, line in enumerate(text.split(b"\n"), 1) if b"Q0" in line]
    for block_size in (1 << 20, 48):
        small_blocks(block_size)
        assert read_run(Source(tmp_path / "run")).lines.tolist() == want
        streamed = [n for columns in stream_run(Source(tmp_path / "run")) for n in columns.lines.tolist()]
        assert streamed == want


def test_extra_run_columns(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"1 Q0 a 1 2.5 my tag\n1 Q0 b 2 1.5 my tag with words\n")
    columns = read_run(Source(tmp_path / "run"))
    assert run_rows(columns) == [(b"1", b"a", 2.5), (b"1", b"b", 1.5)]
    assert columns.tag == b"my"


def test_the_last_tag_counts(tmp_path: Path, small_blocks: Callable[[int], None]) -> None:
    (tmp_path / "run").write_bytes(b"1 Q0 a 1 2.5 first\n2 Q0 b 2 1.5 \xff\xfelast\n# no tag\n\n")
    for block_size in (1 << 20, 30):
        small_blocks(block_size)
        assert read_run(Source(tmp_path / "run")).tag == b"\xff\xfelast"
        assert [columns.tag for columns in stream_run(Source(tmp_path / "run"))][-1] == b"\xff\xfelast"


def test_ranks_are_read_only_on_demand(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"1 Q0 a x 2.5 t\n")
    assert read_run(Source(tmp_path / "run")).ranks is None
    with pytest.raises(InputError, match=r':1: rank: expected a whole number, found "x"'):
        read_run(Source(tmp_path / "run"), with_ranks=True)
    with pytest.raises(InputError, match="rank"):
        list(stream_run(Source(tmp_path / "run"), with_ranks=True))


def test_interleaved_topics(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"2 Q0 a 1 9 t\n1 Q0 b 1 8 t\n2 Q0 c 2 7 t\n1 Q0 d 2 6 t\n")
    columns = read_run(Source(tmp_path / "run"), with_ranks=True)
    assert columns.topics == [b"2", b"1"]
    assert [d for _, d, _ in run_rows(columns)] == [b"a", b"c", b"b", b"d"]
    assert columns.lines.tolist() == [1, 3, 2, 4]
    assert columns.ranks is not None and columns.ranks.tolist() == [1, 2, 1, 2]
    with pytest.raises(NotGrouped):
        list(stream_run(Source(tmp_path / "run")))


def test_a_topic_that_comes_back_in_a_later_block(tmp_path: Path, small_blocks: Callable[[int], None]) -> None:
    lines = [b"%d Q0 d%03d 1 1.5 t\n" % (n // 20, n) for n in range(200)] + [b"3 Q0 late 1 1.5 t\n"]
    (tmp_path / "run").write_bytes(b"".join(lines))
    small_blocks(300)
    with pytest.raises(NotGrouped):
        list(stream_run(Source(tmp_path / "run")))
    columns = read_run(Source(tmp_path / "run"))
    assert columns.topics == [b"%d" % n for n in range(10)]
    assert columns.documents[79 + 1] == b"late"


@pytest.mark.parametrize("back_after", [1500, 2999])
def test_a_topic_that_comes_back_after_thousands(
    back_after: int, tmp_path: Path, small_blocks: Callable[[int], None]
) -> None:
    """The watch looks through its keys now and then, and at the end; a run without a repeated topic passes."""
    small_blocks(4000)
    lines = [f"q{t} Q0 d{t} 1 1.0 r\n" for t in range(3000)]
    (tmp_path / "grouped").write_text("".join(lines))
    (tmp_path / "again").write_text("".join([*lines[:back_after], "q7 Q0 other 1 1.0 r\n", *lines[back_after:]]))
    assert sum(len(batch.topics) for batch in stream_run(Source(tmp_path / "grouped"))) == 3000
    with pytest.raises(NotGrouped):
        list(stream_run(Source(tmp_path / "again")))


def test_float_levels_only_where_the_format_allows(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"1 u s a 0.5\n1 u s b -1.25e1\n1 u t c 3\n")
    columns = read_judgements(Source(tmp_path / "p"), "prefs")
    assert columns.levels.tolist() == [0.5, -12.5, 3.0]
    assert columns.groups is not None and columns.groups.to_list() == [b"u", b"u", b"u"]
    assert columns.subgroups is not None and columns.subgroups.to_list() == [b"s", b"s", b"t"]
    (tmp_path / "q").write_bytes(b"1 u a 0.5\n")
    assert read_judgements(Source(tmp_path / "q"), "qrels_prefs").levels.tolist() == [0.5]
    for strict in ("qrels", "qrels_jg"):
        with pytest.raises(InputError, match=r':1: level: expected a whole number, found "0.5"'):
            read_judgements(Source(tmp_path / "q"), strict)


@pytest.mark.parametrize("topics", [[b"a", b"a\xff", b"b"], ["Á".encode(), "é".encode(), "日本".encode()]])
def test_ids_are_bytes(topics: list[bytes], tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"".join(b"%s Q0 %s 1 1 t\n" % (t, t) for t in topics))
    columns = read_run(Source(tmp_path / "run"))
    assert columns.topics == topics and columns.documents.to_list() == topics


# -- where bytes come from ------------------------------------------------------------------------------------------


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_standard_input_can_be_read_again(pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, pack(RUN))
    source = Source("-")
    assert source.name == "<stdin>"
    assert streamed_rows(source) == RUN_ROWS
    assert run_rows(read_run(source)) == RUN_ROWS
    assert source.digest() == hashlib.sha256(pack(RUN)).hexdigest() or pack is not bytes


def test_no_standard_input_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match=r"<stdin>: expected lines of .*, found an empty file"):
        read_run(Source("-"))


def test_fifo(tmp_path: Path) -> None:
    """As a shell's <(zcat run.gz) gives it: read once, then again because the topics are interleaved."""
    os.mkfifo(tmp_path / "fifo")
    text = b"".join(RUN.splitlines(keepends=True)[i] for i in (0, 3, 1, 4, 2))
    writer = threading.Thread(target=(tmp_path / "fifo").write_bytes, args=(text,))
    writer.start()
    judged = judgements(
        QrelsColumns(
            "q", [b"0201"], np.zeros(1, np.int32), texts_from([b"FT911-3"]), np.ones(1, np.int32), np.ones(1, np.int32)
        )
    )[0]
    scores = score_run(judged, Source(tmp_path / "fifo"), [specs_for("levels")[0]], policy_for("levels"), TopicPolicy())
    writer.join()
    assert scores.facts.unjudged == 2 and scores.values[0, 0] == 3


def test_digest(tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    (tmp_path / "f").write_bytes(data)
    assert Source(tmp_path / "f").digest() == hashlib.sha256(data).hexdigest()


class Dribble(io.RawIOBase):
    """A stream that gives a few bytes at a time, as a pipe may."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def readinto(self, view: memoryview) -> int:  # type: ignore[override]
        piece = self._data[self._at : self._at + min(5, len(view))]
        view[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


def test_slow_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ireval.read.source import DecodedStream

    source = Source(tmp_path / "none")
    monkeypatch.setattr(
        Source, "open", lambda self: DecodedStream(self, Dribble(b"\xef\xbb\xbf" + RUN), compressed=False)
    )
    assert run_rows(read_run(source)) == RUN_ROWS


def test_an_error_while_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ireval.read.source import DecodedStream

    class Broken(io.RawIOBase):
        def __init__(self, error: Exception) -> None:
            self.error = error

        def readinto(self, view: object) -> int:
            raise self.error

    def fail_with(error: Exception, compressed: bool) -> None:
        monkeypatch.setattr(Source, "open", lambda self: DecodedStream(self, Broken(error), compressed=compressed))

    fail_with(OSError(5, "x"), False)
    with pytest.raises(InputError, match=r"^disk: input/output error$"):
        read_run(Source("disk"))
    fail_with(OSError("Invalid data stream"), True)
    with pytest.raises(InputError, match=r"^disk: .* found that it is damaged \(invalid data stream\)$"):
        read_run(Source("disk"))
    fail_with(RuntimeError("a fault of ours"), True)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        read_run(Source("disk"))


# -- numbers --------------------------------------------------------------------------------------------------------


def number_texts(rng: random.Random, count: int) -> list[bytes]:
    """Numbers of every shape that a file may hold."""

    def digits(most: int) -> str:
        return "".join(rng.choice("0123456789") for _ in range(rng.randrange(1, most + 1)))

    def plain() -> str:
        whole, part = digits(20), digits(20)
        shapes = [whole, f"{whole}.{part}", f".{part}", f"{whole}.", f"000{whole}", f"0.000{part}", f"{whole}.000"]
        return rng.choice(shapes)

    def shaped() -> str:
        kind = rng.randrange(10)
        if kind < 4:
            return plain()
        if kind == 4:
            return f"{plain()}{rng.choice('eE')}{rng.choice(['', '+', '-'])}{rng.randrange(330)}"
        if kind == 5:
            return rng.choice(["inf", "INF", "Infinity", "iNf", "0", "0.0", "00", "0e0", "0x0", "1e400", "0x1p9999"])
        if kind == 6:
            return repr(rng.uniform(-1, 1) * 10 ** rng.randrange(-20, 20)).lstrip("-")
        if kind == 7:
            return f"{rng.uniform(0, 100):.{rng.randrange(20)}f}"
        if kind == 8:  # exactly between two doubles, or next to it
            return str((2 * rng.randrange(2**52, 2**53) + 1) * 2 ** rng.randrange(6) + rng.choice([-1, 0, 0, 1]))
        x = "0" + rng.choice("xX")
        return f"{x}{rng.randrange(16**6):x}" + rng.choice(["", f".{rng.randrange(16**9):x}p{rng.randrange(-60, 60)}"])

    return [(rng.choice(["", "", "-", "+"]) + shaped()).encode() for _ in range(count)]


def as_python(text: bytes) -> float:
    if b"x" in text.lower():
        try:
            return float.fromhex(text.decode())
        except OverflowError:
            return float("-inf") if text.startswith(b"-") else float("inf")
    return float(text)


@pytest.mark.parametrize("wide", [True, False])
def test_doubles_are_exact(wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """100,000 numbers to the last bit, the sign of zero included, with long doubles and without."""
    if wide and not convert._WIDE:
        pytest.skip("no 80-bit numbers on this machine")
    monkeypatch.setattr(convert, "_WIDE", wide)
    items = number_texts(random.Random(7), 100_000)
    got, want = doubles(texts_from(items)), np.array([as_python(item) for item in items])
    wrong = np.flatnonzero((got != want) | (np.signbit(got) != np.signbit(want)))
    assert not len(wrong), [(items[i], got[i], want[i]) for i in wrong[:5]]
    assert len({len(item) for item in items}) > 30


def test_halfway_cases_are_seen() -> None:
    """Rounding to 64 bits and then to 53 would go wrong here."""
    items = [b"9007199254740993", b"9007199254740995", b"900719925474099.3", b"18014398509481990", b"-9007199254740997"]
    assert doubles(texts_from(items)).tolist() == [float(item) for item in items]


NOT_NUMBERS = [
    b"x",
    b"1x",
    b"--1",
    b"+-1",
    b"1..2",
    b"1.2.3",
    b"+",
    b"-",
    b".",
    b"-.",
    b"1_0",
    b"_1",
    b"e5",
    b"1e",
    b"1e+",
    b"0x",
    b"0xg",
    b"nan",
    b"NaN",
    b"-nan",
    b"1,5",
    "٣".encode(),
    b"\xff",
    b"1e5.5",
    b"infin",
    b"1-",
    b"1+1",
    b"x1",
    b"1:2",
    b"123456789012345678901234567890x",
    b"12345.7812.5",
    b"1234567.1234567.1",
    b"/",
    b":",
    b"0/",
    b"1.2:",
    b"00000000:",
    b"1\xb0",
    b"x\xff",
]


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_what_is_no_number(text: bytes) -> None:
    for convert_all in (doubles, integers):
        with pytest.raises(NotANumber) as error:
            convert_all(texts_from([b"1", b"2", text, b"x"]))
        assert error.value.row == 2


def test_integers() -> None:
    rng = random.Random(3)
    items = [f"{rng.choice(['', '-', '+'])}{rng.randrange(10 ** rng.randrange(1, 19))}".encode() for _ in range(20_000)]
    items += [b"000000000000000007", b"-0", b"+0", b"999999999999999999", b"-999999999999999999"]
    assert integers(texts_from(items)).tolist() == [int(item) for item in items]
    assert integers(texts_from([])).tolist() == doubles(texts_from([])).tolist() == []


@pytest.mark.parametrize("text", [b"1.0", b"1.", b".5", b"1e3", b"0x1", b"inf", b"1234567890123456789"])
def test_what_is_no_integer(text: bytes) -> None:
    with pytest.raises(NotANumber):
        integers(texts_from([text]))


# -- texts ----------------------------------------------------------------------------------------------------------


def random_ids(rng: random.Random, count: int) -> list[bytes]:
    lengths = [1, 2, 7, 8, 9, 15, 16, 17, 30, 600]
    return [bytes(rng.choices(b"abz\x80\xff0", k=rng.choice(lengths))) for _ in range(count)]


def test_texts() -> None:
    rng = random.Random(5)
    items = random_ids(rng, 300)
    items += items[:50]
    texts = texts_from(items)
    assert texts.to_list() == items == [texts[i] for i in range(len(texts))]
    rows = np.array(rng.choices(range(len(items)), k=100))
    assert texts.take(rows).to_list() == [items[i] for i in rows]
    packed = texts.take(rows).packed()
    assert packed.to_list() == [items[i] for i in rows] and bool((packed.keys() == texts.keys()[rows]).all())
    assert len(packed.buffer) == sum(len(items[i]) for i in rows) + PADDING
    assert join_texts([texts, texts.take(rows)]).to_list() == items + [items[i] for i in rows]
    assert texts_from([]).to_list() == []
    keys = texts.keys()
    assert len(np.unique(keys)) == len(set(items))
    assert keys[:50].tolist() == keys[-50:].tolist()
    assert texts.take(np.array([3])).keys()[0] == keys[3], "a key depends on its text alone"
    other = rng.choices(range(len(items)), k=len(items))
    same = texts.equal(np.arange(len(items)), texts, np.array(other))
    assert same.tolist() == [items[i] == items[j] for i, j in enumerate(other)]
    short, long = texts_from([b"abcdefgh", b"x"]), texts_from([b"abcdefghi", b"x"])
    assert short.equal(np.array([0, 1]), long, np.array([0, 1])).tolist() == [False, True]
    doubled = texts_from([item for item in items for _ in range(rng.randrange(1, 3))])
    listed = doubled.to_list()
    assert doubled.same_as_previous().tolist() == [i > 0 and listed[i] == listed[i - 1] for i in range(len(listed))]


def test_sort_columns_order_as_bytes_do() -> None:
    items = random_ids(random.Random(6), 400)
    order = np.lexsort(tuple(reversed(texts_from(items).sort_columns())))
    assert [items[i] for i in order] == sorted(items)


# -- two ways to cut a block ----------------------------------------------------------------------------------------


def as_buffer(block: bytes) -> np.ndarray:
    return np.frombuffer(block + bytes(16), np.uint8)


def described(fields: tokens.Fields, width: int) -> tuple[object, ...]:
    starts = np.stack([fields.start(i) for i in range(width)], axis=1)
    fault = fields.fault and (fields.fault.line, fields.fault.start, fields.fault.end, fields.fault.count)
    return starts.tolist(), fields.ends.tolist(), fields.lines.tolist(), fault


def test_quick_and_careful_ways_agree() -> None:
    rng = random.Random(11)
    quick = 0
    for _ in range(400):
        width = rng.choice([4, 5, 6])
        lines = [
            rng.choice([b" ", b"\t"]).join(random_ids(rng, width if rng.random() < 0.995 else rng.randrange(1, 8)))
            for _ in range(rng.randrange(1, 9))
        ]
        block = b"".join(line + b"\n" for line in lines)
        first = rng.randrange(1, 1000)
        most = rng.choice([None, width])
        fields = tokens.split_fields(as_buffer(block), len(block), width, most, first)
        careful = tokens._split_carefully(as_buffer(block), as_buffer(block)[: len(block)], width, most, first)
        assert described(fields, width) == described(careful, width)
        quick += fields.starts is None
    assert 200 < quick < 400


def cut_by_hand(block: bytes, width: int, most: int | None, first: int) -> tuple[list[list[bytes]], list[int], object]:
    """Fields and numbers of the lines before the first fault, and that fault as (line, fields found; -1: not text)."""
    found, numbers = [], []
    for number, line in enumerate(block.split(b"\n")[:-1], first):
        if any(byte < 9 or 13 < byte < 32 for byte in line):
            return found, numbers, (number, -1)
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        if len(fields) < width or (most is not None and len(fields) > most):
            return found, numbers, (number, len(fields))
        found.append(fields[:width])
        numbers.append(number)
    return found, numbers, None


def test_careful_way_against_python() -> None:
    rng = random.Random(12)
    faults = set()
    for _ in range(1500):
        width, most = rng.choice([(4, 4), (5, 5), (6, None), (2, None)])
        lines = []
        for _ in range(rng.randrange(1, 12)):
            kind = rng.random()
            count = width if kind < 0.7 else width + 2 if kind < 0.8 and most is None else rng.randrange(0, 8)
            gap = rng.choice([b" ", b"\t", b"  ", b" \t", b"\f", b"\v"])
            line = gap.join(rng.choice([b"a", b"#", b"bc", b"\xc3\x81", b"12.5", b"a#"]) for _ in range(count))
            if rng.random() < 0.1:
                line = b"# " + line
            if rng.random() < 0.02:
                line += bytes([rng.choice([0, 1, 7, 8, 14, 27, 31])])
            lines.append(rng.choice([b"", b"", b" "]) + line + rng.choice([b"", b"", b"\r", b" "]) + b"\n")
        block, first = b"".join(lines), rng.randrange(1, 50)
        fields = tokens.split_fields(as_buffer(block), len(block), width, most, first)
        want, numbers, fault = cut_by_hand(block, width, most, first)
        got = [fields.texts(i).to_list() for i in range(width)]
        assert [list(row) for row in zip(*got, strict=True)] == want
        assert fields.lines.tolist() == numbers
        assert (None if fields.fault is None else (fields.fault.line, fields.fault.count)) == fault
        faults.add(None if fault is None else fault[1] < 0)
    assert faults == {None, True, False}


@pytest.mark.parametrize(
    "block",
    [
        b"a b\tc d\n",
        b"a b c\x01d\n",
        b"a b c d\n# b c d\n",
        b"a b c d\n e f g h\n",
        b"a  b c\n",
        b"a b c d\ne \tf g\n",
        b" a b c\n",
    ],
)
def test_blocks_that_look_simple(block: bytes) -> None:
    """A control character, a comment, a blank in front or two in a row must not take the quick way."""
    fields = tokens.split_fields(as_buffer(block), len(block), 4, 4, 1)
    assert (fields.starts is None) == (block == b"a b\tc d\n")
    got = zip(*(fields.texts(i).to_list() for i in range(4)), strict=True)
    assert cut_by_hand(block, 4, 4, 1)[0] == [list(row) for row in got]


@pytest.mark.parametrize("size", [8, 17, 64, 1000])
def test_blocks_of_any_size(size: int, tmp_path: Path) -> None:
    """Whole lines, in order, none lost, whatever the buffer holds; a long line makes it grow."""
    lines = [b"x" * (n * 7 % 90) for n in range(200)]
    for last in (b"", b"\n"):
        (tmp_path / "f").write_bytes(b"\n".join(lines) + last)
        blocks, seen = LineBlocks(Source(tmp_path / "f"), size), []
        while blocks.read():
            assert blocks.line == len(seen) + 1
            seen += blocks.buffer[: blocks.size].tobytes().split(b"\n")[:-1]
            blocks.drop_all()
        assert seen == lines


def test_long_lines_in_a_large_block(tmp_path: Path) -> None:
    """The last newline lies far before the end of the buffer."""
    (tmp_path / "f").write_bytes(b"a\nb\n" + b"c" * 200_000)
    blocks = LineBlocks(Source(tmp_path / "f"), 150_000)
    assert blocks.read() and blocks.size == 4
    blocks.drop_all()
    assert blocks.read() and blocks.size == 200_001 and blocks.line == 3


# -- keys that collide ----------------------------------------------------------------------------------------------


def constant_keys(self: Texts) -> np.ndarray:
    return np.full(len(self), 12345, np.uint64)


def length_keys(self: Texts) -> np.ndarray:
    return (self.length.astype(np.uint64) % np.uint64(3)) << np.uint64(62)


def last_byte_keys(self: Texts) -> np.ndarray:
    return np.array([item[-1] % 5 for item in self.to_list()], np.uint64) * np.uint64(2**61)


@pytest.mark.parametrize("keys", [constant_keys, length_keys, last_byte_keys])
@pytest.mark.parametrize("needs", FORMATS)
def test_collisions_never_change_a_result(
    keys: Callable[[Texts], np.ndarray], needs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = random_preferences(50, 20) if needs == "preferences" else random_world(50, 20)
    specs = [spec for spec in specs_for(needs) if spec.measure.trec]
    want = score_world(tmp_path, world, specs, needs)
    monkeypatch.setattr(Texts, "keys", keys)
    got = score_world(tmp_path, world, specs, needs)
    assert np.array_equal(got.values, want.values, equal_nan=True) and got.texts == want.texts


@pytest.mark.parametrize("keys", [Texts.keys, constant_keys, length_keys, last_byte_keys])
def test_finding_judgements(keys: Callable[[Texts], np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every document of every topic is found, and nothing else, in tables of all sizes."""
    monkeypatch.setattr(Texts, "keys", keys)
    rng = random.Random(13)
    topics = [b"%d" % n for n in range(12)]
    judged = {t: rng.sample([b"d%d" % i for i in range(150)], rng.choice([1, 2, 3, 4, 5, 8, 9, 40])) for t in topics}
    names = [d for t in topics for d in judged[t]]
    owner = np.array([i for i, t in enumerate(topics) for _ in judged[t]], np.int32)
    count = np.arange(len(names), dtype=np.int32)
    columns = QrelsColumns("q", topics, owner, texts_from(names), count, count)
    whole: Judgements = judgements(columns)[0]
    asked = [(t, [b"d%d" % i for i in range(160)]) for t in rng.sample(range(12), 12)]
    documents = texts_from([d for _, ds in asked for d in ds])
    off = np.arange(13) * 160
    topic = np.array([whole.topics.index(topics[t]) for t, _ in asked], np.int32)
    found = whole.find(topic, off, documents.keys(), documents)
    for row, (t, d) in enumerate((t, d) for t, ds in asked for d in ds):
        name = whole.documents[int(found[row])] if found[row] >= 0 else None
        assert name == (d if d in judged[topics[t]] else None)
        assert found[row] < 0 or whole.topics[whole.topic_of[found[row]]] == topics[t]


# -- duplicates -----------------------------------------------------------------------------------------------------


def write_and_score(folder: Path, run: bytes, qrels: bytes, **policy: object) -> list[object]:
    (folder / "run").write_bytes(run)
    (folder / "qrels").write_bytes(qrels)
    specs = [spec for spec in specs_for("levels") if spec.name in ("num_ret", "relstring")][:2]
    scores = score_run(
        read_back(folder / "qrels"), Source(folder / "run"), specs, policy_for("levels", **policy), TopicPolicy()
    )
    return [*scores.values[0].tolist(), *scores.texts[1], scores.facts.repeated]


TWICE = b"1 Q0 a 1 5 t\n2 Q0 a 1 5 t\n2 Q0 b 2 4 t\n2 Q0 a 3 9 t\n2 Q0 b 4 1 t\n2 Q0 a 5 1 t\n"
LEVELS = b"1 0 a 1\n2 0 a 2\n2 0 b 3\n"


@pytest.mark.parametrize("keys", [Texts.keys, constant_keys, length_keys])
def test_documents_twice(keys: Callable[[Texts], np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Texts, "keys", keys)
    with pytest.raises(DuplicateError) as error:
        write_and_score(tmp_path, TWICE, LEVELS)
    assert error.value.line == 4
    assert error.value.message() == (
        f'{tmp_path}/run:4: document: expected each document once in a topic, found "a" of topic 2 again '
        "(first on line 2)"
    )
    assert write_and_score(tmp_path, TWICE, LEVELS, on_duplicate="first") == [1.0, 2.0, "1", "23", 3]
    once = b"1 Q0 a 1 5 t\n2 Q0 a 1 5 t\n2 Q0 b 2 9 t\n"
    assert write_and_score(tmp_path, once, LEVELS, on_duplicate="first") == [1.0, 2.0, "1", "32", 0]
    assert write_and_score(tmp_path, TWICE, LEVELS, on_duplicate="keep") == [1.0, 5.0, "1", "22332", 0]


def test_duplicates_beyond_the_depth_are_not_seen(tmp_path: Path) -> None:
    """As in trec_eval, which cuts before it looks."""
    run = b"1 Q0 a 1 5 t\n1 Q0 b 2 4 t\n1 Q0 a 3 3 t\n"
    assert write_and_score(tmp_path, run, LEVELS, depth=2)[0] == 2.0
    with pytest.raises(DuplicateError):
        write_and_score(tmp_path, run, LEVELS, depth=3)


def test_a_document_in_two_topics_is_no_duplicate(tmp_path: Path) -> None:
    lines = [b"%d Q0 same 1 1 t\n" % n for n in range(3000)]
    assert write_and_score(tmp_path, b"".join(lines), b"7 0 same 1\n")[0] == 1.0


@pytest.mark.parametrize("keys", [Texts.keys, constant_keys, length_keys])
def test_judgements_twice(keys: Callable[[Texts], np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Texts, "keys", keys)
    (tmp_path / "q").write_bytes(b"2 0 c 0\n2 0 a 0\n1 0 a 1\n2 0 b 0\n2 0 a 3\n1 0 a 1\n")
    columns = read_judgements(Source(tmp_path / "q"))
    with pytest.raises(DuplicateError) as error:
        judgements(columns)[0].check_duplicates()
    assert error.value.message().endswith(
        'q:5: document: expected one judgement for each document, found "a" of topic 2 again (first on line 2)'
    )
    (tmp_path / "once").write_bytes(LEVELS)
    assert judgements(read_judgements(Source(tmp_path / "once")), keep_first=True)[1] == 0
    first, passed_over = judgements(columns, keep_first=True)
    first.check_duplicates()
    assert passed_over == 2
    assert [first.topics[t] for t in first.topic_of] == [b"1", b"2", b"2", b"2"]
    assert first.documents.to_list() == [b"a", b"c", b"a", b"b"] and first.level.tolist() == [1, 0, 0, 0]


def test_one_judgement_a_group(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 g a 0\n1 h a 1\n1 g b 2\n1 g a 1\n")
    columns = read_judgements(Source(tmp_path / "q"), "qrels_jg")
    with pytest.raises(DuplicateError, match=r":4: document: .*\(first on line 1\)"):
        judgements(columns, by_group=True)[0].check_duplicates()
    kept, passed_over = judgements(columns, by_group=True, keep_first=True)
    assert passed_over == 1 and kept.parents == [b"1"] and np.diff(kept.off).tolist() == [2, 1]


def test_one_preference_a_subgroup(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"1 g s a 0\n1 g s b 1\n1 g t a 0\n1 h s a 5\n1 g s a 0\n")
    with pytest.raises(DuplicateError, match=r':5: document: expected a document once .* found "a".* line 1'):
        judgements(read_judgements(Source(tmp_path / "p"), "prefs"))


# -- z-scores -------------------------------------------------------------------------------------------------------


def test_zscores(tmp_path: Path) -> None:
    (tmp_path / "z").write_bytes(b"# reference\n1 map 0.25 0.5\n2 map 0.5 0\n1 P_5 1e-1 .5\r\n")
    found = read_zscores(Source(tmp_path / "z"))
    assert found == {(b"1", b"map"): (0.25, 0.5), (b"2", b"map"): (0.5, 0.0), (b"1", b"P_5"): (0.1, 0.5)}
    mean, deviation = lookup(found, [b"1", b"2", b"3"], b"P_5")
    assert np.array_equal(mean, [0.1, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(deviation, [0.5, np.nan, np.nan], equal_nan=True)


def test_files_shared_with_the_laws(tmp_path: Path) -> None:
    """What worlds.py writes is what is read back."""
    world = random_world(60, 10)
    (tmp_path / "run").write_bytes(b"\n".join(run_lines(world)))
    (tmp_path / "qrels").write_bytes(b"\n".join(judgement_lines(world, "levels")))
    assert run_rows(read_run(Source(tmp_path / "run"))) == [(n, d, s) for n, t in world.items() for d, s in t.scored]
    assert qrels_rows(read_judgements(Source(tmp_path / "qrels"))) == [
        (n, d, level) for n, t in world.items() for d, level in t.judged.items()
    ]
